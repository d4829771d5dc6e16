//! What a rank says of the permutations that are made with it.
//!
//! ```text
//! v3 = rank [s1] \x0 x1 { x2 = read v1 x0; yield x2 }
//! v4 = scatter [s1] to [s1] permute \x0 x1 { x2 = read v3 x0; x3 = read v2 x0; yield x2 x3 }
//!   becomes
//! v4 = scatter [s1] to [s1] place \x0 x1 { x2 = read v3 x0; x3 = read v2 x0; yield x2 x3 }
//! ```
//!
//! The laws, for ranks `r` and `q` of segments that are as long as `v`:
//!
//! - a rank has each index once, so that `permute(v, r)` needs no check;
//! - `permute(v, rank(v)) = sort(v)`, if nobody else needs the ranks: there would be two sorts;
//! - `permute(permute(v, r), q)` is one permutation, by `q[r[i]]`, if nobody else needs the first;
//! - `permute(v, r)[r[i]] = v[i]`, and `permute([0, 1, ...], r)` has each index once, too: it is
//!   the inverse of `r`, and permutations by both are none.
//!
//! That an index of a rank is inside its segment is known in lanes, too, where sizes are not.  Two
//! sequences are as long as each other if a check before says so; their guards stay, as where that
//! fails the rest of its launch still runs.

use crate::Code;
use crate::ir::{
    Block, Domain, Function, Op, ScatterKind, SortKind, Space, SpaceKind, Stmt, Value,
};
use crate::passes::lengths::Lengths;
use crate::passes::trace::Trace;
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Instead, Item, Var};

/// Simplifies permutations by ranks in all blocks of a function.
pub fn place_by_rank(function: &mut Function) {
    if !ranks(&function.body) {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    let mut known = Known::new(function);
    known.count(&body);
    known.block(&mut body);
    function.body = body;
}

/// Whether something is ranked.
fn ranks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.op {
        Op::If(_, then, els) => ranks(then) || ranks(els),
        Op::Sort { kind, .. } => *kind != SortKind::Sort,
        _ => false,
    })
}

/// What is known of vectors.
struct Known<'f> {
    function: &'f Function,
    /// How many statements use a value; a block's yields count as one.
    users: FxHashMap<Value, usize>,
    /// Vectors that have each index of each segment once, and the sorted one if it is a rank.
    permutations: FxHashMap<Value, Option<Value>>,
    /// Ints that maps make, which may be permutations, or starts and lengths of segments.
    maps: FxHashMap<Value, Code>,
    /// Columns that were placed.
    placed: FxHashMap<Value, Placed>,
    lengths: Lengths,
}

/// A column that a permutation placed.
struct Placed {
    /// The permutation.
    by: Value,
    /// What was placed: an element of a vector at the own position, or the index.
    element: Code,
    /// All columns of the statement.
    columns: Vec<Value>,
}

/// How positions in a space follow from indices in its segments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// They are the same.
    Zero,
    /// Segments start where offsets say.
    At(Value),
}

