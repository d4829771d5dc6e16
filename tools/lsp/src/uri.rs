//! Names of texts in the protocol, and paths of files.
//!
//! ```text
//! file:///me/two%20words.nesl      /me/two words.nesl
//! untitled:Untitled-1              no file
//! ```

use gen_lsp_types::Uri;
use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// The path of a file, if it is one.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix(SCHEME)?;
    // Before the path there may be the name of this machine.
    let mut bytes = rest[rest.find('/')?..].bytes();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        path.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    Some(PathBuf::from(String::from_utf8(path).ok()?))
}

/// The name of a file; paths that are not whole begin in the working folder.
pub(crate) fn of(path: &Path) -> Uri {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = SCHEME.to_owned();
    for byte in whole.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    Uri(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_paths() {
        let is = |uri: &str, expected: &str| assert_eq!(path(uri).unwrap(), Path::new(expected));
        is("file:///a/b%20c.nesl", "/a/b c.nesl");
        is("file:///%C3%BC/%e6%bc%a2", "/ü/漢");
        is("file://localhost/a", "/a");
        assert_eq!(path("untitled:a"), None);
        assert_eq!(path("file:///a%2"), None);
        assert_eq!(path("file:///%FF"), None);
    }

    #[test]
    fn paths_have_names() {
        for file in ["/a/b c.nesl", "/ü/100%.nesl", "/~me/a-b_c"] {
            assert_eq!(path(&of(Path::new(file)).0).unwrap(), Path::new(file));
        }
        assert_eq!(of(Path::new("/ü x")).0, "file:///%C3%BC%20x");
    }
}
