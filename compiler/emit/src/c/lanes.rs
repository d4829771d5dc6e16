//! The two kernels of a routine in C.
//!
//! The first runs the routine for each lane and leaves results in the workers' own memory and a row
//! for each lane; its end adds up how many elements the lanes have at each level.  Then the host
//! makes room, and the second brings the elements together.

use super::kernel::KernelFacts;
use super::names;
use super::routine::{Row, actuals, add_up, collect};
use super::types::{element, field, local};
use crate::shared::Writer;
use ::kernel::{ArgKind, KernelId};
use plan::{Lanes, Place, Program};
use prim::Ty;

const HEAD: &str = "nesl_launch *run, int32_t worker, const nesl_arg *args";
const PLAN: &str = "int32_t size, const nesl_arg *args, nesl_plan *plan";

/// The kernel that runs lanes.  Arguments: the number of lanes, those of the routine, the rows, the
/// number of elements of each level below the root and of elements touched, whether lanes run in an
/// order of their own, that order, and whether the sequence of the only lane is nobody else's.
pub(crate) fn run(plan: &Program, lanes: Lanes, row: &Row, id: KernelId) -> (String, KernelFacts) {
    let widths = plan.widths;
    let lifted = &plan.funcs[lanes.lifted];
    let mut out = Writer::default();
    out.line(format!("/* ---- {id} {}, lane by lane ---- */", names::comment(&lifted.name)));
    out.blank();
    let offered = plan::routines::offered(plan, lanes).is_some();
    plan_function(&mut out, id, offered);
    out.open(format!("void {}({HEAD})", names::kernel(id)));
    out.line("const int64_t lanes = args[0].i;");
    let mut args = vec![(Ty::I64, ArgKind::Scalar)];
    let per_lane = plan::routines::per_lane(plan, lanes);
    let own = per_lane.len();
    for (i, &param) in lifted.params[..=own].iter().enumerate().skip(1) {
        let (text, arg) = match param {
            Place::Slot(slot) => {
                let ty = lifted.slots[slot];
                let text = format!("const {} p{i} = args[{i}].{};", local(widths, ty), field(ty));
                (text, (ty, ArgKind::Scalar))
            }
            Place::Buffer(buffer) => {
                let ty = lifted.buffers[buffer].ty;
                (format!("{} *p{i} = args[{i}].p;", element(widths, ty)), (ty, ArgKind::In))
            }
        };
        out.line(text);
        args.push(arg);
    }
    let (rows, totals) = (args.len(), args.len() + 1);
    args.extend([(Ty::I64, ArgKind::Out); 2]);
    args.extend([(Ty::Bool, ArgKind::Scalar), (Ty::I64, ArgKind::In), (Ty::Bool, ArgKind::Scalar)]);
    out.line(format!("const bool ordered = args[{}].b;", totals + 1));
    out.line(format!("const int64_t *order = args[{}].p;", totals + 2));
    out.line(format!("nesl_arg *rows = args[{rows}].p;"));
    out.line("NESL_ENTER(run);");
    out.line("nesl_state state = nesl_lanes_state(run, worker);");
    let spends = plan::home::sequence(plan, lanes).map(|sequence| {
        let [start, len, pool] = sequence.map(|param| param + 1);
        let own = totals + 3;
        out.open(format!("if (args[{own}].b)"));
        out.line(format!("state.own = (const char *)(p{pool} + p{start}[0]);"));
        out.line(format!("state.own_end = (const char *)(p{pool} + p{start}[0] + p{len}[0]);"));
        out.close("");
        own
    });
    let params = (1..=own).map(|i| format!("p{i}"));
    let actuals = actuals(params, &per_lane, "lane");
    each_tile(&mut out, "turn", "!state.fault", |out| {
        out.line("const int64_t lane = ordered ? order[turn] : turn;");
        let (call, words) = (names::routine(lanes.root), row.words());
        out.line(format!("{call}(&state, rows + lane * {words}{actuals});"));
    });
    if offered {
        out.line("nesl_help(&state);");
    }
    // Results have raised the top since it was noted.
    out.line("nesl_release(&state, state.arena->top);");
    out.line("if (state.fault) nesl_fail(run);");
    out.line("nesl_count(run);");
    out.line("nesl_barrier(&run->team);");
    out.line("if (worker != 0 || nesl_failed(run)) return;");
    out.line(format!("int64_t *totals = args[{totals}].p;"));
    let sums: Vec<String> = (1..row.levels).map(|level| format!("totals[{}]", level - 1)).collect();
    for sum in &sums {
        out.line(format!("{sum} = 0;"));
    }
    add_up(&mut out, row, "rows", "lanes", &sums);
    out.line(format!("totals[{}] = 0;", row.levels - 1));
    out.open("for (int32_t w = 0; w < run->team.size; w++)");
    out.line(format!("totals[{}] += run->arenas[w].touched;", row.levels - 1));
    out.close("");
    out.close("");
    let name = format!("{} lane by lane", lifted.name);
    let facts = KernelFacts { name, args, fails: true, recursive: true, arenas: true, spends };
    (out.finish(), facts)
}

