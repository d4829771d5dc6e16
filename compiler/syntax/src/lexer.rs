//! Bytes to tokens (LANGUAGE section 2).
//!
//! Every byte belongs to exactly one token; white space and comments are tokens, too.  A literal
//! without a value keeps its kind, so that reading can go on; text that is no token at all is an
//! `Error` token.  Either comes with one diagnostic.

mod habits;
mod no_text;
mod unclosed;

pub(crate) use no_text::may_be_no_text;
pub(crate) use unclosed::goes_over_forms;

use crate::kind::SyntaxKind::{self, *};
use crate::literal;
use base::{Code, Diagnostic, FileId, Span};
use std::ops::Range;

/// A token and the bytes it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The tokens of a text and what is wrong with them.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// In order; each with the start of its token.
    pub(crate) errors: Vec<(u32, Diagnostic)>,
}

/// With which some editors begin a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Splits a text of less than 4 GiB into tokens.
pub(crate) fn lex(file: FileId, text: &[u8]) -> Lexed {
    let out = Lexed { tokens: Vec::new(), errors: Vec::new() };
    let mut lexer = Lexer { file, text, start: 0, at: 0, out };
    lexer.until(text.len());
    no_text::checked(file, text, lexer.out)
}

/// The tokens of a part of a text, which begins with a form, up to the first that ends at the end
/// of the part or behind it.
pub(crate) fn lex_part(file: FileId, text: &[u8], part: Range<u32>) -> Lexed {
    let out = Lexed { tokens: Vec::new(), errors: Vec::new() };
    let (start, end) = (part.start as usize, text.len().min(part.end as usize));
    let mut lexer = Lexer { file, text, start, at: start, out };
    lexer.until(end);
    lexer.out
}

/// Returns true for the error of a string or comment without an end.
pub(crate) fn is_unclosed(error: &Diagnostic) -> bool {
    matches!(error.code, Code::UnclosedComment | Code::UnclosedString)
}

struct Lexer<'t> {
    file: FileId,
    text: &'t [u8],
    /// Where the present token starts.
    start: usize,
    /// The next byte to read.
    at: usize,
    out: Lexed,
}

