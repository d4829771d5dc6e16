//! Kernels that do the same.
//!
//! Instances of one function, functions that are copied into several places, and programs that are
//! compiled together have kernels whose texts differ in nothing but their names and the lines of the
//! source that they are shown with.  One of them is printed, and all are launched by its name: how
//! large a launch is and what it is given is not part of the text.

use kernel::KernelId;
use std::collections::{BTreeMap, HashMap};

/// Removes from `texts` each that is like an earlier one, where a comment then names it; for each
/// kernel that had a text, the one whose text does the same, which may be itself.
pub(crate) fn unite(texts: &mut BTreeMap<KernelId, String>) -> BTreeMap<KernelId, KernelId> {
    let mut first: HashMap<String, KernelId> = HashMap::with_capacity(texts.len());
    let code: BTreeMap<KernelId, KernelId> = texts
        .iter()
        .map(|(&id, text)| (id, *first.entry(essence(text, &id.to_string())).or_insert(id)))
        .collect();
    texts.retain(|id, _| code[id] == *id);
    for (id, like) in code.iter().rev().filter(|(id, like)| id != like) {
        if let Some(text) = texts.get_mut(like) {
            text.insert_str(0, &format!("/* {id}: the same as {like}. */\n"));
        }
    }
    code
}

/// The text of a kernel without comments, and without its name where an identifier begins with it.
fn essence(text: &str, name: &str) -> String {
    let mut essence = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        nameless(before, name, &mut essence);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    nameless(rest, name, &mut essence);
    essence
}

/// Adds code, without this name.
fn nameless(code: &str, name: &str, essence: &mut String) {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let mut from = 0;
    for (at, _) in code.match_indices(name) {
        let end = at + name.len();
        let begins = !code[..at].ends_with(|c| is_part(c) || c == '_');
        if begins && !code[end..].starts_with(is_part) {
            essence.push_str(&code[from..at]);
            from = end;
        }
    }
    essence.push_str(&code[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    #[test]
    fn kernels_that_differ_in_name_and_comments_are_one() {
        let text = |name: &str, value: i32| {
            format!(
                "/* {name}: a line */\nvoid {name}_tile() {{ x = {value}; }}\nvoid {name}() {{ {name}_tile(); }}\n"
            )
        };
        let ids: [KernelId; 4] = [1, 2, 13, 4].map(KernelId::new);
        let [one, two, three, four] = ids;
        let mut texts = BTreeMap::from([
            (one, text("k1", 5)),
            (two, text("k2", 6)),
            (three, text("k13", 5).replace("a line", "another")),
            // Calls a function that is not its own.
            (four, text("k4", 5).replace("k4_tile();", "k1_tile();")),
        ]);
        let code = unite(&mut texts);
        assert_eq!(code, BTreeMap::from([(one, one), (two, two), (three, one), (four, four)]));
        assert_eq!(texts.keys().copied().collect::<Vec<_>>(), [one, two, four]);
        assert!(texts[&one].starts_with("/* k13: the same as k1. */\n/* k1: a line */"));
    }

    #[test]
    fn a_name_is_no_part_of_another() {
        assert_eq!(essence("k1 k12 ak1 x_k1 k1_plan(k1)", "k1"), " k12 ak1 x_k1 _plan()");
        assert_eq!(essence("a /* k1 */ b /* c", "k1"), "a  b ");
    }
}
