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
    /// One of several pools, which the lane chooses by number: what a view looks into.
    Chosen(Scalar, Vec<Pool>),
    /// One of several pools, which each segment chooses by number: what is behind the views of
    /// lanes, whose space the starts, the lengths and these numbers are over.
    Among(Value, Vec<Pool>),
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

impl Pool {
    /// The pools that this may be.
    pub(crate) fn all(&self) -> Vec<Pool> {
        match self {
            Pool::Chosen(_, pools) | Pool::Among(_, pools) => pools.clone(),
            other => vec![other.clone()],
        }
    }

    /// The vectors of its elements; what is behind segments is left out.
    pub(crate) fn columns(&self, columns: &mut Vec<(Value, Ty)>) {
        match self {
            Pool::Scalar(v, ty) => columns.push((*v, *ty)),
            Pool::Tuple(parts) => parts.iter().for_each(|part| part.columns(columns)),
            Pool::Seq(Segments::View(starts, lens), inner) => {
                columns.extend([(*starts, Ty::I64), (*lens, Ty::I64)]);
                if let Pool::Among(numbers, _) = **inner {
                    columns.push((numbers, Ty::I64));
                }
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => {
                unreachable!("{self:?} has no vectors of its own")
            }
        }
    }

    /// The same pool of other vectors, down to its segments; what is behind those is as it is.
    pub(crate) fn with_vectors(&self, vectors: &mut impl Iterator<Item = Value>) -> Pool {
        let mut next = |old: &Value| vectors.next().unwrap_or(*old);
        match self {
            Pool::Scalar(vector, ty) => Pool::Scalar(next(vector), *ty),
            Pool::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|part| part.with_vectors(vectors)).collect())
            }
            Pool::Seq(Segments::View(starts, lens), inner) => {
                let segments = Segments::View(next(starts), next(lens));
                let inner = match &**inner {
                    Pool::Among(numbers, pools) => Pool::Among(next(numbers), pools.clone()),
                    inner => inner.clone(),
                };
                Pool::Seq(segments, Box::new(inner))
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => {
                unreachable!("{self:?} has no vectors of its own")
            }
        }
    }
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
