//! Documentation as a terminal shows it.

use super::{Entries, Page, facts};
use crate::highlight::{bold, highlight};
use crate::messages::colours;
use ::run::session::Described;
use std::io;
use stdlib::{Syntax, TOPICS};

/// The most characters of a line that is made here.
const WIDTH: usize = 100;

/// The topics with their names.
pub(super) fn contents(pages: &[Page]) -> String {
    let widest = pages.iter().map(|page| page.word.len()).max().unwrap_or(0);
    let mut text = String::new();
    for page in pages {
        let names: Vec<&str> = page.entries.places().into_iter().map(|it| it.0).collect();
        for (place, line) in filled(&names, WIDTH - widest - 2).into_iter().enumerate() {
            let word = format!("{:widest$}", if place == 0 { &page.word } else { "" });
            text += &format!("{}  {line}\n", strong(&word));
        }
    }
    text + "\n`nesl doc` TOPIC, NAME or FILE says more; `--html DIR` writes pages for a browser.\n"
}

/// A topic: what holds for all of it, and each name with its type, text and cost, or each form of
/// the language with its meaning.
pub(super) fn topic(page: &Page) -> String {
    let mut text = format!("{}\n", strong(&page.title));
    for paragraph in page.about.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        text += "\n";
        filled(&words, WIDTH).into_iter().for_each(|line| text += &format!("{line}\n"));
    }
    match &page.entries {
        Entries::Library(names) | Entries::File(names) => {
            for entry in names {
                text += &format!("\n{}\n", signature(entry));
                if let Some(doc) = &entry.doc {
                    let lines = doc.text.lines().map(str::to_owned).chain(facts(entry));
                    lines.for_each(|line| text += &format!("  {line}\n"));
                }
            }
        }
        Entries::Syntax(rows) => {
            rows.iter().for_each(|row| text += &format!("\n{}", form(row, "  ")));
        }
    }
    text
}

/// A name of the library, or a word or sign of the language: everything about it, and where more
/// of its kind are.  A few words are both: `float`.
pub(super) fn name(described: Option<&Described>, row: Option<&Syntax>) -> String {
    let described = described.map(|described| {
        let text = format!("{}\n{}", signature(described), everything(described, ""));
        let of = |topic: &&stdlib::Topic| topic.names().any(|name| name == described.name);
        let topic = TOPICS.iter().find(of);
        text + &topic.map_or_else(String::new, |topic| like(topic.word, topic.title))
    });
    let row = row.map(|row| {
        let (input, value) = row.example;
        let example = coloured(&format!("{input} ==> {value}"));
        let page = super::syntax();
        format!("{}\n  {example}\n{}", form(row, ""), like(&page.word, &page.title))
    });
    described.into_iter().chain(row).collect::<Vec<String>>().join("\n")
}

/// The way to a topic.
fn like(word: &str, title: &str) -> String {
    format!("\n`nesl doc {word}` has its like: {title}\n")
}

/// A file: everything about its names.
pub(super) fn file(page: &Page) -> String {
    let (Entries::Library(names) | Entries::File(names)) = &page.entries else {
        return topic(page);
    };
    if names.is_empty() {
        return format!("{} defines nothing\n", page.title);
    }
    let entry = |entry: &Described| format!("{}\n{}", signature(entry), everything(entry, "  "));
    names.iter().map(entry).collect::<Vec<String>>().join("\n")
}

/// The words and signs of a row, its form and its meaning.
fn form(row: &Syntax, indent: &str) -> String {
    let words: Vec<&str> = row.meaning.split_whitespace().collect();
    let meaning = filled(&words, WIDTH - indent.len());
    let lines: String = meaning.into_iter().map(|line| format!("{indent}{line}\n")).collect();
    format!("{} : {}\n{lines}", strong(&row.names.join(" ")), row.form)
}

fn signature(described: &Described) -> String {
    format!("{} : {}", strong(&described.name), described.ty)
}

fn everything(described: &Described, indent: &str) -> String {
    let Some(doc) = &described.doc else { return String::new() };
    let lines = doc.text.lines().map(str::to_owned).chain(facts(described));
    let mut text: String = lines.map(|line| format!("{indent}{line}\n")).collect();
    if !doc.examples.is_empty() {
        text += "\n";
    }
    for example in &doc.examples {
        text += &format!("{indent}  {}\n", coloured(&example.to_string()));
    }
    text
}

/// Words in lines of at most so many characters, if they fit at all.
fn filled(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

fn strong(text: &str) -> String {
    if colours(&io::stdout()) { bold(text) } else { text.to_owned() }
}

fn coloured(text: &str) -> String {
    if colours(&io::stdout()) { highlight(text) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_lines() {
        assert_eq!(filled(&["ab", "cd", "e", "longer"], 5), ["ab cd", "e", "longer"]);
        assert!(filled(&[], 5).is_empty());
    }
}
