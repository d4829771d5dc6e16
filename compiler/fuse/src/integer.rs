//! The 0/1 program of a window: which of its units run together, at the least cost.
//!
//! A window is some clusters of a partition whose statements may be shared out anew, as units
//! ([`crate::units`]); the clusters around it stay.  The variables are
//!
//! * `same(a, b)`, 0 or 1, for units that can be in one cluster: whether they are;
//! * `place(n)`: when the cluster of `n` runs.  Same clusters have same places, and the place of
//!   what must run later is greater by 1 at least, so that there are no cycles (Megiddo and
//!   Sarkar, "Optimal weighted loop fusion for parallel programs");
//! * `pays(n, v)`: whether `n` is the first of its cluster to read the vector `v`, which then is
//!   read from memory: at least `1 - sum of same(m, n)` over the readers (and the maker) before it;
//! * `starts(n)`: whether `n` is the first of its cluster at all, which is a launch;
//! * `leaves(v)`: whether the vector is written, as some reader is not where it is made.
//!
//! Only `same` must be whole; the others then are, as they cost something.
//!
//! The rules of [`crate::legal`] are linear in these, but for what follows from several pairs at
//! once; such triangles are stated where a rule needs them.  Who uses the answer checks it.

use crate::bound::Bound;
use crate::cost::{LAUNCH, Sizes};
use crate::graph::shape;
use crate::legal::{LITTLE, Legal, Why};
use crate::pairs::Pairs;
use crate::units::Unit;
use flat::{Domain, Value};
use good_lp::{
    Constraint, Expression, ProblemVariables, Solution, SolverModel, Variable, WithInitialSolution,
    WithTimeLimit, solvers::SolutionStatus, variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// Seconds that a window may take.  Windows are small enough to be through long before on any
/// machine, so that plans do not depend on it; unless the machine stalls.  Our own tests ask for
/// equal plans, and wait until it goes on.
const SECONDS: f64 = if cfg!(test) { 60.0 } else { 0.25 };

/// What may be shared out anew.
pub(crate) struct Window<'w, 'g, 'a> {
    pub(crate) legal: &'w Legal<'g, 'a>,
    pub(crate) pairs: &'w Pairs,
    pub(crate) sizes: &'w Sizes,
    /// Clusters in the order in which they run.
    pub(crate) clusters: &'w [Vec<usize>],
    /// Statements that stay together.
    pub(crate) units: &'w [Unit],
    /// What they cost.
    pub(crate) now: u64,
    /// What they would cost at least.
    pub(crate) least: Bound,
}

/// New clusters for the statements of a window, in no order; none if no solution was found in time.
pub(crate) fn solve(window: &Window<'_, '_, '_>) -> Option<Vec<Vec<usize>>> {
    let mut program = Program::new(window);
    program.order();
    program.needs();
    program.ordered_writes();
    program.launches();
    program.traffic();
    program.cuts();
    program.solve()
}

struct Program<'p, 'w, 'g, 'a> {
    window: &'p Window<'w, 'g, 'a>,
    /// Units, by their numbers.
    free: std::ops::Range<usize>,
    /// The unit of each statement.
    unit_of: BTreeMap<usize, usize>,
    /// The last place that is of use.
    last: f64,
    /// The cluster in which each unit is at first.
    first: Vec<usize>,
    same: BTreeMap<(usize, usize), Variable>,
    place: Vec<Variable>,
    vars: ProblemVariables,
    /// Values of the variables for the clusters that there are.
    start: Vec<(Variable, f64)>,
    rules: Vec<Constraint>,
    cost: Expression,
}

impl<'p, 'w, 'g, 'a> Program<'p, 'w, 'g, 'a> {
    fn new(window: &'p Window<'w, 'g, 'a>) -> Self {
        let home = |unit: &Unit| {
            let cluster = window.clusters.iter().position(|set| set.contains(&unit.home));
            cluster.unwrap_or_else(|| unreachable!("{unit:?} is in no cluster"))
        };
        let units = window.units.iter().enumerate();
        let mut program = Program {
            window,
            free: 0..window.units.len(),
            unit_of: units
                .flat_map(|(u, unit)| unit.members.iter().map(move |&n| (n, u)))
                .collect(),
            first: window.units.iter().map(home).collect(),
            last: window.least.most_launches(window.now).saturating_sub(1) as f64,
            same: BTreeMap::new(),
            place: Vec::new(),
            vars: ProblemVariables::new(),
            start: Vec::new(),
            rules: Vec::new(),
            cost: Expression::default(),
        };
        let last = program.last;
        for b in program.free.clone() {
            let place = program.fraction(last, program.first[b] as f64);
            program.place.push(place);
            for a in 0..b {
                if program.may_be_same(a, b) {
                    let together = program.first[a] == program.first[b];
                    let same = program.vars.add(variable().binary());
                    program.start.push((same, f64::from(u8::from(together))));
                    program.same.insert((a, b), same);
                }
            }
        }
        program
    }

