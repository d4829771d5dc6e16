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
