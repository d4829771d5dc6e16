//! Values in memory that say what type they are, as a caller gives them who has no file and no
//! text.
//!
//! Whoever takes them trusts the columns: compiled code looks nothing up before it uses an offset.
//! So a value is *checked* when it is made: the columns are those of its type, offsets begin at 0,
//! never fall and end inside their elements.  That is one look at each offset and each bool; ints,
//! floats and chars are not looked at.

use crate::buffer::{Buffer, OutOfMemory};
use crate::columns::{Column, Columns};
use crate::failure::too_long;
use prim::{Ty, Widths};
use std::fmt;
use types::Type;

/// Values of one type, one for each lane.
#[derive(Clone, Debug)]
pub struct Typed {
    ty: Type,
    columns: Columns,
}

/// Why columns are no values of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Which part of the value is wrong: `[i][j].1` is the first part of a tuple, two levels down.
    pub path: String,
    /// The reason, as it stands behind the path.
    pub reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl std::error::Error for Misfit {}

impl Typed {
    /// The value in the only lane of some columns.  Its type consists of base types, sequences and
    /// tuples.
    pub fn value(ty: Type, columns: Columns) -> Result<Typed, Misfit> {
        match columns.lanes() {
            1 => Typed::rows(ty, columns),
            lanes => Err(Misfit {
                path: String::new(),
                reason: format!("a value has one lane, and these columns have {lanes}"),
            }),
        }
    }

    /// Values of one type, one in each lane.
    pub fn rows(ty: Type, columns: Columns) -> Result<Typed, Misfit> {
        check(&ty, &columns, columns.lanes(), &Path::default())?;
        Ok(Typed { ty, columns })
    }

    /// The same without a look at the columns.
    ///
    /// # Safety
    ///
    /// [`Typed::rows`] would give a value.
    #[expect(unsafe_code, reason = "whoever has looked at the columns need not do so again")]
    pub unsafe fn rows_unchecked(ty: Type, columns: Columns) -> Typed {
        debug_assert_eq!(check(&ty, &columns, columns.lanes(), &Path::default()), Ok(()));
        Typed { ty, columns }
    }

    /// A value of a type: zeros and empty sequences.
    ///
    /// # Panics
    ///
    /// If the type has variables, functions or datatypes.
    pub fn sample(ty: &Type, widths: Widths) -> Result<Typed, OutOfMemory> {
        Ok(Typed { ty: ty.clone(), columns: zeros(ty, widths, 1)? })
    }

    /// The type of the value in each lane.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The sequence of all lanes as one value.
    pub fn sequence(&self) -> Result<Typed, OutOfMemory> {
        let columns = Columns::sequence(self.columns.clone())?;
        Ok(Typed { ty: Type::Seq(self.ty.clone().into()), columns })
    }
}

/// Zeros and empty sequences of a type in so many lanes.
///
/// # Panics
///
/// If the type has variables, functions or datatypes.
pub fn zeros(ty: &Type, widths: Widths, lanes: usize) -> Result<Columns, OutOfMemory> {
    let scalars = |ty: Ty, len: usize| {
        let bytes = Buffer::zeroed(len * widths.size(ty))?;
        Ok(Column::new(ty, widths, bytes, len))
    };
    Ok(match ty {
        Type::Base(ty) => Columns::Scalar(scalars(*ty, lanes)?),
        Type::Seq(element) => Columns::Seq {
            offsets: scalars(Ty::I64, lanes + 1)?,
            elements: Box::new(zeros(element, widths, 0)?),
        },
        Type::Pair(..) => {
            let parts = parts(ty).into_iter().map(|part| zeros(part, widths, lanes));
            Columns::Tuple(parts.collect::<Result<_, _>>()?)
        }
        Type::Var(_) | Type::Fun(..) | Type::Data(..) => panic!("no sample of {ty:?}"),
    })
}

/// The way to a part of a value.
#[derive(Clone, Default)]
pub struct Path {
    text: String,
    depth: usize,
}

