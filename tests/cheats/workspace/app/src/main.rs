fn describe(width: u64, height: u64) -> String {
    format!("{} x {} = {}", width, height, shape::area(width, height))
}

fn main() {
    println!("{}", describe(2, 3));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_area() {
        assert_eq!(describe(2, 3), "2 x 3 = 6");
    }
}
