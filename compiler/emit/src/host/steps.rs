//! Plans as functions of the host: each step a line or two.
//!
//! Scalars are variables.  A buffer is a pointer to what counts the names for it: a name that ends
//! is dropped, one that goes into a call for the last time is given away with it.

use super::names::{plan_function, result};
use super::target::Target;
use crate::shared::facts::walk;
use crate::shared::stmt::{Body, Shared};
use crate::shared::types::{self, field};
use crate::shared::{Uses, Writer, names};
use base::{Id, Span};
use kernel::KernelId;
use plan::over::{dies, ends_soon};
use plan::{Arg, Block, Buffer, Func, ParamKind, Place, Program, Slot, Step};
use prim::{Const, Ty};
use scalar::Code;
use std::collections::BTreeSet;
use std::fmt;

/// What printing plans needs.
pub(super) struct Host<'a, 's> {
    pub(super) shared: &'s mut Shared<'a>,
    pub(super) plan: &'a Program,
    pub(super) target: &'s Target,
    /// Plans that can come to call themselves.
    pub(super) recursive: BTreeSet<Func>,
}

/// The head of a plan's function.
pub(super) fn head(plan: &Program, func: Func) -> String {
    let local = |ty| types::local(plan.widths, ty);
    let function = &plan.funcs[func];
    let mut params = vec!["nesl_call *call".to_owned()];
    for param in &function.params {
        params.push(match param {
            Place::Slot(slot) => format!("{} {slot}", local(function.slots[*slot])),
            Place::Buffer(buffer) => format!("nesl_buffer *{buffer}"),
        });
    }
    for (i, value) in function.body.yields.iter().enumerate() {
        let name = result(i);
        params.push(match value {
            Arg::Slot(slot) => format!("{} *{name}", local(function.slots[*slot])),
            Arg::Const(c) => format!("{} *{name}", local(c.ty())),
            Arg::Buffer(_) | Arg::Past(..) => format!("nesl_buffer **{name}"),
        });
    }
    format!("static void {}({})", plan_function(plan, func), params.join(", "))
}

/// The function of a plan.
pub(super) fn definition(host: &mut Host<'_, '_>, func: Func) -> String {
    let function = &host.plan.funcs[func];
    let mut out = Writer::default();
    out.line(format!("/* {} */", names::comment(&function.name)));
    out.open(head(host.plan, func));
    if calls_again(&function.body, func) {
        out.line("again:;");
    }
    let mut steps = Steps {
        host,
        func,
        function,
        out,
        serial: 0,
        given: BTreeSet::new(),
        pending: Vec::new(),
        afterwards: Some(Vec::new()),
    };
    steps.block(&function.body);
    let outer = BTreeSet::new();
    let values = steps.yielded(&function.body, &outer, true);
    for (i, value) in values.iter().enumerate() {
        steps.out.line(format!("*{} = {value};", result(i)));
    }
    steps.out.close("");
    steps.out.finish()
}

/// A name of the plan as it is read by code of the host.
#[derive(Clone, Copy, PartialEq)]
enum Name {
    Slot(Slot),
    /// Elements of memory of the host.
    Here(Buffer, &'static str),
    /// Elements of memory of a device.
    There(Buffer, &'static str),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Slot(slot) => write!(f, "{slot}"),
            Name::Here(buffer, field) => write!(f, "{buffer}->{field}"),
            Name::There(buffer, ty) => write!(f, "nesl_read<{ty}>(call, {buffer})"),
        }
    }
}

/// The steps of one function.
struct Steps<'h, 'a, 's> {
    host: &'h mut Host<'a, 's>,
    func: Func,
    function: &'a plan::Function,
    out: Writer,
    /// Names made so far.
    serial: usize,
    /// Buffers that a step before took over: they are not dropped any more.
    given: BTreeSet<Buffer>,
    /// Scalars that launches set on a device, and the cells where; not read yet.
    pending: Vec<(Slot, String)>,
    /// In a block that the function ends with, the buffers that are freed behind it.
    afterwards: Option<Vec<Buffer>>,
}

