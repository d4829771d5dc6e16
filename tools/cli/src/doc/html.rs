//! Documentation as pages for a browser: a file for each page, and a list of them.
//!
//! Each file stands alone: the stylesheet is inside, and no program runs in it.

use super::{Entries, Page, Written, anchor, facts, place};
use crate::highlight::{Shade, pieces};
use ::run::session::Described;
use stdlib::{COSTS, Syntax};

const STYLE: &str = include_str!("style.css");

/// All files.
pub(super) fn pages(pages: &[Page]) -> Vec<Written> {
    let list = document("NESL", &list(pages), pages, None);
    let list = Written { name: "index.html".to_owned(), text: list };
    let page = |page: &Page| Written {
        name: format!("{}.html", page.word),
        text: document(&page.title, &article(page), pages, Some(page)),
    };
    std::iter::once(list).chain(pages.iter().map(page)).collect()
}

/// A whole file, with the way to all others.
fn document(title: &str, body: &str, pages: &[Page], here: Option<&Page>) -> String {
    let link = |page: &Page| {
        let here = here.is_some_and(|here| here.word == page.word);
        let here = if here { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{}\"{here}>{}</a></li>\n", file(page), escaped(&page.title))
    };
    let links: String = pages.iter().map(link).collect();
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <nav>\n<p><a href=\"index.html\">NESL</a></p>\n<ul>\n{links}</ul>\n</nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The list of all pages, with their names.
fn list(pages: &[Page]) -> String {
    let mut text = "<h1>The functions</h1>\n".to_owned() + &paragraphs(COSTS);
    for page in pages {
        let (file, title) = (file(page), escaped(&page.title));
        text += &format!("<h2><a href=\"{file}\">{title}</a></h2>\n{}", names(page, &file));
    }
    text
}

fn article(page: &Page) -> String {
    let mut text = format!("<h1>{}</h1>\n", escaped(&page.title));
    text += &paragraphs(&page.about);
    text += &names(page, "");
    match &page.entries {
        Entries::Library(names) | Entries::File(names) => {
            names.iter().for_each(|entry| text += &section(entry));
        }
        Entries::Syntax(rows) => rows.iter().for_each(|row| text += &form(row)),
    }
    text
}

/// Links to the names of a page that stands in a file, or in this one.
fn names(page: &Page, file: &str) -> String {
    let link = |(name, place): (&str, String)| {
        format!("<a href=\"{file}#{}\"><code>{}</code></a>\n", escaped(&place), escaped(name))
    };
    let links: String = page.entries.places().into_iter().map(link).collect();
    format!("<p class=\"names\">\n{links}</p>\n")
}

fn section(entry: &Described) -> String {
    let (place, name) = (escaped(&anchor(&entry.name)), escaped(&entry.name));
    let mut text = format!(
        "<section id=\"{place}\">\n<h2><a href=\"#{place}\"><code>{name}</code></a></h2>\n\
         <p class=\"type\"><code>{}</code></p>\n",
        escaped(&entry.ty)
    );
    if let Some(doc) = &entry.doc {
        if !doc.text.is_empty() {
            let parts = doc.text.split("\n\n");
            parts.for_each(|part| text += &format!("<p>{}</p>\n", escaped(part)));
        }
        let facts = facts(entry);
        if !facts.is_empty() {
            text += &format!("<p class=\"facts\">{}</p>\n", escaped(&facts.join(" · ")));
        }
        if !doc.examples.is_empty() {
            let examples: Vec<String> =
                doc.examples.iter().map(|example| coloured(&example.to_string())).collect();
            text += &format!("<pre>{}</pre>\n", examples.join("\n"));
        }
    }
    text + "</section>\n"
}

/// A row of the syntax.
fn form(row: &Syntax) -> String {
    let (place, (input, value)) = (escaped(&place(row)), row.example);
    let names = row.names.iter().map(|name| format!("<code>{}</code>", escaped(name)));
    format!(
        "<section id=\"{place}\">\n<h2><a href=\"#{place}\">{}</a></h2>\n\
         <p class=\"type\"><code>{}</code></p>\n{}<pre>{}</pre>\n</section>\n",
        names.collect::<Vec<String>>().join(" "),
        escaped(row.form),
        paragraphs(row.meaning),
        coloured(&format!("{input} ==> {value}"))
    )
}

/// Paragraphs with code in backquotes.
fn paragraphs(text: &str) -> String {
    let paragraph = |text: &str| {
        let inside = text.split('`').enumerate().map(|(place, part)| match place % 2 {
            0 => escaped(part),
            _ => format!("<code>{}</code>", escaped(part)),
        });
        format!("<p>{}</p>\n", inside.collect::<String>())
    };
    text.split("\n\n").filter(|part| !part.is_empty()).map(paragraph).collect()
}

/// A program with its colours.
fn coloured(text: &str) -> String {
    let piece = |(piece, shade): (&str, Option<Shade>)| match shade.and_then(class) {
        Some(class) => format!("<span class=\"{class}\">{}</span>", escaped(piece)),
        None => escaped(piece),
    };
    pieces(text).into_iter().map(piece).collect()
}

/// The name that the stylesheet has for a shade.
fn class(shade: Shade) -> Option<&'static str> {
    match shade {
        Shade::Comment => Some("comment"),
        Shade::Constant => Some("constant"),
        Shade::Text => Some("text"),
        Shade::Keyword | Shade::Command => Some("keyword"),
        // What an example gives need be no NESL.
        Shade::Error => None,
    }
}

fn file(page: &Page) -> String {
    escaped(&format!("{}.html", page.word))
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
        assert_eq!(paragraphs("a `b<c`\n\nd"), "<p>a <code>b&lt;c</code></p>\n<p>d</p>\n");
        assert_eq!(
            coloured("1 < \"a\""),
            "<span class=\"constant\">1</span> &lt; <span class=\"text\">&quot;a&quot;</span>"
        );
    }
}
