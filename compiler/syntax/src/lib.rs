//! Text to syntax: lexer, lossless tree, and the abstract syntax that the type checker reads.
//!
//! Takes a source text; gives forms, each whole or with its errors.  Knows no types and no library.
//!
//! ```text
//! bytes --lexer--> tokens --grammar--> events --tree--> lossless tree --build--> abstract syntax
//! ```
//!
//! Recursion follows the nesting of the text, which may be [`MAX_DEPTH`] levels deep.  A stack of
//! 128 MB is enough to read the deepest text, and one of 16 MB to drop its abstract syntax.

mod again;
pub mod ast;
mod build;
mod grammar;
mod kind;
mod lexer;
mod literal;
mod parser;
pub mod scopes;
mod shift;
pub mod show;
mod texts;
mod tree;

#[cfg(test)]
mod tests;

pub use again::{Kept, parse_again};
pub use grammar::forms::COMMANDS;
pub use grammar::habits::defining_word;
pub use kind::{Nesl, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken};
pub use parser::MAX_DEPTH;
pub use rowan::TextRange;
pub use texts::Texts;
pub use tree::Tree;

use base::{Diagnostic, FileId};

/// Reads a source text; a form that does not parse holds its errors, but for those that follow from
/// one in a form before.
pub fn parse(file: FileId, text: &[u8]) -> ast::Group {
    group(file, &parse_tree(file, text))
}

/// The forms of a text that was read into its tree, as [`parse`] gives them.
pub fn group(file: FileId, tree: &Tree) -> ast::Group {
    build::group(file, tree)
}

/// Reads a source text into its lossless tree.
pub fn parse_tree(file: FileId, text: &[u8]) -> Tree {
    tree::parse_source(file, text)
}

/// Reads a type with its classes, such as `(a, a) -> a :: (a in number)`.
pub fn parse_type(
    file: FileId,
    text: impl AsRef<[u8]>,
) -> Result<(ast::Type, Vec<ast::ClassBound>), Diagnostic> {
    build::signature(file, &tree::parse_signature(file, text.as_ref()))
}
