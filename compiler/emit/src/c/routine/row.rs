//! Rows of results: what a routine leaves for its caller.

use prim::layout::levels;
use prim::{Component, Role, Signature};

/// Where things lie in a row of results.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) components: Vec<Component>,
    /// Levels, the root included.
    pub(crate) levels: usize,
}

impl Row {
    pub(crate) fn new(signature: &Signature) -> Row {
        let components = signature.results.clone();
        Row { levels: levels(&components), components }
    }
    /// Words of a row.
    pub(crate) fn words(&self) -> usize {
        self.components.len() + 2 * (self.levels - 1)
    }
    /// The word that counts a level's elements.
    pub(crate) fn count(&self, level: usize) -> usize {
        self.components.len() + level - 1
    }
    /// The word that says where a level's elements start among those of all lanes.
    pub(crate) fn offset(&self, level: usize) -> usize {
        self.count(level) + self.levels - 1
    }
    /// Whether the results are one vector of scalars, which need not be brought together.
    pub(super) fn is_plain(&self) -> bool {
        let roles = self.components.iter().map(|c| c.role);
        roles.eq([Role::Start(1), Role::Len(1), Role::Item])
    }
    /// The number of the component that holds the start or length of a level.
    pub(super) fn find(&self, role: Role) -> usize {
        let found = self.components.iter().position(|c| c.role == role);
        found.unwrap_or_else(|| unreachable!("no component is {role:?}"))
    }
    /// The level that holds the starts and lengths of this one.
    pub(super) fn parent(&self, level: usize) -> usize {
        self.components[self.find(Role::Len(level))].level
    }
}
