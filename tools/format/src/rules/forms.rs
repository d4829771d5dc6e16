//! Forms: each starts a line.

use super::expressions::LET;
use super::{Layout, Part, parts};
use crate::doc::{Item, Mode};
use std::iter::Peekable;
use syntax::{SyntaxKind, SyntaxNode};

impl Layout<'_> {
    /// A whole text.
    pub(super) fn source(&mut self, root: &SyntaxNode) {
        for part in parts(root) {
            match part {
                Part::Node(form) => {
                    self.comments(true);
                    self.form(&form);
                }
                Part::Token(terminator) => {
                    if terminator == SyntaxKind::Dollar {
                        self.blank();
                    }
                    self.token();
                }
            }
        }
        self.comments(true);
    }
    fn form(&mut self, form: &SyntaxNode) {
        match form.kind() {
            SyntaxKind::FunctionForm => self.function(form),
            SyntaxKind::DatatypeForm => self.datatype(form),
            SyntaxKind::BindingForm => self.bound(form),
            SyntaxKind::CommandForm => self.words(form),
            _ => parts(form).for_each(|part| self.part(&part)),
        }
    }
    /// A header and a body, on one line if they fit.  If the header has several lines, the sign
    /// stands on the body's:
    ///
    /// ```text
    /// function f(x) : int -> int =       function f(x) : int -> int
    ///   body;                              "what it does"
    ///                                      = body;
    /// ```
    fn function(&mut self, form: &SyntaxNode) {
        let mut parts = parts(form).peekable();
        let short = form.last_child().is_some_and(|body| body.kind() == SyntaxKind::LetExp);
        let most = if short { self.percent(LET) } else { self.width };
        self.nest(|this| {
            this.short_group(Mode::Consistent, most, |this| {
                this.group(Mode::Consistent, |this| {
                    this.header(&mut parts);
                    if parts.next_if(|part| part.is(SyntaxKind::Equal)).is_some() {
                        this.space();
                        this.token();
                    }
                });
                if let Some(doc) = parts.next_if(|part| part.is(SyntaxKind::Doc)) {
                    this.push(Item::Line { empty: false });
                    this.part(&doc);
                    this.push(Item::Line { empty: false });
                    parts.by_ref().take(1).for_each(|_| this.token());
                }
                for body in parts {
                    this.push(Item::Below);
                    this.align(|this| this.part(&body));
                }
            });
        });
    }
    /// `function name params : type`
    fn header(&mut self, parts: &mut Peekable<impl Iterator<Item = Part>>) {
        parts.by_ref().take(2).for_each(|_| {
            self.token();
            self.name_end();
        });
        parts.by_ref().take(1).for_each(|params| self.params(&params));
        if parts.next_if(|part| part.is(SyntaxKind::Colon)).is_some() {
            self.signature(parts);
        }
    }
    /// Behind a word or name that starts a form: a blank, unless a parenthesis follows the name.
    fn name_end(&mut self) {
        if self.next_kind() != SyntaxKind::LeftParen {
            self.blank();
        }
    }
    /// A name, or a pattern and optional parameters in parentheses.
    fn params(&mut self, params: &Part) {
        match params {
            Part::Node(node) if self.next_kind() == SyntaxKind::LeftParen => {
                self.bracketed(parts(node));
            }
            params => self.part(params),
        }
    }
    /// `datatype name(type, ...) :: classes`
    fn datatype(&mut self, form: &SyntaxNode) {
        self.nest(|this| {
            this.group(Mode::Consistent, |this| {
                for part in parts(form) {
                    match part {
                        Part::Token(_) => {
                            this.token();
                            this.name_end();
                        }
                        Part::Node(node) => {
                            if node.kind() == SyntaxKind::Classes {
                                this.space();
                            }
                            this.node(&node);
                        }
                    }
                }
            });
        });
    }
}
