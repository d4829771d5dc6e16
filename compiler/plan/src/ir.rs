//! The types of plan.
//!
//! ```text
//! plan f0 norms(n0: i64, b0: i64, b1: f64) {
//!   n1: i64 = eval \{ x0 = read b0 n0; yield x0 }
//!   b2: f64 = buffer n0
//!   launch c0(n0, b0, n1, b1, b2) work n1
//!   free b0
//!   free b1
//!   yield b2
//! }
//!
//! cluster c0 norms(r0: i64, r1: in i64, r2: i64, r3: in f64, r5: out f64) {
//!   s1 = [s0 > r0] lanes r0
//!   s2 = [s1 > offsets r1] lanes r2
//!   r4: f64 [s1] = reduce [s2] add \x0 x1 x2 {
//!     x3: f64 = read r3 x1
//!     x4 = mul x3 x3
//!     yield x4
//!   } push r5
//! }
//! ```

use base::{IdMap, Span, define_id};
use prim::{Const, Monoid, Signature, Ty};

define_id!(Func, "f", "A plan.");
define_id!(Slot, "n", "A scalar of the host.");
define_id!(Buffer, "b", "A vector in memory.");
define_id!(ClusterId, "c", "A cluster.");
define_id!(Ref, "r", "A name inside a cluster: a parameter, or the result of a node.");
define_id!(Space, "s", "A space of a cluster.");
define_id!(Routine, "l", "A function whose lanes may run one by one.");

/// A whole program.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Program {
    /// How wide ints and floats are.
    pub widths: prim::Widths,
    /// Plans.
    pub funcs: IdMap<Func, Function>,
    /// Those that are called from outside, in order.
    pub entries: Vec<Func>,
    /// Functions of lanes whose lanes may run one by one, each by one unit of the machine.
    pub routines: IdMap<Routine, Lanes>,
    /// Clusters, each launched from one place.
    pub clusters: IdMap<ClusterId, Cluster>,
    /// Scalar functions that code may call.
    pub scalars: IdMap<scalar::Func, scalar::Function>,
}

/// A function of lanes, and the function that does for one lane what it does for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// Its first parameter is the number of lanes.  After those of the root there may be more,
    /// which follow from them: what all lanes together need alone.
    pub lifted: Func,
    /// The same parameters after the number of lanes, and the same results; what is a buffer there
    /// and a scalar here has an element for each lane.
    pub root: Func,
}

/// A plan: what the host does for one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// For dumps and profiles.
    pub name: String,
    /// What the parameters and results of a recursive function of the root make up.
    pub signature: Option<Signature>,
    /// Parameters; a caller that frees a buffer right after the call gives it away.
    pub params: Vec<Place>,
    /// Types of scalars.
    pub slots: IdMap<Slot, Ty>,
    /// What is known of buffers.
    pub buffers: IdMap<Buffer, BufferInfo>,
    /// Steps and results.
    pub body: Block,
}

/// What is known of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferInfo {
    /// Element type.
    pub ty: Ty,
}

/// A scalar or a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A scalar of the host.
    Slot(Slot),
    /// A buffer.
    Buffer(Buffer),
}

/// What is handed to a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A scalar.
    Slot(Slot),
    /// A constant.
    Const(Const),
    /// A buffer.
    Buffer(Buffer),
    /// What a buffer has from this element on: an output of a launch that lies beside another.
    Past(Buffer, Slot),
}

/// Steps in order, then what the block gives.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Block {
    /// In order.
    pub steps: Vec<Step>,
    /// Results.
    pub yields: Vec<Arg>,
}

