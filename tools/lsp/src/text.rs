//! Places of a text, as the compiler and as editors count them.
//!
//! The compiler counts bytes from the start of the text.  The protocol counts lines, and in a line
//! units of UTF-16, of which a character outside the basic plane takes two.
//!
//! ```text
//! text        % é𝄞 % x       bytes of x: 10..11      units of x: 8..9
//! ```

use base::{FileId, Id, Span};
use gen_lsp_types::{Position, Range};

/// A text and where its lines start.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    /// First bytes of the lines.
    lines: Vec<usize>,
}

impl Text {
    /// A text.
    pub(crate) fn new(text: String) -> Text {
        let bytes = text.as_bytes();
        // The protocol has three ends of lines: `\n`, `\r\n`, and `\r` alone.
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Text { text, lines }
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
        let units = self.text[self.lines[line]..offset].encode_utf16().count();
        Position { line: line as u32, character: units as u32 }
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
            if left < character.len_utf16() {
                return (start + at) as u32;
            }
            left -= character.len_utf16();
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
        let text = Text::new(text.to_owned());
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
    fn places_inside_characters_are_their_starts() {
        let text = Text::new("𝄞x".to_owned());
        assert_eq!(text.position(2), Position { line: 0, character: 0 });
        assert_eq!(text.offset(Position { line: 0, character: 1 }), 0);
    }

    #[test]
    fn places_beyond_the_end_are_the_end() {
        let text = Text::new("ab\nc".to_owned());
        assert_eq!(text.offset(Position { line: 0, character: 9 }), 2);
        assert_eq!(text.offset(Position { line: 7, character: 0 }), 4);
        assert_eq!(text.position(99), Position { line: 1, character: 1 });
    }
}
