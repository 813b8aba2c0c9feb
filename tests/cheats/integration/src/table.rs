/// The pairs of `text`, line by line.
pub fn pairs(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(|l| l.split_once('=')).collect()
}
