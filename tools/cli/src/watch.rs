//! Waiting for files to change.
//!
//! They are looked at a few times a second.  Notices of the system would come sooner, but
//! editors put a new file in the place of the old one, folders lie on other machines, and a look
//! costs nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

/// How long a look is away from the next.
const PAUSE: Duration = Duration::from_millis(150);

/// After so many looks without it a file is gone, and not one that an editor is about to replace.
const GONE: u32 = 4;

/// What tells one state of a file from another; none while there is no file.
type State = Option<(SystemTime, u64)>;

/// Files and their states.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seen(Vec<(PathBuf, State)>);

impl Seen {
    /// The present state of a file.
    pub(crate) fn of(file: &Path) -> Seen {
        Seen(vec![(file.to_owned(), state(file))])
    }

    /// Goes on with the first of the files and these, in the states that are known or else in the
    /// present ones.
    pub(crate) fn with(mut self, files: &[PathBuf]) -> Seen {
        let known = self.0.split_off(1);
        for file in files {
            let before = known.iter().find(|(path, _)| path == file);
            self.0.push(before.cloned().unwrap_or_else(|| (file.clone(), state(file))));
        }
        self
    }

    /// Waits until a file is another one, or gone for a while; gives the new states.
    pub(crate) fn next(&self) -> Seen {
        let mut last = self.clone();
        let mut looks = 0;
        loop {
            thread::sleep(PAUSE);
            let now = Seen(self.0.iter().map(|(file, _)| (file.clone(), state(file))).collect());
            // What is being written has another state at the next look.
            looks = if now == last { looks + 1 } else { 0 };
            let pairs = || self.0.iter().zip(&now.0).map(|((_, before), (_, now))| (before, now));
            let gone = pairs().any(|(before, now)| before.is_some() && now.is_none());
            let enough = if gone { GONE } else { 1 };
            if now != *self && looks >= enough {
                return now;
            }
            last = now;
        }
    }
}

fn state(file: &Path) -> State {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}
