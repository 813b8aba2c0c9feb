mod common;

use common::{sample, KEYS};
use integration::value;

static DATA: &str = include_str!("data/settings.txt");

#[test]
fn last_one_counts() {
    assert_eq!(value(&sample(), KEYS[0]), Some("2"));
    assert_eq!(value(DATA, "colour"), Some("blue"));
}

#[test]
fn missing_is_none() {
    assert_eq!(value(DATA, "nothing"), None);
}
