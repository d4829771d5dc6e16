//! Names that only the C text has, and those that all texts have.

pub(crate) use crate::shared::names::*;

use kernel::KernelId;

/// The function that runs one tile of a kernel.
pub(crate) fn tile(id: KernelId) -> String {
    format!("{id}_tile")
}

/// The function that runs one tile whose rows are taken eight lanes at a time.
pub(crate) fn octets(id: KernelId) -> String {
    format!("{id}_octets")
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
