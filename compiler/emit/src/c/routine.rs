//! Routines in C: the plan of a function as a C function that runs one lane's work.
//!
//! A launch is a call of the kernel's serial form, a buffer is a piece of the worker's own memory
//! (`rts/lanes.h`), a call of a lifted function is a loop over its lanes.  A routine leaves its
//! results in a *row* of words: one for each component of the layout (a scalar, or a pointer to
//! elements), then for each level below the root how many elements it has, then, for each level, a
//! place for where they start among the elements of all lanes.

use super::names;
use super::stmt::{Body, Lane, Shared};
use super::types::{constant, element, field, local};
use crate::shared::{Uses, Writer};
use base::{Id, Site, Span};
use plan::{Arg, Block, Buffer, Func, Function, Place, Program, Step};
use prim::layout::levels;
use prim::{Component, Const, Role, Signature, Ty};
use std::collections::HashMap;

/// Where things lie in a row of results.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) components: Vec<Component>,
    /// Levels, the root included.
    pub(crate) levels: usize,
}

impl Row {
    pub(crate) fn new(signature: &Signature) -> Row {
        let components = signature.results.clone();
        Row { levels: levels(&components), components }
    }
    /// Words of a row.
    pub(crate) fn words(&self) -> usize {
        self.components.len() + 2 * (self.levels - 1)
    }
    /// The word that counts a level's elements.
    pub(crate) fn count(&self, level: usize) -> usize {
        self.components.len() + level - 1
    }
    /// The word that says where a level's elements start among those of all lanes.
    pub(crate) fn offset(&self, level: usize) -> usize {
        self.count(level) + self.levels - 1
    }
    /// Whether the results are one vector of scalars, which need not be brought together.
    fn is_plain(&self) -> bool {
        let roles = self.components.iter().map(|c| c.role);
        roles.eq([Role::Start(1), Role::Len(1), Role::Item])
    }
    /// The number of the component that holds the start or length of a level.
    fn find(&self, role: Role) -> usize {
        let found = self.components.iter().position(|c| c.role == role);
        found.unwrap_or_else(|| unreachable!("no component is {role:?}"))
    }
    /// The level that holds the starts and lengths of this one.
    fn parent(&self, level: usize) -> usize {
        self.components[self.find(Role::Len(level))].level
    }
}

/// The declaration of a routine.
pub(crate) fn declaration(plan: &Program, func: Func) -> String {
    format!("{};\n", head(plan, func))
}

fn head(plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&place| match place {
            Place::Slot(slot) => format!(", {} {slot}", local(function.slots[slot])),
            Place::Buffer(b) => format!(", {} *{b}", element(function.buffers[b].ty)),
        })
        .collect();
    format!(
        "static void {}(nesl_state *state, nesl_arg *row{})",
        names::routine(func),
        params.concat()
    )
}

/// The routine.
pub(crate) fn definition(shared: &mut Shared<'_>, plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let signature =
        function.signature.as_ref().unwrap_or_else(|| unreachable!("{func} has no layout"));
    let mut out = Writer::default();
    out.line(format!("/* {func} {}: one lane */", names::comment(&function.name)));
    out.open(head(plan, func));
    out.line("char *const mark = state->arena->top;");
    let mut steps = Steps { shared, plan, function, out, serial: 0 };
    steps.block(&function.body);
    steps.results(&Row::new(signature), &function.body.yields);
    steps.out.line("return;");
    let mut out = steps.out;
    out.label("failed:");
    out.line("state->arena->top = mark;");
    out.close("");
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
        for (n, step) in block.steps.iter().enumerate() {
            match *step {
                Step::Copy { buffer, from, .. } if self.may_share(block, n, buffer, from) => {
                    self.out.line(format!("{} *{buffer} = {from};", self.ty(buffer)));
                }
                _ => self.step(step),
            }
        }
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
                let len = self.arg(*len);
                self.room(&buffer.to_string(), self.ty(*buffer), &len, "NESL_ALIGNED", *span);
            }
            Step::Literal(buffer, consts) => self.literal(*buffer, consts),
            Step::Alias(buffer, from) => {
                self.out.line(format!("{} *{buffer} = {from};", self.ty(*buffer)));
            }
            Step::Copy { buffer, from, len, span } => {
                let (ty, len) = (self.ty(*buffer), self.arg(*len));
                self.room(&buffer.to_string(), ty, &len, "NESL_ALIGNED", *span);
                let bytes = format!("(size_t)nesl_max({len}, 0) * sizeof({ty})");
                self.out.line(format!("memcpy({buffer}, {from}, {bytes});"));
            }
            Step::Zero { buffer, len, span } => {
                let (ty, len) = (self.ty(*buffer), self.arg(*len));
                self.room(&buffer.to_string(), ty, &len, "NESL_ALIGNED", *span);
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

    /// Declares a pointer to memory for some elements.
    fn room(&mut self, name: &str, ty: &str, len: &str, unit: &str, span: Span) {
        self.out.line(format!("{ty} *{name} = nesl_room(state, {len}, sizeof({ty}), {unit});"));
        let site = self.shared.sites.number(Site::Memory, span);
        let bytes = format!("{len} * (int64_t)sizeof({ty})");
        self.out.open(format!("if (!{name})"));
        self.out.line(format!("NESL_REQUIRE(state->fault, 0, {site}, {bytes}, 1);"));
        self.out.line("goto failed;");
        self.out.close("");
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
        for &place in results {
            let text = match place {
                Place::Slot(slot) => format!("{} {slot};", local(self.function.slots[slot])),
                Place::Buffer(buffer) => format!("{} *{buffer};", self.ty(buffer)),
            };
            self.out.line(text);
        }
        let cond = self.arg(cond);
        self.out.open(format!("if ({cond})"));
        self.arm(results, then);
        self.out.between("else");
        self.arm(results, els);
        self.out.close("");
    }
    fn arm(&mut self, results: &[Place], block: &Block) {
        self.block(block);
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
        self.room(&rows, "nesl_arg", &format!("{count} * {words}"), "NESL_ALIGNED", span);
        for (component, &place) in row.components.iter().zip(results) {
            if let (0, Place::Buffer(buffer)) = (component.level, place) {
                self.room(&buffer.to_string(), self.ty(buffer), &count, "NESL_ALIGNED", span);
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
            return self.out.line("state->arena->top = mark;");
        }
        self.out.line("char *const first = state->arena->top = nesl_top(state->arena, 8);");
        for level in 1..row.levels {
            self.pack_level(row, level, yields);
        }
        self.out.line("char *const to = (char *)(((uintptr_t)mark + 7) & ~(uintptr_t)7);");
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
        self.out.line(format!("char *const to = (char *)(((uintptr_t)mark + {size} - 1)"));
        self.out.line(format!("    / {size} * {size});"));
        let bytes = format!("{count} * (int64_t){size}");
        self.out.line(format!("nesl_move(to, (const char *)({pool} + {start}), {bytes});"));
        self.out.line(format!("state->arena->top = to + {count} * (int64_t){size};"));
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
