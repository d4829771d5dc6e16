//! Questions about steps: what they set, which buffers they use.

use crate::ir::{Arg, Buffer, Place, Step};
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
            | Step::Zero { buffer, .. } => vec![Place::Buffer(*buffer)],
            Step::Eval { results, .. } => results.iter().map(|&s| Place::Slot(s)).collect(),
            Step::If { results, .. } | Step::Call { results, .. } => results.clone(),
            Step::Launch { .. } | Step::Fail { .. } | Step::Free(_) => Vec::new(),
        }
    }

    /// The buffers that the step uses, in nested blocks, too.
    pub fn buffers(&self) -> BTreeSet<Buffer> {
        let mut buffers = BTreeSet::new();
        self.add_buffers(&mut buffers);
        buffers
    }

    fn add_buffers(&self, out: &mut BTreeSet<Buffer>) {
        match self {
            Step::Alias(_, from) | Step::Copy { from, .. } => {
                out.insert(*from);
            }
            Step::Eval { code, .. } => {
                out.extend(code.refs().vectors.iter().filter_map(|p| p.buffer()));
            }
            Step::Launch { args, .. } | Step::Call { args, .. } => {
                out.extend(args.iter().filter_map(|a| a.buffer()));
            }
            Step::If { then, els, .. } => {
                for arm in [then, els] {
                    arm.steps.iter().for_each(|s| s.add_buffers(out));
                    out.extend(arm.yields.iter().filter_map(|a| a.buffer()));
                }
            }
            Step::Fail { chars, .. } => {
                out.insert(*chars);
            }
            Step::Alloc { over, .. } => out.extend(over.map(|over| over.buffer)),
            Step::Room { .. } | Step::Literal(..) | Step::Zero { .. } | Step::Free(_) => {}
        }
    }
}

impl Arg {
    /// The buffer, if it is one.
    pub fn buffer(self) -> Option<Buffer> {
        match self {
            Arg::Buffer(buffer) => Some(buffer),
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
