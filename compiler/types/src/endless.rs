//! Functions that call themselves on every path, so that no call of them ends.
//!
//! ```text
//! function forever(n) = forever(n + 1);
//! function down(n) = n == 0 or down(n - 1);       `or` evaluates both operands
//! function ping(n) = pong(n);   function pong(n) = if n > 3 then ping(n) else ping(n + 1);
//! ```
//!
//! The functions of a unit that all call such a function on every path are the greatest set of
//! which that is true.  It is found by starting with all and leaving out, one after the other,
//! those with a path that ends.

use crate::tree::{Exp, ExpKind, Global, Program};
use base::{Diagnostic, Kind, Span};
use rustc_hash::FxHashSet;

/// The endless functions among those of a unit, and where each calls one.  `known` are those of
/// units before.
pub(crate) fn among(
    program: &Program,
    known: &FxHashSet<Global>,
    unit: &[(Global, &Exp)],
) -> Vec<(Global, Span)> {
    let mut endless = known.clone();
    endless.extend(unit.iter().map(|(global, _)| *global));
    loop {
        let search = Search { program, endless: &endless };
        let reach = |&(global, body): &(Global, &Exp)| match search.first(body) {
            Some(Reached::Endless(call)) if endless.contains(&global) => Some((global, call)),
            _ => None,
        };
        let found: Vec<(Global, Span)> = unit.iter().filter_map(reach).collect();
        if found.len() == unit.iter().filter(|member| endless.contains(&member.0)).count() {
            return found;
        }
        let ends = |global: &Global| !found.iter().any(|it| it.0 == *global);
        let left: Vec<Global> = unit.iter().map(|it| it.0).filter(ends).collect();
        left.iter().for_each(|global| {
            endless.remove(global);
        });
    }
}

/// The warning about such a function.
pub(crate) fn warning(name: &str, call: Span) -> Diagnostic {
    let message = format!(
        "no call of `{name}` ends: every path through it makes such a call again; \
         it needs an `if` with an arm that makes none"
    );
    Diagnostic::new(Kind::Type, message).label(call, "")
}

/// The kind of call that every evaluation reaches first.
enum Reached {
    /// The call of an endless function.
    Endless(Span),
    /// A call of `error`, behind which nothing is evaluated.
    Failure,
}

struct Search<'p> {
    program: &'p Program,
    endless: &'p FxHashSet<Global>,
}

impl Search<'_> {
    /// The call that every evaluation of an expression reaches first, if all reach the same kind.
    fn first(&self, exp: &Exp) -> Option<Reached> {
        match &exp.kind {
            ExpKind::Const(_) | ExpKind::Str(_) | ExpKind::Local(_) | ExpKind::Global(..) => None,
            // The body of a function value is evaluated where that is called, if at all.
            ExpKind::Lambda(..) => None,
            ExpKind::Pair(a, b) => self.first(a).or_else(|| self.first(b)),
            ExpKind::Seq(elements) => elements.iter().find_map(|element| self.first(element)),
            ExpKind::Apply(function, argument) => {
                let before = self.first(function).or_else(|| self.first(argument));
                before.or_else(|| self.called(function, exp.span))
            }
            ExpKind::If(condition, then, other) => {
                self.first(condition).or_else(|| match (self.first(then)?, self.first(other)?) {
                    (Reached::Endless(call), _) | (_, Reached::Endless(call)) => {
                        Some(Reached::Endless(call))
                    }
                    (Reached::Failure, Reached::Failure) => Some(Reached::Failure),
                })
            }
            ExpKind::Let(bindings, body) => {
                let bound = bindings.iter().find_map(|(_, value)| self.first(value));
                bound.or_else(|| self.first(body))
            }
            // There may be no element.
            ExpKind::Each(each) => {
                each.generators.iter().find_map(|(_, source)| self.first(source))
            }
        }
    }
    fn called(&self, function: &Exp, call: Span) -> Option<Reached> {
        let ExpKind::Global(global, ..) = function.kind else { return None };
        if self.endless.contains(&global) {
            return Some(Reached::Endless(call));
        }
        let definition = self.program.globals.get(global)?;
        (definition.library && definition.name == "error").then_some(Reached::Failure)
    }
}
