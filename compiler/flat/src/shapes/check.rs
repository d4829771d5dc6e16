//! Facts are tested on data: a program runs, and all that was said of each function is compared
//! with what its values are when a call of it ends.
//!
//! Compared are all sums that scalars are said to be, lanes of spaces, vectors that are said to
//! be equal, elements that terms of lanes give, facts that always hold, and those that checks gave,
//! as far as the values that they speak of were made: an arm that did not run made none.

use super::linear::{Linear, Symbol};
use super::terms::{Kind, Lane, Term};
use super::{Shapes, calls};
use crate::eval::{Data, Evaluator, Failure, Frame};
use crate::ir::{Func, Program, Space, SpaceKind, Value};
use base::Id;
use prim::{Const, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::Env;
use std::cell::{Cell, RefCell};

/// What came of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Tested {
    /// What the program gave.
    pub result: Result<Vec<Data>, Failure>,
    /// How many times something was compared.
    pub compared: u64,
    /// What was wrong, in words.
    pub wrong: Vec<String>,
}

/// Most errors that are told.
const TOLD: usize = 20;

/// Runs a function of a program and tests what is known of all functions that are called.
pub fn check(program: &Program, func: Func, args: Vec<Data>) -> Tested {
    let summaries = calls::summaries(program);
    let alone = program.funcs.values().map(Shapes::of);
    let together = program.funcs.values().map(|f| Shapes::with(f, Some(&summaries)));
    let shapes: Vec<[Shapes<'_>; 2]> = alone.zip(together).map(|(a, b)| [a, b]).collect();
    let (compared, wrong) = (Cell::new(0), RefCell::new(Vec::new()));
    let watch = |func: Func, frame: &Frame<'_>| {
        for shapes in &shapes[func.index()] {
            let mut test = Test::new(shapes, frame);
            test.all();
            compared.set(compared.get() + test.compared);
            let mut wrong = wrong.borrow_mut();
            let left = TOLD.saturating_sub(wrong.len());
            wrong.extend(test.wrong.into_iter().take(left));
        }
    };
    let result = Evaluator::watched(program, &watch).call(func, args);
    Tested { result, compared: compared.get(), wrong: wrong.into_inner() }
}

/// The test of one call.
struct Test<'a, 'f> {
    shapes: &'a Shapes<'f>,
    frame: &'a Frame<'a>,
    /// Positions and indices of the lane, by the spaces that terms name.
    lane: FxHashMap<(Space, bool), i64>,
    /// What symbols are that speak of no lane, and of this one: terms share their parts, so that
    /// one of a few statements may be as long as a program when it is written out.
    always: RefCell<FxHashMap<Symbol, Option<Const>>>,
    here: RefCell<FxHashMap<Symbol, Option<Const>>>,
    compared: u64,
    wrong: Vec<String>,
}

impl<'a, 'f> Test<'a, 'f> {
    fn new(shapes: &'a Shapes<'f>, frame: &'a Frame<'a>) -> Test<'a, 'f> {
        Test {
            shapes,
            frame,
            lane: FxHashMap::default(),
            always: RefCell::default(),
            here: RefCell::default(),
            compared: 0,
            wrong: Vec::new(),
        }
    }

    fn all(&mut self) {
        let function = self.shapes.function();
        for (value, info) in function.values.iter() {
            if !self.frame.has(value) {
                continue;
            }
            match info.domain {
                crate::Domain::Scalar => self.scalar(value),
                _ => self.vector(value),
            }
        }
        for space in function.spaces.ids() {
            self.space(space);
        }
        for fact in self.shapes.terms.facts.always() {
            self.sum(&fact.sum, false);
        }
        for found in self.shapes.found() {
            self.sum(&found.sum, found.is_zero);
        }
        for symbol in self.shapes.terms.facts.sizes() {
            self.sum(&Linear::symbol(symbol), false);
        }
    }

    fn compare(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !right {
            let function = self.shapes.function();
            self.wrong.push(format!("{} in {}", what(), function.name));
        }
    }

    fn scalar(&mut self, value: Value) {
        let Some(term) = self.shapes.scalar(value) else { return };
        let Some(found) = self.term(term) else { return };
        let wanted = self.frame.data(value).scalar();
        self.compare(same(found, wanted), || {
            format!("{value} is {wanted}, not {found} ({term:?})")
        });
    }

