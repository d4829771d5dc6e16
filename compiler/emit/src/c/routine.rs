//! Routines in C: the plan of a function as a C function that runs one lane's work.
//!
//! A launch is a call of the kernel's serial form, a buffer is a piece of the worker's own memory
//! (`rts/lanes.h`), a call of a lifted function is a loop over its lanes.  A routine leaves its
//! results in a *row* of words: one for each component of the layout (a scalar, or a pointer to
//! elements), then for each level below the root how many elements it has, then, for each level, a
//! place for where they start among the elements of all lanes.

mod compact;
mod memory;
mod rooms;
mod row;
mod short;

use self::compact::Piece;
use self::memory::{LOCAL, Room, results, used_after};
use self::rooms::Rooms;
use self::short::Short;

pub(crate) use self::row::Row;
use super::names;
use super::stmt::{Body, Lane, Shared};
use super::types::{constant, element, field, local};
use crate::shared::{Uses, Writer};
use base::{Id, Site, Span};
use plan::{Arg, Block, Buffer, Func, Function, Place, Program, Step};
use prim::{Component, Const, Role, Ty};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The declaration of a routine, and the parts of it that every call contains.
///
/// A routine with a short way is `f1_lane`, which tries `f1_short` and else calls `f1_long`.
pub(crate) fn declaration(shared: &mut Shared<'_>, plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let Some(short) = Short::of(shared.facts, function) else {
        return format!("static void {};\n", head(function, &names::routine(func)));
    };
    let mut out = Writer::default();
    out.line(format!("static void {};", head(function, &names::long(func))));
    out.blank();
    out.line(format!("/* {func} {}: a short lane, or false */", names::comment(&function.name)));
    out.open(format!("NESL_INLINE bool {}", head(function, &names::short(func))));
    let mut steps = Steps::new(shared, plan, function);
    steps.steps(&function.body, 0..short.before);
    let cond = steps.arg(short.cond);
    let other = if short.when { format!("!{cond}") } else { cond };
    steps.out.line(format!("if ({other}) return false;"));
    steps.declare(short.results);
    steps.arm(short.results, short.short);
    steps.finish(&mut out, "return true;");
    out.blank();
    out.open(format!("NESL_INLINE void {}", head(function, &names::routine(func))));
    let args: Vec<String> = function.params.iter().map(|p| format!(", {p}")).collect();
    let args = format!("(state, row{})", args.concat());
    let (short, long) = (names::short(func), names::long(func));
    out.line(format!("if (!{short}{args}) {long}{args};"));
    out.close("");
    out.blank();
    out.finish()
}

fn head(function: &Function, name: &str) -> String {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&place| match place {
            Place::Slot(slot) => format!(", {} {slot}", local(function.slots[slot])),
            Place::Buffer(b) => format!(", {} *{b}", element(function.buffers[b].ty)),
        })
        .collect();
    format!("{name}(nesl_state *state, nesl_arg *row{})", params.concat())
}

/// The routine, or the part of it that is a function of its own.
pub(crate) fn definition(shared: &mut Shared<'_>, plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let short = Short::of(shared.facts, function);
    let name = if short.is_some() { names::long(func) } else { names::routine(func) };
    let mut out = Writer::default();
    out.line(format!("/* {func} {}: one lane */", names::comment(&function.name)));
    out.open(format!("static void {}", head(function, &name)));
    let mut steps = Steps::new(shared, plan, function);
    if let Some(short) = &short {
        steps.steps(&function.body, 0..short.before);
        steps.declare(short.results);
        steps.out.open("");
        steps.within(&function.body, short.before, |s| s.arm(short.results, short.long));
        steps.out.close("");
    } else {
        steps.block(&function.body);
    }
    steps.finish(&mut out, "return;");
    out.finish()
}

