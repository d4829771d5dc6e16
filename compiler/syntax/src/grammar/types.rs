//! Types and classes (LANGUAGE 3.3).

use super::expect_closing;
use crate::kind::SyntaxKind::{self, *};
use crate::parser::{Closed, Parser};
use base::Span;

/// The names of types that take no arguments.
const BASE: [&[u8]; 4] = [b"int", b"float", b"bool", b"char"];

/// `type classes`
pub(crate) fn signature(p: &mut Parser<'_>) {
    full_type(p).done();
    classes(p);
}

/// `type ::= type1 [ ',' type ]`
fn full_type(p: &mut Parser<'_>) -> Closed {
    let first = type1(p);
    if !p.at(Comma) {
        return first;
    }
    let node = p.wrap(first);
    p.bump();
    full_type(p).done();
    p.close(node, PairType)
}

/// `type1 ::= atype [ '->' type1 ]`
fn type1(p: &mut Parser<'_>) -> Closed {
    let argument = atype(p);
    if !p.at(Arrow) {
        return argument;
    }
    let node = p.wrap(argument);
    p.bump();
    type1(p).done();
    p.close(node, FunctionType)
}

/// `atype ::= 'int' | ... | var | name [ '(' type ')' ] | '[' type ']' | '(' type ')'`
pub(crate) fn atype(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    let kind = match p.current() {
        Ident => {
            let base = BASE.iter().any(|name| name.eq_ignore_ascii_case(p.lexeme()));
            p.bump();
            if p.at(LeftParen) && !base {
                enclosed(p, RightParen);
            }
            NameType
        }
        // In a type these are variables.
        True | False => {
            p.bump();
            NameType
        }
        LeftBracket => {
            enclosed(p, RightBracket);
            SeqType
        }
        LeftParen => {
            enclosed(p, RightParen);
            ParenType
        }
        _ => {
            p.expected("a type");
            Missing
        }
    };
    p.close(node, kind)
}

/// A type in brackets of which the next token is the opening one.
fn enclosed(p: &mut Parser<'_>, closing: SyntaxKind) {
    let opening = p.span();
    p.bump();
    full_type(p).done();
    let behind = p.before(1).map(|(_, last)| Span { start: last.end, ..last });
    if p.at(Equal)
        && let (Some(behind), Some(sign)) = (behind, closing.text())
    {
        p.expected_with(&closing.to_string(), |error| {
            error.also(opening, "opened here").suggest(behind, sign, "close the bracket")
        });
    }
    expect_closing(p, opening, closing);
}

/// `classes ::= [ '::' ( '(' list ')' | list ) ]`
///
/// Without parentheses a `;` may end the form; it goes on if `var in` follows, with which no form
/// starts.
pub(crate) fn classes(p: &mut Parser<'_>) {
    if !p.at(ColonColon) {
        return;
    }
    let node = p.open();
    p.bump();
    let opening = p.span();
    let parenthesised = p.eat(LeftParen);
    class_bound(p);
    while p.at(Semicolon) && (parenthesised || p.nth(2) == In) {
        p.bump();
        class_bound(p);
    }
    if parenthesised {
        expect_closing(p, opening, RightParen);
    }
    p.close(node, Classes).done();
}

/// `var 'in' class`
fn class_bound(p: &mut Parser<'_>) {
    let node = p.open();
    match p.current() {
        Ident | True | False => p.bump(),
        _ => p.expected("a type variable"),
    }
    p.expect(In);
    if !p.eat(Ident) {
        p.expected_help("a class", "the classes are any, number, ordinal, logical and scalar");
    }
    p.close(node, ClassBound).done();
}
