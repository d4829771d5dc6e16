//! Types of Rust for what functions take and give.

use emit::host::Shape;
use prim::Ty;

/// The most parts of a tuple inside a sequence: `nesl_data::Element` knows tuples of so many.
const PARTS: usize = 6;

/// A scalar.
pub(crate) fn scalar(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "i64",
        Ty::F64 => "f64",
        Ty::Bool => "bool",
        Ty::Char => "u8",
    }
}

/// How a sequence is handed over, by its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sequence<'a> {
    /// A slice or vector of scalars.
    Scalars(Ty),
    /// A slice or vector of tuples of scalars.
    Tuples(&'a [Shape]),
    /// `Nested`.
    Nested,
    /// A vector, or `Nested`, for each part.
    Columns,
}

impl Sequence<'_> {
    /// A sequence of these.
    pub(crate) fn of(element: &Shape) -> Sequence<'_> {
        match element {
            Shape::Scalar(ty) => Sequence::Scalars(*ty),
            Shape::Data(_, fields) => Sequence::of(fields),
            Shape::Seq(_) => Sequence::Nested,
            Shape::Tuple(parts) if parts.iter().all(is_scalar) => Sequence::Tuples(parts),
            Shape::Tuple(_) => Sequence::Columns,
        }
    }
}

fn is_scalar(shape: &Shape) -> bool {
    match shape {
        Shape::Scalar(_) => true,
        Shape::Data(_, fields) => is_scalar(fields),
        Shape::Tuple(_) | Shape::Seq(_) => false,
    }
}

/// The type of an argument.
pub(crate) fn argument(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ty) => scalar(*ty).to_owned(),
        Shape::Data(_, fields) => argument(fields),
        Shape::Tuple(parts) => tuple(parts.iter().map(argument)),
        Shape::Seq(of) => match Sequence::of(of) {
            Sequence::Scalars(ty) => format!("&[{}]", scalar(ty)),
            Sequence::Tuples(_) => format!("&[{}]", element(of)),
            Sequence::Nested | Sequence::Columns => format!("&{}", columns(of)),
        },
    }
}

/// The type of a result.
pub(crate) fn result(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ty) => scalar(*ty).to_owned(),
        Shape::Data(_, fields) => result(fields),
        Shape::Tuple(parts) => tuple(parts.iter().map(result)),
        Shape::Seq(of) => match Sequence::of(of) {
            Sequence::Tuples(_) => format!("Vec<{}>", element(of)),
            Sequence::Scalars(_) | Sequence::Nested | Sequence::Columns => columns(of),
        },
    }
}

/// The `Element` for elements of a sequence.
pub(crate) fn element(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ty) => scalar(*ty).to_owned(),
        Shape::Data(_, fields) => element(fields),
        Shape::Tuple(parts) => tuple(parts.iter().map(element)),
        Shape::Seq(of) => format!("Vec<{}>", element(of)),
    }
}

/// The vectors of many elements.
fn columns(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(ty) => format!("Vec<{}>", scalar(*ty)),
        Shape::Data(_, fields) => columns(fields),
        Shape::Tuple(parts) => tuple(parts.iter().map(columns)),
        Shape::Seq(of) => format!("::nesl_data::Nested<{}>", element(of)),
    }
}

/// A tuple of texts, of types as well as of expressions.
pub(crate) fn tuple(parts: impl ExactSizeIterator<Item = String>) -> String {
    let behind = if parts.len() == 1 { "," } else { "" };
    format!("({}{behind})", parts.collect::<Vec<_>>().join(", "))
}

/// Returns true if elements of sequences are of types that `nesl_data` has.
pub(crate) fn is_known(shape: &Shape, inside: bool) -> bool {
    match shape {
        Shape::Scalar(_) => true,
        Shape::Data(_, fields) => is_known(fields, inside),
        Shape::Tuple(parts) => {
            (!inside || (2..=PARTS).contains(&parts.len()))
                && parts.iter().all(|part| is_known(part, inside))
        }
        Shape::Seq(element) => is_known(element, true),
    }
}
