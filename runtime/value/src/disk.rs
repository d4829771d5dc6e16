//! The files of this machine, as texts that programs load.

use base::Texts;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// The files of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Texts for Disk {
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
    /// Of a file that is not there, too.
    fn identity(&self, path: &Path) -> PathBuf {
        if let Ok(real) = fs::canonicalize(path) {
            return real;
        }
        let whole = without_dots(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let real = whole.parent().and_then(|folder| fs::canonicalize(folder).ok());
        match (real, whole.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => whole,
        }
    }
}

/// The path without `.` and `..`.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_identity() {
        let same = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|path| Disk.identity(Path::new(path)));
            assert_eq!(a, b);
        };
        same("src/../src/lib.rs", "src/lib.rs");
        same("src/./none", "src/none");
        same("/none/../no/./file", "/no/file");
    }
}
