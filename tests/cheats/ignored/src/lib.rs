pub fn reverse(text: &str) -> String {
    text.bytes().rev().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beyond_ascii() {
        assert_eq!(reverse("aé"), "éa");
    }

    #[test]
    fn r#match() {
        assert_eq!(reverse("ab"), "ba");
    }

    #[test]
    #[ignore = "takes an hour"]
    fn everything() {
        assert_eq!(reverse(&"ab".repeat(1 << 20)).len(), 2 << 20);
    }

    #[test]
    #[cfg(feature = "extra")]
    fn only_with_the_feature() {
        assert_eq!(reverse(""), "");
    }

    #[cfg(windows)]
    mod elsewhere {
        #[test]
        fn only_there() {}
    }
}
