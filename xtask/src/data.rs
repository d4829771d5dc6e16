//! `cargo xtask data`: the inputs of the benchmarks.
//!
//! Each workload at each size has a directory, `data/dot-10M`, with a file per parameter of its
//! NESL program. The numbers are those that the baselines make up for themselves, so both sides
//! work on the same input.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::random::{bits, unit};
use crate::{npy, root, size};

/// What to write.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Workloads, as `dot`, or with a size of your own, as `dot-3M`; all if none is named
    names: Vec<String>,
    /// Also the large sizes of the workloads
    #[arg(long)]
    large: bool,
}

/// A kind of input.
struct Workload {
    name: &'static str,
    usual: &'static [u64],
    large: &'static [u64],
    write: fn(&Inputs, u64) -> anyhow::Result<()>,
}

const M: u64 = 1_000_000;

/// All workloads.
const WORKLOADS: &[Workload] = &[
    Workload { name: "dot", usual: &[10 * M], large: &[100 * M], write: dot },
    Workload { name: "sum", usual: &[10 * M], large: &[100 * M], write: sum },
    Workload { name: "muladd", usual: &[10 * M], large: &[100 * M], write: muladd },
    Workload { name: "scan", usual: &[10 * M], large: &[100 * M], write: scan },
    Workload { name: "filter", usual: &[10 * M], large: &[100 * M], write: filter },
    Workload { name: "segsum", usual: &[M], large: &[], write: segsum },
    Workload { name: "spmv", usual: &[M], large: &[], write: spmv },
    Workload { name: "matrix", usual: &[1000], large: &[], write: matrix },
    Workload { name: "blackscholes", usual: &[10 * M], large: &[], write: blackscholes },
    Workload { name: "sort", usual: &[M], large: &[16 * M], write: sort },
    Workload { name: "few", usual: &[M], large: &[16 * M], write: few },
    Workload { name: "disk", usual: &[M / 2, 5 * M], large: &[], write: disk },
];

/// Runs the task.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.names.is_empty() {
        for workload in WORKLOADS {
            write_sizes(workload, options.large)?;
        }
    }
    for name in &options.names {
        match WORKLOADS.iter().find(|w| w.name == name) {
            Some(workload) => write_sizes(workload, options.large)?,
            None => {
                println!("{}", directory(name)?.display());
            }
        }
    }
    Ok(())
}

fn write_sizes(workload: &Workload, large: bool) -> anyhow::Result<()> {
    let more = if large { workload.large } else { &[] };
    for &n in workload.usual.iter().chain(more) {
        println!("{}", directory(&format!("{}-{}", workload.name, size::name(n)))?.display());
    }
    Ok(())
}

/// The directory of an input such as `dot-10M`, whose files are written if they are not there.
pub(crate) fn directory(name: &str) -> anyhow::Result<PathBuf> {
    let (workload, n) = name
        .rsplit_once('-')
        .and_then(|(w, n)| Some((WORKLOADS.iter().find(|x| x.name == w)?, size::parse(n)?)))
        .with_context(|| format!("no input is called {name}"))?;
    let inputs = Inputs { directory: root().join("data").join(name) };
    fs::create_dir_all(&inputs.directory)?;
    (workload.write)(&inputs, n)?;
    Ok(inputs.directory)
}

/// A directory that is being filled.
struct Inputs {
    directory: PathBuf,
}

impl Inputs {
    /// Writes a vector of n elements, unless it is there.
    fn vector<T: npy::Element>(
        &self,
        name: &str,
        n: u64,
        element: impl Fn(u64) -> T,
    ) -> anyhow::Result<()> {
        self.array(name, &[n], (0..n).map(element))
    }

    /// Writes an array, unless it is there.
    fn array<T: npy::Element>(
        &self,
        name: &str,
        shape: &[u64],
        elements: impl Iterator<Item = T>,
    ) -> anyhow::Result<()> {
        let path = self.directory.join(name).with_extension("npy");
        if path.exists() {
            return Ok(());
        }
        npy::write(&path, shape, elements).with_context(|| failed(&path))
    }
}

