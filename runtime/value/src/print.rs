//! Values as text: LANGUAGE section 13.
//!
//! One printer serves both forms of value.  It walks along the shape and asks a [`Cursor`] for
//! what is there, so that of a long sequence only the elements that are shown are looked at.
//! Text is bytes: characters outside ASCII are printed as they are.

use crate::columns::Columns;
use crate::convert::bounds;
use crate::shape::Shape;
use crate::value::Value;
use prim::{Const, Ty, Width, Widths};

/// How values are spelt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Longest sequence that is shown in full; `usize::MAX` cuts nothing.
    pub print_length: usize,
    /// Write what cannot be read back as a literal by its library name: `infinity`, `min_int`.
    pub source: bool,
    /// How wide ints and floats are; columns know better.
    pub widths: Widths,
}

impl Style {
    /// As shown: sequences cut after `print_length` elements.
    pub const fn shown(print_length: usize) -> Style {
        Style { print_length, source: false, widths: Widths::WIDE }
    }
    /// As `@` gives it: never cut.
    pub const FULL: Style = Style::shown(usize::MAX);
    /// As NESL reads it.
    pub const SOURCE: Style = Style { source: true, ..Style::FULL };
    /// The same for values of a program of these widths.
    #[must_use]
    pub const fn of_widths(self, widths: Widths) -> Style {
        Style { widths, ..self }
    }
}

impl Value {
    /// The text of a value of this shape.
    pub fn show(&self, shape: &Shape, style: Style) -> Vec<u8> {
        let mut printer = Printer { style, text: Vec::new() };
        printer.value(shape, Nested::Whole(self));
        printer.text
    }

    /// `@`: the text, uncut, but of a string or character that string or character itself.
    pub fn text(&self, shape: &Shape, widths: Widths) -> Vec<u8> {
        match self {
            Value::Char(c) => vec![*c],
            Value::Seq(seq) if shape.is_string() => seq.as_chars().to_vec(),
            other => other.show(shape, Style::FULL.of_widths(widths)),
        }
    }
}

impl Columns {
    /// The text of the value in a lane.
    pub fn show(&self, shape: &Shape, lane: usize, style: Style) -> Vec<u8> {
        let style = style.of_widths(self.widths());
        let mut printer = Printer { style, text: Vec::new() };
        printer.value(shape, Lane { columns: self, lane });
        printer.text
    }

    /// `@` of the value in a lane.
    pub fn text(&self, shape: &Shape, lane: usize) -> Vec<u8> {
        match (self, shape) {
            (Columns::Scalar(column), Shape::Scalar(Ty::Char)) => vec![column.bytes()[lane]],
            (Columns::Seq { offsets, elements }, string) if string.is_string() => {
                let (start, end) = bounds(offsets, lane);
                match &**elements {
                    Columns::Scalar(column) => column.bytes()[start..end].to_vec(),
                    other => unreachable!("{other:?} is no text"),
                }
            }
            _ => self.show(shape, lane, Style::FULL),
        }
    }
}

/// The shortest text that reads back as this float (LANGUAGE 13).
pub fn float_text(x: f64, width: Width) -> String {
    match width {
        Width::W32 => {
            let x = x as f32;
            let fixed = (1e-5..1e16).contains(&x.abs());
            finite_text(x.into(), fixed, || x.to_string(), || format!("{x:e}"))
        }
        Width::W64 => {
            let fixed = (1e-5..1e16).contains(&x.abs());
            finite_text(x, fixed, || x.to_string(), || format!("{x:e}"))
        }
    }
}

/// The text of a float, given its digits in fixed and in scientific notation.
fn finite_text(
    x: f64,
    fixed: bool,
    plain: impl Fn() -> String,
    scientific: impl Fn() -> String,
) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if x == 0.0 || fixed {
        let text = plain();
        return if text.contains('.') { text } else { text + ".0" };
    }
    let text = scientific();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{mantissa}{point}e{sign}{exponent}")
}

/// A place in a value.  Which question may be asked is decided by the shape there.
trait Cursor: Copy {
    /// The scalar.
    fn scalar(self) -> Const;
    /// Part `index` of a tuple of `count` parts.
    fn part(self, index: usize, count: usize) -> Self;
    /// The fields of a datatype.
    fn fields(self) -> Self;
    /// The length of a sequence.
    fn len(self) -> usize;
    /// An element of a sequence.
    fn element(self, index: usize) -> Self;
    /// The characters of a string, all at once: strings are never cut, and may be long.
    fn characters(self, see: impl FnMut(&[u8]));
}

/// A place in a nested value; scalars in sequences have no [`Value`] of their own.
#[derive(Clone, Copy)]
enum Nested<'a> {
    Whole(&'a Value),
    Item(Const),
}

impl<'a> Nested<'a> {
    fn whole(self) -> &'a Value {
        match self {
            Nested::Whole(value) => value,
            Nested::Item(scalar) => unreachable!("{scalar} has no parts"),
        }
    }
}

