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
    /// Every type without functions: what can be compared, hashed, or be the element of a
    /// sequence.  Shown as `any`.
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

/// What two classes have in common.  It is never nothing, because int is in every class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meet {
    /// The types of a class.
    Class(Class),
    /// One type only.
    Base(Base),
}

impl Class {
    /// The classes that can be written.
    const WRITTEN: [Class; 5] =
        [Class::Any, Class::Number, Class::Ordinal, Class::Logical, Class::Scalar];

    /// As shown and written.
    pub fn name(self) -> &'static str {
        match self {
            Class::Any | Class::Data => "any",
            Class::Scalar => "scalar",
            Class::Ordinal => "ordinal",
            Class::Number => "number",
            Class::Logical => "logical",
        }
    }
    /// The class of a written name.
    pub fn parse(name: &str) -> Option<Class> {
        Class::WRITTEN.into_iter().find(|c| c.name() == name)
    }
    /// Whether a base type belongs to it.
    pub fn contains(self, base: Base) -> bool {
        match self {
            Class::Any | Class::Data | Class::Scalar => true,
            Class::Ordinal => base != Base::Bool,
            Class::Number => matches!(base, Base::I64 | Base::F64),
            Class::Logical => matches!(base, Base::I64 | Base::Bool),
        }
    }
    /// Its base types.
    pub fn bases(self) -> impl Iterator<Item = Base> {
        Base::ALL.into_iter().filter(move |&b| self.contains(b))
    }
    /// The intersection.
    pub fn meet(self, other: Class) -> Meet {
        if other.within(self) {
            Meet::Class(other)
        } else if self.within(other) {
            Meet::Class(self)
        } else {
            // Of the classes of base types only `logical` is beside the others, and shares int.
            Meet::Base(Base::I64)
        }
    }
    /// Whether every type of this class belongs to the other.
    pub fn within(self, other: Class) -> bool {
        match (self, other) {
            (_, Class::Any) => true,
            (Class::Any, _) => false,
            (_, Class::Data) => true,
            (Class::Data, _) => false,
            _ => self.bases().all(|b| other.contains(b)),
        }
    }
}

impl Scheme {
    /// A type without variables.
    pub fn mono(ty: Type) -> Scheme {
        Scheme { classes: Vec::new(), ty }
    }
    /// With the variables numbered in the order of their first appearance and the others left
    /// out, so that schemes that differ in names only become equal.
    pub fn canonical(&self) -> Scheme {
        let order = crate::show::variables([&self.ty]);
        let number = |v: TyVar| Type::Var(base::Id::new(order.get_index_of(&v).unwrap_or(0)));
        Scheme {
            classes: order.iter().map(|v| self.classes[base::Id::index(*v)]).collect(),
            ty: self.ty.substitute(&number),
        }
    }
}

impl Type {
    /// With every variable replaced.
    pub fn substitute(&self, replace: &impl Fn(TyVar) -> Type) -> Type {
        let part = |t: &Arc<Type>| Arc::new(t.substitute(replace));
        match self {
            Type::Base(b) => Type::Base(*b),
            Type::Seq(t) => Type::Seq(part(t)),
            Type::Pair(a, b) => Type::Pair(part(a), part(b)),
            Type::Fun(a, r) => Type::Fun(part(a), part(r)),
            Type::Data(d, args) => {
                Type::Data(*d, args.iter().map(|t| t.substitute(replace)).collect())
            }
            Type::Var(v) => replace(*v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meets_are_sets() {
        let all =
            [Class::Any, Class::Data, Class::Scalar, Class::Ordinal, Class::Number, Class::Logical];
        for a in all {
            for b in all {
                let common: Vec<Base> = a.bases().filter(|&x| b.contains(x)).collect();
                let found: Vec<Base> = match a.meet(b) {
                    Meet::Class(c) => c.bases().collect(),
                    Meet::Base(x) => vec![x],
                };
                assert_eq!(common, found, "{a:?} {b:?}");
                assert_eq!(a.meet(b), b.meet(a));
            }
        }
    }
}
