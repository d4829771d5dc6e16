//! Buffers and arrays as threads see them: every access is checked.

use super::trace::{Clash, Trace, Users, Who};
use crate::Arg;
use crate::eval::{Argument, Memory, is_spare, is_zero};
use crate::ir::{ArgKind, Kernel};
use base::Id;
use prim::{Const, Ty};
use std::rc::Rc;

/// What went wrong with an access.
pub(super) type Access<T> = Result<T, String>;

/// The buffers of a launch.
pub(super) struct Buffers<'a> {
    kernel: &'a Kernel,
    args: &'a [Argument],
    /// For each argument the number of its memory: equal for those that are, or may be, the same.
    places: Vec<usize>,
    /// For each memory what is known of its elements; nothing where none is written.
    logs: Vec<Vec<Log>>,
    /// For each argument, whether an output is over it in this launch.
    overwritten: Vec<bool>,
    /// The number of the finish, which comes after all tiles and sees what they have written.
    last: usize,
}

/// Who has used an element of a buffer.
#[derive(Clone, Copy, Default)]
struct Log {
    trace: Trace,
    users: Users,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(kernel: &'a Kernel, args: &'a [Argument], last: usize) -> Self {
        let memory = |n: usize| match &args[n] {
            Argument::Buffer(memory) => Some(memory),
            Argument::Scalar(_) => None,
        };
        let same = |n: usize, m: usize| match (memory(n), memory(m)) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        let first = |n: usize| (0..n).find(|&m| same(n, m)).unwrap_or(n);
        let mut places: Vec<usize> = (0..args.len()).map(first).collect();
        let mut overwritten = vec![false; args.len()];
        for (out, over) in kernel.overwritten() {
            if over.start.is_none_or(|start| is_zero(&args[start.index()])) {
                places[out.index()] = places[over.input.index()];
                overwritten[over.input.index()] = true;
            }
        }
        let mut logs = vec![Vec::new(); args.len()];
        for (arg, _) in kernel.args.iter().filter(|(_, info)| info.kind.is_written()) {
            let sharing = (0..args.len()).filter(|&n| places[n] == places[arg.index()]);
            let length = sharing.filter_map(memory).map(|memory| memory.borrow().len()).max();
            logs[places[arg.index()]] = vec![Log::default(); length.unwrap_or(0)];
        }
        Buffers { kernel, args, places, logs, overwritten, last }
    }

    /// The value of a scalar argument.
    pub(super) fn scalar(&self, arg: Arg) -> Const {
        match &self.args[arg.index()] {
            Argument::Scalar(c) => *c,
            Argument::Buffer(_) => unreachable!("{arg} is no scalar"),
        }
    }

    /// The type of the elements of an argument.
    pub(super) fn ty(&self, arg: Arg) -> Ty {
        self.kernel.args[arg].ty
    }

    fn memory(&self, arg: Arg) -> &'a Memory {
        match &self.args[arg.index()] {
            Argument::Buffer(memory) => memory,
            Argument::Scalar(_) => unreachable!("{arg} is no buffer"),
        }
    }

    pub(super) fn read(&mut self, arg: Arg, index: i64, who: Who) -> Access<Const> {
        let memory = self.memory(arg).borrow();
        if is_spare(index, &memory) {
            return Ok(self.ty(arg).left_over());
        }
        let (at, value) = element(arg, index, &memory, "read")?;
        let log = &mut self.logs[self.places[arg.index()]];
        if let Some(Log { trace, users }) = log.get_mut(at) {
            if self.overwritten[arg.index()] && users.writer.is_some() {
                return Err(format!("{arg}[{index}] is read but was overwritten"));
            }
            let other = users.read(who.tile).filter(|_| who.tile != self.last);
            if let Some(clash) = trace.read(who) {
                return Err(race(arg, index, "reads", who, clash));
            }
            if let Some(other) = other {
                return Err(format!("{arg}[{index}] is read but written by tile {other}"));
            }
        }
        value.ok_or_else(|| format!("{arg}[{index}] is read but was not written"))
    }

    /// Raises an int; in one step, so that others may do the same.
    pub(super) fn raise(&mut self, arg: Arg, index: i64, value: Const) -> Access<()> {
        let mut memory = self.memory(arg).borrow_mut();
        let (at, before) = element(arg, index, &memory, "raised")?;
        let before = before.ok_or_else(|| format!("{arg}[{index}] is raised but not written"))?;
        memory[at] = Some(if before.int() < value.int() { value } else { before });
        Ok(())
    }

    fn store(&mut self, arg: Arg, index: i64, value: Const, who: Who) -> Access<()> {
        let mut memory = self.memory(arg).borrow_mut();
        let (at, before) = element(arg, index, &memory, "written")?;
        let Log { trace, users } = &mut self.logs[self.places[arg.index()]][at];
        let clash = trace.write(who);
        let (owner, reader) = (users.writer, users.write(who.tile));
        let several = self.kernel.args[arg].kind == ArgKind::InOut;
        match clash {
            Some(Clash::Written(_)) if several => {}
            Some(clash) => return Err(race(arg, index, "writes", who, clash)),
            None => {}
        }
        if let Some(other) = reader.filter(|_| who.tile != self.last) {
            return Err(format!("{arg}[{index}] is written but read by tile {other}"));
        }
        if let Some(other) = owner.filter(|&other| other != who.tile && !several) {
            return Err(format!("{arg}[{index}] was written by tile {other}"));
        }
        // Where there is no order, unequal values are worth nothing.
        let lost = (clash.is_some() || users.contested) && before != Some(value);
        memory[at] = (!lost).then_some(value);
        Ok(())
    }
}

