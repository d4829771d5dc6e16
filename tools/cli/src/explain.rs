//! `nesl explain`: the page about a code.
//!
//! The pages are part of the book (`docs/errors`).  Their examples are run by tests, and the
//! messages that they show are what the command prints.

use crate::messages::say;
use crate::{Status, output};
use base::Code;

/// Shows the page of a code, or the list of all codes.
pub(crate) fn explain(code: Option<&str>) -> Status {
    let text = match code {
        None => list(),
        Some(name) => match Code::parse(name).map(Code::page) {
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

/// The headings of all pages.
fn list() -> String {
    let headings = Code::ALL.iter().filter_map(|code| code.page().lines().next());
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
    fn every_page_names_its_code() {
        for code in Code::ALL {
            assert!(code.page().starts_with(&format!("# {}: ", code.name())), "{code:?}");
        }
    }

    #[test]
    fn the_list_of_the_book_is_that_of_the_command() {
        let book = include_str!("../../../docs/errors/README.md");
        let entries = Code::ALL.iter().filter_map(|code| {
            let name = code.name();
            let heading = code.page().lines().next()?.trim_start_matches("# ");
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
