//! Several modules, each with its tests elsewhere.
pub mod count;
pub mod text;
