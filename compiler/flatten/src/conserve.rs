//! Recursive functions whose result has as many elements as one of their arguments.
//!
//! ```text
//! sorted = {quicksort(v) : v in [less, greater]}      #less + #equal + #greater = #a
//! sorted[0] ++ equal ++ sorted[1]                     so #quicksort(a) = #a, by induction
//! ```
//!
//! The place of each part of such a result is known before the part is made.  So a call need not
//! give its result to a caller that copies it: it writes it where it belongs
//! ([`crate::op::place`]).
//!
//! A length is a sum of symbols, the lengths of sequences of which nothing else is known.  Filters
//! of one sequence that compare its elements with the same value have as many elements together as
//! the sequence, if each outcome of a comparison belongs to one of them; floats have a fourth
//! outcome, `nan`, and are left alone.

use crate::analysis::block_operands;
use base::Id;
use nest::{Block, Each, Func, Function, Op, Program, Stmt, Type, Value};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// For each function the parameter that its result is as long as.
pub(crate) struct Conserving(Vec<Option<usize>>);

/// What a block ends with: its result is these pieces, one after the other.
#[derive(Debug)]
pub(crate) struct Tail {
    pub(crate) pieces: Vec<Piece>,
    /// What only says how pieces are put together, or makes them where they belong.
    pub(crate) deferred: BTreeSet<Value>,
}

/// A part of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// A sequence that is made first.
    Value(Value),
    /// The result of an `if`; it is the only piece.
    If(Value),
    /// The result of a call.
    Call(Value),
    /// The result of one of the calls of an apply-to-each over a list.
    Row(Value, usize),
    /// The results of all calls of an apply-to-each.
    Rows(Value),
}

impl Conserving {
    /// Finds them among the recursive functions.  What has a place is copied there, which
    /// some may not be (`crate::lent`).
    pub(crate) fn new(program: &Program, recursive: &[bool], may: &[bool]) -> Conserving {
        let mut found = Conserving(vec![None; program.funcs.len()]);
        for (func, function) in program.funcs.iter() {
            let flat = |ty: &Type| matches!(ty, Type::Seq(element) if element.is_flat());
            let may = recursive[func.index()] && may[func.index()];
            if !may || !function.result_type().is_some_and(flat) {
                continue;
            }
            let sequences = (0..function.params.len())
                .filter(|&n| matches!(function.ty(function.params[n]), Some(Type::Seq(_))));
            for n in sequences {
                found.0[func.index()] = Some(n);
                let lengths = Lengths::new(function, &found);
                let conserves = lengths.is_as_long(function.body.result, function.params[n]);
                if conserves && found.has_calls(function, &function.body, func) {
                    break;
                }
                found.0[func.index()] = None;
            }
        }
        found
    }

    /// The parameter whose length the result of a function has.
    pub(crate) fn parameter(&self, func: Func) -> Option<usize> {
        self.0[func.index()]
    }

    /// Whether a block of `func` ends with putting a result of `func` itself together with others.
    fn has_calls(&self, function: &Function, block: &Block, func: Func) -> bool {
        let lengths = Lengths::new(function, self);
        let calls = |value: Value| lengths.rows(value).is_some_and(|rows| rows.func == func);
        let tail = self.tail(function, block);
        tail.pieces.iter().any(|&piece| match piece {
            Piece::Value(_) => false,
            Piece::If(value) => match lengths.op(value) {
                Some(Op::If(_, a, b)) => {
                    [a, b].into_iter().any(|arm| self.has_calls(function, arm, func))
                }
                _ => false,
            },
            // A call that is the whole result hands it up as it is.
            Piece::Call(value) => {
                let own = matches!(lengths.op(value), Some(Op::Call(f, _)) if *f == func);
                own && tail.pieces.len() > 1
            }
            Piece::Row(each, _) | Piece::Rows(each) => calls(each),
        })
    }

