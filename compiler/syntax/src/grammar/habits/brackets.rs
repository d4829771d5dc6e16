//! Brackets that are missing: around a range, or behind an inner apply-to-each.
//!
//! ```text
//! {i * i : i in 0:10}                 {i * i : i in [0:10]}
//! {{x * 2 : x in r : r in a}          {{x * 2 : x in r} : r in a}
//! {sum({x * 2 : x in r) : r in a}     {sum({x * 2 : x in r}) : r in a}
//! ```

use super::{Advice, Place, ends_operand};
use crate::grammar::expressions::starts_operand;
use crate::kind::SyntaxKind::{self, *};
use std::ops::Range;

/// The most tokens that [`fits`] reads.
const FAR: usize = 10_000;

/// The bracket that closes this one.
fn partner(opening: SyntaxKind) -> Option<(SyntaxKind, &'static str)> {
    match opening {
        LeftParen => Some((RightParen, ")")),
        LeftBracket => Some((RightBracket, "]")),
        LeftBrace => Some((RightBrace, "}")),
        _ => None,
    }
}

/// Returns true if the tokens from `from` to the end of the form close exactly the open brackets.
fn fits(it: &Place<'_>, open: &[usize], from: usize) -> bool {
    let mut open: Vec<SyntaxKind> = open.iter().map(|&at| it.kind(at)).collect();
    for at in from..from + FAR {
        match it.kind(at) {
            kind @ (LeftParen | LeftBracket | LeftBrace) => open.push(kind),
            kind @ (RightParen | RightBracket | RightBrace)
                if open.pop().and_then(partner).is_none_or(|partner| partner.0 != kind) =>
            {
                return false;
            }
            Function | Datatype | Dollar | End => return open.is_empty(),
            Semicolon if open.is_empty() => return true,
            _ => {}
        }
    }
    false
}

/// Returns true if the tokens from `from` are `pattern in`.
fn generates(it: &Place<'_>, from: usize) -> bool {
    let pattern = |kind| matches!(kind, Ident | Wildcard | Comma | LeftParen | RightParen);
    let end = (from..).find(|&at| !pattern(it.kind(at))).unwrap_or(from);
    end > from && it.kind(end) == In
}

/// A bracket that is missing before the one that closes another, or before the generators of the
/// apply-to-each around; and one that closes another sort of bracket.
pub(super) fn missing(it: &Place<'_>) -> Option<Advice> {
    let (open, found) = (it.open(it.at), it.kind(it.at));
    let (&top, outer) = open.split_last()?;
    let (closing, sign) = partner(it.kind(top))?;
    if it.at == it.first || !ends_operand(it.kind(it.at - 1)) || found == closing {
        return None;
    }
    let around = outer.last().map(|&at| it.kind(at));
    let belongs_outside = match found {
        RightParen | RightBracket | RightBrace => {
            around.and_then(partner).is_some_and(|partner| partner.0 == found)
        }
        Colon => around == Some(LeftBrace) && generates(it, it.at + 1),
        _ => return None,
    };
    if belongs_outside && fits(it, outer, it.at) {
        let help = format!("a `{sign}` is missing here");
        return Some(Advice {
            help,
            instead: None,
            change: Some((it.behind(it.at - 1), sign.into())),
        });
    }
    let wrong = found != Colon && fits(it, outer, it.at + 1);
    wrong.then(|| Advice {
        help: format!("a `{}` is closed by `{sign}`", it.source(top, top)),
        instead: None,
        change: Some((it.span(it.at), sign.into())),
    })
}

/// A range without its brackets.
pub(super) fn range(it: &Place<'_>) -> Option<Advice> {
    let within = it.open(it.at).pop().map(|at| it.kind(at));
    if it.kind(it.at) != Colon || within == Some(LeftBracket) {
        return None;
    }
    let bare = bare_range(it, it.at)?;
    let text = format!("[{}]", it.source(bare.start, bare.end - 1));
    let span = it.span(bare.start).to(it.span(bare.end - 1));
    let help = "a range stands in brackets: `[start:end]`, without its end".to_owned();
    Some(Advice { help, instead: None, change: Some((span, text)) })
}

/// The tokens of a range without brackets, of which this is the first colon.
fn bare_range(it: &Place<'_>, colon: usize) -> Option<Range<usize>> {
    let before = boundary(it, colon)?;
    let start = if before == colon { it.first } else { before + 1 };
    let operand = |at| starts_operand(it.kind(at)) || it.kind(at) == Minus;
    let end = range_end(it, colon);
    let whole = start < colon
        && ends_operand(it.kind(colon - 1))
        && operand(start)
        && operand(colon + 1)
        && colon + 1 < end
        && ends_operand(it.kind(end - 1));
    // Behind the first generator stands a body, which belongs before it, unless a number is there.
    let outer = it.open(colon).pop().filter(|&at| it.kind(at) == LeftBrace && before > at);
    let has_body = |at: usize| (at..before).any(|at| it.kind(at) == Colon);
    let body = outer.is_some_and(|at| it.kind(before) == In && !has_body(at));
    if body && !(start + 1 == colon && it.kind(start) == Int) {
        return None;
    }
    // A pattern before `in`, and a type behind a name, are none.
    let generates = it.kind(end) == In && it.kind(before) != Equal;
    let typed = it.is_name(colon + 1, &["int", "float", "bool", "char", "string", "str"]);
    (whole && !generates && !typed).then_some(start..end)
}

/// The token before the expression that ends at a colon; the colon if the form begins with it.
fn boundary(it: &Place<'_>, colon: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (it.first..colon).rev() {
        match it.kind(at) {
            RightParen | RightBracket | RightBrace => depth += 1,
            LeftParen | LeftBracket | LeftBrace if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            In | Equal | LeftParen | Comma | Then | Else | Append | FatArrow => return Some(at),
            LeftBracket | LeftBrace | If | Let | Semicolon | Colon | ColonEqual | Function
            | Datatype | Bar => return None,
            _ => {}
        }
    }
    Some(colon)
}

/// The token behind a range without brackets.
fn range_end(it: &Place<'_>, colon: usize) -> usize {
    let mut depth = 0_usize;
    for at in colon + 1..colon + FAR {
        match it.kind(at) {
            LeftParen | LeftBracket | LeftBrace => depth += 1,
            RightParen | RightBracket | RightBrace if depth > 0 => depth -= 1,
            End | Function | Datatype | Dollar => return at,
            _ if depth > 0 => {}
            RightParen | RightBracket | RightBrace | Semicolon | Comma | Bar | In | Then | Else
            | Append | Equal => return at,
            _ => {}
        }
    }
    colon
}

/// The places of brackets around ranges that lack theirs, among these tokens.
pub(super) fn around_ranges(it: &Place<'_>, tokens: Range<usize>) -> Vec<(u32, u32, &'static str)> {
    let mut places = Vec::new();
    let mut depth = 0_usize;
    let mut done = tokens.start;
    for at in tokens.clone() {
        match it.kind(at) {
            LeftParen | LeftBracket | LeftBrace => depth += 1,
            RightParen | RightBracket | RightBrace => depth = depth.saturating_sub(1),
            Colon if depth == 0 && at >= done => {
                let bare = bare_range(it, at);
                if let Some(bare) = bare.filter(|bare| bare.end <= tokens.end) {
                    let (start, end) = (it.tokens[bare.start].start, it.tokens[bare.end - 1].end);
                    places.extend([(start, start, "["), (end, end, "]")]);
                    done = bare.end;
                }
            }
            _ => {}
        }
    }
    places
}
