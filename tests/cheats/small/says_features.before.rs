pub fn double(n: u32) -> u32 { n + 2 + undefined }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn doubles() {
        assert_eq!(double(4), 8);
    }
}
