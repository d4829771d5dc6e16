//! Launching the kernels of programs.

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::{Address, Grid, Stream};
use super::driver::Error;
use super::failure::Launch;
use super::launcher::Launcher;
use super::module::Module;
use super::{Buffer, Cuda, State, sort};
use crate::arguments::check;
use crate::{Argument, Failure, OutOfMemory};
use base::Id;
use emit::cuda::{TileCount, Work};
use kernel::{Arg, KernelId};
use prim::{Const, Widths};

/// The most blocks of a launch.
const BLOCKS: u64 = (1 << 31) - 1;
/// Threads that a multiprocessor has at a time.
const RESIDENT: usize = 2048;
/// Bytes of stack of each thread where functions recurse.
const STACK: usize = 16 << 10;

/// Scratch memory of launches, kept between them.
///
/// ```text
///         | words of all tiles  | a cell for each word            |
///         ^ handed over         ^ the border
/// ```
///
/// Cells, of two words each, always begin at the border and words always end there, so that
/// nothing else is taken for the number of a cell by a launch with more or fewer tiles.  Only the
/// cells have to be 0 at first.
pub(super) struct Scratch(Buffer);

impl Scratch {
    /// Bytes of memory for so many bytes of words, and twice as many of cells.
    pub(super) fn bytes(words: usize) -> usize {
        words.max(1).div_ceil(512).saturating_mul(3 * 512)
    }
    /// What is handed to a launch, given memory and the bytes of its words.
    pub(super) fn start(address: Address, bytes: usize, words: usize) -> Address {
        Scratch::border(address, bytes) - words as u64
    }
    fn border(address: Address, bytes: usize) -> Address {
        address + (bytes / 3 / 512 * 512) as u64
    }
}

impl State {
    /// The number of the next launch.
    pub(super) fn next_number(&mut self) -> u32 {
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            // Cells of old launches would look like new ones.
            self.scratch = None;
            self.number = 1;
        }
        self.number
    }
}

impl Cuda {
    /// Launches a kernel of a program.
    ///
    /// # Safety
    ///
    /// As for [`crate::Device::launch`].
    pub(super) unsafe fn start(
        &self,
        state: &mut State,
        module: &Module,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
    ) -> Result<(), Failure> {
        if self.signals.told() != 0 || state.pending.is_full() {
            self.settle_failures(state);
        }
        state.tell()?;
        let facts = &module.text().kernels[kernel];
        check(&facts.name, &facts.args, args, |buffer| usize::try_from(buffer.address()).ok())?;
        let began = state.profile.begin(&self.context, Stream::Main).map_err(broken)?;
        match &facts.work {
            &Work::Tiles { unit, tiles, threads, words, fails, recursive, reduces } => {
                let tiles = Tiles { unit, tiles, threads, words, fails, recursive, reduces };
                // SAFETY: the caller answers for the arguments.
                unsafe { self.tiles(state, (module, kernel), &tiles, args)? };
            }
            Work::Sort { .. } => {
                sort::launch(
                    &mut Launcher { device: self, state: &mut *state },
                    &facts.work,
                    args,
                )?;
            }
        }
        let tiles = match &facts.work {
            Work::Tiles { tiles, .. } => Some(tiles.of(|arg| scalar(args, arg))),
            Work::Sort { .. } => None,
        };
        state.profile.end((kernel, tiles), began, (&self.context, Stream::Main)).map_err(broken)
    }