    fn vector(&mut self, value: Value) {
        let first = self.shapes.first(value);
        if first != value && self.frame.has(first) {
            let [a, b] = [value, first].map(|v| self.frame.data(v).elements().clone());
            let right = a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(*a, *b));
            self.compare(right, || format!("{value} is not {first}"));
        }
        let crate::Domain::Lanes(space) = self.shapes.function().values[value].domain else {
            return;
        };
        if let Some((_, term)) = self.shapes.made.get(&value) {
            let elements = self.frame.data(value).elements().clone();
            self.lanes(space, &mut |test, lane| {
                if let Some(found) = test.term(term) {
                    let wanted = elements[lane];
                    test.compare(same(found, wanted), || {
                        format!("element {lane} of {value} is {wanted}, not {found} ({term:?})")
                    });
                }
            });
        }
        if let Some((source, predicate)) = self.shapes.kept.get(&value) {
            let elements = self.frame.data(value).elements().clone();
            for element in elements.iter() {
                self.leave();
                self.lane.insert((*source, false), element.int());
                if let Some(found) = self.term(predicate) {
                    self.compare(found.bool(), || {
                        format!("{value} keeps {element} ({predicate:?})")
                    });
                }
            }
            self.leave();
        }
    }

    fn space(&mut self, space: Space) {
        let Some(lanes) = self.shapes.lanes(space) else { return };
        let function = self.shapes.function();
        let shapes =
            function.chain(space).into_iter().filter_map(|s| match function.spaces[s].kind {
                SpaceKind::Root => None,
                SpaceKind::Regular(_, len) => len.value(),
                SpaceKind::Packed(_, offsets) => Some(offsets),
            });
        if !shapes.into_iter().all(|v| self.frame.has(v)) {
            return;
        }
        if let Some(found) = self.whole(lanes) {
            let wanted = self.frame.lanes(space);
            self.compare(found == wanted as i128, || {
                format!(
                    "{space} has {wanted} lanes, not {}, which is {found}",
                    self.shapes.sum(lanes)
                )
            });
        }
    }

    fn sum(&mut self, sum: &Linear, is_zero: bool) {
        if let Some(found) = self.whole(sum) {
            let right = if is_zero { found == 0 } else { found >= 0 };
            let shapes = self.shapes;
            self.compare(right, || format!("not {}: {found}", shapes.relation(sum, is_zero)));
        }
    }

    /// Runs `f` in each lane of a space, which has its position among all lanes.
    fn lanes(&mut self, space: Space, f: &mut dyn FnMut(&mut Self, usize)) {
        let chain = self.shapes.function().chain(space);
        let starts: Vec<Vec<usize>> = chain.iter().map(|&s| self.frame.starts(s)).collect();
        self.descend(&chain, &starts, 0, f);
        self.leave();
    }

    /// Forgets the lane, and what symbols are there.
    fn leave(&mut self) {
        self.lane.clear();
        self.here.get_mut().clear();
    }

    fn descend(
        &mut self,
        chain: &[Space],
        starts: &[Vec<usize>],
        parent: usize,
        f: &mut dyn FnMut(&mut Self, usize),
    ) {
        let (Some((&space, below)), Some((segments, starts))) =
            (chain.split_first(), starts.split_first())
        else {
            self.here.get_mut().clear();
            return f(self, parent);
        };
        let first = self.shapes.spaces.get(&space).map_or(space, |known| known.first);
        for (index, position) in (segments[parent]..segments[parent + 1]).enumerate() {
            self.lane.insert((first, false), position as i64);
            self.lane.insert((first, true), index as i64);
            self.descend(below, starts, position, f);
        }
    }

    fn term(&self, term: &Term) -> Option<Const> {
        match term {
            Term::Int(sum) => self.wrapped(sum),
            Term::Const(constant) => Some(*constant),
            Term::Other(symbol) => self.symbol(*symbol),
        }
    }

    /// A sum of ints that wrap.
    fn wrapped(&self, sum: &Linear) -> Option<Const> {
        let mut total = sum.constant;
        for &(symbol, times) in &sum.terms {
            let value = self.symbol(symbol)?.int();
            total = total.wrapping_add(value.wrapping_mul(times));
        }
        Some(self.frame.widths().fit(Const::I64(total)))
    }

    /// A sum of whole numbers.
    fn whole(&self, sum: &Linear) -> Option<i128> {
        let mut total = i128::from(sum.constant);
        for &(symbol, times) in &sum.terms {
            total += i128::from(self.symbol(symbol)?.int()) * i128::from(times);
        }
        Some(total)
    }

    /// What a symbol is; nothing if it speaks of what was not made.
    fn symbol(&self, symbol: Symbol) -> Option<Const> {
        let found = match self.shapes.terms.lane(symbol) {
            Lane::None => &self.always,
            Lane::At(_) | Lane::Other => &self.here,
        };
        if let Some(&known) = found.borrow().get(&symbol) {
            return known;
        }
        let value = self.find(symbol);
        found.borrow_mut().insert(symbol, value);
        value
    }

    fn find(&self, symbol: Symbol) -> Option<Const> {
        let data = |value: Value| self.frame.has(value).then(|| self.frame.data(value));
        match self.shapes.terms.kind(symbol) {
            Kind::Value(value) => Some(data(*value)?.scalar()),
            Kind::Lanes(space) => {
                let function = self.shapes.function();
                let made =
                    function.chain(*space).into_iter().all(|s| match function.spaces[s].kind {
                        SpaceKind::Root => true,
                        SpaceKind::Regular(_, len) => len.value().is_none_or(|v| self.frame.has(v)),
                        SpaceKind::Packed(_, offsets) => self.frame.has(offsets),
                    });
                made.then(|| Const::I64(self.frame.lanes(*space) as i64))
            }
            Kind::Position(space) => self.lane.get(&(*space, false)).map(|&n| Const::I64(n)),
            Kind::Index(space) => self.lane.get(&(*space, true)).map(|&n| Const::I64(n)),
            Kind::Element(vector, at) => {
                let at = usize::try_from(self.wrapped(at)?.int()).ok()?;
                data(*vector)?.elements().get(at).copied()
            }
            Kind::Op(ScalarOp::Select, args) => {
                let chosen = if self.term(&args[0])?.bool() { &args[1] } else { &args[2] };
                self.term(chosen)
            }
            Kind::Op(op, args) => {
                let args: Vec<Const> = args.iter().map(|a| self.term(a)).collect::<Option<_>>()?;
                prim::eval::eval(self.frame.widths(), *op, &args).ok()
            }
            Kind::Wrapped(sum) => self.wrapped(sum),
            Kind::Unknown(_) => None,
        }
    }
}

/// Whether two scalars are the same, `nan` included.
fn same(a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::F64(a), Const::F64(b)) => a == b || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}
