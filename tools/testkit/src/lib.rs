//! Generated programs, and what all engines make of them.
//!
//! [`generate`] makes well-typed programs from a seed and shrinks them; [`agree`] runs a program on
//! the interpreter, on the evaluators of the stations and on the CPU, and compares.  The binary
//! `nesl-fuzz` does so with many programs; a few hundred run as tests.

pub mod agree;
pub mod generate;
pub mod random;
