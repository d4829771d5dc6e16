//! Choices about arrays that are taken, and about those that are given.

use prim::Widths;

/// How arrays are taken.  Widths by themselves are options, too: nulls are refused then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// How wide the numbers of the values are.
    pub widths: Widths,
    /// The treatment of nulls.
    pub nulls: Nulls,
}

/// The treatment of nulls, which NESL has not.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub enum Nulls {
    /// A null is an error.
    #[default]
    Refuse,
    /// Others take their place.
    Fill(Fill),
}

/// The values that take the place of nulls.  A list or a string that is null becomes an empty one,
/// and all fields of a struct that is null are filled.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Fill {
    /// In place of ints.
    pub int: i64,
    /// In place of floats.
    pub float: f64,
    /// In place of bools.
    pub bool: bool,
}

impl Options {
    /// The values in place of nulls; there are none where they are refused.
    pub(crate) fn fill(self) -> Fill {
        match self.nulls {
            Nulls::Refuse => Fill::default(),
            Nulls::Fill(fill) => fill,
        }
    }
}

impl From<Widths> for Options {
    fn from(widths: Widths) -> Options {
        Options { widths, nulls: Nulls::Refuse }
    }
}

/// How arrays are given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Export {
    /// The layout of lists.
    pub lists: Lists,
    /// True if rows that are no tuples become structs of one field: what takes tables alone takes
    /// structs alone.
    pub table: bool,
}

/// The layout of lists that are given.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lists {
    /// Large lists: an offset before and behind each list.
    #[default]
    Offsets,
    /// Large list views: an offset and a size for each list.
    Views,
}
