//! The table of examples at full size.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::data;

/// An example at full size. `benches/checks` has the program to compare with, of the same name.
pub(crate) struct Case {
    /// The folder below `examples/`, and the program in it.
    pub(crate) example: &'static str,
    /// What the table says about the size.
    pub(crate) size: &'static str,
    /// The function to call.
    pub(crate) entry: &'static str,
    /// Names and values of its arguments.
    given: &'static [(&'static str, Given)],
    /// The most bytes in memory, with what is given, for each byte of the arguments and the result.
    pub(crate) most: f64,
}

/// An argument.
enum Given {
    /// A literal.
    Literal(&'static str),
    /// An input of `cargo xtask data`, and one of its files.
    Data(&'static str, &'static str),
}

use Given::{Data, Literal};

/// All cases, in the order of the table.
pub(crate) const CASES: &[Case] = &[
    Case {
        example: "dotproduct",
        size: "10M",
        entry: "dotproduct",
        given: &[("a", Data("dot-10M", "a.npy")), ("b", Data("dot-10M", "b.npy"))],
        most: 1.01,
    },
    Case {
        example: "smxv",
        size: "1M x 10",
        entry: "smxv",
        given: &[("m", Data("matrix-1M", "matrix.mtx")), ("v", Data("matrix-1M", "x.npy"))],
        most: 1.01,
    },
    Case { size: "1M", given: &[("a", Data("sort-1M", "keys.npy"))], ..QUICKSORT },
    Case { size: "1M, 0 to 99", given: &[("a", Data("few-1M", "keys.npy"))], ..QUICKSORT },
    Case {
        example: "quickhull",
        size: "5M",
        entry: "convex_hull",
        given: &[("points", Data("disk-5M", "points.npy"))],
        most: 2.2,
    },
    Case {
        example: "black-scholes",
        size: "10M",
        entry: "black_scholes",
        given: &[
            ("s", Data("blackscholes-10M", "spot.npy")),
            ("x", Data("blackscholes-10M", "strike.npy")),
            ("m", Data("blackscholes-10M", "years.npy")),
            ("r", Data("blackscholes-10M", "rate.npy")),
            ("v", Data("blackscholes-10M", "volatility.npy")),
        ],
        most: 0.9,
    },
    Case {
        example: "primes",
        size: "10M",
        entry: "primes",
        given: &[("n", Literal("10000000"))],
        most: 3.1,
    },
    Case {
        example: "string-search",
        size: "32M",
        entry: "string_search",
        given: &[("pattern", Literal("\"the\"")), ("text", Data("letters-32M", "text.txt"))],
        most: 2.4,
    },
    Case {
        example: "bfs",
        size: "1M, 8M edges",
        entry: "bfs",
        given: &[
            ("edges", Data("graph-1M", "edges.npy")),
            ("n", Literal("1000000")),
            ("source", Literal("0")),
        ],
        most: 3.6,
    },
    Case {
        example: "mandelbrot",
        size: "2048 x 2048",
        entry: "mandelbrot",
        given: &[
            ("width", Literal("2048")),
            ("height", Literal("2048")),
            ("limit", Literal("256")),
        ],
        most: 1.01,
    },
    Case {
        size: "10K, exact",
        given: &[("bodies", Data("bodies-10K", "bodies.npy")), ("theta", Literal("0.0"))],
        ..BARNES_HUT
    },
    Case {
        size: "100K",
        given: &[("bodies", Data("bodies-100K", "bodies.npy")), ("theta", Literal("0.5"))],
        ..BARNES_HUT
    },
];

const QUICKSORT: Case =
    Case { example: "quicksort", size: "", entry: "quicksort", given: &[], most: 1.1 };

/// A tree takes much more than its bodies.
const BARNES_HUT: Case =
    Case { example: "barnes-hut", size: "", entry: "accelerations", given: &[], most: 8.5 };

impl Case {
    /// The example and the size.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.example, self.size)
    }

    /// The arguments on the command line; inputs are written if they are not there.
    pub(crate) fn arguments(&self) -> anyhow::Result<Vec<String>> {
        let argument = |(name, value): &(&str, Given)| {
            Ok(match value {
                Literal(text) => format!("{name}={text}"),
                Data(input, file) => format!("{name}={}", path(input, file)?.display()),
            })
        };
        self.given.iter().map(argument).collect()
    }

    /// How many bytes the arguments take in memory.
    pub(crate) fn input_bytes(&self) -> anyhow::Result<u64> {
        let bytes = |(_, value): &(&str, Given)| match value {
            Literal(_) => Ok(8),
            Data(input, file) => file_bytes(&path(input, file)?),
        };
        self.given.iter().map(bytes).sum()
    }
}

fn path(input: &str, file: &str) -> anyhow::Result<PathBuf> {
    Ok(data::directory(input)?.join(file))
}

/// How many bytes the value in a file takes: for a sparse matrix an int and a float for each entry
/// and an offset for each row, otherwise what the file takes.
fn file_bytes(path: &Path) -> anyhow::Result<u64> {
    if path.extension().is_none_or(|ending| ending != "mtx") {
        return Ok(fs::metadata(path)?.len());
    }
    let mut lines = BufReader::new(fs::File::open(path)?).lines();
    let size = lines.nth(1).context("a matrix has a line of sizes")??;
    let size: Vec<u64> = size.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let &[rows, _, entries] = size.as_slice() else { anyhow::bail!("three sizes were expected") };
    Ok(16 * entries + 8 * (rows + 1))
}
