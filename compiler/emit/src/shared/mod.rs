//! What all printers share.

pub(crate) mod expr;
pub(crate) mod facts;
pub(crate) mod sites;
pub(crate) mod uses;
pub(crate) mod writer;

pub(crate) use expr::{Expr, Level};
pub(crate) use facts::Facts;
pub(crate) use sites::Sites;
pub(crate) use uses::Uses;
pub(crate) use writer::Writer;
