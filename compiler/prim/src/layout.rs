//! Layouts: which vectors a value consists of once it is flat.
//!
//! A value is a list of *components*.  A scalar is one; a sequence is a start, a length and the
//! components of its elements.  Components belong to *levels*: level 0 is the value itself, and
//! each sequence type in it opens a level, numbered from 1 in the order of the text of the type.
//!
//! ```text
//! [float]            start 0 1, len 0 1, item 1
//! ([[int]], bool)    start 0 1, len 0 1, start 1 2, len 1 2, item 2, item 0
//! ```
//!
//! A component of level 0 is a scalar; of any other level, a vector over all elements of the level.
//! Elements of level `q` that belong to one element of its parent lie at the start and length that
//! the components `start p q` and `len p q` give; not all elements need belong to one.

use base::text::{Reader, Result};
use std::fmt;

/// What a component holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Scalars of the value.
    Item,
    /// Where the elements of a level start.
    Start(usize),
    /// How many elements of a level there are.
    Len(usize),
    /// A vector that all lanes write to, each where it is told to; a result is the parameter.
    Into,
}

/// One component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// The level that it has an element for.
    pub level: usize,
    /// What it holds.
    pub role: Role,
}

/// The components of a function's parameters and of its results.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Of all parameters, in order.
    pub params: Vec<Component>,
    /// Of the result.
    pub results: Vec<Component>,
}

/// How many levels there are, level 0 included.
pub fn levels(components: &[Component]) -> usize {
    let child = |c: &Component| match c.role {
        Role::Item | Role::Into => 0,
        Role::Start(child) | Role::Len(child) => child,
    };
    components.iter().map(child).max().unwrap_or(0) + 1
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.role {
            Role::Item => write!(f, "item {}", self.level),
            Role::Into => write!(f, "into {}", self.level),
            Role::Start(child) => write!(f, "start {} {child}", self.level),
            Role::Len(child) => write!(f, "len {} {child}", self.level),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |components: &[Component]| {
            components.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        write!(f, "({}) to ({})", list(&self.params), list(&self.results))
    }
}

/// Takes what `Display` writes.
pub fn read_signature(reader: &mut Reader) -> Result<Signature> {
    let params = components(reader)?;
    reader.expect_word("to")?;
    Ok(Signature { params, results: components(reader)? })
}

fn components(reader: &mut Reader) -> Result<Vec<Component>> {
    let mut list = Vec::new();
    reader.expect("(")?;
    while !reader.eat(")") {
        if !list.is_empty() {
            reader.expect(",")?;
        }
        let word = reader.word()?;
        let level = reader.integer()?;
        let role = match word.as_str() {
            "item" => Role::Item,
            "into" => Role::Into,
            "start" => Role::Start(reader.integer()?),
            "len" => Role::Len(reader.integer()?),
            _ => return reader.expected("item, start or len"),
        };
        list.push(Component { level, role });
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back() {
        let text = "(item 0) to (start 0 1, len 0 1, start 1 2, len 1 2, item 2, item 0)";
        let signature = read_signature(&mut Reader::new(text).unwrap()).unwrap();
        assert_eq!(signature.to_string(), text);
        assert_eq!(levels(&signature.params), 1);
        assert_eq!(levels(&signature.results), 3);
    }
}
