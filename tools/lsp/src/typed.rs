//! The types of expressions and patterns, found where somebody asks.
//!
//! Forms keep the trees that the checker made of them when they were checked.  A form that has
//! moved since was not checked again, so places are counted in the text of that time:
//!
//! ```text
//! then    ...  function f(x) = x;           from 40 on
//! now     .......  function f(x) = x;       from 44 on: 44 + n is 40 + n
//! ```

use base::Span;
use std::sync::Arc;
use types::tree::{self, DefinitionKind, Exp, ExpKind, Global, Pattern, PatternKind, Program};
use types::{Known, Scheme, Type};

/// A form that is right, or a function.
#[derive(Clone)]
pub(crate) struct Part {
    /// Where it stands.
    pub(crate) now: Span,
    /// Where it stood when it was checked.
    pub(crate) then: Span,
    /// What it is.
    pub(crate) tree: PartTree,
}

/// What the checker made of a part.
#[derive(Clone)]
pub(crate) enum PartTree {
    /// A function, and those that evaluate the defaults of its parameters.
    Functions(Vec<Global>),
    /// A form that is evaluated.
    Form(Arc<Known>),
}

/// An expression or pattern and its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    /// Over the variables of the scheme.
    pub(crate) ty: Type,
    /// The type of the definition around.
    pub(crate) scheme: Scheme,
    /// The top-level name that it is.
    pub(crate) global: Option<Global>,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The innermost expression or pattern.
    Any,
    /// A name, perhaps in parentheses.
    Name,
}

impl Part {
    /// The innermost expression or pattern around a span of the present text.
    pub(crate) fn typed(&self, program: &Program, span: Span, wanted: Wanted) -> Option<Typed> {
        let start = self.then.start + span.start.checked_sub(self.now.start)?;
        let end = start + (span.end - span.start);
        let place = Span::new(self.then.file, start, end);
        match &self.tree {
            PartTree::Functions(globals) => globals.iter().find_map(|global| {
                let definition = &program.globals[*global];
                let DefinitionKind::Function(function) = &definition.kind else { return None };
                let mut search = Search { place, wanted, scheme: &definition.scheme, best: None };
                search.pattern(&function.param);
                search.exp(&function.body);
                search.finish()
            }),
            PartTree::Form(known) => {
                let tree::FormKind::Evaluate { exp, pattern, scheme, .. } = &known.form().kind
                else {
                    return None;
                };
                let mut search = Search { place, wanted, scheme, best: None };
                search.pattern(pattern);
                search.exp(exp);
                search.finish()
            }
        }
    }
}

/// A search for the smallest node around a place.
struct Search<'p> {
    place: Span,
    wanted: Wanted,
    scheme: &'p Scheme,
    best: Option<(u32, &'p Type, Option<Global>)>,
}

impl<'p> Search<'p> {
    fn finish(self) -> Option<Typed> {
        let (_, ty, global) = self.best?;
        Some(Typed { ty: ty.clone(), scheme: self.scheme.clone(), global })
    }
    fn meet(&mut self, span: Span, ty: &'p Type, global: Option<Global>, is_name: bool) {
        let around = span.file == self.place.file
            && span.start <= self.place.start
            && self.place.end <= span.end;
        let width = span.end.saturating_sub(span.start);
        let smaller = self.best.is_none_or(|(best, ..)| width < best);
        if around && smaller && (is_name || self.wanted == Wanted::Any) {
            self.best = Some((width, ty, global));
        }
    }
    fn exp(&mut self, exp: &'p Exp) {
        exp.walk(&mut |exp| {
            let global = match &exp.kind {
                ExpKind::Global(global, ..) => Some(*global),
                _ => None,
            };
            let is_name = matches!(exp.kind, ExpKind::Global(..) | ExpKind::Local(_));
            self.meet(exp.span, &exp.ty, global, is_name);
            match &exp.kind {
                ExpKind::Lambda(pattern, _) => self.pattern(pattern),
                ExpKind::Let(bindings, _) => {
                    bindings.iter().for_each(|(pattern, _)| self.pattern(pattern));
                }
                ExpKind::Each(each) => {
                    each.generators.iter().for_each(|(pattern, _)| self.pattern(pattern));
                }
                _ => {}
            }
        });
    }
    fn pattern(&mut self, pattern: &'p Pattern) {
        self.meet(pattern.span, &pattern.ty, None, matches!(pattern.kind, PatternKind::Local(_)));
        match &pattern.kind {
            PatternKind::Local(_) | PatternKind::Wildcard => {}
            PatternKind::Pair(a, b) => {
                self.pattern(a);
                self.pattern(b);
            }
            PatternKind::Construct(_, fields) => self.pattern(fields),
        }
    }
}
