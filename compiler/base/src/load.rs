//! Texts that load others: which file is meant, and how deep that may go.
//!
//! A path is relative to the folder of the text that has it.  What is typed has no file, and so the
//! working folder, whose path is empty.
//!
//! ```text
//! in `a/main.nesl`    load "lib/sums";    a/lib/sums, or a/lib/sums.nesl if there is no such file
//! ```
//!
//! A text that is loaded while it is being processed would be loaded for ever, since nothing can
//! keep a form from being reached.

use crate::code::Code;
use crate::diag::{Diagnostic, Kind, Site};
use crate::span::Span;
use std::io;
use std::path::{Path, PathBuf};

/// Texts that load each other are stopped at this depth, if nothing else shows that they do.
const MAX_LOADING: usize = 100;

/// What is added to a name.
const ENDING: &str = ".nesl";

/// Where texts come from.
pub trait Texts {
    /// Whether there is a file of this path.
    fn is_file(&self, path: &Path) -> bool;
    /// What is in it.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// One path for all that lead to the same file.
    fn identity(&self, path: &Path) -> PathBuf;
}

/// A text that is loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// Its file.
    pub path: PathBuf,
    /// What is in it.
    pub text: Vec<u8>,
}

/// The texts that are being processed, and where others were looked for.
#[derive(Default)]
pub struct Loading {
    /// Each but the first is loaded by the one before it.
    around: Vec<PathBuf>,
    sought: Vec<PathBuf>,
}

impl Loading {
    /// Begins with a text that nobody loads.
    pub fn begin(&mut self, path: &Path, texts: &dyn Texts) {
        self.around.push(texts.identity(path));
    }
    /// Begins with a text that the innermost one loads: that of a name, which stands at `span` in
    /// a text of this folder.
    pub fn load(
        &mut self,
        folder: &Path,
        name: &str,
        span: Span,
        texts: &dyn Texts,
    ) -> Result<Loaded, Diagnostic> {
        let failed = |message| Diagnostic::at(Kind::Runtime(Site::File), span, message);
        let path = self.seek(folder, name, texts);
        let identity = texts.identity(&path);
        if self.around.contains(&identity) || self.around.len() > MAX_LOADING {
            return Err(failed(format!("`{name}` is loaded by itself")));
        }
        let text = texts.read(&path).map_err(|error| {
            let message = format!("{} cannot be read: {error}", path.display());
            match error.kind() {
                io::ErrorKind::OutOfMemory => Diagnostic::of(Code::Memory, message).label(span, ""),
                _ => failed(message),
            }
        })?;
        self.around.push(identity);
        Ok(Loaded { path, text })
    }
    /// Ends the innermost text.
    pub fn end(&mut self) {
        self.around.pop();
    }
    /// Whether nobody loads the innermost text.
    pub fn is_outermost(&self) -> bool {
        self.around.len() <= 1
    }
    /// Where texts were looked for, whether or not there was a file.
    pub fn sought(&self) -> &[PathBuf] {
        &self.sought
    }
    /// Forgets where texts were looked for.
    pub fn forget_sought(&mut self) {
        self.sought.clear();
    }

    /// The path of a name, with the ending if there is no file without.
    fn seek(&mut self, folder: &Path, name: &str, texts: &dyn Texts) -> PathBuf {
        let [path, longer] = [name, &format!("{name}{ENDING}")].map(|name| folder.join(name));
        for path in [&path, &longer] {
            if !self.sought.contains(path) {
                self.sought.push(path.clone());
            }
        }
        if !texts.is_file(&path) && texts.is_file(&longer) { longer } else { path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These files, each of which contains its path.
    struct Listed(&'static [&'static str]);

    impl Texts for Listed {
        fn is_file(&self, path: &Path) -> bool {
            self.0.iter().any(|file| Path::new(file) == path)
        }
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            let missing = || io::Error::other("missing");
            let text = || path.display().to_string().into_bytes();
            self.is_file(path).then(text).ok_or_else(missing)
        }
        fn identity(&self, path: &Path) -> PathBuf {
            path.to_owned()
        }
    }

    fn load(loading: &mut Loading, folder: &str, name: &str, texts: &Listed) -> String {
        match loading.load(Path::new(folder), name, Span::none(), texts) {
            Ok(Loaded { path, text }) => {
                assert_eq!(path.display().to_string().as_bytes(), text);
                path.display().to_string()
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn files_are_beside_the_text() {
        let texts = Listed(&["a.nesl", "b/a.nesl", "b/a", "/c.nesl"]);
        let found = |folder, name| load(&mut Loading::default(), folder, name, &texts);
        assert_eq!(found("", "a"), "a.nesl");
        assert_eq!(found("b", "a"), "b/a");
        assert_eq!(found("b", "a.nesl"), "b/a.nesl");
        assert_eq!(found("b", "/c"), "/c.nesl");
        assert_eq!(found("b", "d"), "b/d cannot be read: missing");
    }

    #[test]
    fn texts_that_load_themselves_are_stopped() {
        let texts = Listed(&["a.nesl", "b.nesl", "c"]);
        let mut loading = Loading::default();
        loading.begin(Path::new("a.nesl"), &texts);
        assert!(loading.is_outermost());
        assert_eq!(load(&mut loading, "", "a", &texts), "`a` is loaded by itself");
        assert_eq!(load(&mut loading, "", "b", &texts), "b.nesl");
        assert!(!loading.is_outermost());
        assert_eq!(load(&mut loading, "", "a.nesl", &texts), "`a.nesl` is loaded by itself");
        assert_eq!(load(&mut loading, "", "c", &texts), "c");
        loading.end();
        loading.end();
        assert_eq!(load(&mut loading, "", "b", &texts), "b.nesl");
        let sought = ["a", "a.nesl", "b", "b.nesl", "a.nesl.nesl", "c", "c.nesl"];
        assert_eq!(loading.sought(), sought.map(PathBuf::from));
    }

    /// As paths that go in circles over links do.
    #[test]
    fn depth_is_bounded() {
        let around = (0..=MAX_LOADING).map(|n| PathBuf::from(n.to_string())).collect();
        let mut loading = Loading { around, ..Loading::default() };
        let told = load(&mut loading, "", "a", &Listed(&["a"]));
        assert_eq!(told, "`a` is loaded by itself");
    }
}
