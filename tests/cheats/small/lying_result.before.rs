pub fn number(text: &str) -> Result<u32, String> {
    text.len().try_into().map_err(|_| String::new())
}

#[cfg(test)]
mod tests {
    #[test]
    fn refuses() {
        assert!(super::number("x").is_err());
    }
}
