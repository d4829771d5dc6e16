//! Lossless tree to abstract syntax: names in lower case, literals to values, parentheses away.
//!
//! The spans of what stood in parentheses include them.  Only forms without errors are built, so
//! every part that the grammar demands is there; the functions return `None` otherwise.

mod comment;
mod defines;
mod ends;
mod expressions;
mod forms;
mod meant;
mod patterns;
mod types;

use crate::ast::{ClassBound, Form, FormKind, Group, Name, Type};
use crate::kind::{SyntaxKind, SyntaxNode, SyntaxToken};
use crate::tree::Tree;
use base::{Diagnostic, FileId, Kind, Span};
use rowan::TextRange;
use std::cell::OnceCell;

/// The forms of a tree.
pub(crate) fn group(file: FileId, tree: &Tree) -> Group {
    group_with(file, tree, |_| None)
}

/// The same where some forms without errors are known, by their places.
pub(crate) fn group_with(
    file: FileId,
    tree: &Tree,
    known: impl FnMut(usize) -> Option<Form>,
) -> Group {
    let mut group = as_written(file, tree, known);
    group.forms.iter_mut().for_each(|form| form.meant = meant::forms(file, tree, form));
    group
}

/// The same, but for what was meant.
fn as_written(file: FileId, tree: &Tree, mut known: impl FnMut(usize) -> Option<Form>) -> Group {
    let builder = Builder::new(file, tree);
    let errors = tree.errors().iter().zip(tree.mistakes());
    let mut forms = Vec::with_capacity(tree.errors().len());
    for (place, (node, (errors, mistakes))) in tree.root().children().zip(errors).enumerate() {
        if errors.is_empty()
            && let Some(form) = known(place)
        {
            forms.push(form);
            continue;
        }
        let mut form = builder.form(&node, errors);
        if let FormKind::Error(told) = &mut form.kind
            && mistakes.len() < errors.len()
        {
            told.truncate(mistakes.len());
        }
        forms.push(form);
    }
    Group { forms }
}

/// The type and classes of a tree that holds a signature.
pub(crate) fn signature(file: FileId, tree: &Tree) -> Result<(Type, Vec<ClassBound>), Diagnostic> {
    if let Some(error) = tree.errors().iter().flatten().next() {
        return Err(error.clone());
    }
    let builder = Builder::new(file, tree);
    let root = tree.root();
    builder.signature(&root).ok_or_else(|| builder.bug(&root))
}

/// Reads nodes of one tree.
struct Builder<'t> {
    file: FileId,
    tree: &'t Tree,
    /// Where lines end, once somebody asked.
    breaks: OnceCell<Vec<u32>>,
}

impl<'t> Builder<'t> {
    fn new(file: FileId, tree: &'t Tree) -> Builder<'t> {
        Builder { file, tree, breaks: OnceCell::new() }
    }
}

impl Builder<'_> {
    fn form(&self, node: &SyntaxNode, errors: &[Diagnostic]) -> Form {
        let span = self.span(node.text_range());
        let kind = if errors.is_empty() { self.form_kind(node) } else { None };
        let kind = kind.unwrap_or_else(|| self.failed(node, errors));
        let defines = defines::names(&kind, node);
        let comment = match node.kind() {
            SyntaxKind::FunctionForm | SyntaxKind::DatatypeForm | SyntaxKind::BindingForm => {
                comment::above(node)
            }
            _ => None,
        };
        Form { kind, span, defines, ends: self.line_end(node), comment, meant: Vec::new() }
    }
    fn span(&self, range: TextRange) -> Span {
        Span::new(self.file, range.start().into(), range.end().into())
    }
    fn bytes(&self, token: &SyntaxToken) -> &[u8] {
        self.tree.bytes(token.text_range())
    }
    fn name(&self, token: &SyntaxToken) -> Name {
        let text = token.text().to_ascii_lowercase();
        Name { text, span: self.span(token.text_range()) }
    }
    /// The tree is not as the grammar makes it.
    fn bug(&self, node: &SyntaxNode) -> Diagnostic {
        let message = format!("{} cannot be built", node.kind());
        Diagnostic::at(Kind::Bug, self.span(node.text_range()), message)
    }
}

/// The tokens directly under a node that are not trivia.
fn tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    let tokens = node.children_with_tokens().filter_map(|child| child.into_token());
    tokens.filter(|token| !token.kind().is_trivia())
}

/// The first token directly under a node that is not trivia.
fn first_token(node: &SyntaxNode) -> Option<SyntaxToken> {
    tokens(node).next()
}

/// The first child of a kind.
fn child(node: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxNode> {
    node.children().find(|child| child.kind() == kind)
}
