//! Steps that make memory, or take it over.

use super::{Machine, Result, RunError, elements};
use crate::frame::Frame;
use base::Span;
use device::{Device, OutOfMemory};
use plan::over::ends_soon;
use plan::{Arg, Over, Slot, Step};
use prim::{Const, Ty};

/// Memory of fewer bytes is kept however little of it is used.
const SPACIOUS: usize = 1 << 16;
/// Memory is kept if at least one part in this many is used: copying a quarter costs little.
const WASTE: usize = 4;

impl<'a, D: Device> Machine<'a, D> {
    pub(super) fn bytes(&self, frame: &Frame<'a, D>, len: Arg, ty: Ty) -> usize {
        usize::try_from(frame.scalar(len).int()).unwrap_or(0).saturating_mul(self.size(ty))
    }

    pub(super) fn allocate(
        &mut self,
        frame: &Frame<'a, D>,
        len: Arg,
        ty: Ty,
        span: Span,
    ) -> Result<D::Buffer> {
        let length = usize::try_from(frame.scalar(len).int()).unwrap_or(0);
        self.counted(length, span)?;
        let bytes = self.bytes(frame, len, ty);
        self.obtain(bytes, span, |device| device.allocate(bytes))
    }

    /// Memory for what this source text makes.
    pub(super) fn obtain(
        &mut self,
        bytes: usize,
        span: Span,
        memory: impl FnOnce(&D) -> std::result::Result<D::Buffer, OutOfMemory>,
    ) -> Result<D::Buffer> {
        let began = self.moment();
        let memory = memory(self.device).map_err(|error| RunError::Memory { error, span })?;
        if let (Some(trace), Some(began)) = (&mut self.trace, began) {
            trace.allocated(bytes, span, began);
        }
        Ok(memory)
    }

    /// The memory of a buffer that so many elements may be written over, if nobody else refers to
    /// it, and there is room, and not much more.
    pub(super) fn overwritten(
        &self,
        frame: &Frame<'a, D>,
        over: Over,
        len: Arg,
    ) -> Option<D::Buffer> {
        let memory = frame.buffer(over.buffer);
        let bytes = self.bytes(frame, len, frame.buffer_ty(over.buffer));
        let room = self.device.capacity(memory);
        let fits = bytes <= room && !wastes(room, bytes);
        let whole = frame.scalar(over.start).int() == 0;
        if !self.reuse || !whole || !fits || self.device.is_shared(memory) {
            return None;
        }
        self.device.fill(memory, None);
        Some(memory.clone())
    }

    pub(super) fn literal(
        &mut self,
        frame: &mut Frame<'a, D>,
        buffer: plan::Buffer,
        consts: &[Const],
    ) -> Result<()> {
        let memory = self.constants(consts, frame.buffer_ty(buffer))?;
        frame.set_buffer(buffer, memory);
        self.touch(consts.len() as u64);
        Ok(())
    }

    /// A vector of constants.
    pub(crate) fn constants(&self, consts: &[Const], ty: Ty) -> Result<D::Buffer> {
        let mut bytes = Vec::with_capacity(consts.len() * self.size(ty));
        for c in consts {
            let bits = self.program.widths.bits(*c);
            bytes.extend_from_slice(&bits.to_le_bytes()[..self.size(ty)]);
        }
        let no_room = |_| RunError::Memory {
            error: OutOfMemory { asked: bytes.len(), used: 0, cap: 0 },
            span: Span::none(),
        };
        let host = value::Buffer::copy_of(&bytes).map_err(no_room)?;
        self.device
            .upload(&std::sync::Arc::new(host))
            .map_err(|error| RunError::Memory { error, span: Span::none() })
    }

    /// A copy, or the same memory when the original is not used any more by anybody and is not much
    /// larger than what is copied.
    pub(super) fn copy(
        &mut self,
        frame: &mut Frame<'a, D>,
        buffer: plan::Buffer,
        from: plan::Buffer,
        len: Arg,
        (dies, span): (bool, Span),
    ) -> Result<()> {
        let ty = frame.buffer_ty(buffer);
        let bytes = self.bytes(frame, len, ty);
        self.device.settle(frame.buffer(from), bytes);
        let room = self.device.capacity(frame.buffer(from));
        let fits = !wastes(room, bytes);
        if self.reuse && dies && fits && !self.device.is_shared(frame.buffer(from)) {
            if let Some(memory) = frame.take_buffer(from) {
                self.device.fill(&memory, None);
                frame.set_buffer(buffer, memory);
            }
            return Ok(());
        }
        let memory = self.allocate(frame, len, ty, span)?;
        self.device.copy(frame.buffer(from), &memory, bytes);
        self.touch(2 * elements(frame, len));
        frame.set_buffer(buffer, memory);
        Ok(())
    }

