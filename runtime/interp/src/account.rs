//! Which part of a program cost how much.
//!
//! All work is counted by one counter ([`Cost`]).  An account splits it: each time the evaluation
//! comes to another place, what the counter went on by belongs to the place before.  So the parts
//! add up to the whole, whatever is counted where.
//!
//! ```text
//! function square(x) = x * x;       square: calls 3, own work 15
//! sum({square(x) : x in [1, 2, 3]}) top level: the rest, and what `sum` counts goes to `sum`
//! ```
//!
//! The library is one thing to its users: a function of the library owns what it does inside,
//! calls of other library functions included, and that stands at the place of the call in the
//! user's program.  A function value owns nothing: its work is that of the function it is written
//! in.

use crate::cost::Cost;
use base::{FileId, Span};
use prim::{Meaning, Prim};
use std::collections::BTreeMap;
use types::tree::Global;

/// Who does work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// The text of forms outside of functions.
    Form,
    /// A function of the program or the library.
    Function(Global),
    /// A primitive that the user's program calls.
    Primitive(Prim),
}

/// The activations of an owner.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Calls {
    /// How many there were.
    pub count: u64,
    /// Their work with everything that they call; one inside another counts once.
    pub work: u64,
    /// The largest depth of one.
    pub depth: u64,
    /// Those that have not ended.
    open: u64,
}

/// What evaluations cost, split.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// Work by owner and place: a file, and the byte where an expression starts.
    pub works: BTreeMap<(Owner, FileId, u32), u64>,
    /// Activations by owner.
    pub calls: BTreeMap<Owner, Calls>,
}

impl Account {
    /// Adds another account.
    pub fn merge(&mut self, other: &Account) {
        for (place, work) in &other.works {
            *self.works.entry(*place).or_default() += work;
        }
        for (owner, calls) in &other.calls {
            let own = self.calls.entry(*owner).or_default();
            own.count += calls.count;
            own.work += calls.work;
            own.depth = own.depth.max(calls.depth);
        }
    }
}

/// Keeps the account of one evaluation.
#[derive(Default)]
pub(crate) struct Clerk {
    account: Account,
    /// Where the evaluation is.
    place: Option<(Owner, FileId, u32)>,
    /// What the counter said when it came there.
    since: u64,
    /// Activations that have not ended, the innermost last.
    open: Vec<Activation>,
    /// How many of them had begun before each body that is being evaluated.
    bodies: Vec<usize>,
}

/// A call that has not returned.
struct Activation {
    owner: Owner,
    /// What the counters said when it began.
    start: Cost,
}

impl Clerk {
    /// What is counted from now on belongs to `owner` and stands at `span`.
    #[cold] // Like others that are called from all over the evaluation, which is rarely watched.
    pub(crate) fn at(&mut self, owner: Owner, span: Span, now: Cost) {
        let place = Some((owner, span.file, span.start));
        if self.place != place {
            self.book(now);
            self.place = place;
        }
    }

    /// Books what was counted since the evaluation came where it is.
    fn book(&mut self, now: Cost) {
        if let Some(place) = self.place
            && now.work > self.since
        {
            *self.account.works.entry(place).or_default() += now.work - self.since;
        }
        self.since = now.work;
    }

    /// A body begins.
    #[cold]
    pub(crate) fn begin(&mut self) {
        self.bodies.push(self.open.len());
    }

    /// A call begins: the one that a body belongs to, or one in tail position inside it.
    #[cold]
    pub(crate) fn enter(&mut self, owner: Owner, now: Cost) {
        let calls = self.account.calls.entry(owner).or_default();
        calls.count += 1;
        // Calls in tail position end together: the first one lasts longest.
        let before = self.bodies.last().copied().unwrap_or(0);
        if self.open[before..].iter().all(|activation| activation.owner != owner) {
            calls.open += 1;
            self.open.push(Activation { owner, start: now });
        }
    }

    /// A body ends, and with it all calls since it began.
    #[cold]
    pub(crate) fn end(&mut self, now: Cost) {
        let before = self.bodies.pop().unwrap_or(0);
        for Activation { owner, start } in self.open.drain(before..) {
            let calls = self.account.calls.entry(owner).or_default();
            calls.open -= 1;
            calls.depth = calls.depth.max(now.depth - start.depth);
            if calls.open == 0 {
                calls.work += now.work - start.work;
            }
        }
    }

    /// A primitive that the user's program calls has been evaluated, at this cost.
    #[cold]
    pub(crate) fn primitive(&mut self, owner: Owner, work: u64, depth: u64) {
        let calls = self.account.calls.entry(owner).or_default();
        calls.count += 1;
        calls.work += work;
        calls.depth = calls.depth.max(depth);
    }

    /// The account of an evaluation that has ended.
    pub(crate) fn finish(mut self, now: Cost) -> Account {
        self.book(now);
        self.account
    }
}

/// Whether a primitive owns its work: operations on scalars belong to what they stand in.
pub(crate) fn owns(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Bulk(_)
        | Meaning::HashBits
        | Meaning::Text
        | Meaning::PrintString
        | Meaning::PrintDebug
        | Meaning::Stream(_)
        | Meaning::ObjectText
        | Meaning::ObjectValue => true,
        Meaning::Scalar(_)
        | Meaning::Const(_)
        | Meaning::Require(_)
        | Meaning::Equal
        | Meaning::Unequal
        | Meaning::Select
        | Meaning::Identity
        | Meaning::Convert
        | Meaning::RandomBits
        | Meaning::Seed
        | Meaning::Error
        | Meaning::FileFailed
        | Meaning::Time
        | Meaning::IsFloat => false,
    }
}