fn failed(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn dot(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("a", n, unit)?;
    to.vector("b", n, |i| unit(i + (1 << 40)))
}

fn sum(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("a", n, unit)
}

fn muladd(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("x", n, unit)?;
    to.vector("y", n, |i| unit(i + 1))?;
    to.vector("z", n, |i| unit(i + 2))
}

fn scan(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("a", n, |i| (bits(i) & 255) as i64)
}

fn filter(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("a", n, key)
}

/// A key of 63 random bits.
fn key(i: u64) -> i64 {
    (bits(i) >> 1) as i64
}

/// Lengths of n segments after Pareto's law with exponent 1.5, ten on average.
fn lengths(n: u64) -> impl Iterator<Item = i64> {
    (0..n).map(|i| ((10.0 / 3.0 * unit(i + 7).powf(-1.0 / 1.5)) as i64).min(100_000))
}

fn segsum(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.array("lengths", &[n], lengths(n))?;
    to.vector("values", lengths(n).sum::<i64>() as u64, unit)
}

fn spmv(to: &Inputs, n: u64) -> anyhow::Result<()> {
    let entries = lengths(n).sum::<i64>() as u64;
    to.array("lengths", &[n], lengths(n))?;
    to.vector("columns", entries, |i| column(i, n))?;
    to.vector("values", entries, value)?;
    to.vector("x", n, |i| unit(i + (3 << 41)))
}

/// The column of entry i of a matrix with n columns.
fn column(i: u64, n: u64) -> i64 {
    (bits(i + (1 << 41)) % n) as i64
}

/// The value of entry i of a matrix.
fn value(i: u64) -> f64 {
    unit(i + (2 << 41))
}

/// A small sparse matrix like that of `spmv` as a Matrix Market file; no entry comes twice.
fn matrix(to: &Inputs, n: u64) -> anyhow::Result<()> {
    let path = to.directory.join("matrix.mtx");
    if path.exists() {
        return Ok(());
    }
    if n == 0 {
        bail!("a matrix has at least one row");
    }
    let mut entries = Vec::new();
    let mut first = 0;
    for (row, length) in (1..).zip(lengths(n)) {
        let end = first + length as u64;
        let mut columns: Vec<i64> = (first..end).map(|i| column(i, n) + 1).collect();
        columns.sort_unstable();
        columns.dedup();
        entries.extend(columns.into_iter().zip(first..).map(|(c, i)| (row, c, value(i))));
        first = end;
    }
    let mut text = "%%MatrixMarket matrix coordinate real general\n".to_owned();
    text += &format!("{n} {n} {}\n", entries.len());
    text.extend(entries.iter().map(|(r, c, v): &(u64, i64, f64)| format!("{r} {c} {v}\n")));
    fs::write(&path, text).with_context(|| failed(&path))
}

fn blackscholes(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("spot", n, |i| 100.0 * unit(i) + 1e-3)?;
    to.vector("strike", n, |i| 100.0 * unit(i + (1 << 40)) + 1e-3)?;
    to.vector("years", n, |i| unit(i + (2 << 40)) + 1e-3)?;
    to.vector("rate", n, |i| 0.05 * unit(i + (3 << 40)))?;
    to.vector("volatility", n, |i| 0.4 * unit(i + (4 << 40)) + 1e-2)
}

fn sort(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("keys", n, key)
}

/// Keys with few different values.
fn few(to: &Inputs, n: u64) -> anyhow::Result<()> {
    to.vector("keys", n, |i| (bits(i) % 100) as i64)
}

/// Points spread evenly over the unit disk, a row each.
fn disk(to: &Inputs, n: u64) -> anyhow::Result<()> {
    let point = |i| {
        let radius = unit(2 * i).sqrt();
        let angle = 2.0 * std::f64::consts::PI * unit(2 * i + 1);
        [radius * angle.cos(), radius * angle.sin()]
    };
    to.array("points", &[n, 2], (0..n).flat_map(point))
}
