//! `identity`: zero, F, code 0, the empty sequence, by parts.

use crate::mono::Lower;
use nest::{Op, Type, Value};

impl Lower<'_> {
    /// The identity of a type.
    pub(crate) fn identity(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Scalar(scalar) => self.b.constant(scalar.zero()),
            Type::Seq(_) => self.b.emit(ty.clone(), Op::Seq(Vec::new())),
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.identity(part)).collect();
                self.b.tuple(parts)
            }
        }
    }
}
