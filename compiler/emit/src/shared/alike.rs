//! Kernels that do the same.
//!
//! Instances of one function, functions that are copied into several places, and programs that are
//! compiled together have kernels whose texts differ in nothing but their names, the lines of the
//! source that they are shown with, and the sites that their checks name.  One of them is printed,
//! and all are launched by its name: how large a launch is and what it is given is not part of the
//! text.  Which check failed is found out in the kernel that is printed, and then known of the other.

use kernel::KernelId;
use std::collections::{BTreeMap, HashMap};

/// Which function does what a kernel does.
#[derive(Clone, Default, Debug)]
pub struct Code {
    /// For each kernel that can be launched, the one that is printed: itself, or one that does the
    /// same.
    printed: BTreeMap<KernelId, KernelId>,
    /// For one that is not printed itself, the sites of the other that are not its own, and those
    /// that are.
    sites: BTreeMap<KernelId, BTreeMap<usize, usize>>,
}

impl Code {
    /// Where each of these kernels is printed.
    pub fn own(ids: impl Iterator<Item = KernelId>) -> Code {
        let mut code = Code::default();
        code.add(ids);
        code
    }
    /// The kernel whose function does what this one does; none if it cannot be launched.
    pub fn printed(&self, id: KernelId) -> Option<KernelId> {
        self.printed.get(&id).copied()
    }
    /// The site of a kernel where the function that was run for it names this one.
    pub fn site(&self, id: KernelId, named: usize) -> usize {
        let own = self.sites.get(&id).and_then(|sites| sites.get(&named));
        own.copied().unwrap_or(named)
    }
    /// How many kernels are printed.
    pub fn len(&self) -> usize {
        self.printed.iter().filter(|(id, printed)| id == printed).count()
    }
    /// Whether there is no kernel.
    pub fn is_empty(&self) -> bool {
        self.printed.is_empty()
    }
    /// All that can be launched, and what is printed for them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (KernelId, KernelId)> {
        self.printed.iter().map(|(&id, &printed)| (id, printed))
    }
    /// Kernels that are printed elsewhere.
    pub(crate) fn add(&mut self, ids: impl Iterator<Item = KernelId>) {
        self.printed.extend(ids.map(|id| (id, id)));
    }
}

/// Removes from `texts` each that is like an earlier one, where a comment then names it.
pub(crate) fn unite(texts: &mut BTreeMap<KernelId, String>) -> Code {
    let mut first: HashMap<String, (KernelId, Vec<usize>)> = HashMap::with_capacity(texts.len());
    let mut code = Code::default();
    for (&id, text) in texts.iter() {
        let (essence, sites) = essence(text, &id.to_string());
        let (printed, named) = first.entry(essence).or_insert_with(|| (id, sites.clone()));
        code.printed.insert(id, *printed);
        let pairs = named.iter().copied().zip(sites).filter(|(named, own)| named != own);
        let pairs: BTreeMap<usize, usize> = pairs.collect();
        if !pairs.is_empty() {
            code.sites.insert(id, pairs);
        }
    }
    texts.retain(|id, _| code.printed[id] == *id);
    for (id, like) in code.printed.iter().rev().filter(|(id, like)| id != like) {
        if let Some(text) = texts.get_mut(like) {
            text.insert_str(0, &format!("/* {id}: the same as {like}. */\n"));
        }
    }
    code
}

/// The text of a kernel without comments, and without its name where an identifier begins with it;
/// and the sites that its checks name, each once, in order: the text has their number among these.
fn essence(text: &str, name: &str) -> (String, Vec<usize>) {
    let (mut bare, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, comment)) = rest.split_once("/*") {
        nameless(before, name, &mut bare);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    nameless(rest, name, &mut bare);
    let (mut essence, mut sites) = (String::with_capacity(bare.len()), Vec::new());
    let mut rest = bare.as_str();
    while let Some((begin, site)) = next_site(rest) {
        let (before, after) = rest.split_at(begin);
        let number = sites.iter().position(|&known| known == site.value).unwrap_or_else(|| {
            sites.push(site.value);
            sites.len() - 1
        });
        essence.push_str(before);
        essence.push_str(&number.to_string());
        rest = &after[site.digits..];
    }
    essence.push_str(rest);
    (essence, sites)
}

/// A site that a check names.
struct Named {
    value: usize,
    /// Digits in the text.
    digits: usize,
}

/// Where the next check names its site: the third argument of `NESL_REQUIRE`, or of another macro
/// that begins so.
fn next_site(code: &str) -> Option<(usize, Named)> {
    let mut from = 0;
    while let Some(found) = code[from..].find("NESL_REQUIRE") {
        from += found + "NESL_REQUIRE".len();
        let (mut depth, mut commas) = (0, 0);
        let third = code[from..].find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 1 => commas += 1,
                _ => {}
            }
            commas == 2
        });
        let begin = from + third? + ", ".len();
        let digits = code[begin..].find(|c: char| !c.is_ascii_digit())?;
        if let Ok(value) = code[begin..begin + digits].parse() {
            return Some((begin, Named { value, digits }));
        }
    }
    None
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
        assert_eq!(ids.map(|id| code.printed(id)), [one, two, one, four].map(Some));
        assert_eq!((code.len(), code.printed(KernelId::new(5))), (3, None));
        assert_eq!(texts.keys().copied().collect::<Vec<_>>(), [one, two, four]);
        assert!(texts[&one].starts_with("/* k13: the same as k1. */\n/* k1: a line */"));
    }

    #[test]
    fn sites_are_those_of_each() {
        let text = |name: &str, [a, b, c]: [usize; 3]| {
            format!(
                "void {name}() {{ NESL_REQUIRE(f, in(x, (y)), {a}, x, 7); NESL_REQUIRE(f, 1, {b}, 0, 0);\n\
                 NESL_REQUIRE_OR_LEAVE(f, x, {c}, 0, 0); }}"
            )
        };
        let ids: [KernelId; 4] = [1, 2, 3, 4].map(KernelId::new);
        let [one, two, three, four] = ids;
        let mut texts = BTreeMap::from([
            (one, text("k1", [10, 11, 10])),
            (two, text("k2", [20, 11, 20])),
            // The first and the last check are different ones.
            (three, text("k3", [20, 11, 21])),
            (four, text("k4", [11, 10, 11])),
        ]);
        let code = unite(&mut texts);
        assert_eq!(ids.map(|id| code.printed(id)), [one, one, three, one].map(Some));
        assert_eq!([10, 11].map(|site| code.site(one, site)), [10, 11]);
        assert_eq!([10, 11, 5].map(|site| code.site(two, site)), [20, 11, 5]);
        assert_eq!([10, 11].map(|site| code.site(four, site)), [11, 10]);
    }

    #[test]
    fn a_name_is_no_part_of_another() {
        let essence = |text, name| essence(text, name).0;
        assert_eq!(essence("k1 k12 ak1 x_k1 k1_plan(k1)", "k1"), " k12 ak1 x_k1 _plan()");
        assert_eq!(essence("a /* k1 */ b /* c", "k1"), "a  b ");
    }
}
