//! The terms of scalar code.
//!
//! Statements are met in order, each arm of an `if` under its condition.  What a loop or a call
//! gives is unknown.  Conditions that `require` asks for, and minima and maxima of which one side
//! is known to be it, are noted with what they may be replaced by.

use super::facts::Source;
use super::linear::{Linear, Symbol};
use super::terms::{Kind, Lane, Term};
use super::{Elements, Shapes};
use crate::Code;
use crate::ir::{Domain, Function, Operand, Space, Value};
use base::Site;
use prim::{Const, ScalarOp, TOO_LONG, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Item, Op, Stmt, Var};

/// What may be left out of a code.
#[derive(Clone, Default, Debug)]
pub(crate) struct Folds {
    /// What variables may be replaced by.
    pub(crate) vars: FxHashMap<Var, Atom<Value>>,
    /// Checks that were made before, by their number in the order of the text.
    pub(crate) repeated: FxHashSet<usize>,
}

/// Symbols that are looked at when a term is moved to another position.
const MOVED: usize = 64;
/// How many vectors, each made of elements of the next, are looked through for an element.
const THROUGH: usize = 8;
/// How deep in a term what is known of symbols is brought back.
const DEEP: u32 = 3;

/// Code under way.
struct Run<'c> {
    code: &'c Code,
    terms: FxHashMap<Var, Term>,
    /// Conditions that checks ask for.
    asked: FxHashSet<Var>,
    /// Conditions that compare a length with the longest length.
    lengths: FxHashSet<Var>,
    folds: Folds,
    /// The space whose lanes run it.
    space: Space,
    /// Checks met.
    checks: usize,
    /// Arms and loops that are open.
    depth: usize,
}

