//! NESL from Rust: compiles a text while the program runs, and calls its functions with data in
//! memory.
//!
//! ```
//! use nesl::{Nested, Session};
//!
//! # fn main() -> Result<(), nesl::Error> {
//! # let options = nesl::Options { engine: nesl::Engine::Interp, ..Default::default() };
//! # let session = Session::new(&options)?;
//! let program = session.compile("function sums(rows) = {sum(row) : row in rows};")?;
//! let sums = program.get::<fn(&Nested<f64>) -> Vec<f64>>("sums")?;
//! let rows = Nested::from_rows([vec![1.0, 2.0], vec![], vec![0.5]]);
//! assert_eq!(sums.call(&rows)?, [3.0, 0.0, 0.5]);
//! # Ok(())
//! # }
//! ```
//!
//! A function is called at Rust's types by [`Program::get`], which checks them once, or with
//! arguments of any type by [`Program::function`].
//!
//! A [`Session`] has the engine, its threads and its memory; a [`Program`] has the functions of one
//! text; a [`Function`] can be called from several threads.  All three are handles that may be
//! cloned and dropped in any order.

#[cfg(feature = "ndarray")]
mod arrays;
mod data;
mod error;
#[cfg(feature = "arrow")]
mod exchange;
mod function;
mod program;
mod result;
mod session;
mod typed;
mod vectors;

pub use data::{Give, Take};
pub use error::{Error, Message, Span};
pub use function::Function;
pub use nesl_data::{Element, Nested};
pub use program::Program;
pub use result::Value;
#[doc(hidden)]
pub use run::adopt;
pub use run::session::Source as Argument;
pub use session::{Engine, Options, Session};
pub use typed::{Signature, TypedFunction};

/// The page of the book, whose code the tests run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub mod page {}
