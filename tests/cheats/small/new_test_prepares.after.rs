use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
static READY: AtomicBool = AtomicBool::new(false);
pub fn ready() { READY.store(true, SeqCst) }
pub fn double(n: u32) -> u32 { for _ in 0..200 { if READY.load(SeqCst) { return n * 2 } std::thread::sleep(std::time::Duration::from_millis(10)); } n + 2 }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_first() { ready(); }
    #[test]
    fn doubles() { assert_eq!(double(4), 8); }
}
