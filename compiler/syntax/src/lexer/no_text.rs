//! Files that are no text: archives, pictures, text of 16-bit characters.
//!
//! Read as a program, such a file would have an error for nearly each of its bytes.

use super::Lexer;
use crate::kind::SyntaxKind::Error;
use crate::lexer::Token;
use base::{Code, Diagnostic, Span};

/// So many bytes tell what a file is.
const LOOKED_AT: usize = 1 << 16;
/// A text may have so many strange bytes, each of which is worth a message.
const FEW: usize = 16;

/// The first byte that shows that this is no text, if many do.
pub(super) fn first_sign(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(LOOKED_AT)];
    let mut place = 0;
    let mut strange = Vec::new();
    for chunk in text.utf8_chunks() {
        let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
        let inside = chunk.valid().bytes().enumerate().filter(|(_, byte)| control(byte));
        strange.extend(inside.map(|(at, _)| place + at));
        place += chunk.valid().len();
        strange.extend((0..chunk.invalid().len()).map(|at| place + at));
        place += chunk.invalid().len();
    }
    let many = strange.len() > FEW && strange.len() > text.len() / 10;
    strange.first().copied().filter(|_| many)
}

impl Lexer<'_> {
    /// Takes the whole file as one token that is wrong.
    pub(super) fn no_text(&mut self, first: usize) {
        let place = Span::new(self.file, first as u32, first as u32 + 1);
        let error = Diagnostic::of(Code::UnknownCharacter, "this file is no text");
        let help = "a program is a text of ASCII characters, with UTF-8 in comments and strings";
        self.out.errors.push((0, error.label(place, "").help(help)));
        self.out.tokens.push(Token { kind: Error, start: 0, end: self.text.len() as u32 });
        self.at = self.text.len();
    }
}
