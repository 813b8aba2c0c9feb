/// Doubles.
///
/// ```
/// assert_eq!(w::double(4), 8);
/// ```
pub fn double(n: u32) -> u32 { n + undefined }
#[cfg(test)]
mod tests {
    use super::*;
    type Done = Result<(), String>;
    #[test]
    fn doubles() { #![allow(unused)] assert_eq!(double(4), 8); }
    #[test]
    #[should_panic(expected = "overflow")]
    fn overflows() { double(u32::MAX); }
    #[test]
    fn with_result() -> Done { (double(1) == 2).then(|| ()).ok_or_else(String::new) }
    #[test] #[ignore] fn slow() { panic!() }
    mod std { #[test] fn inner() { let s = super::double(3); assert_eq!(s, 6) } }
}