impl<'a> Steps<'_, 'a, '_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.serial += 1;
        format!("{stem}{}", self.serial)
    }
    fn ty(&self, buffer: Buffer) -> &'static str {
        self.host.shared.element(self.function.buffers[buffer].ty)
    }
    fn arg(&self, arg: Arg) -> String {
        match arg {
            Arg::Slot(slot) => slot.to_string(),
            Arg::Const(c) => self.host.shared.constant(c, false),
            Arg::Buffer(buffer) | Arg::Past(buffer, _) => buffer.to_string(),
        }
    }
    fn site(&mut self, span: Span) -> usize {
        self.host.shared.sites.number(base::Site::Memory, span)
    }

    fn block(&mut self, block: &'a Block) {
        for (n, step) in block.steps.iter().enumerate() {
            self.await_scalars(step);
            let after = &block.steps[n + 1..];
            let afterwards = self.afterwards.take();
            if let Some(behind) = &afterwards
                && block.ends_with(n)
            {
                let freed = after.iter().filter_map(Step::freed).chain(behind.iter().copied());
                let freed: Vec<Buffer> = freed.collect();
                if self.calls_again(step, after, &freed) {
                    self.afterwards = afterwards;
                    return;
                }
                self.afterwards = Some(freed);
            }
            self.step(step, after);
            self.afterwards = afterwards;
        }
        let yields: Vec<Slot> = block.yields.iter().filter_map(|y| y.slot()).collect();
        self.read_pending(|slot| yields.contains(&slot));
    }
    /// Reads what launches have set if a step uses some of it; before calls, all of it.
    fn await_scalars(&mut self, step: &Step) {
        if self.pending.is_empty() {
            return;
        }
        let mut used = Vec::new();
        scalars(step, &mut used);
        // Callees set scalars, too, and there are only so many cells.
        let all = calls(step);
        self.read_pending(|slot| all || used.contains(&slot));
    }
    fn read_pending(&mut self, wanted: impl Fn(Slot) -> bool) {
        if !self.pending.iter().any(|(slot, _)| wanted(*slot)) {
            return;
        }
        self.out.line("nesl_wait(call);");
        for (slot, cell) in std::mem::take(&mut self.pending) {
            let field = field(self.function.slots[slot]);
            self.out.line(format!("{slot} = {cell}->{field};"));
        }
    }

    fn step(&mut self, step: &'a Step, after: &[Step]) {
        match step {
            Step::Alloc { buffer, len, over, span } => {
                let (ty, len, site) = (self.ty(*buffer), self.arg(*len), self.site(*span));
                let text = match over {
                    Some(over) => {
                        let (old, start) = (over.buffer, self.arg(over.start));
                        format!("nesl_make_over(call, {len}, sizeof({ty}), {old}, {start}, {site})")
                    }
                    None => format!("nesl_make(call, {len}, sizeof({ty}), {site})"),
                };
                self.out.line(format!("nesl_buffer *{buffer} = {text};"));
            }
            Step::Room { buffer, len, span } => {
                let (ty, len, site) = (self.ty(*buffer), self.arg(*len), self.site(*span));
                let text = format!("nesl_make(call, {len}, sizeof({ty}), {site})");
                self.out.line(format!("nesl_buffer *{buffer} = {text};"));
            }
            Step::Zero { buffer, len, span } => {
                let (ty, len, site) = (self.ty(*buffer), self.arg(*len), self.site(*span));
                let text = format!("nesl_zeros(call, {len}, sizeof({ty}), {site})");
                self.out.line(format!("nesl_buffer *{buffer} = {text};"));
            }
            Step::Copy { buffer, from, len, span } => {
                let (ty, len, site) = (self.ty(*buffer), self.arg(*len), self.site(*span));
                let last = dies(*from, after);
                let verb = if last { "nesl_copy_last" } else { "nesl_copy" };
                let text = format!("{verb}(call, {from}, {len}, sizeof({ty}), {site})");
                self.out.line(format!("nesl_buffer *{buffer} = {text};"));
                if last {
                    self.given.insert(*from);
                }
            }
            Step::Behind { begin, alone, from, used, more } => {
                self.behind([*begin, *alone], from, [*used, *more], after);
            }
            Step::Grow { buffer, from, used, begin, len, span } => {
                let (ty, site) = (self.ty(*buffer), self.site(*span));
                let [used, begin, len] = [used, begin, len].map(|&count| self.arg(count));
                let last = dies(*from, after);
                let verb = if last { "nesl_grow_last" } else { "nesl_grow" };
                let counts = format!("{used}, {begin}, {len}, sizeof({ty})");
                let text = format!("{verb}(call, {from}, {counts}, {site})");
                self.out.line(format!("nesl_buffer *{buffer} = {text};"));
                if last {
                    self.given.insert(*from);
                }
            }
            Step::Literal(buffer, consts) => self.literal(*buffer, consts),
            Step::Alias(buffer, from) => {
                let from = self.handed(*from, after);
                self.out.line(format!("nesl_buffer *{buffer} = {from};"));
            }
            Step::Eval { results, code } => self.eval(results, code),
            Step::Launch { cluster, args, work } => {
                self.launch(Id::new(cluster.index()), args, *work);
            }
            Step::If { results, cond, then, els } => self.choice(results, *cond, (then, els)),
            Step::Call { results, func, args, span } => {
                self.call((results, *func), args, *span, after);
            }
            Step::Fail { start, len, chars, span } => {
                let site = self.host.shared.sites.number(base::Site::User, *span);
                let (start, len) = (self.arg(*start), self.arg(*len));
                self.out.line(format!("nesl_raise(call, {site}, {chars}, {start}, {len});"));
            }
            Step::Free(buffer) => {
                if !self.given.remove(buffer) {
                    self.out.line(format!("nesl_drop({buffer});"));
                }
            }
        }
    }

    /// Where elements have room behind buffers, and whether nobody else needs these.
    fn behind(&mut self, results: [Slot; 2], from: &[Buffer], counts: [Arg; 2], after: &[Step]) {
        let [begin, alone] = results;
        let [used, more] = counts.map(|count| self.arg(count));
        let [int, bool] = [Ty::I64, Ty::Bool].map(|ty| types::local(self.host.shared.widths(), ty));
        let there = from.iter().map(|&buffer| {
            let size = self.ty(buffer);
            format!("nesl_there({buffer}, sizeof({size}))")
        });
        let all = there.reduce(|a, b| format!("nesl_min({a}, {b})")).unwrap_or_default();
        let kept = self.fresh("used");
        self.out.line(format!("const {int} {kept} = {used} < 0 ? {all} : {used};"));
        let used = kept;
        self.out.line(format!("{int} {begin} = {used};"));
        let (mut fits, mut ends) = (Vec::new(), Vec::new());
        for &buffer in from {
            let (size, last) = (self.ty(buffer), ends_soon(buffer, after));
            let of = format!("{buffer}, sizeof({size}), {last}");
            self.out.line(format!("{begin} = nesl_max({begin}, nesl_behind({of}));"));
            fits.push(format!("nesl_holds({of}, {begin}, {more})"));
            ends.push(format!("nesl_alone({buffer}, {last})"));
        }
        // Where they have to be copied there is room from the start.
        self.out.line(format!("if (!({})) {begin} = {used};", fits.join(" && ")));
        self.out.line(format!("const {bool} {alone} = {};", ends.join(" && ")));
    }

    /// A buffer as it is handed over: the name itself where it ends with this step, else one more.
    fn handed(&mut self, buffer: Buffer, after: &[Step]) -> String {
        if dies(buffer, after) && self.given.insert(buffer) {
            buffer.to_string()
        } else {
            format!("nesl_keep({buffer})")
        }
    }

    fn literal(&mut self, buffer: Buffer, consts: &[Const]) {
        let ty = self.ty(buffer);
        let count = consts.len();
        let list: Vec<String> =
            consts.iter().map(|&c| self.host.shared.constant(c, false)).collect();
        let name = self.fresh("literal");
        let list = if list.is_empty() { "0".to_owned() } else { list.join(", ") };
        self.out.line(format!("static const {ty} {name}[] = {{{list}}};"));
        let text = format!("nesl_lend(call, {name}, {count}, sizeof({ty}))");
        self.out.line(format!("nesl_buffer *{buffer} = {text};"));
    }

    fn eval(&mut self, results: &[Slot], code: &Code<Place>) {
        let function = self.function;
        let device = self.host.target.has_device();
        let widths = self.host.shared.widths();
        let code: Code<Name> = code.map_refs(|place| match place {
            Place::Slot(slot) => Name::Slot(slot),
            Place::Buffer(buffer) => {
                let ty = function.buffers[buffer].ty;
                if device {
                    Name::There(buffer, types::element(widths, ty))
                } else {
                    Name::Here(buffer, field(ty))
                }
            }
        });
        let facts = self.host.shared.facts;
        let mut state = false;
        walk(&code.body, &mut |stmt| {
            state |= facts.stmt_fails(stmt, &code.vars);
            state |= matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
        });
        let (inner, values) = self.code(&code, state, self.out.inside());
        let inner = inner.finish();
        // What is one expression initialises its variable.
        if inner.is_empty() {
            for (&slot, value) in results.iter().zip(values) {
                let ty = types::local(widths, function.slots[slot]);
                self.out.line(format!("const {ty} {slot} = {value};"));
            }
            return;
        }
        for &slot in results {
            self.out.line(format!("{} {slot};", types::local(widths, function.slots[slot])));
        }
        self.out.open("");
        if state {
            self.out.line("nesl_state *const state = &call->state;");
        }
        let (inner, values) = self.code(&code, state, self.out.inside());
        self.out.append(&inner);
        for (slot, value) in results.iter().zip(values) {
            self.out.line(format!("{slot} = {value};"));
        }
        self.out.close("");
    }
    /// The statements of code, and what it yields.
    fn code(&mut self, code: &Code<Name>, state: bool, out: Writer) -> (Writer, Vec<String>) {
        let uses = Uses::of_code(code);
        let mut body = Body::of_code(&mut *self.host.shared, out, (&code.vars, &uses), state);
        body.stmts(&code.body);
        let values = code.body.yields.iter().map(|&value| body.text(value)).collect();
        (body.out, values)
    }

    fn launch(&mut self, id: KernelId, args: &[Arg], work: Arg) {
        let cluster = &self.host.plan.clusters[Id::new(id.index())];
        self.comment(id);
        let mut actuals = Vec::new();
        let mut cells = Vec::new();
        for (param, &arg) in cluster.params.iter().zip(args) {
            actuals.push(match (param.kind, arg) {
                (ParamKind::Set, Arg::Slot(slot)) => {
                    let ty = self.function.slots[slot];
                    if self.host.target.has_device() {
                        let cell = self.fresh("cell");
                        self.out.line(format!("nesl_word *const {cell} = nesl_cell(call);"));
                        self.out.line(format!("{} {slot};", self.host.shared.local(ty)));
                        cells.push((slot, cell.clone()));
                        Actual { text: format!("&{cell}->{}", field(ty)), field: "p" }
                    } else {
                        self.out.line(format!("{} {slot} = 0;", self.host.shared.element(ty)));
                        Actual { text: format!("&{slot}"), field: "p" }
                    }
                }
                (_, Arg::Buffer(buffer)) => {
                    let field = if self.host.target.has_device() {
                        field(self.function.buffers[buffer].ty)
                    } else {
                        "p"
                    };
                    Actual { text: format!("{buffer}->{field}"), field: "p" }
                }
                (_, Arg::Past(buffer, from)) => {
                    let text = if self.host.target.has_device() {
                        let field = field(self.function.buffers[buffer].ty);
                        format!("{buffer}->{field} + {from}")
                    } else {
                        format!("({} *){buffer}->p + {from}", self.ty(buffer))
                    };
                    Actual { text, field: "p" }
                }
                (_, arg) => {
                    let ty = match arg {
                        Arg::Slot(slot) => self.function.slots[slot],
                        Arg::Const(c) => c.ty(),
                        Arg::Buffer(b) | Arg::Past(b, _) => unreachable!("{b} is no scalar"),
                    };
                    Actual { text: self.arg(arg), field: field(ty) }
                }
            });
        }
        let work = self.arg(work);
        let text = self.host.target.launch(self.host.shared, id, &actuals, &work);
        match self.moved(id, args) {
            Some(moved) => {
                self.out.open(format!("if ({moved})"));
                self.out.line(text);
                self.out.close("");
            }
            None => self.out.line(text),
        }
        self.pending.extend(cells);
    }

    /// When a launch that only copies has something to do: where the copy is not the original.
    fn moved(&self, id: KernelId, args: &[Arg]) -> Option<String> {
        let moves = self.host.plan.clusters[Id::new(id.index())].moves()?;
        let moved = moves.iter().map(|moved| match (args[moved.from], args[moved.to]) {
            (Arg::Buffer(from), Arg::Buffer(to)) => {
                let start = moved.start.map(|n| format!(" || {} != 0", self.arg(args[n])));
                Some(format!("{to} != {from}{}", start.unwrap_or_default()))
            }
            _ => None,
        });
        let moved: Option<Vec<String>> = moved.collect();
        moved.map(|moved| moved.join(" || "))
    }

    /// Which lines of the source a launch does.
    fn comment(&mut self, id: KernelId) {
        if let Some(source) = self.host.target.sources.get(&id) {
            self.out.line(format!("/* {source} */"));
        }
    }

    fn call(
        &mut self,
        (results, func): (&[Place], Func),
        args: &[Arg],
        span: Span,
        after: &[Step],
    ) {
        if self.host.recursive.contains(&func) {
            let site = self.site(span);
            self.out.line(format!("nesl_descend(call, {site});"));
        }
        self.declare(results);
        let mut actuals = vec!["call".to_owned()];
        for &arg in args {
            actuals.push(match arg {
                Arg::Buffer(buffer) => self.handed(buffer, after),
                arg => self.arg(arg),
            });
        }
        actuals.extend(results.iter().map(|place| format!("&{place}")));
        let name = plan_function(self.host.plan, func);
        self.out.line(format!("{name}({});", actuals.join(", ")));
    }

    /// The call of the function itself that it ends with: once more, with other parameters.
    fn calls_again(&mut self, step: &Step, after: &[Step], freed: &[Buffer]) -> bool {
        let Step::Call { func, args, .. } = step else { return false };
        if *func != self.func {
            return false;
        }
        let mut next = Vec::new();
        for (&param, &arg) in self.function.params.iter().zip(args) {
            let (ty, text) = match (param, arg) {
                (Place::Buffer(_), Arg::Buffer(buffer)) => {
                    ("nesl_buffer *".to_owned(), self.handed(buffer, after))
                }
                (Place::Slot(slot), arg) => (
                    format!("{} ", self.host.shared.local(self.function.slots[slot])),
                    self.arg(arg),
                ),
                (Place::Buffer(_), _) => unreachable!("{arg:?} is no buffer"),
            };
            let name = self.fresh("next");
            self.out.line(format!("{ty}const {name} = {text};"));
            next.push((param, name));
        }
        for &buffer in freed {
            if !self.given.remove(&buffer) {
                self.out.line(format!("nesl_drop({buffer});"));
            }
        }
        for (param, name) in next {
            self.out.line(format!("{param} = {name};"));
        }
        self.out.line("goto again;");
        true
    }

    fn declare(&mut self, places: &[Place]) {
        for &place in places {
            let text = match place {
                Place::Slot(slot) => {
                    format!("{} {slot};", self.host.shared.local(self.function.slots[slot]))
                }
                Place::Buffer(buffer) => format!("nesl_buffer *{buffer};"),
            };
            self.out.line(text);
        }
    }

    fn choice(&mut self, results: &[Place], cond: Arg, (then, els): (&'a Block, &'a Block)) {
        self.declare(results);
        let cond = self.arg(cond);
        self.out.open(format!("if ({cond})"));
        self.arm(results, then);
        if !(els.steps.is_empty() && results.is_empty()) {
            self.out.between("else");
            self.arm(results, els);
        }
        self.out.close("");
    }
    fn arm(&mut self, results: &[Place], block: &'a Block) {
        // What was set before is read after the arms, too.
        let outside = self.pending.clone();
        self.block(block);
        self.pending = outside;
        if self.afterwards.is_some() && ends_again(block, self.func) {
            return;
        }
        let own: BTreeSet<Buffer> =
            block.steps.iter().flat_map(Step::results).filter_map(Place::buffer).collect();
        for (place, value) in results.iter().zip(self.yielded(block, &own, false)) {
            self.out.line(format!("{place} = {value};"));
        }
    }
    /// What a block gives: a buffer of its own under the name it has, any other under one more.
    fn yielded(&mut self, block: &Block, own: &BTreeSet<Buffer>, all: bool) -> Vec<String> {
        let mut moved = BTreeSet::new();
        let value = |arg: &Arg| match *arg {
            Arg::Buffer(buffer) if (all || own.contains(&buffer)) && moved.insert(buffer) => {
                buffer.to_string()
            }
            Arg::Buffer(buffer) => format!("nesl_keep({buffer})"),
            arg => self.arg(arg),
        };
        block.yields.iter().map(value).collect()
    }
}

