//! Where a form could have ended: behind a line, where the next one could begin a form.
//!
//! What begins a form may also be an argument, an index or an operand, so that a form whose
//! terminator is missing often parses, and means something else:
//!
//! ```text
//! v = [1, 2]          v = [1, 2] - 3
//! -3;
//! ```
//!
//! Lines that go on are further right than the form; only others are such ends.

use super::Builder;
use crate::ast::LineEnd;
use crate::grammar::expressions::starts_operand;
use crate::grammar::habits::ends_operand;
use crate::kind::SyntaxKind::{self, *};
use crate::kind::{SyntaxNode, SyntaxToken};

impl Builder<'_> {
    /// The first such place in the value of a form.
    pub(super) fn line_end(&self, form: &SyntaxNode) -> Option<LineEnd> {
        let defines = matches!(form.kind(), FunctionForm | BindingForm);
        if !defines && form.kind() != ExpForm || !self.has_outer_line(form) {
            return None;
        }
        let indentation = self.indentation(form);
        let (mut in_value, mut open) = (!defines, 0_usize);
        let mut last: Option<SyntaxToken> = None;
        let mut column = None;
        for token in form.descendants_with_tokens().filter_map(|part| part.into_token()) {
            let kind = token.kind();
            if kind.is_trivia() {
                let line = token.text().rfind('\n');
                column = line.map(|at| token.text().len() - at - 1).or(column);
                continue;
            }
            if let (Some(last), Some(column)) = (&last, column.take())
                && in_value
                && open == 0
                && ends_operand(last.kind())
                && begins_form(kind)
                && column <= indentation
            {
                let span = self.span(last.text_range());
                let span = base::Span { start: span.end, ..span };
                return Some(LineEnd { span, line: self.line(span.end) });
            }
            match kind {
                LeftParen | LeftBracket | LeftBrace | Let => open += 1,
                RightParen | RightBracket | RightBrace | In => open = open.saturating_sub(1),
                Equal if open == 0 => in_value = true,
                _ => {}
            }
            last = Some(token);
        }
        None
    }
    /// Whether a line of a form may be no further right than the form: of most forms none is.
    fn has_outer_line(&self, form: &SyntaxNode) -> bool {
        let mut lines = self.tree.bytes(form.text_range()).split(|byte| *byte == b'\n').skip(1);
        lines.clone().next().is_some() && {
            let indentation = self.indentation(form);
            lines.any(|line| line.iter().take(indentation + 1).any(|b| !b.is_ascii_whitespace()))
        }
    }
    /// How many blanks the line has before its first token on which a form begins.
    fn indentation(&self, form: &SyntaxNode) -> usize {
        let before = self.tree.bytes(rowan::TextRange::up_to(form.text_range().start()));
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or(before);
        line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }
    /// The number of the line of a place.
    fn line(&self, place: u32) -> u32 {
        let breaks = self.breaks.get_or_init(|| {
            let text = self.tree.bytes(self.tree.root().text_range());
            let places = (0_u32..).zip(text);
            places.filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place).collect()
        });
        breaks.partition_point(|at| *at < place) as u32 + 1
    }
}

/// Whether a form may begin with this.
fn begins_form(kind: SyntaxKind) -> bool {
    starts_operand(kind) || matches!(kind, LeftBracket | Minus)
}
