//! Where the results of functions lie.
//!
//! A sequence that a function hands up as it was given it, or a slice of one, or an element of a
//! nested one, looks into a *pool* of an argument.  A call of such a function gives start and
//! length alone, and its caller knows the pool: nothing is copied, however deep the recursion.
//! Where it looks into one of several, a number says which.
//!
//! ```text
//! function down(v, k) = if k == 0 then v else down(drop(v, 1), k - 1)    lies in v
//! function halves(v) = [take(v, #v / 2), drop(v, #v / 2)]                its elements lie in v
//! function pick(v, w, k) = if k == 0 then v else pick(w, v, k - 1)       lies in v or w
//! ```
//!
//! Found by evaluating functions over origins instead of values, until nothing changes.

use crate::analysis::{Analysis, callees};
use crate::rep::{Pool, Rep};
use crate::tails::Unused;
use base::{Id, IdMap};
use nest::{Block, Func, Function, Op, Program, Type, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Where the parts of a value lie.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Origin {
    /// Not known yet: what calls give that lead back to the function itself.
    Open,
    Scalar,
    Tuple(Vec<Origin>),
    Seq(Behind),
}

/// Where a sequence lies: behind one of these among the arguments, or in a pool of its own, whose
/// elements are of this origin.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Behind {
    given: BTreeSet<Path>,
    own: Option<Box<Origin>>,
}

/// Where a value lies, in the pools of the function that has it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Lying {
    Scalar,
    Tuple(Vec<Lying>),
    /// In one of the given pools, or in one of its own, whose elements lie there.  Elements of
    /// sequences have the one or the other.
    Seq {
        given: Vec<Pool>,
        own: Option<Box<Lying>>,
    },
    /// Each sequence in a pool of its own.
    Own,
}

impl Lying {
    /// Part `n` of a tuple.
    pub(crate) fn part(&self, n: usize) -> &Lying {
        match self {
            Lying::Tuple(parts) => &parts[n],
            Lying::Own => self,
            Lying::Scalar | Lying::Seq { .. } => unreachable!("{self:?} is no tuple"),
        }
    }

    /// Whether a sequence lies in one of several pools.
    pub(crate) fn chooses(&self) -> bool {
        match self {
            Lying::Scalar | Lying::Own => false,
            Lying::Tuple(parts) => parts.iter().any(Lying::chooses),
            Lying::Seq { given, own } => {
                let several = given.len() + usize::from(own.is_some()) > 1;
                several || own.as_ref().is_some_and(|own| own.chooses())
            }
        }
    }

    /// The given pools among which a sequence lies, and how the elements of its own pool do.
    pub(crate) fn seq(&self) -> (&[Pool], Option<&Lying>) {
        match self {
            Lying::Seq { given, own } => (given, own.as_deref()),
            Lying::Own => (&[], Some(self)),
            Lying::Scalar | Lying::Tuple(_) => unreachable!("{self:?} is no sequence"),
        }
    }
}

/// A sequence among the arguments of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Path {
    param: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    /// Part of a tuple.
    Part(usize),
    /// Elements of a sequence.
    Elements,
}

impl Path {
    fn then(&self, step: Step) -> Path {
        let mut steps = self.steps.clone();
        steps.push(step);
        Path { param: self.param, steps }
    }

    /// The pools behind the sequence, in these arguments, whose sequences are views.
    fn pools(&self, args: &[Rep]) -> Vec<Pool> {
        let mut rep = &args[self.param];
        let mut steps = self.steps.iter().chain([&Step::Elements]);
        let mut pools = loop {
            match (rep, steps.next()) {
                (Rep::Tuple(parts), Some(Step::Part(n))) => rep = &parts[*n],
                (Rep::View { pool, .. }, Some(Step::Elements)) => break pool.all(),
                _ => unreachable!("{self:?} in {rep:?}"),
            }
        };
        for step in steps {
            let below = |pool: &Pool| match (pool, step) {
                (Pool::Tuple(parts), Step::Part(n)) => vec![parts[*n].clone()],
                (Pool::Seq(_, inner), Step::Elements) => inner.all(),
                _ => unreachable!("{self:?} in {pool:?}"),
            };
            pools = pools.iter().flat_map(below).collect();
        }
        pools
    }
}

