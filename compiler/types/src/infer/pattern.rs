//! Patterns: the names they bind and what they take apart.

use super::Infer;
use crate::errors::Why;
use crate::graph::{Node, placed, placeholder};
use crate::tree::{Pattern, PatternKind};
use crate::ty::Class;
use base::Span;
use syntax::ast;

impl Infer<'_> {
    /// A pattern, its names entered.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern) -> Pattern {
        let span = pattern.span;
        match &pattern.kind {
            ast::PatternKind::Name(name) => {
                let ty = self.graph.var(Class::Any);
                let local = self.local(name, ty);
                self.enter(local);
                Pattern { kind: PatternKind::Local(local), ty: placeholder(ty), span }
            }
            // Invalid ones were reported with the names.
            ast::PatternKind::Wildcard | ast::PatternKind::Invalid(_) => {
                let ty = self.graph.var(Class::Any);
                Pattern { kind: PatternKind::Wildcard, ty: placeholder(ty), span }
            }
            ast::PatternKind::Pair(a, b) => {
                let a = self.pattern(a);
                let b = self.pattern(b);
                self.pair_pattern(a, b, span)
            }
            ast::PatternKind::Construct(name, fields) => self.construct(name, fields, span),
        }
    }
    pub(super) fn pair_pattern(&mut self, a: Pattern, b: Pattern, span: Span) -> Pattern {
        let ty = placeholder(self.graph.pair(placed(&a.ty), placed(&b.ty)));
        Pattern { kind: PatternKind::Pair(Box::new(a), Box::new(b)), ty, span }
    }
    fn construct(&mut self, name: &ast::Name, fields: &ast::Pattern, span: Span) -> Pattern {
        let fields = self.pattern(fields);
        let tables = self.tables;
        let Some(data) = tables.scope.constructor(&name.text, self.at.version) else {
            let ty = placeholder(self.graph.error());
            return Pattern { kind: PatternKind::Wildcard, ty, span };
        };
        let constructor = &tables.datas[data].constructor;
        let instance = self.graph.instantiate(constructor, &name.text, name.span);
        let ty = match self.graph.view(instance.ty) {
            Node::Fun(parts, _, whole) => {
                let expected = placed(&fields.ty);
                self.equate(name.span, parts, expected, &Why::Pattern(fields.span));
                whole
            }
            _ => self.graph.error(),
        };
        let kind = PatternKind::Construct(data, Box::new(fields));
        Pattern { kind, ty: placeholder(ty), span }
    }
}
