//! What every part of the compiler stands on: typed ids and maps, names, files and spans, which
//! file a text loads, diagnostics with their codes and renderer, the toolkit for textual IRs,
//! timings.
//!
//! Knows nothing of NESL: no token, type or operation is named here.

pub mod code;
pub mod diag;
pub mod id;
pub mod load;
pub mod near;
pub mod print;
pub mod span;
pub mod svg;
pub mod text;
pub mod timing;
pub mod trail;

pub use code::Code;
pub use diag::{Class, Diagnostic, Edit, Kind, Label, Site};
pub use id::{Id, IdMap};
pub use load::{Loaded, Loading, Texts};
pub use near::nearest;
pub use print::{Error, Printer};
pub use span::{FileId, Files, Span};
pub use trail::Trail;
