//! Descents: recursive functions that blocks of threads run to their end, without the host.
//!
//! A launch weighs the lanes and cuts them into groups of about the same weight, which is the
//! number of their elements and lanes.  If none is too heavy for a block, a second launch goes
//! down: each block takes one group after the other (`emit::cuda::descent`).

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::{Address, Grid};
use super::host::Cells;
use super::image::Function;
use super::launch::{broken, word};
use super::module::Module;
use super::{Buffer, Cuda};
use crate::arguments::check;
use crate::{Argument, Descended, Device, Failure};
use emit::cuda::CudaDescent;
use kernel::KernelId;
use prim::Const;

/// What a group of lanes weighs, at least.
const GRAIN: u64 = 4096;
/// What a lane of a group may weigh.
const HEAVIEST: u64 = 4096;
/// Blocks of a multiprocessor at once.
const RESIDENT: usize = 2;
/// Bytes of memory that a call may make for each buffer and each element or lane: half of what
/// there would be if each buffer had an element for each of both.
const SHARE: usize = size_of::<u64>() / 2;
/// The most lanes that are weighed: one block does that.
const LANES: i64 = 1 << 16;
/// Threads of that block.
const WEIGHING: u32 = 1024;

/// What a descent is handed besides its arguments: `nesl_descent`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Handed {
    failed: Address,
    cuts: Address,
    facts: Address,
    total: Address,
    longest: Address,
    ended: Address,
    room: Address,
    half: i64,
    grain: i64,
    most: i64,
}

const _: () = assert!(size_of::<Handed>() == 80 && HEAVIEST <= 2 * GRAIN);

/// Numbers in `facts`.
const FACTS: usize = 3;

impl Cuda {
    /// Weighs lanes, and goes down if none is too heavy.
    ///
    /// # Safety
    ///
    /// As for [`Device::descend`].
    pub(super) unsafe fn go_down(
        &self,
        module: &Module,
        (number, kernel): (usize, KernelId),
        args: &[Argument<'_, Buffer>],
    ) -> Result<Descended, Failure> {
        let Some(about) = module.text().descents.get(number).and_then(Option::as_ref) else {
            return Ok(Descended::Impossible);
        };
        check(&about.name, &about.args, args, |buffer| usize::try_from(buffer.address()).ok())?;
        let lanes = match args.first() {
            Some(Argument::Scalar(Const::I64(lanes))) => *lanes,
            _ => return Ok(Descended::Impossible),
        };
        if lanes > LANES {
            return Ok(Descended::Heavy(2));
        }
        let words: Vec<u64> = args.iter().map(|arg| word(module.text().widths, arg)).collect();
        let most = 2 * usize::try_from(lanes).unwrap_or(0) + 2;
        let (cuts, facts) = (self.ints(most)?, self.ints(FACTS)?);
        let [total, longest, ended] = [self.cell(), self.cell(), self.cell()];
        let (total, longest) = (total.map_err(Failure::Memory)?, longest.map_err(Failure::Memory)?);
        let ended = ended.map_err(Failure::Memory)?;
        let mut handed = Handed {
            failed: self.signals.failed(),
            cuts: cuts.address(),
            facts: facts.address(),
            total: total.address(),
            longest: longest.address(),
            ended: ended.address(),
            room: 0,
            half: 0,
            grain: GRAIN as i64,
            most: most as i64,
        };
        let [weigh, descend] = module.descent(number, about).map_err(broken)?;
        let grid = Grid { blocks: 1, threads: WEIGHING, shared: 0 };
        let weighed: Vec<u64> = about.weighed.iter().map(|&n| words[n]).collect();
        // SAFETY: the caller answers for the arguments, and the text says which these are.
        unsafe { self.launch_own(kernel, (weigh, grid), &handed, &weighed)? };
        self.arrive(&[&total, &longest])?;
        let (total, longest) = (self.value(&total), self.value(&longest));
        if longest > HEAVIEST {
            return Ok(Descended::Heavy(longest.div_ceil(HEAVIEST)));
        }
        let (blocks, half) = self.blocks(about, total);
        let Ok(room) = self.allocate(2 * half * blocks) else { return Ok(Descended::GaveUp) };
        handed.room = room.address();
        handed.half = half as i64;
        let grid = Grid { blocks: blocks as u32, threads: about.threads, shared: about.shared };
        // SAFETY: as above; the blocks keep to their room.
        unsafe { self.launch_own(kernel, (descend, grid), &handed, &words)? };
        self.arrive(&[&ended])?;
        let gave_up = self.value(&ended) > 0;
        Ok(if gave_up { Descended::GaveUp } else { Descended::Done })
    }

    /// How many blocks go down, and how many bytes each of them has for a call.
    fn blocks(&self, about: &CudaDescent, total: u64) -> (usize, usize) {
        let groups = usize::try_from(total / GRAIN + 1).unwrap_or(usize::MAX);
        let elements = total.min(GRAIN + HEAVIEST) as usize;
        // Buffers begin at multiples of 16 bytes, and may have one element more than there are
        // lanes.
        let half = about.made as usize * (elements * SHARE + 32);
        (groups.min(RESIDENT * self.context.multiprocessors), half.next_multiple_of(512))
    }
    fn ints(&self, count: usize) -> Result<Buffer, Failure> {
        self.allocate(count * size_of::<i64>()).map_err(Failure::Memory)
    }
    fn value(&self, cell: &Buffer) -> u64 {
        let mut bytes = [0; Cells::SIZE];
        self.read(cell, 0, &mut bytes);
        u64::from_le_bytes(bytes)
    }
    /// Launches a kernel of a descent.
    ///
    /// # Safety
    ///
    /// The words are its parameters.
    unsafe fn launch_own(
        &self,
        kernel: KernelId,
        (function, grid): (Function, Grid),
        handed: &Handed,
        words: &[u64],
    ) -> Result<(), Failure> {
        let state = &mut *self.state();
        state.tell()?;
        let began = state.profile.begin(&self.context).map_err(broken)?;
        state.traffic.launches += 1;
        state.busy = true;
        let head = Some((&raw const *handed).cast());
        // SAFETY: the caller says so.
        unsafe { self.context.launch(function, grid, head, words) }.map_err(broken)?;
        let tiles = Some(u64::from(grid.blocks));
        state.profile.end((kernel, tiles), began, &self.context).map_err(broken)
    }
}
