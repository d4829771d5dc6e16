//! Diagnostics: what went wrong, where, whose fault it is, and what to do about it.
//!
//! A diagnostic is data.  Only [`Diagnostic::render`] and [`Diagnostic::short`] turn it into text.

use crate::code::Code;
use crate::span::{FileId, Files, Span};
use crate::trail::Trail;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// Whose fault it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The program or its input is wrong.
    User,
    /// The program is right, and we know that we cannot do it.
    Limit,
    /// Our fault.
    Bug,
}

/// Where a run-time error arises (LANGUAGE 11).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// Integer division by zero.
    Divide,
    /// An index outside its sequence.
    Index,
    /// A range step of 0, a slice beyond the ends.
    Range,
    /// Lengths that should agree and do not, or a negative length.
    Length,
    /// Positions that are no permutation.
    Permute,
    /// An argument outside a function's domain.
    Domain,
    /// `error(message)`.
    User,
    /// A file that cannot be read or written.
    File,
    /// Out of memory or stack.
    Memory,
}

impl Site {
    /// All sites, in the order of LANGUAGE 11.
    pub const ALL: [Site; 9] = [
        Site::Divide,
        Site::Index,
        Site::Range,
        Site::Length,
        Site::Permute,
        Site::Domain,
        Site::User,
        Site::File,
        Site::Memory,
    ];
    /// The word used in `runtime(word)` and in IR text.
    pub fn name(self) -> &'static str {
        match self {
            Site::Divide => "divide",
            Site::Index => "index",
            Site::Range => "range",
            Site::Length => "length",
            Site::Permute => "permute",
            Site::Domain => "domain",
            Site::User => "user",
            Site::File => "file",
            Site::Memory => "memory",
        }
    }
    /// The site of a word.
    pub fn parse(name: &str) -> Option<Site> {
        Site::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// The kinds of error of LANGUAGE 11, and those of the command around it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Malformed text.
    Parse,
    /// Something that cannot be bound.
    Pattern,
    /// An unknown name.
    Undefined,
    /// Types that do not fit.
    Type,
    /// An effect inside an apply-to-each.
    Effect,
    /// An error while running.
    Runtime(Site),
    /// An input, option or output of the command that does not fit.
    Input,
    /// A run that the user stopped.
    Interrupted,
    /// Something that the compiler knows it cannot do.
    Limit,
    /// A bug of the compiler.
    Bug,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Parse => f.write_str("parse"),
            Kind::Pattern => f.write_str("pattern"),
            Kind::Undefined => f.write_str("undefined"),
            Kind::Type => f.write_str("type"),
            Kind::Effect => f.write_str("effect"),
            Kind::Runtime(site) => write!(f, "runtime({})", site.name()),
            Kind::Input => f.write_str("input"),
            Kind::Interrupted => f.write_str("interrupted"),
            Kind::Limit => f.write_str("limit"),
            Kind::Bug => f.write_str("bug"),
        }
    }
}

/// A place and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty.
    pub text: String,
}

/// A change of the text that would help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// The changes, at least one, in the order of their places; all of one file.
    pub edits: Vec<Edit>,
    /// What they do, as advice.
    pub advice: String,
}

/// A change at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is changed; an empty span is a place where something is put in.
    pub span: Span,
    /// What is to stand there.
    pub text: String,
}

impl Suggestion {
    /// The file that is changed.
    pub fn file(&self) -> Option<FileId> {
        self.edits.first().map(|edit| edit.span.file)
    }
}

