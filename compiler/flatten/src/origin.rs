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

mod evaluate;

use crate::analysis::{Analysis, callees};
use crate::joint::Unused;
use crate::rep::{Pool, Rep};
use crate::ways::Handed;
use base::{Id, IdMap};
use evaluate::Evaluator;
use nest::{Func, Program, Type};
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
    pub(crate) given: BTreeSet<Path>,
    pub(crate) own: Option<Box<Origin>>,
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
pub(crate) enum Step {
    /// Part of a tuple.
    Part(usize),
    /// Elements of a sequence.
    Elements,
}

/// For each function sequences among its arguments.
pub(crate) type Lent = IdMap<Func, BTreeSet<Path>>;

impl Path {
    /// A parameter.
    pub(crate) fn of(param: usize) -> Path {
        Path { param, steps: Vec::new() }
    }

    pub(crate) fn param(&self) -> usize {
        self.param
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether it is inside of elements.
    pub(crate) fn is_inside(&self) -> bool {
        self.steps.contains(&Step::Elements)
    }

    pub(crate) fn then(&self, step: Step) -> Path {
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
    /// that may lie in pools of their own all do.  What looks into a heap may have been given from
    /// outside, too, and lies there, then.
    fn settled(&self, ty: &Type, made: &Made) -> Origin {
        match (self, ty) {
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Origin::Tuple(parts.map(|(part, ty)| part.settled(ty, made)).collect())
            }
            (Origin::Seq(Behind { given, own }), Type::Seq(ty)) => {
                let moved = given.iter().filter(|path| made.may_move(path));
                let stays = |path: &&Path| made.in_heaps || !made.moves(path);
                let given = given.iter().filter(stays).cloned().collect();
                let moved = moved.map(|path| Origin::given(ty, path.then(Step::Elements)));
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
                if own.is_some() || given.iter().any(|path| made.may_move(path)) =>
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

    /// What [`Origin::closed`] puts where this is open.
    fn where_open(&self, ty: &Type) -> Origin {
        match (self, ty) {
            (Origin::Open, ty) => Origin::own(ty),
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Origin::Tuple(parts.map(|(part, ty)| part.where_open(ty)).collect())
            }
            (Origin::Seq(Behind { own: Some(own), .. }), Type::Seq(ty)) => {
                Origin::of_elements(own.where_open(ty))
            }
            (Origin::Scalar, _) => Origin::Scalar,
            _ => Origin::Open,
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

    /// What among the arguments it is, not inside of sequences.
    fn handed_up(&self) -> BTreeSet<Path> {
        match self {
            Origin::Open | Origin::Scalar => BTreeSet::new(),
            Origin::Tuple(parts) => parts.iter().flat_map(Origin::handed_up).collect(),
            Origin::Seq(Behind { given, .. }) => given.clone(),
        }
    }

    /// What among the arguments is inside of sequences that were made.
    fn inside(&self) -> BTreeSet<Path> {
        fn add(origin: &Origin, made: bool, found: &mut BTreeSet<Path>) {
            match origin {
                Origin::Open | Origin::Scalar => {}
                Origin::Tuple(parts) => parts.iter().for_each(|part| add(part, made, found)),
                Origin::Seq(Behind { given, own }) => {
                    found.extend(given.iter().filter(|_| made).cloned());
                    own.iter().for_each(|own| add(own, true, found));
                }
            }
        }
        let mut found = BTreeSet::new();
        add(self, false, &mut found);
        found
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
    fn lying(&self, made: &Made, args: &Handed) -> Lying {
        match self {
            Origin::Scalar => Lying::Scalar,
            Origin::Tuple(parts) => {
                Lying::Tuple(parts.iter().map(|part| part.lying(made, args)).collect())
            }
            Origin::Seq(Behind { given, own }) => Lying::Seq {
                given: made.pools(given, args),
                own: own.as_ref().map(|own| Box::new(own.lying(made, args))),
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
    /// What calls give, too, that never end: it may be handed on.
    endless: IdMap<Func, Origin>,
    /// Values that only stand for others.
    unused: &'a Unused,
    /// Which functions are given copies of sequences that look into several pools.
    copying: Vec<bool>,
    made: IdMap<Func, Made>,
    /// Whether what is handed up counts as made where it has only a few elements.
    short_is_made: bool,
}

/// The sequences among a function's arguments that its own recursion may have made.  If they are
/// handed up, then in a pool of its own, as the pools of all depths would have to be kept.
#[derive(Clone, Default)]
pub(crate) struct Made {
    paths: BTreeSet<Path>,
    /// Whether what is inside of these may lie where they do.
    in_heaps: bool,
    /// Those that are lent ([`crate::lent`]), which are handed up as they are.
    lent: BTreeSet<Path>,
    /// Whether the recursion hands to itself in another order what is inside of sequences that it
    /// makes.
    mixed: bool,
}

impl Made {
    fn has(&self, path: &Path) -> bool {
        let begins = |made: &Path| {
            self.in_heaps && made.param == path.param && path.steps.starts_with(&made.steps)
        };
        self.paths.contains(path) || self.paths.iter().any(begins)
    }

    /// Whether it is handed up in a pool of its own, if it is not in one that the recursion was
    /// given.
    fn moves(&self, path: &Path) -> bool {
        self.has(path) && !self.lent.contains(path)
    }

    /// Whether it is handed up in a pool of its own, perhaps: what is lent may come back from a
    /// call in a heap that has grown.
    fn may_move(&self, path: &Path) -> bool {
        self.moves(path) || self.in_heaps && self.has(path)
    }

    /// The pools among which something lies that is one of these.  Where pools have numbers they
    /// are in that order, so that whoever calls with the same has the same.
    fn pools(&self, paths: &BTreeSet<Path>, given: &Handed) -> Vec<Pool> {
        if let (Some(ways), false) = (&given.ways, self.in_heaps) {
            let numbers: BTreeSet<usize> =
                paths.iter().flat_map(|path| ways.behind(path)).collect();
            return numbers.into_iter().map(|n| given.pools[n].clone()).collect();
        }
        let outside = |path: &Path| {
            let mut pools = path.pools(&given.args);
            if self.moves(path) {
                // That of the heap itself.
                pools.pop();
            }
            pools
        };
        paths.iter().flat_map(outside).collect()
    }
}

impl<'a> Origins<'a> {
    /// `copying` tells which functions are given copies of sequences that look into several pools,
    /// `lent` what each hands up as it was given it.
    pub(crate) fn new(
        program: &Program,
        analysis: &Analysis,
        copying: Vec<bool>,
        unused: &'a Unused,
        lent: &Lent,
    ) -> Origins<'a> {
        let made = copying.iter().zip(lent.values());
        let made =
            made.map(|(&in_heaps, lent)| Made { in_heaps, lent: lent.clone(), ..Made::default() });
        let (of, endless, made) = (IdMap::new(), IdMap::new(), made.collect());
        let mut found = Origins { of, endless, unused, copying, made, short_is_made: false };
        found.find(program, analysis);
        found
    }

    /// The same where nothing is lent, and where what has only a few elements, as a comparison has
    /// told, counts as made when it is handed up: a copy of that costs no more than a call.
    pub(crate) fn where_short_is_made(
        program: &Program,
        analysis: &Analysis,
        copying: Vec<bool>,
        unused: &'a Unused,
    ) -> Origins<'a> {
        let made = copying.iter().map(|&in_heaps| Made { in_heaps, ..Made::default() }).collect();
        let (of, endless) = (IdMap::new(), IdMap::new());
        let mut found = Origins { of, endless, unused, copying, made, short_is_made: true };
        found.find(program, analysis);
        found
    }

    fn find(&mut self, program: &Program, analysis: &Analysis) {
        let mut callers: IdMap<Func, Vec<Func>> =
            program.funcs.values().map(|_| Vec::new()).collect();
        for (func, function) in program.funcs.iter() {
            for callee in callees(&function.body) {
                callers[callee].push(func);
            }
        }
        self.endless = program.funcs.values().map(|_| Origin::Open).collect();
        loop {
            self.of = program.funcs.values().map(|_| Origin::Open).collect();
            self.until_nothing_changes(program, analysis, &callers);
            let mut open = 0;
            for (func, function) in program.funcs.iter() {
                let ty = &function.values[function.body.result].ty;
                if self.of[func].closed(ty) != self.of[func] {
                    self.endless[func] = self.endless[func].or(&self.of[func].where_open(ty));
                    open += 1;
                }
            }
            if open == 0 && self.note_mixed(program, analysis) == 0 {
                return;
            }
        }
    }

    /// Notes the recursions that mix what is inside of sequences they make; gives how many
    /// functions these are.
    fn note_mixed(&mut self, program: &Program, analysis: &Analysis) -> usize {
        let mixes = |&func: &Func| Evaluator::new(self, program, analysis, func).mixes();
        let mixing = program.funcs.ids().filter(|func| analysis.recursive[func.index()]);
        let mixing: BTreeSet<Func> =
            mixing.filter(mixes).map(|func| analysis.recursion[func]).collect();
        let all = self
            .made
            .iter_mut()
            .filter(|(func, made)| mixing.contains(&analysis.recursion[*func]) && !made.mixed);
        all.map(|(_, made)| made.mixed = true).count()
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

    /// Where the result of a function lies, in these arguments, whose sequences are views.
    pub(crate) fn lying(&self, func: Func, args: &Handed) -> Lying {
        self.of[func].lying(&self.made[func], args)
    }

    /// Whether a function with heaps hands up what may lie in them or was given from outside.
    pub(crate) fn hands_up_given(&self, func: Func) -> bool {
        let made = &self.made[func];
        let given = self.of[func].handed_up();
        made.in_heaps && given.iter().any(|path| made.has(path))
    }

    /// Whether numbers of pools that are inside of what comes from below matter.
    pub(crate) fn mixes(&self, func: Func) -> bool {
        self.made[func].mixed
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

    /// The sequences among a function's arguments that it hands up, not in others, as it was given
    /// them: all, or those that the recursion may have made.
    pub(crate) fn handed_up(
        &self,
        program: &Program,
        analysis: &Analysis,
        func: Func,
        all: bool,
    ) -> BTreeSet<Path> {
        let mut found = self.evaluated(program, analysis, func).0.handed_up();
        found.retain(|path| all || self.made[func].has(path));
        found
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
        let (origin, made) = self.evaluated(program, analysis, func);
        let mut origin = origin.or(&self.endless[func]);
        if analysis.called[func.index()] {
            origin = origin.settled(&function.values[function.body.result].ty, &self.made[func]);
        }
        (origin, made)
    }

    /// The same, where what the recursion has made lies where it was given.
    fn evaluated(
        &self,
        program: &Program,
        analysis: &Analysis,
        func: Func,
    ) -> (Origin, Vec<(Func, Path)>) {
        Evaluator::new(self, program, analysis, func).run()
    }
}
