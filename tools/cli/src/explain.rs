//! `nesl explain`: the page about a code.
//!
//! The pages are part of the book (`docs/errors`).  Their examples are run by tests, and the
//! messages that they show are what the command prints.

use crate::messages::say;
use crate::{Status, output};
use base::Code;

macro_rules! pages {
    ($($code:ident)+) => {
        &[$((
            stringify!($code),
            include_str!(concat!("../../../docs/errors/", stringify!($code), ".md")),
        )),+]
    };
}

/// Codes and their pages, in order.
const PAGES: &[(&str, &str)] = pages! {
    N0101 N0102 N0103 N0104 N0105 N0106 N0107 N0108 N0201 N0202
    N0203 N0204 N0205 N0206 N0207 N0208 N0209 N0210 N0211 N0212
    N0301 N0302 N0303 N0304 N0305 N0306 N0307 N0308 N0309 N0310 N0311 N0312
    N0313 N0314 N0315 N0316 N0317 N0318 N0319 N0320 N0321 N0401
    N0402 N0501 N0502 N0503 N0504 N0505 N0506 N0507 N0508 N0509
    N0601 N0602 N0603 N0604 N0701 N0702 N0703 N0704 N0705 N0801 N0901
};

/// Shows the page of a code, or the list of all codes.
pub(crate) fn explain(code: Option<&str>) -> Status {
    let text = match code {
        None => list(),
        Some(name) => match Code::parse(name).and_then(page) {
            Some(page) => readable(page),
            None => {
                say(&format!("error: there is no code `{name}`; `nesl explain` lists them\n"));
                return Status::Usage;
            }
        },
    };
    match output::print(text.as_bytes()) {
        Ok(()) => Status::Done,
        Err(_) => Status::Failed,
    }
}

fn page(code: Code) -> Option<&'static str> {
    PAGES.iter().find(|(name, _)| *name == code.name()).map(|(_, page)| *page)
}

/// The headings of all pages.
fn list() -> String {
    let headings = PAGES.iter().filter_map(|(_, page)| page.lines().next());
    headings.map(|heading| format!("{}\n", heading.trim_start_matches("# "))).collect()
}

/// A page as a terminal shows it: what is fenced is indented.
fn readable(page: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside && !line.is_empty() {
            text.push_str(&format!("    {line}\n"));
        } else {
            text.push_str(line.trim_start_matches('#').trim_start());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_that_names_it() {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(PAGES.iter().map(|page| page.0).collect::<Vec<_>>(), names);
        for (name, page) in PAGES {
            assert!(page.starts_with(&format!("# {name}: ")), "{name}");
        }
    }

    #[test]
    fn the_list_of_the_book_is_that_of_the_command() {
        let book = include_str!("../../../docs/errors/README.md");
        let entries = PAGES.iter().filter_map(|(name, page)| {
            let heading = page.lines().next()?.trim_start_matches("# ");
            Some(heading.replacen(name, &format!("- [{name}]({name}.md)"), 1))
        });
        let listed: Vec<&str> = book.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(listed, entries.collect::<Vec<_>>());
    }

    #[test]
    fn pages_are_shown_without_marks() {
        let shown = readable("# N0001: a\n\ntext\n\n## Wrong\n\n```nesl\n1 +;\n\n2;\n```\n");
        assert_eq!(shown, "N0001: a\n\ntext\n\nWrong\n\n    1 +;\n\n    2;\n");
    }
}