impl Origin {
    /// A value of this type at a place among the arguments.
    fn given(ty: &Type, path: Path) -> Origin {
        match ty {
            Type::Scalar(_) => Origin::Scalar,
            Type::Tuple(parts) => Origin::Tuple(
                parts
                    .iter()
                    .enumerate()
                    .map(|(n, part)| Origin::given(part, path.then(Step::Part(n))))
                    .collect(),
            ),
            Type::Seq(_) => Origin::Seq(Behind { given: BTreeSet::from([path]), own: None }),
        }
    }

    /// A value of this type that has nothing of the arguments.
    fn own(ty: &Type) -> Origin {
        match ty {
            Type::Scalar(_) => Origin::Scalar,
            Type::Tuple(parts) => Origin::Tuple(parts.iter().map(Origin::own).collect()),
            Type::Seq(element) => Origin::of_elements(Origin::own(element)),
        }
    }

    /// A sequence in a pool of its own, whose elements are of this origin.
    fn of_elements(element: Origin) -> Origin {
        Origin::Seq(Behind { given: BTreeSet::new(), own: Some(Box::new(element)) })
    }

    /// An element, of this type, of a sequence.
    fn element(&self, ty: &Type) -> Origin {
        match self {
            Origin::Open => Origin::Open,
            Origin::Seq(Behind { given, own }) => {
                let given = given.iter().map(|path| Origin::given(ty, path.then(Step::Elements)));
                let all = given.chain(own.as_deref().cloned());
                all.reduce(|a, b| a.or(&b)).unwrap_or(Origin::Open)
            }
            Origin::Scalar | Origin::Tuple(_) => unreachable!("{self:?} is no sequence"),
        }
    }

    /// Part `n` of a tuple.
    fn part(&self, n: usize) -> Origin {
        match self {
            Origin::Open => Origin::Open,
            Origin::Tuple(parts) => parts[n].clone(),
            _ => unreachable!("{self:?} is no tuple"),
        }
    }

    /// One or the other.
    fn or(&self, other: &Origin) -> Origin {
        match (self, other) {
            (Origin::Open, known) | (known, Origin::Open) => known.clone(),
            (Origin::Tuple(a), Origin::Tuple(b)) => {
                Origin::Tuple(a.iter().zip(b).map(|(a, b)| a.or(b)).collect())
            }
            (Origin::Seq(a), Origin::Seq(b)) => {
                let own = match (&a.own, &b.own) {
                    (Some(a), Some(b)) => Some(Box::new(a.or(b))),
                    (a, b) => a.clone().or_else(|| b.clone()),
                };
                Origin::Seq(Behind { given: a.given.union(&b.given).cloned().collect(), own })
            }
            (same, _) => same.clone(),
        }
    }

