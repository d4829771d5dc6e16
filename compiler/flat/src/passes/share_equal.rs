//! Of two statements that give equal results one is enough.
//!
//! ```text
//! v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
//! s2 = [s1 > offsets v3]
//! v5: vec i64 [s1] = map [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
//! v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v5 x0; yield x2 }
//! s3 = [s1 > offsets v4]
//! v6 = map [s3] ...
//!   becomes
//! v3: vec i64 offsets s1 = offsets [s1] \x0 x1 { x2 = read v2 x0; yield x2 }
//! s2 = [s1 > offsets v3]
//! v6 = map [s2] ...
//! ```
//!
//! Shared are offsets, filters, reductions, scans and sorts over one space, and scalars of the host
//! that cannot fail, where the first is in sight: spaces that were two are then one, and what works
//! over them can run together.  Maps over lanes are not, as readers compute them again on purpose.

use crate::ir::{Block, Domain, Function, Op, Operand, ScatterKind, Space, SpaceKind, Value};
use crate::shapes::Shapes;
use crate::shapes::calls::Summary;
use rustc_hash::FxHashMap;

/// Shares equal statements of a function.
pub fn share_equal_statements(function: &mut Function) {
    share_equal_after(function, None);
}

/// The same where it is known what calls give.
pub(super) fn share_equal_after(function: &mut Function, calls: Option<&[Summary]>) {
    if !could_share(&function.body) {
        return;
    }
    let shared = Shapes::with(function, calls).shared;
    if shared.is_empty() {
        return;
    }
    let mut names = Names::default();
    let mut body = std::mem::take(&mut function.body);
    names.drop_shared(&mut body, &shared);
    names.spaces(function);
    names.block(&mut body);
    for (_, info) in function.values.iter_mut() {
        info.domain = match info.domain {
            Domain::Lanes(space) => Domain::Lanes(names.space(space)),
            Domain::Offsets(space) => Domain::Offsets(names.space(space)),
            Domain::Scalar | Domain::Pool => info.domain,
        };
    }
    function.body = body;
}

/// Whether there are two statements of a kind that is shared.
fn could_share(block: &Block) -> bool {
    fn count(block: &Block, found: &mut usize) {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::If(_, then, els) => {
                    count(then, found);
                    count(els, found);
                }
                Op::Map { space, .. } if *space != Function::root() => {}
                Op::Map { .. }
                | Op::Offsets { .. }
                | Op::Filter { .. }
                | Op::Reduce { .. }
                | Op::Scan { .. }
                | Op::Sort { .. } => *found += 1,
                Op::Scatter { .. }
                | Op::Fail { .. }
                | Op::Literal(..)
                | Op::Join(_)
                | Op::Behind { .. }
                | Op::Grow { .. }
                | Op::Call(..) => {}
            }
        }
    }
    let mut found = 0;
    count(block, &mut found);
    found > 1
}

/// What stands for values and spaces.
#[derive(Default)]
struct Names {
    values: FxHashMap<Value, Value>,
    spaces: FxHashMap<Space, Space>,
}

impl Names {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn space(&self, space: Space) -> Space {
        self.spaces.get(&space).copied().unwrap_or(space)
    }

    fn operand(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(value) => Operand::Value(self.value(value)),
            Operand::Const(_) => operand,
        }
    }

    /// Drops the statements that give nothing new.
    fn drop_shared(&mut self, block: &mut Block, shared: &FxHashMap<Value, Vec<Value>>) {
        block.stmts.retain_mut(|stmt| {
            if let Op::If(_, then, els) = &mut stmt.op {
                self.drop_shared(then, shared);
                self.drop_shared(els, shared);
                return true;
            }
            let first = stmt.results.first().and_then(|result| shared.get(result));
            if let Some(first) = first {
                let pairs = stmt.results.iter().copied().zip(first.iter().copied());
                self.values.extend(pairs);
            }
            first.is_none()
        });
    }

    /// Spaces of one parent with one shape that was two, and with what was taken from it.
    fn spaces(&mut self, function: &mut Function) {
        let mut known = FxHashMap::default();
        let ids: Vec<Space> = function.spaces.ids().collect();
        for space in ids {
            let info = &mut function.spaces[space];
            let before = *info;
            info.kind = match info.kind {
                SpaceKind::Root => SpaceKind::Root,
                SpaceKind::Regular(parent, len) => {
                    SpaceKind::Regular(self.space(parent), self.operand(len))
                }
                SpaceKind::Packed(parent, offsets) => {
                    SpaceKind::Packed(self.space(parent), self.value(offsets))
                }
            };
            info.from = info.from.map(|(source, kept)| (self.space(source), self.value(kept)));
            let (shape, parent) = match info.kind {
                SpaceKind::Root => continue,
                SpaceKind::Regular(parent, Operand::Const(_)) => (None, parent),
                SpaceKind::Regular(parent, Operand::Value(v)) | SpaceKind::Packed(parent, v) => {
                    (Some(v), parent)
                }
            };
            // Only those over what was shared: others are two for reasons of their own.
            let shared = *info != before || self.values.values().any(|&v| Some(v) == shape);
            if !shared || shape.is_none() {
                continue;
            }
            let first = *known.entry((parent, shape, info.from)).or_insert(space);
            if first != space {
                self.spaces.insert(space, first);
                // Nothing is over it any more, its own positions neither.
                info.from = None;
            }
        }
    }

    fn block(&self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let Some(code) = stmt.op.code_mut() {
                *code = code.map_refs(|v| self.value(v));
            }
            match &mut stmt.op {
                Op::Map { space, .. }
                | Op::Reduce { space, .. }
                | Op::Scan { space, .. }
                | Op::Filter { space, .. }
                | Op::Offsets { space, .. }
                | Op::Sort { space, .. } => *space = self.space(*space),
                Op::Scatter { space, kind, target, .. } => {
                    *space = self.space(*space);
                    *target = self.space(*target);
                    if let ScatterKind::Write(base) | ScatterKind::Into(base) = kind {
                        base.iter_mut().for_each(|v| *v = self.value(*v));
                    }
                }
                Op::Fail { space, pool, .. } => {
                    *space = self.space(*space);
                    *pool = self.value(*pool);
                }
                Op::Literal(..) => {}
                Op::Join(parts) => {
                    parts.iter_mut().flatten().for_each(|v| *v = self.value(*v));
                }
                Op::Behind { from, used, more } => {
                    from.iter_mut().for_each(|v| *v = self.value(*v));
                    [used, more].into_iter().for_each(|o| *o = self.operand(*o));
                }
                Op::Grow { from, used, begin, len } => {
                    from.iter_mut().for_each(|v| *v = self.value(*v));
                    [used, begin, len].into_iter().for_each(|o| *o = self.operand(*o));
                }
                Op::Call(_, args) => args.iter_mut().for_each(|a| *a = self.operand(*a)),
                Op::If(cond, then, els) => {
                    *cond = self.operand(*cond);
                    self.block(then);
                    self.block(els);
                }
            }
        }
        block.yields.iter_mut().for_each(|y| *y = self.operand(*y));
    }
}
