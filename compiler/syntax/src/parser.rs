//! The machine under the grammar: looks at tokens, records events, and reports the first error.
//!
//! The grammar does not build a tree.  It records which nodes open and close between the tokens;
//! [`crate::tree`] turns these events and all tokens, white space included, into the lossless tree.
//! A node can be wrapped after it was closed, which is how left-associative operators arise:
//!
//! ```text
//! 1 + 2      open a, token, close a Literal; wrap a by b, token, ..., close b BinaryExp
//! ```
//!
//! After the first error of a form every look at the tokens shows the end of the text, so that the
//! grammar's functions return without recording more; the form is then skipped to its terminator.

use crate::grammar::habits::{self, Place};
use crate::grammar::swallowed;
use crate::kind::SyntaxKind;
use crate::lexer::Token;
use base::{Code, Diagnostic, FileId, Kind, Span};

/// How deep the tree may be.  Everything that walks a tree by recursion relies on it.
pub const MAX_DEPTH: u32 = 50_000;

/// One step of building the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A node opens; `wrapped_by` is the later event of the node that opens around it.
    Open { kind: SyntaxKind, wrapped_by: Option<u32> },
    /// A node that opened earlier, around one that it wraps.
    Opened,
    /// The next token that is not trivia.
    Token,
    /// The innermost open node closes.
    Close,
}

/// A node that is to be closed.
#[must_use]
pub(crate) struct Open(u32);

/// A node that was closed and may be wrapped.
#[must_use]
#[derive(Clone, Copy)]
pub(crate) struct Closed {
    start: u32,
    height: u32,
    pub(crate) kind: SyntaxKind,
}

impl Closed {
    /// For nodes that are not wrapped.
    pub(crate) fn done(self) {}
}

/// The first error of a form.
struct Fault {
    /// Where reading stopped.
    at: u32,
    /// Absent if the lexer has reported the token.
    diagnostic: Option<Diagnostic>,
}

/// Reads tokens, records events.
pub(crate) struct Parser<'t> {
    file: FileId,
    text: &'t [u8],
    /// All tokens that are not trivia, then `End`.
    tokens: &'t [Token],
    at: usize,
    /// The first token of the present form.
    first: usize,
    pub(crate) events: Vec<Event>,
    /// For each open node the height of its highest closed child.
    heights: Vec<u32>,
    fault: Option<Fault>,
}

