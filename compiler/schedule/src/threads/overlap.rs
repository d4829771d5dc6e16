//! Elements of a thread whose loads are on their way together.
//!
//! Where what is read tells where to read next, a thread that takes one element after the other
//! waits for each of them as long as for one.  The compiler behind takes several at a time, but not
//! past a branch, nor past what is stored to where might be read.
//!
//! * What a thread reads for its elements of a striped array stands in a branch, as the last tile
//!   has fewer.  So there is none where nothing can be harmed: what is past the end is the last
//!   element once more, and what that gives is not used.
//! * A loop that stores to a buffer which is also read goes in steps of a few elements: first all
//!   of these read, then all of them store.

use super::{assign, int};
use base::IdMap;
use kernel::{Arg, ArgInfo, ArgKind, Block, Operand, Stmt, Tiles, Var, Way};
use prim::{ScalarOp, Ty};
use scalar::{Atom, Op, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a step.
const TOGETHER: u32 = 4;

/// Rewrites such loops of a tile's statements.
pub(super) struct Overlap<'k> {
    pub(super) tiles: &'k Tiles,
    pub(super) tile: [Var; 3],
    pub(super) args: &'k mut IdMap<Arg, ArgInfo>,
    pub(super) vars: &'k mut IdMap<Var, Ty>,
}

/// A loop over the elements of a thread: those before the end do something, the others do less.
struct Elements<'b> {
    index: Var,
    range: [Operand; 2],
    /// What comes before: where the element is, and whether it is one.
    head: &'b [Stmt],
    at: Var,
    live: Var,
    end: Operand,
    then: &'b Block,
    els: &'b Block,
}

