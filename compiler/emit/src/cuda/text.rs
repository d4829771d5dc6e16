//! The text of a program for NVIDIA GPUs, and what its launches need.
//!
//! Each kernel of the program is one CUDA kernel `k3`, but for sorts, which the device does by
//! kernels of its own.  A CUDA kernel is handed `nesl_run` (`rts/run.cuh`) by value, then the
//! arguments of the kernel in order: buffers as pointers, scalars as `long long`, `double`, or
//! `unsigned char`; narrow ints and floats as `int` and `float`.

use super::sort::Key;
use crate::shared::alike::Code;
use base::{IdMap, Site, Span};
use kernel::{Arg, ArgKind, KernelId, SortKind};
use prim::{Const, Ty, Width, Widths};

/// The text of a program.
#[derive(Clone, Debug)]
pub struct CudaText {
    /// How wide ints and floats are in memory.
    pub widths: Widths,
    /// Translation units, each complete in itself.
    pub units: Vec<String>,
    /// Those of them for which NVRTC takes seconds if it does all it can.
    pub hurried: Vec<usize>,
    /// What launches of the kernels need.
    pub kernels: IdMap<KernelId, CudaKernel>,
    /// Whose function does what those do that can be launched.
    pub code: Code,
    /// The table of fault sites: a report names a row, as [`Code::site`] says.
    pub sites: Vec<(Site, Span)>,
    /// The descents of the plan, in order; none for one that blocks cannot run.
    pub descents: Vec<Option<CudaDescent>>,
}

/// What blocks that run a descent need.
#[derive(Clone, Debug)]
pub struct CudaDescent {
    /// The kernel; what weighs lanes and what parts them have `_weigh` and `_part` behind it.
    pub name: String,
    /// The translation unit that has all three.
    pub unit: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block, besides what the kernel declares.
    pub shared: u32,
    /// What a call makes.
    pub made: Made,
    /// The types of its arguments, and how they are used; for a buffer, that of its elements.
    pub args: Vec<(Ty, ArgKind)>,
    /// The arguments that lanes are weighed by, the first of which is how many there are.
    pub weighed: Vec<usize>,
    /// Those with an element for each lane.
    pub own: Vec<usize>,
}

/// How many buffers a call of a descent makes, most of them with an element for each lane or each
/// element.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Made {
    /// What the next call is given.
    pub kept: u32,
    /// What is used in the call alone.
    pub used: u32,
}

/// What launches of a kernel need.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    /// For messages and profiles.
    pub name: String,
    /// The types of its arguments, and how they are used; for a buffer, that of its elements.
    pub args: Vec<(Ty, ArgKind)>,
    /// How it is run.
    pub work: Work,
}

/// How a kernel is run.
#[derive(Clone, Debug)]
pub enum Work {
    /// By blocks of threads, each of which takes one tile after the other.
    Tiles {
        /// The translation unit that has it.
        unit: usize,
        /// How many tiles there are.
        tiles: TileCount,
        /// Threads of a block.
        threads: u32,
        /// Words of scratch memory for each tile.  There is a cell of two words more for each.
        words: u32,
        /// Whether it can record a fault.
        fails: bool,
        /// Whether it calls recursive functions, which want a large stack.
        recursive: bool,
        /// Whether tiles are only reduced: a few blocks then do better than one for each tile.
        reduces: bool,
    },
    /// By the device's own kernels for sorting.
    Sort {
        /// What is given.
        kind: SortKind,
        /// How the keys are stored.
        key: Key,
        /// How wide ranks and offsets are.
        int: Width,
        /// Where they are.
        keys: Arg,
        /// How many they are.
        length: Size,
        /// Number of segments.
        segments: Size,
        /// Where each segment starts, and the end; absent for one segment.
        offsets: Option<Arg>,
        /// Sorted keys, or ranks in the segment as ints; same layout as the keys.
        out: Arg,
    },
}

/// A number that the host knows when it launches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Size {
    /// Always the same.
    Const(i64),
    /// An int that is handed over.
    Arg(Arg),
}

/// How many tiles a launch has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TileCount {
    /// One.
    One,
    /// One for each `grain` of `extent`, the last perhaps smaller.
    Even {
        /// Length of the outer range; none if it is negative.
        extent: Size,
        /// Indices of a tile.
        grain: u32,
    },
    /// The same of `extent` indices and `length` elements for each; none if there is no extent.
    Cells {
        /// Length of the outer range.
        extent: Size,
        /// Elements of each segment; none if it is negative.
        length: Size,
        /// Indices and elements of a tile.
        grain: u32,
    },
    /// The same of `extent` and `elements` together; none if there is no extent.
    Balanced {
        /// Length of the outer range.
        extent: Size,
        /// Elements of all its segments.
        elements: Size,
        /// Indices and elements of a tile.
        grain: u32,
    },
}

impl Size {
    /// The number, given the launch's arguments.
    pub fn of(self, arg: impl Fn(Arg) -> Const) -> i64 {
        match self {
            Size::Const(n) => n,
            Size::Arg(a) => arg(a).int(),
        }
    }
}

impl TileCount {
    /// The number of tiles in C++, given how sizes are spelt.
    pub(crate) fn spelt(self, size: impl Fn(Size) -> String) -> String {
        match self {
            TileCount::One => "1".to_owned(),
            TileCount::Even { extent, grain } => format!("nesl_even({}, {grain})", size(extent)),
            TileCount::Cells { extent, length, grain } => {
                format!("nesl_cells({}, {}, {grain})", size(extent), size(length))
            }
            TileCount::Balanced { extent, elements, grain } => {
                format!("nesl_balanced({}, {}, {grain})", size(extent), size(elements))
            }
        }
    }
    /// The number of tiles, given the launch's arguments.
    pub fn of(self, arg: impl Fn(Arg) -> Const) -> u64 {
        let pieces = |load: i64, grain: u32| {
            u64::try_from(load).unwrap_or(0).div_ceil(u64::from(grain.max(1)))
        };
        match self {
            TileCount::One => 1,
            TileCount::Even { extent, grain } => pieces(extent.of(arg), grain),
            TileCount::Cells { extent, length, grain } => {
                let (extent, length) = (extent.of(&arg).max(0), length.of(&arg).max(0));
                pieces(extent.saturating_mul(length.saturating_add(1)), grain)
            }
            TileCount::Balanced { extent, elements, grain } => {
                let extent = extent.of(&arg);
                if extent <= 0 { 0 } else { pieces(extent.saturating_add(elements.of(arg)), grain) }
            }
        }
    }
}
