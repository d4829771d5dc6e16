//! Standard output.  When nobody reads it any more, as in `nesl run … | head`, the command ends
//! without a word.

use std::io::{self, ErrorKind, Write};
use std::process;

/// Standard output, buffered.
pub(crate) struct Output(io::BufWriter<io::Stdout>);

impl Output {
    /// A writer; several of them are to be flushed before another one writes.
    pub(crate) fn new() -> Output {
        Output(io::BufWriter::new(io::stdout()))
    }
}

impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        end_when_broken(self.0.write(text))
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