/// A step of the host.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A new buffer of so many elements, contents undefined.
    Alloc {
        /// Made.
        buffer: Buffer,
        /// Elements: an int.
        len: Arg,
        /// What it may be the same memory as.
        over: Option<Over>,
        /// The source text that needs it, for out of memory.
        span: Span,
    },
    /// A new buffer for at most so many elements, contents undefined.  What is made there lies at
    /// the front; a copy of that much follows, and only that much counts as memory.
    Room {
        /// Made.
        buffer: Buffer,
        /// Elements at most: an int.
        len: Arg,
        /// The source text that needs it, for out of memory.
        span: Span,
    },
    /// A new buffer with these elements.
    Literal(Buffer, Vec<Const>),
    /// Another name for a buffer.
    Alias(Buffer, Buffer),
    /// A new buffer with the first `len` elements of another; the same memory when the other is
    /// used nowhere else.
    Copy {
        /// Made.
        buffer: Buffer,
        /// Copied.
        from: Buffer,
        /// Elements.
        len: Arg,
        /// The source text that needs it.
        span: Span,
    },
    /// Where `more` elements have room behind those that are used of buffers: right behind them,
    /// or, where others need what is there and memory has room, behind what was put there last.
    Behind {
        /// The place, the same for all of them.
        begin: Slot,
        /// Whether nobody else needs what is in the memory of any of them.
        alone: Slot,
        /// What is to grow, with elements at the same places.
        from: Vec<Buffer>,
        /// Elements that are used: an int.
        used: Arg,
        /// Elements that are to be added: an int.
        more: Arg,
    },
    /// A new buffer of `len` elements, the first `used` of another and undefined ones behind them;
    /// the same memory when it has room, and what is there from `begin` on is needed nowhere else.
    /// Memory that is made for it has room to grow again.
    Grow {
        /// Made.
        buffer: Buffer,
        /// What grows.
        from: Buffer,
        /// Elements that are kept: an int.
        used: Arg,
        /// Where elements are going to be written: an int, not less.
        begin: Arg,
        /// Elements that there is to be room for: an int, not less.
        len: Arg,
        /// The source text that needs it.
        span: Span,
    },
    /// A new buffer of zeros.
    Zero {
        /// Made.
        buffer: Buffer,
        /// Elements.
        len: Arg,
        /// The source text that needs it.
        span: Span,
    },
    /// The code of a lane of the root, run by the host itself.
    Eval {
        /// One for each yield.
        results: Vec<Slot>,
        /// Outer names are scalars; vectors are buffers.
        code: scalar::Code<Place>,
    },
    /// Runs a cluster.  Arguments are in the order of its parameters.
    Launch {
        /// Which.
        cluster: ClusterId,
        /// For each parameter.
        args: Vec<Arg>,
        /// About how many elements it works on: an int.
        work: Arg,
    },
    /// One block runs; its yields become the results.
    If {
        /// Filled by either arm.
        results: Vec<Place>,
        /// A bool.
        cond: Arg,
        /// Runs when T.
        then: Block,
        /// Runs when F.
        els: Block,
    },
    /// Runs another plan.
    Call {
        /// Filled by it.
        results: Vec<Place>,
        /// Which.
        func: Func,
        /// Its arguments.
        args: Vec<Arg>,
        /// The call in the source.
        span: Span,
    },
    /// Fails with the message `chars[start .. start + len]`.
    Fail {
        /// First character: an int.
        start: Arg,
        /// How many: an int.
        len: Arg,
        /// Characters.
        chars: Buffer,
        /// The source text.
        span: Span,
    },
    /// The buffer is not used any more.
    Free(Buffer),
}

/// A buffer whose memory a new one may take over, as the launch that fills the new one reads it for
/// the last time, or as nothing uses it any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The buffer.
    pub buffer: Buffer,
    /// Where the launch reads it first, an int: it is taken over only where this is 0.  It is 0
    /// where the launch does not read it.
    pub start: Arg,
}

/// Combinators that run as one kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Cluster {
    /// For dumps and profiles.
    pub name: String,
    /// Handed over by the launch, in order.
    pub params: Vec<Param>,
    /// All names.
    pub refs: IdMap<Ref, RefInfo>,
    /// Spaces; the first is the root.
    pub spaces: IdMap<Space, SpaceInfo>,
    /// In an order in which producers come before consumers.
    pub nodes: Vec<Node>,
    /// The source texts that its nodes come from, each once.
    pub spans: Vec<Span>,
}

