//! Loops that choose: a loop whose iterations choose between two ways by their number becomes two
//! loops, one for each way.
//!
//! `a ++ b` is a map that reads `a` below the length of `a` and `b` above.  As one loop it chooses
//! for every element and gathers; as two it is two copies, which vectorise.  A choice that is the
//! same in all iterations becomes a choice between loops.

use crate::gather::gathers;
use crate::nodes::is_simd;
use base::{IdMap, Span};
use kernel::{Arg, Block, Stmt, Way};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Builder, Code, Op, Var, can_fail};

/// How often a loop is split: each time, its text doubles.
const TIMES: usize = 3;

/// A loop without carried values.
pub(crate) struct Loop {
    /// The counter.
    pub(crate) index: Var,
    /// Where the segment starts that it runs through, or a part of it.
    pub(crate) start: Atom<Arg>,
    /// First value.
    pub(crate) from: Atom<Arg>,
    /// One past the last.
    pub(crate) to: Atom<Arg>,
    /// The iteration.
    pub(crate) body: Block,
    /// Whether it stands inside another loop.
    pub(crate) inner: bool,
}

impl Loop {
    /// Statements that do what the loop does.
    pub(crate) fn split(self, builder: &mut Builder<Arg>) -> Block {
        self.times(builder, TIMES)
    }

    fn times(self, builder: &mut Builder<Arg>, times: usize) -> Block {
        let chosen = if times > 0 { self.choice(builder) } else { None };
        match chosen {
            Some(choice) => self.apply(builder, &choice, times - 1),
            None => vec![self.plain()],
        }
    }

    fn plain(self) -> Stmt {
        // Short inner loops that gather run faster one element after the other.
        let simd = is_simd(&self.body) && !(self.inner && gathers(&self.body, self.index));
        let Loop { index, from, to, body, .. } = self;
        let way = if simd { Way::Simd } else { Way::Serial };
        Stmt::For { index, from, to, carried: Vec::new(), body, way }
    }

    /// What the loop could be split by.
    fn choice(&self, builder: &Builder<Arg>) -> Option<Choice> {
        let scalars: Option<Vec<&scalar::Stmt<Arg>>> = self
            .body
            .iter()
            .filter(|s| !matches!(s, Stmt::Store(..)))
            .map(|s| if let Stmt::Scalar(s) = s { Some(s) } else { None })
            .collect();
        let facts = Facts::new(self, &scalars?, builder);
        self.body.iter().find_map(|stmt| match stmt {
            Stmt::Scalar(scalar::Stmt::If { cond: Atom::Var(cond), then, els, .. })
                if !(then.stmts.is_empty() && els.stmts.is_empty()) =>
            {
                facts.choice(*cond)
            }
            _ => None,
        })
    }

    fn apply(self, builder: &mut Builder<Arg>, choice: &Choice, times: usize) -> Block {
        let (needed, op) = match choice.by {
            By::Same => (Atom::Var(choice.cond), None),
            By::Number { bound, op, own_start } => (bound, Some((op, own_start))),
        };
        let hoisted = self.hoisted(builder, choice, needed);
        builder.begin();
        let value = builder.inline(&hoisted, &[])[0];
        let middle = op.map(|(_, own_start)| self.middle(builder, value, own_start));
        let before = builder.end(Vec::new()).stmts;
        let mut block: Block = before.into_iter().map(Stmt::Scalar).collect();
        match (middle, op) {
            (Some(middle), Some((op, _))) => {
                let first = op == ScalarOp::Lt;
                block.extend(self.with(builder, choice, first, [self.from, middle], times));
                block.extend(self.with(builder, choice, !first, [middle, self.to], times));
            }
            _ => {
                let [then, els] = [true, false]
                    .map(|way| self.with(builder, choice, way, [self.from, self.to], times));
                block.push(Stmt::If(value, then, els));
            }
        }
        // What was moved out of the loop may be read only if the loop runs.
        builder.begin();
        let runs = builder.scalar(ScalarOp::Lt, &[self.from, self.to], Span::none());
        let test = builder.end(Vec::new()).stmts;
        test.into_iter().map(Stmt::Scalar).chain([Stmt::If(runs, block, Vec::new())]).collect()
    }

