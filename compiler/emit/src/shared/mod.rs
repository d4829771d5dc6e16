//! What all printers share.

pub(crate) mod alike;
pub(crate) mod expr;
pub(crate) mod facts;
pub(crate) mod function;
pub(crate) mod kernel;
pub(crate) mod names;
pub(crate) mod op;
pub(crate) mod pieces;
pub(crate) mod sign;
pub(crate) mod sites;
pub(crate) mod stmt;
pub(crate) mod types;
pub(crate) mod units;
pub(crate) mod uses;
pub(crate) mod writer;

pub(crate) use expr::{Expr, Level};
pub(crate) use facts::Facts;
pub(crate) use sites::Sites;
pub(crate) use uses::Uses;
pub(crate) use writer::Writer;