/// A parameter of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name inside.
    pub name: Ref,
    /// How it is used.
    pub kind: ParamKind,
}

/// How a parameter is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A scalar, by value.
    Scalar,
    /// A buffer that is read.
    In,
    /// A buffer that is written.
    Out,
    /// A scalar that is set.
    Set,
}

/// What is known of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefInfo {
    /// Type of the scalar, or of elements.
    pub ty: Ty,
    /// What it is.
    pub kind: RefKind,
}

/// What a name of a cluster is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefKind {
    /// A parameter.
    Param,
    /// The result of a node: one element for each lane of the space, held while the lane runs.
    Local(Space),
}

/// A space of a cluster.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpaceInfo {
    /// How its lanes lie.
    pub kind: SpaceKind,
    /// Number of lanes in all.
    pub lanes: crate::Operand,
    /// When it is filtered by a node of this cluster: where its lanes come from.
    pub from: Option<Space>,
}

/// How lanes lie.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SpaceKind {
    /// One lane.
    Root,
    /// Each lane of the parent has this many.
    Regular(Space, crate::Operand),
    /// Segments by offsets.
    Packed(Space, Ref),
}

/// One combinator.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What it does.
    pub op: NodeOp,
    /// Where.
    pub space: Space,
    /// What is computed in each lane.
    pub code: crate::Code,
    /// Names of its results.
    pub results: Vec<Ref>,
    /// For each result, the parameter that it is pushed to, if it is needed outside.
    pub pushes: Vec<Option<Ref>>,
}

/// Combinators.  Code parameters are as in flat: positions from the child of the root down, then
/// the index in the own segment.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeOp {
    /// The yields.
    Map,
    /// Yields combined over each segment; results over the parent.
    Reduce(Vec<Monoid>),
    /// Exclusive prefixes in each segment.
    Scan(Vec<Monoid>),
    /// Positions of the lanes that yield T (over the filtered space `kept`), and its shape: the
    /// count when the parent is the root, else offsets over the parent; then possibly their total.
    Filter {
        /// The filtered space.
        kept: Space,
    },
    /// Exclusive prefix sums over all lanes, and the total at the end; possibly the total once
    /// more, as a scalar.
    Offsets,
    /// Yields after the first go to the position that the first names; none when it is negative.
    Scatter {
        /// What several writes to one position give.
        conflict: Conflict,
        /// Number of elements of the results.
        extent: crate::Operand,
    },
    /// Sorts keys, which are a parameter read at the own position: one segment, or segments with
    /// offsets.
    Sort(SortKind),
}

/// What several writes to one position give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// There are none; or there are, and then what was written is not used.
    None,
    /// All lanes write the same values.
    Same,
    /// The last lane's write stays.
    Last,
    /// The greatest int stays, of those that are written and what was there.
    Greatest,
}

/// What a sort gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortKind {
    /// Keys in ascending order.
    Sort,
    /// Index in ascending order.
    Rank,
    /// Index in descending order.
    RankDown,
}

impl Cluster {
    /// The parent of a space; the root has none.
    pub fn parent(&self, space: Space) -> Option<Space> {
        match self.spaces[space].kind {
            SpaceKind::Root => None,
            SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => Some(parent),
        }
    }
    /// The spaces from the child of the root down to this one; empty for the root.
    pub fn chain(&self, space: Space) -> Vec<Space> {
        let mut chain = Vec::new();
        let mut at = space;
        while let Some(parent) = self.parent(at) {
            chain.push(at);
            at = parent;
        }
        chain.reverse();
        chain
    }
}

impl From<Place> for Arg {
    fn from(place: Place) -> Arg {
        match place {
            Place::Slot(slot) => Arg::Slot(slot),
            Place::Buffer(buffer) => Arg::Buffer(buffer),
        }
    }
}
