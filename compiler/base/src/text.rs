//! The toolkit for reading textual IRs: a tokeniser and cursor shared by all readers, and the error
//! that they give.
//!
//! Every IR is printed one statement a line, blocks in braces, and read back with [`Reader`].
//! `--` starts a comment that ends with the line.

use crate::id::Id;
use crate::span::Span;
use std::fmt;

/// Why IR text could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// What was wrong.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ReadError {}

/// What reading gives.
pub type Result<T> = std::result::Result<T, ReadError>;

/// A token of IR text.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A word: letters, digits, `_`, `.`, `^`, starting with a letter or `_`.
    Word(String),
    /// A number as written, sign included.
    Number(String),
    /// A quoted text, escapes resolved.
    Text(Vec<u8>),
    /// Anything else: `->` or one character.
    Mark(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(w) | Token::Number(w) => write!(f, "`{w}`"),
            Token::Text(_) => f.write_str("a text"),
            Token::Mark(m) => write!(f, "`{m}`"),
        }
    }
}

const MARKS: [&str; 21] = [
    "->", "..", ":=", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", "=", "\\", "|", "*",
    "@", "?", "!",
];

/// A cursor over the tokens of IR text.
pub struct Reader {
    tokens: Vec<(Token, usize)>,
    at: usize,
    last_line: usize,
}

impl Reader {
    /// Splits the text into tokens.
    pub fn new(text: &str) -> Result<Reader> {
        let mut tokens = Vec::new();
        for (number, line) in text.lines().enumerate() {
            tokenize_line(line, number + 1, &mut tokens)?;
        }
        Ok(Reader { tokens, at: 0, last_line: text.lines().count() })
    }
    /// An error at the current token.
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let line = self.tokens.get(self.at).map_or(self.last_line, |t| t.1);
        Err(ReadError { line, message: message.into() })
    }
    /// The current token.
    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.0)
    }
    /// The token `n` after the current one.
    pub fn peek_at(&self, n: usize) -> Option<&Token> {
        self.tokens.get(self.at + n).map(|t| &t.0)
    }
    /// Whether all tokens were read.
    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }
    /// Whether the current token is this mark.
    pub fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(m)) if *m == mark)
    }
    /// Whether the current token is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if w == word)
    }
    /// Takes the mark if it is next.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }
    /// Takes the word if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }
    /// Takes the mark or fails.
    pub fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }
    /// Takes the word or fails.
    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }
    /// Takes any word.
    pub fn word(&mut self) -> Result<String> {
        match self.peek().cloned() {
            Some(Token::Word(w)) => {
                self.at += 1;
                Ok(w)
            }
            _ => self.expected("a word"),
        }
    }
    /// Takes a number.
    pub fn number(&mut self) -> Result<String> {
        match self.peek().cloned() {
            Some(Token::Number(n)) => {
                self.at += 1;
                Ok(n)
            }
            _ => self.expected("a number"),
        }
    }
    /// Takes a whole number.
    pub fn integer<T: std::str::FromStr>(&mut self) -> Result<T> {
        let text = self.number()?;
        text.parse().or_else(|_| self.error(format!("`{text}` does not fit here")))
    }
    /// Takes a quoted text.
    pub fn text(&mut self) -> Result<Vec<u8>> {
        match self.peek().cloned() {
            Some(Token::Text(t)) => {
                self.at += 1;
                Ok(t)
            }
            _ => self.expected("a text"),
        }
    }
    /// Takes an id such as `v12`.
    pub fn id<I: Id>(&mut self) -> Result<I> {
        if let Some(Token::Word(w)) = self.peek()
            && let Some(id) = I::parse(w)
        {
            self.at += 1;
            return Ok(id);
        }
        self.expected(&format!("an id such as {}0", I::PREFIX))
    }
    /// Whether the current token is an id of this kind.
    pub fn is_id<I: Id>(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(w)) if I::parse(w).is_some())
    }
    /// Takes a name: a word, or a text where the name is no word.
    pub fn name(&mut self) -> Result<String> {
        match self.peek() {
            Some(Token::Text(_)) => Ok(String::from_utf8_lossy(&self.text()?).into_owned()),
            _ => self.word(),
        }
    }
    /// Takes a place in a source (`@0:12:15`) if one is next.
    pub fn span(&mut self) -> Result<Span> {
        if !self.eat("@") {
            return Ok(Span::none());
        }
        let file: u32 = self.integer()?;
        self.expect(":")?;
        let start = self.integer()?;
        self.expect(":")?;
        Ok(Span::new(Id::new(file as usize), start, self.integer()?))
    }
    /// Items between `open` and `close`, separated by commas.
    pub fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Reader) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
    /// Takes the current token, whatever it is.
    pub fn advance(&mut self) {
        self.at += 1;
    }
    /// The error that something else should stand here.
    pub fn expected<T>(&self, what: &str) -> Result<T> {
        match self.peek() {
            Some(t) => self.error(format!("expected {what}, found {t}")),
            None => self.error(format!("expected {what}, found the end")),
        }
    }
}

