//! Expressions (LANGUAGE 3.1 and 3.2): precedence climbing over application over atoms.

use super::{expect_closing, patterns, types};
use crate::kind::SyntaxKind::{self, *};
use crate::parser::{Closed, Parser};
use base::Span;

/// `exp ::= e4 [ ',' exp ]`
///
/// A comma before `name :=` belongs to the list of arguments or parameters around.
pub(crate) fn exp(p: &mut Parser<'_>) -> Closed {
    let first = e4(p);
    if !p.at(Comma) || at_optional(p) {
        return first;
    }
    let pair = p.wrap(first);
    p.bump();
    exp(p).done();
    p.close(pair, PairExp)
}

/// Whether `, name :=` comes next; a word that cannot be a name was to be one.
fn at_optional(p: &Parser<'_>) -> bool {
    let is_word = |kind| kind == Ident || SyntaxKind::WORDS.iter().any(|word| word.0 == kind);
    p.at(Comma) && p.nth(2) == ColonEqual && is_word(p.nth(1))
}

/// `e4 ::= pat '=>' e4 | e7`
pub(crate) fn e4(p: &mut Parser<'_>) -> Closed {
    let left = binary(p, WEAKEST);
    if !p.at(FatArrow) {
        return left;
    }
    let pattern = patterns::wrap(p, left);
    let lambda = p.wrap(pattern);
    p.bump();
    e4(p).done();
    p.close(lambda, LambdaExp)
}

/// The weakest level of [`level`].
const WEAKEST: u8 = 7;
/// The level of `->`, the only one that groups to the right.
const GATHER: u8 = 24;

/// The levels of the table in LANGUAGE 3.1.
fn level(operator: SyntaxKind) -> Option<u8> {
    Some(match operator {
        Or | Nor | Xor => WEAKEST,
        And | Nand => 8,
        EqualEqual | NotEqual | Less | Greater | LessEqual | GreaterEqual => 10,
        Plus | Minus | Append => 20,
        Star | Slash | BarBar => 21,
        Caret => 22,
        Write => 23,
        Arrow => GATHER,
        _ => return None,
    })
}

/// `e7` to `e24`: operators of at least this level.
fn binary(p: &mut Parser<'_>, weakest: u8) -> Closed {
    let mut left = prefix(p);
    while let Some(level) = level(p.current()).filter(|level| *level >= weakest) {
        let node = p.wrap(left);
        p.bump();
        binary(p, if level == GATHER { level } else { level + 1 }).done();
        left = p.close(node, BinaryExp);
    }
    left
}

/// `e25 ::= ('-' | '#' | '@') e25 | open | e30`
fn prefix(p: &mut Parser<'_>) -> Closed {
    match p.current() {
        Minus | Hash | At => {
            let node = p.open();
            p.bump();
            prefix(p).done();
            p.close(node, PrefixExp)
        }
        If => conditional(p),
        Let => let_in(p),
        _ => application(p),
    }
}

/// How `if` is written.
const CONDITIONAL: &str = "a conditional is written `if condition then value else value`";

/// `open ::= 'if' exp 'then' exp 'else' exp | ...`
fn conditional(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    p.bump();
    exp(p).done();
    if !p.eat(Then) {
        let (span, found) = (p.span(), p.current());
        p.expected_with("`then`", |error| match found {
            Equal => error.suggest(span, "==", "equality is written `==`"),
            Colon => error.suggest(span, " then", CONDITIONAL),
            _ => error.help(CONDITIONAL),
        });
    }
    exp(p).done();
    if !p.eat(Else) {
        p.expected_help("`else`", "every `if` needs an `else`; both give a value");
    }
    exp(p).done();
    p.close(node, IfExp)
}

/// How `let` is written.
const LET: &str =
    "a `let` is written `let a = 1; b = 2 in a + b`; a form that defines a name is `a = 1;`";

/// `open ::= 'let' bind { ';' bind } [ ';' ] 'in' exp | ...`
fn let_in(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    let word = p.span();
    p.bump();
    let_binding(p);
    while p.eat(Semicolon) && !p.at(In) {
        if matches!(p.current(), Let | Function | Datatype | End) {
            // Where nothing follows the place is the end of the text, as in all that is unfinished.
            p.expected_with("another binding or `in`", |e| {
                e.also(word, "this `let` has no `in`").help(LET)
            });
        }
        let_binding(p);
    }
    if !p.eat(In) {
        separated_by_comma(p, "`;` or `in`", "bindings are separated by `;`");
    }
    exp(p).done();
    p.close(node, LetExp)
}

