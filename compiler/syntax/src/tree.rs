//! The lossless tree: every byte of a text, grouped by the grammar.
//!
//! A node starts and ends with tokens that are not trivia; white space and comments belong to the
//! node around.  The tree's texts must be UTF-8, NESL's need not be: a byte that is not UTF-8 has a
//! stand-in of one byte in the tree.  So places agree, and [`Tree::bytes`] knows the source.

use crate::grammar::forms::{self, Errors};
use crate::grammar::types;
use crate::kind::{Nesl, SyntaxKind, SyntaxNode};
use crate::lexer::{Lexed, Token, lex};
use crate::parser::{Event, Parser};
use base::{Code, Diagnostic, FileId, Span};
use rowan::{GreenNode, GreenToken, Language, NodeOrToken, TextRange};
use std::borrow::Cow;

/// A text, its tree, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Tree {
    text: Vec<u8>,
    root: GreenNode,
    /// All tokens that are not trivia, then `End`.
    tokens: Vec<Token>,
    errors: Vec<Vec<Diagnostic>>,
    follows: Vec<bool>,
}

impl Tree {
    /// A tree whose forms have these errors.
    pub(crate) fn new(
        text: &[u8],
        root: GreenNode,
        tokens: Vec<Token>,
        errors: Vec<Errors>,
    ) -> Tree {
        let (errors, follows) = errors.into_iter().map(|form| (form.errors, form.follows)).unzip();
        Tree { text: text.to_vec(), root, tokens, errors, follows }
    }
    /// The root; its child nodes are the forms.
    pub fn root(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.root.clone())
    }
    /// For each form its errors.
    pub fn errors(&self) -> &[Vec<Diagnostic>] {
        &self.errors
    }
    /// For each form its errors, but for one that only follows from an error in a form before.
    pub fn mistakes(&self) -> impl Iterator<Item = &[Diagnostic]> {
        self.errors.iter().zip(&self.follows).map(|(errors, follows)| match errors.as_slice() {
            [own @ .., _] if *follows => own,
            all => all,
        })
    }
    /// The root without places.
    pub(crate) fn green(&self) -> &GreenNode {
        &self.root
    }
    /// All tokens that are not trivia, then `End`.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }
    /// The whole source.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }
    /// The source bytes of a place.
    pub fn bytes(&self, range: TextRange) -> &[u8] {
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }
}

/// Reads a text into its tree.
pub(crate) fn parse_source(file: FileId, text: &[u8]) -> Tree {
    parse_with(file, text, forms::source)
}

/// Reads `type classes`; the errors are those of one form.
pub(crate) fn parse_signature(file: FileId, text: &[u8]) -> Tree {
    parse_with(file, text, |p, lexical| {
        let root = p.open();
        types::signature(p);
        if !p.failed() && !p.at_end() {
            p.expected("the end of the type");
        }
        let (fault, reach) = p.end_form();
        while !p.at_end() {
            p.bump();
        }
        p.close(root, SyntaxKind::Source).done();
        let lexical = lexical.into_iter().filter(|error| error.0 < reach);
        let errors = lexical.map(|error| error.1).chain(fault).collect();
        vec![Errors { errors, follows: false }]
    })
}

