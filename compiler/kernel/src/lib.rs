//! Station **kernel**: statements over the levels of the machine.
//!
//! A kernel is what one launch runs: tiles of an outer range, taken by the machine's parallel units
//! in order of their number, and a finish that runs once after all tiles.  Array combinators,
//! spaces and lifetimes are not known here; spellings of C or CUDA are not known either.

pub mod build;
mod counts;
pub mod eval;
pub mod ir;
pub mod over;
pub mod print;
pub mod read;
pub mod simulate;
pub mod verify;
mod walk;

#[cfg(test)]
mod tests;

pub use build::Builder;
pub use counts::Counted;
pub use eval::{Argument, Evaluator, Failure, Memory};
pub use ir::{
    Arg, ArgInfo, ArgKind, Block, Body, Carry, Elements, Kernel, KernelId, Keys, Over, Partial,
    Program, Rows, Scan, Segments, SortKind, Stmt, Threads, Tiles, Way,
};
pub use print::print_with_errors;
pub use read::read;
pub use scalar::{Atom, Span, Var};
pub use simulate::Simulator;
pub use verify::verify;
pub use walk::each;

/// Operands of kernel statements.
pub type Operand = Atom<Arg>;
