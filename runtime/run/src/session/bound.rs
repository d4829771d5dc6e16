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

#[cfg(test)]
mod tests {
    use super::Global;
    use crate::session::{EngineKind, Options, Session};

    /// Runs forms; gives what the name stands for then.
    fn after(session: &mut Session, forms: &str, name: &str) -> Global {
        let _ = session.run("test", forms.as_bytes(), &mut |_, _| {});
        session.checker.lookup(name).unwrap()
    }

    #[test]
    fn replaced_values_are_forgotten_and_others_are_not() {
        for engine in [EngineKind::Interp, EngineKind::Cpu] {
            let mut session = Session::new(&Options::new(engine), Box::new(std::io::sink()));
            let session = session.as_mut().unwrap();
            let first = after(session, "v = 1;", "v");
            assert_eq!(after(session, "v = 1 / 0;", "v"), first, "what fails replaces nothing");
            assert!(session.engine.holds(first));
            let second = after(session, "v = 2; 5;", "v");
            assert!(!session.engine.holds(first) && session.engine.holds(second));
            let it = after(session, "", "it");
            let function = after(session, "6; function v(x) = x;", "v");
            assert!(!session.engine.holds(it) && !session.engine.holds(second));
            let third = after(session, "v = 3; 7; v = 4; v = 5;", "v");
            assert!(third != function && session.engine.holds(third));
            let used = after(session, "function g(x) = x + v;", "v");
            let fourth = after(session, "v = 6;", "v");
            assert!(session.engine.holds(used) && session.engine.holds(fourth));
        }
    }
}