fn parse_with(
    file: FileId,
    text: &[u8],
    grammar: impl FnOnce(&mut Parser<'_>, Vec<(u32, Diagnostic)>) -> Vec<Errors>,
) -> Tree {
    // Places are 32-bit numbers.
    let Ok(len) = u32::try_from(text.len()) else { return too_long(file) };
    let Lexed { tokens, errors } = lex(file, text);
    let mut significant: Vec<Token> =
        tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
    significant.push(Token { kind: SyntaxKind::End, start: len, end: len });
    let mut parser = Parser::new(file, text, &significant);
    let errors = grammar(&mut parser, errors);
    let root = green(text, &tokens, parser.events);
    Tree::new(text, root, significant, errors)
}

/// The tree of some tokens of a text.
pub(crate) fn green(text: &[u8], tokens: &[Token], events: Vec<Event>) -> GreenNode {
    GreenBuilder::new(&utf8(text), tokens).build(events)
}

fn too_long(file: FileId) -> Tree {
    let place = Span::new(file, 0, 0);
    let error =
        Diagnostic::of(Code::LongText, "a source text has less than 4 GiB").label(place, "");
    let form = GreenNode::new(Nesl::kind_to_raw(SyntaxKind::ErrorForm), []);
    let root = GreenNode::new(Nesl::kind_to_raw(SyntaxKind::Source), [form.into()]);
    let errors = vec![Errors { errors: vec![error], follows: false }];
    Tree::new(&[], root, vec![Token { kind: SyntaxKind::End, start: 0, end: 0 }], errors)
}

/// The text with a stand-in for each byte that is not UTF-8.
fn utf8(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    Cow::Owned(out)
}

/// Events and tokens to nodes.
///
/// `rowan`'s own builder shares equal nodes through a table that hashes whole subtrees whenever it
/// grows, which is quadratic in the depth; this one shares tokens only.
struct GreenBuilder<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// Open nodes: kind and first child.
    open: Vec<(SyntaxKind, usize)>,
    children: Vec<NodeOrToken<GreenNode, GreenToken>>,
    /// By kind, the token last made.
    last: Vec<Option<GreenToken>>,
}

impl<'t> GreenBuilder<'t> {
    fn new(text: &'t str, tokens: &'t [Token]) -> GreenBuilder<'t> {
        let last = vec![None; SyntaxKind::ALL.len()];
        GreenBuilder { text, tokens, at: 0, open: Vec::new(), children: Vec::new(), last }
    }
    fn build(mut self, mut events: Vec<Event>) -> GreenNode {
        let mut around = Vec::new();
        for at in 0..events.len() {
            match events[at] {
                Event::Open { .. } => {
                    nodes_opened_at(&mut events, at, &mut around);
                    if !self.open.is_empty() {
                        self.trivia();
                    }
                    while let Some(kind) = around.pop() {
                        self.open.push((kind, self.children.len()));
                    }
                }
                Event::Opened => {}
                Event::Token => {
                    self.trivia();
                    self.token();
                }
                Event::Close => {
                    if self.open.len() == 1 {
                        self.trivia();
                    }
                    self.close();
                }
            }
        }
        match self.children.pop() {
            Some(NodeOrToken::Node(root)) => root,
            _ => GreenNode::new(Nesl::kind_to_raw(SyntaxKind::Source), []),
        }
    }
    fn trivia(&mut self) {
        while self.tokens.get(self.at).is_some_and(|token| token.kind.is_trivia()) {
            self.token();
        }
    }
    fn token(&mut self) {
        let Some(token) = self.tokens.get(self.at) else { return };
        self.at += 1;
        let text = &self.text[token.start as usize..token.end as usize];
        let last = &mut self.last[token.kind as usize];
        let green = match last {
            Some(green) if green.text() == text => green.clone(),
            _ => last.insert(GreenToken::new(Nesl::kind_to_raw(token.kind), text)).clone(),
        };
        self.children.push(NodeOrToken::Token(green));
    }
    fn close(&mut self) {
        if let Some((kind, first)) = self.open.pop() {
            let node = GreenNode::new(Nesl::kind_to_raw(kind), self.children.drain(first..));
            self.children.push(NodeOrToken::Node(node));
        }
    }
}

/// Collects the nodes that open at this event, innermost first: the event's own and those that
/// were wrapped around it later, which must not open again where they were recorded.
fn nodes_opened_at(events: &mut [Event], at: usize, around: &mut Vec<SyntaxKind>) {
    let mut next = Some(at);
    while let Some(index) = next {
        match std::mem::replace(&mut events[index], Event::Opened) {
            Event::Open { kind, wrapped_by } => {
                around.push(kind);
                next = wrapped_by.map(|outer| outer as usize);
            }
            Event::Opened | Event::Token | Event::Close => next = None,
        }
    }
}
