//! How vectors get to the GPU and back: through two pieces of memory that both sides reach.
//!
//! ```text
//!  upload:     vector --threads--> half 0 --GPU--> memory      while half 1 is filled
//!  download:   vector <--threads-- half 0 <--GPU-- memory      while half 1 is on its way
//! ```
//!
//! Copying a vector into such memory and having the GPU fetch it is faster than to make the
//! vector's own memory reachable, which takes the system longer than the copy.

#![expect(unsafe_code, reason = "memory is shared with the GPU")]

use super::context::{Address, Context, Stream};
use super::driver::Error;
use super::host::{Event, Pinned};
use std::sync::Arc;

/// Bytes of a half for transfers that are larger than two small ones.
const LARGE: usize = 16 << 20;
/// Bytes of a small half.
const SMALL: usize = 256 << 10;

/// Two halves of memory through which everything is copied.
#[derive(Default)]
pub(super) struct Staging {
    halves: Vec<Half>,
}

struct Half {
    memory: Pinned,
    /// Reached when the GPU has done with it.
    done: Event,
}

impl Staging {
    /// Halves that suit a transfer of so many bytes.
    fn halves(&mut self, context: &Arc<Context>, bytes: usize) -> Result<&[Half], Error> {
        let wanted = if bytes <= 2 * SMALL { SMALL } else { LARGE };
        if self.halves.first().is_none_or(|half| half.memory.len() < wanted) {
            // Dropping them waits for the GPU.
            self.halves.clear();
            for _ in 0..2 {
                let memory = Pinned::new(context, wanted)?;
                self.halves.push(Half { memory, done: Event::new(false)? });
            }
        }
        Ok(&self.halves)
    }

    /// Starts copying to the GPU; afterwards the bytes are not needed any more.
    ///
    /// # Safety
    ///
    /// The GPU's memory is as long, and no failed launch will be looked at that reads it.
    pub(super) unsafe fn upload(
        &mut self,
        context: &Arc<Context>,
        bytes: &[u8],
        to: Address,
    ) -> Result<(), Error> {
        let halves = self.halves(context, bytes.len())?;
        let size = halves[0].memory.len();
        for (n, piece) in bytes.chunks(size).enumerate() {
            let half = &halves[n % 2];
            half.done.wait()?;
            // SAFETY: the half is at least as long, and the GPU has done with it.
            unsafe {
                copy(piece.as_ptr(), half.memory.host(), piece.len());
                context.copy_in(half.memory.host(), to + (n * size) as u64, piece.len())?;
            }
            half.done.record(context, Stream::Main)?;
        }
        Ok(())
    }

    /// Copies from the GPU, and waits for it.
    ///
    /// # Safety
    ///
    /// The GPU's memory is as long.
    pub(super) unsafe fn download(
        &mut self,
        context: &Arc<Context>,
        from: Address,
        bytes: &mut [u8],
    ) -> Result<(), Error> {
        let halves = self.halves(context, bytes.len())?;
        let size = halves[0].memory.len();
        let (total, to) = (bytes.len(), bytes.as_mut_ptr());
        let pieces = total.div_ceil(size);
        let len = |n: usize| size.min(total - n * size);
        let fetch = |n: usize| {
            let half = &halves[n % 2];
            // SAFETY: the half is at least as long; what it held was copied.
            unsafe { context.copy_out(from + (n * size) as u64, half.memory.host(), len(n))? };
            half.done.record(context, Stream::Main)
        };
        for half in halves {
            half.done.wait()?;
        }
        for n in 0..pieces.min(2) {
            fetch(n)?;
        }
        for n in 0..pieces {
            let half = &halves[n % 2];
            half.done.wait()?;
            // SAFETY: the piece is inside the bytes, which are borrowed for writing.
            unsafe { copy(half.memory.host(), to.add(n * size), len(n)) };
            if n + 2 < pieces {
                fetch(n + 2)?;
            }
        }
        Ok(())
    }
}

/// Copies with several threads where that pays.
///
/// # Safety
///
/// Both are that long, do not overlap, and nothing else uses them.
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    /// Bytes from which on starting a thread pays: a large page, which is touched by one thread.
    const SHARE: usize = 2 << 20;
    /// More do not make memory faster.
    const MOST: usize = 8;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = bytes.div_ceil(cores.min(MOST)).next_multiple_of(SHARE);
    if bytes <= share {
        // SAFETY: the caller says so.
        unsafe { to.copy_from_nonoverlapping(from, bytes) };
        return;
    }
    // SAFETY: the caller says so; all threads end in here.
    let (from, to) = unsafe {
        (std::slice::from_raw_parts(from, bytes), std::slice::from_raw_parts_mut(to, bytes))
    };
    std::thread::scope(|scope| {
        for (from, to) in from.chunks(share).zip(to.chunks_mut(share)) {
            scope.spawn(|| to.copy_from_slice(from));
        }
    });
}
