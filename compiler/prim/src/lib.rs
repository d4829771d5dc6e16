//! Scalar types, their widths, scalar operations and *the* table of primitives.
//!
//! Three tables, each the only place that knows its family:
//!
//! * [`ty`]: the scalar types and constants;
//! * [`scalar`]: operations on scalars, with their types, meaning and failures;
//! * [`table`]: every primitive that NESL source can name — operators, scalar functions and the
//!   few sequence operations on which the library in `stdlib/` stands.

pub mod eval;
pub mod layout;
pub mod monoid;
pub mod scalar;
pub mod sentence;
pub mod table;
pub mod text;
pub mod ty;
pub mod widths;

pub use eval::{Fault, eval};
pub use layout::{Component, Role, Signature};
pub use monoid::Monoid;
pub use scalar::ScalarOp;
pub use sentence::{Sentence, When, sentences};
pub use table::{Bulk, Meaning, Prim, Primitive, Status, StreamOp};
pub use ty::{Const, Ty};
pub use widths::{ENDLESS, TOO_LONG, Width, Widths};
