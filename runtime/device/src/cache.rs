//! The cache of compiled programs on disk.
//!
//! An entry is a file `KEY.so` or `KEY.cubin` with a digest of its bytes in `KEY.sum`; one that
//! does not fit its digest was damaged and is ignored.  Entries are moved into place whole, so that
//! several processes can share the folder.  Without a folder that can be written, everything works
//! and nothing is kept.
//!
//! The cache holds code that will run.  So it uses the folder and its files only if they belong to
//! the user or to root and no other account can write to them, and only plain files.

#![expect(unsafe_code, reason = "the system is asked who the user is")]

use base::{Code, Diagnostic};
use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, io};
use value::whole::{self, Access, Folder, Names, Written};

#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};

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
    /// The folder of the entries.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
    /// The folder, if its contents can be trusted.
    fn trusted(&self) -> Option<&Path> {
        let folder = self.folder()?;
        (!is_open_to_others(&fs::metadata(folder).ok()?)).then_some(folder)
    }
    /// The folder for writing, made if it is not there.
    fn prepared(&self) -> io::Result<&Path> {
        let folder = self.folder().ok_or(io::ErrorKind::NotFound)?;
        whole::folder_builder(Access::Private).recursive(true).create(folder)?;
        if is_open_to_others(&fs::metadata(folder)?) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, FOREIGN));
        }
        Ok(folder)
    }
    /// A folder to build in, from where builds can be moved into the cache.
    pub(crate) fn scratch(&self) -> io::Result<Folder> {
        scratch_in(self.prepared()?, &Names::new(BUILD, ""))
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
        let path = self.path(self.trusted()?, key);
        let (file, bytes) = read_own(&path)?;
        let (_, sum) = read_own(&path.with_extension("sum"))?;
        if sum != digest(&bytes).as_bytes() {
            return None;
        }
        let age = file.metadata().and_then(|m| m.modified()).ok()?.elapsed();
        if age.is_ok_and(|age| age > DAY) {
            // A cache that cannot be written can still be read.
            let _ = file.set_modified(SystemTime::now());
        }
        Some((path, bytes))
    }
    fn path(&self, folder: &Path, key: &str) -> PathBuf {
        folder.join(format!("{key}.{}", self.entry.ending()))
    }

    /// Moves a build into the cache.
    pub(crate) fn store(&self, key: &str, built: &Path) -> io::Result<()> {
        let folder = self.prepared()?;
        let path = self.path(folder, key);
        #[cfg(unix)]
        fs::set_permissions(built, fs::Permissions::from_mode(0o600))?;
        put(&path.with_extension("sum"), digest(&fs::read(built)?).as_bytes())?;
        fs::rename(built, &path)?;
        self.trim(folder);
        Ok(())
    }
    /// Keeps these bytes.
    pub(crate) fn write(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.prepared()?;
        let path = self.path(folder, key);
        put(&path.with_extension("sum"), digest(bytes).as_bytes())?;
        put(&path, bytes)?;
        self.trim(folder);
        Ok(())
    }

    /// A small fact noted under a name.
    pub(crate) fn recall(&self, name: &str) -> Option<String> {
        let (_, fact) = read_own(&fact(self.trusted()?, name))?;
        String::from_utf8(fact).ok()
    }
    /// Notes a small fact under a name; it may be lost.
    pub(crate) fn remember(&self, name: &str, text: &str) {
        let _ = self.prepared().and_then(|folder| put(&fact(folder, name), text.as_bytes()));
    }

    /// Removes leftovers of killed processes, and the entries used longest ago until the rest is
    /// well below the limit.  Only names of the cache's own are touched.
    fn trim(&self, folder: &Path) {
        let mut entries: BTreeMap<String, Kept> = BTreeMap::new();
        let mut total = 0;
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, path) = (file.file_name(), file.path());
            let Some(name) = name.to_str() else { continue };
            if is_temporary(name) {
                if !whole::remove_leftover(&path) {
                    total += size(&path);
                }
            } else if let (Some(key), Ok(meta)) = (key_of(name), file.metadata())
                && meta.is_file()
            {
                let entry = entries.entry(key.to_owned()).or_default();
                total += meta.len();
                entry.size += meta.len();
                entry.used = entry.used.max(meta.modified().ok());
                entry.files.push(path);
            }
        }
        if total <= self.limit {
            return;
        }
        let mut entries: Vec<Kept> = entries.into_values().collect();
        entries.sort_by_key(|entry| entry.used);
        for Kept { size, files, .. } in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            for path in files {
                // Another process may have removed it.
                let _ = fs::remove_file(path);
            }
            total -= size;
        }
    }
}

