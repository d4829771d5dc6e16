//! Colours of what is typed, by the kinds of its tokens.

use super::complete::tree;
use syntax::{SyntaxKind, SyntaxToken};

/// The text with colours for a terminal; its letters are the same.
pub(super) fn highlight(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut behind = 0;
    for token in tree(text).root().descendants_with_tokens().filter_map(|part| part.into_token()) {
        let range = token.text_range();
        // The tree may have a stand-in for a character.
        let lexeme = text.get(usize::from(range.start())..usize::from(range.end()));
        let Some(lexeme) = lexeme else { continue };
        behind = range.end().into();
        match style(&token) {
            Some(style) => out.extend(["\x1b[", style, "m", lexeme, "\x1b[0m"]),
            None => out += lexeme,
        }
    }
    out + text.get(behind..).unwrap_or_default()
}

/// Faint, for what the command adds to the text.
pub(super) fn faint(text: &str) -> String {
    format!("\x1b[2m{text}\x1b[0m")
}

/// How a token looks, as the terminal's numbers; as usual if none.
fn style(token: &SyntaxToken) -> Option<&'static str> {
    use SyntaxKind::*;
    Some(match token.kind() {
        Comment => "2",
        Error => "31",
        Int | Float | True | False => "36",
        Char | Str => "32",
        If | Then | Else | Let | In | Function | Datatype | And | Or | Xor | Nand | Nor => "1;34",
        Ident if is_command(token) => "35",
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
