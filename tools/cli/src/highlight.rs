//! Colours of programs, by the kinds of their tokens: for terminals, and for pages.

use shell::tree;
use syntax::{SyntaxKind, SyntaxToken};

/// What a token is, as far as its colour goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shade {
    /// A comment.
    Comment,
    /// What is no token.
    Error,
    /// A number or a truth value.
    Constant,
    /// A string or a character.
    Text,
    /// A word of the language.
    Keyword,
    /// A word that makes a form a command.
    Command,
}

/// The text in pieces, with their shades if they have one; nothing is lost.
pub(crate) fn pieces(text: &str) -> Vec<(&str, Option<Shade>)> {
    let mut pieces = Vec::new();
    let mut behind = 0;
    for token in tree(text).root().descendants_with_tokens().filter_map(|part| part.into_token()) {
        let range = token.text_range();
        // The tree may have a stand-in for a character.
        let lexeme = text.get(usize::from(range.start())..usize::from(range.end()));
        let Some(lexeme) = lexeme else { continue };
        behind = range.end().into();
        pieces.push((lexeme, shade(&token)));
    }
    pieces.push((text.get(behind..).unwrap_or_default(), None));
    pieces
}

/// The text with colours for a terminal; its letters are the same.
pub(crate) fn highlight(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    for (piece, shade) in pieces(text) {
        match shade {
            Some(shade) => out.extend(["\x1b[", style(shade), "m", piece, "\x1b[0m"]),
            None => out += piece,
        }
    }
    out
}

/// Faint, for what the command adds to the text.
pub(crate) fn faint(text: &str) -> String {
    format!("\x1b[2m{text}\x1b[0m")
}

/// Bold, for what is looked for.
pub(crate) fn bold(text: &str) -> String {
    format!("\x1b[1m{text}\x1b[0m")
}

/// How a shade looks, as the terminal's numbers.
fn style(shade: Shade) -> &'static str {
    match shade {
        Shade::Comment => "2",
        Shade::Error => "31",
        Shade::Constant => "36",
        Shade::Text => "32",
        Shade::Keyword => "1;34",
        Shade::Command => "35",
    }
}

fn shade(token: &SyntaxToken) -> Option<Shade> {
    use SyntaxKind::*;
    Some(match token.kind() {
        Comment => Shade::Comment,
        Error => Shade::Error,
        Int | Float | True | False => Shade::Constant,
        Char | Str => Shade::Text,
        If | Then | Else | Let | In | Function | Datatype | And | Or | Xor | Nand | Nor => {
            Shade::Keyword
        }
        Ident if is_command(token) => Shade::Command,
        _ => return None,
    })
}

/// Whether it is the word that makes a form a command.
fn is_command(token: &SyntaxToken) -> bool {
    let form = token.parent().filter(|form| form.kind() == SyntaxKind::CommandForm);
    form.is_some_and(|form| form.first_token().as_ref() == Some(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours as letters in angle brackets.
    fn shown(text: &str) -> String {
        highlight(text).replace("\x1b[0m", "</>").replace("\x1b[", "<").replace('m', ">")
    }

    #[test]
    fn kinds_of_tokens() {
        assert_eq!(
            shown("if a then 1 else \"b\"; % c %"),
            "<1;34>if</> a <1;34>then</> <36>1</> <1;34>else</> <32>\"b\"</>; <2>% c %</>"
        );
        assert_eq!(shown("t + ! `x"), "<36>t</> + <31>!</> <32>`x</>");
    }

    #[test]
    fn commands_only_where_they_are_some() {
        assert_eq!(shown("show show;"), "<35>show</> show;");
        assert_eq!(shown("show(3);"), "show(<36>3</>);");
    }

    /// The text without colours.
    fn plain(mut text: &str) -> String {
        let mut out = String::new();
        while let Some((before, code)) = text.split_once("\x1b[") {
            out += before;
            text = code.split_once('m').map_or("", |(_, rest)| rest);
        }
        out + text
    }

    #[test]
    fn nothing_is_lost() {
        let odd = "(]; let \u{e4} = \u{1F600}";
        for text in ["", " ", "\"open", "% open", odd, "a\n  b\n", "\"\u{e4}\";"] {
            assert_eq!(plain(&highlight(text)), text);
        }
    }
}
