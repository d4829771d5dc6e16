//! The tree holds every byte.

use crate::{SyntaxNode, parse_tree};
use base::{FileId, Id};
use expect_test::expect;
use rowan::NodeOrToken;

fn outline(node: &SyntaxNode, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&format!("{indent}{:?}\n", node.kind()));
    for child in node.children_with_tokens() {
        match child {
            NodeOrToken::Node(node) => outline(&node, depth + 1, out),
            NodeOrToken::Token(token) => {
                out.push_str(&format!("{indent}  {:?} {:?}\n", token.kind(), token.text()));
            }
        }
    }
}

#[test]
fn comments_belong_to_the_node_around() {
    let tree = parse_tree(FileId::new(0), b"% a %\nx = 1 % b % + h(y); % c %\n");
    let mut shown = String::new();
    outline(&tree.root(), 0, &mut shown);
    expect![[r#"
        Source
          Comment "% a %"
          Space "\n"
          BindingForm
            Pattern
              NameExp
                Ident "x"
            Space " "
            Equal "="
            Space " "
            BinaryExp
              Literal
                Int "1"
              Space " "
              Comment "% b %"
              Space " "
              Plus "+"
              Space " "
              ApplyExp
                NameExp
                  Ident "h"
                Arguments
                  LeftParen "("
                  NameExp
                    Ident "y"
                  RightParen ")"
          Semicolon ";"
          Space " "
          Comment "% c %"
          Space "\n"
    "#]]
    .assert_eq(&shown);
}

#[test]
fn errors_keep_what_was_read() {
    let tree = parse_tree(FileId::new(0), b"h(1, ; 2");
    let mut shown = String::new();
    outline(&tree.root(), 0, &mut shown);
    expect![[r#"
        Source
          ExpForm
            ApplyExp
              NameExp
                Ident "h"
              Arguments
                LeftParen "("
                PairExp
                  Literal
                    Int "1"
                  Comma ","
                  Space " "
                  Missing
          Semicolon ";"
          Space " "
          ExpForm
            Literal
              Int "2"
    "#]]
    .assert_eq(&shown);
    assert_eq!(tree.errors().len(), 2);
}

/// The bytes of all tokens, one after the other.
fn bytes(tree: &crate::Tree) -> Vec<u8> {
    let tokens = tree.root().descendants_with_tokens().filter_map(|e| e.into_token());
    tokens.flat_map(|token| tree.bytes(token.text_range()).to_vec()).collect()
}

/// Pieces that the texts below are made of, separated by spaces; and some more.
const PIECES: &str = "if then else let in function datatype and nor t _ x y set help 1 2.5 \
    99999999999999999999 \"s\" \"\\q\" \" ` `a `\\n % %c% -> <- ++ == :: := => || + - * ^ # @ < = \
    , ; $ : | ( ) [ ] { } ? \u{e9}";
const MORE: [&[u8]; 3] = [b" ", b"\n", b"\xff"];

#[test]
fn any_text_is_kept_and_every_form_that_fails_says_why() {
    let pieces: Vec<&[u8]> = PIECES.split(' ').map(str::as_bytes).chain(MORE).collect();
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut text = Vec::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
            text.extend_from_slice(if state & (1 << 40) == 0 { b" " } else { b"" });
        }
        let tree = parse_tree(FileId::new(0), &text);
        assert_eq!(bytes(&tree), text);
        let (_, group) = super::parse(&text);
        assert_eq!(group.forms.len(), tree.errors().len());
        let shown = crate::show::group(&group);
        assert!(!shown.contains("bug:"), "{text:?}: {shown}");
        // A form without an error of its own follows from one that has one.
        let told = shown.find("(error parse");
        let silent = shown.find("(error )");
        assert!(silent.is_none_or(|at| told.is_some_and(|told| told < at)), "{text:?}: {shown}");
    }
}
