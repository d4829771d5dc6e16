//! The text of a Matrix Market file: a banner, comments, a line of sizes, and a line for each
//! entry.

use super::Target;
use crate::input::Problem;
use crate::input::text::{int, parse, unexpected, unmarked};
use crate::memory::Budget;
use prim::{Const, Ty, Widths};

/// The entries of a matrix in the order of the file.
pub(super) struct Matrix {
    pub(super) widths: Widths,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) row: Vec<i64>,
    pub(super) column: Vec<i64>,
    pub(super) values: Values,
}

/// Values of entries.
pub(super) enum Values {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    /// Only positions are needed.
    None,
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
        let lower = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = lower.split_ascii_whitespace().collect();
        let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
            let wanted = "a banner `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`";
            return Err(unexpected(line.trim_ascii(), 0, wanted));
        };
        let shown = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        let unknown = |word: &str| format!("line 1: `{word}` matrices cannot be read: `{shown}`");
        let coordinate = match format {
            "coordinate" => true,
            "array" => false,
            _ => return Err(unknown(format).into()),
        };
        let field = match field {
            "real" | "double" => Field::Real,
            "integer" | "unsigned-integer" => Field::Integer,
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
    /// Reads a file.
    pub(super) fn parse(
        text: &[u8],
        target: &Target,
        widths: Widths,
        budget: &Budget,
    ) -> Result<Matrix, Problem> {
        let text = unmarked(text);
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
        if banner.symmetry != Symmetry::General && rows != columns {
            return Err(format!("line {}: a symmetric matrix is square", number + 1).into());
        }
        target.room(rows, columns, widths, budget)?;
        let values = match target.value {
            Some(Ty::I64) => Values::Ints(Vec::new()),
            Some(_) => Values::Floats(Vec::new()),
            None => Values::None,
        };
        let mut matrix =
            Matrix { widths, rows, columns, row: Vec::new(), column: Vec::new(), values };
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
            let widths = self.widths;
            let position = |word, limit: usize, what: &str| {
                let position: usize = parse(word, number, what)?;
                if !(1..=limit).contains(&position) {
                    return Err(unexpected(word, number, &format!("{what} from 1 to {limit}")));
                }
                let place = i64::try_from(position - 1).ok();
                place.filter(|&place| widths.holds(Const::I64(place))).ok_or_else(|| {
                    unexpected(
                        word,
                        number,
                        &format!("{what} that an int of {} bits holds", widths.int),
                    )
                })
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
        // Of no rows there may be any number of columns.
        let columns = if self.rows == 0 { 0 } else { self.columns };
        for column in 0..columns {
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
                self.add(banner, (row as i64, column as i64), (number, value))?;
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
        (row, column): (i64, i64),
        (number, value): (usize, &[u8]),
    ) -> Result<(), Problem> {
        let mirrored = banner.symmetry != Symmetry::General && row != column;
        let skew = banner.symmetry == Symmetry::Skew;
        match &mut self.values {
            Values::Ints(values) => {
                let value = int(value, number, self.widths)?;
                if !banner.coordinate && value == 0 {
                    return Ok(());
                }
                values.push(value);
                if mirrored {
                    values.push(if skew { opposite(value, number, self.widths)? } else { value });
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
            Values::None => {
                let value: f64 = parse(value, number, "a number")?;
                if !banner.coordinate && value == 0.0 {
                    return Ok(());
                }
            }
        }
        self.row.push(row);
        self.column.push(column);
        if mirrored {
            self.row.push(column);
            self.column.push(row);
        }
        Ok(())
    }
}

/// An int with the other sign, which the least one has not.
fn opposite(value: i64, line: usize, widths: Widths) -> Result<i64, Problem> {
    let opposite = value.checked_neg().filter(|&value| widths.holds(Const::I64(value)));
    opposite.ok_or_else(|| {
        let line = line + 1;
        format!("line {line}: the mirror image of `{value}` is beyond the largest int").into()
    })
}