/// One message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The kind, as in LANGUAGE 11.
    pub kind: Kind,
    /// What exactly is wrong.
    pub code: Code,
    /// One sentence without a full stop.
    pub message: String,
    /// The place at fault.
    pub primary: Option<Label>,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
    /// The calls in which a run-time error arose: names of functions.
    pub calls: Trail<Option<String>>,
    /// The lanes in which it arose, outermost first, as far as they are known.
    pub lanes: Vec<u64>,
    /// Advice.
    pub help: Vec<String>,
    /// Advice that can be carried out.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// A message without a place.
    pub fn new(kind: Kind, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            kind,
            code: Code::of(kind),
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            calls: Trail::default(),
            lanes: Vec::new(),
            help: Vec::new(),
            suggestions: Vec::new(),
        }
    }
    /// A message without a place, of which it is said what exactly is wrong.
    pub fn of(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code.kind(), message).code(code)
    }
    /// A message about a place.
    pub fn at(kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, message).label(span, "")
    }
    /// Says what exactly is wrong; the code belongs to the kind.
    #[must_use]
    pub fn code(mut self, code: Code) -> Self {
        debug_assert_eq!(self.kind, code.kind(), "{}", self.message);
        self.code = code;
        self
    }
    /// Sets the place at fault and what is said there.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }
    /// Adds a place that explains.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }
    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
    /// Adds advice that can be carried out: `text` for what stands at `span`.
    #[must_use]
    pub fn suggest(self, span: Span, text: impl Into<String>, advice: impl Into<String>) -> Self {
        self.suggest_edits(vec![Edit { span, text: text.into() }], advice)
    }
    /// Adds the advice to put something around what stands at `span`.
    #[must_use]
    pub fn suggest_around(
        self,
        span: Span,
        [before, behind]: [&str; 2],
        advice: impl Into<String>,
    ) -> Self {
        let at = |place, text: &str| Edit {
            span: Span { start: place, end: place, ..span },
            text: text.to_owned(),
        };
        self.suggest_edits(vec![at(span.start, before), at(span.end, behind)], advice)
    }
    /// Adds the advice to carry out several changes, in the order of their places.
    #[must_use]
    pub fn suggest_edits(mut self, edits: Vec<Edit>, advice: impl Into<String>) -> Self {
        self.suggestions.push(Suggestion { edits, advice: advice.into() });
        self
    }
    /// The same for who called this function from outside of every text: of the places, those in
    /// texts of the library are left out, unless it is our fault.
    #[must_use]
    pub fn called(mut self, function: &str, files: &Files) -> Self {
        let own = |span: Span| !files.file(span.file).library;
        if self.class() == Class::Bug || self.labels().all(|(label, _)| own(label.span)) {
            return self;
        }
        if self.primary.take_if(|label| !own(label.span)).is_some() {
            self.notes.push(format!("in a call of `{function}`"));
        }
        self.secondary.retain(|label| own(label.span));
        self.calls.retain(own);
        self
    }
    /// Whether all places lie inside this one.
    pub fn is_inside(&self, span: Span) -> bool {
        self.labels().all(|(label, _)| span.contains(label.span))
    }
    /// The same about a copy of a text: what it says of places in `from`, it says of those in `to`.
    #[must_use]
    pub fn moved(mut self, from: Span, to: Span) -> Self {
        let labels = self.primary.iter_mut().chain(&mut self.secondary);
        let labels = labels.map(|label| &mut label.span);
        let edits = self.suggestions.iter_mut().flat_map(|suggestion| &mut suggestion.edits);
        for span in labels.chain(edits.map(|edit| &mut edit.span)) {
            if from.contains(*span) {
                let start = to.start + (span.start - from.start);
                *span = Span::new(to.file, start, start + (span.end - span.start));
            }
        }
        self
    }
    /// Whose fault it is.
    pub fn class(&self) -> Class {
        match self.kind {
            Kind::Limit => Class::Limit,
            Kind::Bug => Class::Bug,
            _ => Class::User,
        }
    }
    /// `FILE:LINE:COL: KIND: message`, without a newline.
    pub fn short(&self, files: &Files) -> String {
        self.line(files, &self.kind.to_string())
    }
    /// The same as something that is said of a program in which nothing is wrong.
    pub fn short_warning(&self, files: &Files) -> String {
        self.line(files, "warning")
    }
    fn line(&self, files: &Files, word: &str) -> String {
        let message = self.message.replace('\n', " ");
        let place = self.primary.as_ref().map(|label| files.place(label.span));
        let place = place.unwrap_or_else(|| "nesl".to_owned());
        format!("{place}: {word}: {message}")
    }
    fn level(&self) -> Level<'static> {
        match self.class() {
            Class::User => Level::ERROR,
            Class::Limit => Level::ERROR.with_name("limit"),
            Class::Bug => Level::ERROR.with_name("bug"),
        }
    }
    fn labels(&self) -> impl Iterator<Item = (&Label, AnnotationKind)> {
        let primary = self.primary.iter().map(|label| (label, AnnotationKind::Primary));
        primary.chain(self.secondary.iter().map(|label| (label, AnnotationKind::Context)))
    }
    /// The files that the message speaks of, with their names and texts.
    fn texts(&self, files: &Files) -> Vec<(FileId, (String, String))> {
        let mut seen: Vec<FileId> = Vec::new();
        let suggested = self.suggestions.iter().filter_map(Suggestion::file);
        for file in self.labels().map(|(label, _)| label.span.file).chain(suggested) {
            if !seen.contains(&file) {
                seen.push(file);
            }
        }
        let text = |file| (files.file(file).name.clone(), shown(&files.file(file).text));
        seen.into_iter().map(|file| (file, text(file))).collect()
    }
    /// The message with the source lines it speaks of, several lines, without a final newline.
    pub fn render(&self, files: &Files, colour: bool) -> String {
        let texts = self.texts(files);
        let title = self.level().primary_title(self.message.as_str()).id(self.code.name());
        let mut group = Group::with_title(title);
        for (file, (name, text)) in &texts {
            let mut snippet = Snippet::source(text.as_str()).path(name.as_str());
            for (label, kind) in self.labels().filter(|(label, _)| label.span.file == *file) {
                let range = clamped(label.span, text);
                snippet = snippet.annotation(kind.span(range).label(label.text.as_str()));
            }
            group = group.element(snippet);
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        let calls = self.calls.lines(files).join("\n");
        if !calls.is_empty() {
            group = group.element(Level::NOTE.message(calls.as_str()));
        }
        for help in &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let mut groups = vec![group];
        for suggestion in &self.suggestions {
            let title = Level::HELP.secondary_title(suggestion.advice.as_str());
            let Some((_, (name, text))) =
                texts.iter().find(|(file, _)| suggestion.file() == Some(*file))
            else {
                continue;
            };
            let patches = suggestion.edits.iter();
            let patches =
                patches.map(|edit| Patch::new(clamped(edit.span, text), edit.text.as_str()));
            let snippet = Snippet::source(text.as_str()).path(name.as_str()).patches(patches);
            groups.push(Group::with_title(title).element(snippet));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&groups).to_string()
    }
}

/// Where a span lies in a text that may be shorter than it was; in whole characters.
fn clamped(span: Span, text: &str) -> Range<usize> {
    let end = text.ceil_char_boundary((span.end as usize).min(text.len()));
    text.floor_char_boundary((span.start as usize).min(end))..end
}

/// The text with a stand-in for every byte that is not UTF-8, so that places stay.
fn shown(text: &[u8]) -> String {
    let mut shown = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        shown.push_str(chunk.valid());
        shown.extend(chunk.invalid().iter().map(|_| '?'));
    }
    shown
}
