use super::sum;

const LIMIT: u32 = 10;

fn slow(from: u32, to: u32) -> u32 {
    let mut all = 0;
    for n in from..=to {
        all += n;
    }
    all
}

#[test]
fn sums_to_the_end() {
    assert_eq!(sum(1, LIMIT), 55);
    assert_eq!(sum(3, 5), slow(3, 5));
}

mod edges {
    use super::*;

    #[test]
    fn one_alone() {
        assert_eq!(sum(4, 4), 4);
    }
}