impl Lexer<'_> {
    /// Reads tokens up to the first that ends at a place or behind it.
    fn until(&mut self, end: usize) {
        if self.at == 0 && self.text.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
            self.out.tokens.push(Token { kind: Space, start: 0, end: self.at as u32 });
        }
        while self.at < end {
            self.start = self.at;
            let kind = self.token();
            let (start, end) = (self.start as u32, self.at as u32);
            self.out.tokens.push(Token { kind, start, end });
        }
    }
    fn token(&mut self) -> SyntaxKind {
        let first = self.text[self.at];
        match first {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => self.space(),
            b'%' => self.comment(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'`' => self.character(),
            b'"' => self.string(),
            _ => self.mark(first),
        }
    }
    /// The byte `n` after the next one to read.
    fn peek(&self, n: usize) -> Option<u8> {
        self.text.get(self.at + n).copied()
    }
    fn eat_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&wanted) {
            self.at += 1;
        }
    }
    fn space(&mut self) -> SyntaxKind {
        self.eat_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c));
        Space
    }
    fn comment(&mut self) -> SyntaxKind {
        self.at += 1;
        self.eat_while(|b| b != b'%');
        if self.at < self.text.len() {
            self.at += 1;
            return Comment;
        }
        let help = if self.is_behind_operand() {
            "a comment runs from one `%` to the next; the remainder is `rem(a, b)`"
        } else {
            "a comment runs from one `%` to the next"
        };
        let place = self.start..self.start + 1;
        self.error(place, Code::UnclosedComment, "this comment is not closed", Some(help));
        self.blame(Comment);
        Error
    }
    /// Whether the present token stands behind one on its line that ends an operand.
    fn is_behind_operand(&self) -> bool {
        let mut before = self.out.tokens.iter().rev();
        let mut last = before.next();
        if let Some(space) = last.filter(|token| token.kind == Space) {
            if self.text[space.start as usize..space.end as usize].contains(&b'\n') {
                return false;
            }
            last = before.next();
        }
        last.is_some_and(|token| {
            matches!(token.kind, Ident | Int | Float | RightParen | RightBracket)
        })
    }
    fn word(&mut self) -> SyntaxKind {
        self.eat_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        SyntaxKind::of_word(self.lexeme()).unwrap_or(Ident)
    }
    /// Digits with a point and an exponent, each only if it is there.
    fn number(&mut self) -> SyntaxKind {
        self.eat_while(|b| b.is_ascii_digit());
        let mut kind = Int;
        if self.peek(0) == Some(b'.') {
            kind = Float;
            self.at += 1;
            self.eat_while(|b| b.is_ascii_digit());
        }
        let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
        let digit = self.peek(1 + sign).is_some_and(|b| b.is_ascii_digit());
        if matches!(self.peek(0), Some(b'e' | b'E')) && digit {
            kind = Float;
            self.at += 1 + sign;
            self.eat_while(|b| b.is_ascii_digit());
        }
        self.check_number(kind);
        kind
    }
    fn check_number(&mut self, kind: SyntaxKind) {
        let span = self.start..self.at;
        if kind == Int && literal::int(self.lexeme()).is_none() {
            let help = "the largest int is 9223372036854775807; the smallest is `min_int`";
            self.error(span, Code::NumberTooLarge, "this number does not fit an int", Some(help));
        } else if kind == Float && literal::float(self.lexeme()).is_none() {
            let help = "the largest float is about 1.8e308; `infinity` is a name of the library";
            self.error(span, Code::NumberTooLarge, "this number does not fit a float", Some(help));
        }
    }
    /// A backquote and one byte or an escape.
    fn character(&mut self) -> SyntaxKind {
        self.at += 1;
        if self.peek(0) == Some(b'\\') {
            self.at += 1;
            match self.peek(0).map(literal::escape) {
                Some(Some(_)) => self.at += 1,
                _ => {
                    self.at += self.character_len();
                    self.escape_error(self.start + 1, self.at);
                }
            }
            return Char;
        }
        match self.character_len() {
            0 => {
                let place = self.start..self.at;
                self.error(place, Code::MissingCharacter, "a character is missing", None);
                return Error;
            }
            1 => {}
            _ => {
                let help = "a character is one byte; write a string";
                let end = self.at + self.character_len();
                self.error(
                    self.start..end,
                    Code::UnknownCharacter,
                    "this character is outside ASCII",
                    Some(help),
                );
            }
        }
        self.at += self.character_len();
        Char
    }
    fn string(&mut self) -> SyntaxKind {
        self.at += 1;
        loop {
            self.eat_while(|b| b != b'"' && b != b'\\');
            match self.peek(0) {
                None => return self.open_string(),
                Some(b'"') => break,
                Some(_) => self.string_escape(),
            }
        }
        self.at += 1;
        Str
    }
    fn string_escape(&mut self) {
        let backslash = self.at;
        self.at += 1;
        match self.peek(0).map(literal::escape) {
            // The end of the text is reported as a string that is not closed.
            None => {}
            Some(Some(_)) => self.at += 1,
            Some(None) => {
                self.at += self.character_len();
                self.escape_error(backslash, self.at);
            }
        }
    }
    fn open_string(&mut self) -> SyntaxKind {
        // Escapes inside it are not worth a message: we do not know where it should end.
        while self.out.errors.last().is_some_and(|e| e.0 as usize == self.start) {
            self.out.errors.pop();
        }
        self.error(
            self.start..self.start + 1,
            Code::UnclosedString,
            "this string is not closed",
            None,
        );
        self.blame(Str);
        Error
    }
    fn mark(&mut self, first: u8) -> SyntaxKind {
        if let Some((kind, len)) = mark(first, self.peek(1)) {
            self.at += len;
            return kind;
        }
        let rest = &self.text[self.start..];
        let habit = habits::of_mark(rest, self.begins_line());
        self.at += habit.len;
        let message = if first.is_ascii() {
            let shown = String::from_utf8_lossy(&rest[..habit.len]);
            let printable = shown.chars().all(|c| !c.is_control());
            let shown = if printable { shown } else { first.escape_ascii().to_string().into() };
            format!("`{shown}` has no meaning here")
        } else if !rest[..habit.len].iter().any(u8::is_ascii) {
            "this character is outside ASCII".to_owned()
        } else {
            "these quotes are outside ASCII".to_owned()
        };
        let span = Span::new(self.file, self.start as u32, self.at as u32);
        let error = Diagnostic::of(Code::UnknownCharacter, message).label(span, "");
        let error = match habit.change {
            Some(text) => error.suggest(span, text, habit.help),
            None if habit.help.is_empty() => error,
            None => error.help(habit.help),
        };
        self.out.errors.push((self.start as u32, error));
        Error
    }
    /// Returns true if only white space precedes the present token on its line.
    fn begins_line(&self) -> bool {
        let before = self.text[..self.start].iter().rev().take_while(|byte| **byte != b'\n');
        before.copied().all(|byte| byte.is_ascii_whitespace())
    }
    /// How many bytes the character at the next byte has: 0 at the end, 1 if it is not UTF-8.
    fn character_len(&self) -> usize {
        let rest = &self.text[self.at..];
        let whole = |len: &usize| rest.get(..*len).is_some_and(|b| std::str::from_utf8(b).is_ok());
        (1..=4).find(whole).unwrap_or(rest.len().min(1))
    }
    fn lexeme(&self) -> &[u8] {
        &self.text[self.start..self.at]
    }
    fn escape_error(&mut self, start: usize, end: usize) {
        let help = r#"the escapes are \n \t \r \0 \\ and \""#;
        self.error(start..end, Code::UnknownEscape, "there is no such escape", Some(help));
    }
    fn error(&mut self, bytes: Range<usize>, code: Code, message: &str, help: Option<&str>) {
        let span = Span::new(self.file, bytes.start as u32, bytes.end as u32);
        let mut diagnostic = Diagnostic::of(code, message).label(span, "");
        diagnostic.help.extend(help.map(String::from));
        self.out.errors.push((self.start as u32, diagnostic));
    }
}

