//! `cargo xtask data`: the inputs of the benchmarks, and of the examples at full size.
//!
//! Each workload at each size has a directory, `data/dot-10M`, with a file per parameter of its
//! NESL program. The numbers are those that the baselines make up for themselves, so both sides
//! work on the same input.

mod sparse;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;

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
    Workload { name: "matrix", usual: &[1000], large: &[M], write: sparse::matrix },
    Workload { name: "graph", usual: &[M], large: &[], write: sparse::graph },
    Workload { name: "blackscholes", usual: &[10 * M], large: &[], write: blackscholes },
    Workload { name: "sort", usual: &[M], large: &[16 * M], write: sort },
    Workload { name: "few", usual: &[M], large: &[16 * M], write: few },
    Workload { name: "disk", usual: &[M / 2, 5 * M], large: &[], write: disk },
    Workload { name: "bodies", usual: &[100_000], large: &[], write: bodies },
    Workload { name: "letters", usual: &[32 * M], large: &[], write: letters },
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
        self.file(&format!("{name}.npy"), |file| npy::write(file, shape, elements))
    }

    /// Writes a file, unless it is there. It appears only when it is complete.
    fn file(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let path = self.directory.join(name);
        if path.exists() {
            return Ok(());
        }
        let part = self.directory.join(format!("{name}.part"));
        File::create(&part)
            .map(|file| BufWriter::with_capacity(1 << 20, file))
            .and_then(|mut file| {
                write(&mut file)?;
                file.into_inner()?.sync_all()
            })
            .and_then(|()| fs::rename(&part, &path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }
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

/// Bodies spread evenly over a cube, a row (mass, x, y, z) each.
fn bodies(to: &Inputs, n: u64) -> anyhow::Result<()> {
    let place = |i| 10.0 * unit(i) - 5.0;
    let body = |i| [0.5 + unit(i + (1 << 40)), place(3 * i), place(3 * i + 1), place(3 * i + 2)];
    to.array("bodies", &[n, 4], (0..n).flat_map(body))
}

/// Letters about as frequent as in English, so that short words come up often.
fn letters(to: &Inputs, n: u64) -> anyhow::Result<()> {
    const COMMON: &[u8; 64] = b"      eeeeeeeeetttttaaaaooooiiinnnnssshhhrrrdddlllccuummwwffggyp";
    to.file("text.txt", |file| {
        (0..n).try_for_each(|i| file.write_all(&[COMMON[(bits(i) >> 58) as usize]]))
    })
}
