//! What is known of segments by their row.
//!
//! ```text
//! v2 = offsets [s1] \x0 x1 { f x0 }             s2 = [s1 > offsets v2]
//! v3 = map [s2] \x0 x1 x2 { g x0 x1 x2 }
//!
//! sub (read v2 (add r 1)) (read v2 r)     ==>   max (f r) 0
//! read v3 (add (read v2 r) i)             ==>   g r (add (read v2 r) i) i
//! ```
//!
//! The index is one of the row: flattening adds to the start of a segment nothing else.

use super::{Pullable, Readers};
use crate::Code;
use crate::ir::{Domain, Function, SpaceKind, Value};
use base::Span;
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Instead, Item, Op, Stmt, Var};

/// Pulls lengths, and elements by row and index, into code; none if there is nothing to pull.
pub(super) fn pull(
    function: &Function,
    readers: &Readers,
    code: &Code,
    known: &FxHashMap<Value, Pullable>,
) -> Option<Code> {
    let looks = code.refs().vectors.iter().any(|&v| looks_at_segments(function, v, known));
    if !looks {
        return None;
    }
    let mut found = Found {
        function,
        readers,
        known,
        made: FxHashMap::default(),
        instead: FxHashMap::default(),
    };
    code.body.walk(&mut |item| {
        if let Item::Stmt(Stmt::Let(var, op)) = item {
            found.operation(*var, op);
        }
    });
    let instead = found.instead;
    (!instead.is_empty())
        .then(|| code.replace_results(|var| instead.get(&var).cloned()).remove_dead_code())
}

/// Whether a vector is offsets of known lengths, or has elements in segments.
fn looks_at_segments(
    function: &Function,
    vector: Value,
    known: &FxHashMap<Value, Pullable>,
) -> bool {
    known.contains_key(&vector)
        && match function.values[vector].domain {
            Domain::Offsets(_) => true,
            Domain::Lanes(space) => matches!(function.spaces[space].kind, SpaceKind::Packed(..)),
            Domain::Scalar | Domain::Pool => false,
        }
}

struct Found<'a> {
    function: &'a Function,
    readers: &'a Readers,
    known: &'a FxHashMap<Value, Pullable>,
    /// How the variables so far came to be.
    made: FxHashMap<Var, Op<Value>>,
    instead: FxHashMap<Var, Instead<Value>>,
}

impl Found<'_> {
    fn operation(&mut self, var: Var, op: &Op<Value>) {
        let instead = match op {
            Op::Scalar(ScalarOp::Sub, args, _) => self.length(args[0], args[1]),
            Op::Read(vector, index) => self.element(*vector, *index),
            Op::Scalar(..) => None,
        };
        self.instead.extend(instead.map(|instead| (var, instead)));
        self.made.insert(var, op.clone());
    }

    fn op(&self, atom: Atom<Value>) -> Option<&Op<Value>> {
        let Atom::Var(var) = atom else { return None };
        self.made.get(&var)
    }

    /// The operands of an atom that is a sum.
    fn sum(&self, atom: Atom<Value>) -> Option<[Atom<Value>; 2]> {
        match self.op(atom)? {
            Op::Scalar(ScalarOp::Add, args, _) => Some([args[0], args[1]]),
            _ => None,
        }
    }

    /// The length of a segment, if it is the difference of its ends.
    fn length(&self, end: Atom<Value>, start: Atom<Value>) -> Option<Instead<Value>> {
        let (Op::Read(one, next), Op::Read(other, row)) = (self.op(end)?, self.op(start)?) else {
            return None;
        };
        let offsets = matches!(self.function.values[*one].domain, Domain::Offsets(_));
        if one != other || !offsets {
            return None;
        }
        let follows = match self.sum(*next) {
            Some([a, b]) => a == *row && b == Atom::Const(Const::I64(1)),
            None => *row == Atom::Const(Const::I64(0)) && *next == Atom::Const(Const::I64(1)),
        };
        let lengths = self.known.get(one).filter(|known| follows && known.own_position_only)?;
        // Offsets that are there in any case are two reads.
        if !self.readers.are_pulled(*one, self.known) {
            return None;
        }
        // A negative length counts as 0.
        let mut builder = Builder::new();
        let own = Atom::Var(builder.param(Ty::I64));
        let length = builder.inline(&lengths.code, &own_position(lengths.depth, own))[0];
        let zero = Atom::Const(Const::I64(0));
        let length = builder.scalar(ScalarOp::Max, &[length, zero], Span::none());
        Some(Instead::Code(builder.finish(vec![length]), vec![*row]))
    }

    /// The element of a segment, if it is read at the segment's start and an index.
    fn element(&self, vector: Value, at: Atom<Value>) -> Option<Instead<Value>> {
        let Domain::Lanes(space) = self.function.values[vector].domain else { return None };
        let SpaceKind::Packed(_, offsets) = self.function.spaces[space].kind else { return None };
        // The row's own ancestors are not known.
        let pullable = self.known.get(&vector).filter(|known| known.depth == 2)?;
        let [a, b] = self.sum(at)?;
        let row = |start: Atom<Value>| match self.op(start)? {
            Op::Read(vector, row) if *vector == offsets => Some(*row),
            _ => None,
        };
        let (row, index) = match (row(a), row(b)) {
            (Some(row), _) => (row, b),
            (None, Some(row)) => (row, a),
            (None, None) => return None,
        };
        Some(Instead::Code(pullable.code.clone(), vec![row, at, index]))
    }
}

/// Arguments of code that needs no position but its own.
pub(super) fn own_position(depth: usize, own: Atom<Value>) -> Vec<Atom<Value>> {
    let mut args = vec![Atom::Const(Const::I64(0)); depth + 1];
    args[depth - 1] = own;
    if depth == 1 {
        args[1] = own;
    }
    args
}
