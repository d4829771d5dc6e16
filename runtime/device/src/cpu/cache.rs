//! The cache of compiled programs on disk.
//!
//! An entry is a shared object `KEY.so` with a digest of its bytes in `KEY.sum`; one that does not
//! fit its digest was damaged and is ignored.  Entries are moved into place whole, so that several
//! processes can share the folder.  Without a folder that can be written, everything works and
//! nothing is kept.

use base::{Diagnostic, Kind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};

/// Bytes of entries that are kept.
const LIMIT: u64 = 1 << 30;
/// An entry that was used is marked as young again when it is older than this.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A folder of compiled programs.
pub(super) struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
}

impl Cache {
    /// The folder that `NESL_CACHE_DIR` names, else `nesl` among the user's caches.
    pub(super) fn of_user() -> Cache {
        let named = env::var_os("NESL_CACHE_DIR").filter(|name| !name.is_empty());
        let folder = named.map(PathBuf::from).or_else(|| {
            let project = directories::ProjectDirs::from("", "", "nesl")?;
            Some(project.cache_dir().to_owned())
        });
        Cache { folder, limit: LIMIT }
    }
    /// A cache in this folder.
    pub(super) fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder: Some(folder), limit: LIMIT }
    }
    /// Where builds that will be kept are made.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The entry, if it is there and sound.
    pub(super) fn find(&self, key: &str) -> Option<PathBuf> {
        let path = self.folder()?.join(format!("{key}.so"));
        let bytes = fs::read(&path).ok()?;
        let sum = fs::read_to_string(path.with_extension("sum")).ok()?;
        if sum != digest(&bytes) {
            return None;
        }
        let age = fs::metadata(&path).and_then(|m| m.modified()).ok()?.elapsed();
        if age.is_ok_and(|age| age > DAY) {
            // A cache that cannot be written can still be read.
            let _ = fs::File::options()
                .append(true)
                .open(&path)
                .and_then(|file| file.set_modified(SystemTime::now()));
        }
        Some(path)
    }

    /// Moves a build into the cache and says where it is now.
    pub(super) fn store(&self, key: &str, built: &Path) -> io::Result<PathBuf> {
        let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
        let path = folder.join(format!("{key}.so"));
        let sum = built.with_extension("sum");
        fs::write(&sum, digest(&fs::read(built)?))?;
        fs::rename(built, &path)?;
        fs::rename(sum, path.with_extension("sum"))?;
        self.trim(folder)?;
        Ok(path)
    }

    /// A small fact noted under a name.
    pub(super) fn recall(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.fact(name)?).ok()
    }
    /// Notes a small fact under a name; it may be lost.
    pub(super) fn remember(&self, name: &str, fact: &str) {
        if let Some(path) = self.fact(name) {
            let own = path.with_extension(format!("{}.new", std::process::id()));
            let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
            let _ =
                parent.and_then(|()| fs::write(&own, fact)).and_then(|()| fs::rename(own, path));
        }
    }
    fn fact(&self, name: &str) -> Option<PathBuf> {
        let key = digest(name.as_bytes());
        Some(self.folder()?.join(format!("{}.fact", &key[..32])))
    }

    /// Removes the entries used longest ago until the rest is well below the limit.
    fn trim(&self, folder: &Path) -> io::Result<()> {
        let mut entries = Vec::new();
        for file in fs::read_dir(folder)? {
            let file = file?;
            let path = file.path();
            // Another process may have removed it.
            if let (Ok(meta), Some("so")) =
                (file.metadata(), path.extension().and_then(|e| e.to_str()))
            {
                entries.push((meta.modified()?, meta.len(), path));
            }
        }
        let mut total: u64 = entries.iter().map(|entry| entry.1).sum();
        if total <= self.limit {
            return Ok(());
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path.with_extension("sum"));
            let _ = fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }
}

/// The warning that nothing is kept.
pub(super) fn unwritable(folder: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("compiled programs cannot be kept in {}: {error}", folder.display());
    Diagnostic::new(Kind::Input, message)
        .help("set NESL_CACHE_DIR to a folder that can be written; every run compiles until then")
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The key of a build: a digest of everything that it is made from.
pub(super) fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// What the code made by `-march=native` depends on.
pub(super) fn machine() -> String {
    use std::io::Read;
    // The first core is described in the first few kilobytes.
    let mut text = Vec::new();
    if let Ok(file) = fs::File::open("/proc/cpuinfo") {
        let _ = file.take(8 << 10).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let first = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let (model, flags) = (first("model name"), first("flags"));
    format!("{} {} {model} {flags}", env::consts::OS, env::consts::ARCH)
}
