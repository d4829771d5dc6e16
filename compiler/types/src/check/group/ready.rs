//! Which waiting functions are ready.
//!
//! A function that waits is known to be *blocked* by one thing at a time: a name that is still to
//! come, or another function that is blocked.  It is looked at again only when that has changed, as
//! a clause is in a solver that watches one of its literals, so that a text of n functions costs
//! about n steps, in whatever order they stand:
//!
//! ```text
//! function a(x) = b(x);     a: blocked by the name `b`
//! function b(x) = c(x);     b: blocked by the name `c`; a: blocked by b
//! function c(x) = x;        c is ready, so b is, so a is
//! ```

use super::{Group, Pending};
use crate::check::Checker;
use crate::infer::is_declared;
use crate::scope::{Meaning, Waiting};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The cause that a function waits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Blocker {
    /// A name that means nothing yet, or nothing complete.
    Name(String),
    /// Another function that waits.
    Function(Waiting),
}

/// For what each function of a group waits.
#[derive(Default)]
pub(super) struct Blocked {
    /// The known blocker of each function.
    by: FxHashMap<Waiting, Blocker>,
    /// The functions that each blocker blocks, and some that it blocked once.
    users: FxHashMap<Blocker, Vec<Waiting>>,
    /// Functions to be looked at.
    awake: BTreeSet<Waiting>,
}

impl Blocked {
    /// Of these functions nothing is known.
    pub(super) fn of(waiting: impl Iterator<Item = Waiting>) -> Blocked {
        Blocked { awake: waiting.collect(), ..Blocked::default() }
    }
    /// A function begins to wait.
    pub(super) fn begin(&mut self, id: Waiting) {
        self.by.remove(&id);
        self.awake.insert(id);
    }
    /// A name means something else from now on.
    pub(super) fn touch(&mut self, name: &str) {
        if !self.users.is_empty() {
            let woken = self.wake(&Blocker::Name(name.to_string()));
            self.awake.extend(woken);
        }
    }
    /// The functions that are no longer blocked by something.
    fn wake(&mut self, blocker: &Blocker) -> Vec<Waiting> {
        let mut users = self.users.remove(blocker).unwrap_or_default();
        // Functions with another blocker by now stay blocked.
        users.retain(|user| self.by.get(user) == Some(blocker));
        users.iter().for_each(|user| drop(self.by.remove(user)));
        users
    }
    fn block(&mut self, id: Waiting, blocker: Blocker) {
        self.users.entry(blocker.clone()).or_default().push(id);
        self.by.insert(id, blocker);
    }
    /// Returns true if a chain of known blockers leads from a function to a name.
    fn is_blocked(&self, mut id: Waiting) -> bool {
        loop {
            match self.by.get(&id) {
                Some(Blocker::Name(_)) => return true,
                Some(Blocker::Function(next)) => id = *next,
                None => return false,
            }
        }
    }
}

/// Functions that may be ready, with the waiting functions that each uses.
type Front = BTreeMap<Waiting, Vec<Waiting>>;

