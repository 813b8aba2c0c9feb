//! Reads `key=value` lines.
pub mod table;

/// The value of `key` in `text`; the last one counts.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    table::pairs(text).into_iter().find(|p| p.0 == key).map(|p| p.1)
}