    /// The statements that a choice needs, as code that yields `needed`.
    fn hoisted(&self, builder: &Builder<Arg>, choice: &Choice, needed: Atom<Arg>) -> Code<Arg> {
        let stmts = self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Scalar(s @ scalar::Stmt::Let(v, _)) if choice.hoisted.contains(v) => {
                Some(s.clone())
            }
            _ => None,
        });
        let body = scalar::Block { stmts: stmts.collect(), yields: vec![needed] };
        Code { params: Vec::new(), vars: vars(builder), body }
    }

    /// The first number for which the condition has its later value, between the bounds.
    fn middle(&self, builder: &mut Builder<Arg>, bound: Atom<Arg>, own: bool) -> Atom<Arg> {
        let mut op = |op, a, b| builder.scalar(op, &[a, b], Span::none());
        if !own {
            let least = op(ScalarOp::Max, bound, self.from);
            return op(ScalarOp::Min, least, self.to);
        }
        let len = op(ScalarOp::Sub, self.to, self.start);
        let least = op(ScalarOp::Max, bound, Atom::Const(Const::I64(0)));
        let inside = op(ScalarOp::Min, least, len);
        let middle = op(ScalarOp::Add, self.start, inside);
        if self.start == self.from { middle } else { op(ScalarOp::Max, middle, self.from) }
    }

    /// The loop over another range, with a value for the condition.
    fn with(
        &self,
        builder: &mut Builder<Arg>,
        choice: &Choice,
        way: bool,
        [from, to]: [Atom<Arg>; 2],
        times: usize,
    ) -> Block {
        let mut stmts = Vec::new();
        let (mut yields, mut stores) = (Vec::new(), Vec::new());
        for stmt in &self.body {
            match stmt {
                Stmt::Scalar(s) if s.results() == [choice.cond] => {}
                Stmt::Scalar(s) => stmts.push(s.clone()),
                Stmt::Store(buffer, at, value) => {
                    stores.push(*buffer);
                    yields.extend([*at, *value]);
                }
                _ => unreachable!("only scalar statements and stores are split"),
            }
        }
        let body = scalar::Block { stmts, yields };
        let free = free(&body, [self.index, choice.cond]);
        let mut params = vec![self.index, choice.cond];
        params.extend(&free);
        let code = Code { params, vars: vars(builder), body };
        // In a program of its own, where it can be simplified.
        let mut own = Builder::new();
        let index = Atom::Var(own.param(Ty::I64));
        let mut args = vec![index, Atom::Const(Const::Bool(way))];
        args.extend(free.iter().map(|&v| Atom::Var(own.param(builder.ty(Atom::Var(v))))));
        let yields = own.inline(&code, &args);
        let code = own.finish(yields).simplify();
        let index = builder.fresh(Ty::I64);
        let mut args = vec![Atom::Var(index)];
        args.extend(free.iter().map(|&v| Atom::Var(v)));
        builder.begin();
        let yields = builder.inline(&code, &args);
        let stmts = builder.end(Vec::new()).stmts;
        let mut body: Block = stmts.into_iter().map(Stmt::Scalar).collect();
        let pairs = yields.chunks_exact(2).zip(stores);
        body.extend(pairs.map(|(pair, buffer)| Stmt::Store(buffer, pair[0], pair[1])));
        Loop { index, start: self.start, from, to, body, inner: self.inner }.times(builder, times)
    }
}

/// The types of all variables so far.
fn vars(builder: &Builder<Arg>) -> IdMap<Var, Ty> {
    let count = base::Id::index(builder.next_var());
    (0..count).map(|v| builder.ty(Atom::Var(base::Id::new(v)))).collect()
}

/// Variables that a block uses and does not define, but for these.
fn free(block: &scalar::Block<Arg>, known: [Var; 2]) -> Vec<Var> {
    let mut defined: FxHashSet<Var> = known.into_iter().collect();
    let mut used = Vec::new();
    block.walk(&mut |item| {
        item.for_each_atom(&mut |atom| {
            if let Atom::Var(v) = atom {
                used.push(v);
            }
        });
        if let scalar::Item::Stmt(stmt) = item {
            defined.extend(stmt.results());
            if let scalar::Stmt::Loop { params, .. } = stmt {
                defined.extend(params);
            }
        }
    });
    used.retain(|v| !defined.contains(v));
    used.sort();
    used.dedup();
    used
}

/// A condition to split by.
struct Choice {
    cond: Var,
    by: By,
    /// Variables of the loop that it needs; the same in all iterations.
    hoisted: FxHashSet<Var>,
}

enum By {
    /// It is the same in all iterations.
    Same,
    /// It holds for numbers below (`lt`) or from (`ge`) the bound on.
    Number {
        bound: Atom<Arg>,
        op: ScalarOp,
        /// Whether numbers count from the start of the segment.
        own_start: bool,
    },
}