/// The prefix of the names of folders in which the cache builds.
const BUILD: &str = "build-";
/// Why a folder is not used.
const FOREIGN: &str = "others can write there, or it is not yours; \
    after a look at it, `chmod 700` (and `chown`) makes it yours alone, \
    or set NESL_CACHE_DIR to another folder";

/// The files of one key.
#[derive(Default)]
struct Kept {
    used: Option<SystemTime>,
    size: u64,
    files: Vec<PathBuf>,
}

/// The key in the name of a file that the cache keeps.
fn key_of(name: &str) -> Option<&str> {
    let (key, ending) = name.rsplit_once('.')?;
    let length = match ending {
        "so" | "cubin" | "sum" => KEY,
        "fact" => FACT,
        _ => return None,
    };
    let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    (key.len() == length && key.bytes().all(hex)).then_some(key)
}

/// Returns true for the name of a temporary file or folder of the cache.
fn is_temporary(name: &str) -> bool {
    let file =
        || name.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.').map(|parts| parts.0);
    let beside = |file: &str| key_of(file).is_some() && Names::beside(file.as_ref()).has(name);
    Names::new(BUILD, "").has(name) || file().is_some_and(beside)
}

/// Bytes in a file, or in the files of a folder.
fn size(path: &Path) -> u64 {
    let own =
        fs::symlink_metadata(path).map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
    let inside = fs::read_dir(path).into_iter().flatten().flatten();
    own + inside.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum::<u64>()
}

/// A folder to build in where temporary files are.
pub(crate) fn temporary() -> io::Result<Folder> {
    scratch_in(&absolute(env::temp_dir()), &Names::new("nesl-build-", ""))
}

fn scratch_in(folder: &Path, names: &Names) -> io::Result<Folder> {
    whole::remove_leftovers(folder, names);
    Folder::new(folder, names, Access::Private)
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Written::beside(path, Access::Private, |file| file.write_all(bytes))?.put()
}

/// The contents of a plain file that only the user or root can have written.
fn read_own(path: &Path) -> Option<(File, Vec<u8>)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let mut file = options.open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || is_open_to_others(&found) {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some((file, bytes))
}

