//! A sign of life on a terminal, when something takes over a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two frames.
const TICK: Duration = Duration::from_millis(100);

/// A spinner that appears after a while; none where there is no terminal.
pub(crate) struct Progress {
    shown: Option<Shown>,
}

struct Shown {
    bar: ProgressBar,
    /// Closed to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Something begins.
    pub(crate) fn start(message: &'static str) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { shown: None };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(message);
        let (end, ended) = mpsc::channel::<()>();
        let own = bar.clone();
        let thread = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                own.set_draw_target(ProgressDrawTarget::stderr());
                own.enable_steady_tick(TICK);
                // Until the sender is dropped.
                let _ = ended.recv();
            }
            own.finish_and_clear();
        });
        Progress { shown: Some(Shown { bar, end: Some(end), thread: Some(thread) }) }
    }

    /// Takes the spinner away while something is printed.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Some(shown) => shown.bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A thread that only draws has nothing to say.
            let _ = thread.join();
        }
    }
}