/// The steps of one routine.
struct Steps<'a, 's> {
    shared: &'s mut Shared<'a>,
    plan: &'s Program,
    function: &'s Function,
    out: Writer,
    /// Names made so far.
    serial: usize,
    /// Declarations of arrays, which live as long as the routine runs.
    locals: Vec<String>,
    /// Bytes that arrays may still have.
    left: usize,
    /// Buffers that are arrays.
    arrays: BTreeSet<Buffer>,
    /// Buffers that are made to be the result.
    placed: BTreeSet<Buffer>,
    /// Buffers made so far that have a name here.
    known: Vec<Buffer>,
    /// For each step that the present one is part of, the buffers used after it.
    later: Vec<BTreeSet<Buffer>>,
    /// Rooms at the top of the stack.
    rooms: Rooms,
    /// What this function has on the stack, from its first piece to the top; empty if something
    /// else is there, too.
    pieces: Vec<Piece>,
}

impl<'a, 's> Steps<'a, 's> {
    fn new(shared: &'s mut Shared<'a>, plan: &'s Program, function: &'s Function) -> Self {
        let signature = function.signature.as_ref();
        let row = Row::new(signature.unwrap_or_else(|| unreachable!("no layout")));
        let placed = if row.is_plain() { results(function) } else { BTreeSet::new() };
        Steps {
            shared,
            plan,
            function,
            out: Writer::body(),
            serial: 0,
            locals: Vec::new(),
            left: LOCAL,
            arrays: BTreeSet::new(),
            placed,
            known: Vec::new(),
            later: Vec::new(),
            rooms: Rooms::default(),
            pieces: Vec::new(),
        }
    }
    /// Ends the function: arrays, the steps so far, the results.
    fn finish(mut self, out: &mut Writer, end: &str) {
        let signature = self.function.signature.as_ref();
        let row = Row::new(signature.unwrap_or_else(|| unreachable!("no layout")));
        self.results(&row, &self.function.body.yields);
        out.line("char *const mark = state->arena->top;");
        for line in &self.locals {
            out.line(line);
        }
        out.append(&self.out);
        out.line(end);
        out.label("failed:");
        out.line("nesl_release(state, mark);");
        if end != "return;" {
            out.line(end);
        }
        out.close("");
    }
}

