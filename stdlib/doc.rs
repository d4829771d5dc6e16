//! What is documented of a name: text, cost and examples, read from documentation strings.
//!
//! ```text
//! function count(v) : [bool] -> int
//!   "number of T
//!    cost: n / 1
//!    example: count([t, f, t]) ==> 2"
//!   = ...
//! ```
//!
//! The text comes first.  A line that begins with one of these words and a colon begins something
//! else, which goes on to the next such line:
//!
//! | word | what follows |
//! |---|---|
//! | `cost` | work / depth, as in LIBRARY |
//! | `example` | an expression, `==>`, and its value as it is printed, or `fails (site)` |
//! | `prints` | what the example before it prints, without white space at the ends |
//! | `status` | `extended` or `new`, for the library |
//!
//! This is the only reader of them.  Programs document their functions in the same way.

use prim::{Primitive, Status};
use types::tree::{Definition, DefinitionKind};

/// What is documented of a name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Doc {
    /// What it is, in lines.
    pub text: String,
    /// What it costs.
    pub cost: Option<Cost>,
    /// Examples, in order.
    pub examples: Vec<Example>,
    /// Whether every implementation has it.
    pub status: Status,
}

/// Work and depth in the model of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Number of operations, such as `n log n`.
    pub work: String,
    /// Longest chain of them.
    pub depth: String,
}

/// An expression and what comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The expression.
    pub input: String,
    /// What it gives; nothing if that is different each time.
    pub gives: Option<Gives>,
    /// What it prints, without white space at the ends.
    pub prints: Option<String>,
}

/// What an example gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gives {
    /// A value, as it is printed.
    Value(String),
    /// An error of this kind (LANGUAGE 11), such as `index`.
    Failure(String),
}

/// Between an example and what it gives.
const GIVES: &str = "==>";

impl Doc {
    /// Reads a documentation string.
    pub fn parse(string: &str) -> Doc {
        let mut doc = Doc::default();
        let mut lines = string.lines().map(str::trim).peekable();
        let mut text = Vec::new();
        while let Some(line) = lines.next_if(|line| keyed(line).is_none()) {
            text.push(line);
        }
        doc.text = text.join("\n").trim().to_owned();
        while let Some((word, start)) = lines.next().and_then(keyed) {
            let mut entry = start.to_owned();
            while let Some(line) = lines.next_if(|line| keyed(line).is_none()) {
                entry = format!("{entry} {line}");
            }
            doc.enter(word, entry.trim());
        }
        doc
    }

    /// The documentation of a primitive.
    pub fn of_primitive(row: &Primitive) -> Doc {
        let mut doc = Doc { text: row.doc.to_owned(), status: row.status, ..Doc::default() };
        doc.enter("cost", row.cost);
        for line in row.examples.lines() {
            let (word, entry) = keyed(line).unwrap_or(("example", line));
            doc.enter(word, entry);
        }
        doc
    }

    fn enter(&mut self, word: &str, entry: &str) {
        match word {
            "cost" => self.cost = Some(Cost::parse(entry)),
            "example" => self.examples.push(Example::parse(entry)),
            "prints" => {
                if let Some(example) = self.examples.last_mut() {
                    example.prints = Some(entry.to_owned());
                }
            }
            "status" if entry == "extended" => self.status = Status::Extended,
            "status" if entry == "new" => self.status = Status::New,
            _ => {}
        }
    }

    /// Everything for people, in lines: text, cost, examples.
    pub fn lines(&self) -> Vec<String> {
        let text = self.text.lines().map(str::to_owned);
        let cost = self.cost.iter().map(Cost::to_string);
        let examples = self.examples.iter().map(Example::to_string);
        text.chain(cost).chain(examples).collect()
    }
}

/// The word that begins a line, and the rest of the line.
fn keyed(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once(':')?;
    ["cost", "example", "prints", "status"].contains(&word).then(|| (word, rest.trim_start()))
}

impl Cost {
    fn parse(entry: &str) -> Cost {
        let (work, depth) = entry.split_once(" / ").unwrap_or((entry, ""));
        Cost { work: work.trim().to_owned(), depth: depth.trim().to_owned() }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cost { work, depth } = self;
        if depth.is_empty() {
            write!(f, "cost {work}")
        } else {
            write!(f, "work {work}, depth {depth}")
        }
    }
}

impl Example {
    fn parse(entry: &str) -> Example {
        let Some((input, gives)) = entry.rsplit_once(GIVES) else {
            return Example { input: entry.to_owned(), gives: None, prints: None };
        };
        let gives = gives.trim();
        let failure = gives.strip_prefix("fails (").and_then(|rest| rest.strip_suffix(')'));
        let gives = match failure {
            Some(site) => Gives::Failure(site.to_owned()),
            None => Gives::Value(gives.to_owned()),
        };
        Example { input: input.trim().to_owned(), gives: Some(gives), prints: None }
    }
}

impl std::fmt::Display for Example {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.input)?;
        if let Some(gives) = &self.gives {
            write!(f, " {GIVES} {gives}")?;
        }
        if let Some(prints) = &self.prints {
            write!(f, ", prints {prints}")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Gives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Gives::Value(value) => f.write_str(value),
            Gives::Failure(site) => write!(f, "fails ({site})"),
        }
    }
}

/// What is documented of a definition that is known by this name.
pub fn documentation(name: &str, definition: &Definition) -> Option<Doc> {
    let also = || super::also::ALSO.iter().find(|(known, _)| *known == name);
    match definition.kind {
        DefinitionKind::Primitive(prim) if definition.name == name => {
            Some(Doc::of_primitive(Primitive::of(prim)))
        }
        _ => match also().filter(|_| definition.library) {
            Some((_, string)) => Some(Doc::parse(string)),
            None => definition.doc.as_deref().map(Doc::parse),
        },
    }
}
