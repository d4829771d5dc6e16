//! Filters.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::{Domain, Function, Op, Operand, Space, SpaceInfo, SpaceKind, Value, ValueInfo};
use prim::Ty;

impl Context<'_, '_> {
    /// The lanes of `space` in which `cond` holds, as a space with the same parent; and their
    /// positions in `space`.
    pub(crate) fn filter(&mut self, space: Space, cond: Scalar) -> (Space, Value) {
        let parent = self.parent(space).unwrap_or(Function::root());
        let code = self.code(space, &[cond]);
        let at_root = parent == Function::root();
        let domain = if at_root { Domain::Scalar } else { Domain::Offsets(parent) };
        let shape = self.values.push(ValueInfo { ty: Ty::I64, domain });
        let kind = if at_root {
            SpaceKind::Regular(parent, Operand::Value(shape))
        } else {
            SpaceKind::Packed(parent, shape)
        };
        let kept = self.spaces.push(SpaceInfo { kind, from: None });
        let positions = self.value_over(kept, Ty::I64);
        self.spaces[kept].from = Some((space, positions));
        self.push(vec![positions, shape], Op::Filter { space, code });
        if at_root && let Some(level) = self.lengths.last_mut() {
            level.insert((parent, Scalar::Value(shape, parent)), kept);
        }
        (kept, positions)
    }

    /// Positions of T.
    pub(crate) fn which(&mut self, flags: &Rep) -> Rep {
        let (space, elem) = self.elements(flags);
        let (kept, _) = self.filter(space, elem.scalar());
        Rep::Lanes { space: kept, elem: Box::new(Rep::Scalar(Scalar::Index(space))) }
    }
}
