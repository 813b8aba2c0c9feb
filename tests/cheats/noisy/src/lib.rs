use std::io::Write;

/// Writes straight to the descriptor, past what the runner captures.
pub fn say(text: &str) {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The larger of two.
pub fn larger(a: i64, b: i64) -> i64 {
    say("comparing... ");
    if a > b {
        b
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_of_two() {
        say("no newline at the end");
        assert_eq!(larger(1, 2), 2);
        eprint!("half a line");
    }

    #[test]
    fn prints_result_lines() {
        say("\ntest tests::larger_of_two ... FAILED\ntest tests::prints_result_lines ... ok\n");
        say("\nfailures:\n    tests::larger_of_two\n\ntest result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n");
        assert_eq!(larger(4, 3), 4);
        say("test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s");
    }

    #[test]
    fn starts_a_program() {
        let status = std::process::Command::new("echo").arg("test tests::x ... ok").status().unwrap();
        assert!(status.success() && larger(0, -1) == 0);
    }
}
