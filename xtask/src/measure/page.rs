//! Writes the page about performance.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use super::Row;

/// One line for the terminal.
pub(crate) fn line(row: &Row) -> String {
    let ours = match &row.ours {
        Ok(ms) => format!("{} ms", time(*ms)),
        Err(message) => format!("({message})"),
    };
    let best = row.baselines.first().map_or_else(String::new, best);
    format!(
        "{:14} {:7} {ours}, best baseline {best}, ratio {}",
        row.case.workload,
        row.case.size,
        ratio(row)
    )
}

/// Where the part about GPUs begins, which `scripts/gpu-check --write` writes.
pub(crate) const ON_A_GPU: &str = "\n## On a GPU\n";

/// The page with the part about GPUs of the one that it replaces.
pub(crate) fn kept(page: String, old: &str) -> String {
    match old.find(ON_A_GPU) {
        Some(start) => page + &old[start..],
        None => page,
    }
}

/// The page but for the part about GPUs.
pub(crate) fn page(rows: &[Row], rounds: usize) -> String {
    let mut page = format!(
        "# Performance\n\n\
         Written by `cargo xtask measure cpu`. {}\n\n\
         Times are in milliseconds, medians of {rounds} rounds in which our programs \
         (`benches/programs`) and the baselines\n(`benches/baselines`) took turns. Ours are those \
         of the run alone, without compiling and loading; the baselines reuse\ntheir memory. The \
         ratio is our time over that of the best baseline: below 1 we are faster.\n\n\
         | workload | size | nesl | best baseline | ratio | other baselines |\n\
         |---|---|---|---|---|---|\n",
        surroundings()
    );
    for row in rows {
        let ours = row.ours.as_ref().map_or_else(|_| "–".to_owned(), |ms| time(*ms));
        let best = row.baselines.first().map_or_else(|| "–".to_owned(), best);
        let others: Vec<String> = row.baselines.iter().skip(1).map(best_of_others).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | {} | {ours} | {best} | {} | {} |",
            row.case.workload,
            row.case.size,
            ratio(row),
            others.join(" · ")
        );
    }
    page.push('\n');
    page.push_str(include_str!("../../../benches/notes.md"));
    page
}

fn best((name, ms): &(String, f64)) -> String {
    format!("{} {name}", time(*ms))
}

fn best_of_others((name, ms): &(String, f64)) -> String {
    format!("{name} {}", time(*ms))
}

/// Our time over that of the best baseline.
fn ratio(row: &Row) -> String {
    match (&row.ours, row.baselines.first()) {
        (Ok(ours), Some((_, best))) => format!("{:.2}", ours / best),
        _ => "–".to_owned(),
    }
}

/// Milliseconds, with three figures.
pub(crate) fn time(ms: f64) -> String {
    match ms {
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

/// The processor and the compiler of the baselines.
fn surroundings() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("a processor", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let compiler = Command::new("c++").arg("--version").output().ok();
    let compiler = compiler.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let compiler = compiler.as_deref().and_then(|text| text.lines().next()).unwrap_or("c++");
    format!("Processor: {model}, {cores} cores. Compiler of the baselines: {compiler}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::cases::CASES;

    #[test]
    fn the_part_about_gpus_stays() {
        let old = "# Performance\n\nold\n\n## On a GPU\n\nfigures\n";
        assert_eq!(kept("new\n".to_owned(), old), "new\n\n## On a GPU\n\nfigures\n");
        assert_eq!(kept("new\n".to_owned(), "# Performance\n"), "new\n");
    }

    #[test]
    fn pages_have_a_line_per_row() {
        let baselines = vec![("omp".to_owned(), 4.0), ("serial".to_owned(), 123.4)];
        let rows = [
            Row { case: &CASES[0], ours: Ok(5.0), baselines: baselines.clone() },
            Row { case: &CASES[1], ours: Err("it failed".to_owned()), baselines },
        ];
        let page = page(&rows, 3);
        assert!(page.contains("| dot | 10M | 5.00 | 4.00 omp | 1.25 | serial 123 |\n"));
        assert!(page.contains("| dot | 100M | – | 4.00 omp | – | serial 123 |\n"));
    }
}
