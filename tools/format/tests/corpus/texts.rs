//! The texts: files of NESL, conformance cases, and blocks of documents.

use std::fs;
use std::path::{Path, PathBuf};

/// A text that parses.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// Folders whose files of NESL are taken, at any depth.
const FOLDERS: [&str; 4] = ["benches", "examples", "stdlib", "tests"];
/// Documents whose indented blocks between ``` are taken if they are NESL.
const DOCUMENTS: [&str; 2] = ["docs", "README.md"];

/// All texts, those with errors aside.
pub(crate) fn texts() -> Vec<Text> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| files(&root.join(folder), "nesl")) {
        texts.push(Text { name: path.display().to_string(), text: fs::read(&path).unwrap() });
    }
    for case in testkit::case::read(&testkit::corpus("conformance")).unwrap() {
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
    texts.retain(|it| super::tree(&it.text).errors().iter().all(Vec::is_empty));
    assert!(texts.len() > 1000, "{} texts are too few", texts.len());
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

/// Whether this line, a part of the text, stands in a comment or string that began before it.
pub(crate) fn inside_comment(text: &str, line: &str) -> bool {
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let tree = super::tree(text.as_bytes());
    let mut tokens = tree.root().descendants_with_tokens().filter_map(|it| it.into_token());
    tokens.any(|token| {
        let range = token.text_range();
        !matches!(token.kind(), syntax::SyntaxKind::Space)
            && usize::from(range.start()) < start
            && usize::from(range.end()) > start
    })
}
