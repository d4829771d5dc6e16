//! The types of flat.
//!
//! ```text
//! fn f0 norms(v0: i64, v1: vec i64 offsets s1, v2: vec f64 [s2]) {
//!   s1 = [s0 > v0]
//!   s2 = [s1 > offsets v1]
//!   v3: vec f64 [s1] = reduce [s2] add \x0 x1 x2 {
//!     x3: f64 = read v2 x1
//!     x4 = mul x3 x3
//!     yield x4
//!   }
//!   yield v3
//! }
//! ```
//!
//! # Spaces
//!
//! A space is a set of lanes.  `s0` is the *root*: one lane.  Every other space has a parent and
//! gives each of the parent's lanes a segment of lanes, all of one length (`Regular`) or as offsets
//! say (`Packed`).  Lanes of a space are numbered 0, 1, ... through all segments: a lane's
//! *position*.  The *depth* of a space is its number of ancestors.
//!
//! ```text
//! s1 = [s0 > 3]            lanes 0 1 2
//! s2 = [s1 > offsets v1]   lanes 0 1 | 2 3 4 | (none)        v1 = 0 2 5 5
//! ```
//!
//! A *filtered* space holds some lanes of another space with the same parent; `from` says which by
//! their positions.
//!
//! # Code
//!
//! Code over a space of depth d > 0 has d + 1 parameters: the positions of the lane in its
//! ancestors from the child of the root down to itself, then its index inside its own segment.  At
//! the root it has none.

use base::{IdMap, Span, define_id};
use prim::{Const, Monoid, Signature, Ty};

define_id!(Func, "f", "A function.");
define_id!(Value, "v", "A scalar or vector of a function; assigned once.");
define_id!(Space, "s", "A set of lanes.");

/// A whole program.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Program {
    /// How wide ints and floats are.
    pub widths: prim::Widths,
    /// All functions.
    pub funcs: IdMap<Func, Function>,
    /// Those that the host calls, in order.
    pub entries: Vec<Func>,
    /// Scalar functions that code may call.
    pub scalars: IdMap<scalar::Func, scalar::Function>,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// As in the source; a lifted twin ends in `^`.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Value>,
    /// For a recursive function of the root: the layout of its parameters and results.
    pub signature: Option<Signature>,
    /// For a lifted function: the one that does for one lane what it does for all.  It has the
    /// same parameters after the number of lanes, and the same results; what is a vector here and
    /// a scalar there has an element for each lane.  There may be more parameters, which follow
    /// from these.
    pub lanes_of: Option<Func>,
    /// Values by id.
    pub values: IdMap<Value, ValueInfo>,
    /// Spaces by id; the first is the root.
    pub spaces: IdMap<Space, SpaceInfo>,
    /// The body; its yields are the results.
    pub body: Block,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueInfo {
    /// The type of the scalar or of each element.
    pub ty: Ty,
    /// What it holds.
    pub domain: Domain,
}

/// What a value has an element for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// One scalar.
    Scalar,
    /// One element for each lane of a space (not the root).
    Lanes(Space),
    /// One element more than the space has lanes: where each lane's segment starts, and the end.
    Offsets(Space),
    /// Any number of elements, addressed by starts and lengths kept elsewhere.
    Pool,
}

/// A space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceInfo {
    /// Its lanes.
    pub kind: SpaceKind,
    /// For a filtered space: the space that its lanes were taken from, and their positions there.
    pub from: Option<(Space, Value)>,
}

/// How lanes lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceKind {
    /// One lane.
    Root,
    /// Each lane of the parent has this many.
    Regular(Space, Operand),
    /// Each lane of the parent has a segment; the value's domain is `Offsets(parent)`.
    Packed(Space, Value),
}

/// A scalar operand of the host program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A scalar value.
    Value(Value),
    /// A constant.
    Const(Const),
}

/// Statements, then what the block gives.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// Results: scalars and vectors.
    pub yields: Vec<Operand>,
}

/// `v3, v4 = op`.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// One for each result.
    pub results: Vec<Value>,
    /// How.
    pub op: Op,
    /// The source text that it comes from.
    pub span: Span,
}

