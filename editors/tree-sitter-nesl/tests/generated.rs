//! The committed parser is what the committed grammar gives.
//!
//! With `UPDATE_EXPECT=1` in the environment it is made anew from grammar.js, by Node.

use std::env::var_os;
use std::fs;
use std::path::{Path, PathBuf};
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

const FILES: [&str; 5] = [
    "parser.c",
    "node-types.json",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

/// The version of the format of tables.
const ABI: usize = 15;

/// Makes the parser of this grammar, a program or what it gave, in a folder.
fn generate(grammar: &Path, out: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut notes = Vec::new();
    let (runtime, level) = (Some("node"), OptLevel::default());
    generate_parser_in_directory(
        root,
        Some(out),
        Some(grammar),
        ABI,
        None,
        runtime,
        true,
        level,
        &mut notes,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert!(notes.is_empty(), "{} notes on the grammar", notes.len());
}

#[test]
fn the_parser_is_that_of_the_grammar() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let src = root.join("src");
    if var_os("UPDATE_EXPECT").is_some() {
        generate(&root.join("grammar.js"), &src);
    }
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("generated");
    generate(&src.join("grammar.json"), &out);
    for file in FILES {
        let (committed, given) = (fs::read(src.join(file)), fs::read(out.join(file)));
        assert!(committed.unwrap() == given.unwrap(), "src/{file}: set UPDATE_EXPECT=1");
    }
}
