//! Arguments that are lent, and arguments that are owned.
//!
//! What a recursion has made in lanes and hands up lies in one pool, which it is copied to
//! ([`crate::origin::Made`]), as the pools of all depths would have to be kept otherwise.  The cost
//! model has paid for one such copy of each sequence: when it was made.  An argument that was made
//! for a lane alone is **owned** by it.  What else is given is **lent**: by whoever calls the
//! recursion from outside, by a lane that has several lanes look at it, or that hands it up itself.
//! Lent arguments are handed up as start and length, as everywhere else; who lends has the pool.
//!
//! ```text
//! function steps(v, k) =                           {steps(r, k) : r in rows; k in ks}
//!   if k == 0 then v                                 lends r: a copy has been paid by nobody
//!   else steps({x + 1 : x in v}, k - 1)            is given what was made for it
//! ```
//!
//! A function has a *variant* for each set of arguments that are lent, which is found from its
//! calls; here there is one that is called from outside and calls the other.  By the cost model
//! everything but a name pays for what it gives: an element of a sequence, a slice, a list.  So an
//! argument is lent if it is a parameter that was lent, what a generator gives of such a one, the
//! result of a call of the same recursion, which may be either, or if it comes from around an
//! apply-to-each; and a parameter that is owned is lent to each call if there are several, or if
//! it is handed up besides.

mod holders;

use crate::analysis::Analysis;
use crate::conserve::Conserving;
use crate::joint::Unused;
use crate::origin::{Lent, Origins, Path};
use base::{Id, IdMap};
use holders::{Holding, Target};
use nest::{Block, Func, Op, Program, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A function has at most so many variants with some arguments that are owned.
const MOST_VARIANTS: usize = 4;

/// A program with variants of functions for arguments that are lent.
pub(crate) struct Lending {
    pub(crate) program: Program,
    pub(crate) unused: Unused,
    /// For each function the sequences among its arguments that are handed up and lent.
    pub(crate) lent: Lent,
    /// The function that each is a variant of.
    pub(crate) original: IdMap<Func, Func>,
    /// Functions, of the original ones, that hand up what lies in heaps or was given from outside.
    in_heaps: Vec<bool>,
}

/// What matters of a program's functions.
pub(crate) struct Known<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    origins: &'a Origins<'a>,
    /// Which functions are called with heaps.  What these are given from outside is handed up as it
    /// is by all variants.
    copying: &'a [bool],
    /// Which functions may have variants.
    may: Vec<bool>,
    /// For each of these the sequences among its arguments for which it matters whether they are
    /// owned.
    matters: Lent,
}

impl Lending {
    /// Makes the variants.  `copying` tells which functions are called with heaps.
    pub(crate) fn new(program: &Program, unused: &Unused, copying: &[bool]) -> Lending {
        let analysis = Analysis::new(program);
        let nothing: Lent = program.funcs.values().map(|_| BTreeSet::new()).collect();
        let mut lending = Lending {
            program: program.clone(),
            unused: unused.clone(),
            lent: nothing.clone(),
            original: program.funcs.ids().collect(),
            in_heaps: vec![false; program.funcs.len()],
        };
        let lifted = lifted(program);
        let in_lanes = program.funcs.ids().filter(|func| lifted[func.index()]);
        let in_lanes: BTreeSet<Func> = in_lanes.map(|func| analysis.recursion[func]).collect();
        let may = |func: Func| {
            let (n, recursion) = (func.index(), &analysis.recursion[func]);
            in_lanes.contains(recursion) && analysis.recursive[n] && !analysis.scalar[n]
        };
        let may: Vec<bool> = program.funcs.ids().map(may).collect();
        if !may.contains(&true) && !copying.contains(&true) {
            return lending;
        }
        let origins = Origins::where_short_is_made(program, &analysis, copying.to_vec(), unused);
        for func in program.funcs.ids().filter(|func| copying[func.index()]) {
            let given = origins.handed_up(program, &analysis, func, true);
            lending.in_heaps[func.index()] = !given.is_empty();
        }
        let placed = lending.may_have_places();
        let conserving = Conserving::new(program, &analysis.recursive, &placed);
        let handed_up = |func: Func| {
            let all = conserving.parameter(func).is_some();
            let kept = may[func.index()].then(|| origins.handed_up(program, &analysis, func, all));
            kept.unwrap_or_default()
        };
        let matters = program.funcs.ids().map(handed_up).collect();
        let (analysis, origins) = (&analysis, &origins);
        let mut known = Known { program, analysis, origins, copying, may, matters };
        known.follow_calls();
        if known.matters.values().any(|paths| !paths.is_empty()) {
            Making { known: &known, lifted: &lifted, made: BTreeMap::new(), lending: &mut lending }
                .make();
        }
        lending
    }

    /// Which functions may put results into their places, where everything is copied.
    pub(crate) fn may_have_places(&self) -> Vec<bool> {
        let functions = self.lent.values().zip(self.original.values());
        functions.map(|(lent, func)| lent.is_empty() && !self.in_heaps[func.index()]).collect()
    }

    /// Which variants are called with heaps, of the functions that are.
    pub(crate) fn copying(&self, copying: &[bool]) -> Vec<bool> {
        self.original.values().map(|func| copying[func.index()]).collect()
    }
}

