#[test]
fn doubles_four() {
    assert_eq!(w::double(4), 8);
}
