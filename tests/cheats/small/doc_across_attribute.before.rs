/// Doubles.
///
/// ```
/// assert_eq!(w::double(4), 8);
/// ```
#[inline]
pub fn double(n: u32) -> u32 { n + x }
#[cfg(test)] mod tests { #[test] fn t() { assert_eq!(crate::double(0), 0) } }
