//! The types of kernel.
//!
//! ```text
//! kernel k0 dot(a0: in f64, a1: in f64, a2: i64, a3: out f64) tiles of 16384 over a2 as x0 x1 x2 {
//!   for x3 in x1 .. x2 simd carry x4 = 0.0 {
//!     x5 = read a0 x3
//!     x6 = read a1 x3
//!     x7 = mul x5 x6
//!     x8 = add x4 x7
//!     next x8 add
//!   } gives x9
//!   partial 0 x9
//! } finish x10 = add {
//!   store a3 0 x10
//! }
//! ```
//!
//! # Levels
//!
//! *Tiles* are independent pieces of the outer range; a machine runs several at once (cores on a
//! CPU, blocks on a GPU), always starting them in order of number.  Loops inside a tile are serial
//! or `simd`: iterations of a simd loop are independent but for carried values with a monoid.
//! Where its body uses such a value for more than its `next`, the loop is a scan.
//!
//! In the *tile form* statements say what one unit does with a tile.  In the *thread form*, which
//! the schedule for GPUs gives, a tile is run by a block of threads: statements say what each of
//! them does, with variables of its own; `shared` arrays belong to the block, `private` arrays to
//! the thread.  The private arrays of a block make up a *striped* array: warp by warp of 32
//! threads, the first elements of its threads, then the second, and so on.
//!
//! # Collectives
//!
//! * `partial i value`: this tile's share of the kernel's reduction i; combined in tile order.
//! * `chain`: the exclusive prefix, over the tiles before this one, of the tiles' totals.
//! * A carried value that is `chained` starts where the tile before left it.
//!
//! In the thread form, all threads of a block come to a collective together:
//! * `barrier`: what threads wrote to shared arrays before it, all see after it.
//! * `combine`: a value of each thread combined; every thread gets the result.
//! * `scan`: prefixes of a striped array, in its order, and the total.
//! * `owners`: the segment of each of many elements.
//! * `ends`: which of many elements are the last of their segments.
//! * `rows`: what the values of a striped array come to in each segment.
//!
//! Where a carried value *restarts*, it is the identity again before it is combined: segments of
//! one loop.  Its scan carries along whether it has restarted.
//!
//! # Failure
//!
//! `require` and fallible operations record a fault and go on with a harmless value, so that loops
//! vectorise; code that could do harm after a fault guards itself (indices are clamped by the code
//! that was generated).  The machine discards the results of a kernel that failed and runs it again
//! in *diagnosis*, which stops at the first fault in order and reports its site, ints and the
//! values of `positions`.

use base::{IdMap, define_id};
use prim::{Monoid, Ty};
use scalar::Var;
use std::collections::BTreeMap;

define_id!(KernelId, "k", "A kernel of the program.");
define_id!(Arg, "a", "An argument of a kernel.");

/// All kernels of a program.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Program {
    /// How wide ints and floats are.
    pub widths: prim::Widths,
    /// The kernels.
    pub kernels: IdMap<KernelId, Kernel>,
    /// Other forms of some of them: run by one unit as part of a larger piece of work, as one tile
    /// without a chain.
    pub serial: BTreeMap<KernelId, Kernel>,
    /// Scalar functions that they call.
    pub scalars: IdMap<scalar::Func, scalar::Function>,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// For dumps and profiles.
    pub name: String,
    /// Its arguments.
    pub args: IdMap<Arg, ArgInfo>,
    /// Types of all variables.
    pub vars: IdMap<Var, Ty>,
    /// What it does.
    pub body: Body,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArgInfo {
    /// Element type of a buffer, type of a scalar.
    pub ty: Ty,
    /// How it is passed and used.
    pub kind: ArgKind,
}

/// How an argument is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A scalar by value.
    Scalar,
    /// A buffer that is only read.
    In,
    /// A buffer that is only written, no element twice but by the same tile; overlaps no other.
    Out,
    /// An output that may be the same memory as an input, whose elements are read before they are
    /// overwritten, by the same tile (`over.rs` has the rules).
    Over(Over),
    /// A buffer that is read and written.  Several tiles may write one element: equal values, or
    /// values that are not used.  Or it is only raised.
    InOut,
    /// Not handed over: an array of so many elements that each tile has, shared by the threads of
    /// its block.
    Shared(u32),
    /// Not handed over: an array of so many elements that each thread has.
    Private(u32),
}

/// What an output may be the same memory as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The input.
    pub input: Arg,
    /// Where the input is read first, a scalar: they may be the same only where it is 0.
    pub start: Option<Arg>,
}