impl<'f> Known<'f> {
    fn new(function: &'f Function) -> Known<'f> {
        Known {
            function,
            users: FxHashMap::default(),
            permutations: FxHashMap::default(),
            maps: FxHashMap::default(),
            placed: FxHashMap::default(),
            lengths: Lengths::default(),
        }
    }

    fn count(&mut self, block: &Block) {
        let mut count = |uses: Vec<Value>| {
            let uses: std::collections::BTreeSet<Value> = uses.into_iter().collect();
            uses.into_iter().for_each(|v| *self.users.entry(v).or_default() += 1);
        };
        count(block.yields.iter().filter_map(|y| y.value()).collect());
        for stmt in &block.stmts {
            if !matches!(stmt.op, Op::If(..)) {
                count(stmt.op.uses());
            }
        }
        for stmt in &block.stmts {
            if let Op::If(_, then, els) = &stmt.op {
                self.count(then);
                self.count(els);
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let Op::If(_, then, els) = &mut stmt.op {
                // What an arm checks is known in it alone.
                let before = self.lengths.clone();
                self.block(then);
                self.lengths = before.clone();
                self.block(els);
                self.lengths = before;
                continue;
            }
            self.lengths.note(stmt);
            if let (Some(space), Some(code)) = (stmt.op.space(), stmt.op.code_mut()) {
                self.simplify(space, code);
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &stmt.op {
            Op::Sort { kind: SortKind::Rank, code, .. } => {
                let key = Trace::of(code).own_element(code.body.yields[0]);
                self.permutations.insert(stmt.results[0], key);
            }
            Op::Sort { kind: SortKind::RankDown, .. } => {
                self.permutations.insert(stmt.results[0], None);
            }
            Op::Map { code, .. } if !code.has_effect() => {
                for (n, &result) in stmt.results.iter().enumerate() {
                    if code.ty(code.body.yields[n]) == Some(Ty::I64) {
                        self.maps.insert(result, code.keep_yields(&[n]));
                    }
                }
            }
            Op::Scatter {
                space,
                target,
                code,
                kind: ScatterKind::Permute | ScatterKind::Place,
            } => {
                if space == target
                    && let Some(by) = self.position(*space, code)
                {
                    let (space, code) = (*space, code.clone());
                    self.place(stmt, space, code, by);
                } else if self.is_checked_permutation(*space, *target, code)
                    && let Op::Scatter { kind, .. } = &mut stmt.op
                {
                    *kind = ScatterKind::Place;
                }
            }
            _ => {}
        }
    }

    /// Gives a permutation by a known one its simplest form.
    fn place(&mut self, stmt: &mut Stmt, space: Space, code: Code, by: Value) {
        let code = self.with_first(space, &code).unwrap_or(code);
        let trace = Trace::of(&code);
        let columns = 1..code.body.yields.len();
        if trace.is_own(code.body.yields[0]) {
            let code = code.keep_yields(&columns.collect::<Vec<_>>());
            stmt.op = Op::Map { space, code };
            return;
        }
        let single = (columns.len() == 1).then(|| trace.own_element(code.body.yields[1])).flatten();
        let by_alone = self.position(space, &code) == Some(by) && !code.has_effect();
        let sorted = single.is_some() && self.permutations[&by] == single;
        if by_alone && sorted && self.is_for_position(by, &code) {
            let code = code.keep_yields(&[1]);
            stmt.op = Op::Sort { space, kind: SortKind::Sort, code };
            return;
        }
        if by_alone {
            for (n, &result) in columns.zip(&stmt.results) {
                if trace.is_index(code.body.yields[n]) {
                    self.permutations.insert(result, None);
                }
                let element = code.keep_yields(&[n]);
                if is_an_element(&element) {
                    let placed = Placed { by, element, columns: stmt.results.clone() };
                    self.placed.insert(result, placed);
                }
            }
        }
        stmt.op = Op::Scatter { space, target: space, code, kind: ScatterKind::Place };
    }

    /// The permutation that says where code of a scatter puts the elements of each segment.
    fn position(&self, space: Space, code: &Code) -> Option<Value> {
        self.permutation(space, &Trace::of(code), code.body.yields[0], self.start(space)?)
    }

    /// The permutation of which an atom is the own element, counted from a start.
    fn permutation(
        &self,
        space: Space,
        trace: &Trace<'_>,
        atom: Atom<Value>,
        start: Start,
    ) -> Option<Value> {
        if let Some(vector) = trace.own_element(atom)
            && self.function.values[vector].domain == Domain::Lanes(space)
        {
            if start == Start::Zero && self.permutations.contains_key(&vector) {
                return Some(vector);
            }
            let code = self.maps.get(&vector)?;
            return self.permutation(space, &Trace::of(code), code.body.yields[0], start);
        }
        let Some(scalar::Op::Scalar(ScalarOp::Add, args, _)) = trace.op(atom) else { return None };
        let Start::At(offsets) = start else { return None };
        let [a, b] = [args[0], args[1]];
        let start = |atom| self.is_start(trace, atom, offsets);
        let index = match (start(a), start(b)) {
            (true, _) => b,
            (_, true) => a,
            (false, false) => return None,
        };
        self.permutation(space, trace, index, Start::Zero)
    }

    /// Whether code puts the elements of a space by a permutation of as many.
    fn is_checked_permutation(&self, source: Space, target: Space, code: &Code) -> bool {
        let length = self.lengths.of(self.function, target);
        length.is_some()
            && length == self.lengths.of(self.function, source)
            && self.is_guarded(source, code)
    }

    fn is_guarded(&self, space: Space, code: &Code) -> bool {
        let trace = Trace::of(code);
        let position = code.body.yields[0];
        if let Some(scalar::Op::Scalar(ScalarOp::Select, args, _)) = trace.op(position) {
            return self.is_inside(&trace, args[0], Some(args[1]));
        }
        let Some(vector) = trace.own_element(position) else { return false };
        let over = self.function.values[vector].domain;
        self.is_rank_of(vector, self.lengths.of(self.function, space))
            || (over == Domain::Lanes(space)
                && self.maps.get(&vector).is_some_and(|code| self.is_guarded(space, code)))
    }

    /// Whether a condition is that an element of a permutation is less than its length; the
    /// element, if it is given, is the one that is meant.
    fn is_inside(
        &self,
        trace: &Trace<'_>,
        cond: Atom<Value>,
        element: Option<Atom<Value>>,
    ) -> bool {
        let Some(scalar::Op::Scalar(ScalarOp::Lt, args, _)) = trace.op(cond) else { return false };
        let Atom::Outer(length, _) = args[1] else { return false };
        let vector = trace.own_element(args[0]);
        element.is_none_or(|element| element == args[0])
            && vector.is_some_and(|v| self.is_rank_of(v, Some(self.lengths.first(length))))
    }

    /// Whether a vector is a permutation of this many at the root.
    fn is_rank_of(&self, vector: Value, length: Option<Value>) -> bool {
        let Domain::Lanes(space) = self.function.values[vector].domain else { return false };
        self.permutations.contains_key(&vector)
            && length.is_some()
            && self.lengths.of(self.function, space) == length
    }

    /// Whether an atom is where the segment of a lane starts.
    fn is_start(&self, trace: &Trace<'_>, atom: Atom<Value>, offsets: Value) -> bool {
        trace.is_start(atom, offsets, |at| trace.is_row(at))
            || self.of_row(trace, atom, offsets).is_some_and(|code| {
                let rows = Trace::of(code);
                rows.is_start(code.body.yields[0], offsets, |at| rows.is_own(at))
            })
    }

    /// Whether an atom is how long the segment of a lane is.
    fn is_length(&self, trace: &Trace<'_>, atom: Atom<Value>, offsets: Value) -> bool {
        trace.is_length(atom, offsets, |at| trace.is_row(at))
            || self.of_row(trace, atom, offsets).is_some_and(|code| {
                let rows = Trace::of(code);
                rows.is_length(code.body.yields[0], offsets, |at| rows.is_own(at))
            })
    }

    /// The code of which an atom is the result in the lane's parent.
    fn of_row(&self, trace: &Trace<'_>, atom: Atom<Value>, offsets: Value) -> Option<&Code> {
        let vector = trace.row_element(atom)?;
        let Domain::Offsets(parent) = self.function.values[offsets].domain else { return None };
        let over = self.function.values[vector].domain;
        self.maps.get(&vector).filter(|_| over == Domain::Lanes(parent))
    }

    /// None for segments of one length, over which there are no ranks.
    fn start(&self, space: Space) -> Option<Start> {
        match self.function.spaces[space].kind {
            SpaceKind::Packed(_, offsets) => Some(Start::At(offsets)),
            SpaceKind::Regular(parent, _) if parent == Function::root() => Some(Start::Zero),
            SpaceKind::Root | SpaceKind::Regular(..) => None,
        }
    }

    /// Code of a scatter that does what others did before: places by both permutations what those
    /// placed.  None if there are no others, if somebody else needs what they did, or if that is
    /// not all that is placed: what lies in order would be read in no order.
    fn with_first(&self, space: Space, code: &Code) -> Option<Code> {
        if self.start(space) != Some(Start::Zero) || code.has_effect() {
            return None;
        }
        let columns: Vec<usize> = (1..code.body.yields.len()).collect();
        let moved = code.keep_yields(&columns).refs().vectors;
        let by = self.placed.get(moved.first()?)?.by;
        let trace = Trace::of(code);
        let mut fits = moved.iter().all(|v| {
            self.placed.get(v).is_some_and(|placed| {
                placed.by == by && placed.columns.iter().all(|v| moved.contains(v) && self.once(*v))
            })
        });
        code.body.walk(&mut |item| match item {
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, at))) => {
                fits &= !moved.contains(vector) || trace.is_own(*at);
            }
            Item::Stmt(scalar::Stmt::Call(_)) => fits = false,
            Item::Stmt(_) | Item::Yields(_) => {}
        });
        if !fits {
            return None;
        }
        let mut builder = Builder::new();
        let own = [Ty::I64; 2].map(|ty| Atom::Var(builder.param(ty)));
        let position = builder.read(Ty::I64, by, own[0]);
        let yields = builder.inline(code, &[position; 2]);
        let code = builder.finish(yields);
        let code = code.replace_reads(|builder, vector, _| {
            let placed = self.placed.get(&vector).filter(|_| moved.contains(&vector))?;
            Some(builder.inline(&placed.element, &own)[0])
        });
        let mut code = code.simplify();
        self.simplify(space, &mut code);
        Some(code)
    }

    /// Whether a permutation is used for nothing but to say where code puts its elements.
    fn is_for_position(&self, by: Value, code: &Code) -> bool {
        let position = code.keep_yields(&[0]).refs().vectors;
        let reads = |&v: &Value| {
            let map = self.maps.get(&v).filter(|_| self.once(v));
            v == by || map.is_some_and(|code| code.refs().vectors.contains(&by))
        };
        self.once(by) && position.iter().any(reads)
    }

    /// Whether only one statement uses a vector.
    fn once(&self, vector: Value) -> bool {
        self.users.get(&vector) == Some(&1)
    }

    /// Indices of ranks are inside; what was placed by a permutation is, at its own elements, what
    /// it was.
    fn simplify(&self, space: Space, code: &mut Code) {
        let refs = code.refs().vectors;
        if !refs.iter().any(|v| self.permutations.contains_key(v) || self.maps.contains_key(v)) {
            return;
        }
        let Some(start) = self.start(space) else { return };
        if start == Start::Zero {
            let trace = Trace::of(code);
            let known = |stmt: &scalar::Stmt<Value>| {
                matches!(stmt, scalar::Stmt::Require { cond, .. }
                if self.is_inside(&trace, *cond, None))
            };
            let stmts = code.body.stmts.iter().filter(|stmt| !known(stmt)).cloned().collect();
            code.body.stmts = stmts;
        }
        let trace = Trace::of(code);
        let mut instead: FxHashMap<Var, Instead<Value>> = FxHashMap::default();
        code.body.walk(&mut |item| {
            let Item::Stmt(scalar::Stmt::Let(var, op)) = item else { return };
            match op {
                scalar::Op::Scalar(ScalarOp::Lt, args, _) => {
                    let rank = self.permutation(space, &trace, args[0], Start::Zero);
                    let inside =
                        matches!(start, Start::At(o) if self.is_length(&trace, args[1], o));
                    if rank.is_some() && inside {
                        instead.insert(*var, Instead::Atom(Atom::Const(Const::Bool(true))));
                    }
                }
                scalar::Op::Read(vector, at) => {
                    if let Some(placed) = self.placed.get(vector)
                        && self.function.values[*vector].domain == Domain::Lanes(space)
                        && self.permutation(space, &trace, *at, start) == Some(placed.by)
                    {
                        let params = code.params.iter().map(|&p| Atom::Var(p)).collect();
                        instead.insert(*var, Instead::Code(placed.element.clone(), params));
                    }
                }
                scalar::Op::Scalar(..) => {}
            }
        });
        if !instead.is_empty() {
            *code = code.replace_results(|var| instead.get(&var).cloned()).simplify();
        }
    }
}

/// Whether code does no more than to read a vector at the lane's position, or to name the lane.
fn is_an_element(code: &Code) -> bool {
    let trace = Trace::of(code);
    let value = code.body.yields[0];
    trace.is_index(value) || trace.is_own(value) || trace.own_element(value).is_some()
}
