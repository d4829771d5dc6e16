//! Files and folders that appear whole.
//!
//! They are written under a temporary name beside their target and then renamed, so that no reader
//! sees a part of them.  A killed process leaves its temporary name behind.  Each process locks the
//! files that it writes, and the system releases the lock when the process ends, so a name without
//! a lock is a leftover, whichever process has the number in it now.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};

/// The most symbolic links in a row that are followed.
const LINKS: usize = 40;
/// The most bytes of a name that become part of its temporary name, which may have 255.
const STEM: usize = 200;

/// Who may look into something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// All users that the umask permits.
    Usual,
    /// The user alone.
    Private,
}

/// The temporary names of one purpose: a number of a process and a count between two texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    before: String,
    after: &'static str,
}

impl Names {
    /// Names that begin and end like this.
    pub fn new(before: impl Into<String>, after: &'static str) -> Names {
        Names { before: before.into(), after }
    }
    /// The names beside a file, or a folder, of this name.
    pub fn beside(name: &OsStr) -> Names {
        let name = name.to_string_lossy();
        Names::new(format!(".{}.", &name[..name.floor_char_boundary(STEM)]), ".tmp")
    }
    /// Returns true if a name is one of them.
    pub fn has(&self, name: &str) -> bool {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let middle = name.strip_prefix(&self.before).and_then(|n| n.strip_suffix(self.after));
        middle.is_some_and(|middle| match middle.split_once('-') {
            Some((process, count)) => number(process) && number(count),
            None => number(middle),
        })
    }
    /// One that this process has not used.
    fn fresh(&self) -> String {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{}{}-{count}{}", self.before, process::id(), self.after)
    }
}

/// Makes something with a new name in a folder, and holds it.
fn make(folder: &Path, names: &Names, new: impl Fn(&Path) -> io::Result<File>) -> io::Result<Held> {
    loop {
        let path = folder.join(names.fresh());
        match new(&path) {
            // A killed process had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                let locked = file.try_lock();
                // Who removes leftovers may have seen it before it was locked.
                if !matches!(locked, Err(TryLockError::WouldBlock)) && is_at(&file, &path) {
                    return Ok(Held { file, path, renamed: false });
                }
            }
        }
    }
}

/// Returns true if a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        let (Ok(own), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
            return false;
        };
        (own.dev(), own.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Removes a file or folder with a temporary name if its process has ended.  Returns true if it is
/// gone.  Links, and files of other users, stay.
pub fn remove_leftover(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return true };
    if !(found.is_file() || found.is_dir()) {
        return false;
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let Ok(file) = options.open(path) else { return false };
    if file.try_lock().is_err() || !is_at(&file, path) {
        return false;
    }
    let removed = if found.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.is_ok()
}

/// Removes the leftovers of killed processes with such names from a folder.
pub fn remove_leftovers(folder: &Path, names: &Names) {
    // A folder that cannot be read is no reason to fail.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| names.has(name)) {
            remove_leftover(&entry.path());
        }
    }
}

/// A file or folder with a temporary name, which is removed unless it is renamed.
#[derive(Debug)]
struct Held {
    /// Has the lock.
    file: File,
    path: PathBuf,
    renamed: bool,
}

impl Held {
    fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.renamed {
            // The next process removes what cannot be removed now.
            let _ = match self.file.metadata() {
                Ok(found) if found.is_dir() => fs::remove_dir_all(&self.path),
                _ => fs::remove_file(&self.path),
            };
        }
    }
}

/// A temporary folder for one process, removed with everything in it.
#[derive(Debug)]
pub struct Folder(Held);

impl Folder {
    /// A new folder in `parent`.
    pub fn new(parent: &Path, names: &Names, access: Access) -> io::Result<Folder> {
        let make_folder = |path: &Path| {
            folder_builder(access).create(path)?;
            File::open(path)
        };
        make(parent, names, make_folder).map(Folder)
    }
    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
    /// Gives it a name to stay under; a folder with anything in it is not replaced.
    pub fn keep_as(self, target: &Path) -> io::Result<()> {
        self.0.rename(target)
    }
}

/// A builder of folders with this access.
pub fn folder_builder(access: Access) -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    if access == Access::Private {
        builder.mode(0o700);
    }
    builder
}

/// A file that is written and not yet in its place.
#[derive(Debug)]
pub struct Written {
    /// The file and its place; none if it was no file that can be replaced.
    new: Option<(Held, PathBuf)>,
}

impl Written {
    /// Writes a file beside its target.  Links are followed, and the target's owner and mode are
    /// kept.  Devices and pipes cannot be replaced and are written at once.
    pub fn new(
        path: &Path,
        access: Access,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> io::Result<Written> {
        let old = fs::metadata(path).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) || is_of_the_system(path) {
            let file = OpenOptions::new().write(true).open(path)?;
            fill(&file, write)?;
            return Ok(Written { new: None });
        }
        if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        Written::beside(&behind_links(path)?, access, |file| {
            if let Some(old) = &old {
                take_after(file.get_ref(), old)?;
            }
            write(file)
        })
    }

