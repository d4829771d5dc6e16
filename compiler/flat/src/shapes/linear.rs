//! Sums of symbols times constants, plus a constant.
//!
//! Ints of a program wrap around.  Two sums that are equal here are equal as ints of any width: the
//! map from the whole numbers to ints that wrap keeps sums and products.  What is *less* than
//! what is another matter; see [`facts`](super::facts).

use base::define_id;

define_id!(Symbol, "n", "A number that is not known, but is the same wherever it is named.");

/// A sum, its symbols in ascending order, none of them times 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    /// Symbols and what they are multiplied by.
    pub terms: Vec<(Symbol, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Linear {
    /// A number.
    pub fn constant(constant: i64) -> Linear {
        Linear { terms: Vec::new(), constant }
    }
    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Linear {
        Linear { terms: vec![(symbol, 1)], constant: 0 }
    }
    /// The number, if there are no symbols.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
    /// The symbol, if there is nothing else.
    pub fn as_symbol(&self) -> Option<Symbol> {
        match self.terms.as_slice() {
            [(symbol, 1)] if self.constant == 0 => Some(*symbol),
            _ => None,
        }
    }
    /// What a symbol is multiplied by.
    pub fn factor(&self, symbol: Symbol) -> i64 {
        let at = self.terms.binary_search_by_key(&symbol, |term| term.0);
        at.map_or(0, |at| self.terms[at].1)
    }
    /// The sum of two.
    #[must_use]
    pub fn plus(&self, other: &Linear) -> Linear {
        self.plus_times(other, 1)
    }
    /// The difference of two.
    #[must_use]
    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus_times(other, -1)
    }
    /// A number more.
    #[must_use]
    pub fn plus_constant(&self, n: i64) -> Linear {
        Linear { terms: self.terms.clone(), constant: self.constant.wrapping_add(n) }
    }
    /// So many times it.
    #[must_use]
    pub fn times(&self, factor: i64) -> Linear {
        Linear::default().plus_times(self, factor)
    }
    /// The sum of it and so many times another.
    #[must_use]
    pub fn plus_times(&self, other: &Linear, factor: i64) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) =
            (self.terms.iter().copied().peekable(), other.terms.iter().copied().peekable());
        loop {
            let (symbol, times) = match (left.peek().copied(), right.peek().copied()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 == b.0 => {
                    left.next();
                    right.next();
                    (a.0, a.1.wrapping_add(b.1.wrapping_mul(factor)))
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    left.next();
                    a
                }
                (_, Some(b)) => {
                    right.next();
                    (b.0, b.1.wrapping_mul(factor))
                }
                (Some(_), None) => unreachable!("a symbol without another comes first"),
            };
            if times != 0 {
                terms.push((symbol, times));
            }
        }
        let constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        Linear { terms, constant }
    }
    /// The same sum where every factor and the constant are so small that adding and scaling a few
    /// of them stays far from overflow.
    pub(crate) fn is_small(&self) -> bool {
        const SMALL: u64 = 1 << 24;
        let small = |n: i64| n.unsigned_abs() <= SMALL;
        self.terms.len() <= MOST_TERMS
            && self.terms.iter().all(|t| small(t.1))
            && small(self.constant)
    }
}

/// Most terms of a sum: a longer one is a symbol of its own, so that a chain of additions costs no
/// more than it is long.
pub(crate) const MOST_TERMS: usize = 12;
