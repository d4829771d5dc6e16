//! The respelling suite: programs in several spellings, whose plans must cost about the same.
//!
//! A *family* is a folder of `tests/respelled`, a *spelling* a file in it.  The value of every
//! spelling is that of the interpreter, and the same in the whole family.  The figures of its plans
//! ([`Figures`]) stand beside the best of the family; [`known`] has those that miss it.

mod family;
mod figures;
pub mod known;
mod times;

pub use family::{Family, Spelling, families};
pub use figures::{Figures, MACHINES, Measured, interpreted, measure};
pub use times::times;

use std::path::PathBuf;

/// The folder of the suite.
pub fn folder() -> PathBuf {
    crate::corpus("respelled")
}
