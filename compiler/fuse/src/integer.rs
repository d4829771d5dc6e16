//! The 0/1 program of a window: which of its statements run together, at the least cost.
//!
//! A window is some clusters of a partition whose statements may be shared out anew; the clusters
//! around it stay.  The variables are
//!
//! * `same(a, b)`, 0 or 1, for statements that can be in one cluster: whether they are;
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

use crate::cost::{LAUNCH, Sizes};
use crate::graph::shape;
use crate::legal::{LITTLE, Legal, Why};
use crate::pairs::Pairs;
use flat::{Domain, Value};
use good_lp::{
    Constraint, Expression, ProblemVariables, Solution, SolverModel, Variable, WithInitialSolution,
    WithTimeLimit, solvers::SolutionStatus, variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// Seconds that a window may take.  Windows are small enough to be through long before on any
/// machine, so that plans do not depend on it.
const SECONDS: f64 = 0.05;

/// What may be shared out anew.
pub(crate) struct Window<'w, 'g, 'a> {
    pub(crate) legal: &'w Legal<'g, 'a>,
    pub(crate) pairs: &'w Pairs,
    pub(crate) sizes: &'w Sizes,
    /// Clusters in the order in which they run.
    pub(crate) clusters: &'w [Vec<usize>],
}

/// New clusters for the statements of a window, in no order; none if no solution was found in time.
pub(crate) fn solve(window: &Window<'_, '_, '_>) -> Option<Vec<Vec<usize>>> {
    let mut program = Program::new(window);
    program.order();
    program.needs();
    program.ordered_writes();
    program.launches();
    program.traffic();
    program.solve()
}

struct Program<'p, 'w, 'g, 'a> {
    window: &'p Window<'w, 'g, 'a>,
    /// Statements in program order.
    free: Vec<usize>,
    /// The cluster in which a statement is at first.
    first: BTreeMap<usize, usize>,
    same: BTreeMap<(usize, usize), Variable>,
    place: BTreeMap<usize, Variable>,
    vars: ProblemVariables,
    /// Values of the variables for the clusters that there are.
    start: Vec<(Variable, f64)>,
    rules: Vec<Constraint>,
    cost: Expression,
}