/// An argument of a launch, and the field of a word that it is put into.
pub(super) struct Actual {
    pub(super) text: String,
    pub(super) field: &'static str,
}

/// Whether a block that a function ends with calls it again at its end.
fn calls_again(block: &Block, func: Func) -> bool {
    let last = block.steps.iter().enumerate().find(|(n, _)| block.ends_with(*n));
    match last {
        Some((_, Step::If { then, els, .. })) => {
            [then, els].into_iter().any(|arm| calls_again(arm, func))
        }
        _ => ends_again(block, func),
    }
}

/// Whether the last thing that a block does is such a call.
fn ends_again(block: &Block, func: Func) -> bool {
    let is_own = |step: &Step| matches!(step, Step::Call { func: callee, .. } if *callee == func);
    block.steps.iter().enumerate().any(|(n, step)| is_own(step) && block.ends_with(n))
}

/// Whether a step calls a plan, in nested blocks, too.
fn calls(step: &Step) -> bool {
    match step {
        Step::Call { .. } => true,
        Step::If { then, els, .. } => [then, els].iter().any(|arm| arm.steps.iter().any(calls)),
        _ => false,
    }
}

/// The scalars that a step uses, those of nested blocks included.
fn scalars(step: &Step, out: &mut Vec<Slot>) {
    out.extend(step.scalars());
    if let Step::If { then, els, .. } = step {
        for block in [then, els] {
            block.steps.iter().for_each(|step| scalars(step, out));
            out.extend(block.yields.iter().filter_map(|y| y.slot()));
        }
    }
}
