//! Documentation as Markdown: a file for each page, and a list of them.
//!
//! `docs/library` is written by this.

use super::{Page, Written, anchor, facts};
use ::run::session::Described;
use stdlib::COSTS;

/// What stands in front of every file.
const NOTE: &str =
    "<!-- Written by `nesl doc --markdown`; what it says stands where the functions do. -->\n";

/// All files.
pub(super) fn pages(pages: &[Page]) -> Vec<Written> {
    let list = Written { name: "README.md".to_owned(), text: list(pages) };
    let page = |page: &Page| Written { name: format!("{}.md", page.word), text: text(page) };
    std::iter::once(list).chain(pages.iter().map(page)).collect()
}

/// The list of all pages, with their names.
fn list(pages: &[Page]) -> String {
    let mut text = format!("{NOTE}\n# The functions\n\n{COSTS}\n");
    for page in pages {
        text += &format!("\n## [{}]({}.md)\n\n", escaped(&page.title), page.word);
        let link = |entry: &Described| {
            format!("[{}]({}.md#{})", code(&entry.name), page.word, anchor(&entry.name))
        };
        text += &page.entries.iter().map(link).collect::<Vec<String>>().join("\n");
        text += "\n";
    }
    text
}

fn text(page: &Page) -> String {
    let mut text = format!("{NOTE}\n# {}\n", escaped(&page.title));
    if !page.about.is_empty() {
        text += &format!("\n{}\n", page.about);
    }
    let last = if page.library { "status" } else { "effect" };
    text += &format!("\n| name | type | cost | {last} |\n|---|---|---|---|\n");
    for entry in &page.entries {
        let link = format!("[{}](#{})", code(&entry.name), anchor(&entry.name));
        let cost = entry.doc.as_ref().and_then(|doc| doc.cost.as_ref());
        let cost = cost.map(|cost| match cost.depth.as_str() {
            "" => escaped(&cost.work),
            depth => escaped(&format!("{} / {depth}", cost.work)),
        });
        let row = format!("{link} | {} | {} ", code(&entry.ty), cost.unwrap_or_default());
        // A bar ends a cell even inside code.
        text += &format!("| {}| {} |\n", cells(&row), status(entry, page.library));
    }
    page.entries.iter().for_each(|entry| text += &section(entry));
    text
}

/// The bars of operators, not those between cells.
fn cells(row: &str) -> String {
    row.replace("||", "\\|\\|")
}

/// What a table says of who has a name of the library, and of its effect.
fn status(entry: &Described, library: bool) -> String {
    if !library {
        return if entry.effect { "effect".to_owned() } else { String::new() };
    }
    let status = match entry.doc.as_ref().map_or(prim::Status::Core, |doc| doc.status) {
        prim::Status::Core => "core",
        prim::Status::New => "core, new",
        prim::Status::Extended => "extended",
    };
    format!("{status}{}", if entry.effect { ", effect" } else { "" })
}

fn section(entry: &Described) -> String {
    let mut text = format!("\n## {}{}\n", place(&entry.name), code(&entry.name));
    text += &format!("\n{}\n", code(&entry.ty));
    let Some(doc) = &entry.doc else { return text };
    if !doc.text.is_empty() {
        text += &format!("\n{}\n", escaped(&doc.text));
    }
    let facts = facts(entry);
    if !facts.is_empty() {
        text += &format!("\n*{}*\n", escaped(&facts.join("; ")));
    }
    if !doc.examples.is_empty() {
        text += "\n```nesl-example\n";
        doc.examples.iter().for_each(|example| text += &format!("{example}\n"));
        text += "```\n";
    }
    text
}

/// Readers of Markdown make places of headings; those of operators would have no names.
fn place(name: &str) -> String {
    let place = anchor(name);
    if place == name { String::new() } else { format!("<a id=\"{place}\"></a>") }
}

/// Text between backquotes, as many as it needs.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Plain text, which may look like Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>#|~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_plain() {
        assert_eq!(escaped("v[i] * #w"), "v\\[i\\] \\* \\#w");
        assert_eq!(code("a `b"), "`` a `b ``");
        assert_eq!(place("=="), "<a id=\"op-equal-equal\"></a>");
        assert_eq!(place("sum"), "");
    }
}
