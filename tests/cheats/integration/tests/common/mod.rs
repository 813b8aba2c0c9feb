pub const KEYS: [&str; 2] = ["a", "b"];

pub fn sample() -> String {
    format!("{0}=1\n{1}=5\n{0}=2\n", KEYS[0], KEYS[1])
}
