//! The texts that are open in the editor, and behind them those on the disk.
//!
//! Whoever loads a file is to see what stands in the editor, saved or not.

use crate::text::Encoding;
use crate::uri;
pub(crate) mod files;

use base::Texts;
use gen_lsp_types::Uri;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use value::Disk;
use value::disk::without_dots;

/// The texts that are open.
pub(crate) struct OpenTexts {
    /// By their names.
    texts: BTreeMap<String, Open>,
    encoding: Encoding,
}

struct Open {
    text: String,
    /// What its file is, if it is one.
    identity: Option<PathBuf>,
}

impl OpenTexts {
    /// No texts, of an editor that counts these units.
    pub(crate) fn new(encoding: Encoding) -> OpenTexts {
        OpenTexts { texts: BTreeMap::new(), encoding }
    }
    /// The units that the editor counts.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }
    /// A text is open, or another one now.
    pub(crate) fn set(&mut self, uri: &str, text: String) {
        self.texts.insert(uri.to_owned(), Open { text, identity: identity(uri) });
    }
    /// A text is no longer open.
    pub(crate) fn close(&mut self, uri: &str) {
        self.texts.remove(uri);
    }
    /// An open text.
    pub(crate) fn get(&self, uri: &str) -> Option<&str> {
        self.texts.get(uri).map(|open| open.text.as_str())
    }
    /// The name of a file, as the editor has it if it is open.
    pub(crate) fn uri(&self, path: &Path) -> Uri {
        if let Some((uri, _)) = self.open(path) {
            return Uri(uri.clone());
        }
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (plain, real) = (without_dots(&whole), Disk.identity(path));
        // Behind a link `..` is another folder than the text of the path says.
        uri::of(if Disk.identity(&plain) == real { &plain } else { &real })
    }
    fn open(&self, path: &Path) -> Option<(&String, &Open)> {
        let identity = Disk.identity(path);
        self.texts.iter().find(|(_, open)| open.identity.as_ref() == Some(&identity))
    }
}

impl Texts for OpenTexts {
    fn is_file(&self, path: &Path) -> bool {
        self.open(path).is_some() || Disk.is_file(path)
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.open(path) {
            Some((_, open)) => Ok(open.text.clone().into_bytes()),
            None => Disk.read(path),
        }
    }
    fn identity(&self, path: &Path) -> PathBuf {
        Disk.identity(path)
    }
}

/// What the file of a text is, if it is one.
pub(crate) fn identity(uri: &str) -> Option<PathBuf> {
    uri::path(uri).map(|path| Disk.identity(&path))
}
