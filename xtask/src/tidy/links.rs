//! Links of documents to files of the tree.

use std::path::Path;

use super::{Source, extension};
use crate::root;

/// Links to files that are not there.
pub(super) fn findings(source: &Source) -> Vec<String> {
    if extension(&source.path) != "md" {
        return Vec::new();
    }
    let folder = root().join(source.path.parent().unwrap_or(Path::new("")));
    targets(&source.text)
        .filter(|target| !folder.join(target).exists())
        .map(|target| format!("{}: there is no {target}", source.path.display()))
        .collect()
}

/// What `](...)` names inside the tree, without what follows `#`.  Code is left out.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let prose = text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    prose
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found() {
        let text =
            "[a](x.md#part), [b](https://x.y) and [c](#here)\n```\n{x[i](y)}\n```\n[d](z/)\n";
        assert_eq!(targets(text).collect::<Vec<_>>(), ["x.md", "z/"]);
    }
}
