//! Filters of the same lanes whose predicates exclude each other.
//!
//! A comparison of two operands has one of four outcomes: less, equal, greater, and, with a `nan`,
//! none of these.  A predicate is a set of outcomes of one comparison.  Lanes of filters with
//! disjoint sets are different, so that all of them together are no more than the source has; and
//! if the sets have all outcomes among them, they are all of the source.
//!
//! ```text
//! x < p   { less }        x == p   { equal }        not (x < p)   { equal, greater, none }
//! ```

use super::Shapes;
use super::linear::Linear;
use super::spaces::Known;
use super::terms::{Kind, Term};
use crate::ir::Space;
use prim::ScalarOp;
use rustc_hash::FxHashMap;

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const NONE: u8 = 8;

/// Counts of filters, each with its outcomes.
type Counts = Vec<(u8, Linear)>;

/// The source of filters and what they compare.
pub(super) type Compared = (Space, Vec<Term>);

/// Filters so far.
pub(super) type Filters = FxHashMap<Compared, Counts>;

/// Families of filters that are told of one comparison.
const MOST: usize = 8;

/// A set of outcomes of a comparison.
struct Predicate {
    /// What is compared; one term if it is a bool by itself.
    operands: Vec<Term>,
    /// When it is T.
    outcomes: u8,
    /// All outcomes that there are.
    all: u8,
}

impl Shapes<'_> {
    /// Notes the lanes that a filter keeps next to those that others keep.
    pub(super) fn partition(&mut self, source: &Known, predicate: &Term, count: &Linear) {
        let mut predicate = self.predicate(predicate);
        let turned = predicate.operands.iter().rev().cloned().collect();
        if predicate.operands.len() == 2 && self.filters.contains_key(&(source.first, turned)) {
            predicate.operands.reverse();
            predicate.outcomes = flipped(predicate.outcomes);
        }
        let compared = (source.first, predicate.operands);
        let before = self.filters.entry(compared.clone()).or_default();
        if before.iter().any(|(outcomes, _)| *outcomes == predicate.outcomes) {
            return;
        }
        // Families of disjoint sets that this one makes larger.
        let mut families: Vec<(u8, Linear)> = vec![(predicate.outcomes, count.clone())];
        let mut largest = Vec::new();
        while let Some((outcomes, sum)) = families.pop() {
            let mut grows = false;
            for (other, theirs) in before.iter().filter(|(other, _)| other & outcomes == 0) {
                grows = true;
                let larger = (outcomes | other, sum.plus(theirs));
                if families.len() < MOST && !families.contains(&larger) {
                    families.push(larger);
                }
            }
            if !grows && sum != *count && !largest.contains(&(outcomes, sum.clone())) {
                largest.push((outcomes, sum));
            }
        }
        before.push((predicate.outcomes, count.clone()));
        self.filtered_here.push(compared);
        for (outcomes, sum) in largest {
            let rest = source.lanes.minus(&sum);
            let whole = outcomes == predicate.all;
            if whole {
                self.terms.facts.add_always(rest.times(-1));
            }
            self.terms.facts.add_always(rest.clone());
            self.note(rest, whole);
        }
    }

    /// Forgets the filters noted since there were so many.
    pub(super) fn forget_filters(&mut self, count: usize) {
        for compared in self.filtered_here.drain(count..).rev() {
            self.filters.get_mut(&compared).and_then(Vec::pop);
        }
    }

    fn predicate(&self, term: &Term) -> Predicate {
        let alone = |term: &Term| Predicate {
            operands: vec![term.clone()],
            outcomes: EQUAL,
            all: EQUAL | NONE,
        };
        let Term::Other(symbol) = term else { return alone(term) };
        let Kind::Op(op, args) = self.terms.kind(*symbol) else { return alone(term) };
        let outcomes = match op {
            ScalarOp::Not => {
                let mut inner = self.predicate(&args[0]);
                inner.outcomes = inner.all & !inner.outcomes;
                return inner;
            }
            ScalarOp::Lt => LESS,
            ScalarOp::Le => LESS | EQUAL,
            ScalarOp::Gt => GREATER,
            ScalarOp::Ge => GREATER | EQUAL,
            ScalarOp::Eq => EQUAL,
            ScalarOp::Ne => LESS | GREATER | NONE,
            _ => return alone(term),
        };
        let ints = args.iter().all(|a| matches!(a, Term::Int(_)));
        let all = if ints { LESS | EQUAL | GREATER } else { LESS | EQUAL | GREATER | NONE };
        Predicate { operands: args.clone(), outcomes: outcomes & all, all }
    }
}

/// The outcomes with the operands the other way round.
fn flipped(outcomes: u8) -> u8 {
    let swapped = |from: u8, to: u8| if outcomes & from != 0 { to } else { 0 };
    swapped(LESS, GREATER) | swapped(GREATER, LESS) | (outcomes & (EQUAL | NONE))
}