impl<'p, 'w, 'g, 'a> Program<'p, 'w, 'g, 'a> {
    fn new(window: &'p Window<'w, 'g, 'a>) -> Self {
        let clusters = window.clusters.iter().enumerate();
        let first: BTreeMap<usize, usize> =
            clusters.flat_map(|(c, set)| set.iter().map(move |&n| (n, c))).collect();
        let mut program = Program {
            window,
            free: first.keys().copied().collect(),
            first,
            same: BTreeMap::new(),
            place: BTreeMap::new(),
            vars: ProblemVariables::new(),
            start: Vec::new(),
            rules: Vec::new(),
            cost: Expression::default(),
        };
        let last = (program.free.len() - 1) as f64;
        for (i, &b) in program.free.clone().iter().enumerate() {
            let place = program.fraction(last, program.first[&b] as f64);
            program.place.insert(b, place);
            for a in program.free[..i].to_vec() {
                if program.may_be_same(a, b) {
                    let together = program.first[&a] == program.first[&b];
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

    /// Whether two statements may be together, what can never be with an ordered write left out.
    fn may_be_same(&self, a: usize, b: usize) -> bool {
        let Window { legal, pairs, .. } = self.window;
        let stays = |m: usize, write: usize| {
            let inside: BTreeSet<usize> = self.free.iter().copied().collect();
            let readers =
                |&r: &Value| self.readers(r).all(|c| c == write || pairs.together(c, write));
            let results = &legal.graph.nodes[m].stmt.results;
            results.iter().all(|r| !legal.graph.escapes(&inside, *r) && readers(r))
        };
        pairs.get(a, b).is_ok() && (!legal.is_ordered(b) || stays(a, b))
    }

    fn same(&self, a: usize, b: usize) -> Option<Variable> {
        self.same.get(&(a.min(b), a.max(b))).copied()
    }

    /// `same` as a term: 0 where it cannot be.
    fn same_or_0(&self, a: usize, b: usize) -> Expression {
        self.same(a, b).map_or_else(Expression::default, Expression::from)
    }

    /// Statements of the window that use a value.
    fn readers(&self, value: Value) -> impl Iterator<Item = usize> {
        let graph = self.window.legal.graph;
        self.free.iter().copied().filter(move |&n| graph.needs(n, value))
    }

    /// Places.
    fn order(&mut self) {
        let pairs = self.window.pairs;
        let far = self.free.len() as f64;
        for (i, &b) in self.free.clone().iter().enumerate() {
            for (j, &a) in self.free.clone()[..i].iter().enumerate() {
                let same = self.same(a, b);
                let step = Expression::from(self.place[&b]) - self.place[&a];
                let before = pairs.ordered(a, b);
                if let Some(same) = same {
                    self.rules.push((step.clone() + far * same).leq(far));
                    if !before {
                        self.rules.push((step.clone() - far * same).geq(-far));
                    }
                }
                // What follows from a statement between need not be said.
                let is_between = |&c: &usize| pairs.ordered(a, c) && pairs.ordered(c, b);
                let mut between = self.free[j + 1..i].iter().copied().filter(is_between);
                match same {
                    Some(same) if before && between.next().is_none() => {
                        self.rules.push((step + same).geq(1));
                    }
                    None if before => {
                        let strict = |c| !pairs.together(a, c) || !pairs.together(c, b);
                        if !between.any(strict) {
                            self.rules.push(step.geq(1));
                        }
                    }
                    None if self.needs_a_side(a, b) => self.sides(a, b, &step, far),
                    Some(_) | None => {}
                }
            }
        }
    }

    /// Whether statements that are apart must have different places, though neither must be first.
    fn needs_a_side(&self, a: usize, b: usize) -> bool {
        match self.window.pairs.get(a, b) {
            Err(Why::Base | Why::Heavy | Why::Ordered) => true,
            // Different spaces are held apart by what needs a filter.
            Ok(_) | Err(_) => false,
        }
    }

    /// One before the other, whichever.
    fn sides(&mut self, a: usize, b: usize, step: &Expression, far: f64) {
        let first = self.first[&a] < self.first[&b];
        let side = self.vars.add(variable().binary());
        self.start.push((side, f64::from(u8::from(first))));
        self.rules.push((step.clone() - (far + 1.0) * side).geq(-far));
        self.rules.push((step.clone() - (far + 1.0) * side).leq(-1));
    }

    /// Kept lanes: some statements are together only where they run with the filter.
    fn needs(&mut self) {
        let Window { legal, pairs, .. } = self.window;
        let mut rules = Vec::new();
        for (&(a, b), &same) in &self.same {
            let Ok(needs) = pairs.get(a, b) else { continue };
            for (n, other, needed) in [(a, b, needs.first), (b, a, needs.second)] {
                let Some(filter) = legal.filter(n) else { continue };
                let kept = self.same_or_0(filter, n);
                if needed && filter != other {
                    rules.push((same - kept.clone()).leq(0));
                }
                if filter != other {
                    rules.push((kept + same - self.same_or_0(filter, other)).leq(1));
                }
            }
        }
        self.rules.append(&mut rules);
    }

    /// What is with an ordered write is for it alone, and little.
    fn ordered_writes(&mut self) {
        let legal = self.window.legal;
        let writes: Vec<usize> =
            self.free.iter().copied().filter(|&n| legal.is_ordered(n)).collect();
        for write in writes {
            let mut all = Expression::default();
            for &m in &self.free.clone() {
                let Some(same) = self.same(m, write) else { continue };
                all.add_mul(legal.little(m).unwrap_or(LITTLE + 1) as f64, same);
                for &result in &legal.graph.nodes[m].stmt.results {
                    for reader in self.readers(result).filter(|&r| r != write).collect::<Vec<_>>() {
                        self.rules.push((same - self.same_or_0(m, reader)).leq(0));
                    }
                }
                for &c in self.free.iter().filter(|&&c| c != m && c != write) {
                    if let (Some(one), Some(two)) = (self.same(m, c), self.same(c, write)) {
                        self.rules.push((one + two - same).leq(1));
                    }
                }
            }
            self.rules.push(all.leq(LITTLE as f64));
        }
    }

    /// The first statement of each cluster pays for its launch.
    fn launches(&mut self) {
        self.firsts_pay(&self.free.clone(), 0, LAUNCH);
    }

    /// Of these, all but the first `free` pay if none before is in the same cluster.
    fn firsts_pay(&mut self, of: &[usize], free: usize, bytes: u64) {
        for (i, &n) in of.iter().enumerate().skip(free) {
            let before: Vec<Variable> = of[..i].iter().filter_map(|&m| self.same(m, n)).collect();
            if before.is_empty() {
                continue;
            }
            let alone = of[..i].iter().all(|m| self.first[m] != self.first[&n]);
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
        for &n in &self.free {
            let node = &graph.nodes[n];
            makers.extend(node.stmt.results.iter().map(|&r| (r, n)));
            values.extend(node.stmt.results.iter().chain(&node.uses));
        }
        // Vectors with the same maker and readers are one.
        let mut alike: BTreeMap<(Option<usize>, Vec<usize>), u64> = BTreeMap::new();
        for value in values.into_iter().filter(|&v| sizes.bytes(v) > 0) {
            let group = (makers.get(&value).copied(), self.readers(value).collect());
            *alike.entry(group).or_default() += sizes.bytes(value);
        }
        for ((maker, readers), bytes) in alike {
            let of: Vec<usize> = maker.into_iter().chain(readers).collect();
            self.firsts_pay(&of, usize::from(maker.is_some()), bytes);
        }
        let inside: BTreeSet<usize> = self.free.iter().copied().collect();
        // What is needed around the window is written whatever happens in it.
        let made =
            makers.into_iter().filter(|&(v, _)| sizes.bytes(v) > 0 && !graph.escapes(&inside, v));
        let made: Vec<(Value, usize)> = made.collect();
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
        let readers: Vec<usize> = self.readers(value).collect();
        let there = readers.iter().all(|r| self.first[r] == self.first[&maker]);
        let leaves = self.fraction(1.0, f64::from(u8::from(!there)));
        for reader in readers {
            self.rules.push((self.same_or_0(maker, reader) + leaves).geq(1));
        }
        self.cost.add_mul(weight(self.window.sizes.bytes(value)), leaves);
        leaves
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
        let mut set_of: BTreeMap<usize, usize> = self.free.iter().map(|&n| (n, n)).collect();
        for (&(a, b), &same) in &self.same {
            if solution.value(same) > 0.5 && set_of[&a] != set_of[&b] {
                let (from, to) = (set_of[&a].max(set_of[&b]), set_of[&a].min(set_of[&b]));
                set_of.values_mut().filter(|set| **set == from).for_each(|set| *set = to);
            }
        }
        let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (n, set) in set_of {
            sets.entry(set).or_default().push(n);
        }
        Some(sets.into_values().collect())
    }
}

/// Bytes in launches, so that numbers are near 1.
fn weight(bytes: u64) -> f64 {
    bytes as f64 / LAUNCH as f64
}