impl Steps<'_, '_> {
    fn ty(&self, buffer: Buffer) -> &'static str {
        element(self.function.buffers[buffer].ty)
    }
    fn arg(&self, arg: Arg) -> String {
        match arg {
            Arg::Slot(slot) => slot.to_string(),
            Arg::Const(c) => constant(c, true),
            Arg::Buffer(buffer) => buffer.to_string(),
        }
    }
    fn fresh(&mut self, stem: &str) -> String {
        self.serial += 1;
        format!("{stem}{}", self.serial)
    }
    /// Ends the routine if a check failed.
    fn stop_on_fault(&mut self) {
        self.out.line("if (state->fault) goto failed;");
    }

    fn block(&mut self, block: &Block) {
        self.steps(block, 0..block.steps.len());
    }
    fn steps(&mut self, block: &Block, which: Range<usize>) {
        for n in which {
            let step = &block.steps[n];
            match *step {
                Step::Copy { buffer, from, .. } if self.may_share(block, n, buffer, from) => {
                    if !self.close_room(block, n) {
                        self.forget_rooms();
                        self.alias(buffer, from);
                        self.rename_piece(from, buffer, None, true);
                    }
                }
                Step::Alloc { buffer, len, span } | Step::Room { buffer, len, span }
                    if self.placed.contains(&buffer) =>
                {
                    let live = self.live(block, n);
                    self.place(buffer, len, &live, span);
                }
                Step::If { .. } => {
                    self.within(block, n, |steps| steps.step(step));
                    self.pieces.clear();
                }
                Step::Call { .. } => {
                    self.compact(block, n);
                    self.step(step);
                    self.pieces.clear();
                }
                Step::Alias(buffer, from) => {
                    self.step(step);
                    self.rename_piece(from, buffer, None, !used_after(block, n).contains(&from));
                }
                Step::Copy { .. } => {
                    self.forget_rooms();
                    self.step(step);
                }
                _ => self.step(step),
            }
            self.note_rooms(step);
            self.known.extend(step.results().iter().filter_map(|p| p.buffer()));
        }
    }
    /// Prints what is part of step `n` of a block.
    fn within(&mut self, block: &Block, n: usize, print: impl FnOnce(&mut Self)) {
        self.later.push(used_after(block, n));
        self.forget_rooms();
        print(self);
        self.later.pop();
    }

    /// Whether step `n`, a copy, may be another name: the original is not used after it, and the
    /// copy is never written to.
    fn may_share(&self, block: &Block, n: usize, copy: Buffer, from: Buffer) -> bool {
        let mut written = false;
        plan::routines::walk(&self.function.body, &mut |step| {
            if let Step::Launch { cluster, args, .. } = step {
                let params = &self.plan.clusters[*cluster].params;
                let out = |(arg, param): (&Arg, &plan::Param)| {
                    *arg == Arg::Buffer(copy) && param.kind == plan::ParamKind::Out
                };
                written |= args.iter().zip(params).any(out);
            }
        });
        let after = &block.steps[n + 1..];
        let dies =
            after.iter().take_while(|s| matches!(s, Step::Free(_))).any(|s| *s == Step::Free(from));
        dies && !written
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Alloc { buffer, len, span } | Step::Room { buffer, len, span } => {
                self.buffer_room(*buffer, *len, *span);
            }
            Step::Literal(buffer, consts) => self.literal(*buffer, consts),
            Step::Alias(buffer, from) => self.alias(*buffer, *from),
            Step::Copy { buffer, from, len, span } => {
                let (ty, arg, len) = (self.ty(*buffer), *len, self.arg(*len));
                self.buffer_room(*buffer, arg, *span);
                let bytes = format!("(size_t)nesl_max({len}, 0) * sizeof({ty})");
                self.out.line(format!("memcpy({buffer}, {from}, {bytes});"));
            }
            Step::Zero { buffer, len, span } => {
                let (ty, arg, len) = (self.ty(*buffer), *len, self.arg(*len));
                self.buffer_room(*buffer, arg, *span);
                let bytes = format!("(size_t)nesl_max({len}, 0) * sizeof({ty})");
                self.out.line(format!("memset({buffer}, 0, {bytes});"));
            }
            Step::Eval { results, code } => self.eval(results, code),
            Step::Launch { cluster, args, .. } => {
                self.launch(Id::new(cluster.index()), args);
            }
            Step::If { results, cond, then, els } => self.choice(results, *cond, then, els),
            Step::Call { results, func, args, span } => self.call(results, *func, args, *span),
            Step::Fail { .. } => unreachable!("no routine stops with a message"),
            Step::Free(_) => {}
        }
    }

    fn alias(&mut self, buffer: Buffer, from: Buffer) {
        self.out.line(format!("{} *{buffer} = {from};", self.ty(buffer)));
        if self.arrays.contains(&from) {
            self.arrays.insert(buffer);
        }
    }

    fn literal(&mut self, buffer: Buffer, consts: &[Const]) {
        let ty = self.ty(buffer);
        if consts.is_empty() {
            return self.out.line(format!("{ty} *{buffer} = ({ty} *)state;"));
        }
        let list: Vec<String> = consts.iter().map(|&c| constant(c, false)).collect();
        let name = self.fresh("literal");
        self.out.line(format!("static const {ty} {name}[] = {{{}}};", list.join(", ")));
        self.out.line(format!("{ty} *{buffer} = ({ty} *){name};"));
    }

    fn eval(&mut self, results: &[plan::Slot], code: &scalar::Code<Place>) {
        for &slot in results {
            self.out.line(format!("{} {slot};", local(self.function.slots[slot])));
        }
        let facts = self.shared.facts;
        let (mut fails, mut lane) = (false, false);
        crate::shared::facts::walk(&code.body, &mut |stmt| {
            fails |= facts.stmt_fails(stmt, &code.vars);
            lane |= matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
        });
        self.out.open("");
        let uses = Uses::of_code(code);
        let mut body = Body {
            shared: &mut *self.shared,
            out: std::mem::take(&mut self.out),
            vars: &code.vars,
            movable: &|_| true,
            uses: &uses,
            inlined: HashMap::new(),
            kernel: None,
            lane: if fails || lane { Lane::Pointer } else { Lane::None },
            flag: "state->fault".to_owned(),
            serial: 0,
            shown: None,
        };
        body.stmts(&code.body);
        for (slot, &value) in results.iter().zip(&code.body.yields) {
            let value = body.text(value);
            body.out.line(format!("{slot} = {value};"));
        }
        self.out = body.out;
        self.out.close("");
        if fails {
            self.stop_on_fault();
        }
    }

    fn launch(&mut self, id: ::kernel::KernelId, args: &[Arg]) {
        let cluster = &self.plan.clusters[Id::new(id.index())];
        let mut actuals = vec!["state".to_owned()];
        for (param, &arg) in cluster.params.iter().zip(args) {
            if let (plan::ParamKind::Set, Arg::Slot(slot)) = (param.kind, arg) {
                self.out.line(format!("{} {slot} = 0;", element(self.function.slots[slot])));
                actuals.push(format!("&{slot}"));
            } else {
                actuals.push(self.arg(arg));
            }
        }
        self.out.line(format!("{}({});", names::serial(id), actuals.join(", ")));
        for (lanes, each) in plan::touched::weights(cluster) {
            let lanes = match lanes {
                plan::touched::Lanes::Const(n) => n.to_string(),
                plan::touched::Lanes::Param(n) => self.arg(args[n]),
            };
            self.out.line(format!("state->arena->touched += {each} * nesl_max({lanes}, 0);"));
        }
        if super::kernel::fails(self.shared, &self.shared.program.serial[&id]) {
            self.stop_on_fault();
        }
    }

    fn choice(&mut self, results: &[Place], cond: Arg, then: &Block, els: &Block) {
        self.declare(results);
        let cond = self.arg(cond);
        self.out.open(format!("if ({cond})"));
        self.arm(results, then);
        self.out.between("else");
        self.arm(results, els);
        self.out.close("");
    }
    fn declare(&mut self, results: &[Place]) {
        for &place in results {
            let text = match place {
                Place::Slot(slot) => format!("{} {slot};", local(self.function.slots[slot])),
                Place::Buffer(buffer) => format!("{} *{buffer};", self.ty(buffer)),
            };
            self.out.line(text);
        }
    }
    fn arm(&mut self, results: &[Place], block: &Block) {
        let (outside, pieces) = (self.known.len(), self.pieces.clone());
        self.block(block);
        self.known.truncate(outside);
        self.pieces = pieces;
        for (place, &value) in results.iter().zip(&block.yields) {
            let value = self.arg(value);
            self.out.line(format!("{place} = {value};"));
        }
    }

    fn call(&mut self, results: &[Place], func: Func, args: &[Arg], span: Span) {
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
        let args: Vec<String> = args.iter().map(|&a| format!(", {}", self.arg(a))).collect();
        self.out.line(format!("{}(state, {name}{});", names::routine(func), args.concat()));
        self.stop_on_fault();
        for (i, &place) in results.iter().enumerate() {
            let text = match place {
                Place::Slot(slot) => {
                    let ty = self.function.slots[slot];
                    format!("const {} {slot} = {name}[{i}].{};", local(ty), field(ty))
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
            if let (0, Place::Buffer(buffer)) = (component.level, place) {
                self.buffer_room(buffer, args[0], span);
            }
        }
        let lane = self.fresh("lane");
        let per_lane = plan::routines::per_lane(self.plan, lanes);
        let actuals = actuals(args[1..].iter().map(|&a| self.arg(a)), &per_lane, &lane);
        let each = format!("for (int64_t {lane} = 0; {lane} < {count} && !state->fault; {lane}++)");
        self.out.open(each);
        let call = names::routine(lanes.root);
        self.out.line(format!("{call}(state, {rows} + {lane} * {words}{actuals});"));
        self.out.close("");
        self.stop_on_fault();
        let totals: Vec<String> = (1..row.levels).map(|_| self.fresh("total")).collect();
        for total in &totals {
            self.out.line(format!("int64_t {total} = 0;"));
        }
        add_up(&mut self.out, row, &rows, &count, &totals);
        let plain = row.is_plain();
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
                collect(&mut self.out, row, i, &buffer.to_string(), ty);
            }
        }
        self.out.close("");
    }

    /// The end of a routine: its results, packed, move to where its memory began.
    fn results(&mut self, row: &Row, yields: &[Arg]) {
        let count = |level: usize| format!("row[{}].i", row.count(level));
        for (i, (component, &value)) in row.components.iter().zip(yields).enumerate() {
            let text = match (component.level, component.role) {
                (0, Role::Item) => {
                    let ty = match value {
                        Arg::Slot(slot) => self.function.slots[slot],
                        Arg::Const(c) => c.ty(),
                        Arg::Buffer(_) => unreachable!("a scalar is no buffer"),
                    };
                    format!("row[{i}].{} = {};", field(ty), self.arg(value))
                }
                (0, Role::Start(_)) => format!("row[{i}].i = 0;"),
                (0, Role::Len(level)) => {
                    let len = format!("nesl_max({}, 0)", self.arg(value));
                    format!("row[{i}].i = {} = {len};", count(level))
                }
                _ => continue,
            };
            self.out.line(text);
        }
        if row.is_plain() {
            return self.plain_result(yields, &count(1));
        }
        if row.levels == 1 {
            return self.out.line("nesl_release(state, mark);");
        }
        self.out.line("char *const first = state->arena->top = nesl_align(state->arena->top, 8);");
        for level in 1..row.levels {
            self.pack_level(row, level, yields);
        }
        self.out.line("char *const to = nesl_align(mark, 8);");
        self.out.line("const int64_t moved = nesl_settle(state, to, first);");
        for (i, component) in row.components.iter().enumerate() {
            if component.level > 0 {
                self.out.line(format!("row[{i}].p = (char *)row[{i}].p - moved;"));
            }
        }
    }

    /// One vector: moved as it is.
    fn plain_result(&mut self, yields: &[Arg], count: &str) {
        let (start, pool) = (self.arg(yields[0]), self.arg(yields[2]));
        let Arg::Buffer(buffer) = yields[2] else { unreachable!("a pool is a buffer") };
        let size = format!("sizeof({})", self.ty(buffer));
        // Aligned for its elements, so that results of lanes lie one after the other.
        self.out.line(format!("char *const to = nesl_align(mark, {size});"));
        let bytes = format!("{count} * (int64_t){size}");
        self.out.line(format!("const char *const from = (const char *)({pool} + {start});"));
        self.out.open("if (from != to)");
        // What was not made here has had no room yet.
        self.out.line(format!("const bool fits = {bytes} <= state->arena->limit - to;"));
        self.require_room("fits", &bytes, Span::none());
        self.out.line(format!("nesl_move(to, from, {bytes});"));
        self.out.close("");
        self.out.line(format!("nesl_release(state, to + {bytes});"));
        self.out.line("row[2].p = to;");
    }

    /// The elements of a level that belong to the result, without gaps, above all else.
    fn pack_level(&mut self, row: &Row, level: usize, yields: &[Arg]) {
        let (parent, count) = (row.parent(level), format!("row[{}].i", row.count(level)));
        let [start, len] = [Role::Start(level), Role::Len(level)].map(|role| row.find(role));
        let segments = format!("row[{}].i", row.count(parent.max(1)));
        let [starts, lens] = [start, len].map(|i| format!("((int64_t *)row[{i}].p)"));
        if parent > 0 {
            self.out.line(format!("{count} = 0;"));
            self.out.open(format!("for (int64_t i = 0; i < {segments}; i++)"));
            self.out.line(format!("{count} += {lens}[i];"));
            self.out.close("");
        }
        for (i, component) in row.components.iter().enumerate() {
            let (true, Arg::Buffer(buffer)) = (component.level == level, yields[i]) else {
                continue;
            };
            let (ty, name) = (self.ty(buffer), self.fresh("packed"));
            self.room(&name, ty, &count, "8", Span::none());
            self.out.line(format!("row[{i}].p = {name};"));
            let copy = |to: &str, from: &str, len: &str| {
                format!("memcpy({to}, {buffer} + {from}, (size_t){len} * sizeof({ty}));")
            };
            if parent == 0 {
                let start = self.arg(yields[start]);
                self.out.line(copy(&name, &start, &count));
            } else {
                self.out.open(format!("for (int64_t i = 0, at = 0; i < {segments}; i++)"));
                let [start, len] = [&starts, &lens].map(|list| format!("{list}[i]"));
                self.out.line(copy(&format!("{name} + at"), &start, &len));
                self.out.line(format!("at += {lens}[i];"));
                self.out.close("");
            }
        }
        if parent > 0 {
            self.out.open(format!("for (int64_t i = 0, at = 0; i < {segments}; i++)"));
            self.out.line(format!("{starts}[i] = at;"));
            self.out.line(format!("at += {lens}[i];"));
            self.out.close("");
        }
    }
}

