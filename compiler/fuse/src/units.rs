//! Statements that some best partition has in one cluster, found without solving anything.
//!
//! A statement goes with a *unit* of others if, wherever it were in a partition, moving it to the
//! cluster of the unit would break no rule and cost nothing.  That is so
//!
//! * for what makes vectors that only the unit reads, if its inputs are not larger than twice what
//!   it makes, which then is neither written nor read;
//! * for what makes nothing that the window reads (sums, results), if the unit has all its inputs.
//!
//! Units are what the 0/1 program shares out: most windows have far fewer of them than statements,
//! and many need no program at all.

use crate::cost::Sizes;
use crate::legal::{Edge, Legal, Needs, nearest};
use crate::pairs::Pairs;
use flat::Value;
use std::collections::BTreeSet;

/// Statements that are in one cluster.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Unit {
    /// In program order.
    pub(crate) members: Vec<usize>,
    /// The one in whose cluster the others can be, wherever that is.
    pub(crate) home: usize,
}

/// Statements of a window as units, by their first members.
pub(crate) fn units(
    legal: &Legal<'_, '_>,
    pairs: &Pairs,
    sizes: &Sizes,
    free: &BTreeSet<usize>,
) -> Vec<Unit> {
    let alone = free.iter().map(|&n| Unit { members: vec![n], home: n });
    let mut units = Units { legal, pairs, sizes, free, units: alone.collect() };
    while units.step() {}
    units.units
}

struct Units<'u, 'g, 'a> {
    legal: &'u Legal<'g, 'a>,
    pairs: &'u Pairs,
    sizes: &'u Sizes,
    free: &'u BTreeSet<usize>,
    units: Vec<Unit>,
}

impl Units<'_, '_, '_> {
    /// Puts one statement into a unit, if there is one to be put.
    fn step(&mut self) -> bool {
        // Consumers first, so that chains of maps become one unit.
        for at in (0..self.units.len()).rev() {
            let [n] = self.units[at].members[..] else { continue };
            let Some(to) = self.for_its_reader(n).or_else(|| self.where_its_inputs_are(n)) else {
                continue;
            };
            let unit = &mut self.units[to];
            unit.members.push(n);
            unit.members.sort_unstable();
            self.units.remove(at);
            self.units.sort();
            return true;
        }
        false
    }

    fn results(&self, n: usize) -> impl Iterator<Item = Value> {
        let vectors = self.legal.graph.nodes[n].stmt.results.iter().copied();
        vectors.filter(|&r| self.sizes.bytes(r) > 0)
    }

    /// Whether some statement of a unit uses a value.
    fn uses(&self, unit: usize, value: Value) -> bool {
        self.units[unit].members.iter().any(|&m| self.legal.graph.needs(m, value))
    }

    /// The unit that alone reads what a statement makes.
    fn for_its_reader(&self, n: usize) -> Option<usize> {
        let graph = self.legal.graph;
        let node = &graph.nodes[n];
        if nearest(&node.stmt.op, false) != Edge::Own {
            return None;
        }
        let readers: BTreeSet<usize> = (0..self.units.len())
            .filter(|&unit| node.stmt.results.iter().any(|&r| self.uses(unit, r)))
            .collect();
        let stays = node.stmt.results.iter().all(|&r| !graph.escapes(self.free, r));
        let to = *readers.first().filter(|_| readers.len() == 1 && stays)?;
        let inputs = node.uses.iter().filter(|&&input| !self.uses(to, input));
        let bytes = inputs.map(|&input| {
            let made = self.free.iter().any(|&m| graph.nodes[m].stmt.results.contains(&input));
            // It may come to be written only for this.
            self.sizes.bytes(input).saturating_mul(if made { 2 } else { 1 })
        });
        let saved = self.results(n).map(|r| self.sizes.bytes(r).saturating_mul(2));
        (bytes.sum::<u64>() <= saved.sum() && self.fits(n, to)).then_some(to)
    }

    /// A unit that reads or makes all that a statement uses, whose own results nothing reads here.
    fn where_its_inputs_are(&self, n: usize) -> Option<usize> {
        let graph = self.legal.graph;
        let read = |r: Value| self.free.iter().any(|&m| graph.needs(m, r));
        if self.results(n).any(read) {
            return None;
        }
        let inputs: Vec<Value> =
            graph.nodes[n].uses.iter().copied().filter(|&v| self.sizes.bytes(v) > 0).collect();
        (0..self.units.len()).find(|&unit| {
            let made = |v: &Value| {
                self.units[unit].members.iter().any(|&m| graph.nodes[m].stmt.results.contains(v))
            };
            let has = |v: &Value| self.uses(unit, *v) || made(v);
            !self.units[unit].members.contains(&n)
                && !inputs.is_empty()
                && inputs.iter().all(has)
                && self.fits(n, unit)
        })
    }

    /// Whether a statement can be with a unit wherever that is.
    fn fits(&self, n: usize, unit: usize) -> bool {
        let unit = &self.units[unit].members;
        let legal = self.legal;
        let always = |m: usize| self.pairs.get(m.min(n), m.max(n)) == Ok(Needs::default());
        let with_unit = |m: usize| unit.iter().all(|&u| self.pairs.together(m, u));
        let ordered = |a: usize, b: usize| self.pairs.ordered(a, b);
        let plain = |m: usize| !legal.is_ordered(m) && legal.filter(m).is_none();
        let others = self.free.iter().copied().filter(|m| *m != n && !unit.contains(m));
        if !plain(n)
            || !unit.iter().all(|&u| always(u) && !legal.is_ordered(u))
            || !others.into_iter().all(|m| !with_unit(m) || (always(m) && !legal.is_ordered(m)))
        {
            return false;
        }
        let all = || (0..legal.graph.nodes.len()).filter(|m| *m != n && !unit.contains(m));
        let later = unit.iter().any(|&u| ordered(n, u));
        let earlier = unit.iter().any(|&u| ordered(u, n));
        let may_be_later = || all().all(|m| !ordered(n, m) || unit.iter().any(|&u| ordered(u, m)));
        let may_be_earlier =
            || all().all(|m| !ordered(m, n) || unit.iter().any(|&u| ordered(m, u)));
        (earlier || may_be_later()) && (later || may_be_earlier())
    }
}
