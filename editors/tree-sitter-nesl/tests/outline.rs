//! Both trees as lists: nodes, names, literals and operators with their places, a node before what
//! is in it.  White space, comments and signs that only separate are left out.

use std::ops::Range;
use syntax::{SyntaxElement, SyntaxKind};
use tree_sitter::{Node, Tree};

/// What a node or token is, as the grammar for editors calls it, and its bytes.
pub(crate) type Part = (String, Range<usize>);

/// The compiler's tree.
pub(crate) fn of_compiler(tree: &syntax::Tree) -> Vec<Part> {
    let parts = tree.root().descendants_with_tokens();
    let named = parts.filter_map(|part| {
        let range = part.text_range();
        let name = name(tree, &part)?;
        Some((name.to_string(), range.start().into()..range.end().into()))
    });
    named.collect()
}

fn name(tree: &syntax::Tree, part: &SyntaxElement) -> Option<&'static str> {
    let of_token = |kind| part.as_node()?.children_with_tokens().find(|it| it.kind() == kind);
    Some(match part.kind() {
        SyntaxKind::FunctionForm if of_token(SyntaxKind::Equal).is_some() => "function_definition",
        SyntaxKind::FunctionForm => "function_declaration",
        SyntaxKind::DatatypeForm => "datatype_definition",
        SyntaxKind::BindingForm => "binding",
        SyntaxKind::ExpForm => "expression_form",
        SyntaxKind::CommandForm => "command",
        SyntaxKind::Params => "parameters",
        SyntaxKind::Optional => "optional",
        SyntaxKind::Doc => "documentation",
        SyntaxKind::Classes => "classes",
        SyntaxKind::ClassBound => "class_bound",
        SyntaxKind::Pattern => "pattern",
        SyntaxKind::ParenExp => "parenthesized_expression",
        SyntaxKind::PairExp => "pair",
        SyntaxKind::BinaryExp => "binary_expression",
        SyntaxKind::PrefixExp => "prefix_expression",
        SyntaxKind::ApplyExp => "application",
        SyntaxKind::Arguments => "arguments",
        SyntaxKind::SubscriptExp => "subscript",
        SyntaxKind::SeqExp => "sequence",
        SyntaxKind::EmptyExp => "empty_sequence",
        SyntaxKind::RangeExp => "range",
        SyntaxKind::IfExp => "conditional",
        SyntaxKind::LetExp => "let_expression",
        SyntaxKind::LetBinding => "let_binding",
        SyntaxKind::LambdaExp => "function_value",
        SyntaxKind::EachExp => "apply_to_each",
        SyntaxKind::Body => "body",
        SyntaxKind::Generator => "generator",
        SyntaxKind::Test => "test",
        SyntaxKind::NameType if is_base(tree, part) => "base_type",
        SyntaxKind::NameType => "named_type",
        SyntaxKind::SeqType => "sequence_type",
        SyntaxKind::PairType => "pair_type",
        SyntaxKind::FunctionType => "function_type",
        SyntaxKind::ParenType => "parenthesized_type",
        kind => return token_name(kind, part, tree),
    })
}

fn token_name(kind: SyntaxKind, part: &SyntaxElement, tree: &syntax::Tree) -> Option<&'static str> {
    let around = part.as_token()?.parent()?;
    let in_type = matches!(around.kind(), SyntaxKind::NameType | SyntaxKind::ClassBound);
    let first = around.text_range().start() == part.text_range().start();
    let in_command = around.kind() == SyntaxKind::CommandForm;
    Some(match kind {
        SyntaxKind::Ident if in_command && first => "command_word",
        SyntaxKind::Ident if in_type && is_base(tree, &around.clone().into()) => return None,
        SyntaxKind::Ident => "identifier",
        SyntaxKind::True | SyntaxKind::False if in_type => "identifier",
        SyntaxKind::True | SyntaxKind::False => "boolean",
        SyntaxKind::Wildcard => "wildcard",
        SyntaxKind::Int => "integer",
        SyntaxKind::Float => "float",
        SyntaxKind::Char => "character",
        SyntaxKind::Str => "string",
        SyntaxKind::Colon if in_command && first => ":",
        _ if in_command && kind.text().is_some() => "sign",
        _ if matches!(around.kind(), SyntaxKind::BinaryExp | SyntaxKind::PrefixExp) => {
            return kind.text();
        }
        _ => return None,
    })
}

/// Whether it is `int`, `float`, `bool` or `char` as a type.
fn is_base(tree: &syntax::Tree, part: &SyntaxElement) -> bool {
    let text = tree.bytes(part.text_range()).to_ascii_lowercase();
    part.kind() == SyntaxKind::NameType
        && ["int", "float", "bool", "char"].iter().any(|name| name.as_bytes() == text)
}

/// The tree of the grammar for editors.
pub(crate) fn of_editor(tree: &Tree, text: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut cursor = tree.walk();
    // A walk without recursion: texts nest deeply.
    loop {
        let node = cursor.node();
        // Signs with a meaning of their own: operators, and the `:` of a command.
        let sign = matches!(cursor.field_name(), Some("operator" | "word"));
        if (node.is_named() || sign) && !is_left_out(&node) {
            debug_assert!(node.end_byte() <= text.len());
            parts.push((node.kind().to_string(), node.byte_range()));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return parts;
            }
        }
    }
}

fn is_left_out(node: &Node<'_>) -> bool {
    matches!(node.kind(), "source_file" | "comment" | "string_content" | "escape_sequence")
}
