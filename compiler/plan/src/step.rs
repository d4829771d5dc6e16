//! Questions about steps: what they set, which buffers they use.

use crate::ir::{Arg, Buffer, Place, Slot, Step};
use std::collections::BTreeSet;

impl Step {
    /// What the step sets; scalars that a launch sets are among its arguments instead.
    pub fn results(&self) -> Vec<Place> {
        match self {
            Step::Alloc { buffer, .. }
            | Step::Room { buffer, .. }
            | Step::Literal(buffer, _)
            | Step::Alias(buffer, _)
            | Step::Copy { buffer, .. }
            | Step::Grow { buffer, .. }
            | Step::Zero { buffer, .. } => vec![Place::Buffer(*buffer)],
            Step::Behind { begin, alone, .. } => [*begin, *alone].map(Place::Slot).to_vec(),
            Step::Eval { results, .. } => results.iter().map(|&s| Place::Slot(s)).collect(),
            Step::If { results, .. } | Step::Call { results, .. } => results.clone(),
            Step::Launch { .. } | Step::Fail { .. } | Step::Free(_) => Vec::new(),
        }
    }

    /// The scalars that the step itself uses, those of nested blocks aside.
    pub fn scalars(&self) -> Vec<Slot> {
        let args: Vec<Arg> = match self {
            Step::Alloc { len, over, .. } => {
                over.iter().map(|over| over.start).chain([*len]).collect()
            }
            Step::Room { len, .. } | Step::Copy { len, .. } | Step::Zero { len, .. } => vec![*len],
            Step::Behind { used, more, .. } => vec![*used, *more],
            Step::Grow { used, begin, len, .. } => vec![*used, *begin, *len],
            Step::Eval { code, .. } => {
                let slot =
                    |place: Place| if let Place::Slot(slot) = place { Some(slot) } else { None };
                return code.refs().outers.into_iter().filter_map(slot).collect();
            }
            Step::Launch { args, work, .. } => args.iter().copied().chain([*work]).collect(),
            Step::If { cond, .. } => vec![*cond],
            Step::Call { args, .. } => args.clone(),
            Step::Fail { start, len, .. } => vec![*start, *len],
            Step::Literal(..) | Step::Alias(..) | Step::Free(_) => Vec::new(),
        };
        let slot = |arg| if let Arg::Past(_, from) = arg { Some(from) } else { arg.slot() };
        args.into_iter().filter_map(slot).collect()
    }

    /// The buffer that it frees, if that is what it does.
    pub fn freed(&self) -> Option<Buffer> {
        if let Step::Free(buffer) = self { Some(*buffer) } else { None }
    }

    /// The buffers that the step uses, in nested blocks, too.
    pub fn buffers(&self) -> BTreeSet<Buffer> {
        let mut buffers = BTreeSet::new();
        self.each_buffer(&mut |buffer| {
            buffers.insert(buffer);
        });
        buffers
    }

    /// Whether the step uses a buffer, in nested blocks, too.
    pub fn uses_buffer(&self, buffer: Buffer) -> bool {
        let mut used = false;
        self.each_buffer(&mut |other| used |= other == buffer);
        used
    }

    pub(crate) fn each_buffer(&self, visit: &mut dyn FnMut(Buffer)) {
        match self {
            Step::Alias(_, from) | Step::Copy { from, .. } | Step::Grow { from, .. } => {
                visit(*from);
            }
            Step::Behind { from, .. } => from.iter().copied().for_each(visit),
            Step::Eval { code, .. } => {
                code.refs().vectors.iter().filter_map(|p| p.buffer()).for_each(visit);
            }
            Step::Launch { args, .. } | Step::Call { args, .. } => {
                args.iter().filter_map(|a| a.buffer()).for_each(visit);
            }
            Step::If { then, els, .. } => {
                for arm in [then, els] {
                    arm.steps.iter().for_each(|s| s.each_buffer(visit));
                    arm.yields.iter().filter_map(|a| a.buffer()).for_each(&mut *visit);
                }
            }
            Step::Fail { chars, .. } => visit(*chars),
            Step::Alloc { over, .. } => over.iter().for_each(|over| visit(over.buffer)),
            Step::Room { .. } | Step::Literal(..) | Step::Zero { .. } | Step::Free(_) => {}
        }
    }
}

impl Arg {
    /// The scalar of the host, if it is one.
    pub fn slot(self) -> Option<Slot> {
        match self {
            Arg::Slot(slot) => Some(slot),
            Arg::Buffer(_) | Arg::Past(..) | Arg::Const(_) => None,
        }
    }
    /// The buffer, if it is one.
    pub fn buffer(self) -> Option<Buffer> {
        match self {
            Arg::Buffer(buffer) | Arg::Past(buffer, _) => Some(buffer),
            Arg::Slot(_) | Arg::Const(_) => None,
        }
    }
}

impl Place {
    /// The buffer, if it is one.
    pub fn buffer(self) -> Option<Buffer> {
        match self {
            Place::Buffer(buffer) => Some(buffer),
            Place::Slot(_) => None,
        }
    }
}
