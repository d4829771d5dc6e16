//! Sort bodies in C: a call of the run-time system's sort by the whole team.

use super::names;
use super::types::{constant, element, field};
use crate::shared::Writer;
use crate::shared::stmt::Shared;
use base::Id;
use kernel::{Arg, Kernel, KernelId, Keys, Operand, SortKind};
use prim::Ty;
use scalar::Atom;

/// The parts of the run-time system that sorting needs.
pub(crate) const RUNTIME: [&str; 4] = [
    include_str!("rts/radix.h"),
    include_str!("rts/sort.h"),
    include_str!("rts/sort_char.h"),
    include_str!("rts/sort_packed.h"),
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
    let value = |atom: Operand| match atom {
        Atom::Outer(a, ty) => format!("args[{}].{}", a.index(), field(ty)),
        Atom::Const(c) => constant(c, false),
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
    out.line("plan->cleared = 0;");
    out.close("");
    out.blank();

    let to_ty = element(kernel.args[to].ty);
    out.open(format!(
        "{linkage}void {}(nesl_launch *run, int32_t worker, const nesl_arg *args)",
        names::kernel(id)
    ));
    out.line(format!("const {} *keys = args[{}].p;", element(ty), keys.buffer.index()));
    out.line(format!("{to_ty} *to = args[{}].p;", to.index()));
    let down = match kind {
        SortKind::Sort => "",
        SortKind::Rank => ", 0",
        SortKind::RankDown => ", 1",
    };
    match keys.offsets {
        None => {
            let rest = format!("keys, to, {length}{down}, run->scratch");
            out.line(format!("nesl_{verb}_{word}(&run->team, worker, {rest});"));
        }
        Some(offsets) => {
            out.line(format!("const int64_t *offsets = args[{}].p;", offsets.index()));
            out.line("char *rest;");
            let list = format!("&run->team, worker, offsets, {lanes}, run->scratch, &rest");
            out.line(format!("const nesl_lanes lanes = nesl_packed({list});"));
            let data = "keys + offsets[0], to + offsets[0]";
            let shape = "lanes.count, lanes.starts, lanes.lengths, lanes.offsets";
            out.line(format!("nesl_{verb}_lanes_{word}(&run->team, worker, {data},"));
            out.line(format!("    {shape}{down}, rest);"));
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
