//! Sets of statements of one graph.

use std::ops::Range;

/// A set of statements.
#[derive(Clone)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// No statement of so many.
    pub(crate) fn new(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    pub(crate) fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    pub(crate) fn add(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Whether something is here and there, and in one of two sets; only a range is looked at, and
    /// what is near to it.
    pub(crate) fn meets(&self, there: &Bits, [one, two]: [&Bits; 2], range: Range<usize>) -> bool {
        let words = range.start / 64..range.end.div_ceil(64);
        let [a, b, one, two] = [self, there, one, two].map(|set| &set.0[words.clone()]);
        let both = a.iter().zip(b).map(|(a, b)| a & b);
        both.zip(one.iter().zip(two)).any(|(m, (a, b))| m & (a | b) != 0)
    }
}
