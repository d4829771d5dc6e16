//! What a run did, in numbers.

use std::collections::BTreeMap;

/// Totals of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    /// Launches.
    pub kernels_run: u64,
    /// Elements read or written by bulk operations: for each launch, the elements of its spaces.
    pub elements_touched: u64,
    /// Bytes of the vectors that launches read or write, once each.
    pub bytes_moved: u64,
    /// By kernel name and number.
    pub kernels: BTreeMap<usize, KernelRow>,
}

/// One kernel.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct KernelRow {
    /// Its name.
    pub name: String,
    /// How often it was launched.
    pub launches: u64,
    /// Elements in all.
    pub elements: u64,
    /// Seconds in all, when timing is on.
    pub seconds: f64,
}

impl Stats {
    /// Adds what another run did.
    pub fn add(&mut self, other: &Stats) {
        self.kernels_run += other.kernels_run;
        self.elements_touched += other.elements_touched;
        self.bytes_moved += other.bytes_moved;
        for (&number, row) in &other.kernels {
            let sum = self.kernels.entry(number).or_default();
            sum.name.clone_from(&row.name);
            sum.launches += row.launches;
            sum.elements += row.elements;
            sum.seconds += row.seconds;
        }
    }
}