impl<'t> Parser<'t> {
    /// Reads the tokens, which hold no trivia and end with `End`.
    pub(crate) fn new(file: FileId, text: &'t [u8], tokens: &'t [Token]) -> Parser<'t> {
        let (events, heights) = (Vec::new(), Vec::new());
        Parser { file, text, tokens, at: 0, first: 0, events, heights, fault: None }
    }

    /// The same from a token on, with which a form begins.
    pub(crate) fn starting_at(self, first: usize) -> Parser<'t> {
        Parser { at: first, first, ..self }
    }

    // What comes next

    /// The kind of the next token; `End` after an error.
    pub(crate) fn current(&self) -> SyntaxKind {
        self.nth(0)
    }
    /// The kind of the token `n` after the next; `End` after an error.
    pub(crate) fn nth(&self, n: usize) -> SyntaxKind {
        match self.tokens.get(self.at + n) {
            Some(token) if self.fault.is_none() => token.kind,
            _ => SyntaxKind::End,
        }
    }
    pub(crate) fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }
    /// The bytes of the next token.
    pub(crate) fn lexeme(&self) -> &'t [u8] {
        let token = self.tokens[self.at];
        &self.text[token.start as usize..token.end as usize]
    }
    /// The place of the next token.  The end of the text is shown behind the last token.
    pub(crate) fn span(&self) -> Span {
        let token = self.tokens[self.at];
        if token.kind == SyntaxKind::End {
            let end = self.at.checked_sub(1).map_or(token.start, |last| self.tokens[last].end);
            return Span::new(self.file, end, end);
        }
        Span::new(self.file, token.start, token.end)
    }

    /// The kind and place of the token `n` before the next, in the present form.
    pub(crate) fn before(&self, n: usize) -> Option<(SyntaxKind, Span)> {
        let at = self.at.checked_sub(n).filter(|at| *at >= self.first)?;
        let token = self.tokens[at];
        Some((token.kind, Span::new(self.file, token.start, token.end)))
    }

    // Events

    /// Takes the next token.
    pub(crate) fn bump(&mut self) {
        if !self.at(SyntaxKind::End) {
            self.events.push(Event::Token);
            self.at += 1;
        }
    }
    /// Takes the next token if it is of this kind.
    pub(crate) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }
    /// Opens a node.
    pub(crate) fn open(&mut self) -> Open {
        self.open_over(0)
    }
    /// Opens a node around one that was closed.
    pub(crate) fn wrap(&mut self, inner: Closed) -> Open {
        let outer = self.open_over(inner.height);
        if let Event::Open { wrapped_by, .. } = &mut self.events[inner.start as usize] {
            *wrapped_by = Some(outer.0);
        }
        outer
    }
    fn open_over(&mut self, height: u32) -> Open {
        self.heights.push(height);
        self.check_depth(height);
        let start = self.events.len() as u32;
        self.events.push(Event::Open { kind: SyntaxKind::Missing, wrapped_by: None });
        Open(start)
    }
    /// Closes the innermost open node, which must be this one.
    #[expect(clippy::needless_pass_by_value, reason = "a node is closed once")]
    pub(crate) fn close(&mut self, open: Open, kind: SyntaxKind) -> Closed {
        let height = self.heights.pop().unwrap_or(0) + 1;
        if let Some(parent) = self.heights.last_mut() {
            *parent = height.max(*parent);
        }
        if let Event::Open { kind: place, .. } = &mut self.events[open.0 as usize] {
            *place = kind;
        }
        self.events.push(Event::Close);
        Closed { start: open.0, height, kind }
    }
    /// A node that holds only the next token.
    pub(crate) fn leaf(&mut self, kind: SyntaxKind) -> Closed {
        let open = self.open();
        self.bump();
        self.close(open, kind)
    }
    /// The deepest path through an open node is as long as the open nodes and its height together.
    fn check_depth(&mut self, height: u32) {
        if self.heights.len() as u32 + height > MAX_DEPTH {
            let message = "this is nested too deeply";
            let note = format!("the compiler handles {MAX_DEPTH} levels");
            let error = Diagnostic::of(Code::LongText, message).label(self.span(), "");
            self.report(error.note(note));
        }
    }

    // Errors

    /// Takes a token of this kind, or reports that it is missing.
    pub(crate) fn expect(&mut self, kind: SyntaxKind) {
        if !self.eat(kind) {
            self.expected(&kind.to_string());
        }
    }
    /// Reports that the next token is not what it should be.
    pub(crate) fn expected(&mut self, what: &str) {
        self.expected_with(what, |diagnostic| diagnostic);
    }
    /// The same, and says what to do.
    pub(crate) fn expected_help(&mut self, what: &str, help: impl Into<Option<&'static str>>) {
        self.expected_with(what, |mut diagnostic| {
            diagnostic.help.extend(help.into().map(String::from));
            diagnostic
        });
    }
    /// The same, and says more.
    pub(crate) fn expected_with(
        &mut self,
        what: &str,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::at(Kind::Parse, self.span(), message);
        self.report(more(diagnostic));
    }
    /// Reports the first error of the form; later ones would be consequences of it.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.fault.is_none() {
            let token = self.tokens[self.at];
            let known = token.kind == SyntaxKind::Error;
            let Parser { file, text, tokens, at, first, .. } = *self;
            let place = Place { file, text, tokens, first, at };
            let diagnostic =
                (!known).then(|| swallowed::explain(&place, habits::explain(&place, diagnostic)));
            self.fault = Some(Fault { at: token.start, diagnostic });
        }
    }
    /// The next token as messages name it.
    fn found(&self) -> String {
        let kind = self.tokens[self.at].kind;
        let shown = || String::from_utf8_lossy(self.lexeme()).to_ascii_lowercase();
        match kind {
            SyntaxKind::Ident => format!("the name `{}`", shown()),
            SyntaxKind::Int | SyntaxKind::Float => format!("the number `{}`", shown()),
            SyntaxKind::True | SyntaxKind::False => format!("the literal {kind}"),
            SyntaxKind::Wildcard => "the wildcard `_`".to_string(),
            _ if SyntaxKind::WORDS.iter().any(|word| word.0 == kind) => {
                format!("the reserved word {kind}")
            }
            _ => kind.to_string(),
        }
    }
    /// Whether the present form has an error.
    pub(crate) fn failed(&self) -> bool {
        self.fault.is_some()
    }

    // Forms

    /// The next token begins a form.
    pub(crate) fn begin_form(&mut self) {
        self.first = self.at;
    }
    /// Whether all tokens were read.
    pub(crate) fn at_end(&self) -> bool {
        self.tokens[self.at].kind == SyntaxKind::End
    }
    /// The end of the token before the next one.
    pub(crate) fn reached(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].end)
    }
    /// Takes all tokens before the next terminator.
    pub(crate) fn skip_form(&mut self) {
        while !self.at_end() && !self.tokens[self.at].kind.is_terminator() {
            self.events.push(Event::Token);
            self.at += 1;
        }
    }
    /// The kinds of the tokens of the present form that were taken.
    pub(crate) fn form(&self) -> Vec<SyntaxKind> {
        self.tokens[self.first..self.at].iter().map(|token| token.kind).collect()
    }
    /// The token of the present form at which reading stopped, if it did.
    pub(crate) fn fault(&self) -> Option<usize> {
        let fault = self.fault.as_ref()?;
        let form = &self.tokens[self.first..self.at];
        Some(form.partition_point(|token| token.start < fault.at))
    }
    /// Ends a form: its error, and the byte up to which its tokens were read.
    pub(crate) fn end_form(&mut self) -> (Option<Diagnostic>, u32) {
        let here = self.tokens[self.at].start;
        match self.fault.take() {
            Some(fault) => (fault.diagnostic, fault.at.saturating_add(1)),
            None => (None, here),
        }
    }
}
