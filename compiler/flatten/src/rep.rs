//! How lanes find values.

use crate::region::RegionId;
use flat::{Space, Value};
use prim::{Const, Ty};

/// A nest value as the lanes of some space see it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Rep {
    Scalar(Scalar),
    Tuple(Vec<Rep>),
    /// The elements are the lanes of `space`, a child of the lanes that have the sequence.
    Lanes {
        space: Space,
        elem: Box<Rep>,
    },
    /// `len` elements from position `start` of a pool.
    View {
        start: Scalar,
        len: Scalar,
        pool: Pool,
    },
}

/// Where a lane finds a scalar.  All but constants have a *home*, a space that must be reachable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scalar {
    Const(Const),
    /// A vector over the lanes of the space; at the root, a scalar.
    Value(Value, Space),
    /// A variable of a region that may still be open.
    Pending(RegionId, scalar::Var),
    /// The index of the home's lane inside its segment.
    Index(Space),
}

impl Scalar {
    pub(crate) fn int(n: i64) -> Scalar {
        Scalar::Const(Const::I64(n))
    }
}

/// Elements by position: what views look into.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pool {
    Scalar(Value, Ty),
    Tuple(Vec<Pool>),
    Seq(Segments, Box<Pool>),
}

/// Segments by position of a pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Segments {
    /// Anywhere: (starts, lengths).
    View(Value, Value),
    /// One after the other: offsets, one more than there are segments.
    Packed(Value),
    /// One after the other, all of this length.
    Regular(flat::Operand),
}

impl Rep {
    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            Rep::Scalar(s) => *s,
            _ => unreachable!("{self:?} is no scalar"),
        }
    }
    /// The value of operations that only check: T.
    pub(crate) fn truth() -> Rep {
        Rep::Scalar(Scalar::Const(Const::Bool(true)))
    }
}
