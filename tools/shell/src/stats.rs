//! Reports on what a session did: times of passes, statistics of runs.

use crate::profile::{named_after, place};
use base::Files;
use comfy_table::{CellAlignment, Table, presets};
use run::session::Report;
use serde_json::{Value, json};

/// The seconds of evaluations.
#[derive(Default)]
pub struct Times {
    /// Of each form of the file.
    pub forms: Vec<f64>,
    /// Of each call of the function that was asked for.
    pub calls: Vec<f64>,
}

impl Times {
    /// Of all forms together.
    fn of_forms(&self) -> f64 {
        // A sum of nothing would be -0.
        self.forms.iter().fold(0.0, |sum, seconds| sum + seconds)
    }
    /// Of the call, of whose repetitions the middle one counts; without a call, of all forms.
    fn running(&self) -> f64 {
        let mut sorted = self.calls.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_else(|| self.of_forms())
    }
    /// One by one: of the calls, or without a call of the forms.
    fn all(&self) -> &[f64] {
        if self.calls.is_empty() { &self.forms } else { &self.calls }
    }
}

/// What each pass took, as a table.
pub fn timings(report: &Report, times: &Times) -> String {
    let mut table = table(&["pass", "ms"]);
    for timing in &report.timings {
        table.add_row([timing.pass.to_owned(), ms(timing.seconds)]);
    }
    let run = times.of_forms() + times.calls.iter().sum::<f64>();
    table.add_row(["running".to_owned(), ms(run)]);
    format!("{table}\n")
}

/// The report of a run for people.
pub fn text(report: &Report, times: &Times, files: &Files) -> String {
    let stats = &report.stats;
    let mut facts = table(&["", ""]);
    facts.add_row(["on", &report.device]);
    facts.add_row(["kernels compiled", &report.kernels.to_string()]);
    facts.add_row(["kernels run", &stats.kernels_run.to_string()]);
    facts.add_row(["launches", &stats.traffic.launches.to_string()]);
    facts.add_row(["waits for the device", &stats.traffic.waits.to_string()]);
    facts.add_row(["read-backs", &stats.traffic.readbacks.to_string()]);
    facts.add_row(["bytes to the device", &stats.traffic.bytes_up.to_string()]);
    facts.add_row(["bytes from the device", &stats.traffic.bytes_down.to_string()]);
    facts.add_row(["elements touched", &stats.elements_touched.to_string()]);
    facts.add_row(["bytes moved", &stats.bytes_moved.to_string()]);
    let reused = format!("{} ({} reused)", stats.allocations, stats.reused);
    facts.add_row(["allocations", &reused]);
    facts.add_row(["peak bytes", &report.memory.peak.to_string()]);
    let from = if report.cached == Some(true) { " (from the cache)" } else { "" };
    facts.add_row(["compiling, ms", &format!("{}{from}", ms(report.compile_seconds))]);
    facts.add_row(["running, ms", &ms(times.running())]);
    if !times.calls.is_empty() && !times.forms.is_empty() {
        facts.add_row(["forms before, ms", &ms(times.of_forms())]);
    }
    let mut kernels = table(&["kernel", "launches", "elements", "ms", "source"]);
    if let Some(source) = kernels.column_mut(4) {
        source.set_cell_alignment(CellAlignment::Left);
    }
    for (number, row) in &stats.kernels {
        kernels.add_row([
            format!("k{number} {}", row.name),
            row.launches.to_string(),
            row.elements_touched.to_string(),
            ms(row.seconds),
            named_after(files, &row.spans).unwrap_or_default(),
        ]);
    }
    format!("{facts}\n\n{kernels}\n")
}

/// The report of a run as one line of JSON.
pub fn json(report: &Report, times: &Times, files: &Files) -> String {
    let stats = &report.stats;
    let kernel = |(number, row): (&usize, &run::KernelRow)| {
        json!({
            "name": row.name,
            "number": number,
            "launches": row.launches,
            "lanes": row.lanes,
            "elements": row.elements_touched,
            "ms": row.seconds * 1e3,
            "source": row.spans.iter().map(|&span| place(files, span)).collect::<Vec<String>>(),
        })
    };
    let all: Vec<f64> = times.all().iter().map(|seconds| seconds * 1e3).collect();
    let report: Value = json!({
        "device": report.device,
        "kernels_compiled": report.kernels,
        "kernels_run": stats.kernels_run,
        "launches": stats.traffic.launches,
        "waits": stats.traffic.waits,
        "readbacks": stats.traffic.readbacks,
        "bytes_up": stats.traffic.bytes_up,
        "bytes_down": stats.traffic.bytes_down,
        "elements_touched": stats.elements_touched,
        "lanes": stats.lanes,
        "bytes_moved": stats.bytes_moved,
        "allocations": stats.allocations,
        "allocations_reused": stats.reused,
        "peak_bytes": report.memory.peak,
        "compile_ms": report.compile_seconds * 1e3,
        "passes_ms": passes_seconds(report) * 1e3,
        "cached": report.cached.unwrap_or(false),
        "forms_ms": times.of_forms() * 1e3,
        "run_ms": times.running() * 1e3,
        "run_ms_all": all,
        "kernels": stats.kernels.iter().map(kernel).collect::<Vec<Value>>(),
    });
    format!("{report}\n")
}

/// What the passes took, without the compiler of the kernels' text.
fn passes_seconds(report: &Report) -> f64 {
    let passes = report.timings.iter().filter(|timing| !["device", "load"].contains(&timing.pass));
    passes.map(|timing| timing.seconds).sum()
}

fn ms(seconds: f64) -> String {
    format!("{:.3}", seconds * 1e3)
}

/// A table whose columns after the first are aligned to the right.
pub fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
