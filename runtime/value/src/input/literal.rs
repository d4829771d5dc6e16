//! NESL literals: numbers, truth values, characters, strings, tuples, sequences and datatypes, read
//! by the shape that is needed.
//!
//! The text is parsed as an expression of the language; an expression that is no literal is
//! refused where it stands.  Beside literals proper there are the constants of the library that
//! values may need: `infinity`, `nan`, `pi`, `max_int`, `min_int`, `true`, `false`.  And two that
//! results show, though programs cannot write them: `inf`, and the least int as a number.

use super::Problem;
use crate::buffer::OutOfMemory;
use crate::columns::Columns;
use crate::convert::Builder;
use crate::disk::TREE;
use crate::memory::{self, Budget};
use crate::shape::Shape;
use crate::stack::on_big_stack;
use base::{Files, Span};
use prim::{Const, Meaning, Primitive, Ty, Width, Widths};
use syntax::ast::{Exp, ExpKind, FormKind};

pub(super) fn read(
    mut text: Vec<u8>,
    shape: &Shape,
    widths: Widths,
    budget: &Budget,
) -> Result<Columns, Problem> {
    room_for_tree(text.len())?;
    if widths.int == Width::W64 {
        name_least_int(&mut text);
    }
    let end = text.len();
    // A form needs its end.
    if !text.trim_ascii_end().ends_with(b";") {
        text.extend_from_slice(b"\n;");
    }
    let mut files = Files::new();
    let file = files.add("", text);
    // The parser recurses as deeply as the text nests.
    on_big_stack(|| {
        let group = syntax::parse(file, &files.file(file).text);
        let exp = match group.forms.as_slice() {
            [form] => match &form.kind {
                FormKind::Exp(exp) => exp,
                FormKind::Error(errors) => return Err(parse_error(errors, end, &files)),
                _ => return Err("a literal was expected, not a definition".to_owned().into()),
            },
            _ => return Err("one literal was expected".to_owned().into()),
        };
        let mut builder = Builder::within(shape, widths, budget)?;
        push(&mut builder, shape, widths, exp).map_err(|fault| match fault {
            Fault::Unfit(span, message) => at(span, &message, &files),
            Fault::Memory(full) => full.into(),
        })?;
        Ok(builder.finish())
    })
}

/// Fails unless the tree of a text of `length` bytes fits into memory.
fn room_for_tree(length: usize) -> Result<(), OutOfMemory> {
    /// The bytes up to which a tree is made without the check.
    const LITTLE: usize = 16 << 20;
    let bytes = length.saturating_mul(TREE);
    if bytes <= LITTLE || bytes <= memory::available() {
        Ok(())
    } else {
        Err(OutOfMemory { bytes })
    }
}

/// The least int as results show it, the number of which fits no int without its sign.
const LEAST: &[u8] = b"-9223372036854775808";
/// The same as programs write it, at the same length.
const LEAST_NAME: &[u8] = b"min_int             ";

/// Writes the least int as programs do, outside of strings.
fn name_least_int(text: &mut [u8]) {
    let mut inside = false;
    let mut at = 0;
    while at + LEAST.len() <= text.len() {
        let ends =
            text.get(at + LEAST.len()).is_none_or(|c| !c.is_ascii_alphanumeric() && *c != b'.');
        if !inside && ends && text[at..].starts_with(LEAST) {
            text[at..at + LEAST.len()].copy_from_slice(LEAST_NAME);
        }
        match text[at] {
            b'\\' if inside => at += 1,
            // A character literal takes what follows.
            b'`' if !inside => at += 1,
            b'"' => inside = !inside,
            _ => {}
        }
        at += 1;
    }
}

/// The first error; `end` is where the user's text ends.
fn parse_error(errors: &[base::Diagnostic], end: usize, files: &Files) -> Problem {
    let Some(error) = errors.first() else {
        return "a literal was expected".to_owned().into();
    };
    match &error.primary {
        Some(label) if label.span.start as usize >= end => {
            "the literal ends before it is complete".to_owned().into()
        }
        Some(label) => at(label.span, &error.message, files),
        None => error.message.clone().into(),
    }
}

fn at(span: Span, message: &str, files: &Files) -> Problem {
    let (line, column) = files.line_column(span.file, span.start);
    format!("line {line}, column {column}: {message}").into()
}

/// Why a literal cannot be used.
enum Fault {
    Unfit(Span, String),
    Memory(OutOfMemory),
}

