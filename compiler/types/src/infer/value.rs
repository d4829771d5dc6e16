//! Expressions and bindings at the top level.

use super::{Infer, Quotient, Tables};
use crate::errors::{self, Why};
use crate::graph::{Poly, placed};
use crate::scope::Version;
use crate::tree::{Exp, ExpKind, Local, LocalInfo, Pattern, PatternKind, Program};
use crate::ty::{Base, Type};
use base::{Diagnostic, IdMap};
use syntax::ast;

/// A checked expression or binding.
pub(crate) struct Value {
    pub(crate) exp: Exp,
    pub(crate) pattern: Pattern,
    pub(crate) locals: IdMap<Local, LocalInfo>,
    /// The type of the whole value.
    pub(crate) poly: Poly,
    /// The names bound, over the variables of the whole value.
    pub(crate) names: Vec<(Local, String, Poly)>,
    /// The division that gives it.
    pub(crate) quotient: Option<Quotient>,
}

/// Checks an expression; without a pattern its value is bound to `it`.  It sees the names as they
/// are now, or as they were at a version.
pub(crate) fn value(
    program: &Program,
    tables: &Tables,
    pattern: Option<&ast::Pattern>,
    exp: &ast::Exp,
    version: Option<Version>,
) -> Result<Value, Vec<Diagnostic>> {
    let mut infer = Infer::new(program, tables);
    infer.at.version = version.unwrap_or(infer.at.version);
    let exp = infer.exp(exp);
    let pattern = match pattern {
        Some(pattern) => {
            let pattern = infer.pattern(pattern);
            infer.expect(&exp, placed(&pattern.ty), &Why::Pattern(pattern.span));
            pattern
        }
        None => {
            let local = infer.local("it", placed(&exp.ty));
            infer.enter(local);
            Pattern { kind: PatternKind::Local(local), ty: exp.ty.clone(), span: exp.span }
        }
    };
    let ty = placed(&exp.ty);
    let vars = infer.graph.variables(&[ty]);
    infer.check_determined(&exp);
    infer.check_effects()?;
    let poly = infer.graph.generalise(ty, &vars);
    let quotient = infer.quotients.get(&exp.span).copied();
    let quotient = quotient.filter(|_| poly.scheme.ty == Type::Base(Base::I64));
    let mut names = Vec::new();
    for name in std::mem::take(&mut infer.at.entered) {
        let Some(local) = infer.visible(&name) else { continue };
        let ty = placed(&infer.at.locals[local].ty);
        names.push((local, name, infer.graph.generalise(ty, &vars)));
    }
    Ok(Value { quotient, ..infer.finish_value(exp, pattern, poly, names, &vars) })
}

impl Infer<'_> {
    /// The function that is called, if no call of it ends.
    fn endless(&self, value: &Exp) -> Option<String> {
        let ExpKind::Apply(function, _) = &value.kind else { return None };
        let ExpKind::Global(global, ..) = function.kind else { return None };
        let endless = self.tables.endless.contains(&global);
        endless.then(|| self.program.globals[global].name.clone())
    }
    /// LANGUAGE 5.5: variables are left only inside function types.
    fn check_determined(&mut self, value: &Exp) {
        if !self.errors.is_empty() {
            return;
        }
        let ty = placed(&value.ty);
        let outer = self.graph.outer_variables(ty);
        let inner: Vec<_> =
            self.graph.variables(&[ty]).into_iter().filter(|v| !outer.contains(v)).collect();
        self.check_empties(&inner);
        if !outer.is_empty() && self.errors.is_empty() {
            if let Some(name) = self.endless(value) {
                self.errors.push(errors::endless_value(value.span, &name));
                return;
            }
            let [shown] = self.graph.show([ty]);
            self.errors.push(errors::undetermined_value(value.span, &shown));
        }
    }
}
