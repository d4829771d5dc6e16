//! Types of one instance: variables replaced, datatypes erased, right-nested pairs as tuples.
//!
//! ```text
//! (int, (float, [char]))     Tuple[i64, f64, [char]]
//! ((int, int), float)        Tuple[Tuple[i64, i64], f64]
//! datatype p(int, int)       (float, p) is Tuple[f64, Tuple[i64, i64]]
//! ```

use base::Id;
use std::sync::Arc;
use types::tree::Program;
use types::{Base, Type};

/// The type at these instance types.  A variable that nothing determines stands only for values
/// that never come to exist, such as the result of a function that always fails: any type will do.
pub(crate) fn instantiate(ty: &Type, types: &[Type]) -> Type {
    if is_closed(ty) {
        return ty.clone();
    }
    ty.substitute(&|v| types.get(v.index()).cloned().unwrap_or(Type::Base(Base::I64)))
}

/// Whether a type has no variables.
fn is_closed(ty: &Type) -> bool {
    match ty {
        Type::Base(_) => true,
        Type::Seq(t) => is_closed(t),
        Type::Pair(a, b) | Type::Fun(a, b) => is_closed(a) && is_closed(b),
        Type::Data(_, args) => args.iter().all(is_closed),
        Type::Var(_) => false,
    }
}

/// The type itself, or the fields of the datatype that it is.
pub(crate) fn fields(program: &Program, ty: &Type) -> Type {
    let mut ty = ty.clone();
    while let Type::Data(data, args) = &ty {
        ty = instantiate(&program.datas[*data].fields, args);
    }
    ty
}

/// Both parts of a pair or of a datatype with several fields.
pub(crate) fn pair(program: &Program, ty: &Type) -> (Arc<Type>, Arc<Type>) {
    match fields(program, ty) {
        Type::Pair(a, b) => (a, b),
        other => unreachable!("{other:?} is no pair"),
    }
}

/// The element type of a sequence.
pub(crate) fn element(program: &Program, ty: &Type) -> Arc<Type> {
    match fields(program, ty) {
        Type::Seq(t) => t,
        other => unreachable!("{other:?} is no sequence"),
    }
}

/// Whether values of a type contain functions.
pub(crate) fn has_functions(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Seq(_) | Type::Var(_) => false,
        Type::Pair(a, b) => has_functions(program, a) || has_functions(program, b),
        Type::Fun(..) => true,
        Type::Data(..) => has_functions(program, &fields(program, ty)),
    }
}

/// The type in nest.
pub(crate) fn nest(program: &Program, ty: &Type) -> nest::Type {
    match ty {
        Type::Base(b) => nest::Type::Scalar(*b),
        Type::Seq(t) => nest(program, t).seq(),
        Type::Pair(a, b) => {
            let mut parts = vec![nest(program, a)];
            let mut rest = b;
            while let Type::Pair(a, b) = &**rest {
                parts.push(nest(program, a));
                rest = b;
            }
            parts.push(nest(program, rest));
            nest::Type::Tuple(parts)
        }
        Type::Data(..) => nest(program, &fields(program, ty)),
        Type::Fun(..) => unreachable!("a function has no type in nest"),
        Type::Var(v) => unreachable!("{v} is free in an instance"),
    }
}