    /// Launches a kernel that works by tiles.
    ///
    /// # Safety
    ///
    /// As for [`crate::Device::launch`].
    unsafe fn tiles(
        &self,
        state: &mut State,
        (module, kernel): (&Module, KernelId),
        work: &Tiles,
        args: &[Argument<'_, Buffer>],
    ) -> Result<(), Failure> {
        if work.recursive && !state.deep {
            self.context.set_stack(STACK).map_err(broken)?;
            state.deep = true;
        }
        let count = work.tiles.of(|arg| scalar(args, arg));
        let tiles = usize::try_from(count).unwrap_or(usize::MAX);
        let scratch = tiles.saturating_mul(work.words as usize).saturating_mul(size_of::<u64>());
        let mut run = self.signals.run();
        run.tiles = i64::try_from(count).unwrap_or(i64::MAX);
        run.few = self.few;
        // Before scratch memory is asked for, which a new round of numbers gives back.
        run.number = state.next_number();
        if scratch > 0 {
            run.scratch = self.scratch(state, scratch).map_err(Failure::Memory)?;
            // Finding room may have found a failure, whose launch has made no inputs for this one.
            state.tell()?;
        }
        let most = if work.reduces {
            (self.context.multiprocessors * RESIDENT / work.threads as usize) as u64
        } else {
            BLOCKS
        };
        let blocks = count.clamp(1, most.clamp(1, BLOCKS));
        let blocks = u32::try_from(blocks).unwrap_or(1);
        let grid = Grid { blocks, threads: work.threads, shared: 0 };
        let function = module.function(kernel, work.unit).map_err(broken)?;
        let words: Vec<u64> = args.iter().map(|arg| word(module.text().widths, arg)).collect();
        let launch = Launch { module, kernel, grid, run, scratch, words: &words };
        state.traffic.launches += 1;
        state.busy = true;
        let head = Some((&raw const launch.run).cast());
        // SAFETY: the caller answers for the arguments; the rest is as the text says.
        unsafe { self.context.launch(Stream::Main, function, grid, head, &words) }
            .map_err(broken)?;
        if work.fails {
            state.pending.push(&launch);
        }
        Ok(())
    }

    /// Scratch memory with so many bytes of words, cells 0 or of an old launch.
    fn scratch(&self, state: &mut State, words: usize) -> Result<Address, OutOfMemory> {
        /// Bytes of words for which there is always room.
        const LEAST: usize = 256 << 10;
        let needed = Scratch::bytes(words.max(LEAST));
        if state.scratch.as_ref().is_none_or(|scratch| scratch.0.len() < needed) {
            state.scratch = None;
            // A little more may soon be asked for.
            let buffer = match self.obtain(state, needed.saturating_add(needed / 2)) {
                Ok(buffer) => buffer,
                Err(_) => self.obtain(state, needed)?,
            };
            buffer.settle(buffer.len());
            self.clear(state, &buffer, buffer.len());
            state.scratch = Some(Scratch(buffer));
        }
        let Some(Scratch(buffer)) = &state.scratch else { unreachable!("scratch was made") };
        Ok(Scratch::start(buffer.address(), buffer.len(), words))
    }
}

/// What launches of a kernel by tiles need, as [`Work::Tiles`] has it.
struct Tiles {
    unit: usize,
    tiles: TileCount,
    threads: u32,
    words: u32,
    fails: bool,
    recursive: bool,
    reduces: bool,
}

/// The value of a scalar argument.
pub(super) fn scalar(args: &[Argument<'_, Buffer>], arg: Arg) -> Const {
    match args[arg.index()] {
        Argument::Scalar(value) => value,
        Argument::Buffer(_) | Argument::Past(..) => unreachable!("{arg} is a number"),
    }
}

/// An argument in the first bytes of a word.
pub(super) fn word(widths: Widths, arg: &Argument<'_, Buffer>) -> u64 {
    match *arg {
        Argument::Scalar(value) => widths.bits(value),
        Argument::Buffer(buffer) => buffer.address(),
        Argument::Past(buffer, from) => buffer.address() + from as u64,
    }
}

pub(super) fn broken(error: Error) -> Failure {
    Failure::Broken(error.diagnostic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_cells_begin() {
        for words in [8, 512, 1 << 20] {
            let bytes = Scratch::bytes(1 << 20);
            let start = Scratch::start(4096, bytes, words);
            assert_eq!(start + words as u64, 4096 + (1 << 20));
        }
        // Diagnosis asks for just enough.
        for words in [8, 504, 512, 520, 1000] {
            let bytes = Scratch::bytes(words);
            let start = Scratch::start(4096, bytes, words);
            let end = start + 3 * words as u64;
            assert!(start >= 4096 && end <= 4096 + bytes as u64, "{words}");
        }
    }
}
