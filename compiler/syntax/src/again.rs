//! Reading a text again after a change: the forms that the change does not reach stay as they are.
//!
//! A form is read from its first token to its terminator, whatever stands around it.  So all forms
//! in the bytes that two versions begin or end with are kept, as soon as a form between them ends
//! where one did before:
//!
//! ```text
//! before    a = 1; b = 2;         c = 3; d = 4; e = 5;
//! now       a = 1; b = 2; x = [1; c = 3; d = 4; e = 5;
//!           kept   \___ read again ____/ kept, further right
//! ```
//!
//! Messages may be about tokens of other forms, so forms with errors are always read again.

use crate::ast::{Form, Group};
use crate::build;
use crate::grammar::forms::{self, Errors, Unclosed};
use crate::kind::{Nesl, SyntaxKind};
use crate::lexer::{Lexed, Token, is_unclosed, lex_part, may_be_no_text};
use crate::parser::{Event, Parser};
use crate::tree::{Tree, green, parse_source};
use base::FileId;
use rowan::{GreenNode, GreenToken, Language, NodeOrToken};
use std::ops::Range;

/// Which forms of a text are those of its last version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// So many forms at the start.
    pub before: usize,
    /// So many forms at the end.
    pub after: usize,
    /// By how many bytes those at the end are further right.
    pub by: i64,
}

/// Reads a text of which the last version is known, in the same file; gives the same as
/// [`crate::parse_tree`] and [`crate::group`].
pub fn parse_again(file: FileId, last: (Tree, Group), text: &[u8]) -> (Tree, Group, Kept) {
    let (tree, group) = last;
    let Some(Again { tree: now, kept }) = Again::read(file, &tree, text) else {
        let tree = parse_source(file, text);
        let group = build::group(file, &tree);
        return (tree, group, Kept::default());
    };
    let breaks = |tree: &Tree| tree.text().iter().filter(|byte| **byte == b'\n').count() as i64;
    let lines = breaks(&now) - breaks(&tree);
    let mut old: Vec<Option<Form>> = group.forms.into_iter().map(Some).collect();
    let (count, before) = (now.errors().len(), old.len());
    // The text before a form on its line decides where the form may end.
    let own_line = own_line(&now, count - kept.after);
    let group = build::group_with(file, &now, |form| {
        if form < kept.before {
            return old[form].take();
        }
        let behind = (form >= own_line).then(|| count - form)?;
        let mut form = old[before - behind].take()?;
        form.shift(kept.by, lines);
        Some(form)
    });
    (now, group, kept)
}

/// The first form from this one on that begins on another line than the form before it ends.
fn own_line(tree: &Tree, from: usize) -> usize {
    let places = places(tree.green());
    let mut own = from;
    while let Some(place) = places.get(own) {
        let before = own.checked_sub(1).map_or(0, |last| places[last].until);
        if tree.text()[before as usize..place.start as usize].contains(&b'\n') {
            break;
        }
        own += 1;
    }
    own
}

/// The tree of a text that was read again.
struct Again {
    tree: Tree,
    kept: Kept,
}

/// The place of a form.
struct Place {
    kind: SyntaxKind,
    start: u32,
    /// The end of its terminator, or its own if it has none.
    until: u32,
    has_end: bool,
    /// The child of the root behind it and its terminator.
    next: usize,
}

/// The forms under a root.
fn places(root: &GreenNode) -> Vec<Place> {
    let (mut places, mut at) = (Vec::<Place>::new(), 0);
    for (index, child) in root.children().enumerate() {
        let kind = Nesl::kind_from_raw(child.kind());
        let start = at;
        at += match child {
            NodeOrToken::Node(node) => u32::from(node.text_len()),
            NodeOrToken::Token(token) => u32::from(token.text_len()),
        };
        match (child, places.last_mut()) {
            (NodeOrToken::Node(_), _) => {
                places.push(Place { kind, start, until: at, has_end: false, next: index + 1 });
            }
            (NodeOrToken::Token(_), Some(form)) if kind.is_terminator() => {
                (form.until, form.has_end, form.next) = (at, true, index + 1);
            }
            (NodeOrToken::Token(_), _) => {}
        }
    }
    places
}