/// Reports the sign behind a name that stands behind a comma instead of a semicolon.
fn separated_by_comma(p: &mut Parser<'_>, what: &str, help: &str) {
    let comma = p.before(2).filter(|(kind, _)| *kind == Comma);
    p.expected_with(what, |error| match comma {
        Some((_, comma)) => error.suggest(comma, ";", help),
        None => error.help(help),
    });
}

/// `bind ::= pattern '=' exp`
fn let_binding(p: &mut Parser<'_>) {
    let node = p.open();
    patterns::pattern(p);
    if p.current().is_terminator() {
        p.expected_help("`=`", "the bindings of a `let` end with `in`");
    }
    p.expect(Equal);
    exp(p).done();
    p.close(node, LetBinding).done();
}

/// `e30 ::= atom { atom | '[' exp ']' | '#' e25 | '@' e25 | open }`
fn application(p: &mut Parser<'_>) -> Closed {
    let mut function = atom(p);
    loop {
        let kind = match p.current() {
            LeftBracket => SubscriptExp,
            kind if starts_operand(kind) => ApplyExp,
            _ => return function,
        };
        let by_name = function.kind == NameExp;
        let node = p.wrap(function);
        match p.current() {
            LeftBracket => subscript(p),
            LeftParen if by_name => arguments(p),
            Hash | At | If | Let => prefix(p).done(),
            _ => atom(p).done(),
        }
        function = p.close(node, kind);
    }
}

/// What may follow a function directly.
pub(crate) fn starts_operand(kind: SyntaxKind) -> bool {
    let literal = matches!(kind, Int | Float | Char | Str | True | False);
    literal || matches!(kind, Ident | Wildcard | LeftParen | LeftBrace | Hash | At | If | Let)
}

/// `'[' exp ']'`
fn subscript(p: &mut Parser<'_>) {
    let opening = p.span();
    p.bump();
    if p.at(RightBracket) {
        p.expected_help(
            "an index",
            "`a[i]` is an element; to give a sequence to a function, write `g([])`",
        );
    }
    exp(p).done();
    if p.at(Colon) {
        p.expected_help(
            "`]`",
            "a part of a sequence is `subseq(a, start, end)`; write `g([0:n])` for a call",
        );
    }
    expect_closing(p, opening, RightBracket);
}

/// `'(' args ')'`, `args ::= e4 { ',' e4 } { ',' name ':=' e4 }`
fn arguments(p: &mut Parser<'_>) {
    let node = p.open();
    let opening = p.span();
    p.bump();
    if p.at(RightParen) {
        no_unit(p, "an expression");
    }
    exp(p).done();
    if p.at(ColonEqual) {
        p.expected_help("`)` or `,`", "optional arguments come last, as in `g(x, name := value)`");
    }
    optional_list(p);
    expect_closing(p, opening, RightParen);
    p.close(node, Arguments).done();
}

/// `{ ',' name ':=' e4 }`, of arguments or parameters.
pub(crate) fn optional_list(p: &mut Parser<'_>) {
    while p.eat(Comma) {
        let node = p.open();
        if p.nth(1) == ColonEqual {
            super::expect_new_name(p, "a name");
        } else {
            p.expected_help("a name and `:=`", "the optional ones come last");
        }
        p.expect(ColonEqual);
        e4(p).done();
        p.close(node, Optional).done();
    }
}

/// Reports `()`.
pub(crate) fn no_unit(p: &mut Parser<'_>, what: &str) {
    p.expected_help(what, "every function has an argument; there is no `()`");
}

/// `atom`, without `name '(' args ')'`, which is an application.
fn atom(p: &mut Parser<'_>) -> Closed {
    match p.current() {
        Int | Float | Char | Str | True | False => p.leaf(Literal),
        Ident => p.leaf(NameExp),
        Wildcard => p.leaf(WildcardExp),
        LeftParen => parenthesised(p),
        LeftBracket => bracketed(p),
        LeftBrace => each(p),
        _ => missing(p),
    }
}

/// Reports that there is no operand.
fn missing(p: &mut Parser<'_>) -> Closed {
    let comma = p.before(1).filter(|(kind, _)| *kind == Comma);
    let reserved = reserved_name(p);
    let current = p.current();
    let node = p.open();
    p.expected_with("an expression", |mut error| match current {
        _ if reserved.is_some() => {
            error.help.extend(reserved);
            error
        }
        Plus => error.help("there is no prefix `+`"),
        Star | Slash | Caret | Arrow | Write | Append | BarBar => {
            error.help("an operator stands between its operands")
        }
        RightParen | RightBracket | RightBrace => match comma {
            Some((_, comma)) => error.suggest(comma, "", "the last element has no comma behind it"),
            None => error,
        },
        _ => error,
    });
    p.close(node, Missing)
}

