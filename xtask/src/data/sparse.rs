//! Sparse matrices and graphs.
//!
//! The lengths of a matrix's rows follow Pareto's law; the edges of a graph lie where R-MAT puts
//! them (Chakrabarti, Zhan, Faloutsos: R-MAT: A Recursive Model for Graph Mining). So a few rows,
//! and a few vertices, have a great part of everything.

use std::io::Write;

use anyhow::bail;

use super::Inputs;
use crate::random::{bits, unit};

/// Lengths of n segments after Pareto's law with exponent 1.5, ten on average.
fn lengths(n: u64) -> impl Iterator<Item = i64> {
    (0..n).map(|i| ((10.0 / 3.0 * unit(i + 7).powf(-1.0 / 1.5)) as i64).min(100_000))
}

fn vector(to: &Inputs, n: u64) -> anyhow::Result<()> {
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

/// A matrix of n rows as a Matrix Market file, with a vector to multiply it by; no entry comes twice.
pub(super) fn matrix(to: &Inputs, n: u64) -> anyhow::Result<()> {
    if n == 0 {
        bail!("a matrix has at least one row");
    }
    vector(to, n)?;
    to.file("matrix.mtx", |file| {
        let entries: usize = columns(n).map(|(_, columns)| columns.len()).sum();
        writeln!(file, "%%MatrixMarket matrix coordinate real general")?;
        writeln!(file, "{n} {n} {entries}")?;
        for (row, (first, columns)) in (1..).zip(columns(n)) {
            for (column, i) in columns.iter().zip(first..) {
                writeln!(file, "{row} {} {}", column + 1, value(i))?;
            }
        }
        Ok(())
    })
}

/// For each row of a matrix the number of its first entry, and its columns in order.
fn columns(n: u64) -> impl Iterator<Item = (u64, Vec<i64>)> {
    lengths(n).scan(0, move |end, length| {
        let first = *end;
        *end += length as u64;
        let mut columns: Vec<i64> = (first..*end).map(|i| column(i, n)).collect();
        columns.sort_unstable();
        columns.dedup();
        Some((first, columns))
    })
}

/// The edges of a graph with n vertices, eight for each, a row (from, to) each.
pub(super) fn graph(to: &Inputs, n: u64) -> anyhow::Result<()> {
    if n == 0 {
        bail!("a graph has at least one vertex");
    }
    let edges = 8 * n;
    to.array("edges", &[edges, 2], (0..edges).flat_map(|i| edge(i, n)))
}

/// Edge i: each bit of its two ends is drawn at once, (0, 0) more often than (0, 1) and (1, 0), and
/// these more often than (1, 1).
fn edge(i: u64, n: u64) -> [i64; 2] {
    let levels = u64::from(n.next_power_of_two().trailing_zeros());
    let (from, to) = (0..levels).fold((0, 0), |(from, to), level| {
        let (a, b) = match unit(i * levels + level) {
            p if p < 0.57 => (0, 0),
            p if p < 0.76 => (0, 1),
            p if p < 0.95 => (1, 0),
            _ => (1, 1),
        };
        (2 * from + a, 2 * to + b)
    });
    [(from % n) as i64, (to % n) as i64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_skewed() {
        let edges: Vec<[i64; 2]> = (0..8000).map(|i| edge(i, 1000)).collect();
        assert!(edges.iter().flatten().all(|v| (0..1000).contains(v)));
        let of_first = edges.iter().filter(|e| e[0] < 10).count();
        assert!(of_first > 800, "{of_first}");
    }

    #[test]
    fn rows_have_no_entry_twice() {
        let rows: Vec<_> = columns(100).collect();
        assert_eq!(rows.len(), 100);
        assert!(rows.iter().all(|(_, columns)| columns.is_sorted_by(|a, b| a < b)));
    }
}
