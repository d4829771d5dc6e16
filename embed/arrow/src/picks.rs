//! Which rows of an array are taken, and in which order.
//!
//! A whole array or a slice is one run.  List views and dictionaries take rows from anywhere, as
//! often as they like; rows side by side stay together.  A run of nulls takes no rows: its lanes
//! get the value that stands in for nulls.

/// Lanes that lie side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// The row of the first of them; none if they are nulls.
    pub(crate) start: Option<usize>,
    /// How many there are.
    pub(crate) len: usize,
}

/// Runs of rows and nulls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picks {
    runs: Vec<Run>,
    count: usize,
}

impl Picks {
    /// One run.
    pub(crate) fn run(start: usize, len: usize) -> Picks {
        Picks { runs: vec![Run { start: Some(start), len }], count: len }
    }
    /// Takes a run besides.
    pub(crate) fn push(&mut self, start: usize, len: usize) {
        self.add(Run { start: Some(start), len });
    }
    /// Takes nulls besides.
    pub(crate) fn push_nulls(&mut self, len: usize) {
        self.add(Run { start: None, len });
    }
    fn add(&mut self, run: Run) {
        if run.len == 0 {
            return;
        }
        self.count += run.len;
        match self.runs.last_mut() {
            Some(last) if last.start.map(|start| start + last.len) == run.start => {
                last.len += run.len;
            }
            _ => self.runs.push(run),
        }
    }
    /// How many lanes there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
    /// True if rows are taken, and not only nulls.
    pub(crate) fn any_row(&self) -> bool {
        self.runs.iter().any(|run| run.start.is_some() && run.len > 0)
    }
    /// The only run of rows, if there is nothing else.
    pub(crate) fn only(&self) -> Option<(usize, usize)> {
        match self.runs.as_slice() {
            [] => Some((0, 0)),
            [run] => run.start.map(|start| (start, run.len)),
            _ => None,
        }
    }
    /// The runs.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.runs.iter().copied()
    }
    /// The row of each lane, or none for a null.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.runs().flat_map(|run| (0..run.len).map(move |n| run.start.map(|start| start + n)))
    }
    /// The same rows where each is so many, the first of all after so many; nulls are none then.
    pub(crate) fn elements(&self, before: usize, size: usize) -> Picks {
        let mut elements = Picks::default();
        for run in self.runs() {
            if let Some(start) = run.start {
                elements.push((start + before) * size, run.len * size);
            }
        }
        elements
    }
    /// The same lanes, whose rows come after so many others.
    pub(crate) fn behind(&self, before: usize) -> Picks {
        let shift = |run: Run| Run { start: run.start.map(|start| start + before), ..run };
        Picks { runs: self.runs().map(shift).collect(), count: self.count }
    }
}
