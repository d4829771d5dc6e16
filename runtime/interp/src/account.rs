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
//!
//! What lines cost with all that they call is counted by *passes*, evaluations of one text: a form,
//! the body of a function, or a lane of an apply-to-each.  A pass is at one line after the other,
//! and the passes that begin meanwhile are part of that line's cost in it.
//!
//! ```text
//! 1  function fact(n) =
//! 2    if n < 2 then 1 else          in fact(3): line 2, and line 3 with all of
//! 3      n * fact(n - 1)             fact(2): line 2, and line 3 with all of fact(1): line 2
//! ```

use crate::cost::Cost;
use base::{FileId, Files, Id, Span};
use prim::{Meaning, Prim};
use std::collections::BTreeMap;
use std::sync::Arc;
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

/// A line of the user's program, from 1.
pub type Line = (FileId, usize);

/// Where the lines of the user's texts start.
#[derive(Clone, Default, Debug)]
pub struct Lines {
    /// For each text, the first bytes of its lines but the first; none for the library.
    starts: Vec<Option<Vec<u32>>>,
}

impl Lines {
    /// Looks at the texts that are new.
    pub fn look(&mut self, files: &Files) {
        for (_, file) in files.iter().skip(self.starts.len()) {
            let bytes = (1..).zip(&file.text);
            let starts = bytes.filter(|(_, byte)| **byte == b'\n').map(|(next, _)| next);
            self.starts.push((!file.library).then(|| starts.collect()));
        }
    }

    /// The line of a byte.
    fn line(&self, file: FileId, byte: u32) -> Option<Line> {
        let starts = self.starts.get(file.index())?.as_ref()?;
        Some((file, starts.partition_point(|&start| start <= byte) + 1))
    }
}

/// What evaluations cost, split.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// Work by owner and place: a file, and the byte where an expression starts.
    pub works: BTreeMap<(Owner, FileId, u32), u64>,
    /// Activations by owner.
    pub calls: BTreeMap<Owner, Calls>,
    /// For each line its work with everything that is called there, one inside another once, and
    /// its largest depth in one pass.
    pub lines: BTreeMap<Line, Cost>,
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
        for (line, cost) in &other.lines {
            let own = self.lines.entry(*line).or_default();
            own.work += cost.work;
            own.depth = own.depth.max(cost.depth);
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
    /// The bodies that are being evaluated.
    bodies: Vec<Body>,
    /// Passes that have not ended, the innermost last.
    passes: Vec<Pass>,
    /// How many passes are at a line while others inside them go on.
    waiting: BTreeMap<Line, usize>,
    lines: Arc<Lines>,
}

/// What had begun before a body.
#[derive(Clone, Copy, Default)]
struct Body {
    open: usize,
    passes: usize,
}

/// An evaluation of one text.
struct Pass {
    /// Where it is.
    place: Option<(FileId, u32)>,
    /// The line of that, unless it is in the library.
    line: Option<Line>,
    /// What the counters said when it came there.
    since: Cost,
    /// What its lines have cost so far.
    lines: BTreeMap<Line, Cost>,
}

impl Pass {
    /// Adds what was counted since it came where it is.
    fn book(&mut self, now: Cost) {
        if let Some(line) = self.line {
            let cost = self.lines.entry(line).or_default();
            cost.add(now.work - self.since.work, now.depth - self.since.depth);
        }
        self.since = now;
    }
}

/// A call that has not returned.
struct Activation {
    owner: Owner,
    /// What the counters said when it began.
    start: Cost,
}

impl Clerk {
    pub(crate) fn new(lines: &Arc<Lines>) -> Clerk {
        Clerk { lines: Arc::clone(lines), ..Clerk::default() }
    }

    /// What is counted from now on belongs to `owner` and stands at `span`.
    #[cold] // Like others that are called from all over the evaluation, which is rarely watched.
    pub(crate) fn at(&mut self, owner: Owner, span: Span, now: Cost) {
        let place = Some((owner, span.file, span.start));
        if self.place != place {
            self.book(now);
            self.place = place;
        }
        if let Some(pass) = self.passes.last_mut()
            && pass.place != Some((span.file, span.start))
        {
            pass.book(now);
            pass.place = Some((span.file, span.start));
            pass.line = self.lines.line(span.file, span.start);
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

    /// A body begins: that of a function or a lane.
    #[cold]
    pub(crate) fn begin(&mut self, now: Cost) {
        self.bodies.push(Body { open: self.open.len(), passes: self.passes.len() });
        self.pass(now);
    }

    /// A pass begins.
    fn pass(&mut self, now: Cost) {
        if let Some(line) = self.passes.last().and_then(|around| around.line) {
            *self.waiting.entry(line).or_default() += 1;
        }
        self.passes.push(Pass { place: None, line: None, since: now, lines: BTreeMap::new() });
    }

    /// The innermost pass ends.
    fn end_pass(&mut self, now: Cost) {
        let Some(mut pass) = self.passes.pop() else { return };
        pass.book(now);
        for (line, cost) in pass.lines {
            let all = self.account.lines.entry(line).or_default();
            all.depth = all.depth.max(cost.depth);
            // A pass around it that is at that line counts this work, too.
            if self.waiting.get(&line).is_none_or(|&passes| passes == 0) {
                all.work += cost.work;
            }
        }
        if let Some(line) = self.passes.last().and_then(|around| around.line) {
            self.waiting.entry(line).and_modify(|passes| *passes -= 1);
        }
    }

    /// A call begins: the one that a body belongs to, or one in tail position inside it.
    #[cold]
    pub(crate) fn enter(&mut self, owner: Owner, now: Cost) {
        let calls = self.account.calls.entry(owner).or_default();
        calls.count += 1;
        // Calls in tail position end together: the first one lasts longest.
        let before = self.bodies.last().copied().unwrap_or_default();
        if self.open[before.open..].iter().all(|activation| activation.owner != owner) {
            calls.open += 1;
            self.open.push(Activation { owner, start: now });
            // What a line calls in tail position is part of it as other calls are.
            if self.passes.last().is_some_and(|pass| pass.place.is_some()) {
                self.pass(now);
            }
        }
    }

    /// A body ends, and with it all calls since it began.
    #[cold]
    pub(crate) fn end(&mut self, now: Cost) {
        let before = self.bodies.pop().unwrap_or_default();
        while self.passes.len() > before.passes {
            self.end_pass(now);
        }
        for Activation { owner, start } in self.open.drain(before.open..) {
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