    /// The same, where what the recursion has made lies in a pool of its own, and where elements
    /// that may lie in pools of their own all do.
    fn settled(&self, ty: &Type, made: &Made) -> Origin {
        match (self, ty) {
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Origin::Tuple(parts.map(|(part, ty)| part.settled(ty, made)).collect())
            }
            (Origin::Seq(Behind { given, own }), Type::Seq(ty)) => {
                let (moved, given): (BTreeSet<_>, _) =
                    given.iter().cloned().partition(|path| made.has(path));
                let moved = moved.iter().map(|path| Origin::given(ty, path.then(Step::Elements)));
                let own = moved.chain(own.as_deref().cloned()).reduce(|a, b| a.or(&b));
                let own = own.map(|own| Box::new(own.settled_below(ty, made)));
                Origin::Seq(Behind { given, own })
            }
            (other, _) => other.clone(),
        }
    }

    fn settled_below(&self, ty: &Type, made: &Made) -> Origin {
        match (self, ty) {
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Origin::Tuple(parts.map(|(part, ty)| part.settled_below(ty, made)).collect())
            }
            (Origin::Seq(Behind { given, own }), Type::Seq(ty))
                if own.is_some() || given.iter().any(|path| made.has(path)) =>
            {
                Origin::of_elements(self.element(ty).settled_below(ty, made))
            }
            (other, _) => other.clone(),
        }
    }

    /// The same, where what is still open has nothing of the arguments.
    fn closed(&self, ty: &Type) -> Origin {
        match (self, ty) {
            (Origin::Open, ty) => Origin::own(ty),
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                Origin::Tuple(parts.iter().zip(tys).map(|(part, ty)| part.closed(ty)).collect())
            }
            (Origin::Seq(Behind { given, own: Some(own) }), Type::Seq(ty)) => {
                let own = Some(Box::new(own.closed(ty)));
                Origin::Seq(Behind { given: given.clone(), own })
            }
            (other, _) => other.clone(),
        }
    }

    /// The same where sequences may be copied.
    fn copied(&self, ty: &Type) -> Origin {
        match (self, ty) {
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                Origin::Tuple(parts.iter().zip(tys).map(|(part, ty)| part.copied(ty)).collect())
            }
            (Origin::Seq(Behind { given, .. }), Type::Seq(ty)) => {
                let own = Some(Box::new(self.element(ty).copied(ty)));
                Origin::Seq(Behind { given: given.clone(), own })
            }
            (other, _) => other.clone(),
        }
    }

    /// What the caller of a function sees, whose arguments are of these origins and types.
    fn seen(&self, args: &[Origin], tys: &[&Type]) -> Origin {
        match self {
            Origin::Open | Origin::Scalar => self.clone(),
            Origin::Tuple(parts) => {
                Origin::Tuple(parts.iter().map(|part| part.seen(args, tys)).collect())
            }
            Origin::Seq(Behind { given, own }) => {
                let given = given.iter().map(|path| path.seen(args, tys));
                let own = own.iter().map(|own| Origin::of_elements(own.seen(args, tys)));
                given.chain(own).reduce(|a, b| a.or(&b)).unwrap_or(Origin::Open)
            }
        }
    }

    /// Where a value of this origin lies, in these arguments, whose sequences are views.
    pub(crate) fn lying(&self, args: &[Rep]) -> Lying {
        match self {
            Origin::Scalar => Lying::Scalar,
            Origin::Tuple(parts) => {
                Lying::Tuple(parts.iter().map(|part| part.lying(args)).collect())
            }
            Origin::Seq(Behind { given, own }) => Lying::Seq {
                given: given.iter().flat_map(|path| path.pools(args)).collect(),
                own: own.as_ref().map(|own| Box::new(own.lying(args))),
            },
            Origin::Open => unreachable!("an origin that is not known"),
        }
    }
}

impl Path {
    /// What the caller of a function sees, whose arguments are of these origins and types.
    fn seen(&self, args: &[Origin], tys: &[&Type]) -> Origin {
        let (mut at, mut ty) = (args[self.param].clone(), tys[self.param]);
        for step in &self.steps {
            (at, ty) = match (step, ty) {
                (Step::Part(n), Type::Tuple(parts)) => (at.part(*n), &parts[*n]),
                (Step::Elements, Type::Seq(element)) => (at.element(element), &**element),
                _ => unreachable!("{self:?} in {ty:?}"),
            };
        }
        at
    }
}

/// Where the result of each function lies.
pub(crate) struct Origins<'a> {
    of: IdMap<Func, Origin>,
    /// Values that only stand for others.
    unused: &'a Unused,
    /// Which functions are given copies of sequences that look into several pools.
    copying: Vec<bool>,
    made: IdMap<Func, Made>,
}

/// The sequences among a function's arguments that its own recursion may have made.  If they are
/// handed up, then in a pool of its own, as the pools of all depths would have to be kept.
#[derive(Clone, Default)]
pub(crate) struct Made {
    paths: BTreeSet<Path>,
    /// Whether what is inside of these may lie where they do.
    in_heaps: bool,
}

impl Made {
    fn has(&self, path: &Path) -> bool {
        let begins = |made: &Path| {
            self.in_heaps && made.param == path.param && path.steps.starts_with(&made.steps)
        };
        self.paths.contains(path) || self.paths.iter().any(begins)
    }
}

