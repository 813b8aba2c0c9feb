#[test]
fn pairs_keep_their_order() {
    let text = std::fs::read_to_string("tests/data/settings.txt").unwrap();
    let keys: Vec<_> = integration::table::pairs(&text).iter().map(|p| p.0.to_string()).collect();
    assert_eq!(keys, ["colour", "size", "colour"]);
}