impl Cursor for Nested<'_> {
    fn scalar(self) -> Const {
        match self {
            Nested::Item(scalar) => scalar,
            Nested::Whole(value) => {
                value.scalar().unwrap_or_else(|| unreachable!("{value:?} is no scalar"))
            }
        }
    }
    fn part(self, index: usize, count: usize) -> Self {
        let mut rest = self.whole();
        for _ in 0..index {
            rest = rest.parts().1;
        }
        Nested::Whole(if index + 1 < count { rest.parts().0 } else { rest })
    }
    fn fields(self) -> Self {
        Nested::Whole(self.whole().fields())
    }
    fn len(self) -> usize {
        self.whole().seq().len()
    }
    fn element(self, index: usize) -> Self {
        use crate::value::Seq;
        match self.whole().seq() {
            Seq::Values(items) => Nested::Whole(&items[index]),
            Seq::Ints(items) => Nested::Item(Const::I64(items[index])),
            Seq::Floats(items) => Nested::Item(Const::F64(items[index])),
            Seq::Bools(items) => Nested::Item(Const::Bool(items[index])),
            Seq::Chars(items) => Nested::Item(Const::Char(items[index])),
        }
    }
    fn characters(self, mut see: impl FnMut(&[u8])) {
        use crate::value::Seq;
        match self.whole().seq() {
            Seq::Chars(items) => see(items),
            Seq::Values(_) | Seq::Ints(_) | Seq::Floats(_) | Seq::Bools(_) => {
                (0..self.len()).for_each(|i| see(&[self.element(i).scalar().char()]));
            }
        }
    }
}

/// A lane of columns.
#[derive(Clone, Copy)]
struct Lane<'a> {
    columns: &'a Columns,
    lane: usize,
}

impl Cursor for Lane<'_> {
    fn scalar(self) -> Const {
        match self.columns {
            Columns::Scalar(column) => column.get(self.lane),
            other => unreachable!("{other:?} is no scalar"),
        }
    }
    fn part(self, index: usize, _count: usize) -> Self {
        match self.columns {
            Columns::Tuple(parts) => Lane { columns: &parts[index], lane: self.lane },
            other => unreachable!("{other:?} is no tuple"),
        }
    }
    fn fields(self) -> Self {
        self
    }
    fn len(self) -> usize {
        match self.columns {
            Columns::Seq { offsets, .. } => {
                let (start, end) = bounds(offsets, self.lane);
                end - start
            }
            other => unreachable!("{other:?} is no sequence"),
        }
    }
    fn element(self, index: usize) -> Self {
        match self.columns {
            Columns::Seq { offsets, elements } => {
                Lane { columns: elements, lane: bounds(offsets, self.lane).0 + index }
            }
            other => unreachable!("{other:?} is no sequence"),
        }
    }
    fn characters(self, mut see: impl FnMut(&[u8])) {
        match self.columns {
            Columns::Seq { offsets, elements } => {
                let (start, end) = bounds(offsets, self.lane);
                match &**elements {
                    Columns::Scalar(column) => see(&column.bytes()[start..end]),
                    other => unreachable!("{other:?} is no column of characters"),
                }
            }
            other => unreachable!("{other:?} is no sequence"),
        }
    }
}

struct Printer {
    style: Style,
    text: Vec<u8>,
}

impl Printer {
    fn value<C: Cursor>(&mut self, shape: &Shape, at: C) {
        match shape {
            Shape::Scalar(_) => self.scalar(at.scalar()),
            Shape::Seq(element) if **element == Shape::Scalar(Ty::Char) => self.string(at),
            Shape::Seq(element) => self.sequence(element, at),
            Shape::Tuple(parts) => self.tuple(parts, at),
            Shape::Data { name, fields } => {
                self.put(name);
                match &**fields {
                    Shape::Tuple(parts) => self.tuple(parts, at.fields()),
                    one => {
                        self.put("(");
                        self.value(one, at.fields());
                        self.put(")");
                    }
                }
            }
            Shape::Function => self.put("fn"),
        }
    }

    fn put(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn scalar(&mut self, scalar: Const) {
        match scalar {
            Const::I64(v) if self.style.source && v == self.style.widths.min_int() => {
                self.put("min_int");
            }
            Const::I64(v) => self.put(&v.to_string()),
            Const::F64(v) if self.style.source && v.is_infinite() => {
                self.put(if v > 0.0 { "infinity" } else { "-infinity" });
            }
            Const::F64(v) => self.put(&float_text(v, self.style.widths.float)),
            Const::Bool(v) => self.put(if v { "T" } else { "F" }),
            // After a backquote a quotation mark needs no backslash.
            Const::Char(b'"') => self.put("`\""),
            Const::Char(v) => {
                self.put("`");
                self.character(v);
            }
        }
    }

    fn character(&mut self, c: u8) {
        match c {
            b'\n' => self.put("\\n"),
            b'\t' => self.put("\\t"),
            b'\r' => self.put("\\r"),
            0 => self.put("\\0"),
            b'\\' => self.put("\\\\"),
            b'"' => self.put("\\\""),
            _ => self.text.push(c),
        }
    }

    fn string<C: Cursor>(&mut self, at: C) {
        self.put("\"");
        self.text.reserve(at.len() + 1);
        at.characters(|characters| characters.iter().for_each(|&c| self.character(c)));
        self.put("\"");
    }

    fn sequence<C: Cursor>(&mut self, element: &Shape, at: C) {
        let len = at.len();
        let shown = len.min(self.style.print_length);
        self.put("[");
        for i in 0..shown {
            if i > 0 {
                self.put(", ");
            }
            self.value(element, at.element(i));
        }
        self.put(match shown {
            _ if shown == len => "]",
            0 => "...]",
            _ => ",...]",
        });
    }

    fn tuple<C: Cursor>(&mut self, parts: &[Shape], at: C) {
        self.put("(");
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.value(part, at.part(i, parts.len()));
        }
        self.put(")");
    }
}

#[cfg(test)]
mod tests;
