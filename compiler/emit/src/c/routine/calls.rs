//! Calls of routines: of one lane, and of the lanes of a lifted function one after the other.

use super::super::names;
use super::super::types::field;
use super::Steps;
use super::memory::Room;
use super::results::{add_up, collect};
use super::row::Row;
use base::{Site, Span};
use plan::{Arg, Func, Place};
use prim::Role;

impl Steps<'_, '_> {
    pub(super) fn call(&mut self, results: &[Place], func: Func, args: &[Arg], span: Span) {
        let root = plan::routines::serial_callee(self.plan, func);
        let signature = self.plan.funcs[root].signature.as_ref();
        let row = Row::new(signature.unwrap_or_else(|| unreachable!("{root} has no layout")));
        if root == func {
            self.call_one(results, func, args, &row, span);
        } else {
            let lanes = plan::Lanes { lifted: func, root };
            self.call_lanes(results, lanes, args, &row, span);
        }
    }

    /// Results that are arguments, to which the callee has written.
    fn name_written(&mut self, results: &[Place], root: Func, args: &[Arg], row: &Row) {
        let signature = self.plan.funcs[root].signature.as_ref();
        let params = signature.map_or(&[][..], |s| &s.params);
        let given = params.iter().zip(args).filter(|(c, _)| c.role == Role::Into);
        let given: Vec<Arg> = given.map(|(_, &arg)| arg).collect();
        let written = row.components.iter().zip(results).filter(|(c, _)| c.role == Role::Into);
        for ((_, &place), arg) in written.zip(given) {
            if let (Place::Buffer(buffer), Arg::Buffer(from)) = (place, arg) {
                self.alias(buffer, from);
            }
        }
    }

    fn require_stack(&mut self, span: Span) {
        let site = self.shared.sites.number(Site::Memory, span);
        let room = "nesl_stack_left(state)";
        self.out.line(format!("NESL_REQUIRE(state->fault, {room}, {site}, 0, 0);"));
        self.stop_on_fault();
    }

    fn call_one(&mut self, results: &[Place], func: Func, args: &[Arg], row: &Row, span: Span) {
        self.require_stack(span);
        let name = self.fresh("row");
        self.out.line(format!("nesl_arg {name}[{}];", row.words()));
        let actuals: Vec<String> = args.iter().map(|&a| format!(", {}", self.arg(a))).collect();
        self.out.line(format!("{}(state, {name}{});", names::routine(func), actuals.concat()));
        self.stop_on_fault();
        self.name_written(results, func, args, row);
        for (i, &place) in results.iter().enumerate() {
            if row.components[i].role == Role::Into {
                continue;
            }
            let text = match place {
                Place::Slot(slot) => {
                    let ty = self.function.slots[slot];
                    format!("const {} {slot} = {name}[{i}].{};", self.shared.local(ty), field(ty))
                }
                Place::Buffer(buffer) => {
                    format!("{} *{buffer} = {name}[{i}].p;", self.ty(buffer))
                }
            };
            self.out.line(text);
        }
    }

    /// A call of a lifted function: the root's, for one lane after the other.
    fn call_lanes(
        &mut self,
        results: &[Place],
        lanes: plan::Lanes,
        args: &[Arg],
        row: &Row,
        span: Span,
    ) {
        self.require_stack(span);
        let (count, rows) = (self.arg(args[0]), self.fresh("rows"));
        let words = row.words();
        let ty = ("nesl_arg", 8);
        self.room_for(&Room { name: &rows, ty, count: args[0], each: words, span });
        for (component, &place) in row.components.iter().zip(results) {
            if let (0, Place::Buffer(buffer)) = (component.level, place)
                && component.role != Role::Into
            {
                self.buffer_room(buffer, args[0], span);
            }
        }
        let lane = self.fresh("lane");
        let per_lane = plan::routines::per_lane(self.plan, lanes);
        let actuals = actuals(args[1..].iter().map(|&a| self.arg(a)), &per_lane, &lane);
        let call = names::routine(lanes.root);
        let call = format!("{call}(state, {rows} + {lane} * {words}{actuals});");
        let spare = self.leave_spare(lanes);
        let offered = self.offer(lanes, (&count, &args[1..]), row);
        let each = format!("for (int64_t {lane} = 0; {lane} < {count} && !state->fault; {lane}++)");
        self.out.open(each);
        self.out.line(call);
        self.out.close("");
        if offered {
            self.out.close("");
        }
        if spare {
            self.out.line("state->spare = NULL;");
        }
        self.stop_on_fault();
        self.name_written(results, lanes.root, &args[1..], row);
        if row.components.iter().all(|c| c.role == Role::Into) {
            return;
        }
        let totals: Vec<String> = (1..row.levels).map(|_| self.fresh("total")).collect();
        for total in &totals {
            self.out.line(format!("int64_t {total} = 0;"));
        }
        add_up(&mut self.out, row, &rows, &count, &totals);
        let (plain, widths) = (row.is_plain(), self.shared.widths());
        for (i, (component, &place)) in row.components.iter().zip(results).enumerate() {
            let (level, Place::Buffer(buffer)) = (component.level, place) else { continue };
            let ty = self.ty(buffer);
            if level > 0 && plain {
                self.out.line(format!("{ty} *{buffer} = {count} > 0 ? {rows}[{i}].p : NULL;"));
            } else if level > 0 {
                let name = buffer.to_string();
                self.room(&name, ty, &totals[level - 1], "NESL_ALIGNED", span);
            }
        }
        self.out.open(format!("for (int64_t lane = 0; lane < {count}; lane++)"));
        self.out.line(format!("const nesl_arg *row = {rows} + lane * {words};"));
        for (i, &place) in results.iter().enumerate() {
            let Place::Buffer(buffer) = place else { continue };
            if !plain || row.components[i].level == 0 {
                let ty = self.function.buffers[buffer].ty;
                collect(&mut self.out, widths, row, i, &buffer.to_string(), ty);
            }
        }
        self.out.close("");
    }
}

/// Arguments of a routine for one lane: `, b7[lane], b6`.
pub(crate) fn actuals(args: impl Iterator<Item = String>, per_lane: &[bool], lane: &str) -> String {
    let text = |(arg, &each): (String, &bool)| {
        if each { format!(", {arg}[{lane}]") } else { format!(", {arg}") }
    };
    args.zip(per_lane).map(text).collect()
}
