//! The data that NESL's functions take and give in Rust, without a compiler.
//!
//! The crates `nesl`, which compiles while a program runs, and `nesl-build`, which compiles before,
//! have these types in common: [`Nested`], of rows of different lengths, and [`Error`].  The crate
//! depends on no other.
//!
//! ```
//! use nesl_data::Nested;
//!
//! # fn main() -> Result<(), nesl_data::Error> {
//! // [[1.0, 2.0], [], [0.5]]
//! let rows = Nested::new(vec![0, 2, 2, 3], vec![1.0, 2.0, 0.5])?;
//! assert_eq!(rows, Nested::from_rows([vec![1.0, 2.0], vec![], vec![0.5]]));
//! assert_eq!(rows.row(2), [0.5]);
//! # Ok(())
//! # }
//! ```

pub mod ahead;
mod element;
mod error;
mod nested;

pub use element::{Element, Scalar};
pub use error::Error;
pub use nested::Nested;

/// Includes the functions that `nesl-build` made of a file: `nesl_data::include!("linear")` in a
/// module of its own, where the build script compiles `linear.nesl`.
///
/// The text is that of a file; what is not letter, digit or `_` in its name is `_` here.
#[macro_export]
macro_rules! include {
    ($name:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $name, ".rs"));
    };
}