impl Again {
    /// Reads what has changed; nothing if all is to be read.
    fn read(file: FileId, last: &Tree, text: &[u8]) -> Option<Again> {
        let len = u32::try_from(text.len()).ok()?;
        let (old, source) = (places(last.green()), last.text());
        let by = text.len() as i64 - source.len() as i64;
        let moved = |place: u32| (i64::from(place) + by) as u32;
        let (same, same_end) = common(source, text);
        // The first token of a form may matter for what the form before it is.
        let ended = |place: &Place| place.has_end && place.until as usize <= same;
        let before = old.partition_point(ended).saturating_sub(1);
        let from = before.checked_sub(1).map_or(0, |last| old[last].until);
        let changed = (source.len() - same_end) as u32;
        let first = old.partition_point(|place| place.until < changed).max(before);

        let mut reading = Reading { file, text, tokens: Vec::new(), wrong: Vec::new() };
        let mut errors: Option<(Vec<Errors>, Unclosed)> = None;
        let mut reach = first;
        let (lexed, target, read, mut unclosed) = loop {
            let end = old.get(reach).filter(|place| place.has_end);
            let target = end.map(|place| moved(place.until));
            let lexed = lex_part(file, text, from..target.unwrap_or(len));
            if lexed.errors.iter().any(|(_, error)| is_unclosed(error)) {
                return None;
            }
            let meets = |target: u32| match lexed.tokens.last() {
                Some(token) => token.end == target && token.kind.is_terminator(),
                None => from == target && before > 0,
            };
            if target.is_none_or(meets) {
                if errors.is_none() {
                    let behind = end.map(|place| (place.until, by));
                    reading.tokens = spliced(last.tokens(), from, &lexed, behind, len);
                    let mut unclosed = Unclosed::default();
                    let kept = 0..before;
                    let own = reading.kept(kept, &old, last, 0, &mut unclosed)?;
                    errors = Some((own, unclosed));
                }
                let mut unclosed = errors.as_ref().map(|it| it.1.clone()).unwrap_or_default();
                let read = reading.forms(from..target.unwrap_or(len), &lexed, &mut unclosed);
                // A form that goes wrong at the end of the text takes the space there, too.
                let ends = read.errors.is_empty() || read.has_end;
                if target.is_none_or(|target| read.end == target && ends) {
                    break (lexed, target, read, unclosed);
                }
            }
            // Each reach is twice as far as the one before.
            reach += reach - first + 1;
        };
        let after = target.map_or(0, |_| old.len() - reach - 1);
        let mut errors = errors.map(|it| it.0).unwrap_or_default();
        errors.extend(read.errors);
        reading.note_wrong(&lexed);
        errors.extend(reading.kept(old.len() - after..old.len(), &old, last, by, &mut unclosed)?);
        if may_be_no_text(text, &reading.wrong) {
            return None;
        }
        let region = green(text, &lexed.tokens, read.events);
        let ends = before.checked_sub(1).map_or(0, |last| old[last].next);
        let begins = target.map(|_| old[reach].next);
        let root = joined(last.green(), ends, &region, begins);
        let tree = Tree::new(text, root, reading.tokens, errors);
        Some(Again { tree, kept: Kept { before, after, by } })
    }
}

/// How many bytes two texts begin with, and how many of the others they end with.
fn common(a: &[u8], b: &[u8]) -> (usize, usize) {
    const BLOCK: usize = 4096;
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b);
    let start: usize = blocks.map(|(a, _)| a.len()).sum();
    let rest = a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count();
    let start = start + rest;
    let (a, b) = (&a[start..], &b[start..]);
    let blocks = a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(a, b)| a == b);
    let end: usize = blocks.map(|(a, _)| a.len()).sum();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let rest = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (start, end + rest)
}

