//! What fusion does: the benchmarks without it, with the greedy one, and with the integer program.

use std::fmt::Write;

use super::cases::{CASES, Case};
use super::page::time;
use super::{Options, median, sections};
use crate::nesl::Call;

/// The ways to fuse, the usual one last.
const WAYS: [&str; 3] = ["off", "greedy", "optimal"];

/// What was measured of a case in one way.
struct Cell {
    /// Milliseconds of a run.
    ms: f64,
    /// Kernels of a run.
    kernels: u64,
    /// Bytes that a run reads and writes.
    moved: u64,
}

/// Measures, and writes the table; nothing is written where cases were named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut table = String::new();
    for case in CASES.iter().filter(|case| options.wants(case)) {
        let cells = measure(case, options)?;
        let row = row(case, &cells);
        print!("{row}");
        table += &row;
    }
    if !options.names.is_empty() {
        return Ok(());
    }
    let section = format!(
        "## Fusion on the cores\n\n\
         Written by `cargo xtask measure fusion`: medians of {} rounds in which `--fusion off`, \
         `greedy` and `optimal` took turns;\nkernels are launches of one run, megabytes what they \
         read and write.\n\n\
         | workload | size | off, ms | greedy, ms | optimal, ms | kernels | MB moved |\n\
         |---|---|---|---|---|---|---|\n{table}",
        options.rounds
    );
    sections::put("fusion", &section)
}

/// Lets the ways take turns.
fn measure(case: &'static Case, options: &Options) -> anyhow::Result<Vec<Result<Cell, String>>> {
    let mut times: [Vec<f64>; WAYS.len()] = Default::default();
    let mut last: Vec<Result<Cell, String>> = Vec::new();
    for _ in 0..options.rounds.max(1) {
        last.clear();
        for (way, times) in WAYS.iter().zip(&mut times) {
            let call = Call { fusion: Some(way), ..case.call(options.repeat)? };
            last.push(call.run(&options.nesl)?.map(|stats| {
                times.extend(stats.runs);
                Cell { ms: 0.0, kernels: stats.kernels, moved: stats.moved }
            }));
        }
    }
    for (cell, times) in last.iter_mut().zip(times) {
        if let Ok(cell) = cell {
            cell.ms = median(times).unwrap_or_default();
        }
    }
    Ok(last)
}

fn row(case: &Case, cells: &[Result<Cell, String>]) -> String {
    let mut row = format!("| {} | {} |", case.workload, case.size);
    let each = |show: &dyn Fn(&Cell) -> String| -> Vec<String> {
        let show = |cell: &Result<Cell, String>| cell.as_ref().map_or("–".to_owned(), show);
        cells.iter().map(show).collect()
    };
    for ms in each(&|cell| time(cell.ms)) {
        // Writing to a string cannot fail.
        let _ = write!(row, " {ms} |");
    }
    let kernels = each(&|cell| cell.kernels.to_string()).join(" / ");
    let moved = each(&|cell| format!("{:.0}", cell.moved as f64 / 1e6)).join(" / ");
    row + &format!(" {kernels} | {moved} |\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_all_ways() {
        let cell = |ms| Ok(Cell { ms, kernels: 3, moved: 80_000_000 });
        let cells = [cell(12.5), Err("failed".to_owned()), cell(5.0)];
        assert_eq!(
            row(&CASES[0], &cells),
            "| dot | 10M | 12.5 | – | 5.00 | 3 / – / 3 | 80 / – / 80 |\n"
        );
    }
}
