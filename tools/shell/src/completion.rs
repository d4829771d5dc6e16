//! What the tabulator key offers.
//!
//! ```text
//! plus_s|            plus_scan
//! set print|         print_length
//! load "exa|         files and folders
//! (fun|              no names of commands: they begin forms
//! ```

use crate::tree;
use run::session::arguments_of;
use std::collections::BTreeSet;
use std::fs;
use syntax::{COMMANDS, SyntaxKind};

/// Where the word before this place begins, and what it may become.
pub fn complete(text: &str, names: &BTreeSet<String>) -> (usize, Vec<String>) {
    let form = Form::last_of(text);
    if let ["load"] = words(&form.before).as_slice()
        && let Some(start) = form.string
    {
        let (folder, found) = files(&text[start..]);
        return (start + folder, found);
    }
    if form.string.is_some() || form.comment {
        return (text.len(), Vec::new());
    }
    let part = &text[form.word..];
    let before = words(&form.before);
    let found = match before.as_slice() {
        [] => offers(part, commands().chain(keywords()).chain(known(names))),
        before if !arguments_of(before).is_empty() => {
            offers(part, arguments_of(before).iter().copied())
        }
        _ => offers(part, keywords().chain(known(names))),
    };
    (form.word, found)
}

/// The form that is being typed.
struct Form {
    /// Its words before the last one, in lower case.
    before: Vec<String>,
    /// Where the last word begins.
    word: usize,
    /// Where an open string begins, behind the quote.
    string: Option<usize>,
    /// Whether a comment is open.
    comment: bool,
}

impl Form {
    fn last_of(text: &str) -> Form {
        let mut form = Form { before: Vec::new(), word: text.len(), string: None, comment: false };
        for token in tree(text).root().descendants_with_tokens().filter_map(|p| p.into_token()) {
            let (start, end) = (token.text_range().start().into(), token.text_range().end().into());
            let lexeme = text.get(start..end).unwrap_or_default();
            let last = end == text.len();
            let wordy = lexeme.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            match token.kind() {
                kind if kind.is_terminator() => form.before.clear(),
                SyntaxKind::Error if last && lexeme.starts_with('"') => {
                    form.string = Some(start + 1);
                }
                SyntaxKind::Error if last && lexeme.starts_with('%') => form.comment = true,
                _ if last && wordy => form.word = start,
                kind if kind.is_trivia() => {}
                _ => form.before.push(lexeme.to_ascii_lowercase()),
            }
        }
        form
    }
}

fn words(before: &[String]) -> Vec<&str> {
    before.iter().map(String::as_str).collect()
}

fn known(names: &BTreeSet<String>) -> impl Iterator<Item = &str> {
    names.iter().map(String::as_str)
}

fn commands<'a>() -> impl Iterator<Item = &'a str> {
    COMMANDS.into_iter()
}

/// Reserved words that are worth completing.
fn keywords<'a>() -> impl Iterator<Item = &'a str> {
    let words = SyntaxKind::ALL.iter().filter_map(|kind| kind.text());
    words.filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Those that begin so, in order.
fn offers<'w>(part: &str, words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let part = part.to_ascii_lowercase();
    let found: BTreeSet<&str> = words.filter(|word| word.starts_with(&part)).collect();
    found.into_iter().map(str::to_owned).collect()
}

/// The length of the folder in a path that is being typed, and how its last part may go on.
fn files(path: &str) -> (usize, Vec<String>) {
    let cut = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, part) = path.split_at(cut);
    let entries = fs::read_dir(if folder.is_empty() { "." } else { folder });
    let names = entries.into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let hidden = name.starts_with('.') && !part.starts_with('.');
        let end = if entry.path().is_dir() { "/" } else { "" };
        (name.starts_with(part) && !hidden).then(|| name + end)
    });
    (cut, names.collect::<BTreeSet<String>>().into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, start: usize, expected: &[&str]) {
        let names = ["plus_scan", "plus_reduce", "settle", "mine"].map(str::to_owned);
        let (at, found) = complete(text, &names.into_iter().collect());
        assert_eq!(
            (at, found),
            (start, expected.iter().map(|&s| s.to_owned()).collect()),
            "{text}"
        );
    }

    #[test]
    fn names_and_keywords() {
        check("plus_s", 0, &["plus_scan"]);
        check("1; {x : x in PLUS", 13, &["plus_reduce", "plus_scan"]);
        check("if a the", 5, &["then"]);
        check("nothing_so", 0, &[]);
    }

    #[test]
    fn commands_begin_forms() {
        check("1; se", 3, &["set", "settle"]);
        check("1 + se", 4, &["settle"]);
    }

    #[test]
    fn arguments_of_commands() {
        check("set print", 4, &["print_length"]);
        check("set verbose ", 12, &["off", "on"]);
        check("show ", 5, &["names", "settings"]);
        check("describe mi", 9, &["mine"]);
    }

    #[test]
    fn files_to_load() {
        let folder = std::env::temp_dir().join(format!("nesl-completion-{}", std::process::id()));
        fs::create_dir_all(folder.join("two")).unwrap();
        fs::write(folder.join("twelve.nesl"), "").unwrap();
        let text = format!("load \"{}/tw", folder.display());
        check(&text, text.len() - 2, &["twelve.nesl", "two/"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn nothing_in_strings_and_comments() {
        check("f(\"plus", 7, &[]);
        check("% plus", 6, &[]);
    }
}
