//! Monomorphic data types as run time sees them.
//!
//! A shape is a type without variables, with tuples flat: `(a, (b, c))` is `Tuple[a, b, c]`, while
//! `((a, b), c)` is `Tuple[Tuple[a, b], c]`.

use crate::value::Value;
use base::IdMap;
use prim::Ty;
use std::fmt;
use std::sync::Arc;
use types::tree::Datatype;
use types::{Data, Type};

/// What a value looks like.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One scalar.
    Scalar(Ty),
    /// A sequence.
    Seq(Box<Shape>),
    /// A tuple of at least two parts, of which the last is no tuple.
    Tuple(Vec<Shape>),
    /// A datatype: its name as shown, and its fields.
    Data {
        /// As shown.
        name: Arc<str>,
        /// The fields as one shape.
        fields: Box<Shape>,
    },
    /// A function.
    Function,
}

impl Shape {
    /// The shape of a type whose variable `t_i` stands for `args[i]`; `args` has no variables.
    ///
    /// A variable without argument can only occur inside function types (LANGUAGE 5.5), where the
    /// shape does not look.
    pub fn of(ty: &Type, args: &[Type], datas: &IdMap<Data, Datatype>) -> Shape {
        match ty {
            Type::Base(base) => Shape::Scalar(*base),
            Type::Seq(element) => Shape::Seq(Box::new(Shape::of(element, args, datas))),
            Type::Pair(first, rest) => {
                Shape::pair(Shape::of(first, args, datas), Shape::of(rest, args, datas))
            }
            Type::Fun(..) => Shape::Function,
            Type::Data(data, own) => {
                let own: Vec<Type> = own.iter().map(|ty| substitute(ty, args)).collect();
                let datatype = &datas[*data];
                Shape::Data {
                    name: datatype.name.as_str().into(),
                    fields: Box::new(Shape::of(&datatype.fields, &own, datas)),
                }
            }
            Type::Var(var) => match args.get(base::Id::index(*var)) {
                Some(arg) => Shape::of(arg, &[], datas),
                None => Shape::Function,
            },
        }
    }

    /// The shape that a value shows by itself: its elements tell that of a sequence, and an empty
    /// one passes for ints; datatypes lack their names.
    ///
    /// For function values that were made before their type variables stood for something.
    pub fn seen(value: &Value) -> Shape {
        match value {
            Value::Int(_) => Shape::Scalar(Ty::I64),
            Value::Float(_) => Shape::Scalar(Ty::F64),
            Value::Bool(_) => Shape::Scalar(Ty::Bool),
            Value::Char(_) => Shape::Scalar(Ty::Char),
            Value::Seq(seq) => {
                let element = seq.iter().next().map(|first| Shape::seen(&first));
                Shape::Seq(Box::new(element.unwrap_or(Shape::Scalar(Ty::I64))))
            }
            Value::Pair(parts) => Shape::pair(Shape::seen(&parts.0), Shape::seen(&parts.1)),
            Value::Data(fields) => {
                Shape::Data { name: "".into(), fields: Box::new(Shape::seen(fields)) }
            }
            Value::Function(_) => Shape::Function,
        }
    }

    /// The shape of `(first, rest)`.
    pub fn pair(first: Shape, rest: Shape) -> Shape {
        let mut parts = vec![first];
        match rest {
            Shape::Tuple(more) => parts.extend(more),
            one => parts.push(one),
        }
        Shape::Tuple(parts)
    }

    /// Whether values of this shape are strings.
    pub fn is_string(&self) -> bool {
        matches!(self, Shape::Seq(element) if **element == Shape::Scalar(Ty::Char))
    }

    /// Whether values of this shape contain functions.
    pub fn has_function(&self) -> bool {
        match self {
            Shape::Scalar(_) => false,
            Shape::Seq(element) => element.has_function(),
            Shape::Tuple(parts) => parts.iter().any(Shape::has_function),
            Shape::Data { fields, .. } => fields.has_function(),
            Shape::Function => true,
        }
    }
}

/// Whether no variable occurs outside function types.
pub fn is_closed(ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Fun(..) => true,
        Type::Seq(element) => is_closed(element),
        Type::Pair(first, rest) => is_closed(first) && is_closed(rest),
        Type::Data(_, args) => args.iter().all(is_closed),
        Type::Var(_) => false,
    }
}

/// The type with `args[i]` for variable `t_i`; variables beyond `args` stay.
pub fn substitute(ty: &Type, args: &[Type]) -> Type {
    let go = |ty: &Arc<Type>| Arc::new(substitute(ty, args));
    match ty {
        Type::Base(_) => ty.clone(),
        Type::Seq(element) => Type::Seq(go(element)),
        Type::Pair(first, rest) => Type::Pair(go(first), go(rest)),
        Type::Fun(from, to) => Type::Fun(go(from), go(to)),
        Type::Data(data, own) => {
            Type::Data(*data, own.iter().map(|ty| substitute(ty, args)).collect())
        }
        Type::Var(var) => args.get(base::Id::index(*var)).unwrap_or(ty).clone(),
    }
}

/// As types are shown, tuples always in parentheses.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Scalar(Ty::I64) => f.write_str("int"),
            Shape::Scalar(Ty::F64) => f.write_str("float"),
            Shape::Scalar(Ty::Bool) => f.write_str("bool"),
            Shape::Scalar(Ty::Char) => f.write_str("char"),
            Shape::Seq(element) => write!(f, "[{element}]"),
            Shape::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "(" } else { ", " })?;
                }
                f.write_str(")")
            }
            Shape::Data { name, .. } => f.write_str(name),
            Shape::Function => f.write_str("function"),
        }
    }
}
