//! Routines in C: the plan of a function as a C function that runs one lane's work.
//!
//! A launch is a call of the kernel's serial form, a buffer is a piece of the worker's own memory
//! (`rts/lanes.h`), a call of a lifted function is a loop over its lanes.  A routine leaves its
//! results in a *row* of words: one for each component of the layout (a scalar, or a pointer to
//! elements), then for each level below the root how many elements it has, then, for each level, a
//! place for where they start among the elements of all lanes.

mod calls;
mod compact;
mod home;
mod into;
mod join;
mod memory;
mod offer;
mod parting;
mod results;
mod rooms;
mod row;
mod short;

use self::compact::Piece;
use self::memory::{LOCAL, results, used_after};
use self::rooms::Rooms;
use self::short::Short;

pub(crate) use self::calls::actuals;
pub(crate) use self::results::{add_up, collect};
pub(crate) use self::row::Row;
use super::names;
use super::stmt::{Body, Shared};
use crate::shared::{Uses, Writer};
use base::Id;
use plan::{Arg, Block, Buffer, Func, Function, Place, Program, Step};
use prim::Const;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The declaration of a routine, and the parts of it that every call contains.
///
/// A routine with a short way is `f1_lane`, which tries `f1_short` and else calls `f1_long`.
pub(crate) fn declaration(shared: &mut Shared<'_>, plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let into = into::names(plan, function);
    let Some(short) = Short::of(shared.facts, plan, &into, function) else {
        return format!("static void {};\n", head(shared, function, &names::routine(func)));
    };
    let mut out = Writer::default();
    out.line(format!("static void {};", head(shared, function, &names::long(func))));
    out.blank();
    out.line(format!("/* {func} {}: a short lane, or false */", names::comment(&function.name)));
    out.open(format!("NESL_INLINE bool {}", head(shared, function, &names::short(func))));
    let mut steps = Steps::new(shared, plan, func);
    steps.steps(&function.body, 0..short.before);
    let cond = steps.arg(short.cond);
    let other = if short.when { format!("!{cond}") } else { cond };
    steps.out.line(format!("if ({other}) return false;"));
    steps.declare(short.results);
    steps.arm(short.results, short.short);
    steps.finish(&mut out, "return true;");
    out.blank();
    out.open(format!("NESL_INLINE void {}", head(shared, function, &names::routine(func))));
    let args: Vec<String> = function.params.iter().map(|p| format!(", {p}")).collect();
    let args = format!("(state, row{})", args.concat());
    let (short, long) = (names::short(func), names::long(func));
    out.line(format!("if (!{short}{args}) {long}{args};"));
    out.close("");
    out.blank();
    out.finish()
}

fn head(shared: &Shared<'_>, function: &Function, name: &str) -> String {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&place| match place {
            Place::Slot(slot) => format!(", {} {slot}", shared.local(function.slots[slot])),
            Place::Buffer(b) => format!(", {} *{b}", shared.element(function.buffers[b].ty)),
        })
        .collect();
    format!("{name}(nesl_state *state, nesl_arg *row{})", params.concat())
}

/// The routine, or the part of it that is a function of its own.
pub(crate) fn definition(shared: &mut Shared<'_>, plan: &Program, func: Func) -> String {
    let function = &plan.funcs[func];
    let into = into::names(plan, function);
    let short = Short::of(shared.facts, plan, &into, function);
    let name = if short.is_some() { names::long(func) } else { names::routine(func) };
    let head = head(shared, function, &name);
    let mut steps = Steps::new(shared, plan, func);
    if let Some(short) = &short {
        steps.steps(&function.body, 0..short.before);
        steps.declare(short.results);
        steps.out.open("");
        steps.within(&function.body, short.before, |s| s.arm(short.results, short.long));
        steps.out.close("");
    } else {
        steps.block(&function.body);
    }
    let mut out = std::mem::take(&mut steps.before);
    out.line(format!("/* {func} {}: one lane */", names::comment(&function.name)));
    out.open(format!("static void {head}"));
    steps.finish(&mut out, "return;");
    out.finish()
}

