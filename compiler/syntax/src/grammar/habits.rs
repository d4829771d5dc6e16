//! Habits from other languages: what the writer of a form that does not parse may have meant.
//!
//! The grammar says what it expected; a habit that is recognised among the tokens of the form says
//! what NESL writes instead, with the change where it is plain:
//!
//! ```text
//! [x * 2 for x in a]      {x * 2 : x in a}
//! a <> b                  a /= b
//! ```
//!
//! A habit never makes an error; it is looked for after one was found.

mod brackets;
mod words;

use crate::kind::SyntaxKind::{self, *};
use crate::lexer::Token;
use base::{Diagnostic, FileId, Span, nearest};

/// A form that does not parse.
pub(crate) struct Place<'t> {
    pub(crate) file: FileId,
    pub(crate) text: &'t [u8],
    /// All tokens that are not trivia, then `End`.
    pub(crate) tokens: &'t [Token],
    /// The first token of the form.
    pub(crate) first: usize,
    /// The token at which reading stopped.
    pub(crate) at: usize,
}

/// What is said about a habit.
#[derive(Default)]
struct Advice {
    help: String,
    /// Another place, and what is wrong there, if reading went on behind it.
    instead: Option<(Span, String)>,
    /// What the text would be.
    change: Option<(Span, String)>,
}

/// Adds what is known of the habit behind an error, if there is one.
pub(crate) fn explain(place: &Place<'_>, mut error: Diagnostic) -> Diagnostic {
    const HABITS: [fn(&Place<'_>) -> Option<Advice>; 17] = [
        misspelt,
        words::misspelt,
        comment,
        missing_end,
        comprehension,
        set_builder,
        in_brackets,
        test,
        alternative,
        lambda,
        operator,
        operator_as_value,
        definition,
        typed_names,
        statement,
        brackets::missing,
        brackets::range,
    ];
    // A text may only want to be continued: that is no habit.
    let advice = match place.kind(place.at) {
        End => missing_end(place),
        _ => HABITS.iter().find_map(|habit| habit(place)),
    };
    let Some(advice) = advice else { return unclosed(place, error) };
    if let Some((span, message)) = advice.instead {
        error.message = message;
        error = error.label(span, "");
        // Brackets that enclose another place explain nothing there.
        error.secondary.clear();
    }
    error.help.clear();
    error.suggestions.clear();
    match advice.change {
        Some((span, text)) => error.suggest(span, text, advice.help),
        None => error.help(advice.help),
    }
}

/// Shows the bracket that is open where a text ends.
fn unclosed(place: &Place<'_>, error: Diagnostic) -> Diagnostic {
    match place.open(place.at).last() {
        Some(&opening) if place.kind(place.at) == End && error.secondary.is_empty() => {
            error.also(place.span(opening), "opened here, and not closed")
        }
        _ => error,
    }
}

impl Place<'_> {
    fn kind(&self, at: usize) -> SyntaxKind {
        self.tokens.get(at).map_or(End, |token| token.kind)
    }
    fn span(&self, at: usize) -> Span {
        Span::new(self.file, self.tokens[at].start, self.tokens[at].end)
    }
    /// The place right behind a token.
    fn behind(&self, at: usize) -> Span {
        Span::new(self.file, self.tokens[at].end, self.tokens[at].end)
    }
    fn bytes(&self, start: u32, end: u32) -> &[u8] {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
    /// The text from one token to another, both included.
    fn source(&self, from: usize, to: usize) -> String {
        let bytes = self.bytes(self.tokens[from].start, self.tokens[to].end);
        String::from_utf8_lossy(bytes).into_owned()
    }
    /// The text of one or more tokens after edits: from, to, and the replacement.
    fn edited(
        &self,
        tokens: std::ops::Range<usize>,
        mut edits: Vec<(u32, u32, &'static str)>,
    ) -> String {
        let end = self.tokens[tokens.end - 1].end;
        let mut at = self.tokens[tokens.start].start;
        let mut text = Vec::new();
        edits.sort_unstable();
        for (from, to, by) in edits {
            text.extend_from_slice(self.bytes(at, from));
            text.extend_from_slice(by.as_bytes());
            at = to;
        }
        text.extend_from_slice(self.bytes(at, end));
        String::from_utf8_lossy(&text).into_owned()
    }
    /// Whether a token is one of these names.
    fn is_name(&self, at: usize, names: &[&str]) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let text = self.bytes(token.start, token.end);
        token.kind == Ident && names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(text))
    }
    /// Whether nothing stands between a token and the next.
    fn joined(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| next.start == self.tokens[at].end)
    }
    /// Whether a token is the first of a line, or of the form.
    fn begins_line(&self, at: usize) -> bool {
        at == self.first
            || self.bytes(self.tokens[at - 1].end, self.tokens[at].start).contains(&b'\n')
    }
    /// The brackets that are open before a token.
    fn open(&self, before: usize) -> Vec<usize> {
        let mut open = Vec::new();
        for at in self.first..before {
            match self.kind(at) {
                LeftParen | LeftBracket | LeftBrace => open.push(at),
                RightParen | RightBracket | RightBrace => {
                    open.pop();
                }
                _ => {}
            }
        }
        open
    }
    /// The bracket that closes this one, if one of its sort does.
    fn closing(&self, opening: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in opening..self.tokens.len() {
            match self.kind(at) {
                LeftParen | LeftBracket | LeftBrace => depth += 1,
                RightParen | RightBracket | RightBrace => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let pair = (self.kind(opening), self.kind(at));
                let fits = [(LeftBracket, RightBracket), (LeftBrace, RightBrace)].contains(&pair);
                return fits.then_some(at);
            }
        }
        None
    }
    /// The tokens read, and the one at which reading stopped.
    fn read(&self) -> std::ops::RangeInclusive<usize> {
        self.first..=self.at
    }
}