/// Arguments of a routine for one lane: `, b7[lane], b6`.
pub(crate) fn actuals(args: impl Iterator<Item = String>, per_lane: &[bool], lane: &str) -> String {
    let text = |(arg, &each): (String, &bool)| {
        if each { format!(", {arg}[{lane}]") } else { format!(", {arg}") }
    };
    args.zip(per_lane).map(text).collect()
}

/// Fills in where each lane's elements start at each level; leaves the totals in variables.
pub(crate) fn add_up(out: &mut Writer, row: &Row, rows: &str, count: &str, totals: &[String]) {
    out.open(format!("for (int64_t lane = 0; lane < {count}; lane++)"));
    out.line(format!("nesl_arg *row = {rows} + lane * {};", row.words()));
    for (level, total) in (1..row.levels).zip(totals) {
        out.line(format!("row[{}].i = {total};", row.offset(level)));
        out.line(format!("{total} += row[{}].i;", row.count(level)));
    }
    out.close("");
}

/// Brings a component of the lane's row to its place among those of all lanes.
pub(crate) fn collect(out: &mut Writer, row: &Row, component: usize, to: &str, ty: Ty) {
    let Component { level, role } = row.components[component];
    let offset = |level: usize| format!("row[{}].i", row.offset(level));
    if level == 0 {
        let value = match role {
            Role::Item => format!("row[{component}].{}", field(ty)),
            Role::Start(child) => offset(child),
            Role::Len(child) => format!("row[{}].i", row.count(child)),
        };
        return out.line(format!("{to}[lane] = {value};"));
    }
    let (at, count) = (offset(level), format!("row[{}].i", row.count(level)));
    if let Role::Start(child) = role {
        out.open(format!("for (int64_t i = 0; i < {count}; i++)"));
        let from = format!("((const int64_t *)row[{component}].p)[i]");
        out.line(format!("{to}[{at} + i] = {from} + {};", offset(child)));
        return out.close("");
    }
    let bytes = format!("(size_t){count} * sizeof({})", element(ty));
    out.line(format!("memcpy({to} + {at}, row[{component}].p, {bytes});"));
}
