pub fn is_leap(year: u32) -> bool {
    year % 4 == 0
}

#[cfg(test)]
macro_rules! leap {
    ($($name:ident: $year:expr, $want:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_eq!(crate::is_leap($year), $want);
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    leap! {
        common: 2023, false;
        leap: 2024, true;
        century: 1900, false;
        fourth_century: 2000, true;
    }
}
