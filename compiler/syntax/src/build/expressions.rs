//! Expressions.

use super::{Builder, child, first_token, tokens};
use crate::ast::{Exp, ExpKind, Generator, Operator, Pattern, PatternKind};
use crate::kind::{SyntaxKind, SyntaxNode};
use crate::literal;

impl Builder<'_> {
    /// An expression.
    pub(super) fn exp(&self, node: &SyntaxNode) -> Option<Exp> {
        let span = self.span(node.text_range());
        Some(Exp { kind: self.exp_kind(node)?, span })
    }
    fn boxed(&self, node: Option<SyntaxNode>) -> Option<Box<Exp>> {
        self.exp(&node?).map(Box::new)
    }
    fn exp_kind(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let first = || node.first_child();
        let last = || node.last_child();
        Some(match node.kind() {
            SyntaxKind::Literal => self.literal(node)?,
            SyntaxKind::NameExp => ExpKind::Name(self.name(&first_token(node)?)),
            SyntaxKind::WildcardExp => ExpKind::Wildcard,
            SyntaxKind::ParenExp | SyntaxKind::Arguments | SyntaxKind::Body => {
                self.exp_kind(&first()?)?
            }
            SyntaxKind::PairExp => ExpKind::Pair(self.boxed(first())?, self.boxed(last())?),
            SyntaxKind::BinaryExp | SyntaxKind::PrefixExp => self.operation(node)?,
            SyntaxKind::ApplyExp => ExpKind::Apply {
                function: self.boxed(first())?,
                argument: self.boxed(last())?,
                optional: self.optional(&last()?)?,
            },
            SyntaxKind::SubscriptExp => {
                ExpKind::Subscript(self.boxed(first())?, self.boxed(last())?)
            }
            SyntaxKind::SeqExp => ExpKind::Seq(self.exps(node)?),
            SyntaxKind::EmptyExp => {
                let ty = match first() {
                    Some(ty) => Some(self.ty(&ty)?),
                    None => None,
                };
                ExpKind::Empty(ty, self.span(node.text_range()))
            }
            SyntaxKind::RangeExp => self.range(node)?,
            SyntaxKind::IfExp => {
                let mut parts = node.children();
                let (condition, then) = (self.boxed(parts.next())?, self.boxed(parts.next())?);
                ExpKind::If(condition, then, self.boxed(parts.next())?)
            }
            SyntaxKind::LetExp => self.let_in(node)?,
            SyntaxKind::LambdaExp => {
                ExpKind::Lambda(Box::new(self.pattern(&first()?)?), self.boxed(last())?)
            }
            SyntaxKind::EachExp => self.each(node)?,
            _ => return None,
        })
    }
    /// All children as expressions.
    fn exps(&self, node: &SyntaxNode) -> Option<Vec<Exp>> {
        node.children().map(|child| self.exp(&child)).collect()
    }
    fn literal(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let token = first_token(node)?;
        let text = self.bytes(&token);
        Some(match token.kind() {
            SyntaxKind::Int => ExpKind::Int(literal::int(text)?),
            SyntaxKind::Float => ExpKind::Float(literal::float(text)?),
            SyntaxKind::Char => ExpKind::Char(literal::char(text)?),
            SyntaxKind::Str => ExpKind::Str(literal::string(text)?),
            SyntaxKind::True => ExpKind::Bool(true),
            SyntaxKind::False => ExpKind::Bool(false),
            _ => return None,
        })
    }
    fn operation(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let sign = first_token(node)?;
        let name = match (node.kind(), sign.kind()) {
            (SyntaxKind::PrefixExp, SyntaxKind::Minus) => "negate",
            (_, kind) => kind.text()?,
        };
        let operator = Operator { name, span: self.span(sign.text_range()) };
        Some(ExpKind::Operator(operator, self.exps(node)?))
    }
    fn range(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let mut parts = node.children();
        let (start, end) = (self.boxed(parts.next())?, self.boxed(parts.next())?);
        let step = match parts.next() {
            Some(step) => Some(self.boxed(Some(step))?),
            None => None,
        };
        Some(ExpKind::Range { start, end, step })
    }
    fn let_in(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let bindings = node.children().filter(|child| child.kind() == SyntaxKind::LetBinding);
        let bindings: Option<Vec<(Pattern, Exp)>> = bindings
            .map(|one| Some((self.pattern(&one.first_child()?)?, self.exp(&one.last_child()?)?)))
            .collect();
        Some(ExpKind::Let(bindings?, self.boxed(node.last_child())?))
    }
    fn each(&self, node: &SyntaxNode) -> Option<ExpKind> {
        let body = match child(node, SyntaxKind::Body) {
            Some(body) => self.boxed(Some(body)).map(Some),
            None => Some(None),
        };
        let generators = node.children().filter(|child| child.kind() == SyntaxKind::Generator);
        // What is told of a test is told of the expression behind the `|`.
        let test = match child(node, SyntaxKind::Test) {
            Some(test) => self.boxed(test.first_child()).map(Some),
            None => Some(None),
        };
        Some(ExpKind::Each {
            serial: tokens(node).any(|token| token.kind() == SyntaxKind::Star),
            body: body?,
            generators: generators.map(|one| self.generator(&one)).collect::<Option<_>>()?,
            test: test?,
        })
    }
    /// `p in e`, or the bare name `v`, which is `v in v`.
    fn generator(&self, node: &SyntaxNode) -> Option<Generator> {
        let (first, last) = (node.first_child()?, node.last_child()?);
        if first.kind() == SyntaxKind::Pattern {
            return Some(Generator { pattern: self.pattern(&first)?, source: self.exp(&last)? });
        }
        let source = self.exp(&last)?;
        let name = self.name(&first_token(&first)?);
        let pattern = Pattern { kind: PatternKind::Name(name.text), span: name.span };
        Some(Generator { pattern, source })
    }
}
