//! Places of a text, as the compiler and as editors count them.
//!
//! The compiler counts bytes from the start of the text.  The protocol counts lines, and in a line
//! units of the encoding that editor and server agree on: of UTF-16, of which a character outside
//! the basic plane takes two, or of UTF-8, which are bytes, or of UTF-32, which are characters.
//!
//! ```text
//! text        % é𝄞 % x       bytes of x: 10..11      units of x: 8..9
//! ```

use base::{FileId, Id, Span};
use gen_lsp_types::{Position, Range};

/// What is counted in a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits, which every editor knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// How many units a character takes.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text and where its lines start.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    encoding: Encoding,
    text: String,
    /// First bytes of the lines.
    lines: Vec<usize>,
}

impl Text {
    /// A text.
    pub(crate) fn new(text: String, encoding: Encoding) -> Text {
        let bytes = text.as_bytes();
        // The protocol has three ends of lines: `\n`, `\r\n`, and `\r` alone.
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Text { encoding, text, lines }
    }
    /// What is counted in a line.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }
    /// How many units a piece of text takes.
    pub(crate) fn units(&self, text: &str) -> u32 {
        text.chars().map(|character| self.encoding.units(character)).sum::<usize>() as u32
    }
    /// The whole text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
    /// What stands at a span.
    pub(crate) fn at(&self, span: Span) -> &str {
        &self.text[self.floor(span.start as usize)..self.floor(span.end as usize)]
    }
    /// The position of a byte.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = self.floor(offset as usize);
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let units = self.units(&self.text[self.lines[line]..offset]);
        Position { line: line as u32, character: units }
    }
    /// The range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start), end: self.position(span.end) }
    }
    /// The byte of a position: the end of the line or text where the position is beyond it.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(&start) = self.lines.get(line) else { return self.text.len() as u32 };
        let end = self.lines.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let mut left = position.character as usize;
        for (at, character) in self.text[start..end].char_indices() {
            let units = self.encoding.units(character);
            if left < units {
                return (start + at) as u32;
            }
            left -= units;
        }
        end as u32
    }
    /// The span of a range.
    pub(crate) fn span(&self, file: FileId, range: Range) -> Span {
        Span::new(file, self.offset(range.start), self.offset(range.end))
    }
    /// The range of the whole text.
    pub(crate) fn whole(&self) -> Range {
        self.range(Span::new(Id::new(0), 0, self.text.len() as u32))
    }
    /// The start of the character that a byte belongs to.
    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: u32, line: u32, character: u32) {
        let text = Text::new(text.to_owned(), Encoding::Utf16);
        assert_eq!(text.position(offset), Position { line, character });
        assert_eq!(text.offset(Position { line, character }), offset);
    }

    #[test]
    fn units_are_not_bytes() {
        check("% é𝄞 % x", 11, 0, 8);
        check("\"ü\";\r\ny", 7, 1, 0);
        check("a\n% 漢字 % b\n", 13, 1, 7);
        check("a\n", 2, 1, 0);
        check("a\rb\r\nc\r", 2, 1, 0);
        check("a\rb\r\nc\r", 5, 2, 0);
        check("a\rb\r\nc\r", 7, 3, 0);
        check("", 0, 0, 0);
    }

    #[test]
    fn units_are_those_of_the_encoding() {
        for (encoding, character) in
            [(Encoding::Utf8, 10), (Encoding::Utf16, 7), (Encoding::Utf32, 6)]
        {
            let text = Text::new("a\n% é𝄞 %x".to_owned(), encoding);
            let place = Position { line: 1, character };
            assert_eq!(text.position(12), place, "{encoding:?}");
            assert_eq!(text.offset(place), 12, "{encoding:?}");
        }
    }

    #[test]
    fn places_inside_characters_are_their_starts() {
        let text = Text::new("𝄞x".to_owned(), Encoding::Utf16);
        assert_eq!(text.position(2), Position { line: 0, character: 0 });
        assert_eq!(text.offset(Position { line: 0, character: 1 }), 0);
    }

    #[test]
    fn places_beyond_the_end_are_the_end() {
        let text = Text::new("ab\nc".to_owned(), Encoding::Utf16);
        assert_eq!(text.offset(Position { line: 0, character: 9 }), 2);
        assert_eq!(text.offset(Position { line: 7, character: 0 }), 4);
        assert_eq!(text.position(99), Position { line: 1, character: 1 });
    }
}