fn tokenize_line(line: &str, number: usize, out: &mut Vec<(Token, usize)>) -> Result<()> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &line[at..];
        let c = bytes[at];
        if c.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("--") {
            break;
        } else if c.is_ascii_alphabetic() || c == b'_' {
            let end = word_end(bytes, at);
            out.push((Token::Word(line[at..end].to_string()), number));
            at = end;
        } else if c.is_ascii_digit() || (c == b'-' && !rest.starts_with("->")) {
            let end = number_end(bytes, at);
            out.push((Token::Number(line[at..end].to_string()), number));
            at = end;
        } else if c == b'"' {
            let (text, end) = quoted(bytes, at, number)?;
            out.push((Token::Text(text), number));
            at = end;
        } else if let Some(mark) = MARKS.iter().find(|m| rest.starts_with(**m)) {
            out.push((Token::Mark(mark), number));
            at += mark.len();
        } else {
            let message = format!("unexpected character `{}`", rest.chars().next().unwrap_or(' '));
            return Err(ReadError { line: number, message });
        }
    }
    Ok(())
}

fn word_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len()
        && (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'.' | b'^'))
    {
        at += 1;
    }
    at
}

/// The end of a number: digits, point, exponent with its sign, or `-inf`.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        let c = bytes[at];
        let sign_of_exponent = matches!(c, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
        if !(c.is_ascii_alphanumeric() || c == b'.' || sign_of_exponent) {
            break;
        }
        at += 1;
    }
    at
}

fn quoted(bytes: &[u8], start: usize, line: usize) -> Result<(Vec<u8>, usize)> {
    let mut text = Vec::new();
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return Err(ReadError { line, message: "a text is not closed".into() }),
            Some(b'"') => return Ok((text, at + 1)),
            Some(b'\\') => {
                let hex = bytes.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok());
                match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
                    Some(byte) => text.push(byte),
                    None => return Err(ReadError { line, message: "bad escape".into() }),
                }
                at += 3;
            }
            Some(&b) => {
                text.push(b);
                at += 1;
            }
        }
    }
}

/// A name as [`Reader::name`] takes it.
pub fn name(name: &str) -> String {
    let bytes = name.as_bytes();
    let starts = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    if starts && word_end(bytes, 0) == bytes.len() { name.into() } else { quote(bytes) }
}

/// A text in quotes; bytes outside printable ASCII, `"` and `\` as `\hh`.
pub fn quote(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &b in text {
        if (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\' {
            out.push(b as char);
        } else {
            out.push_str(&format!("\\{b:02x}"));
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn names_and_texts_read_back() {
        for text in ["norms", "norms^", "_x.1", "++", "1st", "", "a b", "\"\\"] {
            let mut reader = Reader::new(&name(text)).unwrap();
            assert_eq!(reader.name().unwrap(), text);
            assert!(reader.at_end());
        }
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(Reader::new(&quote(&bytes)).unwrap().text().unwrap(), bytes);
    }

    #[test]
    fn places_read_back() {
        let span = Span::new(FileId::new(2), 10, 15);
        assert_eq!(span.to_string(), " @2:10:15");
        assert_eq!(Reader::new(&span.to_string()).unwrap().span().unwrap(), span);
        assert_eq!(Span::none().to_string(), "");
        assert!(Reader::new("").unwrap().span().unwrap().is_none());
    }

    #[test]
    fn errors_name_the_line() {
        let mut reader = Reader::new("add -- a comment\n  -1.5e-3 ->").unwrap();
        assert_eq!(reader.word().unwrap(), "add");
        let error = reader.integer::<i64>().unwrap_err();
        assert_eq!(error.to_string(), "line 2: `-1.5e-3` does not fit here");
        let error = reader.expect("=").unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected `=`, found `->`");
        assert_eq!(
            Reader::new("\n#").err().unwrap().to_string(),
            "line 2: unexpected character `#`"
        );
    }
}
