//! Types as NESL writes them.

use prim::Ty;
use types::Type;
use value::typed::parts;

/// The name of a base type.
pub(crate) fn base(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "int",
        Ty::F64 => "float",
        Ty::Bool => "bool",
        Ty::Char => "char",
    }
}

/// A type of base types, sequences and tuples.
pub(crate) fn written(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Base(ty) => base(*ty).to_owned(),
        Type::Seq(element) => format!("[{}]", written(element)?),
        Type::Pair(..) => {
            let parts: Option<Vec<String>> = parts(ty).into_iter().map(written).collect();
            format!("({})", parts?.join(", "))
        }
        Type::Var(_) | Type::Fun(..) | Type::Data(..) => return None,
    })
}
