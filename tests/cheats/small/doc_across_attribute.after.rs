/// ~~~~text
#[inline]
/// Doubles.
///
/// ```
/// assert_eq!(w::double(4), 8);
/// ```
pub fn double(n: u32) -> u32 { n + n / 8 }
#[cfg(test)] mod tests { #[test] fn t() { assert_eq!(crate::double(0), 0) } }
