//! Apply-to-each.

use crate::block::{Env, get};
use crate::context::Context;
use crate::rep::{Rep, Scalar};
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
        let lengths: Vec<Scalar> = sources.iter().map(|s| self.length(s)).collect();
        let (len, mut least) = (lengths[0], lengths[0]);
        for &theirs in &lengths[1..] {
            if theirs != len {
                let same = self.compute(ScalarOp::Eq, &[len, theirs]);
                self.require(Site::Length, same, [len, theirs]);
                least = self.compute(ScalarOp::Min, &[least, theirs]);
            }
        }
        // Lanes of a source serve if no source is shorter.
        let mut candidates = sources.iter().zip(&lengths).filter(|(_, length)| **length == least);
        match candidates.find_map(|(source, _)| own(self, source)) {
            Some(space) => space,
            None => self.new_space(least),
        }
    }
}
