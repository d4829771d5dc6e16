//! Rows of one element each are lanes.
//!
//! ```text
//! s2 = [s1 > 1]
//! v3: vec i64 [s2] = map [s2] \x0 x1 x2 { x3 = read v2 x0; x4 = add x3 x2; yield x4 }
//!   becomes
//! v3: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; x3 = add x2 0; yield x3 }
//! ```
//!
//! `[x]` in every lane is such a row.  What is in it can then run with what makes the lanes.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Operand, Space, SpaceInfo, SpaceKind};
use prim::Const;
use scalar::{Atom, Builder, Var};

/// Rewrites the maps over rows of one element.
pub fn single_elements(function: &mut Function) {
    let single: Vec<(Space, Space)> = function
        .spaces
        .iter()
        .filter_map(|(space, info)| match info.kind {
            SpaceKind::Regular(parent, Operand::Const(Const::I64(1)))
                if parent != Function::root() && info.from.is_none() =>
            {
                Some((space, parent))
            }
            _ => None,
        })
        .collect();
    for (space, parent) in single {
        let mut uses = Uses { space, only_maps: true, seen: false };
        uses.block(&function.body);
        let inside = |info: &SpaceInfo| {
            let parent = match info.kind {
                SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => parent == space,
                SpaceKind::Root => false,
            };
            parent || info.from.is_some_and(|(source, _)| source == space)
        };
        if !uses.only_maps || !uses.seen || function.spaces.values().any(inside) {
            continue;
        }
        let mut body = std::mem::take(&mut function.body);
        in_block(&mut body, space, parent);
        function.body = body;
        for (_, info) in function.values.iter_mut() {
            if info.domain == Domain::Lanes(space) {
                info.domain = Domain::Lanes(parent);
            }
        }
    }
}

/// What a function does over a space.
struct Uses {
    space: Space,
    only_maps: bool,
    seen: bool,
}

impl Uses {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let over = stmt.op.space() == Some(self.space);
            self.seen |= over;
            match &stmt.op {
                Op::If(_, then, els) => {
                    self.block(then);
                    self.block(els);
                }
                Op::Scatter { target, .. } => self.only_maps &= !over && *target != self.space,
                Op::Map { .. } => {}
                _ => self.only_maps &= !over,
            }
        }
    }
}

fn in_block(block: &mut Block, space: Space, parent: Space) {
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            Op::If(_, then, els) => {
                in_block(then, space, parent);
                in_block(els, space, parent);
            }
            Op::Map { space: own, code } if *own == space => {
                *code = of_parent(code);
                *own = parent;
            }
            _ => {}
        }
    }
}

/// The code of a row's only element as the code of its lane.
fn of_parent(code: &Code) -> Code {
    let mut builder = Builder::new();
    let count = code.params.len() - 1;
    let params: Vec<Var> =
        code.params[..count].iter().map(|&p| builder.param(code.vars[p])).collect();
    // Positions of the lane and those around it, and its index; then position and index of the
    // element.
    let mut args: Vec<Atom<crate::Value>> =
        params[..count - 1].iter().map(|&p| Atom::Var(p)).collect();
    args.extend([args[count - 2], Atom::Const(Const::I64(0))]);
    let yields = builder.inline(code, &args);
    builder.finish(yields)
}
