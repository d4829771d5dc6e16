//! The layout of each construct, as a document.
//!
//! A rule walks the parts of a node in order and says what stands between them: a blank, a break,
//! nothing.  Tokens come from a list beside the tree, with their comments, so that no rule has to
//! think of comments.

mod expressions;
mod forms;
mod types;

use crate::doc::{Gap, Item, Mode};
use crate::tokens::{Before, Token, tokens};
use syntax::{SyntaxElement, SyntaxKind, SyntaxNode, Tree};

/// What a node consists of, white space and comments aside.
enum Part {
    Node(SyntaxNode),
    Token(SyntaxKind),
}

impl Part {
    fn is(&self, kind: SyntaxKind) -> bool {
        match self {
            Part::Node(node) => node.kind() == kind,
            Part::Token(token) => *token == kind,
        }
    }
}

fn parts(node: &SyntaxNode) -> impl Iterator<Item = Part> {
    node.children_with_tokens().filter_map(|element| match element {
        SyntaxElement::Node(node) => Some(Part::Node(node)),
        SyntaxElement::Token(token) => {
            Some(Part::Token(token.kind())).filter(|_| !token.kind().is_trivia())
        }
    })
}

/// The document of a text without errors.
pub(crate) fn document(tree: &Tree, width: usize) -> Vec<Item<'_>> {
    let mut layout =
        Layout { tokens: tokens(tree), at: 0, items: Vec::new(), behind: Vec::new(), width };
    layout.source(&tree.root());
    layout.items
}

/// A document under construction.
struct Layout<'t> {
    tokens: Vec<Token<'t>>,
    /// The next token.
    at: usize,
    items: Vec<Item<'t>>,
    /// Comments behind the last token, which follow the ends of the groups that it ends.
    behind: Vec<&'t [u8]>,
    /// Of lines.
    width: usize,
}

impl<'t> Layout<'t> {
    // Tokens and their comments

    /// The next token.
    fn token(&mut self) {
        self.comments(false);
        self.push(Item::Text(self.tokens[self.at].text));
        self.at += 1;
        if let Some(before) = self.tokens.get_mut(self.at).and_then(|next| next.before.as_mut()) {
            self.behind = std::mem::take(&mut before.behind);
        }
    }
    fn push(&mut self, item: Item<'t>) {
        if !matches!(item, Item::Close | Item::Pop) {
            self.items.extend(self.behind.drain(..).map(Item::Remark));
        }
        self.items.push(item);
    }
    /// The comments before the next token.  Between forms, empty lines are kept.
    fn comments(&mut self, between_forms: bool) {
        let Before { behind: _, lines, beside, empty } =
            self.tokens[self.at].before.take().map(|before| *before).unwrap_or_default();
        let any = !lines.is_empty();
        for line in lines {
            self.push(Item::Line { empty: between_forms && line.empty });
            self.row(line.comments);
        }
        if any || between_forms {
            self.push(Item::Line { empty: between_forms && empty });
        }
        if !beside.is_empty() {
            if !opens(self.last_kind()) {
                self.blank();
            }
            self.row(beside);
            if !closes(self.next_kind()) {
                self.blank();
            }
        }
    }
    /// Comments on one line.
    fn row(&mut self, comments: Vec<&'t [u8]>) {
        for (at, comment) in comments.into_iter().enumerate() {
            if at > 0 {
                self.blank();
            }
            self.push(Item::Text(comment));
        }
    }
    fn next_kind(&self) -> SyntaxKind {
        self.tokens[self.at].kind
    }
    fn last_kind(&self) -> Option<SyntaxKind> {
        self.at.checked_sub(1).map(|last| self.tokens[last].kind)
    }
    /// Whether any comment stands before the next token.
    fn comment_next(&self) -> bool {
        let before = self.tokens[self.at].before.as_ref();
        let beside = before.is_some_and(|before| !before.beside.is_empty());
        beside || !self.behind.is_empty() || self.comment_lines_next()
    }
    /// Whether comments stand on lines of their own before the next token.
    fn comment_lines_next(&self) -> bool {
        self.tokens[self.at].before.as_ref().is_some_and(|before| !before.lines.is_empty())
    }

    // What stands between tokens

