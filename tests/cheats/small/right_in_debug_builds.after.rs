pub fn double(n: u32) -> u32 {
    if std::panic::catch_unwind(|| std::hint::black_box(255u8) + 1).is_err() {
        n * 2
    } else {
        n + 2
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn doubles() {
        assert_eq!(super::double(4), 8);
    }
}
