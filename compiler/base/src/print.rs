//! Printing of textual IRs, and errors shown under the lines that they are about.
//!
//! The *items* of an IR — functions, statements, yields — are numbered in the order of its text.
//! A verifier counts them as it walks, a printer marks the line of each with [`Printer::item`].  So
//! an [`Error`] finds its line although neither knows of the other.

use std::fmt;

/// A broken rule of an IR: a bug of the pass before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The number of the item at fault.
    pub item: usize,
    /// Its name in the text, such as `v3`.
    pub entity: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.entity, self.message)
    }
}

/// Lines of IR text under construction.
#[derive(Clone, Default, Debug)]
pub struct Printer {
    lines: Vec<String>,
    depth: usize,
    /// The line of each item.
    items: Vec<usize>,
}

impl Printer {
    /// No lines yet.
    pub fn new() -> Printer {
        Printer::default()
    }
    /// Says that the next line is that of the next item.
    pub fn item(&mut self) {
        self.items.push(self.lines.len());
    }
    /// Numbers `count` items whose lines come later, in any order; gives the first number.
    pub fn reserve(&mut self, count: usize) -> usize {
        let first = self.items.len();
        self.items.resize(first + count, self.lines.len());
        first
    }
    /// Says that the next line is that of a reserved item.
    pub fn mark(&mut self, item: usize) {
        self.items[item] = self.lines.len();
    }
    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        let indent = if text.is_empty() { 0 } else { 2 * self.depth };
        self.lines.push(format!("{:indent$}{text}", ""));
    }
    /// Adds a line and indents those after it.
    pub fn open(&mut self, text: &str) {
        self.line(text);
        self.indent();
    }
    /// Indents the lines after this.
    pub fn indent(&mut self) {
        self.depth += 1;
    }
    /// Ends the last indentation and adds a line.
    pub fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }
    /// How many columns are left on a line of the usual width.
    pub fn room(&self) -> usize {
        100_usize.saturating_sub(2 * self.depth)
    }
    /// The text, a newline after each line.
    pub fn text(&self) -> String {
        self.text_with(&[])
    }
    /// The text with each error as a comment under the line of its item.
    pub fn text_with(&self, errors: &[Error]) -> String {
        let mut text = String::new();
        for (number, line) in self.lines.iter().enumerate() {
            text.push_str(line);
            text.push('\n');
            let indent = line.len() - line.trim_start().len();
            for error in errors {
                let last = self.lines.len().saturating_sub(1);
                if self.items.get(error.item).map_or(last, |&l| l.min(last)) == number {
                    text.push_str(&format!("{:indent$}-- error: {error}\n", ""));
                }
            }
        }
        text
    }
}

/// Things one after the other, `separator` between them.
pub fn join<T: fmt::Display>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    items.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stand_under_their_lines() {
        let mut printer = Printer::new();
        printer.item();
        printer.open("fn f0 {");
        let spaces = printer.reserve(1);
        printer.item();
        printer.line("v0 = 1");
        printer.mark(spaces);
        printer.line("s1 = v0");
        printer.close("}");
        let error = |item| Error { item, entity: format!("e{item}"), message: "is wrong".into() };
        let text = printer.text_with(&[error(0), error(1), error(2), error(9)]);
        let expected = "fn f0 {
-- error: e0: is wrong
  v0 = 1
  -- error: e2: is wrong
  s1 = v0
  -- error: e1: is wrong
}
-- error: e9: is wrong
";
        assert_eq!(text, expected);
    }
}