    /// Writes a file that replaces any file or link of this name.
    pub fn beside(
        target: &Path,
        access: Access,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> io::Result<Written> {
        let name = target.file_name().ok_or_else(|| io::Error::other("this is no file name"))?;
        let held = make(folder_of(target), &Names::beside(name), |path| new_file(path, access))?;
        fill(&held.file, write)?;
        Ok(Written { new: Some((held, target.to_owned())) })
    }

    /// Puts it in its place.
    pub fn put(self) -> io::Result<()> {
        self.new.map_or(Ok(()), |(held, target)| held.rename(&target))
    }
}

/// Replaces a file, or makes one, as a whole; removes what killed processes left of it.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    remove_leftovers_of(path);
    Written::new(path, Access::Usual, write)?.put()
}

/// Replaces several files by texts, none of them before all are written.  An error comes with the
/// path that it is about.
pub fn replace_all(files: &[(PathBuf, String)]) -> Result<(), (&Path, io::Error)> {
    let mut written = Vec::new();
    for (path, text) in files {
        remove_leftovers_of(path);
        let new = Written::new(path, Access::Usual, |file| file.write_all(text.as_bytes()));
        written.push((path, new.map_err(|error| (path.as_path(), error))?));
    }
    written
        .into_iter()
        .try_for_each(|(path, new)| new.put().map_err(|error| (path.as_path(), error)))
}

/// Removes what killed processes left of a file.
fn remove_leftovers_of(path: &Path) {
    if let Ok(target) = behind_links(path)
        && let Some(name) = target.file_name()
    {
        let folder = folder_of(&target);
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        remove_leftovers(folder, &Names::beside(name));
    }
}

fn fill(
    file: &File,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(1 << 20, file);
    write(&mut buffer)?;
    buffer.flush()
}

/// Returns true for a path of the system, which may name a device or an open file.
fn is_of_the_system(path: &Path) -> bool {
    path.starts_with("/dev") || path.starts_with("/proc")
}

fn new_file(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Private {
        options.mode(0o600);
    }
    options.open(path)
}

/// Gives a file the owner, as far as the system lets us, and the mode of another.
fn take_after(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(Permissions::from_mode(old.mode() & 0o777))
    }
    #[cfg(not(unix))]
    {
        file.set_permissions(old.permissions())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// The file that a path leads to, which need not be there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links lead there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nesl-whole-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn put(path: &Path, text: &str) -> io::Result<()> {
        replace(path, |file| file.write_all(text.as_bytes()))
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_alone() {
        let folder = folder("fails");
        let path = folder.join("a.txt");
        put(&path, "old").unwrap();
        let failed = replace(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names_in(&folder), ["a.txt"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn leftovers_are_removed_and_what_is_held_stays() {
        let folder = folder("leftovers");
        let path = folder.join("a.txt");
        for name in [".a.txt.1.tmp", ".a.txt.77-3.tmp", ".a.txt.x.tmp", ".b.txt.1.tmp"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let held = Written::new(&path, Access::Usual, |_| Ok(())).unwrap();
        let own = held.new.as_ref().unwrap().0.path.clone();
        put(&path, "new").unwrap();
        assert!(own.exists());
        drop(held);
        assert_eq!(names_in(&folder), [".a.txt.x.tmp", ".b.txt.1.tmp", "a.txt"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn folders_are_removed_unless_they_are_kept() {
        let parent = folder("folders");
        let names = Names::new("build-", "");
        let one = Folder::new(&parent, &names, Access::Private).unwrap();
        let two = Folder::new(&parent, &names, Access::Private).unwrap();
        fs::create_dir(parent.join("build-1-1")).unwrap();
        fs::write(two.path().join("a"), "").unwrap();
        fs::write(parent.join("build-1-1").join("a"), "").unwrap();
        remove_leftovers(&parent, &names);
        assert_eq!(names_in(&parent).len(), 2);
        // A killed process had our number.
        let next =
            1 + one.path().to_str().unwrap().rsplit('-').next().unwrap().parse::<u32>().unwrap();
        for count in next..next + 100 {
            let _ = fs::create_dir(parent.join(format!("build-{}-{count}", process::id())));
        }
        Folder::new(&parent, &names, Access::Private).unwrap();
        remove_leftovers(&parent, &names);
        drop(one);
        two.keep_as(&parent.join("kept")).unwrap();
        assert_eq!(names_in(&parent), ["kept"]);
        fs::remove_dir_all(parent).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_modes_kept() {
        use std::os::unix::fs::symlink;
        let folder = folder("links");
        fs::create_dir(folder.join("far")).unwrap();
        symlink("far/there", folder.join("link")).unwrap();
        put(&folder.join("link"), "one").unwrap();
        let there = folder.join("far/there");
        fs::set_permissions(&there, Permissions::from_mode(0o640)).unwrap();
        put(&folder.join("link"), "two").unwrap();
        assert_eq!(fs::read_to_string(&there).unwrap(), "two");
        assert_eq!(fs::metadata(&there).unwrap().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
        fs::set_permissions(&there, Permissions::from_mode(0o440)).unwrap();
        assert!(put(&there, "three").is_err());
        symlink("loop", folder.join("loop")).unwrap();
        assert!(put(&folder.join("loop"), "").is_err());
        put(Path::new("/dev/null"), "nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert_eq!(names_in(&folder.join("far")), ["there"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
