//! Patterns: each name gets the part of the value that it stands for.

use crate::mono::Lower;
use crate::scope::{Abs, Frame};
use types::tree::{Pattern, PatternKind};

impl<'a> Lower<'a> {
    /// Binds the names of a pattern.
    pub(crate) fn bind(&mut self, frame: &mut Frame<'a>, pattern: &'a Pattern, abs: Abs<'a>) {
        match &pattern.kind {
            PatternKind::Local(local) => {
                frame.vars.insert(*local, abs);
            }
            PatternKind::Wildcard => {}
            PatternKind::Pair(a, b) => {
                if binds(a) {
                    let first = self.first(&abs);
                    self.bind(frame, a, first);
                }
                if binds(b) {
                    let second = self.second(&abs);
                    self.bind(frame, b, second);
                }
            }
            PatternKind::Construct(_, fields) => self.bind(frame, fields, abs),
        }
    }
}

/// Whether a pattern binds any name.
fn binds(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Local(_) => true,
        PatternKind::Wildcard => false,
        PatternKind::Pair(a, b) => binds(a) || binds(b),
        PatternKind::Construct(_, fields) => binds(fields),
    }
}
