//! Columns of values that the interpreter holds nested.
//!
//! A value that compiled code has made and the interpreter passes on, to compiled code again, keeps
//! its columns: sequences are found by the memory that they lie in.  Columns go with that memory.

use prim::Widths;
use rustc_hash::FxHashMap;
use value::{Columns, Handle, OutOfMemory, Shape, Value};

/// Sequences that are there in both forms.
#[derive(Default)]
pub(super) struct Mirror {
    known: FxHashMap<(usize, usize, usize), (Handle, Columns)>,
    /// How many there may be before those are looked for whose sequences are gone.
    most: usize,
}

impl Mirror {
    /// Notes the columns of a value of one lane.
    pub(super) fn note(&mut self, value: &Value, columns: &Columns) {
        match (value, columns) {
            (Value::Seq(seq), Columns::Seq { .. }) if !seq.is_empty() => {
                if self.known.len() >= self.most {
                    self.forget();
                    self.most = 2 * self.known.len() + 16;
                }
                let handle = seq.handle();
                self.known.insert(handle.key(), (handle, columns.clone()));
            }
            (Value::Pair(pair), Columns::Tuple(parts)) => {
                let Some((first, rest)) = parts.split_first() else { return };
                self.note(&pair.0, first);
                match rest {
                    [last] => self.note(&pair.1, last),
                    _ => self.note(&pair.1, &Columns::Tuple(rest.to_vec())),
                }
            }
            // A datatype is its fields.
            (Value::Data(fields), _) => self.note(fields, columns),
            _ => {}
        }
    }

    /// The columns of a value.
    pub(super) fn columns(
        &self,
        value: &Value,
        shape: &Shape,
        widths: Widths,
    ) -> Result<Columns, OutOfMemory> {
        match (value, shape) {
            (Value::Seq(seq), _) => match self.known.get(&seq.handle().key()) {
                Some((_, columns)) => Ok(columns.clone()),
                None => Columns::of(shape, widths, [value]),
            },
            (Value::Pair(_), Shape::Tuple(shapes)) => {
                let (mut parts, mut rest) = (Vec::with_capacity(shapes.len()), value);
                for (place, shape) in shapes.iter().enumerate() {
                    let part = if place + 1 < shapes.len() {
                        let (first, more) = rest.parts();
                        rest = more;
                        first
                    } else {
                        rest
                    };
                    parts.push(self.columns(part, shape, widths)?);
                }
                Ok(Columns::Tuple(parts))
            }
            (Value::Data(fields), Shape::Data { fields: shape, .. }) => {
                self.columns(fields, shape, widths)
            }
            _ => Columns::of(shape, widths, [value]),
        }
    }

    /// Forgets the columns of sequences that are gone.
    pub(super) fn forget(&mut self) {
        self.known.retain(|_, (handle, _)| handle.is_alive());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::Ty;

    #[test]
    fn a_sequence_keeps_its_columns_and_no_longer() {
        let shape = Shape::Seq(Box::new(Shape::Scalar(Ty::I64)));
        let value = Value::ints(vec![1, 2, 3]);
        let columns = Columns::of(&shape, Widths::WIDE, [&value]).expect("there is memory");
        let mut mirror = Mirror::default();
        mirror.note(&Value::pair(value.clone(), Value::Int(7)), &{
            let seven = Columns::of(&Shape::Scalar(Ty::I64), Widths::WIDE, [&Value::Int(7)]);
            Columns::Tuple(vec![columns.clone(), seven.expect("there is memory")])
        });
        let elements = |columns: &Columns| match columns {
            Columns::Seq { elements, .. } => match &**elements {
                Columns::Scalar(column) => std::sync::Arc::as_ptr(&column.bytes),
                _ => unreachable!("ints"),
            },
            _ => unreachable!("a sequence"),
        };
        let found = mirror.columns(&value, &shape, Widths::WIDE).expect("it is there");
        assert_eq!(elements(&found), elements(&columns));
        let slice = Value::Seq(value.seq().slice(1, 2));
        let found = mirror.columns(&slice, &shape, Widths::WIDE).expect("there is memory");
        assert_ne!(elements(&found), elements(&columns));
        drop((value, slice));
        mirror.forget();
        assert!(mirror.known.is_empty());
    }
}
