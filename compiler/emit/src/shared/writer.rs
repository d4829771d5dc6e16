//! Text that grows line by line, indented by its braces.

/// Text under construction.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// One line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }
    /// A line that opens a block: `head {`.
    pub(crate) fn open(&mut self, head: impl AsRef<str>) {
        self.line(format!("{} {{", head.as_ref()));
        self.depth += 1;
    }
    /// Ends one block and opens the next: `} middle {`.
    pub(crate) fn between(&mut self, middle: &str) {
        self.depth -= 1;
        self.open(format!("}} {middle}"));
    }
    /// Ends a block: `}` and what follows it.
    pub(crate) fn close(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(format!("}}{tail}"));
    }
    /// An empty line.
    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }
    /// All of it.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