impl ArgKind {
    /// Whether it is a buffer that the kernel writes.
    pub fn is_written(self) -> bool {
        match self {
            ArgKind::Out | ArgKind::Over(_) | ArgKind::InOut => true,
            ArgKind::Scalar | ArgKind::In | ArgKind::Shared(_) | ArgKind::Private(_) => false,
        }
    }
    /// Whether it is an array of the kernel itself, and not handed over by a launch.
    pub fn is_own(self) -> bool {
        self.own_len().is_some()
    }
    /// The elements of an array of the kernel itself.
    pub fn own_len(self) -> Option<u32> {
        match self {
            ArgKind::Shared(len) | ArgKind::Private(len) => Some(len),
            ArgKind::Scalar | ArgKind::In | ArgKind::Out | ArgKind::Over(_) | ArgKind::InOut => {
                None
            }
        }
    }
}

/// What a kernel does.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// Statements for each tile, then once at the end.
    Tiles {
        /// The outer range and how it is cut.
        tiles: Tiles,
        /// The number of the tile, its first and one past its last outer index.
        tile: [Var; 3],
        /// The block of threads that runs a tile; none in the tile form.
        threads: Option<Threads>,
        /// Reductions over all tiles.
        partials: Vec<Partial>,
        /// Runs for each tile.
        body: Block,
        /// Runs once after all tiles, also when there are none.
        finish: Block,
    },
    /// Sorts or ranks scalars inside segments, stably.
    Sort {
        /// What is given.
        kind: SortKind,
        /// Where the keys are.
        keys: Keys,
        /// Sorted keys, or ranks inside the segment as ints; same layout as the keys.
        out: Arg,
    },
}

/// The threads of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads {
    /// How many.
    pub count: u32,
    /// The number of the thread, from 0.
    pub rank: Var,
}

/// How the outer range is cut into tiles.
#[derive(Clone, PartialEq, Debug)]
pub enum Tiles {
    /// One tile that is the range 0..1: scalar code of the host program.
    Once,
    /// 0..extent in pieces of `grain`.
    Even {
        /// Length of the range.
        extent: crate::Operand,
        /// Indices per tile.
        grain: u32,
    },
    /// 0..extent in pieces so that the indices and the elements of their segments together
    /// (`offsets[i] + i`) are about `grain`.
    Balanced {
        /// Length of the range.
        extent: crate::Operand,
        /// Where each index's segment lies.
        segments: Segments,
        /// Indices and elements per tile.
        grain: u32,
    },
    /// As `Balanced`, but segments are cut, too: a tile has the indices that some of its elements
    /// belong to.  `own` are the first index that starts in this tile, its first element, and one
    /// past its last element.
    Cut {
        /// Length of the range.
        extent: crate::Operand,
        /// Where each index's segment lies.
        segments: Segments,
        /// Indices and elements per tile.
        grain: u32,
        /// Bound in each tile.
        own: [Var; 3],
    },
    /// One tile that is the range 0..extent.
    Whole {
        /// Length of the range.
        extent: crate::Operand,
    },
    /// One tile for each parallel unit of the machine; 0..extent in equal pieces.
    Owners {
        /// Length of the range.
        extent: crate::Operand,
    },
}

impl Tiles {
    /// All variables that a tile binds, given those that every tile has.
    pub fn names(&self, tile: [Var; 3]) -> Vec<Var> {
        let own = match self {
            Tiles::Cut { own, .. } => own.as_slice(),
            _ => &[],
        };
        [&tile, own].concat()
    }
}

/// The segments of the outer range, one after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Segments {
    /// Where each starts, and the end, one more than there are segments; the first need not start
    /// at 0.  And how many elements they have together.
    Offsets(Arg, crate::Operand),
    /// All of this length.
    Even(crate::Operand),
}