/// What is said of a reserved word that is used as a name: before or behind the next token is `=`.
fn reserved_name(p: &Parser<'_>) -> Option<String> {
    let word = match p.current() {
        Equal if p.before(2).is_none() => p.before(1)?.0,
        word if p.nth(1) == Equal => word,
        _ => return None,
    };
    let reserved = SyntaxKind::WORDS.iter().find(|row| row.0 == word);
    reserved.map(|(_, text)| format!("`{text}` is a reserved word, which cannot be a name"))
}

/// `'(' exp ')'`
fn parenthesised(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    let opening = p.span();
    p.bump();
    if p.at(RightParen) {
        no_unit(p, "an expression");
    }
    exp(p).done();
    expect_closing(p, opening, RightParen);
    p.close(node, ParenExp)
}

/// `'[' ']' [ atype ]`, `'[' e4 { ',' e4 } ']'` or `'[' e4 ':' exp [ ':' exp ] ']'`
fn bracketed(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    let opening = p.span();
    p.bump();
    if p.eat(RightBracket) {
        if matches!(p.current(), Ident | True | False | LeftParen | LeftBracket) {
            types::atype(p).done();
        }
        return p.close(node, EmptyExp);
    }
    e4(p).done();
    let kind = if p.at(Colon) { RangeExp } else { SeqExp };
    if p.eat(Colon) {
        exp(p).done();
        if p.eat(Colon) {
            exp(p).done();
        }
    } else {
        while p.eat(Comma) {
            e4(p).done();
        }
    }
    expect_closing(p, opening, RightBracket);
    p.close(node, kind)
}

/// `'{' ['*'] [ exp ':' ] gen { ';' gen } [ '|' exp ] '}'`
///
/// Only the token after the first expression tells whether it is the body, a pattern, or a name
/// that is a generator by itself.
fn each(p: &mut Parser<'_>) -> Closed {
    let node = p.open();
    let opening = p.span();
    p.bump();
    p.eat(Star);
    let first = exp(p);
    if p.at(Equal) {
        p.expected_with("`:` or `in`", |error| error.also(opening, "opened here").help(BLOCK));
    }
    if p.at(Colon) {
        let body = p.wrap(first);
        p.close(body, Body).done();
        p.bump();
        let pattern = exp(p);
        generator(p, pattern, opening, false);
    } else {
        generator(p, first, opening, true);
    }
    while p.eat(Semicolon) {
        let pattern = exp(p);
        generator(p, pattern, opening, false);
    }
    if p.at(Bar) {
        let test = p.open();
        p.bump();
        exp(p).done();
        p.close(test, Test).done();
    }
    match p.current() {
        Colon => p.expected_help(
            "`;`, `|` or `}`",
            "the body stands before the generators; these are separated by `;`",
        ),
        In => separated_by_comma(p, "`;`, `|` or `}`", "generators are separated by `;`"),
        _ => expect_closing(p, opening, RightBrace),
    }
    p.close(node, EachExp)
}

/// What braces are not.
const BLOCK: &str = "braces make an apply-to-each; names are bound by `let a = 1; b = 2 in a + b`";

/// `gen ::= name | pattern 'in' exp`; what stands before `in` was read.  It is alone if nothing
/// stands before it in the braces.
fn generator(p: &mut Parser<'_>, first: Closed, opening: Span, alone: bool) {
    if p.at(In) {
        let pattern = patterns::wrap(p, first);
        let node = p.wrap(pattern);
        p.bump();
        exp(p).done();
        p.close(node, Generator).done();
        return;
    }
    let node = p.wrap(first);
    if first.kind != NameExp {
        let help = match (p.current(), first.kind) {
            (RightBrace, _) if alone => "braces make an apply-to-each; parentheses group",
            (RightBrace, BinaryExp) => {
                "a generator is `pattern in sequence`; a test stands behind `|`"
            }
            _ => "a generator is `pattern in sequence`, or the name of a sequence",
        };
        let ends = p.current().is_terminator() || p.at_end();
        p.expected_with("`in`", |error| match ends {
            true => error.also(opening, "opened here, and not closed").help(help),
            false => error.help(help),
        });
    }
    p.close(node, Generator).done();
}
