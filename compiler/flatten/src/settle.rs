//! Settling: representations as plain values, at the borders of functions and arms.
//!
//! The *components* of a value are the flat values that represent it: a scalar is one value, a
//! sequence is start and length and the components of its pool, a tuple those of its parts.  Inside
//! a pool a sequence is starts and lengths (or offsets, for inputs) and the components of the pool
//! behind it.
//!
//! *Plain* are views and pools in which nothing is chosen ([`crate::fit`] makes them so).  These
//! components have no choices; arguments and results of functions may have some ([`crate::ways`]).

use crate::context::Context;
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Domain, Function, Op, Operand, Space, SpaceKind, Value, ValueInfo};
use nest::Type;
use prim::{Const, ScalarOp, Ty};
use scalar::Atom;

/// How the parameters of a function are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Layout {
    /// Inner sequences have starts and lengths.
    View,
    /// Inner sequences are packed, and outer ones start at 0: inputs from the host.
    Packed,
}

impl Context<'_, '_> {
    /// A sequence as a view; its elements become pools.
    pub(crate) fn as_view(&mut self, rep: &Rep) -> (Scalar, Scalar, Pool) {
        match rep {
            Rep::View { start, len, pool } => (*start, *len, pool.clone()),
            Rep::Lanes { space, elem } => {
                let pool = self.make_pool(elem, *space);
                let (start, len) = self.segment(*space);
                (start, len, pool)
            }
            Rep::Scalar(_) | Rep::Tuple(_) => unreachable!("{rep:?} is no sequence"),
        }
    }

