//! The compiler from nest to text: the list of passes, options, dumps.
//!
//! Everything before — source to nest — can refuse a program with a diagnostic; nothing here does.

mod drawing;
mod pipeline;
mod text;

pub use drawing::Drawings;
pub use fuse::Fusion;
pub use pipeline::{Compiled, Dump, Options, PASSES, Pass, compile};
pub use text::{Print, Text};