impl From<OutOfMemory> for Fault {
    fn from(full: OutOfMemory) -> Fault {
        Fault::Memory(full)
    }
}

/// Adds the value of a literal.
fn push(builder: &mut Builder, shape: &Shape, widths: Widths, exp: &Exp) -> Result<(), Fault> {
    match (shape, &exp.kind) {
        (Shape::Scalar(ty), _) => match scalar(exp, widths) {
            Some(value) if value.ty() != *ty => Err(unfit(shape, exp)),
            Some(value) if !widths.holds(value) => {
                Err(Fault::Unfit(exp.span, Widths::misfit(value).to_owned()))
            }
            Some(value) => push_scalar(builder, value),
            _ => Err(unfit(shape, exp)),
        },
        (Shape::Data { name, fields }, ExpKind::Apply { function, argument, optional }) => {
            let called = matches!(&function.kind, ExpKind::Name(n) if *n.text == **name);
            if !called || !optional.is_empty() {
                return Err(unfit(shape, exp));
            }
            push(builder, fields, widths, argument)
        }
        (Shape::Tuple(parts), _) => push_parts(builder, parts, widths, exp),
        (Shape::Seq(_), ExpKind::Empty(..)) => Ok(builder.close()?),
        (Shape::Seq(element), ExpKind::Seq(items)) => {
            for item in items {
                push(builder.elements(), element, widths, item)?;
            }
            Ok(builder.close()?)
        }
        (Shape::Seq(element), ExpKind::Str(text)) if **element == Shape::Scalar(Ty::Char) => {
            builder.elements().extend(text)?;
            Ok(builder.close()?)
        }
        _ => Err(unfit(shape, exp)),
    }
}

fn push_scalar(builder: &mut Builder, value: Const) -> Result<(), Fault> {
    match value {
        Const::I64(v) => builder.extend(&[v])?,
        Const::F64(v) => builder.extend(&[v])?,
        Const::Bool(v) => builder.extend(&[u8::from(v)])?,
        Const::Char(v) => builder.extend(&[v])?,
    }
    Ok(())
}

fn push_parts(
    builder: &mut Builder,
    parts: &[Shape],
    widths: Widths,
    exp: &Exp,
) -> Result<(), Fault> {
    let mut rest = exp;
    for (i, part) in parts.iter().enumerate() {
        let last = i + 1 == parts.len();
        let here = match &rest.kind {
            ExpKind::Pair(first, more) if !last => {
                rest = more;
                first
            }
            _ if last => rest,
            _ => return Err(unfit(&Shape::Tuple(parts.to_vec()), exp)),
        };
        push(builder.part(i), part, widths, here)?;
    }
    Ok(())
}

/// The value of a scalar literal or constant.
fn scalar(exp: &Exp, widths: Widths) -> Option<Const> {
    match &exp.kind {
        ExpKind::Int(v) => Some(Const::I64(*v)),
        ExpKind::Float(v) => Some(Const::F64(*v)),
        ExpKind::Bool(v) => Some(Const::Bool(*v)),
        ExpKind::Char(v) => Some(Const::Char(*v)),
        ExpKind::Name(name) if name.text == "inf" => Some(Const::F64(f64::INFINITY)),
        ExpKind::Name(name) => match Primitive::of(Primitive::named(&name.text)?).meaning {
            Meaning::Const(value) => Some(widths.constant(value)),
            _ => None,
        },
        ExpKind::Operator(operator, operands) if operator.name == "negate" => {
            match operands.first().map(|operand| &operand.kind) {
                Some(ExpKind::Operator(..)) | None => None,
                Some(_) => match scalar(&operands[0], widths)? {
                    Const::I64(v) if v == widths.min_int() => Some(Const::I64(v)),
                    Const::I64(v) => Some(Const::I64(v.wrapping_neg())),
                    Const::F64(v) => Some(Const::F64(-v)),
                    Const::Bool(_) | Const::Char(_) => None,
                },
            }
        }
        _ => None,
    }
}

fn unfit(shape: &Shape, exp: &Exp) -> Fault {
    let message = match (shape, &exp.kind) {
        (Shape::Scalar(Ty::F64), ExpKind::Int(v)) => {
            format!("this is an int, but a float is needed: write {v}.0")
        }
        (Shape::Data { name, .. }, _) => format!("a {name} is needed: write {name}(...)"),
        _ => format!("this is no literal of type {shape}"),
    };
    Fault::Unfit(exp.span, message)
}