/// The kernel that brings results together.  Arguments: the number of lanes, the rows, the results.
pub(crate) fn gather(
    plan: &Program,
    lanes: Lanes,
    row: &Row,
    id: KernelId,
) -> (String, KernelFacts) {
    let lifted = &plan.funcs[lanes.lifted];
    let mut out = Writer::default();
    plan_function(&mut out, id, false);
    out.open(format!("void {}({HEAD})", names::kernel(id)));
    out.line("const int64_t lanes = args[0].i;");
    out.line("const nesl_arg *rows = args[1].p;");
    let mut args = vec![(Ty::I64, ArgKind::Scalar), (Ty::I64, ArgKind::In)];
    let types: Vec<Ty> = lifted.body.yields.iter().map(|&y| result_ty(lifted, y)).collect();
    for (i, &ty) in types.iter().enumerate() {
        out.line(format!("{} *r{i} = args[{}].p;", element(plan.widths, ty), i + 2));
        args.push((ty, ArgKind::Out));
    }
    out.line("NESL_ENTER(run);");
    each_tile(&mut out, "lane", "1", |out| {
        out.line(format!("const nesl_arg *row = rows + lane * {};", row.words()));
        for (i, &ty) in types.iter().enumerate() {
            collect(out, plan.widths, row, i, &format!("r{i}"), ty);
        }
    });
    out.close("");
    let name = format!("{} gather", lifted.name);
    let (fails, spends) = (false, None);
    let facts = KernelFacts { name, args, fails, recursive: false, arenas: false, spends };
    (out.finish(), facts)
}

fn result_ty(function: &plan::Function, result: plan::Arg) -> Ty {
    match result {
        plan::Arg::Buffer(buffer) | plan::Arg::Past(buffer, _) => function.buffers[buffer].ty,
        plan::Arg::Slot(slot) => function.slots[slot],
        plan::Arg::Const(c) => c.ty(),
    }
}

/// Where calls are offered, there is something to do for workers without lanes, too.
fn plan_function(out: &mut Writer, id: KernelId, offered: bool) {
    out.open(format!("void {}({PLAN})", names::plan(id)));
    let tiles = "nesl_even(args[0].i, nesl_lane_grain(args[0].i, size))";
    out.line(match offered {
        true => format!("plan->tiles = nesl_max(size, {tiles});"),
        false => format!("plan->tiles = {tiles};"),
    });
    out.line("plan->scratch = plan->cleared = 0;");
    out.close("");
    out.blank();
}

/// Workers take some lanes at a time.
fn each_tile(out: &mut Writer, lane: &str, sound: &str, body: impl FnOnce(&mut Writer)) {
    out.line("const int64_t grain = nesl_lane_grain(lanes, run->team.size);");
    out.line("const int64_t tiles = nesl_even(lanes, grain);");
    out.open("for (int64_t tile; (tile = nesl_take(run)) < tiles;)");
    out.line("const int64_t end = nesl_min(lanes, (tile + 1) * grain);");
    out.open(format!("for (int64_t {lane} = tile * grain; {lane} < end && {sound}; {lane}++)"));
    body(out);
    out.close("");
    out.close("");
}