    /// The same value with its sequences as plain views.
    pub(crate) fn plain(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.plain(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_plain_view(rep);
                Rep::View { start, len, pool }
            }
        }
    }

    /// A sequence as a plain view.
    pub(crate) fn as_plain_view(&mut self, rep: &Rep) -> (Scalar, Scalar, Pool) {
        self.fitting_view(rep, &Lying::Own)
    }

    /// Start and length of the segment of a child space, as lanes of its parent see it; computed
    /// in the current space, from which the parent must be reachable.
    pub(crate) fn segment(&mut self, space: Space) -> (Scalar, Scalar) {
        let parent = self.parent(space).unwrap_or(Function::root());
        if parent == Function::root() {
            return match self.spaces[space].kind {
                SpaceKind::Regular(_, Operand::Const(c)) => (Scalar::int(0), Scalar::Const(c)),
                SpaceKind::Regular(_, Operand::Value(v)) => {
                    (Scalar::int(0), Scalar::Value(v, parent))
                }
                SpaceKind::Root | SpaceKind::Packed(..) => unreachable!("{space} under the root"),
            };
        }
        let region = self.region(self.space, self.span);
        let span = self.span;
        let (start, len) = self.with_lane(region, |cx, lane| {
            let above = cx.position(lane, parent);
            let start = cx.segment_start(lane, space, above);
            let len = match cx.spaces[space].kind {
                SpaceKind::Regular(_, len) => cx.operand(lane, len),
                _ => {
                    let one = Atom::Const(Const::I64(1));
                    let next = lane.builder.scalar(ScalarOp::Add, &[above, one], span);
                    let end = cx.segment_start(lane, space, next);
                    lane.builder.scalar(ScalarOp::Sub, &[end, start], span)
                }
            };
            (start, len)
        });
        (self.scalar_of(region, start), self.scalar_of(region, len))
    }

    /// The length of a sequence.
    pub(crate) fn length(&mut self, rep: &Rep) -> Scalar {
        match rep {
            Rep::View { len, .. } => *len,
            Rep::Lanes { space, .. } => self.segment(*space).1,
            Rep::Scalar(_) | Rep::Tuple(_) => unreachable!("{rep:?} is no sequence"),
        }
    }

    /// Elements of a space's lanes as a pool addressed by their positions.
    pub(crate) fn make_pool(&mut self, rep: &Rep, space: Space) -> Pool {
        match rep {
            Rep::Scalar(s) => {
                let ty = self.scalar_ty(*s);
                Pool::Scalar(self.vector(*s, space), ty)
            }
            Rep::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.make_pool(p, space)).collect())
            }
            Rep::Lanes { space: inner, elem } if self.parent(*inner) == Some(space) => {
                let segments = match self.spaces[*inner].kind {
                    SpaceKind::Packed(_, offsets) => Segments::Packed(offsets),
                    SpaceKind::Regular(_, len) => Segments::Regular(len),
                    SpaceKind::Root => unreachable!("the root is nobody's child"),
                };
                Pool::Seq(segments, Box::new(self.make_pool(elem, *inner)))
            }
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.within(space, |cx| cx.as_view(rep));
                let starts = self.vector(start, space);
                let lens = self.vector(len, space);
                let pool = match pool {
                    Pool::Chosen(choice, pools) => Pool::Among(self.vector(choice, space), pools),
                    pool => pool,
                };
                Pool::Seq(Segments::View(starts, lens), Box::new(pool))
            }
        }
    }

    /// A scalar as a vector over the lanes of a space (at the root, as a scalar value).
    pub(crate) fn vector(&mut self, scalar: Scalar, space: Space) -> Value {
        match scalar {
            Scalar::Value(v, home) if home == space => v,
            Scalar::Pending(region, var) if self.home(scalar) == Some(space) => {
                self.output(region, var)
            }
            _ => {
                let code = self.code(space, &[scalar]);
                let ty = self.scalar_ty(scalar);
                let value = self.value_over(space, ty);
                self.push(vec![value], Op::Map { space, code });
                value
            }
        }
    }

    /// The components of a value of the current space: vectors over its lanes, at the root scalars.
    pub(crate) fn components(&mut self, rep: &Rep, out: &mut Vec<Operand>) {
        match rep {
            Rep::Scalar(s) => out.push(self.component(*s)),
            Rep::Tuple(parts) => parts.iter().for_each(|p| self.components(p, out)),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_plain_view(rep);
                out.push(self.component(start));
                out.push(self.component(len));
                self.pool_components(&pool, out);
            }
        }
    }

    pub(crate) fn component(&mut self, scalar: Scalar) -> Operand {
        match scalar {
            Scalar::Const(c) if self.at_root() => Operand::Const(c),
            _ => Operand::Value(self.vector(scalar, self.space)),
        }
    }

    pub(crate) fn pool_components(&mut self, pool: &Pool, out: &mut Vec<Operand>) {
        match pool {
            Pool::Scalar(v, _) => out.push(Operand::Value(*v)),
            Pool::Tuple(parts) => parts.iter().for_each(|p| self.pool_components(p, out)),
            Pool::Seq(segments, inner) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                out.push(Operand::Value(starts));
                out.push(Operand::Value(lens));
                self.pool_components(inner, out);
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is not plain"),
        }
    }

    /// Segments as starts and lengths.
    pub(crate) fn as_starts(&mut self, segments: Segments, inner: &Pool) -> (Value, Value) {
        match segments {
            Segments::View(starts, lens) => (starts, lens),
            Segments::Packed(offsets) => {
                let space = match self.values[offsets].domain {
                    Domain::Offsets(space) => space,
                    domain => unreachable!("offsets over {domain:?}"),
                };
                let mut lane = self.lane(space);
                let at = self.position(&mut lane, space);
                let span = self.span;
                let start = lane.builder.read(Ty::I64, offsets, at);
                let one = Atom::Const(Const::I64(1));
                let next = lane.builder.scalar(ScalarOp::Add, &[at, one], span);
                let end = lane.builder.read(Ty::I64, offsets, next);
                let len = lane.builder.scalar(ScalarOp::Sub, &[end, start], span);
                self.starts_map(space, lane.builder.finish(vec![start, len]))
            }
            Segments::Regular(len) => {
                let space = self.regular_home(inner);
                let mut lane = self.lane(space);
                let at = self.position(&mut lane, space);
                let len = self.operand(&mut lane, len);
                let start = lane.builder.scalar(ScalarOp::Mul, &[at, len], self.span);
                self.starts_map(space, lane.builder.finish(vec![start, len]))
            }
        }
    }

    fn starts_map(&mut self, space: Space, code: flat::Code) -> (Value, Value) {
        let starts = self.value_over(space, Ty::I64);
        let lens = self.value_over(space, Ty::I64);
        self.push(vec![starts, lens], Op::Map { space, code });
        (starts, lens)
    }

    /// The space whose lanes have the regular segments that hold these elements.
    fn regular_home(&self, inner: &Pool) -> Space {
        let found = match inner {
            Pool::Scalar(v, _) => match self.values[*v].domain {
                Domain::Lanes(space) => self.parent(space),
                Domain::Scalar | Domain::Offsets(_) | Domain::Pool => None,
            },
            Pool::Tuple(parts) => parts.first().map(|p| self.regular_home(p)),
            Pool::Seq(Segments::View(v, _), _) => match self.values[*v].domain {
                Domain::Lanes(space) => self.parent(space),
                Domain::Scalar | Domain::Offsets(_) | Domain::Pool => None,
            },
            Pool::Seq(Segments::Packed(v), _) => match self.values[*v].domain {
                Domain::Offsets(space) => self.parent(space),
                Domain::Scalar | Domain::Lanes(_) | Domain::Pool => None,
            },
            Pool::Seq(Segments::Regular(_), inner) => {
                let home = self.regular_home(inner);
                self.parent(home)
            }
            Pool::Chosen(..) | Pool::Among(..) => None,
        };
        found.unwrap_or_else(|| unreachable!("regular segments of {inner:?}"))
    }

    /// New values for the components of a type over the lanes of a space, and the rep they make.
    pub(crate) fn declare(
        &mut self,
        ty: &Type,
        space: Space,
        layout: Layout,
        out: &mut Vec<Value>,
    ) -> Rep {
        match ty {
            Type::Scalar(t) => {
                let value = self.value_over(space, *t);
                out.push(value);
                Rep::Scalar(Scalar::Value(value, space))
            }
            Type::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|p| self.declare(p, space, layout, out)).collect())
            }
            Type::Seq(element) => {
                let start = match layout {
                    Layout::Packed => Scalar::int(0),
                    Layout::View => {
                        let value = self.value_over(space, Ty::I64);
                        out.push(value);
                        Scalar::Value(value, space)
                    }
                };
                let len = self.value_over(space, Ty::I64);
                out.push(len);
                let len = Scalar::Value(len, space);
                let lanes =
                    (layout == Layout::Packed).then(|| self.within(space, |cx| cx.new_space(len)));
                let pool = self.declare_pool(element, lanes, out);
                Rep::View { start, len, pool }
            }
        }
    }

    /// New values for a pool; `lanes` is the space of its elements when it is packed.
    pub(crate) fn declare_pool(
        &mut self,
        ty: &Type,
        lanes: Option<Space>,
        out: &mut Vec<Value>,
    ) -> Pool {
        match ty {
            Type::Scalar(t) => {
                let domain = lanes.map_or(Domain::Pool, Domain::Lanes);
                let value = self.values.push(ValueInfo { ty: *t, domain });
                out.push(value);
                Pool::Scalar(value, *t)
            }
            Type::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.declare_pool(p, lanes, out)).collect())
            }
            Type::Seq(element) => match lanes {
                Some(space) => {
                    let info = ValueInfo { ty: Ty::I64, domain: Domain::Offsets(space) };
                    let offsets = self.values.push(info);
                    out.push(offsets);
                    let kind = SpaceKind::Packed(space, offsets);
                    let inner = self.spaces.push(flat::SpaceInfo { kind, from: None });
                    let pool = self.declare_pool(element, Some(inner), out);
                    self.packed.insert(offsets, inner);
                    Pool::Seq(Segments::Packed(offsets), Box::new(pool))
                }
                None => {
                    let info = ValueInfo { ty: Ty::I64, domain: Domain::Pool };
                    let starts = self.values.push(info);
                    let lens = self.values.push(info);
                    out.extend([starts, lens]);
                    let pool = self.declare_pool(element, None, out);
                    Pool::Seq(Segments::View(starts, lens), Box::new(pool))
                }
            },
        }
    }
}

