//! The scalars and buffers of one call of a plan.

use base::{Id, Site, Span};
use device::{Device, Failure};
use plan::{Arg, Buffer, Place, Slot};
use prim::{Const, Ty, Widths};
use scalar::eval::Env;
use scalar::{Atom, Op, Stmt};
use std::cell::Cell;

/// Bytes of a vector beside its elements: how the host knows it, and what is lost between vectors.
const UNCOUNTED: usize = 128;

/// What an argument or result is at run time.
#[derive(Clone, Debug)]
pub enum Passed<B> {
    /// A scalar.
    Scalar(Const),
    /// A buffer.
    Buffer(B),
    /// Offsets of segments, whose end the host knows.
    Offsets(B, End),
}

/// The last element of a buffer of ints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Where it is.
    pub index: usize,
    /// What it is.
    pub value: i64,
}

/// Scalars and buffers of a call.
pub(crate) struct Frame<'a, D: Device> {
    pub(crate) device: &'a D,
    program: &'a plan::Program,
    function: &'a plan::Function,
    slots: Vec<Const>,
    buffers: Vec<Option<D::Buffer>>,
    /// What is known of buffers without asking the device.
    ends: Vec<(Buffer, End)>,
    /// Elements that code of the host has read.
    pub(crate) reads: Cell<u64>,
    /// Scalars that launches set, and where; not read yet.
    pending: Vec<(Slot, D::Buffer)>,
}

impl<'a, D: Device> Frame<'a, D> {
    pub(crate) fn new(
        device: &'a D,
        program: &'a plan::Program,
        function: &'a plan::Function,
    ) -> Self {
        Frame {
            device,
            program,
            function,
            slots: function.slots.values().map(|t| t.zero()).collect(),
            buffers: vec![None; function.buffers.len()],
            ends: Vec::new(),
            reads: Cell::new(0),
            pending: Vec::new(),
        }
    }

