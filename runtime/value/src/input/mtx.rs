//! Matrix Market files: sparse (`coordinate`) and dense (`array`) matrices as text.
//!
//! A matrix becomes what the shape asks for:
//!
//! * `[[(int, float)]]`: for each row its (column, value) pairs, columns ascending, as in CSR;
//! * `[[float]]`: the rows, zeros included;
//! * `[(int, int)]`: the positions, as the edges of a graph; `[(int, int, float)]`: with values.
//!
//! Positions count from 0.  Symmetric matrices are completed; a pattern has the value 1.  Values
//! may be int instead of float above, if all are whole numbers.  The shape decides the type of a
//! value: an integer that fits no int is legal as a float.

mod parse;

use super::{Problem, room};
use crate::buffer::{Buffer, OutOfMemory};
use crate::columns::{Column, Columns};
use crate::memory::{self, Budget};
use crate::shape::Shape;
use parse::{Matrix, Values};
use prim::{Ty, Widths};

pub(super) fn read(
    text: &[u8],
    shape: &Shape,
    widths: Widths,
    budget: &Budget,
) -> Result<Columns, Problem> {
    let target = Target::of(shape)
        .ok_or_else(|| format!("a matrix cannot be read as a value of type {shape}"))?;
    // Each line is one entry, or two if the matrix is symmetric.
    let lines = text.iter().filter(|&&b| b == b'\n').count() + 1;
    let _entries = budget.charge(lines.saturating_mul(2 * ENTRY))?;
    let matrix = Matrix::parse(text, &target, widths, budget)?;
    Ok(match target.form {
        Form::Sparse => matrix.sparse_rows()?,
        Form::Dense => matrix.dense_rows()?,
        Form::List => matrix.list()?,
    })
}

/// Bytes of an entry in the vectors of the file's order and of the rows'.
const ENTRY: usize = 6 * size_of::<i64>();

/// What a shape wants of a matrix.
struct Target {
    form: Form,
    /// The type of values; none when only positions are wanted.
    value: Option<Ty>,
}

/// The forms that the module comment lists.
enum Form {
    Sparse,
    Dense,
    List,
}

impl Target {
    /// Charges the budget for the rows and elements of a matrix of this size, without its entries.
    fn room(
        &self,
        rows: usize,
        columns: usize,
        widths: Widths,
        budget: &Budget,
    ) -> Result<(), Problem> {
        let (lanes, elements) = match self.form {
            Form::List => (0, 0),
            Form::Sparse => (rows, 0),
            Form::Dense => (rows, rows.saturating_mul(columns)),
        };
        room(lanes.max(elements), widths)?;
        let bytes = lanes.saturating_add(elements).saturating_mul(size_of::<i64>());
        if bytes > memory::available() {
            return Err(OutOfMemory { bytes }.into());
        }
        Ok(budget.charge(bytes).map(drop)?)
    }

    fn of(shape: &Shape) -> Option<Target> {
        const INT: Shape = Shape::Scalar(Ty::I64);
        let Shape::Seq(element) = shape else { return None };
        let number = |shape: &Shape| match shape {
            Shape::Scalar(ty @ (Ty::I64 | Ty::F64)) => Some(*ty),
            _ => None,
        };
        let (form, value) = match &**element {
            Shape::Tuple(parts) => match parts.as_slice() {
                [INT, INT] => (Form::List, None),
                [INT, INT, value] => (Form::List, Some(number(value)?)),
                _ => return None,
            },
            Shape::Seq(inner) => match &**inner {
                Shape::Tuple(parts) => match parts.as_slice() {
                    [INT, value] => (Form::Sparse, Some(number(value)?)),
                    _ => return None,
                },
                one => (Form::Dense, Some(number(one)?)),
            },
            _ => return None,
        };
        Some(Target { form, value })
    }
}