/// A reduction over all tiles: `result` is bound in the finish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partial {
    /// How tiles combine.
    pub monoid: Monoid,
    /// The combination, in the finish.
    pub result: Var,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// A scalar statement without blocks of its own kind: `Let`, `Require`, `Call`, or an `If` or
    /// `Loop` of scalar code.
    Scalar(scalar::Stmt<Arg>),
    /// One arm runs.
    If(crate::Operand, Block, Block),
    /// A counted loop with carried values.
    For {
        /// The counter.
        index: Var,
        /// First value.
        from: crate::Operand,
        /// One past the last.
        to: crate::Operand,
        /// Values carried from iteration to iteration.
        carried: Vec<Carry>,
        /// The iteration; sets no carried variable itself.
        body: Block,
        /// How iterations follow each other.
        way: Way,
    },
    /// A loop that keeps some iterations: where `keep` is T, `kept` runs and the values are stored
    /// at the cursor, which then moves on by one.
    Pack {
        /// The counter.
        index: Var,
        /// First value.
        from: crate::Operand,
        /// One past the last.
        to: crate::Operand,
        /// Runs in every iteration.
        body: Block,
        /// A bool.
        keep: crate::Operand,
        /// The position of the next kept iteration: visible in `kept`.
        cursor: Var,
        /// Its first value.
        start: crate::Operand,
        /// Runs in kept iterations only.
        kept: Block,
        /// (buffer, value): stored at the cursor.
        stores: Vec<(Arg, crate::Operand)>,
        /// The cursor after the loop.
        end: Var,
    },
    /// `buffer[index] = value`.
    Store(Arg, crate::Operand, crate::Operand),
    /// `buffer[index]` = the greater of itself and the int `value`, in one step, whoever else does
    /// the same; nothing else is done with this buffer.
    Raise(Arg, crate::Operand, crate::Operand),
    /// This tile's share of partial reduction number n.
    Partial(usize, crate::Operand),
    /// `result` = combination of `total` over all tiles before this one (identity in the first);
    /// in the outermost block of a tile, once in the tile form.
    Chain {
        /// (prefix, total of this tile, how they combine).
        links: Vec<(Var, crate::Operand, Monoid)>,
        /// Links that restart, and whether each has in this tile.
        restarts: Vec<(usize, crate::Operand)>,
        /// Only the first warp of a block waits for the tiles before, and has the prefixes; its
        /// other threads go on at once, with identities.  All links restart.
        first_warp: bool,
    },
    /// Outer positions of the lane being run, outermost first: for fault reports only.
    Positions(Vec<crate::Operand>),
    /// The index of the segment, among those from the first index to before the last, that an
    /// element is in.
    Owner {
        /// The index.
        index: Var,
        /// Where the segments lie.
        segments: Segments,
        /// The first index, and one past the last.
        range: [crate::Operand; 2],
        /// The element: there is such a segment.
        element: crate::Operand,
    },
    /// The same for many elements at once: ints, counted from the first of the range.
    Owners(Elements),
    /// Whether elements are the last of their segments: bools.
    Ends(Elements),
    /// What the values of a striped array come to in each segment that ends in the tile, and after
    /// the last of them.
    Rows(Rows),
    /// All threads of the block meet.
    Barrier,
    /// (result, value of each thread, how they combine).
    Combine(Vec<(Var, crate::Operand, Monoid)>),
    /// Prefixes of striped arrays.
    Scan(Vec<Scan>),
}

/// Something that is told of each element of some segments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elements {
    /// A shared array: has at e - from what is told of element e, for each from the first to before
    /// the last of them.
    pub to: Arg,
    /// Where the segments lie.
    pub segments: Segments,
    /// The first index, and one past the last.
    pub range: [crate::Operand; 2],
    /// The first element, and one past the last: all lie in these segments.
    pub elements: [crate::Operand; 2],
}

/// How the iterations of a loop follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// One after the other.
    Serial,
    /// They are independent but for carries with a monoid: may be vectorised.
    Simd,
    /// One after the other, so many apart: the others belong to other threads.
    Stride(u32),
    /// One after the other, so few that there need not be a loop.
    Unroll,
}

/// Prefixes of a striped array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// The private array of values.  A bool counts as an int.
    pub from: Arg,
    /// The private array of prefixes; may be the same.
    pub to: Arg,
    /// All values combined.
    pub total: Var,
    /// How they combine.
    pub monoid: Monoid,
    /// If values restart: a private array of bools that tell where, which becomes whether one has
    /// before, and whether one has at all.
    pub restarts: Option<(Arg, Var)>,
    /// Whether a prefix has its own value, too; then the array of bools tells whether one has
    /// restarted before or here.  Only where values restart.
    pub inclusive: bool,
}

/// Values of a striped array combined segment by segment.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rows {
    /// The private array of values; those past the last element do not count.
    pub from: Arg,
    /// A shared array: for each element that ends a segment what that comes to in this tile.  The
    /// others are undefined.
    pub to: Arg,
    /// The shared array of bools that tells where segments end.
    pub ends: Arg,
    /// How many elements the tile has.
    pub count: crate::Operand,
    /// What the elements after the last end come to; the identity if there are none.
    pub total: Var,
    /// Whether a segment ends in the tile.
    pub any: Var,
    /// How they combine.
    pub monoid: Monoid,
}

/// A carried value of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Carry {
    /// Its value in an iteration.
    pub var: Var,
    /// Before the first.
    pub init: crate::Operand,
    /// After an iteration, computed by the body.
    pub next: crate::Operand,
    /// After the loop.
    pub result: Var,
    /// `next` combines `var` with something by this; iterations may then be reassociated.
    pub monoid: Option<Monoid>,
    /// `init` is for the first tile; others start with the result of the tile before.
    pub chained: bool,
    /// A bool of the body: where it is T, `next` is combined with the identity instead of `var`.
    pub restart: Option<crate::Operand>,
}

/// What a sort gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortKind {
    /// The keys in ascending order.
    Sort,
    /// Positions in ascending order.
    Rank,
    /// Positions in descending order.
    RankDown,
}

/// Keys to be sorted: packed segments of one buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Keys {
    /// The keys.
    pub buffer: Arg,
    /// Number of segments.
    pub segments: crate::Operand,
    /// Where each starts, and the end; absent for one segment of `length` keys.
    pub offsets: Option<Arg>,
    /// Number of keys in all.
    pub length: crate::Operand,
}
