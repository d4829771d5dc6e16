//! Well-typed programs, made at random.
//!
//! A program is a typed tree ([`tree`]) that prints as source text.  [`program`] makes one from a
//! seed: a few datatypes, functions (many recursive) and top-level values, an expression.
//! Expressions are made from the outside in, for a wanted type and with a size that is spent on the
//! way ([`expression`]); the functions of the library come from a table ([`library`]).  [`maker`]
//! knows what can be used where, [`redefine`] gives names a second meaning.  [`shrink`] makes a
//! program smaller as long as it shows the same failure.
//!
//! Every program ends: recursion has fuel or shrinking data, and lengths are bounded.  Those of
//! [`at_the_ends`] are bounded or are refused: they use ints near the ends ([`ends`]).

mod draft;
mod ends;
mod expression;
mod function;
mod library;
mod maker;
mod program;
mod redefine;
pub mod shrink;
#[cfg(test)]
mod tests;
pub mod tree;
mod ty;

pub use program::{at_the_ends, program};
pub use tree::Program;