impl Matrix {
    /// The positions of the entries in row-major order; entries at one place keep their order.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.row.len()).collect();
        // Columns are not counted in memory: there may be many more of them than entries.
        if self.columns > 4 * order.len() + 1024 {
            order.sort_by_key(|&e| self.column[e]);
        } else {
            order = counting_sort(&order, &self.column, self.columns);
        }
        counting_sort(&order, &self.row, self.rows)
    }

    fn sparse_rows(&self) -> Result<Columns, OutOfMemory> {
        let order = self.order();
        let mut starts = vec![0_i64; self.rows + 1];
        for &row in &self.row {
            starts[row as usize + 1] += 1;
        }
        for i in 0..self.rows {
            starts[i + 1] += starts[i];
        }
        let columns: Vec<i64> = order.iter().map(|&e| self.column[e]).collect();
        let pairs = Columns::Tuple(vec![
            Columns::Scalar(Column::of_ints(self.widths, &columns)?),
            Columns::Scalar(self.values.column(&order, self.widths)?),
        ]);
        Columns::sequence(Columns::Seq {
            offsets: Column::of_ints(self.widths, &starts)?,
            elements: Box::new(pairs),
        })
    }

    fn dense_rows(&self) -> Result<Columns, OutOfMemory> {
        let size = self.rows.saturating_mul(self.columns);
        let mut bytes = Buffer::zeroed(size.saturating_mul(size_of::<f64>()))?;
        let places = self
            .row
            .iter()
            .zip(&self.column)
            .map(|(&row, &column)| row as usize * self.columns + column as usize);
        // Entries at one place add up, as Matrix Market says.
        let column = match &self.values {
            Values::Ints(values) => {
                let cells = bytes.typed_mut::<i64>(size);
                places.zip(values).for_each(|(p, v)| cells[p] = cells[p].wrapping_add(*v));
                Column::of_ints(self.widths, cells)?
            }
            Values::Floats(values) => {
                let cells = bytes.typed_mut::<f64>(size);
                places.zip(values).for_each(|(p, v)| cells[p] += *v);
                Column::of_floats(self.widths, cells)?
            }
            Values::None => unreachable!("rows have values"),
        };
        let starts: Vec<i64> = (0..=self.rows).map(|row| (row * self.columns) as i64).collect();
        Columns::sequence(Columns::Seq {
            offsets: Column::of_ints(self.widths, &starts)?,
            elements: Box::new(Columns::Scalar(column)),
        })
    }

    fn list(&self) -> Result<Columns, OutOfMemory> {
        let mut parts = vec![
            Columns::Scalar(Column::of_ints(self.widths, &self.row)?),
            Columns::Scalar(Column::of_ints(self.widths, &self.column)?),
        ];
        if !matches!(self.values, Values::None) {
            let order: Vec<usize> = (0..self.row.len()).collect();
            parts.push(Columns::Scalar(self.values.column(&order, self.widths)?));
        }
        Columns::sequence(Columns::Tuple(parts))
    }
}

impl Values {
    /// The values of the entries in this order.
    fn column(&self, order: &[usize], widths: Widths) -> Result<Column, OutOfMemory> {
        match self {
            Values::Ints(values) => {
                Column::of_ints(widths, &order.iter().map(|&e| values[e]).collect::<Vec<i64>>())
            }
            Values::Floats(values) => {
                Column::of_floats(widths, &order.iter().map(|&e| values[e]).collect::<Vec<f64>>())
            }
            Values::None => unreachable!("there are only positions"),
        }
    }
}

/// The entries of `order` sorted by key, equal keys in the order given; keys are below `count`.
fn counting_sort(order: &[usize], keys: &[i64], count: usize) -> Vec<usize> {
    let mut next = vec![0_usize; count + 1];
    for &entry in order {
        next[keys[entry] as usize + 1] += 1;
    }
    for key in 0..count {
        next[key + 1] += next[key];
    }
    let mut sorted = vec![0; order.len()];
    for &entry in order {
        let place = &mut next[keys[entry] as usize];
        sorted[*place] = entry;
        *place += 1;
    }
    sorted
}
