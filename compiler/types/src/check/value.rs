//! Expressions and bindings at the top level.

use super::Checker;
use crate::infer;
use crate::names;
use crate::show::show_pattern;
use crate::tree::{DefinitionKind, Form, FormKind};
use base::{Diagnostic, Span};
use syntax::ast;

impl Checker {
    pub(super) fn value(
        &mut self,
        pattern: Option<&ast::Pattern>,
        exp: &ast::Exp,
        span: Span,
    ) -> Result<Form, Vec<Diagnostic>> {
        self.names_of(|view| names::of_value(view, pattern, exp))?;
        let value = infer::value(&self.program, &self.tables, pattern, exp, None)?;
        let before = self.before();
        let version = self.tables.scope.version();
        let mut binds = Vec::new();
        for (local, name, poly) in value.names {
            let global = self.push(&name, poly, DefinitionKind::Value, span);
            self.define(global, false);
            binds.push((local, global));
        }
        let globals = binds.iter().map(|bind| bind.1).collect();
        self.keep_value(pattern, (exp, &value.exp), version, globals);
        self.follow_effects(&before)?;
        Ok(Form {
            shown: pattern.map_or("it".to_string(), show_pattern),
            kind: FormKind::Evaluate {
                exp: value.exp,
                locals: value.locals,
                pattern: value.pattern,
                binds,
                scheme: value.poly.scheme,
            },
            span,
        })
    }
}
