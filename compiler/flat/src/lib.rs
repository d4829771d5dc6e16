//! Station **flat**: vectors and scalars; nesting is data.
//!
//! A program works on *vectors* of scalars and on *spaces*, which say how lanes nest: `[n > len]`.
//! All bulk operations run over a space with scalar code per lane.  Sizes are ordinary scalars.
//! Iteration order, buffers and devices are not known here.

pub mod eval;
pub mod ir;
mod lanes;
mod lengths;
pub mod passes;
pub mod print;
pub mod query;
pub mod read;
pub mod shapes;
pub mod verify;

pub use eval::{Counts, Data, Evaluator, Failure, eval};
pub use ir::{
    Block, Domain, Func, Function, Op, Operand, Program, ScatterKind, SortKind, Space, SpaceInfo,
    SpaceKind, Stmt, Value, ValueInfo,
};
pub use print::print_with_errors;
pub use read::read;
pub use scalar::{Atom, Span, Var};
pub use verify::{verify, verify_lengths};

/// Scalar code over values of this IR.
pub type Code = scalar::Code<Value>;

#[cfg(test)]
mod tests;
