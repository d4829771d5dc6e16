//! The parts of an array, by the text that says its type.

use crate::error::Error;
use value::typed::Path;

/// The layout of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// Bits.
    Bool,
    /// Bools of one byte each; any other than 0 is true.
    ByteBool,
    /// Ints of one size.
    Int(Int),
    /// Floats of so many bytes.
    Float(usize),
    /// Bytes between offsets.
    Bytes(Offsets, Meaning),
    /// Bytes that are short or elsewhere.
    ByteViews(Meaning),
    /// So many bytes in each row.
    FixedBytes(usize),
    /// Lists between offsets.
    List(Offsets),
    /// Lists anywhere.
    ListView(Offsets),
    /// So many elements in each row.
    FixedList(usize),
    /// Columns side by side.
    Struct,
}

/// A kind of ints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Int {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

/// How wide offsets are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offsets {
    W32,
    W64,
}

/// The meaning of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// Text in UTF-8.
    Text,
    /// Any bytes.
    Binary,
}

impl Layout {
    /// The layout of a format; an error if no value of NESL is like it.
    pub(crate) fn of(format: &str, path: &Path) -> Result<Layout, Error> {
        use Layout::{ByteViews, Bytes, FixedBytes, FixedList, List, ListView};
        use Meaning::{Binary, Text};
        use Offsets::{W32, W64};
        let sized = |text: &str| {
            text.parse().map_err(|_| Error::at(path, format!("`{format}` is no Arrow type")))
        };
        Ok(match format {
            "b" => Layout::Bool,
            "c" => Layout::Int(Int::I8),
            "C" => Layout::Int(Int::U8),
            "s" => Layout::Int(Int::I16),
            "S" => Layout::Int(Int::U16),
            "i" => Layout::Int(Int::I32),
            "I" => Layout::Int(Int::U32),
            "l" => Layout::Int(Int::I64),
            "L" => Layout::Int(Int::U64),
            "e" => Layout::Float(2),
            "f" => Layout::Float(4),
            "g" => Layout::Float(8),
            "u" => Bytes(W32, Text),
            "U" => Bytes(W64, Text),
            "z" => Bytes(W32, Binary),
            "Z" => Bytes(W64, Binary),
            "vu" => ByteViews(Text),
            "vz" => ByteViews(Binary),
            "+l" => List(W32),
            "+L" => List(W64),
            "+vl" => ListView(W32),
            "+vL" => ListView(W64),
            "+s" => Layout::Struct,
            _ => match format.split_once(':') {
                Some(("w", size)) => FixedBytes(sized(size)?),
                Some(("+w", size)) => FixedList(sized(size)?),
                _ => {
                    let kind = foreign(format);
                    return Err(Error::at(path, format!("NESL has no type for Arrow's {kind}")));
                }
            },
        })
    }

    /// How many buffers an array of it has, at least.
    pub(crate) fn buffers(self) -> i64 {
        match self {
            Layout::FixedList(_) | Layout::Struct => 1,
            Layout::Bool | Layout::ByteBool | Layout::Int(_) | Layout::Float(_) => 2,
            Layout::FixedBytes(_) | Layout::List(_) => 2,
            Layout::Bytes(..) | Layout::ByteViews(_) | Layout::ListView(_) => 3,
        }
    }
}

/// The name of a type that is not taken.
fn foreign(format: &str) -> String {
    let name = match format.split(':').next().unwrap_or_default() {
        "n" => "null",
        "d" => "decimal",
        "tdD" | "tdm" => "date",
        "tts" | "ttm" | "ttu" | "ttn" => "time",
        "tss" | "tsm" | "tsu" | "tsn" => "timestamp",
        "tDs" | "tDm" | "tDu" | "tDn" => "duration",
        "tiM" | "tiD" | "tin" => "interval",
        "+m" => "map",
        "+ud" | "+us" => "union",
        "+r" => "run-end encoding",
        _ => return format!("`{format}`"),
    };
    name.to_owned()
}
