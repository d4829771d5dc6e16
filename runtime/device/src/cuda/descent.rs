//! Descents: recursive functions that blocks of threads run to their end, without the host.
//!
//! A launch weighs the lanes, which is the number of their elements and lanes, and cuts those that
//! are light enough for a block into groups of about the same weight.  If all are, a second launch
//! goes down: each block takes one group after the other (`emit::cuda::descent`).  If there is
//! enough work in light lanes, they go down aside, on a stream of their own, and the host goes on
//! with the others:
//!
//! ```text
//! main   weigh  part ──┬─ depth  depth  depth  weigh  descent ──┬─ what comes after
//! aside                └─ descent of the light lanes ───────────┘
//! ```

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::{ASIDES, Address, Grid, Stream};
use super::host::Cells;
use super::image::Function;
use super::launch::{broken, word};
use super::memory::Hint;
use super::module::Module;
use super::{Buffer, Cuda};
use crate::arguments::check;
use crate::{Argument, Aside, Descended, Device, Failure, Lanes, OutOfMemory, Parted};
use emit::cuda::CudaDescent;
use kernel::KernelId;
use prim::Const;

/// How lanes are parted.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// What a group of lanes weighs, at least, and a light lane, at most.
    grain: u64,
    /// What light lanes have to weigh to be worth a launch aside, besides half as much as the
    /// others.
    worth: u64,
}

impl Sizes {
    /// What is fastest on an H200.
    pub(super) const USUAL: Sizes = Sizes { grain: 4096, worth: 1 << 18 };
    /// So that lanes of a few elements are parted.
    pub(super) const TINY: Sizes = Sizes { grain: 8, worth: 1 };
}

/// Blocks of a multiprocessor at once.
const RESIDENT: usize = 2;
/// Bytes of memory that a call may make for each buffer and each element or lane: half of what
/// there would be if each buffer had an element for each of both.
const SHARE: usize = size_of::<u64>() / 2;
/// The most lanes that are weighed: one block does that.
const LANES: i64 = 1 << 18;
/// Threads of that block.
const WEIGHING: u32 = 1024;
/// Threads of the blocks that part lanes.
const PARTING: u32 = 256;

/// What a descent is handed besides its arguments: `nesl_descent`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Handed {
    failed: Address,
    places: Address,
    cuts: Address,
    facts: Address,
    light: Address,
    heavy: Address,
    count: Address,
    ended: Address,
    room: Address,
    half: i64,
    rest: i64,
    grain: i64,
}

const _: () = assert!(size_of::<Handed>() == 96);

/// Numbers in `facts`.
const FACTS: usize = 3;

/// A call that may go down.
#[derive(Clone, Copy)]
struct Call<'a> {
    module: &'a Module,
    about: &'a CudaDescent,
    kernel: KernelId,
    /// Its arguments.
    words: &'a [u64],
}

/// The memory of blocks that go down.
struct Rooms {
    blocks: usize,
    /// Bytes that each block has for what a call hands to the next, twice.
    half: usize,
    /// Bytes that each has for what only a call itself uses.
    rest: usize,
}

/// What lanes weigh.
struct Weights {
    light: u64,
    heavy: u64,
    /// How many are heavy.
    count: i64,
}

impl Weights {
    /// How many times as much as a light lane may have heavy ones have, on average.
    fn times(&self, sizes: Sizes) -> u64 {
        self.heavy.div_ceil(sizes.grain * self.count.unsigned_abs().max(1))
    }
}