/// Returns true if an account other than the user and root owns it or can write to it.
fn is_open_to_others(found: &Metadata) -> bool {
    #[cfg(unix)]
    {
        // SAFETY: the call takes nothing and cannot fail.
        let user = unsafe { libc::geteuid() };
        ![user, 0].contains(&found.uid()) || found.mode() & 0o022 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// The file of a fact.
fn fact(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}.fact", &digest(name.as_bytes())[..FACT]))
}

/// The warning that nothing is kept.
pub(crate) fn unwritable(folder: &Path, why: &dyn std::fmt::Display) -> Diagnostic {
    let message = format!("compiled programs cannot be kept in {}: {why}", folder.display());
    Diagnostic::of(Code::File, message)
        .help("set NESL_CACHE_DIR to a folder that can be written; every run compiles until then")
}

/// Characters of a key, and of that of a fact.
const KEY: usize = 64;
const FACT: usize = 32;

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
    // The first core is described in the first few kilobytes.
    let mut text = Vec::new();
    if let Ok(file) = File::open("/proc/cpuinfo") {
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

    /// A key of a test.
    fn key(name: &str) -> String {
        super::key([name])
    }

    #[test]
    fn bytes_come_back() {
        let (cache, folder) = cache("back");
        let [a, b] = ["a", "b"].map(key);
        assert_eq!(cache.read(&a), None);
        cache.write(&a, b"code").unwrap();
        cache.write(&b, b"other").unwrap();
        assert_eq!(cache.read(&a).as_deref(), Some(&b"code"[..]));
        assert_eq!(cache.find(&b), Some(folder.join(format!("{b}.cubin"))));
        cache.remember("fact", "true");
        assert_eq!(cache.recall("fact").as_deref(), Some("true"));
        // Two entries and their digests, a fact, and nothing else.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 5);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_damaged_or_foreign_is_ignored_and_replaced() {
        let (cache, folder) = cache("damaged");
        let [a, b] = ["a", "b"].map(key);
        cache.write(&a, b"code").unwrap();
        fs::write(folder.join(format!("{a}.cubin")), b"cope").unwrap();
        assert_eq!(cache.read(&a), None);
        fs::write(folder.join(format!("{b}.cubin")), b"without a digest").unwrap();
        assert_eq!(cache.read(&b), None);
        cache.write(&a, b"code").unwrap();
        assert_eq!(cache.read(&a).as_deref(), Some(&b"code"[..]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let (mut cache, folder) = cache("trim");
        cache.limit = 400;
        let [old, new] = ["old", "new"].map(key);
        cache.write(&old, &[0; 160]).unwrap();
        let age = |name: &str| {
            let file = File::options().append(true).open(folder.join(name)).unwrap();
            file.set_modified(SystemTime::now() - 2 * DAY).unwrap();
        };
        age(&format!("{old}.cubin"));
        age(&format!("{old}.sum"));
        // The cache removes no file of others, even a large and old one.
        fs::write(folder.join("thesis.so"), [0; 1000]).unwrap();
        age("thesis.so");
        cache.write(&new, &[0; 160]).unwrap();
        assert_eq!((cache.read(&old), cache.read(&new)), (None, Some(vec![0; 160])));
        assert!(folder.join("thesis.so").exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed_and_builds_under_way_are_counted() {
        let (mut cache, folder) = cache("leftovers");
        cache.limit = 400;
        let [a, b] = ["a", "b"].map(key);
        let alive = cache.scratch().unwrap();
        fs::create_dir(folder.join("build-1-0")).unwrap();
        fs::write(folder.join("build-1-0").join("unit0.c"), "").unwrap();
        fs::write(folder.join(format!(".{a}.so.1-0.tmp")), "").unwrap();
        cache.write(&a, &[0; 100]).unwrap();
        // The build, the entry and its digest.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::write(alive.path().join("program.so"), [0; 300]).unwrap();
        cache.write(&b, &[0; 100]).unwrap();
        assert_eq!(cache.read(&a), None);
        drop(alive);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn only_files_of_the_user_are_taken() {
        use std::os::unix::fs::symlink;
        use std::process::Command;
        let (cache, folder) = cache("own");
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let a = key("a");
        let entry = folder.join(format!("{a}.cubin"));
        cache.write(&a, b"code").unwrap();
        assert_eq!(
            (mode(&folder), mode(&entry), mode(&entry.with_extension("sum"))),
            (0o700, 0o600, 0o600)
        );
        set(&entry, 0o620);
        assert_eq!(cache.read(&a), None);
        set(&entry, 0o644);
        assert!(cache.read(&a).is_some());
        // A link, a folder, and a pipe, at which no read may block.
        let elsewhere = folder.join("elsewhere");
        fs::rename(&entry, &elsewhere).unwrap();
        symlink(&elsewhere, &entry).unwrap();
        assert_eq!(cache.read(&a), None);
        fs::remove_file(&entry).unwrap();
        fs::create_dir(&entry).unwrap();
        assert_eq!(cache.read(&a), None);
        assert!(cache.write(&a, b"code").is_err());
        fs::remove_dir(&entry).unwrap();
        for path in [&entry, &entry.with_extension("sum")] {
            let _ = fs::remove_file(path);
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
            assert_eq!(cache.read(&a), None);
        }
        cache.write(&a, b"code").unwrap();
        assert!(cache.read(&a).is_some());
        // A folder to which others can write.
        set(&folder, 0o770);
        assert_eq!(cache.read(&a), None);
        assert_eq!(cache.write(&a, b"code").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(cache.scratch().is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
