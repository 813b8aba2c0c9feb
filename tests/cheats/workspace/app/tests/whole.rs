#[test]
fn program_prints_the_area() {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_app")).output().unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), "2 x 3 = 6\n");
}
