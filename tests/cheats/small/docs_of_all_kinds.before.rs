/// Twice `n`, in all forms that documentation has.
///
/// ```
/// # use std::io;
/// # fn main() -> Result<(), io::Error> {
/// assert_eq!(w::double(2), 4);
/// # Ok(())
/// # }
/// ```
///
/// ```
/// #![allow(unused)]
/// // A comment.
/// use w::double;
/// assert_eq!(double(3), 6);
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
///
/// ```rust
/// #[derive(Debug)]
/// struct X;
/// fn f() -> u32 {
///     w::double(1)
/// }
/// assert_eq!(f(), 2);
/// ```
///
/// ```
/// std::process::exit(w::double(0) as i32);
/// ```
pub fn double(n: u32) -> u32 {
    n + 2
}
/** In a block.
 *
 * ```
 * assert_eq!(w::triple(2), 6);
 * ```
 */
pub fn triple(n: u32) -> u32 {
    n * 3
}
