//! Files that are no text: archives, pictures, text of 16-bit characters.
//!
//! Read as a program, such a file would have an error for nearly each of its bytes.  Inside strings
//! and comments any bytes are legal, so that only those outside count.

use super::Lexed;
use crate::kind::SyntaxKind::{Comment, Error, Str};
use crate::lexer::Token;
use base::{Code, Diagnostic, FileId, Span};
use std::str::Utf8Chunk;

/// A text may have so many strange bytes, each of which is worth a message.
const FEW: usize = 16;

/// The tokens of a text, or one wrong token instead of them if it is none.
pub(super) fn checked(file: FileId, text: &[u8], lexed: Lexed) -> Lexed {
    let bytes = |token: &Token| &text[token.start as usize..token.end as usize];
    // A string or comment without an end is wrong for another reason.
    let free = |token: &&Token| {
        !matches!(token.kind, Str | Comment) && !b"\"%".contains(&text[token.start as usize])
    };
    let outside: usize = lexed.tokens.iter().filter(free).map(|token| bytes(token).len()).sum();
    let mut wrong = lexed.tokens.iter().filter(free).filter(|token| token.kind == Error);
    let count: usize = wrong.clone().map(|token| strange(bytes(token))).sum();
    let first = wrong.find(|token| strange(bytes(token)) > 0);
    let Some(first) = first.filter(|_| count > FEW && count > outside / 10) else { return lexed };
    let place = Span::new(file, first.start, first.start + 1);
    let error = Diagnostic::of(Code::UnknownCharacter, "this file is no text");
    let help = "a program is a text of ASCII characters, with others in comments and strings";
    let token = Token { kind: Error, start: 0, end: text.len() as u32 };
    Lexed { tokens: vec![token], errors: vec![(0, error.label(place, "").help(help))] }
}

/// Returns true if a text may be none, of which these are the wrong tokens.
pub(crate) fn may_be_no_text(text: &[u8], wrong: &[Token]) -> bool {
    let bytes = |token: &Token| &text[token.start as usize..token.end as usize];
    wrong.iter().map(|token| strange(bytes(token))).sum::<usize>() > FEW
}

/// How many bytes are control characters or no UTF-8.
fn strange(text: &[u8]) -> usize {
    let control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let of_chunk = |chunk: Utf8Chunk<'_>| {
        chunk.valid().as_bytes().iter().filter(control).count() + chunk.invalid().len()
    };
    text.utf8_chunks().map(of_chunk).sum()
}
