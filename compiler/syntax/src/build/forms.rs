//! Forms and commands.

use super::{Builder, child, first_token, tokens};
use crate::ast::{CommandArg, Datatype, Exp, FormKind, Function, Name};
use crate::kind::{SyntaxKind, SyntaxNode, SyntaxToken};
use crate::literal;
use base::Diagnostic;
use std::sync::Arc;

impl Builder<'_> {
    /// A form without errors.
    pub(super) fn form_kind(&self, node: &SyntaxNode) -> Option<FormKind> {
        match node.kind() {
            SyntaxKind::FunctionForm => {
                self.function(node).map(|it| FormKind::Function(Arc::new(it)))
            }
            SyntaxKind::DatatypeForm => self.datatype(node).map(FormKind::Datatype),
            SyntaxKind::BindingForm => {
                let pattern = self.pattern(&node.first_child()?)?;
                Some(FormKind::Binding(pattern, self.exp(&node.last_child()?)?))
            }
            SyntaxKind::ExpForm => self.exp(&node.first_child()?).map(FormKind::Exp),
            SyntaxKind::CommandForm => self.command(node),
            _ => None,
        }
    }
    /// A form with errors, or one that could not be built.
    pub(super) fn failed(&self, node: &SyntaxNode, errors: &[Diagnostic]) -> FormKind {
        let bug = if errors.is_empty() { Some(self.bug(node)) } else { None };
        FormKind::Error(errors.iter().cloned().chain(bug).collect())
    }
    fn function(&self, node: &SyntaxNode) -> Option<Function> {
        let params = child(node, SyntaxKind::Params)?;
        let doc = child(node, SyntaxKind::Doc).and_then(|doc| first_token(&doc));
        let typed = tokens(node).any(|token| token.kind() == SyntaxKind::Colon);
        let defined = tokens(node).any(|token| token.kind() == SyntaxKind::Equal);
        Some(Function {
            name: self.name(&tokens(node).nth(1)?),
            param: self.pattern(&child(&params, SyntaxKind::Pattern)?)?,
            optional: self.optional(&params)?,
            ty: if typed { Some(self.signature(node)?) } else { None },
            doc: doc.and_then(|token| literal::string(self.bytes(&token))),
            body: if defined { Some(self.exp(&node.last_child()?)?) } else { None },
        })
    }
    fn datatype(&self, node: &SyntaxNode) -> Option<Datatype> {
        let name = self.name(&tokens(node).nth(1)?);
        let (fields, classes) = self.signature(node)?;
        Some(Datatype { name, fields, classes })
    }
    /// The optional parameters or arguments directly under a node.
    pub(super) fn optional(&self, node: &SyntaxNode) -> Option<Vec<(Name, Exp)>> {
        let all = node.children().filter(|child| child.kind() == SyntaxKind::Optional);
        all.map(|one| Some((self.name(&first_token(&one)?), self.exp(&one.first_child()?)?)))
            .collect()
    }
    fn command(&self, node: &SyntaxNode) -> Option<FormKind> {
        let mut tokens = tokens(node);
        let word = self.name(&tokens.next()?);
        let args = tokens.map(|token| self.command_arg(&token));
        let exp = node.first_child().map(|exp| Some(CommandArg::Exp(self.exp(&exp)?)));
        let args: Option<Vec<CommandArg>> = args.chain(exp).collect();
        Some(FormKind::Command(word, args?))
    }
    fn command_arg(&self, token: &SyntaxToken) -> Option<CommandArg> {
        let span = self.span(token.text_range());
        match token.kind() {
            SyntaxKind::Int => Some(CommandArg::Number(literal::int(self.bytes(token))?, span)),
            SyntaxKind::Str => Some(CommandArg::Str(literal::string(self.bytes(token))?, span)),
            _ => Some(CommandArg::Name(self.name(token))),
        }
    }
}
