//! Endless recursion: a function is called with the same argument by a call that it led to, without
//! an effect in between.
//!
//! Both searches below are Brent's cycle detection: one call is kept, and replaced when the number
//! of calls has doubled.  Each call is compared with the kept one: sequences by their addresses,
//! and element by element when the kept call is replaced.  A [`Chain`] follows calls in tail
//! position, and [`Pending`] those that wait for the result of the next.

use types::tree::Global;
use value::Value;

/// Calls in tail position before the first one is kept.
const FIRST: u64 = 1 << 10;
/// Pending calls before the first one is kept: fewer, as each takes a part of the stack.
const FIRST_PENDING: usize = 1 << 8;

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

impl Kept {
    fn is_same(&self, function: Global, argument: &Value, effects: u64, deeply: bool) -> bool {
        self.function == function
            && self.effects == effects
            && self.argument.is_same(argument, deeply)
    }
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
        let kept = self.kept.as_ref();
        let same = kept.is_some_and(|kept| kept.is_same(function, argument, effects, replaces));
        if replaces {
            let argument = argument.clone();
            self.kept = Some(Box::new(Kept { function, argument, effects }));
        }
        same
    }
}

/// The calls that have not returned.
#[derive(Default)]
pub(crate) struct Pending {
    kept: Option<Box<Kept>>,
    /// The number of calls around the one that is kept; 0 if none is.
    depth: usize,
}

impl Pending {
    /// Notes a call with `depth` others around it; returns true if one of these is the same call,
    /// which therefore never returns.
    #[inline]
    pub(crate) fn comes_back(
        &mut self,
        depth: usize,
        function: Global,
        argument: &Value,
        effects: u64,
    ) -> bool {
        depth >= FIRST_PENDING && self.is_kept(depth, function, argument, effects)
    }

    fn is_kept(&mut self, depth: usize, function: Global, argument: &Value, effects: u64) -> bool {
        let replaces = depth.is_power_of_two();
        let kept = self.kept.as_ref();
        let same = kept.is_some_and(|kept| kept.is_same(function, argument, effects, replaces));
        if replaces {
            let argument = argument.clone();
            self.kept = Some(Box::new(Kept { function, argument, effects }));
            self.depth = depth;
        }
        same
    }

    /// Notes that the call with `depth` others around it has returned, or is given up.
    #[inline]
    pub(crate) fn returned(&mut self, depth: usize) {
        if self.depth >= depth && self.kept.is_some() {
            self.kept = None;
        }
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
    fn pending_calls() {
        let int = Value::Int;
        let call = |pending: &mut Pending, depth, value: i64| {
            pending.comes_back(depth, Global::new(0), &int(value), 0)
        };
        let mut same = Pending::default();
        assert_eq!((0..5000).find(|depth| call(&mut same, *depth, 7)), Some(FIRST_PENDING + 1));
        // A call that has returned, or been given up, leads to no other.
        let mut returned = Pending::default();
        assert!(!(0..1500).any(|depth| call(&mut returned, depth, depth as i64)));
        returned.returned(1024);
        assert!(!(1025..1500).any(|depth| call(&mut returned, depth, 1024)));
        let mut above = Pending::default();
        assert!(!(0..1500).any(|depth| call(&mut above, depth, depth as i64)));
        above.returned(1200);
        assert!(call(&mut above, 1200, 1024));
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
