//! Station **kernel**: statements over the levels of the machine.
//!
//! A kernel is what one launch runs: tiles of an outer range, taken by the machine's parallel units
//! in order of their number, and a finish that runs once after all tiles.  Array combinators,
//! spaces and lifetimes are not known here; spellings of C or CUDA are not known either.

pub mod ir;

pub use ir::{
    Arg, ArgInfo, ArgKind, Block, Body, Carry, Keys, Kernel, KernelId, Partial, Program, SortKind,
    Stmt, Tiles,
};
pub use scalar::{Atom, Span, Var};

/// Operands of kernel statements.
pub type Operand = Atom<Arg>;
