//! The sources in a folder of the editor.

use std::path::{Path, PathBuf};

/// How many files and folders are looked at.
const MOST: usize = 10_000;

/// The `.nesl` files in a folder and those inside it, but for hidden ones.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut next = vec![folder.to_owned()];
    while let Some(folder) = next.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST {
                return found;
            }
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            // A link may lead back to a folder around it.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => next.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|it| it == "nesl") => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
