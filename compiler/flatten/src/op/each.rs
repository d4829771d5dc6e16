//! Apply-to-each.

use crate::block::{Env, get};
use crate::context::Context;
use crate::rep::Rep;
use base::Site;
use flat::Space;
use nest::Each;
use prim::ScalarOp;

impl<'a> Context<'_, 'a> {
    pub(crate) fn each(&mut self, each: &'a Each, env: &mut Env) -> Rep {
        let sources: Vec<Rep> = each.generators.iter().map(|g| get(env, g.1)).collect();
        let space = self.zipped(&sources);
        for ((bound, _), source) in each.generators.iter().zip(&sources) {
            let elem = self.elements_in(source, space);
            env.insert(*bound, elem);
        }
        let mut lanes = space;
        if let Some(test) = &each.test {
            let cond = self.within(space, |cx| cx.nest_block(test, env)).scalar();
            lanes = self.filter(space, cond).0;
        }
        let elem = self.within(lanes, |cx| cx.nest_block(&each.body, env));
        Rep::Lanes { space: lanes, elem: Box::new(elem) }
    }

    /// The lanes of generators that advance together; their lengths are checked.
    pub(crate) fn zipped(&mut self, sources: &[Rep]) -> Space {
        let own = |cx: &Self, rep: &Rep| match rep {
            Rep::Lanes { space, .. } if cx.parent(*space) == Some(cx.space) => Some(*space),
            _ => None,
        };
        let first = sources.iter().find_map(|s| own(self, s));
        let Some((head, others)) = sources.split_first() else { unreachable!("no generators") };
        if others.is_empty() || sources.iter().all(|s| first.is_some() && own(self, s) == first) {
            return first.unwrap_or_else(|| {
                let len = self.length(head);
                self.new_space(len)
            });
        }
        let len = self.length(head);
        let mut least = len;
        for other in others {
            let theirs = self.length(other);
            if theirs != len {
                let same = self.compute(ScalarOp::Eq, &[len, theirs]);
                self.require(Site::Length, same, [len, theirs]);
                least = self.compute(ScalarOp::Min, &[least, theirs]);
            }
        }
        match first {
            Some(space) if least == len => space,
            _ => self.new_space(least),
        }
    }
}
