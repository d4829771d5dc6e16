//! Work and depth by the cost model of the language, as tables for people and as an object.

use crate::profile;
use crate::stats::table;
use base::{FileId, Files};
use comfy_table::{CellAlignment, Table};
use run::session::{Costs, FormCost, FunctionCost, FunctionKind, LineCost};
use serde_json::{Value, json};

/// Rows of a table unless all are wanted.
pub const ROWS: usize = 15;
/// The most characters of a line that a table shows.
const WIDTH: usize = 60;

/// A file and one of its lines.
type Line = Option<(FileId, usize)>;

/// The costs for people.
pub fn tables(costs: &Costs, rows: usize, files: &Files) -> String {
    let forms = form_table(costs, files);
    let functions = function_table(costs, rows, files);
    let lines = line_table(costs, rows, files);
    format!("{forms}\n\n{functions}\n\n{lines}\n")
}

fn form_table(costs: &Costs, files: &Files) -> Table {
    let mut forms = table(&["form", "", "work", "depth", "parallelism"]);
    align_left(&mut forms, 1);
    for FormCost { name, line, cost } in &costs.forms {
        forms.add_row(form_row(name, &place(*line, files), cost.work, cost.depth));
    }
    if costs.forms.len() > 1 {
        forms.add_row(form_row("all", "", costs.all.work, costs.all.depth));
    }
    forms
}

fn form_row(name: &str, place: &str, work: u64, depth: u64) -> [String; 5] {
    let parallelism = short(parallelism(work, depth));
    [name.to_owned(), place.to_owned(), work.to_string(), depth.to_string(), parallelism]
}

fn function_table(costs: &Costs, rows: usize, files: &Files) -> Table {
    let heads = ["function", "", "calls", "own work", "share", "work", "depth", "parallelism"];
    let mut functions = table(&heads);
    align_left(&mut functions, 1);
    let (shown, rest) = costs.functions.split_at(rows.min(costs.functions.len()));
    for function in shown {
        functions.add_row([
            function.name.clone(),
            match function.kind {
                FunctionKind::Forms | FunctionKind::Program => place(function.line, files),
                FunctionKind::Library => "library".to_owned(),
            },
            function.calls.to_string(),
            function.own_work.to_string(),
            percent(function.own_work, costs.all.work),
            function.work.to_string(),
            function.depth.to_string(),
            short(parallelism(function.work, function.depth)),
        ]);
    }
    if !rest.is_empty() {
        let own: u64 = rest.iter().map(|function| function.own_work).sum();
        let share = percent(own, costs.all.work);
        functions.add_row([more(rest.len()), String::new(), String::new(), own.to_string(), share]);
    }
    functions
}

fn line_table(costs: &Costs, rows: usize, files: &Files) -> Table {
    let heads = ["line", "own work", "share", "work", "depth", "parallelism", "text"];
    let mut lines = table(&heads);
    align_left(&mut lines, heads.len() - 1);
    let (shown, rest) = costs.lines.split_at(rows.min(costs.lines.len()));
    for &LineCost { line, own_work, work, depth } in shown {
        lines.add_row([
            line.map_or_else(|| "library".to_owned(), |_| place(line, files)),
            own_work.to_string(),
            percent(own_work, costs.all.work),
            work.to_string(),
            depth.to_string(),
            short(parallelism(work, depth)),
            cut(&text(line, files)),
        ]);
    }
    if !rest.is_empty() {
        let own: u64 = rest.iter().map(|line| line.own_work).sum();
        lines.add_row([more(rest.len()), own.to_string(), percent(own, costs.all.work)]);
    }
    lines
}

/// The costs as one object; `docs/cost.md` says what its names mean.
pub fn object(costs: &Costs, files: &Files) -> Value {
    let form = |form: &FormCost| {
        json!({
            "name": form.name,
            "file": file(form.line, files),
            "line": number(form.line),
            "work": form.cost.work,
            "depth": form.cost.depth,
            "parallelism": parallelism(form.cost.work, form.cost.depth),
        })
    };
    let function = |function: &FunctionCost| {
        json!({
            "name": function.name,
            "kind": match function.kind {
                FunctionKind::Forms => "forms",
                FunctionKind::Program => "program",
                FunctionKind::Library => "library",
            },
            "file": file(function.line, files),
            "line": number(function.line),
            "calls": function.calls,
            "own_work": function.own_work,
            "work": function.work,
            "depth": function.depth,
            "parallelism": parallelism(function.work, function.depth),
        })
    };
    let line = |line: &LineCost| {
        json!({
            "file": file(line.line, files),
            "line": number(line.line),
            "own_work": line.own_work,
            "work": line.work,
            "depth": line.depth,
            "parallelism": parallelism(line.work, line.depth),
            "text": text(line.line, files),
        })
    };
    json!({
        "work": costs.all.work,
        "depth": costs.all.depth,
        "parallelism": parallelism(costs.all.work, costs.all.depth),
        "forms": costs.forms.iter().map(form).collect::<Vec<Value>>(),
        "functions": costs.functions.iter().map(function).collect::<Vec<Value>>(),
        "lines": costs.lines.iter().map(line).collect::<Vec<Value>>(),
    })
}

/// Work for each step of the longest chain.
fn parallelism(work: u64, depth: u64) -> f64 {
    if depth == 0 { 0.0 } else { work as f64 / depth as f64 }
}

/// A parallelism as a table shows it.
fn short(parallelism: f64) -> String {
    format!("{parallelism:.1}")
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1}%", 100.0 * part as f64 / whole.max(1) as f64)
}

fn more(count: usize) -> String {
    format!("{count} more: --all")
}

fn file(line: Line, files: &Files) -> Option<&str> {
    line.map(|(file, _)| files.file(file).name.as_str())
}

fn number(line: Line) -> Option<usize> {
    line.map(|(_, line)| line)
}

/// `p.nesl:3`.
fn place(line: Line, files: &Files) -> String {
    line.map_or_else(String::new, |(file, line)| {
        format!("{}:{line}", profile::short_name(files, file))
    })
}

/// A line without the blanks around it.
fn text(line: Line, files: &Files) -> String {
    let Some((file, line)) = line else { return String::new() };
    let text = files.file(file).text.split(|&byte| byte == b'\n').nth(line - 1);
    String::from_utf8_lossy(text.unwrap_or_default()).trim().to_owned()
}

/// As much of a line as a table shows.
fn cut(line: &str) -> String {
    let shown: String = line.chars().take(WIDTH).collect();
    let rest = if shown.len() < line.len() { " ..." } else { "" };
    format!("{shown}{rest}")
}

fn align_left(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Left);
    }
}
