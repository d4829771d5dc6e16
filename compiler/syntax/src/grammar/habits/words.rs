//! Misspelt words of the grammar inside a form.
//!
//! Such a word reads as a name, and a name beside an operand as an application, so that the error
//! comes where the next word or the end of the form stands:
//!
//! ```text
//! if c thn a else b         stops at `else`
//! if c then a esle b;       stops at `;`
//! ```

use super::{Advice, Place, ends_operand};
use crate::grammar::expressions::starts_operand;
use crate::kind::SyntaxKind::{self, *};
use base::nearest;

/// The name that was to be the word that is missing where reading stopped.
pub(super) fn misspelt(it: &Place<'_>) -> Option<Advice> {
    let (at, meant) = match it.kind(it.at) {
        Equal => (before_pattern(it)?, "let"),
        In => (begins(it, "let")?, "let"),
        Then => (begins(it, "if")?, "if"),
        Else | Semicolon | Dollar | RightParen | RightBracket | RightBrace | Bar | Comma => {
            of_conditional(it).or_else(|| of_generator(it))?
        }
        _ => return None,
    };
    let message = format!("expected `{meant}`, found the name `{}`", it.source(at, at));
    Some(Advice {
        help: format!("did you mean `{meant}`?"),
        instead: Some((it.span(at), message)),
        change: Some((it.span(at), meant.to_owned())),
    })
}

/// Whether a token is a name that may have been meant as a word.
fn is_near(it: &Place<'_>, at: usize, word: &'static str) -> bool {
    let text = || it.source(at, at).to_ascii_lowercase();
    it.kind(at) == Ident && nearest(&text(), std::iter::once(word)).is_some()
}

/// The name before the pattern of a binding that stands where an operand began.
fn before_pattern(it: &Place<'_>) -> Option<usize> {
    let pattern = |at| matches!(it.kind(at), Ident | Wildcard | Comma | LeftParen | RightParen);
    let start = (it.first..it.at).rev().take_while(|&at| pattern(at)).last()?;
    (start..it.at - 1).find(|&at| begins_operand(it, at) && is_near(it, at, "let"))
}

/// The name that was to be a word before an operand.
fn begins(it: &Place<'_>, word: &'static str) -> Option<usize> {
    let operand = |at| matches!(it.kind(at), Ident | Wildcard | LeftParen) || word == "if";
    (it.first..it.at.saturating_sub(1))
        .rfind(|&at| begins_operand(it, at) && operand(at + 1) && is_near(it, at, word))
}

/// Whether a token is the first of an operand.
fn begins_operand(it: &Place<'_>, at: usize) -> bool {
    at == it.first || !ends_operand(it.kind(at - 1)) && it.kind(at - 1) != Wildcard
}

/// Whether a token stands between two operands.
fn parts(it: &Place<'_>, at: usize) -> bool {
    let next = it.kind(at + 1);
    ends_operand(it.kind(at - 1)) && (starts_operand(next) || matches!(next, LeftBracket | Minus))
}

/// The name that was to be the `then` or `else` of the innermost `if` that lacks one.
fn of_conditional(it: &Place<'_>) -> Option<(usize, &'static str)> {
    let mut open: Vec<(SyntaxKind, usize)> = Vec::new();
    for at in it.first..it.at {
        match it.kind(at) {
            kind @ (If | LeftParen | LeftBracket | LeftBrace) => open.push((kind, at)),
            Then => match open.last_mut() {
                Some(last) if last.0 == If => *last = (Then, at),
                _ => return None,
            },
            Else => {
                open.pop().filter(|last| last.0 == Then)?;
            }
            RightParen | RightBracket | RightBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    let &(word, from) = open.last()?;
    let meant = match word {
        If => "then",
        Then => "else",
        _ => return None,
    };
    let at = (from + 2..it.at - 1).find(|&at| parts(it, at) && is_near(it, at, meant))?;
    Some((at, meant))
}

/// The name that was to be the `in` of a generator.
fn of_generator(it: &Place<'_>) -> Option<(usize, &'static str)> {
    let opening = it.open(it.at).pop().filter(|&at| it.kind(at) == LeftBrace)?;
    let before = (opening..it.at).rfind(|&at| matches!(it.kind(at), LeftBrace | Colon | Semicolon));
    let segment = before? + 1..it.at;
    let whole = segment.clone().all(|at| it.kind(at) != In);
    let mut names = (segment.start + 1..segment.end - 1).filter(|&at| is_near(it, at, "in"));
    names.next().filter(|_| whole).map(|at| (at, "in"))
}