impl Known<'_> {
    /// What is given to a call for which it matters whether it is owned matters, too.
    fn follow_calls(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for func in self.program.funcs.ids().filter(|func| self.may[func.index()]) {
                let used: Vec<Path> = Holding::of(self, func, &BTreeSet::new()).used().collect();
                let known = self.matters[func].len();
                self.matters[func].extend(used);
                changed |= self.matters[func].len() > known;
            }
        }
    }
}

struct Making<'a> {
    known: &'a Known<'a>,
    /// Which functions are called in lanes.
    lifted: &'a [bool],
    /// The variants, by what is lent.
    made: BTreeMap<(Func, BTreeSet<Path>), Func>,
    lending: &'a mut Lending,
}

impl Making<'_> {
    fn make(mut self) {
        let entries = self.known.program.entries.clone();
        let mut todo = Vec::new();
        let entries =
            entries.into_iter().map(|func| self.variant_from_outside(func, false, &mut todo));
        self.lending.program.entries = entries.collect();
        let mut done = FxHashSet::default();
        while let Some(func) = todo.pop() {
            if done.insert(func) {
                self.call_variants(func, &mut todo);
            }
        }
    }

    /// The variant that is called from outside of its recursion.  In lanes all is lent.  At the
    /// root what is handed up is not copied, so that only what is inside of elements matters, which
    /// lanes may be given.
    fn variant_from_outside(&mut self, func: Func, in_lanes: bool, todo: &mut Vec<Func>) -> Func {
        let matters = self.known.matters[func].iter().filter(|_| !self.known.copying[func.index()]);
        let lent = matters.filter(|path| in_lanes || path.is_inside()).cloned().collect();
        self.variant(func, lent, todo)
    }

    fn variant(&mut self, func: Func, lent: BTreeSet<Path>, todo: &mut Vec<Func>) -> Func {
        let lent = self.allowed(func, lent);
        let new = |lending: &mut Lending| {
            if lent.is_empty() {
                return func;
            }
            lending.unused.push(lending.unused[func].clone());
            lending.lent.push(lent.clone());
            lending.original.push(func);
            lending.program.funcs.push(self.known.program.funcs[func].clone())
        };
        let lending = &mut *self.lending;
        let variant = *self.made.entry((func, lent.clone())).or_insert_with(|| new(lending));
        todo.push(variant);
        variant
    }

    /// What is lent, or all, if there are many other variants.
    fn allowed(&self, func: Func, lent: BTreeSet<Path>) -> BTreeSet<Path> {
        let all = &self.known.matters[func];
        let known = || self.made.keys().filter(|(other, lent)| *other == func && lent != all);
        if lent.is_empty() || self.made.contains_key(&(func, lent.clone())) {
            return lent;
        }
        if known().count() < MOST_VARIANTS { lent } else { all.clone() }
    }

    /// Has a function call the variants for what it owns and lends.
    fn call_variants(&mut self, func: Func, todo: &mut Vec<Func>) {
        let original = self.lending.original[func];
        let lent = self.lending.lent[func].clone();
        let mut targets = FxHashMap::default();
        if self.known.may[original.index()] {
            for Target { call, callee, lent } in Holding::of(self.known, original, &lent).targets()
            {
                targets.insert(call, self.variant(callee, lent, todo));
            }
        }
        let body = &self.known.program.funcs[original].body;
        let mut others = Vec::new();
        calls(body, self.lifted[original.index()], &mut |call, callee, in_lanes| {
            others.push((call, callee, in_lanes));
        });
        for (call, callee, in_lanes) in others {
            let variant = || self.variant_from_outside(callee, in_lanes, todo);
            targets.entry(call).or_insert_with(variant);
        }
        retarget(&mut self.lending.program.funcs[func].body, &targets);
    }
}

fn retarget(block: &mut Block, targets: &FxHashMap<Value, Func>) {
    for stmt in &mut block.stmts {
        if let Op::Call(func, _) = &mut stmt.op {
            *func = targets[&stmt.value];
        }
        for inner in stmt.op.parts_mut().1 {
            retarget(inner, targets);
        }
    }
}

/// Visits the calls in a block: the value that each gives, the function, and whether lanes call.
fn calls(block: &Block, in_lanes: bool, visit: &mut impl FnMut(Value, Func, bool)) {
    for stmt in &block.stmts {
        if let Op::Call(func, _) = stmt.op {
            visit(stmt.value, func, in_lanes);
        }
        let in_lanes = in_lanes || matches!(stmt.op, Op::Each(_));
        for inner in stmt.op.blocks() {
            calls(inner, in_lanes, visit);
        }
    }
}

/// Which functions are called in lanes.
pub(crate) fn lifted(program: &Program) -> Vec<bool> {
    let mut lifted = vec![false; program.funcs.len()];
    let mut todo: Vec<Func> = program.funcs.ids().collect();
    while let Some(func) = todo.pop() {
        calls(&program.funcs[func].body, lifted[func.index()], &mut |_, callee, in_lanes| {
            if in_lanes && !std::mem::replace(&mut lifted[callee.index()], true) {
                todo.push(callee);
            }
        });
    }
    lifted
}