/// `// text`, `# text`, `-- text`, `/* text */`, `(* text *)`
fn comment(it: &Place<'_>) -> Option<Advice> {
    let starts = |&at: &usize| match (it.kind(at), it.kind(at + 1)) {
        _ if !it.begins_line(at) => false,
        (Slash, Slash | Star) | (Minus, Minus) | (LeftParen, Star) => it.joined(at),
        (Hash, _) => !it.joined(at) && at < it.at,
        _ => false,
    };
    let at = it.read().find(starts)?;
    let start = it.tokens[at].start;
    let rest = &it.text[start as usize..];
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let closing: Option<&[u8]> = match (it.kind(at), it.kind(at + 1)) {
        (Slash, Star) => Some(b"*/"),
        (LeftParen, _) => Some(b"*)"),
        _ => None,
    };
    let end = closing.map(|sign| line.windows(2).skip(2).position(|two| two == sign));
    // A comment of several lines stays as it is.
    let whole = end != Some(None);
    let line = end.flatten().map_or(line, |end| &line[..end + 4]);
    let shown = String::from_utf8_lossy(line);
    let words = shown.trim_matches(|c: char| "/#-*()".contains(c) || c.is_whitespace());
    let plain = whole && !shown.contains('%') && shown.is_ascii();
    let span = Span::new(it.file, start, start + line.len() as u32);
    Some(Advice {
        help: "a comment runs from one `%` to the next".into(),
        instead: Some((span, "a comment is not written like this".into())),
        change: plain.then(|| (span, format!("% {words} %"))),
    })
}

/// Whether an operand may end with this.
pub(crate) fn ends_operand(kind: SyntaxKind) -> bool {
    matches!(kind, RightParen | RightBracket | RightBrace | Ident | Str | Char)
        || matches!(kind, Int | Float | True | False)
}

