//! Types and class bounds.

use super::{Builder, child, first_token, tokens};
use crate::ast::{ClassBound, Type, TypeKind};
use crate::kind::{SyntaxKind, SyntaxNode};

impl Builder<'_> {
    /// The type directly under a node, and the class bounds behind it.
    pub(super) fn signature(&self, node: &SyntaxNode) -> Option<(Type, Vec<ClassBound>)> {
        let ty = self.ty(&node.children().find(|child| is_type(child.kind()))?)?;
        let classes = match child(node, SyntaxKind::Classes) {
            Some(list) => {
                list.children().map(|bound| self.class_bound(&bound)).collect::<Option<_>>()
            }
            None => Some(Vec::new()),
        };
        Some((ty, classes?))
    }
    fn class_bound(&self, node: &SyntaxNode) -> Option<ClassBound> {
        let mut tokens = tokens(node);
        let var = self.name(&tokens.next()?);
        Some(ClassBound { var, class: self.name(&tokens.nth(1)?) })
    }
    /// A type.
    pub(super) fn ty(&self, node: &SyntaxNode) -> Option<Type> {
        let span = self.span(node.text_range());
        let part = |node: Option<SyntaxNode>| self.ty(&node?).map(Box::new);
        let kind = match node.kind() {
            SyntaxKind::NameType => {
                let name = self.name(&first_token(node)?);
                let arguments = node.first_child();
                TypeKind::Name(
                    name,
                    if arguments.is_some() { Some(part(arguments)?) } else { None },
                )
            }
            SyntaxKind::SeqType => TypeKind::Seq(part(node.first_child())?),
            SyntaxKind::PairType => {
                TypeKind::Pair(part(node.first_child())?, part(node.last_child())?)
            }
            SyntaxKind::FunctionType => {
                TypeKind::Function(part(node.first_child())?, part(node.last_child())?)
            }
            SyntaxKind::ParenType => self.ty(&node.first_child()?)?.kind,
            _ => return None,
        };
        Some(Type { kind, span })
    }
}

/// Whether a node is a type.
fn is_type(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::NameType
            | SyntaxKind::SeqType
            | SyntaxKind::PairType
            | SyntaxKind::FunctionType
            | SyntaxKind::ParenType
    )
}
