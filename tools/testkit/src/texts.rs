//! All texts of the repository: files of NESL, conformance cases, and blocks of documents.
//!
//! What tools read NESL is tried on them.

use base::Id;
use std::fs;
use std::path::{Path, PathBuf};

/// A text of NESL.
pub struct Text {
    /// The file, or the topic and number of the case.
    pub name: String,
    /// Its bytes.
    pub text: Vec<u8>,
}

/// Folders whose files of NESL are taken, at any depth.
const FOLDERS: [&str; 4] = ["benches", "examples", "stdlib", "tests"];
/// Documents whose indented blocks between ``` are taken if they are NESL.
const DOCUMENTS: [&str; 2] = ["docs", "README.md"];

/// The texts that parse.
pub fn texts() -> Vec<Text> {
    let mut texts = all();
    texts.retain(Text::parses);
    assert!(texts.len() > 1000, "{} texts are too few", texts.len());
    texts
}

impl Text {
    /// Whether no form of it is refused by the parser.
    pub fn parses(&self) -> bool {
        let tree = syntax::parse_tree(base::FileId::new(0), &self.text);
        tree.errors().iter().all(Vec::is_empty)
    }
}

/// All texts, those that do not parse, too; some blocks of documents are no NESL at all.
pub fn all() -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| files(&root.join(folder), "nesl")) {
        texts.push(Text { name: path.display().to_string(), text: fs::read(&path).unwrap() });
    }
    for case in crate::case::read(&crate::corpus("conformance")).unwrap() {
        let name = format!("{} {}", case.topic, case.number);
        texts.push(Text { name, text: case.text().into_bytes() });
    }
    for path in DOCUMENTS.iter().flat_map(|name| files(&root.join(name), "md")) {
        let text = fs::read_to_string(&path).unwrap();
        // Every second piece is a block; its first line names a language.
        for block in text.split("```").skip(1).step_by(2) {
            let block = block.split_once('\n').map_or("", |(_, block)| block);
            let name = path.display().to_string();
            texts.push(Text { name, text: block.as_bytes().to_vec() });
        }
    }
    texts
}

/// The file, or those below the folder, in order.
fn files(path: &Path, ending: &str) -> Vec<PathBuf> {
    if path.is_file() {
        let wanted = path.extension().is_some_and(|it| it == ending);
        return wanted.then(|| path.to_owned()).into_iter().collect();
    }
    let mut inside: Vec<PathBuf> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    inside.sort();
    inside.iter().flat_map(|path| files(path, ending)).collect()
}
