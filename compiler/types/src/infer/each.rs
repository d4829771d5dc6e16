//! Apply-to-each (LANGUAGE 8).

use super::{Infer, typed};
use crate::errors::Why;
use crate::graph::{Cause, Reason, placed};
use crate::tree::{Each, Exp, ExpKind, Local, Pattern, PatternKind};
use crate::ty::{Base, Class};
use base::Span;
use syntax::ast;

/// An apply-to-each as written.
pub(super) struct Parts<'e> {
    pub(super) serial: bool,
    pub(super) body: Option<&'e ast::Exp>,
    pub(super) generators: &'e [ast::Generator],
    pub(super) test: Option<&'e ast::Exp>,
}

impl Infer<'_> {
    pub(super) fn each(&mut self, parts: &Parts, span: Span) -> Exp {
        let sources: Vec<Exp> = parts.generators.iter().map(|g| self.exp(&g.source)).collect();
        let mark = self.mark();
        let patterns: Vec<Pattern> =
            parts.generators.iter().map(|g| self.pattern(&g.pattern)).collect();
        for (pattern, source) in patterns.iter().zip(&sources) {
            self.range_over(pattern, source);
        }
        let outside = self.at.context;
        if !parts.serial {
            self.at.context = self.graph.effects.forbidding(Cause { span, reason: Reason::Each });
        }
        let test = parts.test.map(|test| self.test(test));
        let body = parts.body.map(|body| self.exp(body));
        self.at.context = outside;
        self.leave(mark);
        let each = self.assemble(parts.serial, patterns, sources, test, body);
        let ty = self.seq(placed(&each.body.ty), each.body.span);
        typed(ExpKind::Each(Box::new(each)), ty, span)
    }
    fn range_over(&mut self, pattern: &Pattern, source: &Exp) {
        let element = self.graph.var(Class::Data);
        let sequence = self.seq(element, source.span);
        self.expect(source, sequence, &Why::Source);
        self.equate(source.span, element, placed(&pattern.ty), &Why::Pattern(pattern.span));
    }
    fn test(&mut self, test: &ast::Exp) -> Exp {
        let test = self.exp(test);
        let bool = self.graph.base(Base::Bool);
        self.expect(&test, bool, &Why::Test);
        test
    }

    /// The typed apply-to-each.  With the body left out the result holds the elements of the first
    /// source: its pattern becomes a local, which the test takes apart if it has parts.
    fn assemble(
        &mut self,
        serial: bool,
        mut patterns: Vec<Pattern>,
        sources: Vec<Exp>,
        mut test: Option<Exp>,
        body: Option<Exp>,
    ) -> Each {
        let body = match body {
            Some(body) => body,
            None => {
                let (local, taken_apart) = self.whole_element(&mut patterns[0]);
                let element = self.local_exp(local, patterns[0].span);
                test = test.map(|test| match taken_apart {
                    Some(pattern) => bound(pattern, element.clone(), test),
                    None => test,
                });
                element
            }
        };
        Each { serial, generators: patterns.into_iter().zip(sources).collect(), test, body }
    }
    /// Makes a pattern a local; gives the local and the pattern if it was none.
    fn whole_element(&mut self, pattern: &mut Pattern) -> (Local, Option<Pattern>) {
        if let PatternKind::Local(local) = pattern.kind {
            return (local, None);
        }
        let local = self.local("element", placed(&pattern.ty));
        let whole =
            Pattern { kind: PatternKind::Local(local), ty: pattern.ty.clone(), span: pattern.span };
        (local, Some(std::mem::replace(pattern, whole)))
    }
}

/// `let pattern = value in body`.
fn bound(pattern: Pattern, value: Exp, body: Exp) -> Exp {
    let (ty, span) = (body.ty.clone(), body.span);
    Exp { kind: ExpKind::Let(vec![(pattern, value)], Box::new(body)), ty, span }
}
