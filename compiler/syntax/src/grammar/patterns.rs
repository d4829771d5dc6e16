//! Patterns and parameters (LANGUAGE 3.3).

use super::expect_closing;
use super::expressions::{exp, no_unit, optional_list, starts_operand};
use crate::kind::SyntaxKind::{self, *};
use crate::parser::{Closed, Parser};

/// Marks an expression that was read as a pattern.
pub(crate) fn wrap(p: &mut Parser<'_>, inner: Closed) -> Closed {
    let node = p.wrap(inner);
    p.close(node, Pattern)
}

/// `pattern ::= pat [ ',' pattern ]`
pub(crate) fn pattern(p: &mut Parser<'_>) {
    let next = p.current();
    if !starts_operand(next) && !matches!(next, LeftBracket | Minus) {
        p.expected("a pattern");
    }
    let inner = exp(p);
    wrap(p, inner).done();
}

/// `params ::= name | '(' pattern { ',' name ':=' e4 } ')'`
///
/// A literal instead of the name is a pattern that cannot be bound.
pub(crate) fn params(p: &mut Parser<'_>) {
    let node = p.open();
    match p.current() {
        LeftParen => {
            let opening = p.span();
            p.bump();
            if p.at(RightParen) {
                no_unit(p, "a parameter");
            }
            pattern(p);
            if p.at(ColonEqual) {
                p.expected_help("`)` or `,`", "defaults come last, as in `(x, name := value)`");
            }
            optional_list(p);
            expect_closing(p, opening, RightParen);
        }
        Ident => simple(p, NameExp),
        Wildcard => simple(p, WildcardExp),
        Int | Float | Char | Str | True | False => simple(p, Literal),
        _ => p.expected_help("the parameters", "every function has an argument"),
    }
    p.close(node, Params).done();
}

fn simple(p: &mut Parser<'_>, kind: SyntaxKind) {
    let inner = p.leaf(kind);
    wrap(p, inner).done();
}
