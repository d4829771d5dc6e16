//! Values inside scalar code, and as arguments of scalar functions.
//!
//! A sequence is start, length and the vectors of its pool; where it looks into one of several,
//! also the number of that one.  A scalar function is made for the *shapes* of its arguments: how
//! many pools are where.

use crate::rep::{Pool, Segments};
use nest::Type;
use prim::Ty;
use scalar::{Atom, Builder, Param, Var};

/// A nest value inside scalar code.
#[derive(Clone, Debug)]
pub(crate) enum Held<R> {
    Atom(Atom<R>),
    Tuple(Vec<Held<R>>),
    View { start: Atom<R>, len: Atom<R>, pool: Source<R> },
}

/// A pool inside scalar code; segments always have starts and lengths, or offsets.
#[derive(Clone, Debug)]
pub(crate) enum Source<R> {
    Scalar(R, Ty),
    Tuple(Vec<Source<R>>),
    View(R, R, Box<Source<R>>),
    Packed(R, Box<Source<R>>),
    Regular(Atom<R>, Box<Source<R>>),
    /// The one of several that has this number.
    Chosen(Atom<R>, Vec<Source<R>>),
    /// Behind segments: the one of several that has the number which each segment has.
    Among(R, Vec<Source<R>>),
}

/// How many pools are where in an argument of a scalar function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    Scalar,
    Tuple(Vec<Shape>),
    Seq(Box<Shape>),
    /// One of several.
    Pools(Vec<Shape>),
}

impl Source<flat::Value> {
    /// A plain pool of the function around; regular lengths must be declared as outer operands.
    pub(crate) fn of(pool: &Pool, builder: &mut Builder<flat::Value>) -> Self {
        match pool {
            Pool::Scalar(v, ty) => Source::Scalar(*v, *ty),
            Pool::Tuple(parts) => {
                Source::Tuple(parts.iter().map(|p| Source::of(p, builder)).collect())
            }
            Pool::Seq(segments, inner) => {
                let inner = Box::new(Source::of(inner, builder));
                match *segments {
                    Segments::View(starts, lens) => Source::View(starts, lens, inner),
                    Segments::Packed(offsets) => Source::Packed(offsets, inner),
                    Segments::Regular(flat::Operand::Const(c)) => {
                        Source::Regular(Atom::Const(c), inner)
                    }
                    Segments::Regular(flat::Operand::Value(v)) => {
                        Source::Regular(builder.outer(v, Ty::I64), inner)
                    }
                }
            }
            Pool::Among(choices, pools) => {
                Source::Among(*choices, pools.iter().map(|p| Source::of(p, builder)).collect())
            }
            Pool::Chosen(..) => unreachable!("{pool:?} is part of a view"),
        }
    }
}

impl<R> Source<R> {
    pub(crate) fn part(&self, n: usize) -> &Source<R> {
        match self {
            Source::Tuple(parts) => &parts[n],
            _ => unreachable!("pools of different shape"),
        }
    }

    /// The pool behind segments.
    pub(crate) fn inner(&self) -> &Source<R> {
        match self {
            Source::View(_, _, inner) | Source::Packed(_, inner) | Source::Regular(_, inner) => {
                inner
            }
            Source::Scalar(..) | Source::Tuple(_) | Source::Chosen(..) | Source::Among(..) => {
                unreachable!("no segments")
            }
        }
    }

    /// The number of the pool that is chosen.
    fn number(&self) -> Option<Atom<R>>
    where
        R: Copy,
    {
        match self {
            Source::Chosen(number, _) => Some(*number),
            _ => None,
        }
    }

    fn shape(&self) -> Shape {
        let all = |sources: &[Source<R>]| sources.iter().map(Source::shape).collect();
        match self {
            Source::Scalar(..) => Shape::Scalar,
            Source::Tuple(parts) => Shape::Tuple(all(parts)),
            Source::View(_, _, inner) | Source::Packed(_, inner) | Source::Regular(_, inner) => {
                Shape::Seq(Box::new(inner.shape()))
            }
            Source::Chosen(_, pools) | Source::Among(_, pools) => Shape::Pools(all(pools)),
        }
    }
}

impl<R> Held<R> {
    /// How many pools are where.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Held::Atom(_) => Shape::Scalar,
            Held::Tuple(parts) => Shape::Tuple(parts.iter().map(Held::shape).collect()),
            Held::View { pool, .. } => Shape::Seq(Box::new(pool.shape())),
        }
    }
}

impl<R: scalar::Name> Held<R> {
    pub(crate) fn atom(&self) -> Atom<R> {
        match self {
            Held::Atom(a) => *a,
            Held::Tuple(_) | Held::View { .. } => unreachable!("no scalar"),
        }
    }
    /// The scalars of a value without sequences.
    pub(crate) fn atoms(&self, out: &mut Vec<Atom<R>>) {
        match self {
            Held::Atom(a) => out.push(*a),
            Held::Tuple(parts) => parts.iter().for_each(|p| p.atoms(out)),
            Held::View { .. } => unreachable!("a sequence as the result of scalar code"),
        }
    }
    /// A value of this type from its scalars.
    pub(crate) fn from_atoms(ty: &Type, atoms: &mut impl Iterator<Item = Atom<R>>) -> Held<R> {
        match ty {
            Type::Scalar(_) => {
                Held::Atom(atoms.next().unwrap_or_else(|| unreachable!("too few scalars")))
            }
            Type::Tuple(parts) => {
                Held::Tuple(parts.iter().map(|p| Held::from_atoms(p, atoms)).collect())
            }
            Type::Seq(_) => unreachable!("a sequence from scalars"),
        }
    }
}