    /// Lets a scalar be what a launch sets in a cell, once that is there.
    pub(crate) fn defer(&mut self, slot: Slot, cell: D::Buffer) {
        self.pending.push((slot, cell));
    }
    /// Whether one of these scalars is still to be read.
    pub(crate) fn awaits(&self, slots: impl FnOnce() -> Vec<Slot>) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let slots = slots();
        self.pending.iter().any(|(slot, _)| slots.contains(slot))
    }
    /// Waits for what launches set, and reads it.
    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        let cells: Vec<&D::Buffer> = self.pending.iter().map(|(_, cell)| cell).collect();
        self.device.arrive(&cells)?;
        for (slot, cell) in std::mem::take(&mut self.pending) {
            let value = element(self.device, &cell, self.widths(), self.slot_ty(slot), 0);
            self.set_slot(slot, value.unwrap_or_else(|| unreachable!("a cell has a value")));
        }
        Ok(())
    }

    pub(crate) fn slot(&self, slot: Slot) -> Const {
        self.slots[slot.index()]
    }
    pub(crate) fn slot_ty(&self, slot: Slot) -> Ty {
        self.function.slots[slot]
    }
    pub(crate) fn buffer_ty(&self, buffer: Buffer) -> Ty {
        self.function.buffers[buffer].ty
    }
    pub(crate) fn set_slot(&mut self, slot: Slot, value: Const) {
        self.slots[slot.index()] = value;
    }
    pub(crate) fn buffer(&self, buffer: Buffer) -> &D::Buffer {
        self.buffers[buffer.index()]
            .as_ref()
            .unwrap_or_else(|| unreachable!("{buffer} is empty in {}", self.function.name))
    }
    pub(crate) fn set_buffer(&mut self, buffer: Buffer, memory: D::Buffer) {
        self.buffers[buffer.index()] = Some(memory);
    }
    pub(crate) fn take_buffer(&mut self, buffer: Buffer) -> Option<D::Buffer> {
        self.buffers[buffer.index()].take()
    }
    pub(crate) fn scalar(&self, arg: Arg) -> Const {
        match arg {
            Arg::Slot(slot) => self.slot(slot),
            Arg::Const(c) => c,
            Arg::Buffer(b) | Arg::Past(b, _) => unreachable!("{b} is no scalar"),
        }
    }
    pub(crate) fn passed(&self, arg: Arg) -> Passed<D::Buffer> {
        match arg {
            Arg::Buffer(b) => {
                let memory = self.buffer(b).clone();
                match self.ends.iter().find(|(known, _)| *known == b) {
                    Some(&(_, end)) => Passed::Offsets(memory, end),
                    None => Passed::Buffer(memory),
                }
            }
            Arg::Slot(_) | Arg::Const(_) | Arg::Past(..) => Passed::Scalar(self.scalar(arg)),
        }
    }
    pub(crate) fn set(&mut self, place: Place, value: Passed<D::Buffer>) {
        match (place, value) {
            (Place::Slot(slot), Passed::Scalar(c)) => self.set_slot(slot, c),
            (Place::Buffer(buffer), Passed::Buffer(memory)) => self.set_buffer(buffer, memory),
            (Place::Buffer(buffer), Passed::Offsets(memory, end)) => {
                self.set_buffer(buffer, memory);
                self.ends.push((buffer, end));
            }
            (place, value) => {
                let kind = if matches!(value, Passed::Scalar(_)) { "scalar" } else { "buffer" };
                unreachable!("{place} is no {kind}")
            }
        }
    }
    pub(crate) fn set_all(&mut self, places: &[Place], values: Vec<Passed<D::Buffer>>) {
        for (&place, value) in places.iter().zip(values) {
            self.set(place, value);
        }
    }
    /// Lets what a block yields live on as its results only.
    pub(crate) fn keep_as_results(&mut self, block: &plan::Block) {
        for buffer in block.yields.iter().filter_map(|y| y.buffer()) {
            if block.steps.iter().any(|step| step.results().contains(&Place::Buffer(buffer))) {
                self.take_buffer(buffer);
            }
        }
    }
    /// What it takes in memory, about; of vectors what the device does not count.
    pub(crate) fn bytes(&self) -> usize {
        let buffer = size_of::<Option<D::Buffer>>() + UNCOUNTED;
        self.slots.len() * size_of::<Const>() + self.buffers.len() * buffer
    }
    /// Whether all that code of the host reads is known without asking the device.
    pub(crate) fn knows(&self, body: &scalar::Block<Place>) -> bool {
        body.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(_, Op::Read(Place::Buffer(buffer), at)) => match *at {
                Atom::Outer(Place::Slot(slot), _) => self.end(*buffer, self.slot(slot).int()),
                Atom::Const(index) => self.end(*buffer, index.int()),
                Atom::Var(_) | Atom::Outer(Place::Buffer(_), _) => None,
            }
            .is_some(),
            Stmt::Call(call) => call.vectors.is_empty(),
            Stmt::If { then, els, .. } => self.knows(then) && self.knows(els),
            Stmt::Loop { body, .. } => self.knows(body),
            Stmt::Let(..) | Stmt::Require { .. } => true,
        })
    }
    /// An element of a buffer, if it is the end that is known.
    fn end(&self, buffer: Buffer, index: i64) -> Option<Const> {
        let index = usize::try_from(index).ok()?;
        let known = |(of, end): &&(Buffer, End)| *of == buffer && end.index == index;
        self.ends.iter().find(known).map(|(_, end)| Const::I64(end.value))
    }
    /// An element of a buffer.
    pub(crate) fn element(&self, buffer: Buffer, index: usize) -> Option<Const> {
        let ty = self.buffer_ty(buffer);
        element::<D>(self.device, self.buffer(buffer), self.program.widths, ty, index)
    }
}

/// An element of device memory.
pub(crate) fn element<D: Device>(
    device: &D,
    memory: &D::Buffer,
    widths: Widths,
    ty: Ty,
    index: usize,
) -> Option<Const> {
    let size = widths.size(ty);
    let from = index.checked_mul(size)?;
    if from + size > device.capacity(memory) {
        return None;
    }
    let mut bits = [0; 8];
    device.read(memory, from, &mut bits[..size]);
    Some(widths.from_bits(ty, u64::from_le_bytes(bits)))
}

impl<D: Device> Env<Place> for Frame<'_, D> {
    fn widths(&self) -> Widths {
        self.program.widths
    }
    fn outer(&self, name: Place) -> Const {
        match name {
            Place::Slot(slot) => self.slot(slot),
            Place::Buffer(b) => unreachable!("{b} is no scalar"),
        }
    }
    fn element(&self, vector: Place, index: i64) -> Option<Const> {
        match vector {
            Place::Buffer(b) => {
                let known = self.end(b, index);
                known.or_else(|| {
                    self.reads.set(self.reads.get() + 1);
                    Frame::element(self, b, usize::try_from(index).ok()?)
                })
            }
            Place::Slot(s) => unreachable!("{s} is no vector"),
        }
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.program.scalars[func]
    }
}

/// A failed check, wherever it failed.
pub(crate) fn fault(site: Site, span: Span, operands: [i64; 2]) -> device::Fault {
    device::Fault { site, span, operands, positions: Vec::new() }
}