/// Shared arrays of a block, or private ones of a thread.
#[derive(Clone)]
pub(super) struct Arrays {
    /// By argument; empty for those of another kind.
    arrays: Vec<Array>,
}

#[derive(Clone, Default)]
struct Array {
    elements: Vec<Option<Const>>,
    traces: Vec<Trace>,
}

impl Arrays {
    /// Empty shared arrays.
    pub(super) fn shared(kernel: &Kernel) -> Arrays {
        Arrays::of(kernel, |kind| if let ArgKind::Shared(len) = kind { Some(len) } else { None })
    }
    /// Empty private arrays.
    pub(super) fn private(kernel: &Kernel) -> Arrays {
        Arrays::of(kernel, |kind| if let ArgKind::Private(len) = kind { Some(len) } else { None })
    }
    fn of(kernel: &Kernel, length: impl Fn(ArgKind) -> Option<u32>) -> Arrays {
        let array = |kind| match length(kind) {
            Some(len) => Array {
                elements: vec![None; len as usize],
                traces: vec![Trace::default(); len as usize],
            },
            None => Array::default(),
        };
        Arrays { arrays: kernel.args.values().map(|info| array(info.kind)).collect() }
    }

    /// An element.
    pub(super) fn read(&mut self, arg: Arg, index: i64, who: Who) -> Access<Const> {
        let Array { elements, traces } = &mut self.arrays[arg.index()];
        let (at, value) = element(arg, index, elements, "read")?;
        if let Some(clash) = traces[at].read(who) {
            return Err(race(arg, index, "reads", who, clash));
        }
        value.ok_or_else(|| format!("{arg}[{index}] is read but was not written"))
    }

    /// Writes an element.
    pub(super) fn store(&mut self, arg: Arg, index: i64, value: Const, who: Who) -> Access<()> {
        let Array { elements, traces } = &mut self.arrays[arg.index()];
        let (at, _) = element(arg, index, elements, "written")?;
        if let Some(clash) = traces[at].write(who) {
            return Err(race(arg, index, "writes", who, clash));
        }
        elements[at] = Some(value);
        Ok(())
    }
}

/// All memory as one thread sees it at a moment.
pub(super) struct View<'v, 'a> {
    pub(super) buffers: &'v mut Buffers<'a>,
    pub(super) shared: &'v mut Arrays,
    pub(super) private: &'v mut Arrays,
    pub(super) who: Who,
}

impl View<'_, '_> {
    /// An element of a buffer or an array.
    pub(super) fn read(&mut self, arg: Arg, index: i64) -> Access<Const> {
        match self.buffers.kernel.args[arg].kind {
            ArgKind::Shared(_) => self.shared.read(arg, index, self.who),
            ArgKind::Private(_) => self.private.read(arg, index, self.who),
            _ => self.buffers.read(arg, index, self.who),
        }
    }
    /// Writes an element of a buffer or an array.
    pub(super) fn store(&mut self, arg: Arg, index: i64, value: Const) -> Access<()> {
        match self.buffers.kernel.args[arg].kind {
            ArgKind::Shared(_) => self.shared.store(arg, index, value, self.who),
            ArgKind::Private(_) => self.private.store(arg, index, value, self.who),
            _ => self.buffers.store(arg, index, value, self.who),
        }
    }
}

/// Where an element lies, and its value.
fn element(
    arg: Arg,
    index: i64,
    elements: &[Option<Const>],
    what: &str,
) -> Access<(usize, Option<Const>)> {
    let found = usize::try_from(index).ok().and_then(|at| Some((at, *elements.get(at)?)));
    found.ok_or_else(|| format!("{arg}[{index}] of {} is {what}", elements.len()))
}

fn race(arg: Arg, index: i64, does: &str, who: Who, clash: Clash) -> String {
    let (other, did) = match clash {
        Clash::Read(other) => (other, "reads"),
        Clash::Written(other) => (other, "writes"),
    };
    let thread = who.thread;
    format!("a race on {arg}[{index}]: thread {thread} {does} what thread {other} {did}")
}
