//! Names, inference, overloading: syntax to typed program.
//!
//! Takes the abstract syntax of one form at a time and everything defined so far; gives a typed
//! form or diagnostics.  Knows no segments and no kernels.
//!
//! ```text
//! form --names--> free names              --infer--> typed form
//!                 pattern, undefined errors          type, effect errors
//! ```
//!
//! Recursion follows the nesting of the text, as in [`syntax`]: callers run on a thread with a
//! large stack.

pub mod tree;
pub mod ty;

mod check;
mod dump;
mod endless;
mod errors;
mod follow_up;
mod graph;
mod infer;
mod names;
mod scope;
mod show;
mod suspects;
mod verify;
mod warnings;

#[cfg(test)]
mod tests;

pub use base::nearest;
pub use check::{Checker, Checkpoint, Known};
pub use dump::{dump_form, dump_global};
pub use errors::only_declared;
pub use follow_up::Missing;
pub use show::{base_name, show_scheme, show_type, show_type_within};
pub use ty::{Base, Class, Data, Scheme, TyVar, Type};
pub use verify::verify;
pub use warnings::warnings;
