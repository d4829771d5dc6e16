//! The grammar of LANGUAGE section 3, by recursive descent.
//!
//! Each function reads one nonterminal and says which in its comment.  What may be a pattern is
//! read as an expression, because only the sign behind it (`=`, `=>`, `in`) tells them apart; the
//! node is then wrapped in `Pattern`, and [`crate::build`] finds out whether it can be bound.

pub(crate) mod expressions;
pub(crate) mod forms;
pub(crate) mod habits;
pub(crate) mod patterns;
pub(crate) mod swallowed;
pub(crate) mod types;

use crate::kind::SyntaxKind::{self, *};
use crate::parser::Parser;
use base::Span;

/// Takes the closing bracket; if it is missing, shows the opening one, too.
fn expect_closing(p: &mut Parser<'_>, opening: Span, closing: SyntaxKind) {
    if !p.eat(closing) {
        let (span, found) = (p.span(), p.current());
        p.expected_with(&closing.to_string(), |error| {
            let error = error.also(opening, "opened here");
            match found {
                ColonEqual => error.help("optional arguments are given in a direct call by name"),
                Equal => error.suggest(span, "==", "equality is written `==`"),
                _ => error,
            }
        });
    }
}

/// Takes an identifier that names something to be defined; `what` says what.
fn expect_new_name(p: &mut Parser<'_>, what: &str) {
    if !p.eat(Ident) {
        let word = SyntaxKind::WORDS.iter().find(|word| word.0 == p.current());
        p.expected_with(what, |error| match word {
            Some((kind, text)) if let Some(meaning) = kind.truth() => {
                error.help(format!("`{text}` means {meaning}: choose another name"))
            }
            Some(_) => {
                error.help("reserved words, the literals `t` and `f`, and `_` cannot be names")
            }
            None => error,
        });
    }
}
