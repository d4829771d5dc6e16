//! Which two statements can be in one cluster, in view of all others.
//!
//! The rules for two ([`Legal::pair`]) look at them alone.  But statements between them count, too:
//! if `c` must run after `a` and before `b`, and cannot be with one of them, `a` and `b` are apart.

use crate::bits::Bits;
use crate::legal::{Legal, Needs, Why};

/// For all pairs whether they can be in one cluster, and which run before which.
pub(crate) struct Pairs {
    /// For each statement those before it.
    pairs: Vec<Vec<Result<Needs, Why>>>,
    /// Statements that must not run after a statement.
    before: Vec<Bits>,
}

impl Pairs {
    pub(crate) fn new(legal: &Legal<'_, '_>) -> Pairs {
        let count = legal.graph.nodes.len();
        let mut before: Vec<Bits> = Vec::with_capacity(count);
        for n in 0..count {
            let mut own = Bits::new(count);
            for &m in legal.after(n) {
                own.insert(m);
                own.add(&before[m]);
            }
            before.push(own);
        }
        let mut behind = vec![Bits::new(count); count];
        for (n, own) in before.iter().enumerate() {
            (0..n).filter(|&m| own.contains(m)).for_each(|m| behind[m].insert(n));
        }
        let mut pairs: Vec<Vec<Result<Needs, Why>>> =
            (0..count).map(|b| (0..b).map(|a| legal.pair(a, b)).collect()).collect();
        let mut apart = vec![Bits::new(count); count];
        // Near pairs first: what is between two statements is nearer to both.
        for distance in 1..count {
            for b in distance..count {
                let a = b - distance;
                let between = || behind[a].meets(&before[b], [&apart[a], &apart[b]], a..b);
                if pairs[b][a].is_ok() && between() {
                    pairs[b][a] = Err(Why::Order);
                }
                if pairs[b][a].is_err() {
                    apart[a].insert(b);
                    apart[b].insert(a);
                }
            }
        }
        Pairs { pairs, before }
    }

    /// What two statements, `a` before `b`, need to be in one cluster.
    pub(crate) fn get(&self, a: usize, b: usize) -> Result<Needs, Why> {
        self.pairs[b][a]
    }

    /// The same, in any order.
    pub(crate) fn together(&self, a: usize, b: usize) -> bool {
        self.pairs[a.max(b)][a.min(b)].is_ok()
    }

    /// Whether the cluster of `b` cannot run before that of `a`.
    pub(crate) fn ordered(&self, a: usize, b: usize) -> bool {
        self.before[b].contains(a)
    }
}
