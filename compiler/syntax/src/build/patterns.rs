//! Expressions to patterns.
//!
//! What can be an expression but not a pattern becomes `Invalid` with the message that the type
//! checker gives.

use super::{Builder, child, first_token};
use crate::ast::{Pattern, PatternKind};
use crate::kind::{SyntaxKind, SyntaxNode};

impl Builder<'_> {
    /// A pattern, from the node of an expression or one wrapped in `Pattern`.
    pub(super) fn pattern(&self, node: &SyntaxNode) -> Option<Pattern> {
        let span = self.span(node.text_range());
        let kind = match node.kind() {
            SyntaxKind::NameExp => PatternKind::Name(self.name(&first_token(node)?).text),
            SyntaxKind::WildcardExp => PatternKind::Wildcard,
            SyntaxKind::PairExp => PatternKind::Pair(
                Box::new(self.pattern(&node.first_child()?)?),
                Box::new(self.pattern(&node.last_child()?)?),
            ),
            SyntaxKind::Arguments if child(node, SyntaxKind::Optional).is_some() => {
                invalid("an optional argument cannot stand in a pattern")
            }
            SyntaxKind::Pattern | SyntaxKind::ParenExp | SyntaxKind::Arguments => {
                self.pattern(&node.first_child()?)?.kind
            }
            SyntaxKind::ApplyExp => self.construct(node)?,
            SyntaxKind::Literal => {
                let token = first_token(node)?;
                let text = token.text().to_ascii_lowercase();
                if let Some(meaning) = token.kind().truth() {
                    let message = format!("`{text}` means {meaning}: choose another name");
                    return Some(Pattern { kind: invalid(&message), span });
                }
                invalid(&format!("the literal `{text}` cannot be bound"))
            }
            SyntaxKind::SubscriptExp => {
                invalid("a sequence keeps its elements; `a <- [(i, x)]` is `a` with x at place i")
            }
            _ if has_for(node) => {
                invalid("an apply-to-each is written `{value : name in sequence}`, without `for`")
            }
            SyntaxKind::BinaryExp if begins_with_while(node) => invalid(
                "there are no loops, and names keep their values: functions call themselves",
            ),
            SyntaxKind::PrefixExp if node.text().contains_char('\n') => {
                invalid("a comment runs from one `%` to the next")
            }
            SyntaxKind::BinaryExp | SyntaxKind::PrefixExp => {
                invalid("an operator cannot stand in a pattern")
            }
            other => invalid(&format!("{other} cannot stand in a pattern")),
        };
        Some(Pattern { kind, span })
    }
    /// `pat ::= name pat` groups to the right, application to the left: `f g x` is `f (g x)` here.
    fn construct(&self, node: &SyntaxNode) -> Option<PatternKind> {
        let mut function = node.clone();
        let mut last = None;
        let mut constructors = Vec::new();
        while function.kind() == SyntaxKind::ApplyExp {
            let argument = function.last_child()?;
            match last {
                None => last = Some(argument),
                Some(_) => constructors.push(argument),
            }
            function = function.first_child()?;
        }
        constructors.push(function);
        let mut pattern = self.pattern(&last?)?;
        for constructor in constructors {
            if constructor.kind() != SyntaxKind::NameExp {
                return Some(invalid("only the name of a datatype can stand before a pattern"));
            }
            let name = self.name(&first_token(&constructor)?);
            let span = name.span.to(pattern.span);
            pattern = Pattern { kind: PatternKind::Construct(name, Box::new(pattern)), span };
        }
        Some(pattern.kind)
    }
}

/// Whether the name `for` stands in it, as in the `{x * x for x in s}` of other languages.
fn has_for(node: &SyntaxNode) -> bool {
    let tokens = node.descendants_with_tokens().filter_map(|part| part.into_token());
    let mut names = tokens.filter(|token| token.kind() == SyntaxKind::Ident);
    names.any(|token| token.text().eq_ignore_ascii_case("for"))
}

/// Whether the name `while` is its first token, as in `while i < n do i = i + 1`.
fn begins_with_while(node: &SyntaxNode) -> bool {
    let first = node.first_token();
    first.is_some_and(|token| token.text().eq_ignore_ascii_case("while"))
}

fn invalid(message: &str) -> PatternKind {
    PatternKind::Invalid(message.to_string())
}
