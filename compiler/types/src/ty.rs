//! Types and classes (LANGUAGE 5.1).

use base::define_id;
use std::sync::Arc;

define_id!(Data, "d", "A datatype; redefining one makes a new id.");
define_id!(TyVar, "t", "A type variable: of a scheme (0, 1, ...), or of the form being checked.");

/// The four base types.
pub type Base = prim::Ty;

/// A type.  Tuples are right-nested pairs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `int`, `float`, `bool`, `char`.
    Base(Base),
    /// `[t]`.
    Seq(Arc<Type>),
    /// `(a, b)`.
    Pair(Arc<Type>, Arc<Type>),
    /// `a -> b`.
    Fun(Arc<Type>, Arc<Type>),
    /// A datatype with its arguments.
    Data(Data, Vec<Type>),
    /// A variable.
    Var(TyVar),
}

/// A set of types that a variable may stand for.  Classes intersect when variables meet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Every type.
    Any,
    /// Every type without functions (for `==`, `hash`, `identity`).
    Data,
    /// The four base types.
    Scalar,
    /// int, float, char.
    Ordinal,
    /// int, float.
    Number,
    /// int, bool.
    Logical,
}

/// A type and the classes of its variables `t0, t1, ...`.
#[derive(Clone, PartialEq, Debug)]
pub struct Scheme {
    /// One class for each variable.
    pub classes: Vec<Class>,
    /// The type, over `TyVar` 0 to `classes.len() - 1`.
    pub ty: Type,
}
