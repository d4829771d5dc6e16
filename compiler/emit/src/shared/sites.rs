//! The table of fault sites: each check that can fail has a number in the text.

use base::{Site, Span};

/// Numbers for (kind of error, place in the source).
#[derive(Default)]
pub(crate) struct Sites {
    rows: Vec<(Site, Span)>,
}

impl Sites {
    /// The number of this site; the same site twice has one number.
    pub(crate) fn number(&mut self, site: Site, span: Span) -> usize {
        let found = self.rows.iter().position(|row| *row == (site, span));
        found.unwrap_or_else(|| {
            self.rows.push((site, span));
            self.rows.len() - 1
        })
    }
    /// The rows in order of number.
    pub(crate) fn finish(self) -> Vec<(Site, Span)> {
        self.rows
    }
}
