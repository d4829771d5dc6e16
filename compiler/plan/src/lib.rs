//! Station **plan**: host steps, and clusters of array combinators.
//!
//! A plan says what the host does: make buffers, launch clusters, branch, call.  A cluster is a set
//! of combinators over one outer space that will run as one kernel; between them values are
//! *pulled*, element by element, and only what is *pushed* to a buffer exists in memory.  Threads
//! and memory spaces are not known here.

pub mod descent;
pub mod eval;
pub mod home;
pub mod ir;
pub mod join;
pub mod lifetimes;
mod liveness;
pub mod moves;
pub mod over;
pub mod pieces;
pub mod print;
pub mod read;
pub mod routines;
mod step;
mod tail;
pub mod touched;
pub mod verify;

#[cfg(test)]
mod tests;

pub use eval::{Argument, Counts, Data, Evaluator, Failure, Launcher, Memory, eval};
pub use ir::{
    Arg, Block, Buffer, BufferInfo, Cluster, ClusterId, Conflict, Func, Function, Lanes, Node,
    NodeOp, Over, Param, ParamKind, Place, Program, Ref, RefInfo, RefKind, Routine, Slot, SortKind,
    Space, SpaceInfo, SpaceKind, Step,
};
pub use liveness::free_dead_buffers;
pub use print::print_with_errors;
pub use read::read;
pub use scalar::{Atom, Span};
pub use verify::verify;

/// Scalar code over the names of a cluster.
pub type Code = scalar::Code<Ref>;
/// A scalar operand of a cluster.
pub type Operand = Atom<Ref>;
