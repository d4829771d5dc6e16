//! Nested values to columns and back, in time linear in their size.
//!
//! Shapes with functions have no columns; whoever converts looks first ([`Shape::has_function`]).

use crate::buffer::{Buffer, OutOfMemory, Plain};
use crate::columns::{Column, Columns};
use crate::memory::{Budget, Charge};
use crate::shape::Shape;
use crate::value::{Items, Seq, SeqBuilder, Value};
use prim::{Ty, Widths};
use std::sync::Arc;

impl Columns {
    /// The columns of values of one shape, one lane each.
    pub fn of<'a>(
        shape: &Shape,
        widths: Widths,
        lanes: impl IntoIterator<Item = &'a Value>,
    ) -> Result<Columns, OutOfMemory> {
        let mut builder = Builder::new(shape, widths)?;
        for value in lanes {
            builder.push(value)?;
        }
        Ok(builder.finish())
    }

    /// The value in a lane.
    pub fn value(&self, shape: &Shape, lane: usize) -> Value {
        match (self, shape) {
            (_, Shape::Data { fields, .. }) => Value::Data(Arc::new(self.value(fields, lane))),
            (Columns::Scalar(column), _) => column.get(lane).into(),
            (Columns::Tuple(parts), Shape::Tuple(shapes)) => {
                let mut values =
                    parts.iter().zip(shapes).rev().map(|(part, shape)| part.value(shape, lane));
                let last = values.next().unwrap_or_else(|| unreachable!("an empty tuple"));
                values.fold(last, |rest, first| Value::pair(first, rest))
            }
            (Columns::Seq { offsets, elements }, Shape::Seq(element)) => {
                let (start, end) = bounds(offsets, lane);
                Value::Seq(elements.sequence_of(element, start, end))
            }
            _ => unreachable!("columns that are no {shape}"),
        }
    }

    /// Lanes `start..end` as a sequence.
    fn sequence_of(&self, shape: &Shape, start: usize, end: usize) -> Seq {
        let Columns::Scalar(column) = self else {
            return self.values(shape, start, end);
        };
        match shape {
            Shape::Scalar(Ty::I64) => Seq::Ints(column.ints_of(start..end).into_owned().into()),
            Shape::Scalar(Ty::F64) => Seq::Floats(column.floats_of(start..end).into_owned().into()),
            Shape::Scalar(Ty::Char) => Seq::Chars(copied(&column.bytes()[start..end])),
            Shape::Scalar(Ty::Bool) => {
                let flags = column.bytes()[start..end].iter().map(|&b| b != 0);
                Seq::Bools(flags.collect::<Vec<bool>>().into())
            }
            _ => self.values(shape, start, end),
        }
    }

    fn values(&self, shape: &Shape, start: usize, end: usize) -> Seq {
        let mut builder = SeqBuilder::with_capacity(end - start);
        for lane in start..end {
            builder.push(self.value(shape, lane));
        }
        builder.finish()
    }
}

fn copied<T: Copy>(items: &[T]) -> Items<T> {
    items.to_vec().into()
}

/// Where the elements of a lane begin and end.
pub(crate) fn bounds(offsets: &Column, lane: usize) -> (usize, usize) {
    (offsets.int(lane) as usize, offsets.int(lane + 1) as usize)
}

/// Columns that are being made, lane by lane.
pub enum Builder {
    /// A scalar per lane.
    Scalar(Growing),
    /// A tuple per lane.
    Tuple(Vec<Builder>),
    /// A sequence per lane: its offsets and elements.
    Seq(Growing, Box<Builder>),
}

impl Builder {
    /// No lanes yet.
    pub fn new(shape: &Shape, widths: Widths) -> Result<Builder, OutOfMemory> {
        Builder::of(shape, widths, None)
    }

    /// No lanes yet; those that come are charged to a budget.
    pub fn within(shape: &Shape, widths: Widths, budget: &Budget) -> Result<Builder, OutOfMemory> {
        Builder::of(shape, widths, Some(budget))
    }

