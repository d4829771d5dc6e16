//! The header of a `.npy` file: a magic number, a length, and a Python dictionary such as
//! `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
//!
//! The dictionary is read here, byte by byte: it is a handful of tokens, it may be malformed in
//! every way, and messages should say where.

use crate::input::Problem;
use prim::{Ty, Widths};
use std::fmt;
use std::io::Read;

/// What an array is.
#[derive(Debug)]
pub(super) struct Header {
    /// Its element type.
    pub(super) dtype: Dtype,
    /// First index fastest.
    pub(super) fortran: bool,
    /// Length of each axis.
    pub(super) dims: Vec<usize>,
    /// Bytes before the data.
    pub(super) length: usize,
}

/// An element type of NumPy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dtype {
    pub(super) kind: DtypeKind,
    /// Bytes of an element.
    pub(super) size: usize,
    /// Most significant byte first.
    pub(super) big_endian: bool,
}

/// Kinds of element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DtypeKind {
    Bool,
    Int,
    Uint,
    Float,
    Bytes,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Longer headers than NumPy writes; guards against reading a damaged file into memory.
const LONGEST: usize = 1 << 20;

impl Header {
    /// Reads it from the start of a file.
    pub(super) fn read(file: &mut impl Read) -> Result<Header, Problem> {
        let mut start = Vec::new();
        file.take(8).read_to_end(&mut start)?;
        if start.is_empty() || !MAGIC.starts_with(&start[..start.len().min(6)]) {
            return Err("byte 0: this is no .npy file (it does not begin with \\x93NUMPY)"
                .to_owned()
                .into());
        }
        if start.len() < 8 {
            return Err(truncated("inside its header"));
        }
        let (length, before) = match start[6] {
            1 => (usize::from(u16::from_le_bytes(bytes(file)?)), 10),
            2 | 3 => (u32::from_le_bytes(bytes(file)?) as usize, 12),
            version => {
                return Err(format!("byte 6: unknown version {version} of .npy").into());
            }
        };
        if length > LONGEST {
            return Err(format!("byte 8: a header of {length} bytes is too long").into());
        }
        let mut text = vec![0; length];
        file.read_exact(&mut text).map_err(|_| truncated("inside its header"))?;
        let mut reader = Reader { text: &text, at: 0, before };
        let (dtype, fortran, dims) = reader.dictionary()?;
        Ok(Header { dtype, fortran, dims, length: before + length })
    }

    /// Distance between neighbours along each axis, in elements.
    pub(super) fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.dims.len()];
        let mut step = 1_usize;
        let axes: Vec<usize> = if self.fortran {
            (0..self.dims.len()).collect()
        } else {
            (0..self.dims.len()).rev().collect()
        };
        for axis in axes {
            strides[axis] = step;
            step = step.saturating_mul(self.dims[axis]);
        }
        strides
    }
}

/// The message about a file that ends too early.
pub(super) fn truncated(place: &str) -> Problem {
    format!("the file is truncated: it ends {place}").into()
}

fn bytes<const N: usize>(file: &mut impl Read) -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).map_err(|_| truncated("inside its header"))?;
    Ok(bytes)
}

/// As in messages: `a 2-d array of float64 with shape (3, 4)`.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}-d array of {} with shape (", self.dims.len(), self.dtype)?;
        for (i, dim) in self.dims.iter().enumerate() {
            write!(f, "{}{dim}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.dims.len() == 1 { ",)" } else { ")" })
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.size * 8;
        match self.kind {
            DtypeKind::Bool => f.write_str("bool"),
            DtypeKind::Int => write!(f, "int{bits}"),
            DtypeKind::Uint => write!(f, "uint{bits}"),
            DtypeKind::Float => write!(f, "float{bits}"),
            DtypeKind::Bytes => write!(f, "S{}", self.size),
        }
    }
}

