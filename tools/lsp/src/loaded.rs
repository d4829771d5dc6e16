//! The texts that a text loads, and what these load.
//!
//! ```text
//! a.nesl: load "b"; load "c";       a file 9
//! b.nesl: load "c";                 ├─ b file 10
//! c.nesl                            │  └─ c file 11
//!                                   └─ c file 11
//! ```

use crate::form::FormFacts;
use crate::names::Names;
use crate::text::Text;
use crate::texts::OpenTexts;
use base::{Diagnostic, FileId, Id, Loading, Span, Texts};
use gen_lsp_types::Uri;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use syntax::Tree;
use syntax::ast::{FormKind, Group};
use value::disk::without_dots;

/// A text that is loaded, once or several times.
pub(crate) struct Loaded {
    /// The file that spans name.
    pub(crate) file: FileId,
    /// Its name in the protocol.
    pub(crate) uri: Uri,
    /// Its path, as messages show it.
    pub(crate) shown: String,
    /// The text.
    pub(crate) text: Text,
    /// What its file is.
    identity: PathBuf,
}

/// A form that loads a text.
pub(crate) struct Load {
    /// The form.
    pub(crate) form: Span,
    /// The path that is written.
    pub(crate) span: Span,
    /// The path without quotes.
    pub(crate) name: String,
    /// What is loaded, or why nothing is.
    pub(crate) source: Result<Source, Diagnostic>,
}

/// What is known of a text before it is checked.
pub(crate) struct Source {
    /// Its file.
    pub(crate) file: FileId,
    /// Its text.
    pub(crate) parsed: Parsed,
    /// Its names.
    pub(crate) names: Names,
    /// What it loads, in the order of its forms.
    pub(crate) loads: Vec<Load>,
}

/// A text that was read.
pub(crate) struct Parsed {
    /// Its tree.
    pub(crate) tree: Tree,
    /// Its forms.
    pub(crate) group: Group,
    /// The facts of each form by itself.
    pub(crate) facts: Vec<FormFacts>,
}

impl Parsed {
    /// Reads a text of a file, of which the last version may be known.
    fn read(file: FileId, text: &str, last: Option<Parsed>) -> Parsed {
        let Some(Parsed { tree, group, facts }) = last else {
            let tree = syntax::parse_tree(file, text.as_bytes());
            let group = syntax::group(file, &tree);
            let facts = group.forms.iter().map(|form| FormFacts::of(text, form)).collect();
            return Parsed { tree, group, facts };
        };
        let (tree, group, kept) = syntax::parse_again(file, (tree, group), text.as_bytes());
        let new = kept.before..group.forms.len() - kept.after;
        let new: Vec<FormFacts> =
            group.forms[new].iter().map(|form| FormFacts::of(text, form)).collect();
        let mut facts = facts;
        let old = kept.before..facts.len() - kept.after;
        facts.splice(old, new);
        Parsed { tree, group, facts }
    }
}

/// Texts that were read in the last version of a text, by their files.
pub(crate) type LastParsed = FxHashMap<FileId, Parsed>;

/// Reads what a text loads.
pub(crate) struct Reader<'t> {
    texts: &'t OpenTexts,
    library: &'t dyn Fn(&str) -> bool,
    /// The file of the text that nobody loads; those that it loads follow.
    file: FileId,
    /// Its folder.
    folder: PathBuf,
    loading: Loading,
    loaded: Vec<Loaded>,
    last: LastParsed,
    /// The texts that name files.
    names: syntax::Texts,
}

impl<'t> Reader<'t> {
    /// A reader for what a text of this path loads; without a path it is in the working folder.
    pub(crate) fn new(
        texts: &'t OpenTexts,
        library: &'t dyn Fn(&str) -> bool,
        file: FileId,
        path: &Path,
        last: LastParsed,
    ) -> Reader<'t> {
        let mut loading = Loading::default();
        loading.begin(path, texts);
        let folder = folder(path).to_owned();
        let (loaded, names) = (Vec::new(), syntax::Texts::default());
        Reader { texts, library, file, folder, loading, loaded, last, names }
    }
    /// What is known of the text that nobody loads.
    pub(crate) fn read(&mut self, text: &str) -> Source {
        let folder = self.folder.clone();
        self.source(self.file, text, &folder)
    }
    /// The texts that were loaded, and what the files are that were looked for.
    pub(crate) fn finish(self) -> (Vec<Loaded>, Vec<PathBuf>) {
        let sought = self.loading.sought().iter().map(|path| self.texts.identity(path));
        let sought = sought.collect();
        (self.loaded, sought)
    }

    fn source(&mut self, file: FileId, text: &str, folder: &Path) -> Source {
        let parsed = Parsed::read(file, text, self.last.remove(&file));
        let loads = self.loads(&parsed.group, folder);
        let loaded = |span: Span| {
            let load = loads.iter().find(|load| load.span == span)?;
            load.source.as_ref().ok().map(|source| &source.names)
        };
        let places = parsed.group.forms.iter().map(|form| form.span);
        let forms = parsed.facts.iter().map(|facts| &facts.names).zip(places);
        let names = Names::of(forms, self.library, &loaded);
        Source { file, parsed, names, loads }
    }
    fn loads(&mut self, group: &Group, folder: &Path) -> Vec<Load> {
        let mut loads = Vec::new();
        for form in &group.forms {
            if let FormKind::Command(word, arguments) = &form.kind
                && word.text == "load"
                && let [argument] = arguments.as_slice()
            {
                let span = argument.span();
                let file = self.names.file(argument);
                let name = file.as_deref().map_or_else(|_| argument.text(), str::to_owned);
                let loaded =
                    file.and_then(|file| self.loading.load(folder, &file, span, self.texts));
                let source = loaded.map(|base::Loaded { path, text }| {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let file = self.file_of(&path, &text);
                    let source = self.source(file, &text, self::folder(&path));
                    self.loading.end();
                    source
                });
                loads.push(Load { form: form.span, span, name, source });
            }
            self.names.follow(form);
        }
        loads
    }
    /// The file of a text: one for all that load it.
    fn file_of(&mut self, path: &Path, text: &str) -> FileId {
        let identity = self.texts.identity(path);
        if let Some(known) = self.loaded.iter().find(|loaded| loaded.identity == identity) {
            return known.file;
        }
        let file = Id::new(self.file.index() + 1 + self.loaded.len());
        let [plain, folder] = [path, &self.folder].map(without_dots);
        let shown = plain.strip_prefix(folder).unwrap_or(&plain).display().to_string();
        let (uri, text) = (self.texts.uri(path), Text::new(text.to_owned(), self.texts.encoding()));
        self.loaded.push(Loaded { file, uri, shown, text, identity });
        file
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or_else(|| Path::new(""))
}
