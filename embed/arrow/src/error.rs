//! Why an array is no value.

use std::fmt;
use value::OutOfMemory;
use value::typed::Path;

/// Why an array cannot be taken, or a value not be given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Which part of the value is wrong: `[i].2` is the second part of the elements of a row.
    pub path: String,
    /// In which row, if it is wrong there.
    pub row: Option<usize>,
    /// The reason.
    pub reason: String,
    /// True if there was too little memory; the array may be right.
    pub memory: bool,
    /// True if the array may be right, and is more than is taken yet.
    pub limit: bool,
}

/// `[i].2 in row 7: it is null`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match self.row {
            Some(row) if self.path.is_empty() => write!(f, "row {row}: ")?,
            Some(row) => write!(f, " in row {row}: ")?,
            None if self.path.is_empty() => {}
            None => f.write_str(": ")?,
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Error {
        Error {
            path: String::new(),
            row: None,
            reason: error.to_string(),
            memory: true,
            limit: false,
        }
    }
}

impl Error {
    /// An error of a part as a whole.
    pub(crate) fn at(path: &Path, reason: impl Into<String>) -> Error {
        Error {
            path: path.to_string(),
            row: None,
            reason: reason.into(),
            memory: false,
            limit: false,
        }
    }
    /// An error of an array that may be right, which says where its memory is.
    pub(crate) fn limit(place: &str) -> Error {
        let reason = format!("{place}, which is not taken yet: copy it to memory of the cores");
        Error { limit: true, ..Error::at(&Path::default(), reason) }
    }
    /// An error of one of the lanes that are taken of a part.
    pub(crate) fn lane(path: &Path, lane: usize, reason: impl Into<String>) -> Error {
        Error { row: Some(lane), ..Error::at(path, reason) }
    }
    /// The same seen from outside of a sequence: its lane is that in which the element lies.
    pub(crate) fn of_element(self, outer: impl FnOnce(usize) -> usize) -> Error {
        Error { row: self.row.map(outer), ..self }
    }
}
