pub fn area(width: u64, height: u64) -> u64 {
    width + height
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_is_a_product() {
        assert_eq!(area(3, 4), 12);
    }
}
