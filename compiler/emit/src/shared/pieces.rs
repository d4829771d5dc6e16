//! Stores that go to pieces of their buffers, which are brought there later.

use kernel::{Arg, Operand};
use scalar::{Atom, Var};

/// Where the stores of the loop being printed go.
#[derive(Clone)]
pub(crate) struct Pieces {
    /// The index of the loop.
    pub(crate) index: Var,
    /// What it writes.
    pub(crate) buffers: Vec<Arg>,
    /// In the names.
    pub(crate) number: String,
    /// Whether what is stored eight lanes at a time may go past the caches from registers: then
    /// `straight1` says whether it does.
    pub(crate) straight: bool,
}

impl Pieces {
    /// The element that a store changes, if it is one that the pieces hold.
    pub(crate) fn place(&self, buffer: Arg, index: Operand) -> Option<String> {
        let own = index == Atom::Var(self.index);
        own.then(|| self.place_at(buffer, &self.index.to_string())).flatten()
    }
    /// The element for the iteration of this index, if the pieces hold the buffer.
    pub(crate) fn place_at(&self, buffer: Arg, index: &str) -> Option<String> {
        let number = &self.number;
        let own = self.buffers.contains(&buffer);
        own.then(|| format!("to{number}_{buffer}[{index} - base{number}]"))
    }
}