/// Operations.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// The code's yields in every lane: vectors over the space, scalars at the root.
    Map {
        /// Where.
        space: Space,
        /// What.
        code: crate::Code,
    },
    /// Each yield combined over each segment of the space: values over the parent.
    Reduce {
        /// Not the root.
        space: Space,
        /// One for each yield.
        monoids: Vec<Monoid>,
        /// What is combined.
        code: crate::Code,
    },
    /// Exclusive prefixes of each yield inside each segment: values over the space.
    Scan {
        /// Not the root.
        space: Space,
        /// One for each yield.
        monoids: Vec<Monoid>,
        /// What is combined.
        code: crate::Code,
    },
    /// The lanes in which the code yields T.  Results: their positions (a vector over the filtered
    /// space), and the shape of that space: a count when the parent is the root, else offsets.
    Filter {
        /// Not the root.
        space: Space,
        /// Yields a bool.
        code: crate::Code,
    },
    /// Exclusive prefix sums of the code's yield over *all* lanes of the space, total at the end:
    /// the offsets of segments that have these lengths.
    Offsets {
        /// Not the root.
        space: Space,
        /// Yields a length.
        code: crate::Code,
    },
    /// The yields after the first go to the position that the first yield names; see the kind.
    Scatter {
        /// Where the writes come from.
        space: Space,
        /// Yields position, values...
        code: crate::Code,
        /// What else the result holds.
        kind: ScatterKind,
        /// The space that the results are over.
        target: Space,
    },
    /// Orders scalars inside each segment, stably.  Result over the space.
    Sort {
        /// Not the root; a child of it, or segments with offsets.
        space: Space,
        /// What is given.
        kind: SortKind,
        /// Yields the key.
        code: crate::Code,
    },
    /// Fails in the first lane with the message `pool[start .. start + length]`.
    Fail {
        /// Where; the root is possible.
        space: Space,
        /// Yields start, length.
        code: crate::Code,
        /// The characters.
        pool: Value,
    },
    /// A constant vector (a pool).
    Literal(Vec<Const>, Ty),
    /// Several parts in one pool, the first at its beginning, the others anywhere behind.  A part
    /// is one or more columns over one space.  Results: a pool for each column, and where each part
    /// but the first begins.
    Join(Vec<Vec<Value>>),
    /// Where `more` elements have room behind those that are used of pools: right behind them, or
    /// behind what others have put into the same memory.  Results: an int; a bool, whether nobody
    /// else needs what is in that memory.
    Behind {
        /// Pools of one length, which are to grow.
        from: Vec<Value>,
        /// Elements that are used; all that were ever put there if this is negative.
        used: Operand,
        /// Elements that are to be added.
        more: Operand,
    },
    /// Room for `len` elements, of which the first are those of a pool and the others undefined;
    /// those from `begin` on are to be written by an `into` scatter.  Where the memory has room and
    /// nobody else needs what is there from `begin` on, nothing is copied, so that a pool which
    /// grows again and again is moved only as often as its length doubles.  Results: for each pool
    /// a vector over a child of the root.
    Grow {
        /// Pools of one length.
        from: Vec<Value>,
        /// Elements that are kept.
        used: Operand,
        /// Where elements are added: not before those that are kept.
        begin: Operand,
        /// Lanes of the results' space.
        len: Operand,
    },
    /// Calls a function once, for all its lanes.
    Call(Func, Vec<Operand>),
    /// One arm runs.
    If(Operand, Block, Block),
}

/// What a scatter's result holds where nothing is written.
#[derive(Clone, PartialEq, Debug)]
pub enum ScatterKind {
    /// The elements of these vectors (over `target`); of several writes to one position the last
    /// lane's stays.
    Write(Vec<Value>),
    /// The same, where each lane is known to write to a position of its own, or to -1, which is
    /// nowhere.
    Into(Vec<Value>),
    /// Nothing: positions must be all of `target` once each; fails (permute) otherwise.
    Permute,
    /// Nothing: positions are known to be all of `target` once each.
    Place,
}

/// What a sort gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortKind {
    /// The keys in ascending order.
    Sort,
    /// For each lane its index in ascending order.
    Rank,
    /// For each lane its index in descending order.
    RankDown,
}

impl Function {
    /// The root of every function.
    pub fn root() -> Space {
        base::Id::new(0)
    }
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

impl Op {
    /// The scalar code that the operation runs in each lane.
    pub fn code(&self) -> Option<&crate::Code> {
        match self {
            Op::Map { code, .. }
            | Op::Reduce { code, .. }
            | Op::Scan { code, .. }
            | Op::Filter { code, .. }
            | Op::Offsets { code, .. }
            | Op::Scatter { code, .. }
            | Op::Sort { code, .. }
            | Op::Fail { code, .. } => Some(code),
            Op::Literal(..)
            | Op::Join(_)
            | Op::Behind { .. }
            | Op::Grow { .. }
            | Op::Call(..)
            | Op::If(..) => None,
        }
    }
    /// The space that the operation works over.
    pub fn space(&self) -> Option<Space> {
        match self {
            Op::Map { space, .. }
            | Op::Reduce { space, .. }
            | Op::Scan { space, .. }
            | Op::Filter { space, .. }
            | Op::Offsets { space, .. }
            | Op::Scatter { space, .. }
            | Op::Sort { space, .. }
            | Op::Fail { space, .. } => Some(*space),
            Op::Literal(..)
            | Op::Join(_)
            | Op::Behind { .. }
            | Op::Grow { .. }
            | Op::Call(..)
            | Op::If(..) => None,
        }
    }
}