impl Checker {
    /// The waiting functions that are ready, in units.
    pub(super) fn ready_units(&mut self) -> Vec<Vec<Waiting>> {
        let Some(mut group) = self.groups.pop() else { return Vec::new() };
        let ready = self.ready(&mut group);
        self.groups.push(group);
        let ids: Vec<Waiting> = ready.keys().copied().collect();
        let place: FxHashMap<Waiting, usize> =
            ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let inside = |uses: &Vec<Waiting>| uses.iter().map(|id| place[id]).collect();
        let uses: Vec<Vec<usize>> = ready.values().map(inside).collect();
        let mut search = Search::new(&uses);
        (0..uses.len()).for_each(|node| search.visit(node));
        let unit = |unit: Vec<usize>| unit.into_iter().map(|node| ids[node]).collect();
        search.units.into_iter().map(unit).collect()
    }
    /// The functions that are ready, with those that they use, which are ready, too.
    fn ready(&self, group: &mut Group) -> Front {
        let mut ready = Front::new();
        let mut awake = std::mem::take(&mut group.blocked.awake);
        while !awake.is_empty() {
            let front = self.front(group, awake, &ready);
            let blocked = blocked_of(&front, &ready);
            awake = BTreeSet::new();
            for (id, uses) in front {
                if let Some(&by) = blocked.get(&id) {
                    group.blocked.block(id, Blocker::Function(by));
                } else {
                    ready.insert(id, uses);
                    awake.extend(group.blocked.wake(&Blocker::Function(id)));
                }
            }
            awake.retain(|id| !ready.contains_key(id));
        }
        ready
    }
    /// The functions that are awake and those that they use, without the blocked ones.
    fn front(&self, group: &mut Group, awake: BTreeSet<Waiting>, ready: &Front) -> Front {
        // The latest first: often it blocks those before it.
        let mut next: Vec<Waiting> = awake.into_iter().rev().collect();
        loop {
            let before = next.len();
            next.retain(|id| self.unblocked(group, *id).is_some());
            if next.len() == before {
                break;
            }
        }
        let mut front = Front::new();
        while let Some(id) = next.pop() {
            if front.contains_key(&id) || ready.contains_key(&id) {
                continue;
            }
            // Its blocker is awake.  Kept, the entry would make a function of a cycle block itself.
            group.blocked.by.remove(&id);
            let Some(uses) = self.unblocked(group, id) else { continue };
            next.extend(uses.iter().copied().filter(|used| !group.blocked.is_blocked(*used)));
            front.insert(id, uses);
        }
        front
    }
    /// The waiting functions that one uses, unless it is known to be blocked, which is noted.
    fn unblocked(&self, group: &mut Group, id: Waiting) -> Option<Vec<Waiting>> {
        let uses = self.uses(group, group.waiting.get(&id)?);
        let blocker = match &uses {
            Err(blocker) => Some(blocker.clone()),
            Ok(uses) => {
                let blocked = uses.iter().find(|used| group.blocked.is_blocked(**used));
                blocked.map(|used| Blocker::Function(*used))
            }
        };
        match blocker {
            Some(blocker) => {
                group.blocked.block(id, blocker);
                None
            }
            None => uses.ok(),
        }
    }
    /// The waiting functions that one uses, or a name that is still to come.
    fn uses(&self, group: &Group, pending: &Pending) -> Result<Vec<Waiting>, Blocker> {
        let mut uses = Vec::new();
        for name in &pending.needs {
            let meaning = self.tables.resolve(&self.program, &name.text, pending.version);
            let waits = match meaning {
                Some(Meaning::Global(global)) => {
                    is_declared(&self.program, global) && group.defines_later(&name.text)
                }
                Some(Meaning::Waiting(id)) if group.waiting.contains_key(&id) => {
                    uses.push(id);
                    false
                }
                Some(Meaning::Waiting(_)) | None => true,
            };
            if waits {
                return Err(Blocker::Name(name.text.clone()));
            }
        }
        Ok(uses)
    }
}

/// For each function of a front that is blocked by another function, that one.
fn blocked_of(front: &Front, ready: &Front) -> FxHashMap<Waiting, Waiting> {
    let mut users: BTreeMap<Waiting, Vec<Waiting>> = BTreeMap::new();
    for (id, uses) in front {
        uses.iter().for_each(|used| users.entry(*used).or_default().push(*id));
    }
    let may_be = |id: &&Waiting| front.contains_key(id) || ready.contains_key(id);
    let mut blockers: Vec<Waiting> = users.keys().filter(|id| !may_be(id)).copied().collect();
    let mut blocked = FxHashMap::default();
    while let Some(blocker) = blockers.pop() {
        for &user in users.get(&blocker).into_iter().flatten() {
            if let Entry::Vacant(entry) = blocked.entry(user) {
                entry.insert(blocker);
                blockers.push(user);
            }
        }
    }
    blocked
}

/// Tarjan's search for strongly connected components; they come out in the order in which they can
/// be checked.
struct Search<'u> {
    uses: &'u [Vec<usize>],
    /// When each node was first met, from 1; 0 if not yet.
    met: Vec<usize>,
    /// The earliest node on the stack that each is known to reach.
    low: Vec<usize>,
    stack: Vec<usize>,
    on_stack: Vec<bool>,
    time: usize,
    units: Vec<Vec<usize>>,
}

impl<'u> Search<'u> {
    fn new(uses: &'u [Vec<usize>]) -> Search<'u> {
        let (met, low) = (vec![0; uses.len()], vec![0; uses.len()]);
        let on_stack = vec![false; uses.len()];
        Search { uses, met, low, stack: Vec::new(), on_stack, time: 0, units: Vec::new() }
    }
    fn visit(&mut self, node: usize) {
        if self.met[node] != 0 {
            return;
        }
        self.time += 1;
        (self.met[node], self.low[node]) = (self.time, self.time);
        self.stack.push(node);
        self.on_stack[node] = true;
        for &next in &self.uses[node] {
            if self.met[next] == 0 {
                self.visit(next);
                self.low[node] = self.low[node].min(self.low[next]);
            } else if self.on_stack[next] {
                self.low[node] = self.low[node].min(self.met[next]);
            }
        }
        if self.low[node] == self.met[node]
            && let Some(at) = self.stack.iter().rposition(|&n| n == node)
        {
            let mut unit = self.stack.split_off(at);
            unit.iter().for_each(|&member| self.on_stack[member] = false);
            unit.sort_unstable();
            self.units.push(unit);
        }
    }
}
