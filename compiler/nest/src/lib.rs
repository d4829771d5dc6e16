//! Station **nest**: the monomorphic, first-order program.
//!
//! Every value is named; sequences still nest and apply-to-each is still there.  Type variables,
//! function values, datatypes and source trees are gone (road `lower`).  Segments and kernels are
//! not known yet.

pub mod build;
pub mod ir;

pub use build::Builder;
pub use ir::{Block, Each, Func, Function, Op, Program, SortKind, Stmt, Type, Value, ValueInfo};
