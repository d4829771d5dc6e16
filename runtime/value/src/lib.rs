//! Host values: what goes into a program, what comes out, and what the interpreter computes with.
//!
//! A value has two forms.  [`Value`] is nested, as LANGUAGE speaks of it; the interpreter uses it.
//! [`Columns`] is flat, as the engines hold it: one vector for each scalar component, and offsets
//! for each level of nesting.  [`Shape`] says what both look like, [`convert`] leads from one to
//! the other.  Both print alike ([`print`]), and both come from files and go to files
//! ([`input`], [`output`]).  The texts that programs load are on the same [`disk`].
//! Files and folders appear [`whole`].  A [`typed`] value comes from the memory of a caller.
//! Memory of a GPU is [`remote`].
//!
//! Knows types, but no expressions, no segments of a running program and no devices.

pub mod buffer;
pub mod columns;
pub mod convert;
pub mod disk;
pub mod failure;
pub mod input;
pub mod interrupt;
pub mod memory;
pub mod output;
pub mod print;
pub mod reading;
pub mod remote;
pub mod shape;
pub mod stack;
pub mod typed;
pub mod value;
pub mod whole;

pub use buffer::{Buffer, OutOfMemory};
pub use columns::{Column, Columns};
pub use disk::Disk;
pub use interrupt::Interrupt;
pub use memory::{Budget, Charge};
pub use remote::Remote;
pub use shape::Shape;
pub use stack::on_big_stack;
pub use typed::Typed;
pub use value::{Handle, Items, Seq, SeqBuilder, Value};
