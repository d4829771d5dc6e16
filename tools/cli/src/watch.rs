//! Waiting for a file to change.
//!
//! The file is looked at a few times a second.  Notices of the system would come sooner, but
//! editors put a new file in the place of the old one, folders lie on other machines, and a look
//! costs nothing.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

/// How long a look is away from the next.
const PAUSE: Duration = Duration::from_millis(150);

/// After so many looks without it a file is gone, and not one that an editor is about to replace.
const GONE: u32 = 4;

/// What tells one state of a file from another; none while there is no file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seen(Option<(SystemTime, u64)>);

impl Seen {
    /// The present state.
    pub(crate) fn of(file: &Path) -> Seen {
        let data = fs::metadata(file).ok();
        Seen(data.and_then(|data| Some((data.modified().ok()?, data.len()))))
    }

    /// Waits until the file is another one, or gone for a while; gives its state.
    pub(crate) fn next(&self, file: &Path) -> Seen {
        let mut last = self.clone();
        let mut looks = 0;
        loop {
            thread::sleep(PAUSE);
            let now = Seen::of(file);
            // What is being written has another state at the next look.
            looks = if now == last { looks + 1 } else { 0 };
            let enough = if now.0.is_some() { 1 } else { GONE };
            if now != *self && looks >= enough {
                return now;
            }
            last = now;
        }
    }
}