impl<R: scalar::Name> Held<R> {
    /// All scalars, starts and lengths of sequences included.
    pub(crate) fn parts(&self, out: &mut Vec<Atom<R>>) {
        match self {
            Held::Atom(a) => out.push(*a),
            Held::Tuple(parts) => parts.iter().for_each(|p| p.parts(out)),
            Held::View { start, len, pool } => {
                out.extend([*start, *len]);
                out.extend(pool.number());
            }
        }
    }
}

/// An argument of a scalar function: its scalars, and its vectors by reference.
pub(crate) fn argument<R: scalar::Name>(
    held: &Held<R>,
    atoms: &mut Vec<Atom<R>>,
    vectors: &mut Vec<R>,
) {
    match held {
        Held::Atom(a) => atoms.push(*a),
        Held::Tuple(parts) => {
            parts.iter().for_each(|p| argument(p, atoms, vectors));
        }
        Held::View { start, len, pool } => {
            atoms.extend([*start, *len]);
            atoms.extend(pool.number());
            source_vectors(pool, vectors);
        }
    }
}

fn source_vectors<R: Copy>(pool: &Source<R>, out: &mut Vec<R>) {
    match pool {
        Source::Scalar(r, _) => out.push(*r),
        Source::Tuple(parts) => parts.iter().for_each(|p| source_vectors(p, out)),
        Source::View(starts, lens, inner) => {
            out.extend([*starts, *lens]);
            source_vectors(inner, out);
        }
        Source::Chosen(_, pools) => pools.iter().for_each(|p| source_vectors(p, out)),
        Source::Among(choices, pools) => {
            out.push(*choices);
            pools.iter().for_each(|p| source_vectors(p, out));
        }
        Source::Packed(..) | Source::Regular(..) => {
            unreachable!("arguments of scalar functions have starts and lengths")
        }
    }
}

/// Parameters for a type: scalars and, for sequences, vectors.
pub(crate) fn declare(
    builder: &mut Builder<Param>,
    ty: &Type,
    shape: &Shape,
    scalars: &mut Vec<Var>,
    vectors: &mut Vec<Ty>,
) -> Held<Param> {
    let mut scalar = |builder: &mut Builder<Param>, ty| {
        let var = builder.param(ty);
        scalars.push(var);
        Atom::Var(var)
    };
    match (ty, shape) {
        (Type::Scalar(t), _) => Held::Atom(scalar(builder, *t)),
        (Type::Tuple(parts), Shape::Tuple(shapes)) => {
            let parts = parts.iter().zip(shapes);
            let parts = parts.map(|(p, shape)| declare(builder, p, shape, scalars, vectors));
            Held::Tuple(parts.collect())
        }
        (Type::Seq(element), Shape::Seq(shape)) => {
            let start = scalar(builder, Ty::I64);
            let len = scalar(builder, Ty::I64);
            let pool = match &**shape {
                Shape::Pools(shapes) => {
                    let number = scalar(builder, Ty::I64);
                    let pools = shapes.iter().map(|shape| declare_source(element, shape, vectors));
                    Source::Chosen(number, pools.collect())
                }
                shape => declare_source(element, shape, vectors),
            };
            Held::View { start, len, pool }
        }
        _ => unreachable!("{shape:?} of {ty:?}"),
    }
}

fn declare_source(ty: &Type, shape: &Shape, vectors: &mut Vec<Ty>) -> Source<Param> {
    let mut vector = |ty| {
        vectors.push(ty);
        base::Id::new(vectors.len() - 1)
    };
    match (ty, shape) {
        (_, Shape::Pools(shapes)) => {
            let choices = vector(Ty::I64);
            let pools = shapes.iter().map(|shape| declare_source(ty, shape, vectors));
            Source::Among(choices, pools.collect())
        }
        (Type::Scalar(t), _) => Source::Scalar(vector(*t), *t),
        (Type::Tuple(parts), Shape::Tuple(shapes)) => {
            let parts = parts.iter().zip(shapes);
            Source::Tuple(parts.map(|(p, shape)| declare_source(p, shape, vectors)).collect())
        }
        (Type::Seq(element), Shape::Seq(shape)) => {
            let (starts, lens) = (vector(Ty::I64), vector(Ty::I64));
            Source::View(starts, lens, Box::new(declare_source(element, shape, vectors)))
        }
        _ => unreachable!("{shape:?} of {ty:?}"),
    }
}

/// The same value with its scalars replaced, in order.
pub(crate) fn renamed(held: &Held<Param>, vars: &mut impl Iterator<Item = Var>) -> Held<Param> {
    let mut next = || Atom::Var(vars.next().unwrap_or_else(|| unreachable!("too few variables")));
    match held {
        Held::Atom(_) => Held::Atom(next()),
        Held::Tuple(parts) => Held::Tuple(parts.iter().map(|p| renamed(p, vars)).collect()),
        Held::View { pool, .. } => {
            let (start, len) = (next(), next());
            let pool = match pool {
                Source::Chosen(_, pools) => Source::Chosen(next(), pools.clone()),
                pool => pool.clone(),
            };
            Held::View { start, len, pool }
        }
    }
}
