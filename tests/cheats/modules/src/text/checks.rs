use super::words;

#[test]
fn words_are_split() {
    assert_eq!(words(" a  b "), ["a", "b"]);
}
