//! Expressions as text that know how tightly they bind, so that parentheses are set where needed.

/// How tightly an expression binds, in the languages of C's family; loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// `c ? a : b`.
    Choice,
    /// `a == b`, `a != b`.
    Equality,
    /// `a < b`.
    Order,
    /// `a + b`, `a - b`.
    Sum,
    /// `a * b`, `a / b`, `a % b`.
    Product,
    /// `-a`, `!a`, casts.
    Unary,
    /// Names, literals, calls, subscripts.
    Primary,
}

/// A piece of program text that has a value.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// The text.
    pub(crate) text: String,
    /// How tightly it binds.
    pub(crate) level: Level,
    /// Whether it reads memory.
    pub(crate) loads: bool,
    /// What to write where it is a subscript, if that is something else.
    pub(crate) place: Option<String>,
}

impl Expr {
    /// A name, call or subscript.
    pub(crate) fn primary(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), level: Level::Primary, loads: false, place: None }
    }
    /// A constant.
    pub(crate) fn literal(text: impl Into<String>) -> Expr {
        let text = text.into();
        let level = if text.starts_with('-') { Level::Unary } else { Level::Primary };
        Expr { text, level, loads: false, place: None }
    }
    /// The text as a subscript.
    pub(crate) fn subscript(self) -> String {
        self.place.unwrap_or(self.text)
    }
    /// The text where at least `level` is needed.
    pub(crate) fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }
    /// `a op b` for an operator of `level` that groups to the left.
    pub(crate) fn infix(a: &Expr, op: &str, b: &Expr, level: Level) -> Expr {
        let tighter = if level == Level::Sum { Level::Product } else { Level::Unary };
        let text = format!("{} {op} {}", a.at(level), b.at(tighter));
        Expr { text, level, loads: a.loads || b.loads, place: None }
    }
    /// `a op b` for an operator whose place among the others readers do not remember: operands
    /// that are not plain get parentheses.
    pub(crate) fn guarded(a: &Expr, op: &str, b: &Expr) -> Expr {
        let text = format!("{} {op} {}", a.at(Level::Unary), b.at(Level::Unary));
        Expr { text, level: Level::Choice, loads: a.loads || b.loads, place: None }
    }
    /// `op a`, where `op` may be a cast.
    pub(crate) fn prefix(op: &str, a: &Expr) -> Expr {
        // `- -x` must not become `--x`.
        let text = format!("{op}{}", a.at(Level::Primary));
        Expr { text, level: Level::Unary, loads: a.loads, place: None }
    }
    /// `function(a, b)`.
    pub(crate) fn call(function: &str, args: &[Expr]) -> Expr {
        let list: Vec<&str> = args.iter().map(|a| a.text.as_str()).collect();
        let loads = args.iter().any(|a| a.loads);
        Expr { loads, ..Expr::primary(format!("{function}({})", list.join(", "))) }
    }
}