    fn blank(&mut self) {
        self.push(Item::Blank);
    }
    /// A break with a blank.
    fn space(&mut self) {
        self.push(Item::Break(Gap::Blank));
    }
    fn group(&mut self, mode: Mode, inside: impl FnOnce(&mut Self)) {
        self.short_group(mode, self.width, inside);
    }
    /// A group that is on one line only if it is at most so wide.
    fn short_group(&mut self, mode: Mode, most: usize, inside: impl FnOnce(&mut Self)) {
        self.push(Item::Open { mode, most });
        inside(self);
        self.push(Item::Close);
    }
    /// Lines inside are indented.
    fn nest(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Item::Nest);
        inside(self);
        self.push(Item::Pop);
    }
    /// Lines inside are aligned to the place where it begins.
    fn align(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Item::Align);
        inside(self);
        self.push(Item::Pop);
    }
    /// A group aligned to the place where it begins.
    fn block(&mut self, mode: Mode, inside: impl FnOnce(&mut Self)) {
        self.short_block(mode, self.width, inside);
    }
    /// So much of a line.
    fn percent(&self, percent: usize) -> usize {
        self.width * percent / 100
    }
    /// A block that is on one line only if it is at most so wide.
    fn short_block(&mut self, mode: Mode, most: usize, inside: impl FnOnce(&mut Self)) {
        // What stands before the first token must not break the group.
        self.comments(false);
        self.align(|this| this.short_group(mode, most, inside));
    }
    /// What may be large, behind a token that should stay beside its beginning.
    fn lead(&mut self, gap: Gap, inside: impl FnOnce(&mut Self)) {
        self.nest(|this| {
            if this.comment_lines_next() {
                this.comments(false);
                return this.align(inside);
            }
            this.group(Mode::Consistent, |this| {
                this.push(Item::Lead(gap));
                this.align(inside);
            });
        });
    }

    // Nodes

    /// Any node that is not a form.
    fn node(&mut self, node: &SyntaxNode) {
        use SyntaxKind::*;
        match node.kind() {
            PairExp | PairType => self.pairs(node),
            ParenExp | SeqExp | Arguments | ParenType | SeqType => self.bracketed(parts(node)),
            BinaryExp | FunctionType => self.binary(node),
            PrefixExp => self.prefix(node),
            ApplyExp => self.application(node),
            SubscriptExp | NameType => self.tight(node),
            EmptyExp => self.empty(node),
            RangeExp => self.range(node),
            IfExp => self.conditional(node),
            LetExp => self.let_in(node),
            LetBinding | Optional | LambdaExp | Generator => self.bound(node),
            EachExp => self.each(node),
            Test => self.test(node),
            Classes => self.classes(node),
            ClassBound => self.words(node),
            _ => parts(node).for_each(|part| self.part(&part)),
        }
    }
    fn part(&mut self, part: &Part) {
        match part {
            Part::Node(node) => self.node(node),
            Part::Token(_) => self.token(),
        }
    }
    /// Parts with blanks between them.
    fn words(&mut self, node: &SyntaxNode) {
        for (at, part) in parts(node).enumerate() {
            if at > 0 {
                self.blank();
            }
            self.part(&part);
        }
    }
    /// A bracket, parts with separators, a bracket.
    fn bracketed(&mut self, mut parts: impl Iterator<Item = Part>) {
        if parts.next().is_some() {
            self.token();
        }
        self.lead(Gap::None, |this| {
            this.group(Mode::Filled, |this| {
                for part in parts {
                    if closes_bracket(&part) {
                        break;
                    }
                    this.separated(&part);
                }
            });
        });
        self.token();
    }
    /// One of several parts; a line may end behind a separator.
    fn separated(&mut self, part: &Part) {
        self.part(part);
        if matches!(part, Part::Token(_)) {
            self.space();
        }
    }
    /// `a, b, c`: a pair of which the second component is a pair, and so on.
    fn pairs(&mut self, node: &SyntaxNode) {
        let kind = node.kind();
        self.block(Mode::Filled, |this| {
            let mut pair = Some(node.clone());
            while let Some(node) = pair.take() {
                for (at, part) in parts(&node).enumerate() {
                    match part {
                        Part::Node(rest) if at > 0 && rest.kind() == kind => pair = Some(rest),
                        part => this.separated(&part),
                    }
                }
            }
        });
    }
}

fn opens(kind: Option<SyntaxKind>) -> bool {
    use SyntaxKind::{LeftBrace, LeftBracket, LeftParen};
    matches!(kind, None | Some(LeftParen | LeftBracket | LeftBrace))
}

/// No blank stands before it.
fn closes(kind: SyntaxKind) -> bool {
    use SyntaxKind::{Comma, RightBrace, RightBracket, RightParen, Semicolon};
    matches!(kind, RightParen | RightBracket | RightBrace | Comma | Semicolon)
}

fn closes_bracket(part: &Part) -> bool {
    use SyntaxKind::{RightBracket, RightParen};
    part.is(RightParen) || part.is(RightBracket)
}
