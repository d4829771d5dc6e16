//! Where what was typed is kept.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The file given, else the one that `NESL_HISTORY` names, else `nesl/history` where the user's
/// programs keep their state.  None if the name is empty, and if there is no such place.
pub(super) fn file(given: Option<&Path>) -> Option<PathBuf> {
    let named =
        given.map(|path| path.as_os_str().to_owned()).or_else(|| env::var_os("NESL_HISTORY"));
    let file = choose(named, usual)?;
    // Without the folder nothing is kept, which is no reason to refuse work.
    let _ = file.parent().map(fs::create_dir_all);
    Some(file)
}

fn choose(named: Option<OsString>, usual: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    match named {
        Some(name) => Some(PathBuf::from(name)).filter(|path| !path.as_os_str().is_empty()),
        None => usual(),
    }
}

/// `$XDG_STATE_HOME/nesl/history`, or what comes closest on this system.
fn usual() -> Option<PathBuf> {
    let project = directories::ProjectDirs::from("", "", "nesl")?;
    Some(project.state_dir().unwrap_or_else(|| project.data_local_dir()).join("history"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_comes_first() {
        let usual = || Some(PathBuf::from("usual"));
        assert_eq!(choose(Some("mine".into()), usual), Some(PathBuf::from("mine")));
        assert_eq!(choose(Some("".into()), usual), None);
        assert_eq!(choose(None, usual), usual());
    }
}
