//! Expressions and bindings at the top level.

use super::Checker;
use crate::infer;
use crate::names;
use crate::show::show_pattern;
use crate::tree::{DefinitionKind, Form, FormKind};
use base::Diagnostic;
use syntax::ast;

impl Checker {
    pub(super) fn value(
        &mut self,
        pattern: Option<&ast::Pattern>,
        exp: &ast::Exp,
        form: &ast::Form,
    ) -> Result<Form, Vec<Diagnostic>> {
        let span = form.span;
        let found = self.names_of(|view| names::of_value(view, pattern, exp))?;
        // The form itself may give these names other meanings.
        let uses = self.meanings(&found.free);
        let value = infer::value(&self.program, &self.tables, pattern, exp, None)?;
        let before = self.before();
        let version = self.tables.scope.version();
        let mut binds = Vec::new();
        for (local, name, poly) in value.names {
            let global = self.push(&name, poly, DefinitionKind::Value, span);
            self.program.globals[global].doc = self.documentation(None, form.comment.as_deref());
            self.define(global, false);
            binds.push((local, global));
        }
        if let (Some(ast::PatternKind::Name(_)) | None, [(_, global)]) =
            (pattern.map(|pattern| &pattern.kind), binds.as_slice())
        {
            self.tables.quotients.extend(value.quotient.map(|quotient| (*global, quotient)));
        }
        let globals = binds.iter().map(|bind| bind.1).collect();
        self.keep_value(pattern, (exp, &value.exp), version, globals);
        self.follow_effects(&before)?;
        let form = Form {
            shown: pattern.map_or("it".to_string(), show_pattern),
            kind: FormKind::Evaluate {
                exp: value.exp,
                locals: value.locals,
                pattern: value.pattern,
                binds,
                scheme: value.poly.scheme,
            },
            span,
        };
        self.note(uses, found.types, &form);
        Ok(form)
    }
}