impl Cuda {
    /// Weighs lanes, and goes down with those that are light, if that is worth it.
    ///
    /// # Safety
    ///
    /// As for [`Device::descend`].
    pub(super) unsafe fn go_down(
        &self,
        module: &Module,
        (number, kernel): (usize, KernelId),
        args: &[Argument<'_, Buffer>],
    ) -> Result<Descended<Buffer>, Failure> {
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
        let call = Call { module, about, kernel, words: &words };
        let functions = module.descent(number, about).map_err(broken)?;
        // SAFETY: the caller answers for the arguments.
        unsafe { self.go_down_with(call, functions, lanes) }
    }

    /// The same with what the text has of it.
    ///
    /// # Safety
    ///
    /// As for [`Device::descend`].
    unsafe fn go_down_with(
        &self,
        call: Call<'_>,
        [weigh, part, descend]: [Function; 3],
        lanes: i64,
    ) -> Result<Descended<Buffer>, Failure> {
        let count = usize::try_from(lanes).unwrap_or(0);
        let [places, cuts, facts] = [self.ints(count)?, self.ints(count + 2)?, self.ints(FACTS)?];
        let cell = || self.cell().map_err(Failure::Memory);
        let [light, heavy, many, ended] = [cell()?, cell()?, cell()?, cell()?];
        let mut handed = Handed {
            failed: self.signals.failed(),
            places: places.address(),
            cuts: cuts.address(),
            facts: facts.address(),
            light: light.address(),
            heavy: heavy.address(),
            count: many.address(),
            ended: ended.address(),
            room: 0,
            half: 0,
            rest: 0,
            grain: self.lanes.grain as i64,
        };
        let grid = Grid { blocks: 1, threads: WEIGHING, shared: 0 };
        let weighed: Vec<u64> = call.about.weighed.iter().map(|&n| call.words[n]).collect();
        // SAFETY: the caller answers for the arguments, and the text says which these are.
        unsafe { self.launch_own(Stream::Main, call.kernel, (weigh, grid), &handed, &weighed)? };
        self.arrive(&[&light, &heavy, &many])?;
        let weights = Weights {
            light: self.value(&light),
            heavy: self.value(&heavy),
            count: self.value(&many) as i64,
        };
        let parts = weights.count > 0;
        if parts && weights.light < self.lanes.worth.max(weights.heavy / 2) {
            return Ok(Descended::Heavy(weights.times(self.lanes)));
        }
        let aside = parts.then(|| self.next_aside());
        let Rooms { blocks, half, rest } = self.rooms(call.about, weights.light);
        let Ok(room) = self.room_for(aside, blocks * (2 * half + rest)) else {
            return Ok(Descended::GaveUp);
        };
        handed.room = room.address();
        (handed.half, handed.rest) = (half as i64, rest as i64);
        let (threads, shared) = (call.about.threads, call.about.shared);
        let grid = Grid { blocks: blocks as u32, threads, shared };
        let Some(stream) = aside else {
            // SAFETY: as above; the blocks keep to their room.
            unsafe {
                self.launch_own(Stream::Main, call.kernel, (descend, grid), &handed, call.words)?;
            }
            self.arrive(&[&ended])?;
            let gave_up = self.value(&ended) > 0;
            return Ok(if gave_up { Descended::GaveUp } else { Descended::Done });
        };
        // SAFETY: as above.
        let parted = unsafe { self.part(call, part, &handed, lanes, weights.count) };
        let [light, left] = match parted {
            Err(Failure::Memory(_)) => return Ok(Descended::GaveUp),
            parted => parted?,
        };
        let mut words = call.words.to_vec();
        for (n, buffer) in &light.own {
            words[*n] = buffer.address();
        }
        self.context.follow(Stream::Aside(stream), Stream::Main).map_err(broken)?;
        // SAFETY: as above; what is in use is kept until it has ended.
        unsafe {
            let aside = Stream::Aside(stream);
            self.launch_own(aside, call.kernel, (descend, grid), &handed, &words)?;
        }
        let memory = vec![places, cuts, facts, room];
        let aside = Aside { lanes: light, ended, memory, stream };
        Ok(Descended::Parted(Parted { left, times: weights.times(self.lanes), aside }))
    }

    /// Parts what light lanes are given from what heavy ones are.
    ///
    /// # Safety
    ///
    /// The lanes were weighed, which found so many heavy ones.
    unsafe fn part(
        &self,
        call: Call<'_>,
        part: Function,
        handed: &Handed,
        lanes: i64,
        heavy: i64,
    ) -> Result<[Lanes<Buffer>; 2], Failure> {
        let mut words = vec![call.words[0]];
        let mut parted = [lanes - heavy, heavy].map(|count| Lanes { count, own: Vec::new() });
        for &n in &call.about.own {
            words.push(call.words[n]);
            let bytes = call.module.text().widths.size(call.about.args[n].0);
            for lanes in &mut parted {
                let count = usize::try_from(lanes.count).unwrap_or(0);
                let buffer = self.allocate(count * bytes).map_err(Failure::Memory)?;
                words.push(buffer.address());
                lanes.own.push((n, buffer));
            }
        }
        let blocks = lanes.unsigned_abs().div_ceil(PARTING.into()) as u32;
        let grid = Grid { blocks, threads: PARTING, shared: 0 };
        // SAFETY: the places of lanes are in what was made for them.
        unsafe { self.launch_own(Stream::Main, call.kernel, (part, grid), handed, &words)? };
        Ok(parted)
    }

    /// Waits for lanes that run aside, and tells whether they have come to their end.
    pub(super) fn wait_for(&self, aside: &Aside<Buffer>) -> Result<bool, Failure> {
        let came = self.arrive(&[&aside.ended]);
        if came.is_err() || !aside.ended.is_set() {
            // Whatever has failed or is waited for, it goes on, and uses memory.
            let done = self.context.synchronize_with(Stream::Aside(aside.stream));
            came.and(done.map_err(broken))?;
        }
        self.context.follow(Stream::Main, Stream::Aside(aside.stream)).map_err(broken)?;
        Ok(self.value(&aside.ended) == 0)
    }
    /// Whether lanes that run aside have come to their end, without waiting for them.
    pub(super) fn has_ended(&self, aside: &Aside<Buffer>) -> bool {
        // The last block tells it when all others have told that they are done.  What is launched
        // from now on need not follow that stream, where something else may run since.
        aside.ended.is_set() && self.value(&aside.ended) == 0
    }
    /// The stream for what runs aside next.
    fn next_aside(&self) -> usize {
        let state = &mut *self.state();
        state.aside = (state.aside + 1) % ASIDES;
        state.aside
    }

    /// How many blocks go down, and how many bytes each of them has.
    fn rooms(&self, about: &CudaDescent, total: u64) -> Rooms {
        let groups = usize::try_from(total / self.lanes.grain + 1).unwrap_or(usize::MAX);
        let elements = total.min(2 * self.lanes.grain) as usize;
        // Buffers begin at multiples of 16 bytes, and may have one element more than there are
        // lanes.
        let room =
            |buffers: u32| (buffers as usize * (elements * SHARE + 32)).next_multiple_of(512);
        let blocks = groups.min(RESIDENT * self.context.multiprocessors);
        Rooms { blocks, half: room(about.made.kept), rest: room(about.made.used) }
    }
    /// So many bytes for blocks: where they go down aside, those of what goes down on the same
    /// stream before them, if they suffice.
    fn room_for(&self, aside: Option<usize>, bytes: usize) -> Result<Buffer, OutOfMemory> {
        let Some(stream) = aside else { return self.allocate(bytes) };
        let there = self.state().rooms[stream].get().filter(|room| room.len() >= bytes);
        let room = there.map_or_else(|| self.allocate(bytes), Ok)?;
        self.state().rooms[stream] = Hint::of(&room);
        Ok(room)
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
        stream: Stream,
        kernel: KernelId,
        (function, grid): (Function, Grid),
        handed: &Handed,
        words: &[u64],
    ) -> Result<(), Failure> {
        let state = &mut *self.state();
        state.tell()?;
        let began = state.profile.begin(&self.context, stream).map_err(broken)?;
        state.traffic.launches += 1;
        state.busy = true;
        let head = Some((&raw const *handed).cast());
        // SAFETY: the caller says so.
        unsafe { self.context.launch(stream, function, grid, head, words) }.map_err(broken)?;
        let tiles = Some(u64::from(grid.blocks));
        state.profile.end((kernel, tiles), began, (&self.context, stream)).map_err(broken)
    }
}