impl Overlap<'_> {
    /// The statements of a tile, with loops in which loads overlap.
    pub(super) fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::new();
        for stmt in block {
            let rewritten = match stmt {
                Stmt::For { way: Way::Unroll, .. } => self.striped(stmt, &mut out),
                Stmt::For { way: Way::Stride(_), .. } => self.steps(stmt),
                _ => None,
            };
            out.push(match (rewritten, stmt) {
                (Some(rewritten), _) => rewritten,
                (None, Stmt::If(..)) => stmt.with_blocks(|block| self.block(block)),
                (None, _) => stmt.clone(),
            });
        }
        out
    }

    /// The loop over elements of a striped array without a branch.
    fn striped(&mut self, stmt: &Stmt, out: &mut Block) -> Option<Stmt> {
        let elements = elements(stmt)?;
        let range = self.range_up_to(elements.end)?;
        let together = self.together(&elements)?;
        let Some([from, to]) = range else { return Some(together) };
        let some = self.op(out, ScalarOp::Lt, Ty::Bool, [from, to]);
        Some(Stmt::If(some, vec![together], vec![self.nothing(&elements)]))
    }

    /// A strided loop in steps of a few elements, if it reads what it may store to.
    fn steps(&mut self, stmt: &Stmt) -> Option<Stmt> {
        let Stmt::For { index, from, to, carried, body, way: Way::Stride(stride) } = stmt else {
            return None;
        };
        let reading = body.iter().position(|stmt| !self.is_harmless(stmt)).unwrap_or(body.len());
        let (reads, stores) = body.split_at(reading);
        let mut stored = stores.iter().flat_map(Stmt::stores);
        let both = stored.any(|arg| self.args[arg].kind == ArgKind::InOut);
        if !both || !carried.is_empty() || !has_chain(reads) || stores.iter().any(takes_long) {
            return None;
        }
        let step = self.vars.push(Ty::I64);
        let mut all = Vec::new();
        let last = self.op(&mut all, ScalarOp::Sub, Ty::I64, [*to, int(1)]);

        let mut read = Vec::new();
        let (reader, at) = self.element(&mut read, step, *stride);
        read.push(assign(*index, Op::Scalar(ScalarOp::Min, vec![at, last], Span::none())));
        read.extend(reads.iter().cloned());

        let mut store = Vec::new();
        let (writer, at) = self.element(&mut store, step, *stride);
        let live = self.op(&mut store, ScalarOp::Lt, Ty::Bool, [at, *to]);
        let mut names = BTreeMap::from([(*index, at)]);
        let used: Vec<Operand> = stores.iter().flat_map(Stmt::operands).collect();
        let mut then = Vec::new();
        let results = reads.iter().flat_map(Stmt::results);
        for var in results.filter(|&var| used.contains(&Atom::Var(var))) {
            let ty = self.vars[var];
            let array = self.args.push(ArgInfo { ty, kind: ArgKind::Private(TOGETHER) });
            read.push(Stmt::Store(array, Atom::Var(reader), Atom::Var(var)));
            let again = self.vars.push(ty);
            then.push(assign(again, Op::Read(array, Atom::Var(writer))));
            names.insert(var, Atom::Var(again));
        }
        let operand = |atom| match atom {
            Atom::Var(var) => names.get(&var).copied().unwrap_or(atom),
            _ => atom,
        };
        then.extend(stores.iter().map(|stmt| stmt.copy(&|var| var, &operand)));
        store.push(Stmt::If(live, then, Vec::new()));

        let range = [int(0), int(TOGETHER)];
        all.extend([unrolled(reader, range, read), unrolled(writer, range, store)]);
        let way = Way::Stride(stride * TOGETHER);
        let (from, to) = (*from, *to);
        Some(Stmt::For { index: step, from, to, carried: Vec::new(), body: all, way })
    }

    /// The number of an element of a step, and where it is.
    fn element(&mut self, out: &mut Block, step: Var, stride: u32) -> (Var, Operand) {
        let item = self.vars.push(Ty::I64);
        let beyond = self.op(out, ScalarOp::Mul, Ty::I64, [Atom::Var(item), int(stride)]);
        (item, self.op(out, ScalarOp::Add, Ty::I64, [Atom::Var(step), beyond]))
    }

    /// Of loops up to `end`: a range that has a last element wherever the loop has one, unless all
    /// such loops have.  None if that is not known.
    fn range_up_to(&self, end: Operand) -> Option<Option<[Operand; 2]>> {
        let [_, first, last] = self.tile.map(Atom::Var);
        match self.tiles {
            Tiles::Even { .. } if end == last => Some(None),
            Tiles::Cut { .. } if end == last => Some(Some([first, last])),
            Tiles::Cut { own: [_, from, to], .. } if end == Atom::Var(*to) => {
                Some(Some([Atom::Var(*from), end]))
            }
            _ => None,
        }
    }

    /// The loop without a branch, if it may do without and gains from that.
    fn together(&mut self, elements: &Elements<'_>) -> Option<Stmt> {
        let Elements { index, at, live, end, then, els, .. } = *elements;
        let mut none = BTreeMap::new();
        for stmt in els {
            match stmt {
                Stmt::Store(array, Atom::Var(item), value @ Atom::Const(_)) if *item == index => {
                    none.insert(*array, *value);
                }
                _ => return None,
            }
        }
        if !then.iter().all(|stmt| self.is_harmless(stmt))
            || !has_chain(then)
            || uses_more(elements)
        {
            return None;
        }
        let mut body = elements.head.to_vec();
        let last = self.op(&mut body, ScalarOp::Sub, Ty::I64, [end, int(1)]);
        let nearest = self.op(&mut body, ScalarOp::Min, Ty::I64, [Atom::Var(at), last]);
        let operand = |atom| if atom == Atom::Var(at) { nearest } else { atom };
        for stmt in then {
            let mut stmt = stmt.copy(&|var| var, &operand);
            if let Stmt::Store(array, _, value) = &mut stmt
                && let Some(&none) = none.get(array)
            {
                let ty = self.args[*array].ty;
                let (choice, all) = (ScalarOp::Select, vec![Atom::Var(live), *value, none]);
                *value = self.let_op(&mut body, choice, ty, all);
            }
            body.push(stmt);
        }
        Some(unrolled(index, elements.range, body))
    }

    /// The loop of a tile without any elements.
    fn nothing(&mut self, elements: &Elements<'_>) -> Stmt {
        let index = self.vars.push(Ty::I64);
        let name = |var| if var == elements.index { index } else { var };
        let body = elements.els.iter().map(|stmt| stmt.rename(&name)).collect();
        unrolled(index, elements.range, body)
    }

    /// Whether a statement can as well be done twice: it computes, reads, checks, or stores in the
    /// thread's own arrays.  These have nothing to be read for what is past the end.
    fn is_harmless(&self, stmt: &Stmt) -> bool {
        let own = |array: &Arg| matches!(self.args[*array].kind, ArgKind::Private(_));
        match stmt {
            Stmt::Scalar(scalar::Stmt::Let(..) | scalar::Stmt::Require { .. }) => {
                !stmt.reads().iter().any(own)
            }
            Stmt::Positions(_) => true,
            Stmt::Store(array, ..) => own(array),
            _ => false,
        }
    }

    fn op(&mut self, out: &mut Block, op: ScalarOp, ty: Ty, args: [Operand; 2]) -> Operand {
        self.let_op(out, op, ty, args.to_vec())
    }
    fn let_op(&mut self, out: &mut Block, op: ScalarOp, ty: Ty, args: Vec<Operand>) -> Operand {
        let result = self.vars.push(ty);
        out.push(assign(result, Op::Scalar(op, args, Span::none())));
        Atom::Var(result)
    }
}

