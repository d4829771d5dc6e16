//! Names in the text: ids are spelt as in IR text, with a letter where they are derived.

use kernel::KernelId;
use scalar::Func;
use std::fmt::Display;

/// The exported function that runs a kernel.
pub(crate) fn kernel(id: KernelId) -> String {
    id.to_string()
}

/// A scalar function.
pub(crate) fn function(id: Func) -> String {
    id.to_string()
}

/// The struct of a function's results, if it has several.
pub(crate) fn results(id: Func) -> String {
    format!("{id}_results")
}

/// The next value of a carried variable, while the old one is still needed.
pub(crate) fn next(var: impl Display) -> String {
    format!("{var}_next")
}

/// This tile's share of a reduction.
pub(crate) fn partial(number: usize) -> String {
    format!("partial{number}")
}

/// Text that is safe inside a C comment.
pub(crate) fn comment(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
    plain.replace("*/", "* /").replace("/*", "/ *")
}