/// A form or a binding that begins before the one above it has ended.
fn missing_end(it: &Place<'_>) -> Option<Advice> {
    let next = match it.kind(it.at) {
        Function | Datatype => it.at,
        End if it.at > it.first => it.at,
        Equal => bound_next(it)?,
        _ => return None,
    };
    let outer = (it.first..next).rfind(|&at| matches!(it.kind(at), Let | In));
    let binding = outer.filter(|&at| it.kind(at) == Let);
    let brackets = it.open(next).into_iter().filter(|at| binding.is_none_or(|word| *at > word));
    let whole = next > it.first && ends_operand(it.kind(next - 1)) && brackets.count() == 0;
    if !whole || binding.is_some() && it.kind(it.at) != Equal {
        return None;
    }
    // At a word that begins a form the error says it.
    let instead = (it.kind(it.at) == Equal).then(|| {
        (it.span(next), format!("expected `;`, found the name `{}`", it.source(next, next)))
    });
    let help = match binding {
        Some(_) => "bindings are separated by `;`",
        None => "every form ends with `;`",
    };
    let change = Some((it.behind(next - 1), ";".into()));
    Some(Advice { help: help.to_owned(), instead, change })
}

/// Where a pattern before `=` begins that is none of the value before it: on a line of its own, or
/// behind what cannot be applied to it.
fn bound_next(it: &Place<'_>) -> Option<usize> {
    let pattern = |at| matches!(it.kind(at), Ident | Wildcard | Comma | LeftParen | RightParen);
    let next = it.read().rfind(|&at| it.begins_line(at))?;
    if next > it.first {
        return ((next..it.at).all(pattern) && next < it.at).then_some(next);
    }
    let name = it.at.checked_sub(1).filter(|at| *at > it.first && it.kind(*at) == Ident)?;
    let before = it.kind(name - 1);
    (ends_operand(before) && before != Ident).then_some(name)
}

/// `[e for x in s]`, `{e for x in s if c}` and `[e | x <- s]`
fn comprehension(it: &Place<'_>) -> Option<Advice> {
    let help = "an apply-to-each is written `{value : name in sequence | test}`".to_owned();
    let (word, opening) = it.read().find_map(|at| {
        // What is open takes a look at all before, so it is asked for few tokens.
        let of_python = it.is_name(at, &["for"]);
        let of_haskell = at == it.at && it.kind(at) == Bar;
        let bracket = (of_python || of_haskell).then(|| it.open(at).pop())??;
        let fits = of_python && at > bracket + 1;
        (fits || of_haskell && it.kind(bracket) == LeftBracket).then_some((at, bracket))
    })?;
    let found = match it.kind(word) {
        Bar => "`|`",
        _ => "the name `for`",
    };
    let instead = Some((it.span(word), format!("expected `:`, found {found}")));
    let change = it.closing(opening).filter(|closing| *closing > word + 1).and_then(|closing| {
        let inside = word + 1..closing;
        let mut edits = brackets::around_ranges(it, inside.clone());
        let (sign, by) = if it.kind(word) == Bar { (Write, "in") } else { (If, "|") };
        let signs: Vec<usize> = inside.clone().filter(|at| it.kind(*at) == sign).collect();
        edits.extend(signs.iter().map(|&at| (it.tokens[at].start, it.tokens[at].end, by)));
        let body = it.source(opening + 1, word - 1);
        let again = inside.clone().any(|at| it.is_name(at, &["for"]) || it.kind(at) == Else);
        let text = format!("{{{body} : {}}}", it.edited(inside, edits));
        let simple = signs.len() <= 1 && !again && text.is_ascii();
        simple.then(|| (it.span(opening).to(it.span(closing)), text))
    });
    Some(Advice { help, instead, change })
}

/// `{e | x in s}`
fn set_builder(it: &Place<'_>) -> Option<Advice> {
    if !matches!(it.kind(it.at), In | Bar) {
        return None;
    }
    let opening = it.open(it.at).pop().filter(|&at| it.kind(at) == LeftBrace)?;
    let own = |at: &usize| it.open(*at).pop() == Some(opening);
    let mut before = (opening + 1..it.at).filter(own);
    let bar = match it.kind(it.at) {
        Bar => it.at,
        _ => before.clone().find(|&at| it.kind(at) == Bar)?,
    };
    // With a generator before it, `|` begins a test.
    let plain = !before.any(|at| matches!(it.kind(at), Colon | In));
    let end = it.closing(opening).unwrap_or(it.tokens.len());
    let generates = (bar + 1..end).filter(own).any(|at| it.kind(at) == In);
    let help = "an apply-to-each is written `{value : name in sequence | test}`".to_owned();
    let instead = Some((it.span(bar), "expected `:`, found `|`".to_owned()));
    let change = Some((it.span(bar), ":".to_owned()));
    (plain && generates).then_some(Advice { help, instead, change })
}

