//! The walk over a function: what each statement's results are.

use super::code::typed;
use super::facts::Source;
use super::linear::Linear;
use super::terms::{Lane, Term};
use super::{Elements, Making, Shapes, calls};
use crate::Code;
use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, ScatterKind, SortKind, Space, SpaceKind,
};
use crate::ir::{Stmt, Value};
use prim::{Monoid, Role, ScalarOp, Ty};

impl Shapes<'_> {
    pub(super) fn walk(&mut self) {
        self.params();
        let function = self.function;
        self.yields = self.statements(&function.body);
        self.note_checks();
        // Those first met in an arm were forgotten with it.
        for (space, info) in function.spaces.iter() {
            let met = match info.kind {
                SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => true,
                SpaceKind::Regular(_, Operand::Value(len)) => self.scalars.contains_key(&len),
                SpaceKind::Packed(_, offsets) => self.elements.contains_key(&self.first(offsets)),
            };
            let parent = function.parent(space).is_none_or(|p| self.spaces.contains_key(&p));
            if met && parent {
                self.space(space);
            }
        }
    }

    /// Notes which parameters are sizes.
    fn params(&mut self) {
        let function = self.function;
        self.visible.extend(&function.params);
        let mut sizes: Vec<Value> = Vec::new();
        if let Some(signature) = &function.signature {
            for (&param, component) in function.params.iter().zip(&signature.params) {
                if matches!(component.role, Role::Len(_)) {
                    sizes.push(param);
                }
            }
        }
        for &param in &function.params {
            if let Domain::Lanes(space) | Domain::Offsets(space) = self.domain(param)
                && let SpaceKind::Regular(_, Operand::Value(len)) = function.spaces[space].kind
                && function.params.contains(&len)
            {
                sizes.push(len);
            }
        }
        for size in sizes {
            if self.domain(size) == Domain::Scalar {
                let symbol = self.value_symbol(size);
                self.terms.facts.size(symbol);
            } else {
                self.elements.insert(size, Elements::Sizes);
            }
        }
        for &param in &function.params {
            if self.domain(param) == Domain::Scalar {
                let term = self.operand(Operand::Value(param));
                self.scalars.insert(param, term);
            } else {
                self.offsets(param, false);
            }
        }
    }

    /// Notes that a vector is offsets, if it is.
    fn offsets(&mut self, value: Value, from_zero: bool) {
        if let Domain::Offsets(space) = self.domain(value) {
            let end = self.space(space).lanes;
            self.elements.insert(value, Elements::Offsets { end, from_zero });
        }
    }

    /// The terms of the yields of a block; nothing if it does not end, by what is known so far.
    fn statements(&mut self, block: &Block) -> Option<Vec<Term>> {
        let mut ends = true;
        for stmt in &block.stmts {
            ends &= self.statement(stmt);
            self.visible.extend(&stmt.results);
            self.opened.extend(&stmt.results);
        }
        let yields = block.yields.iter().map(|&y| match y {
            // What a vector is does not matter here.
            Operand::Value(v) if self.domain(v) != Domain::Scalar => Term::int(0),
            operand => self.operand(operand),
        });
        let yields = yields.collect();
        ends.then_some(yields)
    }

    /// Meets a statement; whether it ends.
    fn statement(&mut self, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::If(cond, then, els) => return self.arms(stmt, *cond, then, els),
            Op::Call(func, args) => return self.call(stmt, *func, args),
            Op::Literal(..) | Op::Behind { .. } | Op::Grow { .. } => {}
            Op::Join(parts) => self.join(stmt, parts),
            Op::Map { space, code } if *space == Function::root() => self.root_map(stmt, code),
            Op::Map { space, code }
            | Op::Reduce { space, code, .. }
            | Op::Scan { space, code, .. }
            | Op::Filter { space, code }
            | Op::Offsets { space, code }
            | Op::Scatter { space, code, .. }
            | Op::Sort { space, code, .. }
            | Op::Fail { space, code, .. } => {
                // Before the scope of the lane: it is known after it, too.
                self.space(*space);
                let mark = self.terms.facts.mark();
                let params = self.enter(*space);
                let lanes = self.space(*space).first;
                let mut yields = self.code(code, lanes, params);
                if let (Op::Offsets { .. }, [Term::Int(len)]) = (&stmt.op, yields.as_slice()) {
                    // A negative length counts as 0.
                    let args = [Term::Int(len.clone()), Term::int(0)];
                    yields = vec![self.terms.op(ScalarOp::Max, &args)];
                }
                self.terms.facts.forget(mark);
                self.bulk(stmt, *space, yields);
            }
        }
        for &result in &stmt.results {
            self.unknown_scalar(result);
        }
        true
    }

    /// A scalar of which nothing else is known gets a symbol.
    fn unknown_scalar(&mut self, value: Value) {
        if self.domain(value) == Domain::Scalar && !self.scalars.contains_key(&value) {
            let symbol = self.value_symbol(value);
            self.scalars.insert(value, typed(self.function.values[value].ty, symbol));
        }
    }

    fn root_map(&mut self, stmt: &Stmt, code: &Code) {
        // What a check says holds in all that comes after it.
        let yields = self.code(code, Function::root(), Vec::new());
        self.share_scalars(stmt, code, &yields);
        for (&result, term) in stmt.results.iter().zip(yields) {
            if self.terms.lane_of(&term) == Lane::None {
                self.scalars.insert(result, term);
            }
        }
    }

    /// Notes that the host has computed these scalars before, if it has, and that it has now.
    fn share_scalars(&mut self, stmt: &Stmt, code: &Code, yields: &[Term]) {
        let known = yields.iter().zip(&stmt.results).map(|(term, &result)| {
            let first = *self.computed.get(term)?;
            let fits = self.visible.contains(&first)
                && self.function.values[first].ty == self.function.values[result].ty;
            fits.then_some(first)
        });
        match (known.collect::<Option<Vec<Value>>>(), stmt.results.first()) {
            (Some(firsts), Some(&result)) if !code.has_effect() => {
                self.shared.insert(result, firsts);
            }
            _ => self.computed.extend(yields.iter().cloned().zip(stmt.results.iter().copied())),
        }
    }

    fn bulk(&mut self, stmt: &Stmt, space: Space, yields: Vec<Term>) {
        let known = self.space(space);
        let results = &stmt.results;
        let making =
            |op, n, monoid, terms| Making { op: (op, n), space: known.first, monoid, terms };
        match &stmt.op {
            Op::Map { .. } => {
                for (&result, term) in results.iter().zip(yields) {
                    self.equal_makings(result, making("map", 0, None, vec![term.clone()]));
                    if self.first(result) == result {
                        self.made.insert(result, (known.first, term));
                    }
                }
            }
            Op::Reduce { monoids, .. } => self.folded(stmt, "reduce", monoids, yields, &making),
            Op::Scan { monoids, .. } => self.folded(stmt, "scan", monoids, yields, &making),
            Op::Filter { .. } => {
                self.filter(stmt, space, &yields[0], making("filter", 0, None, yields.clone()));
            }
            Op::Offsets { .. } => {
                let offsets = results[0];
                self.equal_makings(offsets, making("offsets", 0, None, yields.clone()));
                if self.first(offsets) == offsets {
                    self.made.insert(offsets, (known.first, yields[0].clone()));
                }
                self.offsets(offsets, true);
                self.share(stmt);
            }
            Op::Sort { kind, .. } => {
                self.equal_makings(results[0], making(kind.name(), 0, None, yields));
                if *kind != SortKind::Sort {
                    self.elements.insert(results[0], Elements::Below(known.lanes));
                }
                self.share(stmt);
            }
            Op::Scatter {
                kind:
                    ScatterKind::Write(_)
                    | ScatterKind::Into(_)
                    | ScatterKind::Permute
                    | ScatterKind::Place,
                ..
            }
            | Op::Fail { .. } => {}
            Op::Literal(..)
            | Op::Join(_)
            | Op::Behind { .. }
            | Op::Grow { .. }
            | Op::Call(..)
            | Op::If(..) => {
                unreachable!("{:?} has no lanes", stmt.op)
            }
        }
    }

    /// Results that fold yields.
    fn folded(
        &mut self,
        stmt: &Stmt,
        op: &'static str,
        monoids: &[Monoid],
        yields: Vec<Term>,
        making: &dyn Fn(&'static str, usize, Option<Monoid>, Vec<Term>) -> Making,
    ) {
        for ((&result, term), &monoid) in stmt.results.iter().zip(yields).zip(monoids) {
            self.equal_makings(result, making(op, 0, Some(monoid), vec![term]));
        }
        self.share(stmt);
    }

    fn filter(&mut self, stmt: &Stmt, space: Space, predicate: &Term, making: Making) {
        let &[positions, shape] = stmt.results.as_slice() else {
            unreachable!("a filter gives positions and a shape")
        };
        let source = self.space(space);
        let shape_making = Making { op: ("filter", 1), ..making.clone() };
        self.equal_makings(positions, making);
        self.elements.insert(positions, Elements::Below(source.lanes.clone()));
        self.kept.insert(self.first(positions), (source.first, predicate.clone()));
        let first = self.first(positions);
        if first != positions {
            self.elements.remove(&positions);
        }
        let count = if self.domain(shape) == Domain::Scalar {
            let first = self.first_made(shape, shape_making);
            let count = self.value_symbol(first);
            self.terms.facts.size(count);
            self.scalars.insert(shape, Term::Int(Linear::symbol(count)));
            self.first.insert(shape, first);
            Linear::symbol(count)
        } else {
            self.equal_makings(shape, shape_making);
            self.offsets(self.first(shape), true);
            let Domain::Offsets(parent) = self.domain(shape) else {
                unreachable!("{shape} is no shape of filtered lanes")
            };
            let end = self.space(parent).lanes;
            self.int_element(shape, &end)
        };
        self.terms.facts.add_always(source.lanes.minus(&count));
        self.note(source.lanes.minus(&count), false);
        self.partition(&source, predicate, &count);
        self.share(stmt);
    }

    /// Notes how a result is made, and which vector was made so before.
    fn equal_makings(&mut self, result: Value, making: Making) {
        let first = self.first_made(result, making);
        if first == result {
            return;
        }
        let same = self.function.values[first];
        debug_assert_eq!(same.ty, self.function.values[result].ty, "{first} and {result}");
        self.first.insert(result, first);
        if same.domain == Domain::Scalar {
            let term = self.operand(Operand::Value(first));
            self.scalars.insert(result, term);
        }
    }

    /// The first vector made in this way.
    ///
    /// What is said of a vector that an arm makes may follow from the arm's condition; so it is not
    /// the first of those that are made behind the arm.
    fn first_made(&mut self, result: Value, making: Making) -> Value {
        let first = self.makings.entry(making.clone()).or_insert(result);
        if *first == result {
            self.made_here.push(making);
        }
        *first
    }

    /// Forgets the vectors made since there were so many.
    fn forget_makings(&mut self, count: usize) {
        for making in self.made_here.drain(count..) {
            self.makings.remove(&making);
        }
    }

    /// Notes that a statement gives what others gave that are in sight.
    fn share(&mut self, stmt: &Stmt) {
        let firsts: Vec<Value> = stmt.results.iter().map(|&r| self.first(r)).collect();
        let filter = matches!(stmt.op, Op::Filter { .. });
        let space = stmt.op.space();
        self.over.extend(stmt.results.iter().map(|&r| (r, space)));
        let fits = |(n, (&first, &own)): (usize, (&Value, &Value))| {
            // Each filter has lanes of its own.
            let same = (filter && n == 0) || self.domain(first) == self.domain(own);
            let seen = self.visible.contains(&first) && self.over.get(&first) == Some(&space);
            first != own && seen && same
        };
        if firsts.iter().zip(&stmt.results).enumerate().all(fits) && !stmt.op.has_effect() {
            self.shared.insert(stmt.results[0], firsts);
        }
    }

    fn join(&mut self, stmt: &Stmt, parts: &[Vec<Value>]) {
        let columns = parts[0].len();
        for &base in &stmt.results[columns..] {
            let symbol = self.value_symbol(base);
            self.terms.facts.size(symbol);
            // The first part is at the beginning, and the others are behind it.
            if let Domain::Lanes(space) = self.domain(parts[0][0]) {
                let lanes = self.space(space).lanes;
                self.terms.facts.add_always(Linear::symbol(symbol).minus(&lanes));
            }
        }
    }

    fn arms(&mut self, stmt: &Stmt, cond: Operand, then: &Block, els: &Block) -> bool {
        let cond = self.operand(cond);
        let [yes, no] = [(then, true), (els, false)].map(|(arm, truth)| {
            let (mark, asked) = (self.terms.facts.enter_arm(), self.asked.len());
            let required = self.required_here.len();
            let opened = self.opened.len();
            let (made, filtered) = (self.made_here.len(), self.filtered_here.len());
            self.terms.assume(&cond, truth, Source::Known);
            let yields = self.statements(arm);
            let yields = yields.map(|terms| {
                let size = |term: &Term| self.terms.is_size(term);
                let sizes: Vec<bool> = terms.iter().map(size).collect();
                (terms, sizes)
            });
            self.terms.facts.leave_arm(mark);
            self.forget_spaces(asked);
            self.forget_required(required);
            self.forget_makings(made);
            self.forget_filters(filtered);
            for value in self.opened.drain(opened..) {
                self.visible.remove(&value);
            }
            yields
        });
        let (yes, no) = match (yes, no) {
            (None, None) => {
                stmt.results.iter().for_each(|&r| self.unknown_scalar(r));
                return false;
            }
            (Some(yields), None) | (None, Some(yields)) => (yields.clone(), yields),
            (Some(yes), Some(no)) => (yes, no),
        };
        for (n, &result) in stmt.results.iter().enumerate() {
            let scalar = self.domain(result) == Domain::Scalar;
            if scalar && yes.0[n] == no.0[n] {
                self.scalars.insert(result, yes.0[n].clone());
            }
            self.unknown_scalar(result);
            if scalar && yes.1[n] && no.1[n] {
                let symbol = self.value_symbol(result);
                self.terms.facts.size(symbol);
            }
        }
        true
    }

    fn call(&mut self, stmt: &Stmt, func: Func, args: &[Operand]) -> bool {
        let Some(summaries) = self.summaries else {
            stmt.results.iter().for_each(|&r| self.unknown_scalar(r));
            return true;
        };
        let args: Vec<Option<Linear>> = args
            .iter()
            .map(|&a| match a {
                Operand::Value(v) if self.domain(v) != Domain::Scalar => None,
                operand => self.operand(operand).linear().cloned(),
            })
            .collect();
        let summary = &summaries[base::Id::index(func)];
        for (n, &result) in stmt.results.iter().enumerate() {
            let scalar = self.domain(result) == Domain::Scalar;
            if scalar
                && self.function.values[result].ty == Ty::I64
                && let Some(sum) = calls::apply(summary, n, &args)
            {
                let sum = self.terms.kept_short(sum);
                self.scalars.insert(result, Term::Int(sum));
            }
            self.unknown_scalar(result);
        }
        summary.ends()
    }

    /// Notes a sum to be shown.
    pub(super) fn note(&mut self, sum: Linear, is_zero: bool) {
        if self.terms.lane_of_sum(&sum) == Lane::None && !sum.terms.is_empty() {
            self.found.push(super::Found { sum, is_zero });
        }
    }

    /// Notes what checks of the outermost block say, to be shown.
    fn note_checks(&mut self) {
        let checked: Vec<Linear> = self
            .terms
            .facts
            .here()
            .filter(|fact| fact.source == Source::Checked)
            .map(|fact| fact.sum.clone())
            .collect();
        let mut n = 0;
        while n < checked.len() {
            let zero = checked.get(n + 1).is_some_and(|next| *next == checked[n].times(-1));
            self.note(checked[n].clone(), zero);
            n += if zero { 2 } else { 1 };
        }
    }
}
