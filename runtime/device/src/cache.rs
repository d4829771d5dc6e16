//! The cache of compiled programs on disk.
//!
//! An entry is a file `KEY.so` or `KEY.cubin` with a digest of its bytes in `KEY.sum`; one that
//! does not fit its digest was damaged and is ignored.  Entries are moved into place whole, so that
//! several processes can share the folder.  Without a folder that can be written, everything works
//! and nothing is kept.

use base::{Code, Diagnostic};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};

/// Bytes of entries that are kept.
const LIMIT: u64 = 1 << 30;
/// An entry that was used is marked as young again when it is older than this.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What an entry holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// A shared object for the CPU.
    Object,
    /// Code for a GPU.
    Cubin,
}

impl Entry {
    /// How names of its files end.
    fn ending(self) -> &'static str {
        match self {
            Entry::Object => "so",
            Entry::Cubin => "cubin",
        }
    }
    fn has(path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        [Entry::Object, Entry::Cubin].iter().any(|entry| ending == Some(entry.ending()))
    }
}

/// The folder from wherever it is looked for: compilers run elsewhere.
fn absolute(folder: PathBuf) -> PathBuf {
    std::path::absolute(&folder).unwrap_or(folder)
}

/// A folder of compiled programs.
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    entry: Entry,
    limit: u64,
}

impl Cache {
    /// The folder that `NESL_CACHE_DIR` names, else `nesl` among the user's caches.
    pub(crate) fn of_user(entry: Entry) -> Cache {
        let named = env::var_os("NESL_CACHE_DIR").filter(|name| !name.is_empty());
        let folder = named.map(PathBuf::from).or_else(|| {
            let project = directories::ProjectDirs::from("", "", "nesl")?;
            Some(project.cache_dir().to_owned())
        });
        Cache { folder: folder.map(absolute), entry, limit: LIMIT }
    }
    /// A cache in this folder.
    pub(crate) fn in_folder(folder: PathBuf, entry: Entry) -> Cache {
        Cache { folder: Some(absolute(folder)), entry, limit: LIMIT }
    }
    /// Where builds that will be kept are made.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The file of the entry, if it is there and sound.
    pub(crate) fn find(&self, key: &str) -> Option<PathBuf> {
        self.sound(key).map(|(path, _)| path)
    }
    /// What the entry holds, if it is there and sound.
    pub(crate) fn read(&self, key: &str) -> Option<Vec<u8>> {
        self.sound(key).map(|(_, bytes)| bytes)
    }
    fn sound(&self, key: &str) -> Option<(PathBuf, Vec<u8>)> {
        let path = self.path(self.folder()?, key);
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
        Some((path, bytes))
    }
    fn path(&self, folder: &Path, key: &str) -> PathBuf {
        folder.join(format!("{key}.{}", self.entry.ending()))
    }

    /// Moves a build into the cache and says where it is now.
    pub(crate) fn store(&self, key: &str, built: &Path) -> io::Result<PathBuf> {
        let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
        let path = self.path(folder, key);
        let sum = built.with_extension("sum");
        fs::write(&sum, digest(&fs::read(built)?))?;
        fs::rename(built, &path)?;
        fs::rename(sum, path.with_extension("sum"))?;
        self.trim(folder)?;
        Ok(path)
    }
    /// Keeps these bytes.
    pub(crate) fn write(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let own = folder.join(format!("new-{}-{number}.part", std::process::id()));
        let stored = fs::write(&own, bytes).and_then(|()| self.store(key, &own).map(|_| ()));
        if stored.is_err() {
            let _ = fs::remove_file(own.with_extension("sum"));
            let _ = fs::remove_file(own);
        }
        stored
    }

    /// A small fact noted under a name.
    pub(crate) fn recall(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.fact(name)?).ok()
    }
    /// Notes a small fact under a name; it may be lost.
    pub(crate) fn remember(&self, name: &str, fact: &str) {
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
            if let (Ok(meta), true) = (file.metadata(), Entry::has(&path)) {
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
pub(crate) fn unwritable(folder: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("compiled programs cannot be kept in {}: {error}", folder.display());
    Diagnostic::of(Code::File, message)
        .help("set NESL_CACHE_DIR to a folder that can be written; every run compiles until then")
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The key of a build: a digest of everything that it is made from.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// What the code made by `-march=native` depends on.
pub(crate) fn machine() -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache in a folder of its own, and the folder.
    fn cache(name: &str) -> (Cache, PathBuf) {
        let folder = env::temp_dir().join(format!("nesl-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        (Cache::in_folder(folder.clone(), Entry::Cubin), folder)
    }

    #[test]
    fn bytes_come_back() {
        let (cache, folder) = cache("back");
        assert_eq!(cache.read("a"), None);
        cache.write("a", b"code").unwrap();
        cache.write("b", b"other").unwrap();
        assert_eq!(cache.read("a").as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.find("b"), Some(folder.join("b.cubin")));
        // Two entries and their digests, and nothing else.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_damaged_or_foreign_is_ignored_and_replaced() {
        let (cache, folder) = cache("damaged");
        cache.write("a", b"code").unwrap();
        fs::write(folder.join("a.cubin"), b"cope").unwrap();
        assert_eq!(cache.read("a"), None);
        fs::write(folder.join("b.cubin"), b"without a digest").unwrap();
        assert_eq!(cache.read("b"), None);
        cache.write("a", b"code").unwrap();
        assert_eq!(cache.read("a").as_deref(), Some(&b"code"[..]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let (mut cache, folder) = cache("trim");
        cache.limit = 100;
        cache.write("old", &[0; 60]).unwrap();
        let file = fs::File::options().append(true).open(folder.join("old.cubin")).unwrap();
        file.set_modified(SystemTime::now() - 2 * DAY).unwrap();
        cache.write("new", &[0; 60]).unwrap();
        assert_eq!((cache.read("old"), cache.read("new")), (None, Some(vec![0; 60])));
        fs::remove_dir_all(folder).unwrap();
    }
}
