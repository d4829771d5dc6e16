//! Pictures: boxes, lines and words as SVG, with one set of styles.

use std::fmt::Write;

/// What is between boxes, and around all.
pub const GAP: usize = 24;
/// From one line of text to the next.
pub const LINE: usize = 18;
/// About how wide a character is.
pub const CHAR: usize = 7;

/// A point, or a width and a height.
pub type Pair = (usize, usize);

/// A picture in the making; what is drawn later covers what was drawn before.
#[derive(Default)]
pub struct Picture {
    body: String,
    width: usize,
    height: usize,
}

impl Picture {
    /// Where the next drawing begins: below all others.
    pub fn end(&self) -> usize {
        self.height.max(GAP)
    }

    /// Makes room up to this point.
    pub fn extend(&mut self, (x, y): Pair) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// A box with its corner at `at`.
    pub fn rect(&mut self, (x, y): Pair, (w, h): Pair, class: &str) {
        let size = format!("width=\"{w}\" height=\"{h}\"");
        let _ =
            writeln!(self.body, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" {size} rx=\"5\"/>");
    }

    /// A line, as SVG describes paths.
    pub fn path(&mut self, path: &str, class: &str) {
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    /// Words that stand on a line that begins at `at`.
    pub fn text(&mut self, (x, y): Pair, class: &str, text: &str) {
        let text = escaped(text);
        let _ = writeln!(self.body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
    }

    /// The text of the picture.
    pub fn finish(self) -> String {
        let Picture { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n{STYLE}{body}</svg>\n"
        )
    }
}

const STYLE: &str = "\
<style>
  text { font: 12px ui-monospace, monospace; fill: #222; }
  .name { font-size: 15px; font-weight: bold; }
  .small, .label { font-size: 10px; fill: #555; }
  .cluster { fill: #eef4fb; stroke: #7fa3cc; }
  .host { fill: #f6f6f6; stroke: #bbb; stroke-dasharray: 2 3; }
  .node { fill: #fff; stroke: #444; }
  .fused { fill: none; stroke: #2a6f3c; stroke-width: 1.5; }
  .memory { fill: none; stroke: #b3541e; stroke-dasharray: 6 4; }
  .given { fill: #f3ead7; stroke: #b08d4a; }
  .made { fill: #e2efe4; stroke: #5b8f68; }
  .step { fill: none; stroke: #ddd; }
</style>
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>
";

/// The first line of a text, cut to so many characters.
pub fn cut(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= most && line == text {
        return line.to_owned();
    }
    line.chars().take(most - 1).chain(['…']).collect()
}

/// Text as XML has it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
