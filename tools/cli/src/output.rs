//! Standard output, and where the cursor of a terminal is after it.  When nobody reads it any more,
//! as in `nesl run … | head`, the command ends without a word.

use crate::progress;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process;

/// Standard output, buffered.
pub(crate) struct Output(io::BufWriter<Seen>);

/// Standard output, which may be a terminal that others draw on.
struct Seen {
    stdout: io::Stdout,
    terminal: bool,
}

impl Write for Seen {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if !self.terminal {
            return self.stdout.write(text);
        }
        progress::written(text, || {
            self.stdout.write_all(text)?;
            self.stdout.flush()?;
            Ok(text.len())
        })
    }
    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

impl Output {
    /// A writer; several of them are to be flushed before another one writes.
    pub(crate) fn new() -> Output {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        Output(io::BufWriter::new(Seen { stdout, terminal }))
    }
}

impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let written = end_when_broken(self.0.write(text))?;
        // Who sits at a terminal sees what is printed when it is printed.
        if self.0.get_ref().terminal {
            self.flush()?;
        }
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        end_when_broken(self.0.flush())
    }
}

fn end_when_broken<T>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => process::exit(0),
        other => other,
    }
}

/// Prints text on standard output; tells whether that was possible.
pub(crate) fn print(text: &[u8]) -> io::Result<()> {
    let mut output = Output::new();
    output.write_all(text)?;
    output.flush()
}