    fn of(shape: &Shape, widths: Widths, budget: Option<&Budget>) -> Result<Builder, OutOfMemory> {
        Ok(match shape {
            Shape::Scalar(ty) => Builder::Scalar(Growing::of(*ty, widths, budget)?),
            Shape::Tuple(parts) => {
                let parts = parts.iter().map(|part| Builder::of(part, widths, budget));
                Builder::Tuple(parts.collect::<Result<_, _>>()?)
            }
            Shape::Seq(element) => {
                let mut offsets = Growing::of(Ty::I64, widths, budget)?;
                offsets.push(0_i64)?;
                Builder::Seq(offsets, Box::new(Builder::of(element, widths, budget)?))
            }
            Shape::Data { fields, .. } => Builder::of(fields, widths, budget)?,
            Shape::Function => unreachable!("functions have no columns"),
        })
    }

    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        match self {
            Builder::Scalar(column) => column.len,
            Builder::Tuple(parts) => parts.first().map_or(0, Builder::lanes),
            Builder::Seq(offsets, _) => offsets.len - 1,
        }
    }

    /// Adds a lane with this value.
    pub fn push(&mut self, value: &Value) -> Result<(), OutOfMemory> {
        match (self, value) {
            (builder, Value::Data(fields)) => builder.push(fields),
            (Builder::Scalar(column), Value::Int(v)) => column.push(*v),
            (Builder::Scalar(column), Value::Float(v)) => column.push(*v),
            (Builder::Scalar(column), Value::Bool(v)) => column.push(u8::from(*v)),
            (Builder::Scalar(column), Value::Char(v)) => column.push(*v),
            (Builder::Tuple(parts), value) => push_parts(parts, value),
            (Builder::Seq(offsets, elements), Value::Seq(seq)) => {
                elements.push_all(seq)?;
                offsets.push(elements.lanes() as i64)
            }
            (_, value) => unreachable!("{value:?} has another shape"),
        }
    }

    /// Adds a lane for each element.
    fn push_all(&mut self, seq: &Seq) -> Result<(), OutOfMemory> {
        match (self, seq) {
            (Builder::Scalar(column), Seq::Ints(items)) => column.extend::<i64>(items),
            (Builder::Scalar(column), Seq::Floats(items)) => column.extend::<f64>(items),
            (Builder::Scalar(column), Seq::Chars(items)) => column.extend::<u8>(items),
            (Builder::Scalar(column), Seq::Bools(items)) => {
                let bytes: Vec<u8> = items.iter().map(|&b| u8::from(b)).collect();
                column.extend(&bytes)
            }
            (builder, seq) => seq.iter().try_for_each(|value| builder.push(&value)),
        }
    }

    /// Closes the current lane of a sequence: it holds the elements pushed to
    /// [`Builder::elements`] since the last one was closed.
    pub fn close(&mut self) -> Result<(), OutOfMemory> {
        match self {
            Builder::Seq(offsets, elements) => offsets.push(elements.lanes() as i64),
            Builder::Scalar(_) | Builder::Tuple(_) => unreachable!("no sequence to close"),
        }
    }

    /// Adds a lane for each of these scalars; a bug if it does not take scalars of this type.
    pub fn extend<T: Plain>(&mut self, scalars: &[T]) -> Result<(), OutOfMemory> {
        match self {
            Builder::Scalar(column) => column.extend(scalars),
            Builder::Tuple(_) | Builder::Seq(..) => unreachable!("no column of scalars"),
        }
    }

    /// The builder of the elements of a sequence; a bug if it is none.
    pub fn elements(&mut self) -> &mut Builder {
        match self {
            Builder::Seq(_, elements) => elements,
            Builder::Scalar(_) | Builder::Tuple(_) => unreachable!("no sequence"),
        }
    }

    /// The builder of part `i` of a tuple; a bug if there is none.
    pub fn part(&mut self, i: usize) -> &mut Builder {
        match self {
            Builder::Tuple(parts) => &mut parts[i],
            Builder::Scalar(_) | Builder::Seq(..) => unreachable!("no tuple"),
        }
    }

    /// The columns.
    pub fn finish(self) -> Columns {
        match self {
            Builder::Scalar(column) => Columns::Scalar(column.finish()),
            Builder::Tuple(parts) => {
                Columns::Tuple(parts.into_iter().map(Builder::finish).collect())
            }
            Builder::Seq(offsets, elements) => {
                Columns::Seq { offsets: offsets.finish(), elements: Box::new(elements.finish()) }
            }
        }
    }
}

fn push_parts(parts: &mut [Builder], value: &Value) -> Result<(), OutOfMemory> {
    match parts {
        [last] => last.push(value),
        [first, rest @ ..] => {
            let (head, tail) = value.parts();
            first.push(head)?;
            push_parts(rest, tail)
        }
        [] => Ok(()),
    }
}

/// A column that grows.
pub struct Growing {
    ty: Ty,
    widths: Widths,
    bytes: Buffer,
    len: usize,
    /// The charge for its memory, if it is charged.
    charge: Option<Charge>,
}

impl Growing {
    pub(crate) fn new(ty: Ty, widths: Widths) -> Result<Growing, OutOfMemory> {
        Growing::of(ty, widths, None)
    }

    fn of(ty: Ty, widths: Widths, budget: Option<&Budget>) -> Result<Growing, OutOfMemory> {
        let charge = budget.map(Budget::nothing);
        Ok(Growing { ty, widths, bytes: Buffer::zeroed(0)?, len: 0, charge })
    }

    fn push<T: Plain>(&mut self, value: T) -> Result<(), OutOfMemory> {
        self.extend(&[value])
    }

    /// Adds values, given as wide as the language has them or as they are in memory.
    pub(crate) fn extend<T: Plain>(&mut self, values: &[T]) -> Result<(), OutOfMemory> {
        if size_of::<T>() != self.widths.size(self.ty) {
            let narrow: Vec<T::Narrow> = values.iter().map(|v| v.narrow()).collect();
            return self.add(&narrow);
        }
        self.add(values)
    }

    fn add<T: Plain>(&mut self, values: &[T]) -> Result<(), OutOfMemory> {
        debug_assert_eq!(size_of::<T>(), self.widths.size(self.ty));
        let end = self.len + values.len();
        let needed = end * size_of::<T>();
        if needed > self.bytes.len() {
            // Doubling keeps the whole linear; the first extension gets exactly what it needs.
            let size = needed.max(self.bytes.len() * 2).max(64);
            if let Some(charge) = &mut self.charge {
                charge.grow(size)?;
            }
            let old = std::mem::replace(&mut self.bytes, Buffer::zeroed(0)?);
            self.bytes = old.resized(size)?;
            if let Some(charge) = &mut self.charge {
                charge.set(size);
            }
        }
        self.bytes.typed_mut::<T>(end)[self.len..].copy_from_slice(values);
        self.len = end;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Column {
        self.bytes.truncate(self.len * self.widths.size(self.ty));
        let bytes = match self.charge {
            Some(charge) => self.bytes.with_charge(charge),
            None => self.bytes,
        };
        Column::new(self.ty, self.widths, bytes, self.len)
    }
}
