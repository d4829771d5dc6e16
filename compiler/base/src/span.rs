//! Source files and places in them.

use crate::define_id;
use crate::id::{Id, IdMap};
use std::fmt;
use std::path::Path;

define_id!(FileId, "file", "A source text known to the compiler.");

/// A range of bytes of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }
    /// No place: of what a pass made up and no source text stands for.
    pub fn none() -> Span {
        Span::new(Id::new(0), 0, 0)
    }
    /// Whether this is no place.
    pub fn is_none(self) -> bool {
        self == Span::none()
    }
    /// The place so many bytes further right in its file.
    #[must_use]
    pub fn moved(self, by: i64) -> Span {
        let moved = |place: u32| (i64::from(place) + by) as u32;
        Span { start: moved(self.start), end: moved(self.end), ..self }
    }
    /// Whether another lies inside it.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
    /// From the start of this span to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start, end: other.end.max(self.start) }
    }
}

/// As in IR text, after what it belongs to: ` @0:12:15` is file, start, end; nothing for no place.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return Ok(());
        }
        write!(f, " @{}:{}:{}", self.file.index(), self.start, self.end)
    }
}

/// One source text.
#[derive(Clone, Debug)]
pub struct File {
    /// As shown in messages: a path, or `<stdin>`.
    pub name: String,
    /// The bytes; source text need not be UTF-8 inside comments and strings.
    pub text: Vec<u8>,
    /// Part of the library: errors inside it are shown at the caller.
    pub library: bool,
}

/// All source texts of a session.
#[derive(Clone, Default, Debug)]
pub struct Files {
    files: IdMap<FileId, File>,
}

impl Files {
    /// No files yet.
    pub fn new() -> Files {
        Files::default()
    }
    /// Adds a user's text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Vec<u8>>) -> FileId {
        self.files.push(File { name: name.into(), text: text.into(), library: false })
    }
    /// Adds a text of the library.
    pub fn add_library(&mut self, name: impl Into<String>, text: impl Into<Vec<u8>>) -> FileId {
        self.files.push(File { name: name.into(), text: text.into(), library: true })
    }
    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &File {
        &self.files[id]
    }
    /// All files, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &File)> {
        self.files.iter()
    }
    /// The folder that a file is in; that of a text without a file is empty.
    pub fn folder(&self, id: FileId) -> &Path {
        Path::new(&self.files[id].name).parent().unwrap_or_else(|| Path::new(""))
    }
    /// Line and column of a byte, both from 1; columns count bytes.
    pub fn line_column(&self, file: FileId, offset: u32) -> (usize, usize) {
        let text = &self.files[file].text;
        let before = &text[..(offset as usize).min(text.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        (line, before.len() - start + 1)
    }
    /// `FILE:LINE:COL` of a span's start.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.line_column(span.file, span.start);
        format!("{}:{line}:{column}", self.files[span.file].name)
    }
}
