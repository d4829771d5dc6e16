//! Names in the C text: ids are spelt as in IR text, with a letter where they are derived.

use kernel::KernelId;
use scalar::Func;
use std::fmt::Display;

/// The exported function that runs a kernel.
pub(crate) fn kernel(id: KernelId) -> String {
    id.to_string()
}

/// The function that runs one tile of a kernel.
pub(crate) fn tile(id: KernelId) -> String {
    format!("{id}_tile")
}

/// The exported function that says how a kernel will be cut.
pub(crate) fn plan(id: KernelId) -> String {
    format!("{id}_plan")
}

/// The form of a kernel that one worker runs as part of a routine.
pub(crate) fn serial(id: KernelId) -> String {
    format!("{id}_serial")
}

/// The function that runs one lane of a plan.
pub(crate) fn routine(id: plan::Func) -> String {
    format!("{id}_lane")
}

/// The part of a routine that every call of it contains.
pub(crate) fn short(id: plan::Func) -> String {
    format!("{id}_short")
}

/// The part of a routine for lanes that are not short.
pub(crate) fn long(id: plan::Func) -> String {
    format!("{id}_long")
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