/// `[x : x in s]`
fn in_brackets(it: &Place<'_>) -> Option<Advice> {
    let opening = it.open(it.at).last().copied().filter(|at| it.kind(*at) == LeftBracket)?;
    let has_body = (opening..it.at).any(|at| it.kind(at) == Colon);
    let pattern = matches!(it.kind(it.at - 1), Ident | Wildcard | RightParen);
    (has_body && pattern && it.kind(it.at) == In).then(|| {
        let change = it.closing(opening).filter(|closing| *closing > opening + 1).map(|closing| {
            let span = it.span(opening).to(it.span(closing));
            let generators = brackets::around_ranges(it, it.at..closing);
            (span, format!("{{{}}}", it.edited(opening + 1..closing, generators)))
        });
        let help = "an apply-to-each stands in braces".to_owned();
        Advice { help, instead: None, change }
    })
}

/// `{x : x in s if x > 0}`
fn test(it: &Place<'_>) -> Option<Advice> {
    let opening = *it.open(it.at).last()?;
    let word = (opening..it.at).rfind(|&at| matches!(it.kind(at), If | Then))?;
    let behind_source = (opening..word).any(|at| it.kind(at) == In);
    let ends = it.kind(opening) == LeftBrace && it.kind(it.at) == RightBrace;
    (ends && behind_source && it.kind(word) == If).then(|| Advice {
        help: "a test stands behind `|`".into(),
        instead: Some((it.span(word), "expected `|`, found the reserved word `if`".into())),
        change: Some((it.span(word), "|".into())),
    })
}

/// `function g(x : int) = ...`, `datatype point(x : int)`
fn typed_names(it: &Place<'_>) -> Option<Advice> {
    let in_list = it.open(it.at) == [it.first + 2] && it.kind(it.at) == Colon;
    let help = match it.kind(it.first) {
        Function => {
            "types stand behind the parameters: `function g(x, y) : (int, int) -> int = ...`"
        }
        Datatype => "fields have types and no names, as in `datatype point(int, int);`",
        _ => return None,
    };
    in_list.then(|| Advice { help: help.into(), ..Advice::default() })
}

/// `elif`
fn alternative(it: &Place<'_>) -> Option<Advice> {
    let at = it.read().find(|&at| it.is_name(at, &["elif", "elsif", "elseif"]))?;
    let message = format!("expected `else`, found the name `{}`", it.source(at, at));
    Some(Advice {
        help: "write `else if`".into(),
        instead: Some((it.span(at), message)),
        change: Some((it.span(at), "else if".into())),
    })
}

/// `lambda x: e`
fn lambda(it: &Place<'_>) -> Option<Advice> {
    let at = it.read().rfind(|&at| it.is_name(at, &["lambda"]))?;
    let names = at + 1..it.at;
    let one = names.len() == 1;
    if it.kind(it.at) != Colon || names.is_empty() {
        return None;
    }
    let names = it.source(names.start, names.end - 1);
    let names = if one { names } else { format!("({names})") };
    let help = "a function value is written `x => value`".into();
    let change = Some((it.span(at).to(it.span(it.at)), format!("{names} =>")));
    Some(Advice { help, change, ..Advice::default() })
}

