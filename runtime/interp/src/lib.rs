//! The interpreter: the definition of what programs mean, against which every engine is compared.
//!
//! It evaluates the typed tree as LANGUAGE section 7 says, one lane after the other, and counts
//! work and depth by the language's cost model.  It is written for being obviously right; it is
//! quick enough to run small programs with.
//!
//! Knows the typed program and host values; knows nothing of what the compiler makes of programs.

pub mod account;
mod bulk;
pub mod cost;
mod each;
mod endless;
mod eval;
mod failure;
mod function;
pub mod hash;
pub mod helper;
mod machine;
mod memory;
mod primitive;
pub mod random;
mod range;
mod stream;

pub use cost::Cost;
pub use machine::Interp;
pub use value::on_big_stack;
