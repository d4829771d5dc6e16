//! Matrix Market files: sparse (`coordinate`) and dense (`array`) matrices as text.
//!
//! A matrix becomes what the shape asks for:
//!
//! * `[[(int, float)]]`: for each row its (column, value) pairs, columns ascending, as in CSR;
//! * `[[float]]`: the rows, zeros included;
//! * `[(int, int)]`: the positions, as the edges of a graph; `[(int, int, float)]`: with values.
//!
//! Positions count from 0.  Symmetric matrices are completed; a pattern has the value 1.  Values
//! may be int wherever float stands above, if the file has no fractions.

use super::Problem;
use super::text::{parse, unexpected};
use crate::buffer::{Buffer, OutOfMemory};
use crate::columns::{Column, Columns};
use crate::shape::Shape;
use prim::Ty;

pub(super) fn read(text: &[u8], shape: &Shape) -> Result<Columns, Problem> {
    let target = Target::of(shape)
        .ok_or_else(|| format!("a matrix cannot be read as a value of type {shape}"))?;
    let matrix = Matrix::parse(text)?;
    matrix.values.check(target.value)?;
    Ok(match target.form {
        Form::Sparse => matrix.sparse_rows(target.value)?,
        Form::Dense => matrix.dense_rows(target.value)?,
        Form::List => matrix.list(target.value)?,
    })
}

/// What a shape wants of a matrix.
struct Target {
    form: Form,
    /// The type of values; none when only positions are wanted.
    value: Option<Ty>,
}

enum Form {
    Sparse,
    Dense,
    List,
}

impl Target {
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

/// The entries of a matrix in the order of the file.
struct Matrix {
    rows: usize,
    columns: usize,
    row: Vec<i64>,
    column: Vec<i64>,
    values: Values,
}

enum Values {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

/// What the first line says.
struct Banner {
    coordinate: bool,
    field: Field,
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Real,
    Integer,
    Pattern,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

impl Banner {
    fn parse(line: &[u8]) -> Result<Banner, Problem> {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
            return Err("line 1: `%%MatrixMarket matrix FORMAT FIELD SYMMETRY` was expected"
                .to_owned()
                .into());
        };
        let unknown = |word: &str| format!("line 1: `{word}` matrices cannot be read");
        let coordinate = match format {
            "coordinate" => true,
            "array" => false,
            _ => return Err(unknown(format).into()),
        };
        let field = match field {
            "real" | "double" => Field::Real,
            "integer" => Field::Integer,
            "pattern" if coordinate => Field::Pattern,
            _ => return Err(unknown(field).into()),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            _ => return Err(unknown(symmetry).into()),
        };
        Ok(Banner { coordinate, field, symmetry })
    }
}

/// Lines with their numbers from 0; comments and empty lines left out.
fn content(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(|&b| b == b'\n')
        .enumerate()
        .skip(1)
        .map(|(number, line)| (number, line.trim_ascii()))
        .filter(|(_, line)| !line.is_empty() && line[0] != b'%')
}

/// The words of a line; an error unless there are exactly `N`.
fn words<const N: usize>(number: usize, line: &[u8]) -> Result<[&[u8]; N], Problem> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut found: [&[u8]; N] = [&[]; N];
    for slot in &mut found {
        *slot = words.next().unwrap_or_default();
    }
    if found.iter().any(|word| word.is_empty()) || words.next().is_some() {
        return Err(unexpected(line, number, &format!("a line of {N} numbers")));
    }
    Ok(found)
}

impl Matrix {
    fn parse(text: &[u8]) -> Result<Matrix, Problem> {
        let banner = Banner::parse(text.split(|&b| b == b'\n').next().unwrap_or_default())?;
        let mut lines = content(text);
        let (number, line) =
            lines.next().ok_or_else(|| "the line of sizes is missing".to_owned())?;
        let size = |word| parse::<usize>(word, number, "a size");
        let (rows, columns, count) = if banner.coordinate {
            let [rows, columns, count] = words(number, line)?;
            (size(rows)?, size(columns)?, Some(size(count)?))
        } else {
            let [rows, columns] = words(number, line)?;
            (size(rows)?, size(columns)?, None)
        };
        if rows.max(columns) > i64::MAX as usize
            || (banner.symmetry != Symmetry::General && rows != columns)
        {
            return Err(format!("line {}: a matrix cannot have these sizes", number + 1).into());
        }
        let values = match banner.field {
            Field::Real => Values::Floats(Vec::new()),
            Field::Integer | Field::Pattern => Values::Ints(Vec::new()),
        };
        let mut matrix = Matrix { rows, columns, row: Vec::new(), column: Vec::new(), values };
        match count {
            Some(count) => matrix.coordinates(&banner, lines, count)?,
            None => matrix.array(&banner, lines)?,
        }
        Ok(matrix)
    }

    fn coordinates<'a>(
        &mut self,
        banner: &Banner,
        lines: impl Iterator<Item = (usize, &'a [u8])>,
        count: usize,
    ) -> Result<(), Problem> {
        let mut found = 0;
        for (number, line) in lines {
            found += 1;
            let (row, column, value) = if banner.field == Field::Pattern {
                let [row, column] = words(number, line)?;
                (row, column, b"1".as_slice())
            } else {
                let [row, column, value] = words(number, line)?;
                (row, column, value)
            };
            let position = |word, limit: usize, what: &str| {
                let position: usize = parse(word, number, what)?;
                if (1..=limit).contains(&position) {
                    return Ok(position - 1);
                }
                Err(unexpected(word, number, &format!("{what} from 1 to {limit}")))
            };
            let row = position(row, self.rows, "a row")?;
            let column = position(column, self.columns, "a column")?;
            self.add(banner, (row, column), (number, value))?;
        }
        if found != count {
            return Err(format!("{count} entries were announced, {found} are there").into());
        }
        Ok(())
    }

