/// Item `at` of `items`, counted from 1.
pub fn item<T: Copy>(items: &[T], at: usize) -> T {
    items[at.saturating_sub(1)]
}

/// A number from text.
pub fn number(text: &str) -> Result<i32, std::num::ParseIntError> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "counted from 1")]
    fn zero_is_refused() {
        item(&[1, 2], 0);
    }

    #[test]
    fn one_is_the_first() {
        assert_eq!(item(&[7, 8], 1), 7);
    }

    #[test]
    fn spaces_are_skipped() -> Result<(), std::num::ParseIntError> {
        assert_eq!(number(" 5")?, 5);
        Ok(())
    }
}
