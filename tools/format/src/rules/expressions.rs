//! Expressions.

use super::{Layout, Part, parts};
use crate::doc::{Gap, Item, Mode};
use syntax::{SyntaxKind, SyntaxNode};

/// A `let` of so many bindings may have them on one line.
const SHORT_LET: usize = 2;
/// How much of a line, in percent, is the most for a conditional on one line.
const IF: usize = 80;
/// For one with more than two arms.
const CHAIN: usize = 70;
/// For a `let` on one line, and a function that is one.
pub(super) const LET: usize = 85;
/// For two bindings on one line.
const BINDINGS: usize = 60;

impl Layout<'_> {
    /// Two operands; a line may end before the operator.
    pub(super) fn binary(&mut self, node: &SyntaxNode) {
        self.block(Mode::Filled, |this| {
            for part in parts(node) {
                match part {
                    Part::Node(operand) => this.node(&operand),
                    Part::Token(_) => {
                        this.push(Item::Join(Gap::Blank));
                        this.token();
                        this.blank();
                    }
                }
            }
        });
    }
    /// `-x`
    pub(super) fn prefix(&mut self, node: &SyntaxNode) {
        self.token();
        // Two signs would look like one.
        if matches!(self.next_kind(), SyntaxKind::If | SyntaxKind::Let | SyntaxKind::Minus) {
            self.blank();
        }
        node.children().for_each(|operand| self.node(&operand));
    }
    /// `f(x)`, `f x`, `f x y`
    pub(super) fn application(&mut self, node: &SyntaxNode) {
        let mut arguments = Vec::new();
        let mut function = Some(node.clone());
        while let Some(call) = function.take_if(|it| it.kind() == SyntaxKind::ApplyExp) {
            function = call.first_child();
            arguments.extend(call.last_child());
        }
        self.group(Mode::Filled, |this| {
            function.into_iter().for_each(|function| this.node(&function));
            for argument in arguments.into_iter().rev() {
                let parenthesis = this.next_kind() == SyntaxKind::LeftParen;
                let called = this.last_kind() == Some(SyntaxKind::RightParen);
                if argument.kind() != SyntaxKind::Arguments && !(parenthesis && called) {
                    this.nest(|this| this.push(Item::Join(Gap::Blank)));
                }
                this.node(&argument);
            }
        });
    }
    /// `[]`, `[] type`
    pub(super) fn empty(&mut self, node: &SyntaxNode) {
        for part in parts(node) {
            if matches!(part, Part::Node(_)) {
                self.blank();
            }
            self.part(&part);
        }
    }
    /// `[start:end:step]`, with blanks if a part has some: `[0 : n - 1]`.
    pub(super) fn range(&mut self, node: &SyntaxNode) {
        use SyntaxKind::{BinaryExp, IfExp, LambdaExp, LetExp, PairExp};
        let spaced =
            |it: &SyntaxNode| matches!(it.kind(), BinaryExp | IfExp | LambdaExp | LetExp | PairExp);
        let spaced = node.children().any(|part| spaced(&part));
        self.token();
        self.lead(Gap::None, |this| {
            this.group(Mode::Filled, |this| {
                for part in parts(node).skip(1).take_while(|it| !it.is(SyntaxKind::RightBracket)) {
                    match part {
                        Part::Node(node) => this.node(&node),
                        Part::Token(_) if spaced => {
                            this.space();
                            this.token();
                            this.blank();
                        }
                        Part::Token(_) => {
                            this.push(Item::Break(Gap::None));
                            this.token();
                        }
                    }
                }
            });
        });
        self.token();
    }
    /// One line, or one for each arm, where the arms of a last `if` count as arms:
    ///
    /// ```text
    /// if c then a
    /// else if d then b
    /// else e
    /// ```
    pub(super) fn conditional(&mut self, node: &SyntaxNode) {
        let chain = node.last_child().is_some_and(|last| last.kind() == SyntaxKind::IfExp);
        let most = self.percent(if chain { CHAIN } else { IF });
        self.short_block(Mode::Consistent, most, |this| {
            let mut next = Some(node.clone());
            while let Some(node) = next.take() {
                let mut arms = node.children();
                this.group(Mode::Consistent, |this| {
                    this.token();
                    this.blank();
                    arms.by_ref().take(1).for_each(|it| this.align(|this| this.node(&it)));
                    this.space();
                    this.token();
                    arms.by_ref().take(1).for_each(|it| this.lead(Gap::Blank, |l| l.node(&it)));
                });
                this.space();
                this.token();
                next = arms.next();
                let plain = !this.comment_next();
                if let Some(last) = next.take_if(|it| it.kind() != SyntaxKind::IfExp || !plain) {
                    this.lead(Gap::Blank, |this| this.node(&last));
                }
                if next.is_some() {
                    this.blank();
                }
            }
        });
    }
    /// One line, or
    ///
    /// ```text
    /// let a = b;
    ///     c = d
    /// in e
    /// ```
    pub(super) fn let_in(&mut self, node: &SyntaxNode) {
        let is_binding = |it: &SyntaxNode| it.kind() == SyntaxKind::LetBinding;
        let count = node.children().filter(is_binding).count();
        let between = match count {
            0..=SHORT_LET => Item::Break(Gap::Blank),
            _ => Item::Line { empty: false },
        };
        let mut parts = parts(node).skip(1).peekable();
        self.short_block(Mode::Consistent, self.percent(LET), |this| {
            this.token();
            this.blank();
            this.short_block(Mode::Consistent, this.percent(BINDINGS), |this| {
                while let Some(part) = parts.next_if(|part| !part.is(SyntaxKind::In)) {
                    this.part(&part);
                    if part.is(SyntaxKind::Semicolon) && this.next_kind() != SyntaxKind::In {
                        this.push(between);
                    }
                }
            });
            this.space();
            parts.next();
            this.token();
            parts.for_each(|body| this.lead(Gap::Blank, |this| this.part(&body)));
        });
    }
    /// `pattern = value`, `name := value`, `pattern => value`, `pattern in value`; or a name alone.
    pub(super) fn bound(&mut self, node: &SyntaxNode) {
        let mut value = false;
        for (at, part) in parts(node).enumerate() {
            match part {
                Part::Node(node) if value => self.lead(Gap::Blank, |this| this.node(&node)),
                Part::Node(node) => self.node(&node),
                Part::Token(_) => {
                    if at > 0 {
                        self.blank();
                    }
                    self.token();
                    value = at > 0;
                }
            }
        }
    }
    /// One line, or
    ///
    /// ```text
    /// {body
    ///  : x in s; y in t
    ///  | test}
    /// ```
    pub(super) fn each(&mut self, node: &SyntaxNode) {
        let mut parts = parts(node).skip(1).peekable();
        self.token();
        if parts.next_if(|part| part.is(SyntaxKind::Star)).is_some() {
            self.token();
            self.blank();
        }
        self.lead(Gap::None, |this| {
            this.group(Mode::Consistent, |this| {
                if let Some(body) = parts.next_if(|part| part.is(SyntaxKind::Body)) {
                    this.part(&body);
                    // A name is too little for a line.
                    let short = matches!(&body, Part::Node(body) if is_token(body));
                    this.push(if short { Item::Blank } else { Item::Break(Gap::Blank) });
                    parts.next();
                    this.token();
                    this.blank();
                }
                this.block(Mode::Filled, |this| {
                    let ends =
                        |part: &Part| part.is(SyntaxKind::Test) || part.is(SyntaxKind::RightBrace);
                    while let Some(part) = parts.next_if(|part| !ends(part)) {
                        this.separated(&part);
                    }
                });
                if let Some(test) = parts.next_if(|part| part.is(SyntaxKind::Test)) {
                    this.space();
                    this.part(&test);
                }
            });
        });
        self.token();
    }
    /// `| test`
    pub(super) fn test(&mut self, node: &SyntaxNode) {
        self.token();
        self.blank();
        node.children().for_each(|test| self.align(|this| this.node(&test)));
    }
}

/// Whether the node has only one token.
fn is_token(body: &SyntaxNode) -> bool {
    let leaf = |kind| matches!(kind, SyntaxKind::NameExp | SyntaxKind::Literal);
    body.first_child().is_some_and(|it| leaf(it.kind()))
}
