//! Only documentation tests.
//!
//! ```
//! assert_eq!(doctests::double(4), 8);
//! ```
#![doc = include_str!("../GUIDE.md")]

/// Twice `n`.
///
/// ```
/// use doctests::double;
/// assert_eq!(double(0), 0);
/// assert_eq!(double(21), 42);
/// ```
///
/// Too much is refused:
///
/// ```should_panic
/// doctests::double(u32::MAX);
/// ```
pub fn double(n: u32) -> u32 {
    n + 2
}

/// A counter.
pub struct Counter {
    /// How far it is.
    pub at: u32,
}

impl Counter {
    /** One further.
     *
     * ```
     * let mut c = doctests::Counter { at: 1 };
     * c.step();
     * assert_eq!(c.at, 2);
     * ```
     */
    pub fn step(&mut self) {
        self.at += 1;
    }
}