/// What is known of the variables that a loop defines.
struct Facts<'a> {
    index: Var,
    start: Atom<Arg>,
    ops: FxHashMap<Var, &'a Op<Arg>>,
    /// Those that are the same in all iterations and cannot fail.
    same: FxHashSet<Var>,
    /// All that the loop defines.
    defined: FxHashSet<Var>,
}

impl<'a> Facts<'a> {
    fn new(of: &Loop, stmts: &[&'a scalar::Stmt<Arg>], builder: &Builder<Arg>) -> Facts<'a> {
        let defined = stmts.iter().flat_map(|s| s.results().to_vec()).chain([of.index]).collect();
        let (ops, same) = (FxHashMap::default(), FxHashSet::default());
        let mut facts = Facts { index: of.index, start: of.start, ops, same, defined };
        for stmt in stmts {
            let scalar::Stmt::Let(var, op) = stmt else { continue };
            facts.ops.insert(*var, op);
            let fails = match op {
                Op::Scalar(op, args, _) => can_fail(*op, args, &|a| Some(builder.ty(a))),
                Op::Read(..) => false,
            };
            if !fails && stmt.atoms().into_iter().all(|a| facts.is_same(a)) {
                facts.same.insert(*var);
            }
        }
        facts
    }

    fn is_same(&self, atom: Atom<Arg>) -> bool {
        match atom {
            Atom::Var(v) => !self.defined.contains(&v) || self.same.contains(&v),
            Atom::Const(_) | Atom::Outer(..) => true,
        }
    }

    /// What a condition comes down to, if a loop can be split by it.
    fn choice(&self, cond: Var) -> Option<Choice> {
        let cond = self.source(cond);
        if self.is_same(Atom::Var(cond)) {
            return Some(Choice { cond, by: By::Same, hoisted: self.needs(Atom::Var(cond)) });
        }
        let Op::Scalar(op, args, _) = self.ops.get(&cond)? else { return None };
        let (op, a, bound) = match (*op, args.as_slice()) {
            (op @ (ScalarOp::Lt | ScalarOp::Ge), [a, b]) => (op, *a, *b),
            (ScalarOp::Gt, [a, b]) => (ScalarOp::Lt, *b, *a),
            (ScalarOp::Le, [a, b]) => (ScalarOp::Ge, *b, *a),
            _ => return None,
        };
        let own_start = self.is_counter(a)?;
        let by = By::Number { bound, op, own_start };
        self.is_same(bound).then(|| Choice { cond, by, hoisted: self.needs(bound) })
    }

    /// Whether an operand is the loop's counter, and then whether it counts from the start of the
    /// segment.
    fn is_counter(&self, atom: Atom<Arg>) -> Option<bool> {
        let Atom::Var(var) = atom else { return None };
        if var == self.index {
            return Some(false);
        }
        match self.ops.get(&var)? {
            Op::Scalar(ScalarOp::Sub, args, _)
                if args[0] == Atom::Var(self.index) && args[1] == self.start =>
            {
                Some(true)
            }
            _ => None,
        }
    }

    /// The condition that this one repeats or denies, or that chooses what it tests: `c` of
    /// `not c`, `btoi c < 1`, `select c x y < 1`.
    fn source(&self, cond: Var) -> Var {
        let Some(Op::Scalar(op, args, _)) = self.ops.get(&cond) else { return cond };
        match (*op, args.as_slice()) {
            (ScalarOp::Not, [Atom::Var(v)]) if self.ops.contains_key(v) => self.source(*v),
            (ScalarOp::Lt | ScalarOp::Eq | ScalarOp::Ge, [Atom::Var(v), Atom::Const(_)]) => {
                match self.ops.get(v) {
                    Some(Op::Scalar(ScalarOp::Btoi | ScalarOp::Select, inner, _)) => match inner[0]
                    {
                        Atom::Var(w) => self.source(w),
                        _ => cond,
                    },
                    _ => cond,
                }
            }
            _ => cond,
        }
    }

    /// The variables of the loop that an operand needs.
    fn needs(&self, atom: Atom<Arg>) -> FxHashSet<Var> {
        let mut needed = FxHashSet::default();
        let mut open = vec![atom];
        while let Some(atom) = open.pop() {
            let Atom::Var(var) = atom else { continue };
            let Some(op) = self.ops.get(&var).filter(|_| needed.insert(var)) else { continue };
            match op {
                Op::Scalar(_, args, _) => open.extend(args),
                Op::Read(_, index) => open.push(*index),
            }
        }
        needed
    }
}
