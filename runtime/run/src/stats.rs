//! What a run did, in numbers.

use base::Span;
use device::Traffic;
use std::collections::BTreeMap;

/// Totals of a run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    /// Launches.
    pub kernels_run: u64,
    /// Lanes: for each launch, those of its largest space.
    pub lanes: u64,
    /// Elements read or written.  In programs that are compiled to count: by kernels one by one as
    /// they happen (a sort counts as a merge sort), and by the host between them.  In others: the
    /// reads and results of each operation, times its lanes (`plan::touched`).  A slice or an
    /// element of a nested sequence touches no elements, only its start and length.
    pub elements_touched: u64,
    /// Bytes of the vectors that launches read or write, once each.
    pub bytes_moved: u64,
    /// How often memory was asked for.
    pub allocations: u64,
    /// How often that was answered with memory used before.
    pub reused: u64,
    /// What went between host and device.
    pub traffic: Traffic,
    /// By kernel name and number.
    pub kernels: BTreeMap<usize, KernelRow>,
}

/// One kernel.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct KernelRow {
    /// Its name.
    pub name: String,
    /// The source texts that it comes from.
    pub spans: Vec<Span>,
    /// How often it was launched.
    pub launches: u64,
    /// Lanes in all.
    pub lanes: u64,
    /// Elements read or written.
    pub elements_touched: u64,
    /// Seconds in all, when timing is on.
    pub seconds: f64,
}

impl Stats {
    /// Adds what another run did.
    pub fn add(&mut self, other: &Stats) {
        self.kernels_run += other.kernels_run;
        self.lanes += other.lanes;
        self.elements_touched += other.elements_touched;
        self.bytes_moved += other.bytes_moved;
        self.allocations += other.allocations;
        self.reused += other.reused;
        self.traffic.add(&other.traffic);
        for (&number, row) in &other.kernels {
            let sum = self.kernels.entry(number).or_default();
            sum.name.clone_from(&row.name);
            sum.spans.clone_from(&row.spans);
            sum.launches += row.launches;
            sum.lanes += row.lanes;
            sum.elements_touched += row.elements_touched;
            sum.seconds += row.seconds;
        }
    }
}