    /// What a block ends with.
    pub(crate) fn tail(&self, function: &Function, block: &Block) -> Tail {
        let lengths = Lengths::new(function, self);
        let whole = || Tail { pieces: vec![Piece::Value(block.result)], deferred: BTreeSet::new() };
        let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
        for value in block_operands(block) {
            *uses.entry(value).or_default() += 1;
        }
        let mut finder = Finder {
            lengths: &lengths,
            own: block.stmts.iter().map(|stmt| stmt.value).collect(),
            uses,
            tail: Tail { pieces: Vec::new(), deferred: BTreeSet::new() },
        };
        finder.find(block.result);
        let mut tail = finder.tail;
        // All rows of a list of calls must be pieces, each once.
        let all = |each: Value| {
            let rows: BTreeSet<usize> = tail
                .pieces
                .iter()
                .filter_map(
                    |&p| if let Piece::Row(e, n) = p { (e == each).then_some(n) } else { None },
                )
                .collect();
            let uses = finder.uses.get(&each).copied().unwrap_or(0);
            lengths
                .listed(each)
                .is_some_and(|items| rows.len() == items.len() && uses == rows.len())
        };
        let partly = tail.pieces.iter().any(|&p| matches!(p, Piece::Row(each, _) if !all(each)));
        let choices = tail.pieces.iter().filter(|p| matches!(p, Piece::If(_))).count();
        if partly || (choices > 0 && tail.pieces.len() > 1) {
            return whole();
        }
        for &piece in &tail.pieces {
            if let Piece::Row(each, _) = piece {
                tail.deferred.insert(each);
            }
        }
        // What stands behind the first of them runs before it now, and must not fail in its stead.
        let first = block.stmts.iter().position(|stmt| tail.deferred.contains(&stmt.value));
        let behind = first.map_or(&[][..], |first| &block.stmts[first..]);
        let fails =
            |stmt: &Stmt| !tail.deferred.contains(&stmt.value) && stmt.op.has_effect(function);
        if behind.iter().any(fails) { whole() } else { tail }
    }

    /// The calls of an apply-to-each whose rows are pieces.
    pub(crate) fn rows<'f>(&self, function: &'f Function, each: Value) -> Rows<'f> {
        let found = Lengths::new(function, self).rows(each);
        found.unwrap_or_else(|| unreachable!("{each} has no calls"))
    }

    /// The argument that the result of a call is as long as.
    pub(crate) fn argument(&self, function: &Function, call: Value) -> Value {
        match Lengths::new(function, self).op(call) {
            Some(Op::Call(func, args)) if self.parameter(*func).is_some() => {
                args[self.parameter(*func).unwrap_or(0)]
            }
            op => unreachable!("{op:?} is no call that conserves a length"),
        }
    }

    /// The sequences over which an apply-to-each of calls goes, if they are listed.
    pub(crate) fn listed<'f>(&self, function: &'f Function, each: Value) -> &'f [Value] {
        Lengths::new(function, self).listed(each).unwrap_or(&[])
    }
}

/// Looks for the pieces of a result.
struct Finder<'l> {
    lengths: &'l Lengths<'l, 'l>,
    /// The values that the block itself makes.
    own: BTreeSet<Value>,
    uses: FxHashMap<Value, usize>,
    tail: Tail,
}

impl Finder<'_> {
    fn find(&mut self, value: Value) {
        let single = |value: Value| self.own.contains(&value) && self.uses.get(&value) == Some(&1);
        let op = self.lengths.op(value).filter(|_| single(value));
        let calls = |each: Value| self.lengths.rows(each).is_some() && self.own.contains(&each);
        let piece = match op {
            Some(&Op::Copy(other)) => {
                self.tail.deferred.insert(value);
                return self.find(other);
            }
            Some(&Op::Append(a, b)) => {
                self.tail.deferred.insert(value);
                self.find(a);
                return self.find(b);
            }
            Some(Op::If(..)) => Piece::If(value),
            Some(Op::Call(func, _)) if self.lengths.conserving.parameter(*func).is_some() => {
                Piece::Call(value)
            }
            Some(&Op::Flatten(each)) if single(each) && calls(each) => {
                self.tail.deferred.insert(each);
                Piece::Rows(each)
            }
            Some(&Op::Element(each, index))
                if calls(each) && self.lengths.listed(each).is_some() =>
            {
                let items = self.lengths.listed(each).map_or(0, <[Value]>::len);
                match self.lengths.constant(index) {
                    Some(n) if n < items => Piece::Row(each, n),
                    _ => return self.tail.pieces.push(Piece::Value(value)),
                }
            }
            _ => return self.tail.pieces.push(Piece::Value(value)),
        };
        self.tail.deferred.insert(value);
        self.tail.pieces.push(piece);
    }
}

