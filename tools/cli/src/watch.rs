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

/// What tells one state of a file from another; none while there is no file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seen(Option<(SystemTime, u64)>);

impl Seen {
    /// The present state.
    pub(crate) fn of(file: &Path) -> Seen {
        let data = fs::metadata(file).ok();
        Seen(data.and_then(|data| Some((data.modified().ok()?, data.len()))))
    }

    /// Waits until the file is another one, and there; gives its state.
    pub(crate) fn next(&self, file: &Path) -> Seen {
        let mut last = self.clone();
        loop {
            thread::sleep(PAUSE);
            let now = Seen::of(file);
            // What is being written has another state at the next look.
            if now != *self && now == last && now.0.is_some() {
                return now;
            }
            last = now;
        }
    }
}
