//! Elements of a sequence as lanes.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::Space;

impl Context<'_, '_> {
    /// A child space of the current one with a lane for each element, and the element as these
    /// lanes see it.  No element is copied.
    pub(crate) fn elements(&mut self, seq: &Rep) -> (Space, Rep) {
        match seq {
            Rep::Lanes { space, elem } if self.parent(*space) == Some(self.space) => {
                (*space, (**elem).clone())
            }
            _ => {
                let len = self.length(seq);
                let space = self.new_space(len);
                let elem = self.elements_in(seq, space);
                (space, elem)
            }
        }
    }

    /// The elements of a sequence as the lanes of `space` see them, a child of the current space
    /// whose segments are not longer than the sequence.
    pub(crate) fn elements_in(&mut self, seq: &Rep, space: Space) -> Rep {
        if let Rep::Lanes { space: own, elem } = seq
            && *own == space
        {
            return (**elem).clone();
        }
        let (start, _, pool) = self.as_view(seq);
        self.within(space, |cx| {
            let at = cx.add(start, Scalar::Index(space));
            cx.pool_at(at, &pool)
        })
    }
}
