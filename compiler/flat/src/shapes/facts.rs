//! Facts and what follows from them.
//!
//! A fact is a sum that is not negative: `v0 - v4 >= 0`.  Symbols are whole numbers here, and
//! nothing wraps around; whoever makes a fact of ints shows that they do not (`exact` in
//! [`terms`](super::terms)).
//!
//! To prove that a sum is not negative, facts that share a symbol with it, with a factor of the
//! same sign, are taken away from it until what is left is not negative for each symbol by itself.
//! That is sound, as what was taken away is not negative, and it finds what chains of a few facts
//! say.  The search gives up after some steps.
//!
//! A fact is *known* by what values are, or *checked*: true if the program gets past a `require`.
//! Where a check fails, what comes after it in the same launch still runs, on values that guards
//! keep harmless; so checked facts tell what is equal and what is less to whoever asks, but no
//! guard may go because of one.

use super::linear::{Linear, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// Steps of one proof.
const STEPS: u32 = 64;
/// Facts taken away one after the other.
const DEPTH: u32 = 5;
/// Facts of a symbol that are tried, the latest first.
const TRIED: usize = 12;

/// How a fact became one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// By what values are.
    Known,
    /// By a check that went before.
    Checked,
}

/// A sum that is not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The sum.
    pub sum: Linear,
    /// Why.
    pub source: Source,
}

/// What is taken back when a scope ends.
#[derive(Debug)]
enum Undo {
    Fact,
    NotNegative(Symbol),
    Sized(Symbol),
    Described(Symbol),
}

/// Facts by their symbols.
#[derive(Debug, Default)]
struct Store {
    facts: Vec<Fact>,
    by_symbol: FxHashMap<Symbol, Vec<usize>>,
}

/// All facts that hold at a place.
///
/// Some hold wherever what they speak of exists; the others end with their scope: what a lane knows
/// of itself, what a condition says in its arm.  That an element is below the end of something says
/// that there is something; so it is of the second kind, though true of every element.  What is
/// found out in an arm may follow from its condition and ends with it, too.
#[derive(Debug, Default)]
pub struct Facts {
    always: Store,
    here: Store,
    /// Symbols that are not negative and no larger than the longest vector, always.
    sizes: FxHashSet<Symbol>,
    /// Symbols that are not negative here.
    not_negative: FxHashSet<Symbol>,
    /// Symbols that are no larger than the longest vector here.
    sized: FxHashSet<Symbol>,
    /// Symbols whose facts have been added.
    described: FxHashSet<Symbol>,
    undo: Vec<Undo>,
    /// How many arms this place is in.
    arms: usize,
}

