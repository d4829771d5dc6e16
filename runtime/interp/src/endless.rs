//! Endless recursion in tail position: a function is called again with the same argument,
//! without an effect in between.
//!
//! This is Brent's cycle detection: one call is kept, and replaced after 1024, 2048, 4096 ... more.
//! Each call is compared with the kept one: sequences by their addresses, and element by element
//! when the kept call is replaced.

use types::tree::Global;
use value::Value;

/// Calls before the first one is kept.
const FIRST: u64 = 1 << 10;

/// The chain of calls in tail position that one call has led to.
#[derive(Default)]
pub(crate) struct Chain {
    count: u64,
    kept: Option<Box<Kept>>,
}

/// A call that was made.
struct Kept {
    function: Global,
    argument: Value,
    /// The effects until then.
    effects: u64,
}

impl Chain {
    /// Records a call.  Returns true if the kept call is the same: the recursion is endless.
    #[inline]
    pub(crate) fn comes_back(&mut self, function: Global, argument: &Value, effects: u64) -> bool {
        self.count += 1;
        self.count >= FIRST && self.is_kept(function, argument, effects)
    }

    fn is_kept(&mut self, function: Global, argument: &Value, effects: u64) -> bool {
        let replaces = self.count.is_power_of_two();
        let same = self.kept.as_ref().is_some_and(|kept| {
            kept.function == function
                && kept.effects == effects
                && kept.argument.is_same(argument, replaces)
        });
        if replaces {
            let argument = argument.clone();
            self.kept = Some(Box::new(Kept { function, argument, effects }));
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    /// After how many calls of a list, over and over, it is known that they come back.
    fn known(calls: &[(usize, Value)]) -> Option<usize> {
        let mut chain = Chain::default();
        let mut calls = calls.iter().cycle().take(1 << 16).enumerate();
        calls
            .find(|(_, (f, argument))| chain.comes_back(Global::new(*f), argument, 0))
            .map(|(n, _)| n)
    }

    #[test]
    fn the_same_call_again() {
        let int = |n| (0, Value::Int(n));
        assert_eq!(known(&[int(1)]), Some(1024));
        assert_eq!(known(&[int(1), int(2), (1, Value::Int(1))]), Some(1026));
        assert_eq!(known(&[(0, Value::Float(f64::NAN))]), Some(1024));
        // A new sequence each time: equal elements make equal arguments.
        let mut chain = Chain::default();
        let made = |_: &u64| chain.comes_back(Global::new(0), &Value::ints(vec![1, 2]), 0);
        assert_eq!((1..5000).find(made), Some(2048));
    }

    #[test]
    fn calls_that_differ() {
        let mut chain = Chain::default();
        let calls = (0..100_000).map(|n| (Value::Int(n), 0));
        let effects = (0..100_000).map(|n| (Value::Int(0), n));
        let zeros = [0.0, -0.0].map(|zero| (Value::pair(Value::Float(zero), Value::Int(1)), 0));
        assert!(!calls.chain(effects).any(|(v, n)| chain.comes_back(Global::new(0), &v, n)));
        assert!(!zeros[0].0.is_same(&zeros[1].0, true));
    }
}
