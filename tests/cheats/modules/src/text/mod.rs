/// The words of `line`.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').filter(|w| !w.is_empty()).collect()
}

#[cfg(test)]
#[path = "checks.rs"]
mod checks;
