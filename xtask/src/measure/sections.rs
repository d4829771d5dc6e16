//! Sections of the page about performance that commands of their own write.
//!
//! What was written last is kept below `benches`, as the page is written anew by the table of the
//! benchmarks.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use super::page::ON_A_GPU;
use crate::root;

/// The files below `benches`, in the order of the page.
const NAMES: [&str; 2] = ["fusion", "compiling"];

/// Writes a section, which begins with its heading.
pub(crate) fn put(name: &str, section: &str) -> anyhow::Result<()> {
    let place = place(name);
    fs::write(&place, section).with_context(|| format!("{} cannot be written", place.display()))?;
    let path = root().join("docs/performance.md");
    let page = with_section(&fs::read_to_string(&path).unwrap_or_default(), section);
    fs::write(&path, page).with_context(|| format!("{} cannot be written", path.display()))
}

/// The sections as they were written last, with an empty line before each.
pub(crate) fn kept() -> String {
    let section = |name| fs::read_to_string(place(name)).map(|section| format!("\n{section}"));
    NAMES.into_iter().filter_map(|name| section(name).ok()).collect()
}

fn place(name: &str) -> PathBuf {
    root().join(format!("benches/{name}.md"))
}

/// A page with this section instead of the one with its heading, or before the part about GPUs.
fn with_section(page: &str, section: &str) -> String {
    let heading = section.lines().next().unwrap_or_default();
    let gpu = page.find(ON_A_GPU).unwrap_or(page.len());
    let start = page.find(&format!("\n{heading}\n")).map_or(gpu, |at| at + 1);
    let end = page[start..].find("\n## ").map_or(page.len(), |at| start + at);
    let end = if start == gpu { gpu } else { end };
    format!("{}\n\n{section}{}", page[..start].trim_end(), &page[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_takes_the_place_of_the_one_before() {
        let old = "# Performance\n\ntext\n\n## Fusion\n\nold\n\n## Compiling\n\nkept\n\n## On a GPU\n\nfigures\n";
        let new = "## Fusion\n\nnew\n";
        let page = with_section(old, new);
        assert_eq!(page, old.replace("old", "new"));
        assert_eq!(with_section(&page, new), page);
        assert_eq!(with_section("# Performance\n", new), format!("# Performance\n\n{new}"));
        let other = "## Other\n\nmore\n";
        let page = with_section(old, other);
        assert_eq!(page, old.replace("## On a GPU", "## Other\n\nmore\n\n## On a GPU"));
        assert_eq!(with_section(&page, other), page);
    }
}