impl<'a> Origins<'a> {
    /// `copying` tells which functions are given copies of sequences that look into several pools.
    pub(crate) fn new(
        program: &Program,
        analysis: &Analysis,
        copying: Vec<bool>,
        unused: &'a Unused,
    ) -> Origins<'a> {
        let mut callers: IdMap<Func, Vec<Func>> =
            program.funcs.values().map(|_| Vec::new()).collect();
        for (func, function) in program.funcs.iter() {
            for callee in callees(&function.body) {
                callers[callee].push(func);
            }
        }
        let made = copying.iter().map(|&in_heaps| Made { in_heaps, ..Made::default() }).collect();
        let mut found = Origins { of: IdMap::new(), unused, copying, made };
        loop {
            found.of = program.funcs.values().map(|_| Origin::Open).collect();
            found.until_nothing_changes(program, analysis, &callers);
            for (func, function) in program.funcs.iter() {
                let ty = &function.values[function.body.result].ty;
                found.of[func] = found.of[func].closed(ty);
            }
            // Calls that never end give something now, which may be handed on.
            let all = program.funcs.ids().flat_map(|func| found.result(program, analysis, func).1);
            let all: Vec<_> = all.collect();
            let new =
                all.into_iter().filter(|(func, path)| found.made[*func].paths.insert(path.clone()));
            if new.count() == 0 {
                return found;
            }
        }
    }

    fn until_nothing_changes(
        &mut self,
        program: &Program,
        analysis: &Analysis,
        callers: &IdMap<Func, Vec<Func>>,
    ) {
        let mut todo: Vec<Func> = program.funcs.ids().collect();
        let mut waits = vec![true; program.funcs.len()];
        while let Some(func) = todo.pop() {
            waits[func.index()] = false;
            let (origin, made) = self.result(program, analysis, func);
            let mut again = Vec::new();
            for (callee, path) in made {
                if self.made[callee].paths.insert(path) {
                    again.push(callee);
                }
            }
            if self.of[func] != origin {
                self.of[func] = origin;
                again.extend(&callers[func]);
            }
            for func in again {
                if !std::mem::replace(&mut waits[func.index()], true) {
                    todo.push(func);
                }
            }
        }
    }

    /// Where the result of a function lies; nothing is [`Origin::Open`].
    pub(crate) fn of(&self, func: Func) -> &Origin {
        &self.of[func]
    }

    /// For each sequence in a parameter of this type, those in elements left out, whether the
    /// recursion only passes on there what it was given from outside.
    pub(crate) fn passed(&self, func: Func, param: usize, ty: &Type, out: &mut Vec<bool>) {
        fn add(made: &Made, ty: &Type, path: &Path, out: &mut Vec<bool>) {
            match ty {
                Type::Scalar(_) => {}
                Type::Tuple(parts) => {
                    for (n, part) in parts.iter().enumerate() {
                        add(made, part, &path.then(Step::Part(n)), out);
                    }
                }
                Type::Seq(_) => out.push(!made.has(path)),
            }
        }
        add(&self.made[func], ty, &Path { param, steps: Vec::new() }, out);
    }

    /// Where the result of a function lies, and what functions of the same recursion are given that
    /// was made in it.
    fn result(
        &self,
        program: &Program,
        analysis: &Analysis,
        func: Func,
    ) -> (Origin, Vec<(Func, Path)>) {
        let function = &program.funcs[func];
        let mut env = FxHashMap::default();
        for (param, &value) in function.params.iter().enumerate() {
            let path = Path { param, steps: Vec::new() };
            env.insert(value, Origin::given(&function.values[value].ty, path));
        }
        let made = Vec::new();
        let mut evaluator =
            Evaluator { origins: self, program, analysis, func, function, env, made };
        let mut origin = evaluator.block(&function.body);
        if analysis.called[func.index()] {
            origin = origin.settled(&function.values[function.body.result].ty, &self.made[func]);
        }
        (origin, evaluator.made)
    }
}

/// The evaluation of one function.
struct Evaluator<'a> {
    origins: &'a Origins<'a>,
    program: &'a Program,
    analysis: &'a Analysis,
    func: Func,
    function: &'a Function,
    env: FxHashMap<Value, Origin>,
    made: Vec<(Func, Path)>,
}