/// The loop that a statement is.
fn elements(stmt: &Stmt) -> Option<Elements<'_>> {
    let Stmt::For { index, from, to, body, way: Way::Unroll, .. } = stmt else { return None };
    let [head @ .., Stmt::If(Atom::Var(live), then, els)] = body.as_slice() else { return None };
    let compared = head.iter().find_map(|stmt| match stmt {
        Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Lt, args, _))) if var == live => {
            Some((args[0], args[1]))
        }
        _ => None,
    });
    let (Atom::Var(at), end) = compared? else { return None };
    let (index, range, live) = (*index, [*from, *to], *live);
    Some(Elements { index, range, head, at, live, end, then, els })
}

/// Whether something is read where something else says that was read.
fn has_chain(block: &[Stmt]) -> bool {
    let mut read: BTreeSet<Var> = BTreeSet::new();
    for stmt in block {
        let uses = |atom: &Operand| matches!(atom, Atom::Var(v) if read.contains(v));
        if stmt.operands().iter().any(uses) {
            if !stmt.reads().is_empty() {
                return true;
            }
            read.extend(stmt.results());
        } else if !stmt.reads().is_empty() {
            read.extend(stmt.results());
        }
    }
    false
}

/// Whether what elements do depends on where they are in another way than by `at`.
fn uses_more(elements: &Elements<'_>) -> bool {
    let before = elements.head.iter().flat_map(Stmt::results);
    let others: BTreeSet<Var> = before.filter(|&var| var != elements.at).collect();
    let other = |atom: &Operand| matches!(atom, Atom::Var(v) if others.contains(v));
    elements.then.iter().any(|stmt| stmt.operands().iter().any(other))
}

/// Whether a statement has a loop in it.
fn takes_long(stmt: &Stmt) -> bool {
    let mut found = matches!(stmt, Stmt::For { .. } | Stmt::Owner { .. });
    stmt.each_scalar(&mut |stmt| {
        found |= matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
    });
    found || stmt.blocks().into_iter().flatten().any(takes_long)
}

fn unrolled(index: Var, [from, to]: [Operand; 2], body: Block) -> Stmt {
    Stmt::For { index, from, to, carried: Vec::new(), body, way: Way::Unroll }
}