impl Path {
    /// The way on to the elements of a sequence.
    #[must_use]
    pub fn element(&self) -> Path {
        const INDICES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];
        let index = INDICES.get(self.depth).copied().unwrap_or("..");
        Path { text: format!("{}[{index}]", self.text), depth: self.depth + 1 }
    }
    /// The way on to a part of a tuple, counted from 1.
    #[must_use]
    pub fn part(&self, number: usize) -> Path {
        Path { text: format!("{}.{number}", self.text), depth: self.depth }
    }
    /// A reason why the part at its end is wrong.
    pub fn misfit(&self, reason: impl Into<String>) -> Misfit {
        Misfit { path: self.text.clone(), reason: reason.into() }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks that columns are at least so many values of a type.
fn check(ty: &Type, columns: &Columns, lanes: usize, path: &Path) -> Result<(), Misfit> {
    match (ty, columns) {
        (Type::Base(base), Columns::Scalar(column)) => scalars(*base, column, lanes, path),
        (Type::Seq(element), Columns::Seq { offsets, elements }) => {
            if elements.widths() != offsets.widths {
                return Err(path.misfit("offsets and elements differ in the width of numbers"));
            }
            let within = sequences(offsets, elements.lanes(), lanes, path)?;
            check(element, elements, within, &path.element())
        }
        (Type::Pair(..), Columns::Tuple(columns)) => {
            let types = parts(ty);
            if types.len() != columns.len() {
                let (types, columns) = (types.len(), columns.len());
                return Err(path.misfit(format!("{columns} columns for a tuple of {types} parts")));
            }
            let widths = columns[0].widths();
            for (n, (ty, column)) in types.into_iter().zip(columns).enumerate() {
                let path = path.part(n + 1);
                if column.widths() != widths {
                    return Err(path.misfit("parts of a tuple differ in the width of numbers"));
                }
                check(ty, column, lanes, &path)?;
            }
            Ok(())
        }
        (Type::Base(_) | Type::Seq(_) | Type::Pair(..), _) => {
            Err(path.misfit("the columns are those of another type"))
        }
        (Type::Fun(..) | Type::Data(..) | Type::Var(_), _) => {
            Err(path.misfit("values in memory have base types, sequences and tuples alone"))
        }
    }
}

fn scalars(ty: Ty, column: &Column, lanes: usize, path: &Path) -> Result<(), Misfit> {
    if column.ty != ty {
        return Err(path.misfit("the column is of another type"));
    }
    long_enough(column, lanes, path)?;
    let no_bool = || column.bytes()[..lanes].iter().position(|&byte| byte > 1);
    match (ty == Ty::Bool).then(no_bool).flatten() {
        Some(place) => Err(path.misfit(format!("byte {place} is neither 0 nor 1, and so no bool"))),
        None => Ok(()),
    }
}

fn long_enough(column: &Column, lanes: usize, path: &Path) -> Result<(), Misfit> {
    if column.len < lanes {
        let len = column.len;
        return Err(path.misfit(format!("{lanes} values are needed, and the column has {len}")));
    }
    if i64::try_from(column.len).is_ok_and(|len| len <= column.widths.max_length()) {
        Ok(())
    } else {
        Err(path.misfit(too_long(column.widths).1))
    }
}

/// Checks offsets of so many lanes; gives how many elements they reach.
fn sequences(
    offsets: &Column,
    elements: usize,
    lanes: usize,
    path: &Path,
) -> Result<usize, Misfit> {
    if offsets.ty != Ty::I64 {
        return Err(path.misfit("offsets are ints"));
    }
    long_enough(offsets, lanes + 1, path)?;
    let list = &offsets.ints()[..=lanes];
    if list[0] != 0 {
        return Err(path.misfit(format!("the first offset is {}, and not 0", list[0])));
    }
    // All are looked at without a branch, and again if one of them is wrong.
    if list.windows(2).fold(false, |wrong, pair| wrong | (pair[1] < pair[0])) {
        let row = list.windows(2).position(|pair| pair[1] < pair[0]).unwrap_or(0);
        let (from, to) = (list[row], list[row + 1]);
        return Err(path.misfit(format!("offsets fall from {from} to {to} at row {row}")));
    }
    let end = usize::try_from(list[lanes]).unwrap_or(usize::MAX);
    if end > elements {
        let row = list.partition_point(|&at| usize::try_from(at).is_ok_and(|at| at <= elements));
        let (row, at) = (row.saturating_sub(1), list[row]);
        let reason = format!("row {row} ends at {at}, and there are {elements} elements");
        return Err(path.misfit(reason));
    }
    Ok(end)
}

/// The parts of a tuple's type, the last of which is no tuple.
pub fn parts(ty: &Type) -> Vec<&Type> {
    let (mut parts, mut rest) = (Vec::new(), ty);
    while let Type::Pair(first, more) = rest {
        parts.push(&**first);
        rest = more;
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::Widths;

    fn ints(values: &[i64]) -> Column {
        Column::of_ints(Widths::WIDE, values).unwrap()
    }
    fn seq(offsets: &[i64], elements: Columns) -> Columns {
        Columns::Seq { offsets: ints(offsets), elements: Box::new(elements) }
    }
    fn list(ty: Type) -> Type {
        Type::Seq(ty.into())
    }
    const INT: Type = Type::Base(Ty::I64);
    const BOOL: Type = Type::Base(Ty::Bool);

    #[track_caller]
    fn wrong(ty: Type, columns: Columns, message: &str) {
        assert_eq!(Typed::rows(ty, columns).unwrap_err().to_string(), message);
    }

    #[test]
    fn columns_of_their_type() {
        let pair = Type::Pair(INT.into(), BOOL.into());
        let bools = Column::of_bytes(Ty::Bool, Widths::WIDE, &[0, 1]).unwrap();
        let columns = vec![Columns::Scalar(ints(&[1, 2])), Columns::Scalar(bools)];
        let rows = seq(&[0, 0, 2], Columns::Tuple(columns));
        let rows = Typed::rows(list(pair), rows).unwrap();
        assert_eq!(rows.columns().lanes(), 2);
        assert_eq!(rows.sequence().unwrap().columns().lanes(), 1);
        assert!(Typed::value(INT, Columns::Scalar(ints(&[7]))).is_ok());
    }

    #[test]
    fn offsets_are_checked() {
        let of = |offsets: &[i64]| seq(offsets, Columns::Scalar(ints(&[1, 2, 3])));
        wrong(list(INT), of(&[1, 3]), ": the first offset is 1, and not 0");
        wrong(list(INT), of(&[0, 2, 1, 3]), ": offsets fall from 2 to 1 at row 1");
        wrong(list(INT), of(&[0, 2, 4, 5]), ": row 1 ends at 4, and there are 3 elements");
        let deep = seq(&[0, 2], of(&[0, 2]));
        wrong(list(list(INT)), deep, ": row 0 ends at 2, and there are 1 elements");
        let deep = seq(&[0, 2], of(&[0, 3, 2]));
        wrong(list(list(INT)), deep, "[i]: offsets fall from 3 to 2 at row 1");
        let none = Columns::Seq { offsets: ints(&[]), elements: Box::new(of(&[0])) };
        wrong(list(list(INT)), none, ": 1 values are needed, and the column has 0");
    }

    #[test]
    fn columns_of_another_type() {
        let scalar = || Columns::Scalar(ints(&[1, 2]));
        wrong(list(INT), scalar(), ": the columns are those of another type");
        wrong(list(BOOL), seq(&[0, 2], scalar()), "[i]: the column is of another type");
        let short = Columns::Tuple(vec![scalar(), Columns::Scalar(ints(&[1]))]);
        let pair = Type::Pair(INT.into(), INT.into());
        wrong(pair, short, ".2: 2 values are needed, and the column has 1");
        let bools = Column::of_bytes(Ty::Bool, Widths::WIDE, &[1, 2]).unwrap();
        wrong(BOOL, Columns::Scalar(bools), ": byte 1 is neither 0 nor 1, and so no bool");
        wrong(
            Type::Fun(INT.into(), INT.into()),
            scalar(),
            ": values in memory have base types, sequences and tuples alone",
        );
        let two = Typed::value(INT, scalar()).unwrap_err();
        assert_eq!(two.reason, "a value has one lane, and these columns have 2");
    }
}