    /// A variable from 0 to `most` that is `start` at first.
    fn fraction(&mut self, most: f64, start: f64) -> Variable {
        let made = self.vars.add(variable().clamp(0.0, most));
        self.start.push((made, start));
        made
    }

    /// Whether two units may be together, what can never be with an ordered write left out.
    fn may_be_same(&self, a: usize, b: usize) -> bool {
        let Window { legal, pairs, .. } = self.window;
        let inside: BTreeSet<usize> = self.unit_of.keys().copied().collect();
        let stays = |m: usize, write: usize| {
            let readers = |&r: &Value| {
                let mut readers = inside.iter().filter(|&&c| legal.graph.needs(c, r));
                readers.all(|&c| c == write || pairs.together(c, write))
            };
            let results = &legal.graph.nodes[m].stmt.results;
            results.iter().all(|r| !legal.graph.escapes(&inside, *r) && readers(r))
        };
        let both = |m: usize, n: usize| {
            let (m, n) = (m.min(n), m.max(n));
            pairs.together(m, n) && (!legal.is_ordered(n) || stays(m, n))
        };
        self.cross(a, b).all(|(m, n)| both(m, n))
    }

    /// Pairs of statements of two units.
    fn cross(&self, a: usize, b: usize) -> impl Iterator<Item = (usize, usize)> {
        let (one, two) = (&self.window.units[a].members, &self.window.units[b].members);
        one.iter().flat_map(move |&m| two.iter().map(move |&n| (m, n)))
    }

    /// Whether the cluster of unit `b` cannot run before that of unit `a`.
    fn ordered(&self, a: usize, b: usize) -> bool {
        self.cross(a, b).any(|(m, n)| self.window.pairs.ordered(m, n))
    }

    fn same(&self, a: usize, b: usize) -> Option<Variable> {
        self.same.get(&(a.min(b), a.max(b))).copied()
    }

    /// `same` as a term: 0 where it cannot be.
    fn same_or_0(&self, a: usize, b: usize) -> Expression {
        if a == b {
            return Expression::from(1.0);
        }
        self.same(a, b).map_or_else(Expression::default, Expression::from)
    }

    /// Units of the window that use a value.
    fn readers(&self, value: Value) -> Vec<usize> {
        let graph = self.window.legal.graph;
        let reads =
            |&u: &usize| self.window.units[u].members.iter().any(|&n| graph.needs(n, value));
        self.free.clone().filter(reads).collect()
    }

    /// Places.
    fn order(&mut self) {
        for b in self.free.clone() {
            for a in 0..b {
                // A unit may run before one that begins before it.
                let (a, b) = if self.ordered(b, a) { (b, a) } else { (a, b) };
                self.order_of_two(a, b);
            }
        }
    }

    /// Places of two units; the first may have to run before the second, not the other way round.
    fn order_of_two(&mut self, a: usize, b: usize) {
        let far = self.last;
        let step = Expression::from(self.place[b]) - self.place[a];
        let before = self.ordered(a, b);
        let Some(same) = self.same(a, b) else {
            if before {
                self.rules.push(step.geq(1));
            } else if !before && self.needs_a_side(a, b) {
                self.sides(a, b, &step);
            }
            return;
        };
        self.rules.push((step.clone() + far * same).leq(far));
        if !before {
            self.rules.push((step.clone() - far * same).geq(-far));
        } else {
            self.rules.push((step + same).geq(1));
        }
    }

    /// Whether units that are apart must have different places, though neither must be first.
    fn needs_a_side(&self, a: usize, b: usize) -> bool {
        let why = |(m, n): (usize, usize)| match self.window.pairs.get(m.min(n), m.max(n)) {
            Err(Why::Base | Why::Heavy | Why::Ordered) => true,
            // Different spaces are held apart by what needs a filter.
            Ok(_) | Err(_) => false,
        };
        self.cross(a, b).any(why)
    }

