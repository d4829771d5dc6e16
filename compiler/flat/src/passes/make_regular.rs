//! Packed spaces whose segments all have one length, known to the host, become regular.
//!
//! ```text
//! v2: vec i64 offsets s1 = offsets [s1] \x0 x1 { yield v1 }
//! s2 = [s1 > offsets v2]
//!   becomes
//! s2 = [s1 > v1]
//! ```
//!
//! The offsets stay as long as somebody reads them.  What stays as it is: segments that are sorted,
//! as sorting wants their offsets; those whose length is not known to be a size; and filtered
//! spaces, as so many as a filter keeps are never known to be all.

use crate::ir::{Block, Function, Op, Operand, Space, SpaceKind, Value};
use crate::shapes::Shapes;
use crate::shapes::calls::Summary;
use crate::shapes::terms::Term;
use prim::Const;
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes packed spaces of a function regular where that is possible.
pub fn make_regular(function: &mut Function) {
    make_regular_after(function, None);
}

/// The same where it is known what calls give.
pub(super) fn make_regular_after(function: &mut Function, calls: Option<&[Summary]>) {
    let packed = |info: &crate::SpaceInfo| matches!(info.kind, SpaceKind::Packed(..));
    if !function.spaces.values().any(packed) {
        return;
    }
    let shapes = Shapes::with(function, calls);
    let (mut lengths, mut sorted) = (FxHashMap::default(), FxHashSet::default());
    in_block(&shapes, &function.body, &mut lengths, &mut sorted);
    let regular: Vec<(Space, SpaceKind)> = function
        .spaces
        .iter()
        .filter_map(|(space, info)| match info.kind {
            SpaceKind::Packed(parent, offsets)
                if info.from.is_none() && !sorted.contains(&space) =>
            {
                Some((space, SpaceKind::Regular(parent, *lengths.get(&offsets)?)))
            }
            SpaceKind::Root | SpaceKind::Regular(..) | SpaceKind::Packed(..) => None,
        })
        .collect();
    for (space, kind) in regular {
        function.spaces[space].kind = kind;
    }
}

/// Offsets whose segments have one length, and that length; and the spaces that are sorted.
fn in_block(
    shapes: &Shapes<'_>,
    block: &Block,
    lengths: &mut FxHashMap<Value, Operand>,
    sorted: &mut FxHashSet<Space>,
) {
    for stmt in &block.stmts {
        match &stmt.op {
            Op::If(_, then, els) => {
                in_block(shapes, then, lengths, sorted);
                in_block(shapes, els, lengths, sorted);
            }
            Op::Sort { space, .. } => {
                sorted.insert(*space);
            }
            Op::Offsets { code, .. } => {
                let Some(known) = shapes.segment_length(stmt) else { continue };
                let Term::Int(sum) = &known else { continue };
                let length = match sum.as_constant() {
                    Some(n) => Some(Operand::Const(Const::I64(n))),
                    // A scalar that the code itself uses is defined where the space is.
                    None => {
                        let is_length = |v: &&Value| shapes.scalar(**v) == Some(&known);
                        code.refs().outers.iter().find(is_length).map(|&v| Operand::Value(v))
                    }
                };
                if let Some(length) = length {
                    lengths.insert(stmt.results[0], length);
                }
            }
            _ => {}
        }
    }
}