/// The calls of an apply-to-each without a test: its body ends with a call whose result is as long
/// as the element.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'f> {
    pub(crate) bound: Value,
    pub(crate) source: Value,
    pub(crate) body: &'f Block,
    pub(crate) func: Func,
    pub(crate) args: &'f [Value],
}

/// Lengths as sums of symbols.
struct Lengths<'f, 'c> {
    function: &'f Function,
    conserving: &'c Conserving,
    ops: FxHashMap<Value, &'f Op>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Symbol {
    One,
    Of(Value),
}

type Sum = BTreeMap<Symbol, i64>;

impl<'f, 'c> Lengths<'f, 'c> {
    fn new(function: &'f Function, conserving: &'c Conserving) -> Lengths<'f, 'c> {
        fn collect<'f>(block: &'f Block, ops: &mut FxHashMap<Value, &'f Op>) {
            for stmt in &block.stmts {
                ops.insert(stmt.value, &stmt.op);
                stmt.op.blocks().into_iter().for_each(|block| collect(block, ops));
            }
        }
        let mut ops = FxHashMap::default();
        collect(&function.body, &mut ops);
        Lengths { function, conserving, ops }
    }

    /// How a value is made; none for what is bound.
    fn op(&self, value: Value) -> Option<&'f Op> {
        self.ops.get(&value).copied()
    }

    fn constant(&self, value: Value) -> Option<usize> {
        match self.op(value)? {
            Op::Const(Const::I64(n)) => usize::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The name under which a value was made.
    fn origin(&self, value: Value) -> Value {
        match self.op(value) {
            Some(&Op::Copy(other)) => self.origin(other),
            _ => value,
        }
    }

    fn rows(&self, value: Value) -> Option<Rows<'f>> {
        let Some(Op::Each(each)) = self.op(value) else { return None };
        let Some(Op::Call(func, args)) = self.op(each.body.result) else { return None };
        let &[(bound, source)] = each.generators.as_slice() else { return None };
        let last = each.body.stmts.last()?.value == each.body.result;
        let own = args[self.conserving.parameter(*func)?];
        (each.test.is_none() && last && own == bound).then_some(Rows {
            bound,
            source,
            body: &each.body,
            func: *func,
            args,
        })
    }

    /// The items of the list that calls go over.
    fn listed(&self, each: Value) -> Option<&'f [Value]> {
        match self.op(self.rows(each)?.source)? {
            Op::Seq(items) => Some(items),
            _ => None,
        }
    }

    fn is_as_long(&self, value: Value, other: Value) -> bool {
        match self.op(value) {
            Some(Op::If(_, a, b)) => {
                self.is_as_long(a.result, other) && self.is_as_long(b.result, other)
            }
            _ => self.complete(self.length(value)) == self.complete(self.length(other)),
        }
    }

    fn length(&self, value: Value) -> Sum {
        let unknown = || Sum::from([(Symbol::Of(self.origin(value)), 1)]);
        let all = |values: &[Value]| {
            let mut sum = Sum::new();
            values.iter().for_each(|&v| add(&mut sum, &self.length(v), 1));
            sum
        };
        match self.op(value) {
            Some(&Op::Copy(other) | &Op::Sort(_, other) | &Op::Scan(_, other)) => {
                self.length(other)
            }
            Some(&Op::Permute(other, _) | &Op::Write { into: other, .. }) => self.length(other),
            Some(Op::Each(each)) if each.test.is_none() => self.length(each.generators[0].1),
            Some(&Op::Append(a, b)) => all(&[a, b]),
            Some(Op::Seq(items)) => Sum::from([(Symbol::One, items.len() as i64)]),
            Some(Op::Call(func, args)) => match self.conserving.parameter(*func) {
                Some(n) => self.length(args[n]),
                None => unknown(),
            },
            Some(&Op::Element(seq, index)) => {
                let items = match self.op(seq) {
                    Some(Op::Seq(items)) => Some(items.as_slice()),
                    _ => self.listed(seq),
                };
                let item = items.zip(self.constant(index)).and_then(|(items, n)| items.get(n));
                item.map_or_else(unknown, |&item| self.length(item))
            }
            Some(&Op::Flatten(seq)) => match self.op(seq) {
                Some(Op::Seq(items)) => all(items),
                _ => self.listed(seq).map_or_else(unknown, all),
            },
            _ => unknown(),
        }
    }

    /// A sum in which filters that have all elements of a sequence are its length.
    fn complete(&self, mut sum: Sum) -> Sum {
        'again: loop {
            let mut groups: BTreeMap<(Value, Compared), Vec<(Value, u8)>> = BTreeMap::new();
            for (&symbol, &times) in &sum {
                if let Symbol::Of(value) = symbol
                    && times > 0
                    && let Some((source, with, outcomes)) = self.filter(value)
                {
                    groups.entry((source, with)).or_default().push((value, outcomes));
                }
            }
            for ((source, _), filters) in groups {
                if let Some(parts) = cover(&filters) {
                    for part in parts {
                        add(&mut sum, &Sum::from([(Symbol::Of(part), 1)]), -1);
                    }
                    add(&mut sum, &self.length(source), 1);
                    continue 'again;
                }
            }
            return sum;
        }
    }

    /// The sequence of which a value has some elements, what these are compared with, and which
    /// outcomes they have: less, equal, greater.
    fn filter(&self, value: Value) -> Option<(Value, Compared, u8)> {
        let Some(Op::Each(Each { generators, test: Some(test), .. })) = self.op(value) else {
            return None;
        };
        let &[(bound, source)] = generators.as_slice() else { return None };
        let Some(Op::Scalar(op, args)) = self.op(test.result) else { return None };
        let &[a, b] = args.as_slice() else { return None };
        if !matches!(self.function.ty(bound), Some(Type::Scalar(Ty::I64 | Ty::Char))) {
            return None;
        }
        const LESS: u8 = 1;
        const EQUAL: u8 = 2;
        const GREATER: u8 = 4;
        let (other, turned) = if self.origin(a) == bound { (b, false) } else { (a, true) };
        if turned && self.origin(b) != bound {
            return None;
        }
        let outcomes = match (op, turned) {
            (ScalarOp::Lt, false) | (ScalarOp::Gt, true) => LESS,
            (ScalarOp::Gt, false) | (ScalarOp::Lt, true) => GREATER,
            (ScalarOp::Le, false) | (ScalarOp::Ge, true) => LESS | EQUAL,
            (ScalarOp::Ge, false) | (ScalarOp::Le, true) => GREATER | EQUAL,
            (ScalarOp::Eq, _) => EQUAL,
            (ScalarOp::Ne, _) => LESS | GREATER,
            _ => return None,
        };
        let other = self.origin(other);
        let inside = test.stmts.iter().any(|stmt| stmt.value == other);
        let with = match self.op(other) {
            Some(Op::Const(Const::I64(n))) => Compared::Int(*n),
            _ if inside || other == bound => return None,
            _ => Compared::With(other),
        };
        Some((self.origin(source), with, outcomes))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Compared {
    Int(i64),
    With(Value),
}

/// Some of the filters that have each outcome once.
fn cover(filters: &[(Value, u8)]) -> Option<Vec<Value>> {
    fn search(filters: &[(Value, u8)], left: u8) -> Option<Vec<Value>> {
        if left == 0 {
            return Some(Vec::new());
        }
        let (&(value, outcomes), rest) = filters.split_first()?;
        if outcomes & !left == 0
            && let Some(mut found) = search(rest, left & !outcomes)
        {
            found.push(value);
            return Some(found);
        }
        search(rest, left)
    }
    // More than a few filters of one comparison are no partition that somebody wrote.
    search(&filters[..filters.len().min(8)], 0b111)
}

/// Adds so many times another sum.
fn add(sum: &mut Sum, other: &Sum, times: i64) {
    for (&symbol, &n) in other {
        let entry = sum.entry(symbol).or_default();
        *entry += n * times;
        if *entry == 0 {
            sum.remove(&symbol);
        }
    }
}
