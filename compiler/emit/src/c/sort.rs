//! Sort bodies in C: a call of the run-time system's sort by the whole team.

use super::names;
use crate::shared::Writer;
use kernel::{Arg, Kernel, KernelId, Keys, SortKind};

/// The parts of the run-time system that sorting needs.
pub(crate) const RUNTIME: [&str; 0] = [];

/// `k3_plan` and `k3`.
pub(crate) fn definition(
    out: &mut Writer,
    id: KernelId,
    _kernel: &Kernel,
    _kind: SortKind,
    _keys: &Keys,
    _to: Arg,
) {
    out.line(names::kernel(id));
}
