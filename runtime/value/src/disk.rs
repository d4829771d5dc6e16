//! The files of this machine, as texts that programs load.

use crate::memory::{self, heap};
use base::Texts;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Bytes that the trees of a text take for each of its bytes, about.
pub(crate) const TREE: usize = 64;
/// Bytes that are asked for in one piece.
const PIECE: usize = 1 << 20;

/// The files of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Texts for Disk {
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_source(&mut File::open(path)?)
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

/// A source text, whose places have 32 bits and whose trees need memory, too. One that is larger is
/// an error of the kind [`io::ErrorKind::OutOfMemory`]; so an endless one ends.
pub fn read_source(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let most = (memory::available() / TREE).min(i32::MAX as usize);
    read_within(from, most)
}

/// Reads to the end.  More than `most` bytes, or bytes for which the system has no memory, are an
/// error of the kind [`io::ErrorKind::OutOfMemory`].
pub fn read_within(mut from: &mut dyn Read, most: usize) -> io::Result<Vec<u8>> {
    let full = || io::Error::from(io::ErrorKind::OutOfMemory);
    let mut text = Vec::new();
    loop {
        let piece = PIECE.max(text.len() / 2).min(most - text.len()).max(1);
        heap::fallibly(|| text.try_reserve(piece)).map_err(|_| full())?;
        match (&mut from).take(piece as u64).read_to_end(&mut text)? {
            _ if text.len() > most => return Err(full()),
            // At a terminal, the user has ended the input once and is not asked again.
            read if read < piece => return Ok(text),
            _ => {}
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
    fn what_is_read_ends() {
        let read = |mut text: &[u8], most| read_within(&mut text, most).map_err(|e| e.kind());
        assert_eq!(read(b"", 0), Ok(Vec::new()));
        assert_eq!(read(b"abc", 3), Ok(b"abc".to_vec()));
        assert_eq!(read(b"abc", 2), Err(io::ErrorKind::OutOfMemory));
        let endless = read_within(&mut io::repeat(7), 5 << 20);
        assert_eq!(endless.map_err(|error| error.kind()), Err(io::ErrorKind::OutOfMemory));
    }

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
