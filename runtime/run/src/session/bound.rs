//! Which value each top-level name stands for, so that replaced ones can be forgotten.
//!
//! Only what was replaced is looked at: a program of many names is not looked through after each
//! form.

use rustc_hash::FxHashMap;
use types::tree::Global;

/// The names that forms have bound.
#[derive(Default)]
pub(super) struct Bound {
    /// What each name was bound to last.
    last: FxHashMap<String, Global>,
    /// What names were bound to before, until that is taken.
    replaced: Vec<Global>,
}

impl Bound {
    /// Notes that a name is bound.
    pub(super) fn bind(&mut self, name: &str, global: Global) {
        let before = match self.last.get_mut(name) {
            Some(last) => Some(std::mem::replace(last, global)),
            None => self.last.insert(name.to_owned(), global),
        };
        self.replaced.extend(before.filter(|before| *before != global));
    }

    /// What was replaced since the last time.
    pub(super) fn take_replaced(&mut self) -> Vec<Global> {
        std::mem::take(&mut self.replaced)
    }
}
