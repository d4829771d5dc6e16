//! Text that grows line by line, indented by its braces.

/// Lines should be no longer than this.
const WIDTH: usize = 100;
/// Blocks deeper than this are indented no further, or indentation would be most of the text.
const DEEPEST: usize = 30;

/// Text under construction.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// An empty text that will be the body of a function.
    pub(crate) fn body() -> Writer {
        Writer { text: String::new(), depth: 1 }
    }
    /// An empty text that will stand here.
    pub(crate) fn inside(&self) -> Writer {
        Writer { text: String::new(), depth: self.depth }
    }
    /// One line, broken after commas where it is too long.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let mut rest = text.as_ref();
        let own = 2 * self.depth.min(DEEPEST);
        let mut indent = own;
        // A directive ends with its line.
        while indent + rest.len() > WIDTH && !rest.starts_with('#') {
            let room = rest.len().min(WIDTH.saturating_sub(indent));
            let Some(comma) = rest.as_bytes()[..room].windows(2).rposition(|w| w == b", ") else {
                break;
            };
            self.indented(indent, &rest[..=comma]);
            rest = &rest[comma + 2..];
            indent = own + 4;
        }
        self.indented(indent, rest);
    }
    fn indented(&mut self, indent: usize, text: &str) {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(text);
        self.text.push('\n');
    }
    /// A line that opens a block: `head {`.
    pub(crate) fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.line(if head.is_empty() { "{".to_owned() } else { format!("{head} {{") });
        self.depth += 1;
    }
    /// Ends one block and opens the next: `} middle {`.
    pub(crate) fn between(&mut self, middle: &str) {
        self.depth -= 1;
        self.open(format!("}} {middle}"));
    }
    /// How much text there is.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }
    /// Takes back a block that was opened after so much text and has nothing in it yet.
    pub(crate) fn take_back(&mut self, len: usize) {
        self.text.truncate(len);
    }
    /// Ends a block: `}` and what follows it.
    pub(crate) fn close(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(format!("}}{tail}"));
    }
    /// A label, which stands to the left of its block.
    pub(crate) fn label(&mut self, text: &str) {
        self.indented(0, text);
    }
    /// Lines of another text, indented as they are.
    pub(crate) fn append(&mut self, other: &Writer) {
        self.text.push_str(&other.text);
    }
    /// Lines as they are.
    pub(crate) fn lines(&mut self, text: &str) {
        self.text.push_str(text);
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
