//! Readers of the words that this crate prints: types, constants, operations, monoids.

use crate::{Const, Monoid, ScalarOp, Ty, Width, Widths};
use base::Site;
use base::text::{Reader, Result, Token};

/// Takes a scalar type.
pub fn ty(reader: &mut Reader) -> Result<Ty> {
    word(reader, "a scalar type", Ty::parse)
}

/// Takes a monoid.
pub fn monoid(reader: &mut Reader) -> Result<Monoid> {
    word(reader, "a monoid", Monoid::parse)
}

/// Takes a scalar operation.
pub fn op(reader: &mut Reader) -> Result<ScalarOp> {
    word(reader, "an operation", ScalarOp::parse)
}

/// Takes the name of a kind of run-time error.
pub fn site(reader: &mut Reader) -> Result<Site> {
    word(reader, "a kind of error", Site::parse)
}

/// The constant that is next, if one is.
pub fn peek_constant(reader: &Reader) -> Option<Const> {
    match reader.peek() {
        Some(Token::Word(text) | Token::Number(text)) => Const::parse(text),
        _ => None,
    }
}

/// Takes a constant.
pub fn constant(reader: &mut Reader) -> Result<Const> {
    let Some(constant) = peek_constant(reader) else {
        return reader.expected("a constant");
    };
    reader.advance();
    Ok(constant)
}

/// Takes the line at the head of a program that says the widths, if it is there.
pub fn widths(reader: &mut Reader) -> Result<Widths> {
    let mut widths = Widths::WIDE;
    if reader.eat_word("widths") {
        reader.expect_word("int")?;
        widths.int = width(reader)?;
        reader.expect_word("float")?;
        widths.float = width(reader)?;
    }
    Ok(widths)
}

fn width(reader: &mut Reader) -> Result<Width> {
    let found = match reader.peek() {
        Some(Token::Number(text)) => text.parse().ok(),
        _ => None,
    };
    let Some(width) = found else { return reader.expected("32 or 64") };
    reader.advance();
    Ok(width)
}

fn word<T>(reader: &mut Reader, what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let found = match reader.peek() {
        Some(Token::Word(text)) => parse(text),
        _ => None,
    };
    match found {
        Some(value) => {
            reader.advance();
            Ok(value)
        }
        None => reader.expected(what),
    }
}