/// Where a scope began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Facts {
    /// A scope begins.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.undo.len())
    }

    /// The scope ends, and what was learnt in it is forgotten.
    pub(crate) fn forget(&mut self, mark: Mark) {
        while self.undo.len() > mark.0 {
            match self.undo.pop() {
                Some(Undo::Fact) => {
                    let fact = self.here.facts.pop();
                    for (symbol, _) in fact.iter().flat_map(|f| &f.sum.terms) {
                        self.here.by_symbol.get_mut(symbol).and_then(Vec::pop);
                    }
                }
                Some(Undo::NotNegative(symbol)) => {
                    self.not_negative.remove(&symbol);
                }
                Some(Undo::Sized(symbol)) => {
                    self.sized.remove(&symbol);
                }
                Some(Undo::Described(symbol)) => {
                    self.described.remove(&symbol);
                }
                None => {}
            }
        }
    }

    /// An arm begins: nothing that is found out holds behind it.
    pub(crate) fn enter_arm(&mut self) -> Mark {
        self.arms += 1;
        self.mark()
    }

    /// The arm ends.
    pub(crate) fn leave_arm(&mut self, mark: Mark) {
        self.arms -= 1;
        self.forget(mark);
    }

    /// The facts that always hold.
    pub fn always(&self) -> impl Iterator<Item = &Fact> {
        self.always.facts.iter()
    }

    /// The facts that hold here.
    pub fn here(&self) -> impl Iterator<Item = &Fact> {
        self.here.facts.iter()
    }

    /// The symbols that are always sizes.
    pub fn sizes(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.sizes.iter().copied()
    }

    /// Notes that a sum is not negative, here.
    pub(crate) fn add(&mut self, sum: Linear, source: Source) {
        if self.here.add(sum, source) {
            self.undo.push(Undo::Fact);
        }
    }

    /// Notes that a sum is not negative wherever what it speaks of exists, and could be so where it
    /// does not.
    pub(crate) fn add_always(&mut self, sum: Linear) {
        if self.arms > 0 {
            self.add(sum, Source::Known);
        } else {
            self.always.add(sum, Source::Known);
        }
    }

    /// Notes that a symbol is a length or a position: not negative, and not longer than the longest
    /// vector.
    pub(crate) fn size(&mut self, symbol: Symbol) {
        self.sizes.insert(symbol);
    }

    /// Notes that a symbol is a size, which was found out by what holds here.
    pub(crate) fn size_found(&mut self, symbol: Symbol) {
        if self.arms > 0 {
            self.size_here(symbol);
        } else {
            self.size(symbol);
        }
    }

    /// Notes that a symbol is a size, here.
    pub(crate) fn size_here(&mut self, symbol: Symbol) {
        self.positive_or_zero(symbol);
        if self.sized.insert(symbol) {
            self.undo.push(Undo::Sized(symbol));
        }
    }

    /// Notes that a symbol is not negative, here.
    pub(crate) fn positive_or_zero(&mut self, symbol: Symbol) {
        if self.not_negative.insert(symbol) {
            self.undo.push(Undo::NotNegative(symbol));
        }
    }

    /// Whether what a symbol says of itself must still be added; it counts as added then.
    pub(crate) fn describe(&mut self, symbol: Symbol) -> bool {
        let new = self.described.insert(symbol);
        if new {
            self.undo.push(Undo::Described(symbol));
        }
        new
    }

    /// Whether a symbol is known not to be negative.
    pub fn is_not_negative(&self, symbol: Symbol) -> bool {
        self.sizes.contains(&symbol) || self.not_negative.contains(&symbol)
    }

    /// Whether a symbol is known to be no larger than the longest vector.
    pub fn is_sized(&self, symbol: Symbol) -> bool {
        self.sizes.contains(&symbol) || self.sized.contains(&symbol)
    }

    /// Sizes that a sum may be at most: its symbols, and those that facts compare with one of them.
    pub(crate) fn sizes_above<'s>(&'s self, sum: &'s Linear) -> impl Iterator<Item = Symbol> + 's {
        let own = sum.terms.iter().map(|term| term.0);
        let above = own.clone().flat_map(|symbol| {
            let facts = self.here.of(symbol).chain(self.always.of(symbol));
            facts.filter(move |fact| fact.sum.factor(symbol) < 0).flat_map(|fact| {
                let positive = fact.sum.terms.iter().filter(|term| term.1 > 0);
                positive.map(|term| term.0)
            })
        });
        own.chain(above).filter(|&symbol| self.is_sized(symbol))
    }

    /// Whether a sum of whole numbers is never negative.
    pub fn prove(&self, sum: &Linear, with: Source) -> bool {
        let mut steps = STEPS;
        self.search(sum, with, DEPTH, &mut steps)
    }

    fn search(&self, sum: &Linear, with: Source, depth: u32, steps: &mut u32) -> bool {
        if !sum.is_small() {
            return false;
        }
        let fine = |&(symbol, times): &(Symbol, i64)| times > 0 && self.is_not_negative(symbol);
        if sum.constant >= 0 && sum.terms.iter().all(fine) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        // What stands in the way first; what does not, only if nothing else does.
        let mut hurting: Vec<_> = sum.terms.iter().filter(|t| !fine(t)).collect();
        hurting.sort_by_key(|term| term.1 > 0);
        if hurting.is_empty() {
            hurting.extend(&sum.terms);
        }
        for &(symbol, times) in hurting {
            for fact in self.here.of(symbol).chain(self.always.of(symbol)) {
                let theirs = fact.sum.factor(symbol);
                if theirs.signum() != times.signum()
                    || (fact.source == Source::Checked && with == Source::Known)
                {
                    continue;
                }
                if *steps == 0 {
                    return false;
                }
                *steps -= 1;
                // So many times the sum less so many times the fact is without the symbol.
                let common = gcd(times.unsigned_abs(), theirs.unsigned_abs());
                let left =
                    sum.times(theirs.abs() / common).plus_times(&fact.sum, -(times.abs() / common));
                if self.search(&left, with, depth - 1, steps) {
                    return true;
                }
            }
        }
        false
    }
}

impl Store {
    /// Adds a fact, unless it says nothing.
    fn add(&mut self, sum: Linear, source: Source) -> bool {
        let as_good = |fact: &Fact| fact.source == Source::Known || fact.source == source;
        let known = |&(symbol, _): &(Symbol, i64)| {
            self.of(symbol).any(|fact| fact.sum == sum && as_good(fact))
        };
        if sum.terms.is_empty() || !sum.is_small() || sum.terms.first().is_some_and(known) {
            return false;
        }
        for &(symbol, _) in &sum.terms {
            self.by_symbol.entry(symbol).or_default().push(self.facts.len());
        }
        self.facts.push(Fact { sum, source });
        true
    }

    /// The facts of a symbol that are tried.
    fn of(&self, symbol: Symbol) -> impl Iterator<Item = &Fact> {
        let found = self.by_symbol.get(&symbol).map_or(&[][..], Vec::as_slice);
        found.iter().rev().take(TRIED).map(|&n| &self.facts[n])
    }
}

fn gcd(a: u64, b: u64) -> i64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a.max(1)).unwrap_or(1)
}