/// `<>`, `**`, `//`, `+=`, `i++`
fn operator(it: &Place<'_>) -> Option<Advice> {
    let last = it.at.checked_sub(1).filter(|last| *last >= it.first)?;
    let both = it.span(last).to(it.span(it.at));
    let (help, sign) = match (it.kind(last), it.kind(it.at)) {
        (Append, Semicolon | Dollar) => {
            let help = "names keep their values; a new value is bound, as in `n = n + 1`".into();
            return Some(Advice { help, ..Advice::default() });
        }
        _ if !it.joined(last) => return None,
        (Less, Greater) => ("unequal is written `/=`", Some("/=".to_owned())),
        (Star, Star) => {
            let help = "a power is `a ^ n` for ints `n`, `expt(x, y)` for floats";
            (help, (it.kind(it.at + 1) != Float).then(|| "^".into()))
        }
        (Slash, Slash) => ("an int divided by an int is an int", Some("/".into())),
        (EqualEqual, Equal) => ("equality is written `==`", Some("==".into())),
        (Plus | Minus | Star | Slash, Equal) => {
            let name = it.source(it.first, it.first);
            let sign = it.source(last, last);
            let plain = last == it.first + 1 && it.kind(it.first) == Ident;
            let help = "names keep their values; a new value is bound, as in `n = n + 1`";
            (help, plain.then(|| format!("= {name} {sign}")))
        }
        _ => return None,
    };
    let message = format!("`{}` has no meaning here", it.source(last, it.at));
    Some(Advice {
        help: help.into(),
        instead: Some((both, message)),
        change: sign.map(|sign| (both, sign)),
    })
}

/// `reduce(+, 0, a)`
fn operator_as_value(it: &Place<'_>) -> Option<Advice> {
    let is_sign = |kind| {
        matches!(kind, Plus | Star | Slash | Caret | Append | Less | Greater | EqualEqual)
            || matches!(kind, NotEqual | LessEqual | GreaterEqual | And | Or | Xor)
    };
    let last = it.at.checked_sub(1)?;
    let alone = matches!(it.kind(last), LeftParen | Comma)
        && matches!(it.kind(it.at + 1), Comma | RightParen);
    if !alone || !is_sign(it.kind(it.at)) {
        return None;
    }
    let sign = it.source(it.at, it.at);
    let help = "an operator is not a value; a function value applies it".into();
    let change = Some((it.span(it.at), format!("(x, y) => x {sign} y")));
    Some(Advice { help, change, ..Advice::default() })
}

/// `funciton g(x) : int -> int = ...`
fn misspelt(it: &Place<'_>) -> Option<Advice> {
    let word = it.source(it.first, it.first).to_ascii_lowercase();
    let named = it.kind(it.first) == Ident && it.kind(it.first + 1) == Ident;
    let typed = matches!(it.kind(it.at), Colon | ColonColon);
    let meant = defining_word(&word).filter(|_| named && typed && it.at > it.first + 1)?;
    Some(Advice {
        help: format!("did you mean `{meant}`?"),
        instead: Some((it.span(it.first), format!("expected a form, found the name `{word}`"))),
        change: Some((it.span(it.first), meant.to_owned())),
    })
}

/// The word before what a form defines of which this is a misspelling.
pub fn defining_word(word: &str) -> Option<&'static str> {
    nearest(word, ["function", "datatype"].into_iter())
}

/// `def g(x): ...`, `fun g x = ...`, `int main() ...`
fn definition(it: &Place<'_>) -> Option<Advice> {
    let words = ["def", "fun", "fn", "func", "define", "proc", "sub", "let", "val", "var"];
    let types = ["int", "float", "double", "void", "bool", "char", "auto", "const"];
    let call = matches!(it.kind(it.first + 1), Ident | True | False);
    let called = call && it.is_name(it.first, &words);
    let of_c = call && it.kind(it.first + 2) == LeftParen && it.is_name(it.first, &types);
    let braces = it.kind(it.first) == Function && it.kind(it.at) == LeftBrace;
    let help = "a function is written `function name(parameters) = value;`".into();
    if braces && it.open(it.at).is_empty() {
        return Some(Advice { help, ..Advice::default() });
    }
    let message = format!("expected a form, found the name `{}`", it.source(it.first, it.first));
    let instead = Some((it.span(it.first), message));
    (called || of_c).then_some(Advice { help, instead, change: None })
}

/// `for x in s ...`, `while c ...`
fn statement(it: &Place<'_>) -> Option<Advice> {
    let loops = it.is_name(it.first, &["for", "while", "foreach", "repeat"]);
    let message = format!("expected a form, found the name `{}`", it.source(it.first, it.first));
    loops.then(|| Advice {
        help: "there are no loops: `{value : name in sequence}` computes a value for each \
               element, and functions call themselves"
            .into(),
        instead: Some((it.span(it.first), message)),
        change: None,
    })
}
