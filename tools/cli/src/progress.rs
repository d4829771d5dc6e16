//! A sign of life on a terminal, when something takes over a second.
//!
//! It is a line of its own that is drawn over and over.  There is none while a program reads what
//! is typed, nor behind a line that has begun, such as a prompt.  Whoever writes to the terminal
//! takes it away before ([`written`]).

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use value::reading::is_reading;

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two frames.
const TICK: Duration = Duration::from_millis(100);
/// The frames.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Goes to the start of a line and empties it.
const EMPTY: &str = "\r\x1b[2K";

/// The terminal as far as the sign of life needs to know it.
struct Screen {
    /// Whether the sign stands there.
    drawn: bool,
    /// Whether the program has begun a line and not ended it.
    begun: bool,
    /// How many are printing something, during which nothing is drawn.
    aside: usize,
}

static SCREEN: Mutex<Screen> = Mutex::new(Screen { drawn: false, begun: false, aside: 0 });

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    fn erase(&mut self) {
        if std::mem::take(&mut self.drawn) {
            draw(EMPTY);
        }
    }
}

/// If nobody can see it, that does not matter.
fn draw(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// Writes to the terminal what a program prints; the sign of life makes room.
pub(crate) fn written<T>(text: &[u8], write: impl FnOnce() -> T) -> T {
    let mut screen = screen();
    screen.erase();
    if let Some(last) = text.last() {
        screen.begun = *last != b'\n';
    }
    write()
}

/// A spinner that appears after a while; none where there is no terminal.
pub(crate) struct Progress {
    shown: Option<Shown>,
}

struct Shown {
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
        let (end, ended) = mpsc::channel::<()>();
        let start = Instant::now();
        let draw = move || {
            let mut pause = PATIENCE;
            // Until the sender is dropped.
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = TICK;
                frame(message, start.elapsed());
            }
            screen().erase();
        };
        // Without a thread for it there is no spinner.
        let thread = Builder::new().spawn(draw).ok();
        Progress { shown: thread.map(|thread| Shown { end: Some(end), thread: Some(thread) }) }
    }

    /// Takes the spinner away while something is printed.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.shown.is_none() {
            return print();
        }
        let mut before = screen();
        before.erase();
        before.aside += 1;
        drop(before);
        let printed = print();
        screen().aside -= 1;
        printed
    }
}

/// Draws the spinner after so much time, unless the line is not its own.
fn frame(message: &str, elapsed: Duration) {
    let mut screen = screen();
    if screen.begun || screen.aside > 0 || is_reading() {
        screen.erase();
        return;
    }
    screen.drawn = true;
    let frame = FRAMES[elapsed.as_millis() as usize / TICK.as_millis() as usize % FRAMES.len()];
    draw(&format!("{EMPTY}{frame} {message} {}s", elapsed.as_secs()));
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