/// The steps of one routine.
struct Steps<'a, 's> {
    shared: &'s mut Shared<'a>,
    plan: &'s Program,
    func: Func,
    function: &'s Function,
    out: Writer,
    /// What stands before the function.
    before: Writer,
    /// Names made so far.
    serial: usize,
    /// Declarations of arrays, which live as long as the routine runs.
    locals: Vec<String>,
    /// Bytes that arrays may still have.
    left: usize,
    /// Buffers that are arrays, and of how many bytes.
    arrays: BTreeMap<Buffer, usize>,
    /// Buffers that are made to be the result.
    placed: BTreeSet<Buffer>,
    /// Names of vectors that the caller gave to be written to.
    into: BTreeSet<Buffer>,
    /// The room that lies where the result belongs.
    home: Option<plan::home::Home>,
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
    fn new(shared: &'s mut Shared<'a>, plan: &'s Program, func: Func) -> Self {
        let function = &plan.funcs[func];
        let signature = function.signature.as_ref();
        let row = Row::new(signature.unwrap_or_else(|| unreachable!("no layout")));
        let placed = if row.is_plain() { results(function) } else { BTreeSet::new() };
        Steps {
            shared,
            plan,
            func,
            function,
            out: Writer::body(),
            before: Writer::default(),
            serial: 0,
            locals: Vec::new(),
            left: LOCAL,
            arrays: BTreeMap::new(),
            placed,
            into: into::names(plan, function),
            home: plan::home::home(plan, func),
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
        self.shared.element(self.function.buffers[buffer].ty)
    }
    fn arg(&self, arg: Arg) -> String {
        match arg {
            Arg::Slot(slot) => slot.to_string(),
            Arg::Const(c) => self.shared.constant(c, true),
            Arg::Buffer(buffer) => buffer.to_string(),
            Arg::Past(buffer, from) => format!("({buffer} + {from})"),
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
        let mut beside = 0;
        for n in which {
            if n < beside {
                continue;
            }
            let step = &block.steps[n];
            if let Some(joined) = self.joined(block, n) {
                beside = joined;
                continue;
            }
            match *step {
                Step::Copy { buffer, from, .. } if self.into.contains(&from) => {
                    self.alias(buffer, from);
                }
                Step::Room { buffer, .. } if self.at_home(buffer) => self.room_at_home(buffer),
                Step::Room { buffer, len, span } if self.lies_over(buffer) => {
                    self.room_over(buffer, len, span);
                }
                Step::Copy { buffer, from, .. } if self.lies_over(from) => {
                    self.alias(buffer, from);
                }
                Step::Copy { buffer, from, .. } if self.at_home(from) && self.at_home(buffer) => {
                    self.alias(buffer, from);
                }
                Step::Copy { buffer, from, .. } if self.may_share(block, n, buffer, from) => {
                    if !self.close_room(block, n) {
                        self.forget_rooms();
                        self.alias(buffer, from);
                        self.rename_piece(from, buffer, None, true);
                    }
                }
                Step::Alloc { buffer, len, span, .. } | Step::Room { buffer, len, span }
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
                    arg.buffer() == Some(copy) && param.kind == plan::ParamKind::Out
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
            // Memory of its own, also where it may be over another: the stack's memory is at hand,
            // and a serial form relies on outputs that overlap nothing.
            Step::Alloc { buffer, len, span, .. } | Step::Room { buffer, len, span } => {
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
            Step::Behind { .. } | Step::Grow { .. } => {
                unreachable!("a routine has one lane, and hands up by reference")
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
        if let Some(&bytes) = self.arrays.get(&from) {
            self.arrays.insert(buffer, bytes);
        }
    }

    fn literal(&mut self, buffer: Buffer, consts: &[Const]) {
        let ty = self.ty(buffer);
        if consts.is_empty() {
            return self.out.line(format!("{ty} *{buffer} = ({ty} *)state;"));
        }
        let list: Vec<String> = consts.iter().map(|&c| self.shared.constant(c, false)).collect();
        let name = self.fresh("literal");
        self.out.line(format!("static const {ty} {name}[] = {{{}}};", list.join(", ")));
        self.out.line(format!("{ty} *{buffer} = ({ty} *){name};"));
    }

    fn eval(&mut self, results: &[plan::Slot], code: &scalar::Code<Place>) {
        for &slot in results {
            self.out.line(format!("{} {slot};", self.shared.local(self.function.slots[slot])));
        }
        let facts = self.shared.facts;
        let (mut fails, mut lane) = (false, false);
        crate::shared::facts::walk(&code.body, &mut |stmt| {
            fails |= facts.stmt_fails(stmt, &code.vars);
            lane |= matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
        });
        self.out.open("");
        let uses = Uses::of_code(code);
        let mut body = Body::of_code(
            &mut *self.shared,
            std::mem::take(&mut self.out),
            (&code.vars, &uses),
            fails || lane,
        );
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
                self.out.line(format!(
                    "{} {slot} = 0;",
                    self.shared.element(self.function.slots[slot])
                ));
                actuals.push(format!("&{slot}"));
            } else {
                actuals.push(self.arg(arg));
            }
        }
        let shared = self.part(id, args);
        self.out.line(format!("{}({});", names::serial(id), actuals.join(", ")));
        if shared {
            self.out.close("");
        }
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
                Place::Slot(slot) => {
                    format!("{} {slot};", self.shared.local(self.function.slots[slot]))
                }
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
}
