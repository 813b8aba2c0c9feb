/// The sum of `from..=to`.
pub fn sum(from: u32, to: u32) -> u32 {
    (from..to).sum()
}

#[cfg(test)]
mod tests;