    /// One before the other, whichever.
    fn sides(&mut self, a: usize, b: usize, step: &Expression) {
        let far = self.last + 1.0;
        let first = self.first[a] < self.first[b];
        let side = self.vars.add(variable().binary());
        self.start.push((side, f64::from(u8::from(first))));
        self.rules.push((step.clone() - far * side).geq(1.0 - far));
        self.rules.push((step.clone() - far * side).leq(-1));
    }

    /// Kept lanes: some statements are together only where they run with the filter.
    fn needs(&mut self) {
        let Window { legal, pairs, .. } = self.window;
        let mut rules = Vec::new();
        for (&(a, b), &same) in &self.same {
            for (m, n) in self.cross(a, b).map(|(m, n)| (m.min(n), m.max(n))) {
                let Ok(needs) = pairs.get(m, n) else { continue };
                for (n, other, needed) in [(m, n, needs.first), (n, m, needs.second)] {
                    let Some(filter) = legal.filter(n).filter(|&f| f != other) else { continue };
                    let (own, other) = (self.unit_of[&n], self.unit_of[&other]);
                    let filter = self.unit_of.get(&filter).copied();
                    let to = |unit: usize| {
                        filter.map_or_else(Expression::default, |f| self.same_or_0(f, unit))
                    };
                    if needed {
                        rules.push((same - to(own)).leq(0));
                    }
                    rules.push((to(own) + same - to(other)).leq(1));
                }
            }
        }
        self.rules.append(&mut rules);
    }

    /// What is with an ordered write is for it alone, and little.
    fn ordered_writes(&mut self) {
        let legal = self.window.legal;
        // They are units of their own.
        let is_write = |u: &usize| legal.is_ordered(self.window.units[*u].home);
        for write in self.free.clone().filter(is_write).collect::<Vec<_>>() {
            let mut all = Expression::default();
            for m in self.free.clone() {
                let Some(same) = self.same(m, write) else { continue };
                for &n in &self.window.units[m].members {
                    all.add_mul(legal.little(n).unwrap_or(LITTLE + 1) as f64, same);
                    for &result in &legal.graph.nodes[n].stmt.results {
                        let readers = self.readers(result);
                        for reader in readers.into_iter().filter(|&r| r != write && r != m) {
                            self.rules.push((same - self.same_or_0(m, reader)).leq(0));
                        }
                    }
                }
                for c in self.free.clone().filter(|&c| c != m && c != write) {
                    if let (Some(one), Some(two)) = (self.same(m, c), self.same(c, write)) {
                        self.rules.push((one + two - same).leq(1));
                    }
                }
            }
            self.rules.push(all.leq(LITTLE as f64));
        }
    }

    /// The first unit of each cluster pays for its launch.
    fn launches(&mut self) {
        self.firsts_pay(&self.free.clone().collect::<Vec<_>>(), 0, LAUNCH);
    }

    /// Of these, all but the first `free` pay if none before is in the same cluster.
    fn firsts_pay(&mut self, of: &[usize], free: usize, bytes: u64) {
        for (i, &n) in of.iter().enumerate().skip(free) {
            let before: Vec<Variable> = of[..i].iter().filter_map(|&m| self.same(m, n)).collect();
            if before.is_empty() {
                self.cost += weight(bytes);
                continue;
            }
            let alone = of[..i].iter().all(|&m| self.first[m] != self.first[n]);
            let pays = self.fraction(1.0, f64::from(u8::from(alone)));
            self.rules.push((before.iter().sum::<Expression>() + pays).geq(1));
            self.cost.add_mul(weight(bytes), pays);
        }
    }

