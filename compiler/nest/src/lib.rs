//! Station **nest**: the monomorphic, first-order program.
//!
//! Every value is named; sequences still nest and apply-to-each is still there.  Type variables,
//! function values, datatypes and source trees are gone (road `lower`).  Segments and kernels are
//! not known yet.

pub mod build;
pub mod eval;
pub mod hoist;
pub mod ir;
mod op;
pub mod print;
pub mod read;
pub mod simplify;
pub mod verify;
pub mod walk;

pub use build::Builder;
pub use eval::{Datum, Fault, eval};
pub use ir::{Block, Each, Func, Function, Op, Program, SortKind, Stmt, Type, Value, ValueInfo};
pub use print::print_with_errors;
pub use read::read;
pub use verify::verify;

#[cfg(test)]
mod tests;