impl Shapes<'_> {
    /// The terms of the yields of code with these parameters, run by the lanes of a space.  What it
    /// learns from checks stays until the scope around it ends.
    pub(super) fn code(&mut self, code: &Code, space: Space, params: Vec<Term>) -> Vec<Term> {
        let mut run = Run {
            code,
            terms: code.params.iter().copied().zip(params).collect(),
            asked: asked(code, |_| true),
            lengths: asked(code, is_length_check),
            folds: Folds::default(),
            space,
            checks: 0,
            depth: 0,
        };
        let yields = self.block(&mut run, &code.body);
        self.folds.push(run.folds);
        yields
    }

    fn block(&mut self, run: &mut Run<'_>, block: &scalar::Block<Value>) -> Vec<Term> {
        for stmt in &block.stmts {
            self.scalar_stmt(run, stmt);
        }
        block.yields.iter().map(|&a| self.atom(run, a)).collect()
    }

    fn scalar_stmt(&mut self, run: &mut Run<'_>, stmt: &Stmt<Value>) {
        match stmt {
            Stmt::Let(var, Op::Scalar(op, args, _)) => {
                let term = self.operation(run, *var, *op, args);
                run.terms.insert(*var, term);
            }
            Stmt::Let(var, Op::Read(vector, index)) => {
                let term = match self.atom(run, *index) {
                    Term::Int(at) => self.element(*vector, &at),
                    term => unreachable!("{term:?} is no index"),
                };
                run.terms.insert(*var, term);
            }
            Stmt::If { results, cond, then, els } => {
                let cond = self.atom(run, *cond);
                run.depth += 1;
                let [yes, no] = [(then, true), (els, false)].map(|(arm, truth)| {
                    let mark = self.terms.facts.mark();
                    self.terms.assume(&cond, truth, Source::Known);
                    let yields = self.block(run, arm);
                    self.terms.facts.forget(mark);
                    yields
                });
                run.depth -= 1;
                for ((&result, yes), no) in results.iter().zip(yes).zip(no) {
                    let term = self.terms.op(ScalarOp::Select, &[cond.clone(), yes, no]);
                    run.terms.insert(result, term);
                }
            }
            Stmt::Loop { results, params, body, .. } => {
                self.unknown(run, params);
                let mark = self.terms.facts.mark();
                run.depth += 1;
                self.block(run, body);
                run.depth -= 1;
                self.terms.facts.forget(mark);
                self.unknown(run, results);
            }
            Stmt::Require { cond, args, .. } => {
                let cond = self.atom(run, *cond);
                let stays = run.space == Function::root() && is_length_check(stmt) && {
                    let length = self.atom(run, args[0]);
                    !length.linear().is_some_and(|sum| self.is_given(sum))
                };
                self.required(run, &cond, stays);
                self.terms.assume(&cond, true, Source::Checked);
            }
            Stmt::Call(call) => self.unknown(run, &call.results),
        }
    }

    /// Returns true if an int is neither a sum nor a product of two lengths.  A length of the root
    /// that is one keeps its check: the verifier (`lengths`) requires it, and it costs the host
    /// nothing.
    fn is_given(&self, int: &Linear) -> bool {
        let mut added = int.terms.iter().filter(|term| term.1 > 0);
        let first = added.next().is_none_or(|&(symbol, times)| {
            let kind = self.terms.kind(symbol);
            times == 1 && !matches!(kind, Kind::Op(ScalarOp::Mul, _) | Kind::Wrapped(_))
        });
        first && added.next().is_none()
    }

    /// Notes a check: whether all lanes have made it before and it need not stay, and that they
    /// have made it now.
    fn required(&mut self, run: &mut Run<'_>, cond: &Term, stays: bool) {
        let check = (run.space, cond.clone());
        if self.required.contains(&check) {
            if !stays {
                run.folds.repeated.insert(run.checks);
            }
        } else if run.depth == 0 {
            self.required.insert(check.clone());
            self.required_here.push(check);
        }
        run.checks += 1;
    }

    /// Forgets the checks after the first `count`: they were made in an arm.
    pub(super) fn forget_required(&mut self, count: usize) {
        for check in self.required_here.drain(count..) {
            self.required.remove(&check);
        }
    }

    fn operation(
        &mut self,
        run: &mut Run<'_>,
        var: Var,
        op: ScalarOp,
        args: &[Atom<Value>],
    ) -> Term {
        let terms: Vec<Term> = args.iter().map(|&a| self.atom(run, a)).collect();
        let result = self.terms.op(op, &terms);
        if run.lengths.contains(&var)
            && let (ScalarOp::Le, [Term::Int(a), Term::Int(b)]) = (op, terms.as_slice())
            && (run.space != Function::root() || b.as_constant().is_some() && self.is_given(a))
            && self.terms.is_length(&b.minus(a))
        {
            run.folds.vars.insert(var, Atom::Const(Const::Bool(true)));
        } else if run.asked.contains(&var)
            && let Some(known) = self.terms.decide(&result, Source::Known)
        {
            run.folds.vars.insert(var, Atom::Const(Const::Bool(known)));
        } else if run.asked.contains(&var) && matches!(op, ScalarOp::And | ScalarOp::Or) {
            // One operand decides if the other is known.
            let neutral = Some(op == ScalarOp::And);
            let known = terms.iter().position(|t| self.terms.decide(t, Source::Known) == neutral);
            if let Some(n) = known {
                run.folds.vars.insert(var, args[1 - n]);
            }
        }
        if matches!(op, ScalarOp::Min | ScalarOp::Max)
            && let Some(n) = terms.iter().position(|t| *t == result)
        {
            run.folds.vars.insert(var, args[n]);
        }
        result
    }

    fn unknown(&mut self, run: &mut Run<'_>, vars: &[Var]) {
        for &var in vars {
            let symbol = self.terms.unknown();
            run.terms.insert(var, typed(run.code.vars[var], symbol));
        }
    }

    fn atom(&mut self, run: &Run<'_>, atom: Atom<Value>) -> Term {
        match atom {
            Atom::Var(var) => run
                .terms
                .get(&var)
                .cloned()
                .unwrap_or_else(|| unreachable!("{var} has no term in\n{}", run.code)),
            Atom::Const(constant) => Term::constant(constant),
            Atom::Outer(value, _) => self.operand(Operand::Value(value)),
        }
    }

    /// The term of a scalar of the function.
    pub(super) fn operand(&mut self, operand: Operand) -> Term {
        match operand {
            Operand::Const(constant) => Term::constant(constant),
            Operand::Value(value) => {
                if let Some(known) = self.scalars.get(&value) {
                    return known.clone();
                }
                let symbol = self.value_symbol(value);
                typed(self.function.values[value].ty, symbol)
            }
        }
    }

    /// A term of the lane of a space, for the lane at another position.  Nothing if it speaks of
    /// more than that.
    pub(super) fn at_position(&mut self, term: &Term, space: Space, at: &Linear) -> Option<Term> {
        match self.terms.lane_of(term) {
            Lane::None => Some(term.clone()),
            Lane::At(own) if own == space => self.at_lane(term, space, at),
            Lane::At(_) | Lane::Other => None,
        }
    }

    /// A term of the lane of a space, for another lane of the same segment.
    pub(super) fn at_lane(&mut self, term: &Term, space: Space, at: &Linear) -> Option<Term> {
        // A chain of a thousand vectors would cost the square of that.
        if self.through == THROUGH {
            return None;
        }
        self.through += 1;
        let moved = self.moved(term, space, at, &mut FxHashMap::default());
        self.through -= 1;
        moved
    }

    fn moved(
        &mut self,
        term: &Term,
        space: Space,
        at: &Linear,
        known: &mut FxHashMap<Symbol, Term>,
    ) -> Option<Term> {
        match term {
            Term::Const(_) => Some(term.clone()),
            Term::Other(symbol) => self.moved_symbol(*symbol, space, at, known),
            Term::Int(sum) => self.moved_sum(sum, space, at, known).map(Term::Int),
        }
    }

    fn moved_sum(
        &mut self,
        sum: &Linear,
        space: Space,
        at: &Linear,
        known: &mut FxHashMap<Symbol, Term>,
    ) -> Option<Linear> {
        let mut result = Linear::constant(sum.constant);
        for &(symbol, times) in &sum.terms {
            let moved = self.moved_symbol(symbol, space, at, known)?;
            result = result.plus_times(moved.linear()?, times);
        }
        Some(self.terms.kept_short(result))
    }

    fn moved_symbol(
        &mut self,
        symbol: Symbol,
        space: Space,
        at: &Linear,
        known: &mut FxHashMap<Symbol, Term>,
    ) -> Option<Term> {
        if let Some(known) = known.get(&symbol) {
            return Some(known.clone());
        }
        if known.len() >= MOVED {
            return None;
        }
        let int = |symbol| Term::Int(Linear::symbol(symbol));
        let moved = match self.terms.kind(symbol).clone() {
            Kind::Value(value) => self.operand(Operand::Value(value)),
            Kind::Lanes(_) => int(symbol),
            Kind::Position(own) if own == space => Term::Int(at.clone()),
            // Lanes of one segment have the same ancestors.
            Kind::Position(other) if self.is_above(other, space) => int(symbol),
            Kind::Position(_) | Kind::Index(_) | Kind::Unknown(_) => return None,
            Kind::Element(vector, index) => {
                let index = self.moved_sum(&index, space, at, known)?;
                self.element(vector, &index)
            }
            Kind::Op(op, args) => {
                // What arms read need not exist where the other arm is taken.
                let mark = (op == ScalarOp::Select).then(|| self.terms.facts.mark());
                let moved: Option<Vec<Term>> =
                    args.iter().map(|arg| self.moved(arg, space, at, known)).collect();
                if let Some(mark) = mark {
                    self.terms.facts.forget(mark);
                }
                self.terms.op(op, &moved?)
            }
            Kind::Wrapped(sum) => {
                let sum = self.moved_sum(&sum, space, at, known)?;
                Term::Int(self.terms.named(Kind::Wrapped(sum)))
            }
        };
        known.insert(symbol, moved.clone());
        Some(moved)
    }

    fn is_above(&mut self, above: Space, space: Space) -> bool {
        let chain = self.function.chain(space);
        chain.iter().any(|&s| s != space && self.space(s).first == above)
    }

    /// Brings back what symbols of a term say of themselves, where it was forgotten.
    pub(super) fn describe(&mut self, term: &Term) {
        self.describe_at(term, DEEP);
    }

    fn describe_at(&mut self, term: &Term, depth: u32) {
        let Term::Int(sum) = term else { return };
        if depth == 0 {
            return;
        }
        for &(symbol, _) in &sum.terms {
            match self.terms.kind(symbol).clone() {
                Kind::Element(vector, at) => self.describe_element(symbol, vector, &at),
                // What arms read need not exist where the other arm is taken.
                Kind::Op(ScalarOp::Select, _) => {}
                Kind::Op(op, args) => {
                    for arg in &args {
                        self.describe_at(arg, depth - 1);
                    }
                    self.terms.describe(symbol, op, &args);
                }
                _ => {}
            }
        }
    }

    /// Notes what is known of an element of a vector of ints.
    pub(super) fn describe_element(&mut self, symbol: Symbol, vector: Value, at: &Linear) {
        let Some(elements) = self.elements.get(&vector).cloned() else { return };
        self.terms.facts.size(symbol);
        if !self.terms.facts.describe(symbol) {
            return;
        }
        let element = Linear::symbol(symbol);
        match elements {
            Elements::Sizes => {}
            Elements::Below(end) => {
                self.terms.facts.add(end.minus(&element).plus_constant(-1), Source::Known);
            }
            Elements::Offsets { end, .. } => {
                // Offsets ascend.
                if let Domain::Offsets(space) = self.domain(vector) {
                    let space = self.space(space).first;
                    let position = self.terms.named(Kind::Position(space));
                    if *at == position.plus_constant(1) {
                        let start = self.terms.symbol(Kind::Element(vector, position.clone()));
                        self.describe_element(start, vector, &position);
                        let rest = element.minus(&Linear::symbol(start));
                        self.terms.facts.add(rest, Source::Known);
                    }
                }
                if *at != end {
                    let total = self.terms.symbol(Kind::Element(vector, end.clone()));
                    self.describe_element(total, vector, &end);
                    let rest = Linear::symbol(total).minus(&element);
                    self.terms.facts.add(rest, Source::Known);
                }
            }
        }
    }

    /// Where a value's elements lie; the root's has none.
    pub(super) fn domain(&self, value: Value) -> Domain {
        self.function.values[value].domain
    }
}

