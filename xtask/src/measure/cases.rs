//! The table of benchmarks: which NESL program runs on which input, against which baselines.

use std::path::Path;

use crate::data;
use crate::nesl::Call;

/// A workload at one size.
pub(crate) struct Case {
    /// What the table calls it.
    pub(crate) workload: &'static str,
    /// The size as the baselines print it.
    pub(crate) size: &'static str,
    /// The directory below `data/` with a file per parameter.
    pub(crate) input: &'static str,
    /// The file in `benches/programs`.
    pub(crate) program: &'static str,
    /// The function in it.
    pub(crate) entry: &'static str,
    /// Its parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Programs of `benches/baselines`; those in Python end with `.py`.
    pub(crate) baselines: &'static [&'static str],
    /// What the names of the baselines' results begin with.
    pub(crate) prefix: &'static str,
    /// Whether it takes long and much memory.
    pub(crate) large: bool,
    /// Whether our ints have 32 bits, as those of the baselines.
    pub(crate) narrow: bool,
}

impl Case {
    /// The workload and the size.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.workload, self.size)
    }

    /// The call of our program, whose input is written if it is not there.
    pub(crate) fn call(&self, repeat: usize) -> anyhow::Result<Call> {
        let input = data::directory(self.input)?;
        let argument = |name: &&str| {
            let kind = if *name == "matrix" { "mtx" } else { "npy" };
            format!("{name}={}/{name}.{kind}", input.display())
        };
        Ok(Call {
            program: Path::new("benches/programs").join(self.program),
            entry: self.entry.to_owned(),
            arguments: self.parameters.iter().map(argument).collect(),
            repeat,
            output: None,
            cache: None,
            fusion: None,
            narrow: self.narrow,
        })
    }
}

/// All cases, in the order of the table.
pub(crate) const CASES: &[Case] = &[
    Case { size: "10M", input: "dot-10M", large: false, ..DOT },
    Case { size: "100M", input: "dot-100M", large: true, ..DOT },
    Case { size: "10M", input: "sum-10M", large: false, ..SUM },
    Case { size: "100M", input: "sum-100M", large: true, ..SUM },
    Case { size: "100M", input: "sum-100M", large: true, ..MOMENTS },
    Case { size: "100M", input: "sum-100M", large: true, ..SUM_FILTER },
    Case { size: "10M", input: "muladd-10M", large: false, ..MULADD },
    Case { size: "100M", input: "muladd-100M", large: true, ..MULADD },
    Case { size: "10M", input: "scan-10M", large: false, ..SCAN },
    Case { size: "100M", input: "scan-100M", large: true, ..SCAN },
    Case { size: "10M", input: "filter-10M", large: false, ..FILTER },
    Case { size: "100M", input: "filter-100M", large: true, ..FILTER },
    SEGSUM,
    Case { workload: "segsum-int32", narrow: true, ..SEGSUM },
    SPMV,
    Case { workload: "spmv-int32", narrow: true, ..SPMV },
    BLACKSCHOLES,
    Case { size: "1M", input: "sort-1M", large: false, ..SORT },
    Case { size: "16M", input: "sort-16M", large: true, ..SORT },
    Case { size: "1M", input: "sort-1M", large: false, ..QUICKSORT },
    Case { size: "16M", input: "sort-16M", large: true, ..QUICKSORT },
    Case { size: "1M", input: "few-1M", large: false, ..QUICKSORT_FEW },
    Case { size: "16M", input: "few-16M", large: true, ..QUICKSORT_FEW },
    Case { size: "500K", input: "disk-500K", large: false, ..HULL },
    Case { size: "5M", input: "disk-5M", large: false, ..HULL },
];

const DOT: Case = Case {
    workload: "dot",
    size: "10M",
    input: "dot-10M",
    program: "dot.nesl",
    entry: "dot",
    parameters: &["a", "b"],
    baselines: &["dot"],
    prefix: "dot.f64.",
    large: false,
    narrow: false,
};

const SUM: Case = Case {
    workload: "sum",
    program: "sum.nesl",
    entry: "total",
    parameters: &["a"],
    baselines: &["sum"],
    prefix: "sum.f64.",
    ..DOT
};

/// Two sums in one pass, against one.
const MOMENTS: Case =
    Case { workload: "moments", program: "moments.nesl", entry: "moments", ..SUM };

/// A sum of what is kept, against a sum of all.
const SUM_FILTER: Case =
    Case { workload: "sum-of-filter", program: "sum-filter.nesl", entry: "above", ..SUM };

const MULADD: Case = Case {
    workload: "muladd",
    program: "muladd.nesl",
    entry: "muladd",
    parameters: &["x", "y", "z"],
    baselines: &["muladd"],
    prefix: "muladd.f64.",
    ..DOT
};

const SCAN: Case = Case {
    workload: "scan",
    program: "scan.nesl",
    entry: "prefix",
    parameters: &["a"],
    baselines: &["scan"],
    prefix: "scan.i64.",
    ..DOT
};

const FILTER: Case = Case {
    workload: "filter",
    program: "filter.nesl",
    entry: "evens",
    parameters: &["a"],
    baselines: &["filter"],
    prefix: "filter.i64.",
    ..DOT
};

const SEGSUM: Case = Case {
    workload: "segsum",
    size: "10M/1M",
    input: "matrix-1M",
    program: "segsum.nesl",
    entry: "sums",
    parameters: &["matrix"],
    baselines: &["segsum"],
    prefix: "segsum.f64.",
    large: false,
    narrow: false,
};

const SPMV: Case = Case {
    workload: "spmv",
    size: "1Mx10",
    input: "matrix-1M",
    program: "spmv.nesl",
    entry: "multiply",
    parameters: &["matrix", "x"],
    baselines: &["spmv"],
    prefix: "spmv.f64.",
    large: false,
    narrow: false,
};

const BLACKSCHOLES: Case = Case {
    workload: "blackscholes",
    size: "10M",
    input: "blackscholes-10M",
    program: "blackscholes.nesl",
    entry: "prices",
    parameters: &["spot", "strike", "years", "rate", "volatility"],
    baselines: &["blackscholes", "blackscholes_poly"],
    prefix: "blackscholes.f64.",
    large: false,
    narrow: false,
};

const SORT: Case = Case {
    workload: "sort",
    program: "sort.nesl",
    entry: "sorted",
    parameters: &["keys"],
    baselines: &["sort", "sort.py"],
    prefix: "sort.i64.",
    ..DOT
};

const QUICKSORT: Case = Case {
    workload: "quicksort",
    program: "quicksort.nesl",
    entry: "quicksort",
    parameters: &["keys"],
    baselines: &["quicksort"],
    prefix: "quicksort.i64.",
    ..DOT
};

const QUICKSORT_FEW: Case =
    Case { workload: "quicksort-few", prefix: "quicksort.i64-0..99.", ..QUICKSORT };

const HULL: Case = Case {
    workload: "hull",
    program: "hull.nesl",
    entry: "hull",
    parameters: &["points"],
    baselines: &["hull"],
    prefix: "hull.f64.",
    ..DOT
};