impl Dtype {
    /// The type of a descriptor such as `<f8`.
    fn parse(text: &str) -> Option<Dtype> {
        let (order, rest) = text.split_at_checked(1)?;
        let (kind, size) = rest.split_at_checked(1)?;
        let size: usize = size.parse().ok()?;
        let kind = match (kind, size) {
            ("b", 1) => DtypeKind::Bool,
            ("i", 1 | 2 | 4 | 8) => DtypeKind::Int,
            ("u", 1 | 2 | 4 | 8) => DtypeKind::Uint,
            ("f", 2 | 4 | 8) => DtypeKind::Float,
            ("S" | "a", 1) => DtypeKind::Bytes,
            _ => return None,
        };
        let big_endian = match order {
            "<" => false,
            ">" => true,
            "|" | "=" => cfg!(target_endian = "big"),
            _ => return None,
        };
        Some(Dtype { kind, size, big_endian })
    }

    /// Whether elements of this type can become scalars of type `ty`.
    pub(super) fn holds(self, ty: Ty, widths: Widths) -> bool {
        match ty {
            Ty::I64 => {
                let int = matches!(self.kind, DtypeKind::Int | DtypeKind::Uint);
                // Of floats each is looked at.
                self.kind == DtypeKind::Float || (int && self.size <= widths.int.bytes())
            }
            Ty::F64 => self.kind == DtypeKind::Float && self.size <= widths.float.bytes(),
            Ty::Bool => self.kind == DtypeKind::Bool,
            Ty::Char => {
                self.kind == DtypeKind::Bytes || (self.kind == DtypeKind::Uint && self.size == 1)
            }
        }
    }
}

/// A cursor over the dictionary.
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Bytes of the file before the text.
    before: usize,
}

impl Reader<'_> {
    fn dictionary(&mut self) -> Result<(Dtype, bool, Vec<usize>), Problem> {
        let (mut dtype, mut fortran, mut dims) = (None, None, None);
        self.expect(b'{')?;
        while !self.accept(b'}') {
            let key = self.string()?;
            self.expect(b':')?;
            match key.as_str() {
                "descr" => dtype = Some(self.dtype()?),
                "fortran_order" => fortran = Some(self.truth()?),
                "shape" => dims = Some(self.dims()?),
                _ => return Err(self.error(&format!("unknown key '{key}'"))),
            }
            if !self.accept(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        match (dtype, fortran, dims) {
            (Some(dtype), Some(fortran), Some(dims)) => Ok((dtype, fortran, dims)),
            _ => Err(self.error("the header must tell 'descr', 'fortran_order' and 'shape'")),
        }
    }

    fn dtype(&mut self) -> Result<Dtype, Problem> {
        if self.peek() == Some(b'[') {
            return Err(self.error("structured arrays cannot be read"));
        }
        let text = self.string()?;
        Dtype::parse(&text)
            .ok_or_else(|| self.error(&format!("arrays of element type '{text}' cannot be read")))
    }

    fn truth(&mut self) -> Result<bool, Problem> {
        self.skip_space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("True or False was expected"))
    }

    fn dims(&mut self) -> Result<Vec<usize>, Problem> {
        let mut dims = Vec::new();
        self.expect(b'(')?;
        while !self.accept(b')') {
            dims.push(self.number()?);
            // Python 2 wrote long numbers with an L.
            self.accept(b'L');
            if !self.accept(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(dims)
    }

    fn number(&mut self) -> Result<usize, Problem> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        let number = std::str::from_utf8(&rest[..end]).ok().and_then(|t| t.parse().ok());
        let number = number.ok_or_else(|| self.error("the length of an axis was expected"))?;
        self.at += end;
        Ok(number)
    }

    fn string(&mut self) -> Result<String, Problem> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.error("a quoted text was expected")),
        };
        let rest = &self.text[self.at + 1..];
        let Some(end) = rest.iter().position(|&b| b == quote) else {
            return Err(self.error("a quotation mark is not closed"));
        };
        self.at += end + 2;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, mark: u8) -> bool {
        let there = self.peek() == Some(mark);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, mark: u8) -> Result<(), Problem> {
        if self.accept(mark) {
            return Ok(());
        }
        Err(self.error(&format!("`{}` was expected", mark as char)))
    }

    fn error(&self, message: &str) -> Problem {
        format!("byte {}: {message}", self.before + self.at).into()
    }
}
