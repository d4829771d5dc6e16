//! The run time as far as a text uses it.
//!
//! A part of the run time is split into *items*: comments, functions, types, macros, with an empty
//! line between them.  A name is defined by the first item that has it outside comments, because
//! languages of C's family want it so.  Kept are the items that define what the text, or an item
//! that is kept, mentions.

use std::collections::{BTreeMap, BTreeSet};

/// What names of the run time begin with.
const PREFIXES: [&str; 2] = ["nesl_", "NESL_"];

/// The items of these parts, in order, that a text needs; `given` has what is defined before them.
pub(super) fn prune(given: &str, parts: &[&str], text: &str) -> String {
    let items: Vec<String> = parts.iter().flat_map(|part| items(part)).collect();
    let given = names(given);
    let own = |item: &String| names(item).difference(&given).cloned().collect();
    let mentions: Vec<BTreeSet<String>> = items.iter().map(own).collect();
    let mut defined: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (n, names) in mentions.iter().enumerate() {
        for name in names {
            defined.entry(name).or_insert_with(|| BTreeSet::from([n]));
        }
    }
    let functions: Vec<BTreeSet<String>> = items.iter().map(|item| functions(item)).collect();
    for (n, functions) in functions.iter().enumerate() {
        for name in functions {
            defined.entry(name).or_default().insert(n);
        }
    }
    let mut kept = BTreeSet::new();
    let used = names(text);
    let mut open: Vec<&String> = used.iter().collect();
    while let Some(name) = open.pop() {
        for &item in defined.get(name.as_str()).into_iter().flatten() {
            if kept.insert(item) {
                open.extend(&mentions[item]);
            }
        }
    }
    kept.iter().map(|&n| items[n].as_str()).collect::<Vec<_>>().join("\n")
}

/// The items of a part.
fn items(part: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let (mut braces, mut conditions, mut comment) = (0_i32, 0_i32, false);
    for line in unguarded(part) {
        if line.trim().is_empty() && braces == 0 && conditions == 0 && !comment {
            items.extend((!item.is_empty()).then(|| std::mem::take(&mut item)));
            continue;
        }
        item.push_str(line);
        item.push('\n');
        let code = code(line, &mut comment);
        let directive = code.trim_start().strip_prefix('#').map(str::trim_start);
        match directive {
            Some(text) if text.starts_with("if") => conditions += 1,
            Some(text) if text.starts_with("endif") => conditions -= 1,
            Some(_) => {}
            None => {
                let count = |brace| code.matches(brace).count() as i32;
                braces += count('{') - count('}');
            }
        }
    }
    items.extend((!item.is_empty()).then_some(item));
    items
}

/// The lines of a part without what keeps it from being included twice.
fn unguarded(part: &str) -> Vec<&str> {
    let lines: Vec<&str> = part.lines().collect();
    let guard = lines.windows(2).position(|pair| {
        let name = pair[0].strip_prefix("#ifndef ").filter(|name| name.ends_with("_H"));
        name.is_some_and(|name| pair[1].strip_prefix("#define ") == Some(name))
    });
    let Some(guard) = guard else { return lines };
    let end = lines.iter().rposition(|line| line.starts_with("#endif")).unwrap_or(lines.len());
    [&lines[..guard], &lines[guard + 2..end]].concat()
}

/// A line without comments; `comment` says whether it begins, and then ends, inside one.
fn code(line: &str, comment: &mut bool) -> String {
    let mut code = String::new();
    let mut rest = line;
    loop {
        let mark = if *comment { "*/" } else { "/*" };
        let Some(at) = rest.find(mark) else { break };
        if !*comment {
            code.push_str(&rest[..at]);
        }
        *comment = !*comment;
        rest = &rest[at + 2..];
    }
    if !*comment {
        code.push_str(rest);
    }
    code
}

/// The functions and templates whose heads begin lines of an item.
fn functions(item: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in item.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_alphabetic())) {
        let head = line.split('(').next().unwrap_or_default();
        if head.starts_with("template") {
            found.extend(names(head));
        } else {
            found.extend(names(head.split(' ').next_back().unwrap_or_default()));
        }
    }
    found
}

/// The names of the run time that a text has outside comments.
fn names(text: &str) -> BTreeSet<String> {
    let mut comment = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let code = code(line, &mut comment);
        let words = code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let own = words.filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)));
        found.extend(own.map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &str = "\
/* A part. */
#ifndef NESL_PART_H
#define NESL_PART_H

#include <string.h>

/* One.  Not like nesl_three. */
static int nesl_one(int x) {
  int y = x;

  return y;
}

#ifdef FAST
#define NESL_TWO(x) nesl_one(x)

#else
#define NESL_TWO(x) (x)
#endif

static int nesl_three(void) { return NESL_TWO(3); }

_Static_assert(sizeof(int) == 4, \"\");

#endif
";

    #[test]
    fn items_end_at_empty_lines_outside_of_everything() {
        let items = items(PART);
        assert_eq!(items.len(), 6, "{items:#?}");
        assert!(items[2].ends_with("  int y = x;\n\n  return y;\n}\n"));
        assert!(items[3].starts_with("#ifdef") && items[3].ends_with("#endif\n"));
    }

    #[test]
    fn only_what_is_reached_is_kept() {
        let all = items(PART);
        assert_eq!(prune("", &[PART], "int x = 3; /* nesl_three */"), "");
        assert_eq!(prune("", &[PART], "nesl_one(1)"), all[2]);
        assert_eq!(prune("", &[PART], "nesl_three()"), all[2..5].join("\n"));
    }
}
