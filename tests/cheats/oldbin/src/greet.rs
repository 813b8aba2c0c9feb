pub fn line(name: &str) -> String {
    format!("{},{}", env!("GREETING"), name)
}

#[test]
fn a_space_follows_the_comma() {
    assert_eq!(line("you"), "hello, you");
}
