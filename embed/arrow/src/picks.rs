//! Which rows of an array are taken, and in which order.
//!
//! A whole array or a slice is one run.  List views and dictionaries take rows from anywhere, as
//! often as they like; rows side by side stay together.

/// Runs of rows: where each begins, and how long it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picks {
    runs: Vec<(usize, usize)>,
    count: usize,
}

impl Picks {
    /// One run.
    pub(crate) fn run(start: usize, len: usize) -> Picks {
        Picks { runs: vec![(start, len)], count: len }
    }
    /// Takes a run besides.
    pub(crate) fn push(&mut self, start: usize, len: usize) {
        if len == 0 {
            return;
        }
        self.count += len;
        match self.runs.last_mut() {
            Some(last) if last.0 + last.1 == start => last.1 += len,
            _ => self.runs.push((start, len)),
        }
    }
    /// How many rows are taken.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
    /// The only run, if there is only one.
    pub(crate) fn only(&self) -> Option<(usize, usize)> {
        match self.runs.as_slice() {
            [] => Some((0, 0)),
            [run] => Some(*run),
            _ => None,
        }
    }
    /// The runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.runs.iter().copied()
    }
    /// All rows, one by one.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.runs().flat_map(|(start, len)| start..start + len)
    }
    /// The same rows where each is so many, the first of all after so many.
    pub(crate) fn scaled(&self, before: usize, size: usize) -> Picks {
        let runs = self.runs().map(|(start, len)| ((start + before) * size, len * size)).collect();
        Picks { runs, count: self.count * size }
    }
}
