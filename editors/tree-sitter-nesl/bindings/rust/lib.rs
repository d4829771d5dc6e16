//! The grammar of NESL for tree-sitter, and queries over its trees.
//!
//! A tree of tree-sitter survives errors and edits, and is what editors colour, fold and select by.
//! The compiler reads with a parser of its own; tests hold both together.

use tree_sitter_language::LanguageFn;

#[expect(unsafe_code, reason = "the parser is a C function")]
unsafe extern "C" {
    fn tree_sitter_nesl() -> *const ();
}

/// The language, to be given to a parser: `parser.set_language(&LANGUAGE.into())`.
#[expect(unsafe_code, reason = "the parser is a C function")]
// SAFETY: the function is that of src/parser.c, and gives a language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_nesl) };

/// Which nodes have which colour.
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
/// Which nodes can be folded.
pub const FOLDS: &str = include_str!("../../queries/folds.scm");
/// Which nodes are scopes, definitions and uses of names.
pub const LOCALS: &str = include_str!("../../queries/locals.scm");
/// Which nodes begin and end indented lines.
pub const INDENTS: &str = include_str!("../../queries/indents.scm");
/// The kinds of nodes, their fields and children, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");
