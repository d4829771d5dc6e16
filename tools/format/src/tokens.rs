//! The tokens of a text, each with the comments before it, sorted by where they belong.
//!
//! ```text
//! x = 1 % behind 1 %
//!     % on a line of its own %
//!     + % before y % y;
//! ```
//!
//! What a comment is depends only on the ends of lines beside it, and printing it keeps these.  So
//! a text that was printed is read as it was.

use syntax::{SyntaxKind, Tree};

/// A token that is neither white space nor a comment.
#[derive(Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: SyntaxKind,
    pub(crate) text: &'t [u8],
    /// Absent if there is nothing but white space in one line.
    pub(crate) before: Option<Box<Before<'t>>>,
}

/// What stands between a token and the one before it.
#[derive(Default, Debug)]
pub(crate) struct Before<'t> {
    /// Comments that end the line of the token before.
    pub(crate) behind: Vec<&'t [u8]>,
    /// Lines of comments.
    pub(crate) lines: Vec<Line<'t>>,
    /// Comments on the token's own line.
    pub(crate) beside: Vec<&'t [u8]>,
    /// Whether an empty line stands before that line.
    pub(crate) empty: bool,
}

/// A line of comments.
#[derive(Debug)]
pub(crate) struct Line<'t> {
    /// Whether an empty line stands before it.
    pub(crate) empty: bool,
    pub(crate) comments: Vec<&'t [u8]>,
}

/// All tokens, then `End`.
pub(crate) fn tokens(tree: &Tree) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut reader = Reader { first: true, ..Reader::default() };
    for (kind, text) in lexemes(tree) {
        match kind {
            SyntaxKind::Space => reader.space(text),
            SyntaxKind::Comment => reader.comments.push(text),
            _ => {
                tokens.push(Token { kind, text, before: reader.before() });
                reader = Reader::default();
            }
        }
    }
    // The end of the text ends a line.
    reader.space(b"\n");
    tokens.push(Token { kind: SyntaxKind::End, text: b"", before: reader.before() });
    tokens
}

/// Kind and text of everything in the tree, white space and comments included.
pub(crate) fn lexemes(tree: &Tree) -> impl Iterator<Item = (SyntaxKind, &[u8])> {
    let elements = tree.root().descendants_with_tokens();
    let tokens = elements.filter_map(|element| element.into_token());
    tokens.map(|token| (token.kind(), tree.bytes(token.text_range())))
}

/// Sorts what stands between two tokens.
#[derive(Default)]
struct Reader<'t> {
    before: Before<'t>,
    /// Comments of this line.
    comments: Vec<&'t [u8]>,
    /// Whether a line has ended.
    ended: bool,
    /// Whether an empty line stands before this line.
    empty: bool,
    /// Whether there is no token before.
    first: bool,
}

impl<'t> Reader<'t> {
    fn space(&mut self, text: &[u8]) {
        let ends = text.iter().filter(|byte| **byte == b'\n').count();
        if ends == 0 {
            return;
        }
        let comments = std::mem::take(&mut self.comments);
        if self.ended || self.first {
            if !comments.is_empty() {
                self.before.lines.push(Line { empty: self.empty, comments });
                self.empty = false;
            }
        } else {
            self.before.behind = comments;
        }
        self.ended = true;
        self.empty |= ends > 1;
    }
    fn before(mut self) -> Option<Box<Before<'t>>> {
        self.before.beside = self.comments;
        self.before.empty = self.empty;
        let Before { behind, lines, beside, empty } = &self.before;
        let nothing = behind.is_empty() && lines.is_empty() && beside.is_empty() && !empty;
        (!nothing).then(|| Box::new(self.before))
    }
}