/// A symbol as a term of a type.
pub(super) fn typed(ty: Ty, symbol: Symbol) -> Term {
    if ty == Ty::I64 { Term::Int(Linear::symbol(symbol)) } else { Term::Other(symbol) }
}

/// Returns true if a statement compares a length with the longest length.
fn is_length_check(stmt: &Stmt<Value>) -> bool {
    let Stmt::Require { site: Site::Memory, args, .. } = stmt else { return false };
    args[1] == Atom::Const(Const::I64(TOO_LONG))
}

/// The variables that such checks ask for, and those that these are made of.
fn asked(code: &Code, checks: impl Fn(&Stmt<Value>) -> bool) -> FxHashSet<Var> {
    let mut asked = FxHashSet::default();
    let mut parts: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
    let vars = |atoms: &[Atom<Value>]| -> Vec<Var> {
        let var = |a: &Atom<Value>| if let Atom::Var(v) = a { Some(*v) } else { None };
        atoms.iter().filter_map(var).collect()
    };
    let mut todo = Vec::new();
    code.body.walk(&mut |item| match item {
        Item::Stmt(stmt @ Stmt::Require { cond, .. }) if checks(stmt) => {
            todo.extend(vars(&[*cond]));
        }
        Item::Stmt(Stmt::Let(
            var,
            Op::Scalar(ScalarOp::And | ScalarOp::Or | ScalarOp::Not, args, _),
        )) => {
            parts.insert(*var, vars(args));
        }
        _ => {}
    });
    while let Some(var) = todo.pop() {
        if asked.insert(var) {
            todo.extend(parts.get(&var).into_iter().flatten());
        }
    }
    asked
}