    pub(super) fn zeros(
        &mut self,
        frame: &mut Frame<'a, D>,
        buffer: plan::Buffer,
        len: Arg,
        span: Span,
    ) -> Result<()> {
        let ty = frame.buffer_ty(buffer);
        let memory = self.allocate(frame, len, ty, span)?;
        let bytes = self.bytes(frame, len, ty);
        self.device.zero(&memory, bytes);
        self.touch(elements(frame, len));
        frame.set_buffer(buffer, memory);
        Ok(())
    }

    /// Says where `more` elements have room behind those that are used of buffers, and whether
    /// nobody else needs these.
    pub(super) fn behind(
        &self,
        frame: &mut Frame<'a, D>,
        [begin, alone]: [Slot; 2],
        from: &[plan::Buffer],
        counts: [Arg; 2],
        after: &[Step],
    ) {
        let (place, nobody) = self.room_behind(frame, from, counts, after);
        frame.set_slot(begin, Const::I64(place));
        frame.set_slot(alone, Const::Bool(nobody));
    }

    fn room_behind(
        &self,
        frame: &Frame<'a, D>,
        from: &[plan::Buffer],
        [used, more]: [Arg; 2],
        after: &[Step],
    ) -> (i64, bool) {
        let [used, more] = [used, more].map(|count| frame.scalar(count).int());
        let shared = |&buffer: &plan::Buffer| {
            let ends = self.reuse && ends_soon(buffer, after);
            !ends || self.device.is_shared(frame.buffer(buffer))
        };
        let shared: Vec<plan::Buffer> = from.iter().copied().filter(shared).collect();
        let there = |&buffer: &plan::Buffer| {
            let memory = frame.buffer(buffer);
            let bytes = self.device.filled(memory).unwrap_or(self.device.capacity(memory));
            i64::try_from(bytes / self.size(frame.buffer_ty(buffer))).unwrap_or(i64::MAX)
        };
        let all = || from.iter().map(there).min().unwrap_or(0);
        let used = if used < 0 { all() } else { used };
        let mut begin = used;
        for &buffer in &shared {
            let Some(filled) = self.device.filled(frame.buffer(buffer)) else {
                return (used, false);
            };
            let filled = filled.div_ceil(self.size(frame.buffer_ty(buffer)));
            begin = begin.max(i64::try_from(filled).unwrap_or(i64::MAX));
        }
        let end = begin.saturating_add(more);
        let fits = |&buffer: &plan::Buffer| {
            let bytes = self.bytes(frame, Arg::Const(Const::I64(end)), frame.buffer_ty(buffer));
            bytes <= self.device.capacity(frame.buffer(buffer))
        };
        let fits = end <= self.program.widths.max_length() && shared.iter().all(fits);
        (if fits { begin } else { used }, shared.is_empty())
    }

    /// Room for `len` elements, the first `used` of which are those of a buffer: its own memory
    /// when it has room and nobody needs what is there from `begin` on, else memory with room to
    /// grow again.
    pub(super) fn grow(
        &mut self,
        frame: &mut Frame<'a, D>,
        buffer: plan::Buffer,
        from: plan::Buffer,
        [used, begin, len]: [Arg; 3],
        (dies, span): (bool, Span),
    ) -> Result<()> {
        let ty = frame.buffer_ty(buffer);
        self.counted(usize::try_from(frame.scalar(len).int()).unwrap_or(0), span)?;
        let (kept, bytes) = (self.bytes(frame, used, ty), self.bytes(frame, len, ty));
        self.device.settle(frame.buffer(from), kept);
        let room = self.device.capacity(frame.buffer(from));
        let fits = bytes <= room && !wastes(room, bytes);
        if self.reuse && dies && fits && !self.device.is_shared(frame.buffer(from)) {
            if let Some(memory) = frame.take_buffer(from) {
                self.device.fill(&memory, Some(bytes));
                frame.set_buffer(buffer, memory);
            }
            return Ok(());
        }
        let begins = self.bytes(frame, begin, ty);
        let filled = self.device.filled(frame.buffer(from));
        if self.reuse && bytes <= room && filled.is_some_and(|filled| filled <= begins) {
            let memory = frame.buffer(from).clone();
            self.device.fill(&memory, Some(bytes));
            frame.set_buffer(buffer, memory);
            return Ok(());
        }
        let wanted = if kept == 0 { bytes } else { bytes.saturating_mul(2) };
        let memory = self.obtain(wanted, span, |device| device.allocate(wanted))?;
        self.device.copy(frame.buffer(from), &memory, kept);
        self.device.fill(&memory, Some(bytes));
        self.touch(2 * elements(frame, used));
        frame.set_buffer(buffer, memory);
        Ok(())
    }
}

/// Whether memory is too large to be kept for so many bytes.
fn wastes(room: usize, bytes: usize) -> bool {
    room >= SPACIOUS && room / WASTE > bytes
}
