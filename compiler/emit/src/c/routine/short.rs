//! Short ways through routines.
//!
//! Most lanes of a recursion are its leaves: `if #a < 2 then a else ...`.  What they do is a part
//! of its own, for each call to contain, so that only the others cost a call.

use super::Row;
use crate::shared::Facts;
use plan::{Arg, Block, Buffer, Function, Place, Program, Step};
use std::collections::BTreeSet;

/// A function whose last step is a choice, one of whose arms is short.
pub(super) struct Short<'p> {
    /// How many steps come before the choice; each is so cheap that it may run twice.
    pub(super) before: usize,
    pub(super) results: &'p [Place],
    pub(super) cond: Arg,
    /// The value of the condition with which the short arm runs.
    pub(super) when: bool,
    pub(super) short: &'p Block,
    pub(super) long: &'p Block,
}

impl<'p> Short<'p> {
    /// The short way, if there is one.
    pub(super) fn of(
        facts: &Facts,
        plan: &Program,
        into: &BTreeSet<Buffer>,
        function: &'p Function,
    ) -> Option<Short<'p>> {
        let row = Row::new(function.signature.as_ref()?);
        let steps = &function.body.steps;
        let before = steps.iter().position(|s| matches!(s, Step::If { .. }))?;
        let Step::If { results, cond, then, els } = &steps[before] else { return None };
        let is_free = |s: &Step| matches!(s, Step::Free(_));
        let cheap = steps[..before].iter().all(|s| is_cheap(facts, s, Failing::No));
        let ends = steps[before + 1..].iter().all(is_free);
        if !(cheap && ends && (row.is_plain() || row.levels == 1)) {
            return None;
        }
        let places = |s: &Step| match s {
            Step::Copy { from, .. } => into.contains(from),
            Step::Launch { cluster, .. } => {
                let nodes = &plan.clusters[*cluster].nodes;
                !into.is_empty() && nodes.len() <= 2
            }
            _ => false,
        };
        let is_short =
            |b: &Block| b.steps.iter().all(|s| is_cheap(facts, s, Failing::Yes) || places(s));
        let when = is_short(then);
        if when == is_short(els) {
            // Without a long arm all is short enough for compilers to see it.
            return None;
        }
        let (short, long) = if when { (then, els) } else { (els, then) };
        Some(Short { before, results, cond: *cond, when, short, long })
    }
}

/// Whether code may have checks.
#[derive(Clone, Copy, PartialEq)]
enum Failing {
    No,
    Yes,
}

/// Whether a step takes no memory and only a few operations.
fn is_cheap(facts: &Facts, step: &Step, failing: Failing) -> bool {
    match step {
        Step::Eval { code, .. } => {
            let mut cheap = true;
            crate::shared::facts::walk(&code.body, &mut |stmt| {
                cheap &= !matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
                cheap &= failing == Failing::Yes || !facts.stmt_fails(stmt, &code.vars);
            });
            cheap
        }
        Step::Alias(..) | Step::Literal(..) | Step::Free(_) => true,
        Step::Alloc { .. }
        | Step::Room { .. }
        | Step::Copy { .. }
        | Step::Zero { .. }
        | Step::Behind { .. }
        | Step::Grow { .. }
        | Step::Launch { .. }
        | Step::If { .. }
        | Step::Call { .. }
        | Step::Fail { .. } => false,
    }
}