    /// Vectors that are read and written.
    fn traffic(&mut self) {
        let Window { legal, sizes, .. } = self.window;
        let graph = legal.graph;
        let mut makers: BTreeMap<Value, usize> = BTreeMap::new();
        let mut values: BTreeSet<Value> = BTreeSet::new();
        for (&n, &unit) in &self.unit_of {
            let node = &graph.nodes[n];
            makers.extend(node.stmt.results.iter().map(|&r| (r, unit)));
            values.extend(node.stmt.results.iter().chain(&node.uses));
        }
        // Vectors with the same maker and readers are one.
        let mut alike: BTreeMap<(Option<usize>, Vec<usize>), u64> = BTreeMap::new();
        for value in values.into_iter().filter(|&v| sizes.bytes(v) > 0) {
            let group = (makers.get(&value).copied(), self.readers(value));
            *alike.entry(group).or_default() += sizes.bytes(value);
        }
        for ((maker, readers), bytes) in alike {
            let others = readers.into_iter().filter(|&r| Some(r) != maker);
            let of: Vec<usize> = maker.into_iter().chain(others).collect();
            self.firsts_pay(&of, usize::from(maker.is_some()), bytes);
        }
        let inside: BTreeSet<usize> = self.unit_of.keys().copied().collect();
        // What is needed around the window is written whatever happens in it.
        let (around, made): (Vec<_>, Vec<_>) = makers
            .into_iter()
            .filter(|&(v, _)| sizes.bytes(v) > 0)
            .partition(|&(v, _)| graph.escapes(&inside, v));
        self.cost += around.iter().map(|&(v, _)| weight(sizes.bytes(v))).sum::<f64>();
        let leaves: BTreeMap<Value, Variable> =
            made.iter().map(|&(value, maker)| (value, self.leaves(value, maker))).collect();
        // The shape of kept lanes is written where what they hold is.
        for (_, info) in graph.function.spaces.iter() {
            let Some(shape) = shape(info).filter(|_| info.from.is_some()) else { continue };
            let Some(&shape) = leaves.get(&shape) else { continue };
            for (value, &held) in &leaves {
                let Domain::Lanes(space) = graph.function.values[*value].domain else { continue };
                if graph.function.spaces[space] == *info {
                    self.rules.push((held - shape).leq(0));
                }
            }
        }
    }

    /// Whether a vector leaves the cluster that makes it.
    fn leaves(&mut self, value: Value, maker: usize) -> Variable {
        let readers = self.readers(value);
        let there = readers.iter().all(|&r| self.first[r] == self.first[maker]);
        let leaves = self.fraction(1.0, f64::from(u8::from(!there)));
        for reader in readers.into_iter().filter(|&r| r != maker) {
            self.rules.push((self.same_or_0(maker, reader) + leaves).geq(1));
        }
        self.cost.add_mul(weight(self.window.sizes.bytes(value)), leaves);
        leaves
    }

    /// What holds for all whole solutions, so that fewer others need to be looked at: of statements
    /// that are apart another can be with one, and nothing costs less than the bound.
    fn cuts(&mut self) {
        for n in self.free.clone() {
            let mut partners: Vec<usize> =
                self.free.clone().filter(|&m| self.same(m, n).is_some()).collect();
            while let Some(&first) = partners.first() {
                let mut apart = vec![first];
                for &m in &partners[1..] {
                    if apart.iter().all(|&a| self.same(a, m).is_none()) {
                        apart.push(m);
                    }
                }
                if apart.len() > 1 {
                    let sum = apart.iter().filter_map(|&m| self.same(m, n)).sum::<Expression>();
                    self.rules.push(sum.leq(1));
                }
                partners.retain(|m| !apart.contains(m));
            }
        }
        self.rules.push(self.cost.clone().geq(weight(self.window.least.total())));
    }

    fn solve(self) -> Option<Vec<Vec<usize>>> {
        let mut model = self.vars.minimise(self.cost).using(good_lp::microlp);
        for rule in self.rules {
            model.add_constraint(rule);
        }
        let solution =
            model.with_time_limit(SECONDS).with_initial_solution(self.start).solve().ok()?;
        if !matches!(solution.status(), SolutionStatus::Optimal) {
            return None;
        }
        let mut set_of: Vec<usize> = self.free.clone().collect();
        for (&(a, b), &same) in &self.same {
            if solution.value(same) > 0.5 && set_of[a] != set_of[b] {
                let (from, to) = (set_of[a].max(set_of[b]), set_of[a].min(set_of[b]));
                set_of.iter_mut().filter(|set| **set == from).for_each(|set| *set = to);
            }
        }
        let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (unit, set) in set_of.into_iter().enumerate() {
            sets.entry(set).or_default().extend(&self.window.units[unit].members);
        }
        sets.values_mut().for_each(|set| set.sort_unstable());
        Some(sets.into_values().collect())
    }
}

/// Bytes in launches, so that numbers are near 1.
fn weight(bytes: u64) -> f64 {
    bytes as f64 / LAUNCH as f64
}
