//! The formatter: source text in, the same program in the house layout out.
//!
//! Takes the lossless tree of `syntax`; gives text.  Only white space changes: tokens and comments
//! stay as they are and in their order, which [`format`] checks before it gives anything back.
//! Where lines end depends on the tree and on the comments, never on where they ended before,
//! except that an empty line between forms stays.  So what is formatted stays as it is.
//!
//! ```text
//! tree --tokens--> tokens with their comments --rules--> document --doc--> text
//! ```
//!
//! Rules follow the tree by recursion: 512 MB of stack are enough for the deepest text.

mod doc;
mod rules;
mod tokens;

#[cfg(test)]
mod tests;

use base::{Diagnostic, FileId, Kind};
use syntax::{SyntaxKind, Tree};

/// The width of lines of NESL, as the library is written.
pub const WIDTH: usize = 100;

/// Formats a source text for lines of this width; a text with errors is not formatted.
pub fn format(file: FileId, text: &[u8], width: usize) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let tree = syntax::parse_tree(file, text);
    if tree.errors().iter().any(|errors| !errors.is_empty()) {
        return Err(tree.mistakes().flatten().cloned().collect());
    }
    let formatted = doc::print(&rules::document(&tree, width), width);
    let result = syntax::parse_tree(file, &formatted);
    if !same_program(&tree, &result) {
        let bug = "the formatter changed more than white space; the text was left as it is";
        return Err(vec![Diagnostic::new(Kind::Bug, bug)]);
    }
    Ok(formatted)
}

/// Whether two texts differ in white space only.
fn same_program(a: &Tree, b: &Tree) -> bool {
    let [a, b] =
        [a, b].map(|tree| tokens::lexemes(tree).filter(|(kind, _)| *kind != SyntaxKind::Space));
    a.eq(b)
}
