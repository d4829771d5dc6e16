//! Types and classes.

use super::{Layout, Part, parts};
use crate::doc::Mode;
use syntax::{SyntaxKind, SyntaxNode};

impl Layout<'_> {
    /// `a[i]`, `name(type)`: something and a bracket directly behind it.
    pub(super) fn tight(&mut self, node: &SyntaxNode) {
        let mut parts = parts(node);
        if let Some(first) = parts.next() {
            self.part(&first);
        }
        let mut rest = parts.peekable();
        if rest.peek().is_some() {
            self.bracketed(rest);
        }
    }
    /// `:: (a in any; b in any)`
    pub(super) fn classes(&mut self, node: &SyntaxNode) {
        let mut parts = parts(node).peekable();
        if parts.next().is_some() {
            self.token();
            self.blank();
        }
        if parts.peek().is_some_and(|part| part.is(SyntaxKind::LeftParen)) {
            return self.bracketed(parts);
        }
        self.block(Mode::Filled, |this| parts.for_each(|part| this.separated(&part)));
    }
    /// `: type :: classes`, after a break.  A line may end before `::`.
    pub(super) fn signature(&mut self, parts: &mut impl Iterator<Item = Part>) {
        self.space();
        self.token();
        self.blank();
        self.group(Mode::Filled, |this| {
            if let Some(ty) = parts.next() {
                this.align(|this| this.part(&ty));
            }
            if this.next_kind() == SyntaxKind::ColonColon {
                this.space();
                parts.by_ref().take(1).for_each(|classes| this.part(&classes));
            }
        });
    }
}
