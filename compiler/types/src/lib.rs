//! Names, inference, overloading: syntax to typed program.
//!
//! Takes the abstract syntax of one form at a time and everything defined so far; gives a typed
//! form or diagnostics.  Knows no segments and no kernels.

pub mod tree;
pub mod ty;

pub use ty::{Base, Class, Data, Scheme, TyVar, Type};