    /// A dense matrix, column by column; of a symmetric one the lower triangle, of a skew one
    /// without its diagonal.  Zeros are no entries.
    fn array<'a>(
        &mut self,
        banner: &Banner,
        mut lines: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Result<(), Problem> {
        for column in 0..self.columns {
            let first = match banner.symmetry {
                Symmetry::General => 0,
                Symmetry::Symmetric => column,
                Symmetry::Skew => column + 1,
            };
            for row in first..self.rows {
                let Some((number, line)) = lines.next() else {
                    return Err(format!(
                        "the value in row {} of column {} is missing",
                        row + 1,
                        column + 1
                    )
                    .into());
                };
                let [value] = words(number, line)?;
                self.add(banner, (row, column), (number, value))?;
            }
        }
        match lines.next() {
            None => Ok(()),
            Some((number, _)) => {
                Err(format!("line {}: there are more values than the sizes say", number + 1).into())
            }
        }
    }

    /// Adds an entry and, for symmetric matrices, its mirror image.
    fn add(
        &mut self,
        banner: &Banner,
        (row, column): (usize, usize),
        (number, value): (usize, &[u8]),
    ) -> Result<(), Problem> {
        let mirrored = banner.symmetry != Symmetry::General && row != column;
        let skew = banner.symmetry == Symmetry::Skew;
        match &mut self.values {
            Values::Ints(values) => {
                let value: i64 = parse(value, number, "an int")?;
                if !banner.coordinate && value == 0 {
                    return Ok(());
                }
                values.push(value);
                if mirrored {
                    values.push(if skew { value.wrapping_neg() } else { value });
                }
            }
            Values::Floats(values) => {
                let value: f64 = parse(value, number, "a number")?;
                if !banner.coordinate && value == 0.0 {
                    return Ok(());
                }
                values.push(value);
                if mirrored {
                    values.push(if skew { -value } else { value });
                }
            }
        }
        self.row.push(row as i64);
        self.column.push(column as i64);
        if mirrored {
            self.row.push(column as i64);
            self.column.push(row as i64);
        }
        Ok(())
    }

    /// The positions of the entries in row-major order; entries at one place keep their order.
    fn order(&self) -> Vec<usize> {
        let order: Vec<usize> = (0..self.row.len()).collect();
        let by_column = counting_sort(&order, &self.column, self.columns);
        counting_sort(&by_column, &self.row, self.rows)
    }

    fn sparse_rows(&self, value: Option<Ty>) -> Result<Columns, OutOfMemory> {
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
            Columns::Scalar(Column::of_ints(&columns)?),
            Columns::Scalar(self.values.column(&order, value)?),
        ]);
        Columns::sequence(Columns::Seq {
            offsets: Column::of_ints(&starts)?,
            elements: Box::new(pairs),
        })
    }

    fn dense_rows(&self, value: Option<Ty>) -> Result<Columns, OutOfMemory> {
        let size = self.rows.saturating_mul(self.columns);
        let ty = value.unwrap_or(Ty::F64);
        let mut bytes = Buffer::zeroed(size.saturating_mul(ty.size()))?;
        let places = self
            .row
            .iter()
            .zip(&self.column)
            .map(|(&row, &column)| row as usize * self.columns + column as usize);
        // Entries at one place add up, as Matrix Market says.
        match (&self.values, ty) {
            (Values::Ints(values), Ty::I64) => {
                let cells = bytes.typed_mut::<i64>(size);
                places.zip(values).for_each(|(p, v)| cells[p] = cells[p].wrapping_add(*v));
            }
            (Values::Ints(values), _) => {
                let cells = bytes.typed_mut::<f64>(size);
                places.zip(values).for_each(|(p, v)| cells[p] += *v as f64);
            }
            (Values::Floats(values), _) => {
                let cells = bytes.typed_mut::<f64>(size);
                places.zip(values).for_each(|(p, v)| cells[p] += *v);
            }
        }
        let starts: Vec<i64> = (0..=self.rows).map(|row| (row * self.columns) as i64).collect();
        Columns::sequence(Columns::Seq {
            offsets: Column::of_ints(&starts)?,
            elements: Box::new(Columns::Scalar(Column::new(ty, bytes, size))),
        })
    }

    fn list(&self, value: Option<Ty>) -> Result<Columns, OutOfMemory> {
        let mut parts = vec![
            Columns::Scalar(Column::of_ints(&self.row)?),
            Columns::Scalar(Column::of_ints(&self.column)?),
        ];
        if value.is_some() {
            let order: Vec<usize> = (0..self.row.len()).collect();
            parts.push(Columns::Scalar(self.values.column(&order, value)?));
        }
        Columns::sequence(Columns::Tuple(parts))
    }
}

impl Values {
    /// Whether values of this type can be had.
    fn check(&self, value: Option<Ty>) -> Result<(), Problem> {
        match (self, value) {
            (Values::Floats(_), Some(Ty::I64)) => {
                Err("the matrix has real values, but ints are needed".to_owned().into())
            }
            _ => Ok(()),
        }
    }

    /// The values of the entries in this order.
    fn column(&self, order: &[usize], value: Option<Ty>) -> Result<Column, OutOfMemory> {
        match (self, value) {
            (Values::Ints(values), Some(Ty::I64)) => {
                Column::of_ints(&order.iter().map(|&e| values[e]).collect::<Vec<i64>>())
            }
            (Values::Ints(values), _) => {
                Column::of_floats(&order.iter().map(|&e| values[e] as f64).collect::<Vec<f64>>())
            }
            (Values::Floats(values), _) => {
                Column::of_floats(&order.iter().map(|&e| values[e]).collect::<Vec<f64>>())
            }
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