impl Evaluator<'_> {
    fn block(&mut self, block: &Block) -> Origin {
        for stmt in &block.stmts {
            let origin = self.op(&stmt.op, stmt.value);
            self.env.insert(stmt.value, origin);
        }
        self.env[&block.result].clone()
    }

    fn ty(&self, value: Value) -> &Type {
        &self.function.values[value].ty
    }

    /// An element of a sequence.
    fn element(&self, seq: Value) -> Origin {
        self.env[&seq].element(self.ty(seq).element())
    }

    fn op(&mut self, op: &Op, result: Value) -> Origin {
        match op {
            Op::Copy(v) | Op::Slice { seq: v, .. } => self.env[v].clone(),
            Op::Tuple(parts) => {
                Origin::Tuple(parts.iter().map(|part| self.env[part].clone()).collect())
            }
            Op::Field(v, n) => self.env[v].part(*n),
            Op::Element(seq, _) => self.element(*seq),
            Op::Partition(seq, _) => Origin::of_elements(self.env[seq].clone()),
            Op::Flatten(seq) => {
                let pieces = self.ty(*seq).element();
                Origin::of_elements(self.element(*seq).element(pieces.element()))
            }
            // Whatever it meets is behind it, too.
            _ if self.origins.unused[self.func].contains(&result) => Origin::Open,
            Op::Seq(items) => {
                let ty = self.ty(result).element();
                let item = items.iter().map(|item| self.env[item].clone());
                let item = item.reduce(|a, b| a.or(&b));
                Origin::of_elements(item.unwrap_or_else(|| Origin::own(ty)))
            }
            Op::Append(a, b) | Op::Write { into: a, values: b, .. } => {
                Origin::of_elements(self.element(*a).or(&self.element(*b)))
            }
            Op::Permute(seq, _) => Origin::of_elements(self.element(*seq)),
            Op::Each(each) => {
                for &(bound, source) in &each.generators {
                    let element = self.element(source);
                    self.env.insert(bound, element);
                }
                if let Some(test) = &each.test {
                    self.block(test);
                }
                Origin::of_elements(self.block(&each.body))
            }
            Op::If(_, then, els) => {
                let (then, els) = (self.block(then), self.block(els));
                then.or(&els)
            }
            Op::Call(func, args) => {
                let callee = &self.program.funcs[*func];
                let tys: Vec<&Type> =
                    callee.params.iter().map(|&param| &callee.values[param].ty).collect();
                let mut args: Vec<Origin> = args.iter().map(|arg| self.env[arg].clone()).collect();
                if self.analysis.recursion[*func] == self.analysis.recursion[self.func] {
                    self.note_made(*func, &args, &tys);
                }
                if self.origins.copying[func.index()] {
                    args = args.iter().zip(&tys).map(|(arg, ty)| arg.copied(ty)).collect();
                }
                let result = &self.origins.of[*func];
                result.seen(&args, &tys)
            }
            _ => Origin::own(self.ty(result)),
        }
    }

    /// Notes which sequences in these arguments were made in the recursion.
    fn note_made(&mut self, func: Func, args: &[Origin], tys: &[&Type]) {
        let known = &self.origins.made[self.func];
        for path in paths(tys) {
            let Origin::Seq(Behind { given, own }) = path.seen(args, tys) else { continue };
            if own.is_some() || given.iter().any(|path| known.has(path)) {
                self.made.push((func, path));
            }
        }
    }
}

/// All sequences in arguments of these types.
fn paths(tys: &[&Type]) -> Vec<Path> {
    fn add(ty: &Type, path: Path, found: &mut Vec<Path>) {
        match ty {
            Type::Scalar(_) => {}
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts.for_each(|(n, part)| add(part, path.then(Step::Part(n)), found));
            }
            Type::Seq(element) => {
                add(element, path.then(Step::Elements), found);
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for (param, ty) in tys.iter().enumerate() {
        add(ty, Path { param, steps: Vec::new() }, &mut found);
    }
    found
}