/// The tokens of a text that are not trivia: up to a place those of its last version, then new
/// ones, and those of the last version behind a place, which have moved.
fn spliced(
    last: &[Token],
    from: u32,
    lexed: &Lexed,
    behind: Option<(u32, i64)>,
    len: u32,
) -> Vec<Token> {
    let before = &last[..last.partition_point(|token| token.start < from)];
    let new = lexed.tokens.iter().filter(|token| !token.kind.is_trivia());
    let mut tokens: Vec<Token> = before.iter().chain(new).copied().collect();
    match behind {
        Some((behind, by)) => {
            let moved = |place: u32| (i64::from(place) + by) as u32;
            let rest = &last[last.partition_point(|token| token.start < behind)..];
            tokens.extend(rest.iter().map(|&Token { kind, start, end }| Token {
                kind,
                start: moved(start),
                end: moved(end),
            }));
        }
        None => tokens.push(Token { kind: SyntaxKind::End, start: len, end: len }),
    }
    tokens
}

/// The children of a root up to one, those of another root, and again those of the first.
fn joined(last: &GreenNode, ends: usize, region: &GreenNode, begins: Option<usize>) -> GreenNode {
    let begins = begins.unwrap_or(last.children().len());
    let owned = |child: NodeOrToken<_, _>| child.to_owned();
    let (before, after) = (last.children().take(ends), last.children().skip(begins));
    let children = before.chain(region.children()).chain(after).map(owned);
    let children: Vec<NodeOrToken<GreenNode, GreenToken>> = children.collect();
    GreenNode::new(last.kind(), children)
}

/// A text of which parts are read.
struct Reading<'t> {
    file: FileId,
    text: &'t [u8],
    /// All tokens that are not trivia, then `End`.
    tokens: Vec<Token>,
    /// The tokens that are none.
    wrong: Vec<Token>,
}

/// The result of reading.
struct Read {
    /// The children of a root with the forms.
    events: Vec<Event>,
    errors: Vec<Errors>,
    /// The end of the last token.
    end: u32,
    /// True if that is the terminator of the last form.
    has_end: bool,
}

impl Reading<'_> {
    /// Reads forms from a place on, up to the first that ends at another place or behind it.
    fn forms(&self, place: Range<u32>, lexed: &Lexed, unclosed: &mut Unclosed) -> Read {
        let first = self.tokens.partition_point(|token| token.start < place.start);
        let mut parser = Parser::new(self.file, self.text, &self.tokens).starting_at(first);
        let errors = forms::some(&mut parser, lexed.errors.clone(), unclosed, place.end);
        let has_end = matches!(parser.events.as_slice(), [.., Event::Token, Event::Close]);
        Read { end: parser.reached(), has_end, events: parser.events, errors }
    }
    /// The errors of some forms that stay; those that have none are not read.
    fn kept(
        &mut self,
        forms: Range<usize>,
        old: &[Place],
        last: &Tree,
        by: i64,
        unclosed: &mut Unclosed,
    ) -> Option<Vec<Errors>> {
        let mut errors = Vec::with_capacity(forms.len());
        for form in forms {
            if last.errors()[form].is_empty() {
                unclosed.pass(old[form].kind);
                errors.push(Errors::default());
                continue;
            }
            let start = form.checked_sub(1).map_or(0, |before| old[before].until);
            let [start, end] = [start, old[form].until].map(|at| (i64::from(at) + by) as u32);
            let lexed = lex_part(self.file, self.text, start..end);
            if lexed.errors.iter().any(|(_, error)| is_unclosed(error)) {
                return None;
            }
            let read = self.forms(start..end, &lexed, unclosed);
            if read.end != end || read.errors.len() != 1 {
                return None;
            }
            self.note_wrong(&lexed);
            errors.extend(read.errors);
        }
        Some(errors)
    }
    fn note_wrong(&mut self, lexed: &Lexed) {
        let wrong = lexed.tokens.iter().filter(|token| token.kind == SyntaxKind::Error);
        self.wrong.extend(wrong);
    }
}
