//! NESL from Rust: compiles a text while the program runs, and calls its functions with data in
//! memory.
//!
//! ```
//! use nesl::{Argument, Session};
//!
//! # fn main() -> Result<(), nesl::Error> {
//! # let options = nesl::Options { engine: nesl::Engine::Interp, ..Default::default() };
//! # let session = Session::new(&options)?;
//! let program = session.compile("function double(a) = {2 * x : x in a};")?;
//! let double = program.function("double")?;
//! let result = double.call(vec![Argument::Literal("[1, 2, 3]".to_owned())])?;
//! assert_eq!(result.to_string(), "[2, 4, 6]");
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] has the engine, its threads and its memory; a [`Program`] has the functions of one
//! text; a [`Function`] can be called from several threads.  All three are handles that may be
//! cloned and dropped in any order.

mod error;
mod function;
mod program;
mod result;
mod session;

pub use error::{Error, Message, Span};
pub use function::Function;
pub use program::Program;
pub use result::Value;
pub use run::session::Source as Argument;
pub use session::{Engine, Options, Session};
