//! Documentation as Markdown: a file for each page, and a list of them.
//!
//! `docs/library` is written by this.

use super::{Entries, Page, Written, anchor, facts};
use ::run::session::Described;
use stdlib::{COSTS, Syntax};

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
        let link =
            |(name, place): (&str, String)| format!("[{}]({}.md#{place})", code(name), page.word);
        let links: Vec<String> = page.entries.places().into_iter().map(link).collect();
        text += &links.join("\n");
        text += "\n";
    }
    text
}

fn text(page: &Page) -> String {
    let mut text = format!("{NOTE}\n# {}\n", escaped(&page.title));
    if !page.about.is_empty() {
        text += &format!("\n{}\n", page.about);
    }
    text + &match &page.entries {
        Entries::Library(names) => described(names, "status", status),
        Entries::File(names) => described(names, "effect", effect),
        Entries::Syntax(rows) => forms(rows),
    }
}

/// A table of names, with a last column of this title, and a section for each name.
fn described(names: &[Described], last: &str, cell: fn(&Described) -> String) -> String {
    let mut text = format!("\n| name | type | cost | {last} |\n|---|---|---|---|\n");
    for entry in names {
        let link = format!("[{}](#{})", code(&entry.name), anchor(&entry.name));
        let cost = entry.doc.as_ref().and_then(|doc| doc.cost.as_ref());
        let cost = cost.map(|cost| match cost.depth.as_str() {
            "" => escaped(&cost.work),
            depth => escaped(&format!("{} / {depth}", cost.work)),
        });
        let row = format!("{link} | {} | {} ", code(&entry.ty), cost.unwrap_or_default());
        // A bar ends a cell even inside code.
        text += &format!("| {}| {} |\n", cells(&row), cell(entry));
    }
    names.iter().for_each(|entry| text += &section(entry));
    text
}

/// A table of the syntax, and a section for each row.
fn forms(rows: &[Syntax]) -> String {
    let mut text = "\n| words and signs | how they are written |\n|---|---|\n".to_owned();
    for row in rows {
        let link = format!("[{}](#{})", codes(row.names), super::place(row));
        // A bar ends a cell even inside code.
        text += &format!(
            "| {} |\n",
            [link, code(row.form)].map(|it| it.replace('|', "\\|")).join(" | ")
        );
    }
    for row in rows {
        let (input, value) = row.example;
        let (place, names) = (super::place(row), codes(row.names));
        text += &format!("\n## <a id=\"{place}\"></a>{names}\n\n{}\n", code(row.form));
        text += &format!("\n{}\n", prose(row.meaning));
        text += &format!("\n```nesl-example\n{input} ==> {value}\n```\n");
    }
    text
}

/// The bars of operators, not those between cells.
fn cells(row: &str) -> String {
    row.replace("||", "\\|\\|")
}

/// The effect of a name in a table.
fn effect(entry: &Described) -> String {
    if entry.effect { "effect".to_owned() } else { String::new() }
}

/// The status and the effect of a name of the library in a table.
fn status(entry: &Described) -> String {
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

/// Words and signs, each as code.
fn codes(names: &[&str]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<String>>().join(" ")
}

/// Text with code in backquotes.
fn prose(text: &str) -> String {
    let part = |(place, part): (usize, &str)| match place % 2 {
        0 => escaped(part),
        _ => code(part),
    };
    text.split('`').enumerate().map(part).collect()
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
        assert_eq!(prose("`a_b` or c_d"), "`a_b` or c\\_d");
        assert_eq!(codes(&["`", "{"]), "`` ` `` `{`");
    }
}
