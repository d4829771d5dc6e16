//! What has no place in the tree: reminders, places on somebody's machine, long comment lines.

use super::{Source, extension};

/// Columns of a line.
const WIDTH: usize = 100;

/// What no file contains.  The words are put together here, so that this file passes.
const BANNED: &[(&str, &str)] = &[
    (concat!("TO", "DO"), "do it, or write down in docs/ that it is not there"),
    (concat!("FIX", "ME"), "fix it"),
    (concat!("unimple", "mented!("), "refuse with a limit diagnostic"),
    (concat!("Co-authored", "-by"), "names stand in the history"),
    (concat!("<<<<", "<<< "), "a merge that was not finished"),
    (concat!("/ho", "me/"), "a place on somebody's machine"),
    (concat!("/ro", "ot/"), "a place on somebody's machine"),
    (concat!("/wo", "rk/"), "a place on somebody's machine"),
];

/// What is wrong with the words of a file.
pub(super) fn findings(source: &Source) -> Vec<String> {
    let mut findings = Vec::new();
    let code = matches!(extension(&source.path), "rs" | "c" | "h" | "cpp" | "cu" | "cuh");
    for (n, line) in source.text.lines().enumerate() {
        let place = || format!("{}:{}", source.path.display(), n + 1);
        for (word, advice) in BANNED.iter().filter(|(word, _)| line.contains(word)) {
            findings.push(format!("{}: `{word}`: {advice}", place()));
        }
        if code && line.trim_start().starts_with("//") && line.chars().count() > WIDTH {
            findings.push(format!("{}: the comment is wider than {WIDTH} columns", place()));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn count(name: &str, text: &str) -> usize {
        findings(&Source { path: PathBuf::from(name), text: text.to_owned() }).len()
    }

    #[test]
    fn words_are_found() {
        assert_eq!(count("a.rs", "//! What it does.\nlet todo = vec![1];\n"), 0);
        assert_eq!(count("a.rs", &format!("// {} later\n", concat!("TO", "DO"))), 1);
        assert_eq!(count("a.md", &format!("in {}me\n", concat!("/ho", "me/"))), 1);
    }

    #[test]
    fn wide_comments_are_found() {
        assert_eq!(count("a.rs", &format!("// {}\n", "é".repeat(97))), 0);
        assert_eq!(count("a.rs", &format!("// {}\n", "é".repeat(98))), 1);
        assert_eq!(count("a.md", &"wide ".repeat(30)), 0);
    }
}