impl Context<'_, '_> {
    /// The values of a pool over the current lanes as these lanes see them.
    pub(crate) fn lane_values(&mut self, pool: &Pool) -> Rep {
        let space = self.space;
        match pool {
            Pool::Scalar(v, _) => Rep::Scalar(Scalar::Value(*v, space)),
            Pool::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.lane_values(p)).collect()),
            Pool::Seq(Segments::View(starts, lens), inner) => Rep::View {
                start: Scalar::Value(*starts, space),
                len: Scalar::Value(*lens, space),
                pool: (**inner).clone(),
            },
            Pool::Seq(Segments::Packed(_) | Segments::Regular(_), _)
            | Pool::Chosen(..)
            | Pool::Among(..) => unreachable!("values over lanes have starts and lengths"),
        }
    }

    /// The same pool with starts and lengths at every level.
    pub(crate) fn pool_with_starts(&mut self, pool: &Pool) -> Pool {
        match pool {
            Pool::Scalar(..) => pool.clone(),
            Pool::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.pool_with_starts(p)).collect())
            }
            Pool::Seq(segments, inner) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                let inner = self.pool_with_starts(inner);
                Pool::Seq(Segments::View(starts, lens), Box::new(inner))
            }
            Pool::Among(choices, pools) => {
                let pools = pools.iter().map(|pool| self.pool_with_starts(pool)).collect();
                Pool::Among(*choices, pools)
            }
            Pool::Chosen(choice, pools) => {
                let pools = pools.iter().map(|pool| self.pool_with_starts(pool)).collect();
                Pool::Chosen(*choice, pools)
            }
        }
    }
}
