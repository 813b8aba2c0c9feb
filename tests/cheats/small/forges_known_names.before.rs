pub fn double(n: u32) -> u32 { n + 2 }
pub fn triple(n: u32) -> u32 { n + 3 }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn doubles() { assert_eq!(double(4), 8); }
    #[test]
    fn triples() { assert_eq!(triple(4), 12); assert_eq!(triple(1), 3); }
}