/// The longest operator or punctuation that starts with these bytes, and its length.
fn mark(first: u8, second: Option<u8>) -> Option<(SyntaxKind, usize)> {
    let double = match (first, second) {
        (b'-', Some(b'>')) => Arrow,
        (b'<', Some(b'-')) => Write,
        (b'+', Some(b'+')) => Append,
        (b'=', Some(b'=')) => EqualEqual,
        (b'/', Some(b'=')) => NotEqual,
        (b'<', Some(b'=')) => LessEqual,
        (b'>', Some(b'=')) => GreaterEqual,
        (b':', Some(b':')) => ColonColon,
        (b':', Some(b'=')) => ColonEqual,
        (b'=', Some(b'>')) => FatArrow,
        (b'|', Some(b'|')) => BarBar,
        _ => return single(first).map(|kind| (kind, 1)),
    };
    Some((double, 2))
}

fn single(byte: u8) -> Option<SyntaxKind> {
    Some(match byte {
        b'+' => Plus,
        b'-' => Minus,
        b'*' => Star,
        b'/' => Slash,
        b'^' => Caret,
        b'#' => Hash,
        b'@' => At,
        b'<' => Less,
        b'>' => Greater,
        b'=' => Equal,
        b',' => Comma,
        b';' => Semicolon,
        b'$' => Dollar,
        b':' => Colon,
        b'|' => Bar,
        b'(' => LeftParen,
        b')' => RightParen,
        b'[' => LeftBracket,
        b']' => RightBracket,
        b'{' => LeftBrace,
        b'}' => RightBrace,
        _ => return None,
    })
}
