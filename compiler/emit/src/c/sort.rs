//! Sort bodies in C: a call of the run-time system's sort by the whole team.

use super::names;
use super::stmt::Shared;
use super::types::field;
use crate::shared::Writer;
use base::Id;
use kernel::{Arg, Kernel, KernelId, Keys, Operand, SortKind};
use prim::{Ty, Width, Widths};
use scalar::Atom;

/// The parts of the run-time system that sorting needs.
pub(crate) const RUNTIME: [&str; 5] = [
    include_str!("rts/radix.h"),
    include_str!("rts/sort.h"),
    include_str!("rts/sort_char.h"),
    include_str!("rts/sort_packed.h"),
    include_str!("rts/sort_narrow.h"),
];

/// A kernel that sorts.
#[derive(Clone, Copy)]
pub(crate) struct Sort<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) kind: SortKind,
    pub(crate) keys: &'k Keys,
    pub(crate) to: Arg,
}

/// `k3_plan` and `k3`, which counts what it touches if that is wanted.
pub(crate) fn definition(shared: &Shared<'_>, out: &mut Writer, id: KernelId, sort: &Sort<'_>) {
    let linkage = shared.linkage;
    let Sort { kernel, kind, keys, to } = *sort;
    let ty = kernel.args[keys.buffer].ty;
    let (verb, word) = (if kind == SortKind::Sort { "sort" } else { "rank" }, word(ty));
    let widths = shared.widths();
    let value = |atom: Operand| match atom {
        Atom::Outer(a, ty) => format!("args[{}].{}", a.index(), field(ty)),
        Atom::Const(c) => shared.constant(c, false),
        Atom::Var(v) => unreachable!("{v} is no argument"),
    };
    let (length, lanes) = (value(keys.length), value(keys.segments));

    out.open(format!(
        "{linkage}void {}(int32_t size, const nesl_arg *args, nesl_plan *plan)",
        names::plan(id)
    ));
    out.line(format!("plan->tiles = nesl_sort_workers({length}, size);"));
    out.line(format!("plan->scratch = nesl_{verb}_scratch_{word}({length}, size);"));
    if keys.offsets.is_some() {
        out.line(format!("plan->scratch += nesl_packed_scratch({lanes});"));
    }
    let sorts = Widened { key: widened(widths, ty), result: widened(widths, kernel.args[to].ty) };
    if sorts.vectors() > 0 {
        out.line(format!("plan->scratch += {} * nesl_wide_scratch({length});", sorts.vectors()));
    }
    out.line("plan->cleared = 0;");
    out.close("");
    out.blank();

    let to_ty = shared.element(kernel.args[to].ty);
    out.open(format!(
        "{linkage}void {}(nesl_launch *run, int32_t worker, const nesl_arg *args)",
        names::kernel(id)
    ));
    out.line(format!("const {} *keys = args[{}].p;", shared.element(ty), keys.buffer.index()));
    out.line(format!("{to_ty} *to = args[{}].p;", to.index()));
    let down = match kind {
        SortKind::Sort => "",
        SortKind::Rank => ", 0",
        SortKind::RankDown => ", 1",
    };
    match keys.offsets {
        None => {
            sorts.begin(out, "keys", &length, "run->scratch");
            let [keys, to, rest] = sorts.names(["keys", "to", "run->scratch"]);
            let rest = format!("{keys}, {to}, {length}{down}, {rest}");
            out.line(format!("nesl_{verb}_{word}(&run->team, worker, {rest});"));
            sorts.end(out, "to", &length);
        }
        Some(offsets) => {
            out.line(format!("const {} *offsets = args[{}].p;", shared.int(), offsets.index()));
            out.line("char *rest;");
            let list = format!("&run->team, worker, offsets, {lanes}, run->scratch, &rest");
            out.line(format!("const nesl_lanes lanes = nesl_packed({list});"));
            let [keys, to] = ["keys + offsets[0]", "to + offsets[0]"];
            sorts.begin(out, keys, &length, "rest");
            let [from, into, rest] = sorts.names([keys, to, "rest"]);
            let shape = "lanes.count, lanes.starts, lanes.lengths, lanes.offsets";
            out.line(format!("nesl_{verb}_lanes_{word}(&run->team, worker, {from}, {into},"));
            out.line(format!("    {shape}{down}, {rest});"));
            sorts.end(out, to, &length);
        }
    }
    if shared.count {
        touches(out, &length, keys.offsets.map(|_| lanes.as_str()));
    }
    out.close("");
}

/// Counts what the sort touches: what a merge sort of each lane would.
fn touches(out: &mut Writer, length: &str, lanes: Option<&str>) {
    out.open("if (worker == 0)");
    match lanes {
        None => out.line(format!("NESL_TOUCH(nesl_sort_touches({length}));")),
        Some(lanes) => {
            out.open(format!("for (int64_t i = 0; i < {lanes}; i++)"));
            out.line("NESL_TOUCH(1 + nesl_sort_touches(offsets[i + 1] - offsets[i]));");
            out.close("");
        }
    }
    out.close("");
    out.line("nesl_count(run);");
}

/// How the sort calls a type of keys.
fn word(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "i64",
        Ty::F64 => "f64",
        Ty::Bool | Ty::Char => "char",
    }
}

/// What a narrow type is widened to while it is sorted: its word in the run time, and the type.
fn widened(widths: Widths, ty: Ty) -> Option<[&'static str; 2]> {
    match (ty, widths.int, widths.float) {
        (Ty::I64, Width::W32, _) => Some(["ints", "int64_t"]),
        (Ty::F64, _, Width::W32) => Some(["floats", "double"]),
        _ => None,
    }
}

/// How keys and results pass through larger types (`rts/sort_narrow.h`).
struct Widened {
    key: Option<[&'static str; 2]>,
    result: Option<[&'static str; 2]>,
}

impl Widened {
    /// Keys, place of the results and scratch, where any is another one.
    fn names<'n>(&self, [keys, to, rest]: [&'n str; 3]) -> [&'n str; 3] {
        [
            if self.key.is_some() { "wide" } else { keys },
            if self.result.is_some() { "sorted" } else { to },
            if self.key.is_some() || self.result.is_some() { "left" } else { rest },
        ]
    }
    /// Before the sort.
    fn begin(&self, out: &mut Writer, keys: &str, length: &str, scratch: &str) {
        if self.key.is_some() || self.result.is_some() {
            out.line(format!("char *left = {scratch};"));
        }
        if let Some([word, ty]) = self.key {
            let list = format!("&run->team, worker, {keys}, {length}, &left");
            out.line(format!("const {ty} *wide = nesl_widen_{word}({list});"));
        }
        if let Some([_, ty]) = self.result {
            out.line(format!("{ty} *sorted = nesl_carve(&left, nesl_wide_scratch({length}));"));
        }
    }
    /// After it.
    fn end(&self, out: &mut Writer, to: &str, length: &str) {
        if let Some([word, _]) = self.result {
            let list = format!("&run->team, worker, sorted, {to}, {length}");
            out.line(format!("nesl_narrow_{word}({list});"));
        }
    }
    /// How many vectors of 8-byte numbers the scratch must have room for.
    fn vectors(&self) -> usize {
        usize::from(self.key.is_some()) + usize::from(self.result.is_some())
    }
}
