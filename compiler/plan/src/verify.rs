//! The rules of plans.  Those of clusters stand in `verify/cluster.rs`.
//!
//! Scalars and buffers
//! * Each is in its table and is set once: by a parameter, a step, or a launch (scalars of `set`).
//!   It is used only after that, in the same block or in one nested in it.  Constants are of the
//!   program's widths.
//! * What `buffer` makes is empty until a launch has filled it as an `out`; on every path that
//!   comes before its first use.
//! * What is made over another buffer has its type; the start is an int.  A launch in the same
//!   block is handed the start, fills the one and reads the other, which is freed right after;
//!   before the launch, launches and code of the host only read the other.
//!
//! Last uses
//! * A buffer that a block makes is freed once, after its last use, or yielded by the block; not
//!   both.  A parameter of a plan may be freed.  What one arm of an `if` frees of what was made
//!   before it, the other frees, too.
//!
//! Routines
//! * Both functions exist; that of the root has a layout as long as its parameters and results, and
//!   the lifted one has one parameter more.
//!
//! Steps
//! * Lengths, the work of a launch and the place of a message are ints; a condition is a bool;
//!   constants of a literal have the buffer's type, as have copies and other names.
//! * Code of the host has no parameters and obeys the rules of scalar code; its yields have the
//!   types of the results.
//! * A cluster is launched from one place at most.  Each argument fits its parameter in kind and
//!   type; a buffer that is an `out` stands for nothing else in the same launch.
//! * Arguments and results of calls, and yields of arms, fit in type and in being scalar or buffer.

mod cluster;

use crate::ir::{
    Arg, Block, Buffer, Cluster, ClusterId, Func, Function, Over, Param, ParamKind, Place, Program,
    Slot, Step,
};
use crate::over::overwrite;
use base::IdMap;
use base::print::{Error, join};
use prim::Ty;
use scalar::{Scope, verify_code, verify_function};
use std::collections::BTreeSet;
use std::fmt;

/// Checks a program; gives all errors.
pub fn verify(program: &Program) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    let mut item = 1;
    for &entry in &program.entries {
        if program.funcs.get(entry).is_none() {
            errors.push(Error { item: 0, entity: entry.to_string(), message: "is missing".into() });
        }
    }
    for (id, lanes) in program.routines.iter() {
        if !crate::routines::fits(program, *lanes) {
            let message = "the two functions do not take and give the same".to_string();
            errors.push(Error { item: 0, entity: id.to_string(), message });
        }
    }
    for id in program.scalars.ids() {
        verify_function(id, program.widths, &program.scalars, &mut item, &mut errors);
    }
    let mut launched = BTreeSet::new();
    for function in program.funcs.values() {
        let mut checker = Checker {
            program,
            function,
            item,
            current: item,
            errors: &mut errors,
            launched: &mut launched,
            slots: function.slots.ids().map(|_| State::Unseen).collect(),
            buffers: function.buffers.ids().map(|_| State::Unseen).collect(),
        };
        checker.function();
        item = checker.item;
    }
    for (id, found) in program.clusters.iter() {
        cluster::verify(program, id, found, &mut item, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Where the walk stands with a scalar or a buffer.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    /// A buffer that nothing was written to yet.
    Empty,
    Visible,
    Freed,
    /// Set in a block that has ended.
    Gone,
}

/// What can be handed over.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Scalar(Ty),
    Buffer(Ty),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Scalar(ty) => write!(f, "{ty}"),
            Shape::Buffer(ty) => write!(f, "buffer {ty}"),
        }
    }
}

impl Function {
    /// What an argument is, if the tables know it.
    fn shape(&self, arg: Arg) -> Option<Shape> {
        match arg {
            Arg::Const(c) => Some(Shape::Scalar(c.ty())),
            Arg::Slot(slot) => self.slots.get(slot).map(|&ty| Shape::Scalar(ty)),
            Arg::Buffer(buffer) | Arg::Past(buffer, _) => {
                self.buffers.get(buffer).map(|info| Shape::Buffer(info.ty))
            }
        }
    }
}

/// What code of the host may name.
struct CodeScope<'a> {
    program: &'a Program,
    function: &'a Function,
    slots: &'a IdMap<Slot, State>,
    buffers: &'a IdMap<Buffer, State>,
}

impl Scope<Place> for CodeScope<'_> {
    fn widths(&self) -> prim::Widths {
        self.program.widths
    }
    fn outer(&self, name: Place) -> Option<Ty> {
        let Place::Slot(slot) = name else { return None };
        let visible = self.slots.get(slot) == Some(&State::Visible);
        self.function.slots.get(slot).filter(|_| visible).copied()
    }
    fn vector(&self, name: Place) -> Option<Ty> {
        let Place::Buffer(buffer) = name else { return None };
        let visible = self.buffers.get(buffer) == Some(&State::Visible);
        self.function.buffers.get(buffer).filter(|_| visible).map(|info| info.ty)
    }
    fn function(&self, func: scalar::Func) -> Option<&scalar::Function> {
        self.program.scalars.get(func)
    }
}

/// The walk over one plan.
struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The number of the next item.
    item: usize,
    /// The number of the step or yields being checked.
    current: usize,
    errors: &'a mut Vec<Error>,
    /// Clusters launched so far.
    launched: &'a mut BTreeSet<ClusterId>,
    slots: IdMap<Slot, State>,
    buffers: IdMap<Buffer, State>,
}

impl Checker<'_> {
    /// Notes an error of the item being checked.
    fn error(&mut self, entity: impl fmt::Display, message: impl Into<String>) {
        let error =
            Error { item: self.current, entity: entity.to_string(), message: message.into() };
        self.errors.push(error);
    }

    /// Goes on to the next item; gives its number.
    fn next_item(&mut self) -> usize {
        self.current = self.item;
        self.item += 1;
        self.current
    }

    fn function(&mut self) {
        self.next_item();
        for &param in &self.function.params {
            self.define(param, State::Visible);
        }
        self.block(&self.function.body);
    }

    /// Sets a scalar or a buffer.
    fn define(&mut self, place: Place, state: State) {
        let known = match place {
            Place::Slot(slot) => self.slots.get(slot),
            Place::Buffer(buffer) => self.buffers.get(buffer),
        };
        match known {
            None => return self.error(place, "has no type"),
            Some(State::Unseen) => {}
            Some(_) => return self.error(place, "is set twice"),
        }
        match place {
            Place::Slot(slot) => self.slots[slot] = state,
            Place::Buffer(buffer) => self.buffers[buffer] = state,
        }
    }

    /// What an argument is; checks that it can be used.
    fn operand(&mut self, user: impl fmt::Display, arg: Arg) -> Option<Shape> {
        let state = match arg {
            Arg::Const(_) => Some(&State::Visible),
            Arg::Slot(slot) => self.slots.get(slot),
            Arg::Buffer(buffer) | Arg::Past(buffer, _) => self.buffers.get(buffer),
        };
        let problem = match state {
            Some(State::Visible) => {
                if let Arg::Const(c) = arg
                    && let Some(message) = self.program.widths.refuse(c)
                {
                    self.error(&user, message);
                }
                return self.function.shape(arg);
            }
            Some(State::Empty) => "has no elements yet",
            Some(State::Freed) => "is freed before",
            Some(State::Unseen | State::Gone) | None => "is not set here",
        };
        self.error(user, format!("{arg} {problem}"));
        None
    }

    /// Checks that arguments are these; `what` names them in the message.
    fn operands(&mut self, user: impl fmt::Display, what: &str, args: &[Arg], wanted: &[Shape]) {
        let found: Vec<Option<Shape>> = args.iter().map(|&a| self.operand(&user, a)).collect();
        let wanted: Vec<Option<Shape>> = wanted.iter().map(|&w| Some(w)).collect();
        self.fit(user, what, &found, &wanted);
    }

    /// Checks what is handed over; what is not known fits anything.
    fn fit(
        &mut self,
        user: impl fmt::Display,
        what: &str,
        found: &[Option<Shape>],
        wanted: &[Option<Shape>],
    ) {
        let same = |(a, b): (&Option<Shape>, &Option<Shape>)| a.is_none() || b.is_none() || a == b;
        if found.len() != wanted.len() || !found.iter().zip(wanted).all(same) {
            let text = |shapes: &[Option<Shape>]| {
                join(shapes.iter().map(|s| s.map_or("?".into(), |s| s.to_string())), ", ")
            };
            let (wanted, found) = (text(wanted), text(found));
            self.error(user, format!("{what}: expected ({wanted}), found ({found})"));
        }
    }

    fn shapes(&self, places: &[Place]) -> Vec<Option<Shape>> {
        places.iter().map(|&p| self.function.shape(p.into())).collect()
    }

    /// Checks a block; gives what it yields.
    fn block(&mut self, block: &Block) -> Vec<Option<Shape>> {
        let slots = self.slots.clone();
        let mut made = Vec::new();
        for (n, step) in block.steps.iter().enumerate() {
            let item = self.next_item();
            if let Step::Free(buffer) = step {
                self.free(*buffer);
                continue;
            }
            self.step(step);
            if let Step::Alloc { buffer, over: Some(over), .. } = step {
                self.over(*buffer, *over, &block.steps[n + 1..]);
            }
            self.current = item;
            for place in step.results() {
                let empty = matches!(step, Step::Alloc { .. } | Step::Room { .. });
                self.define(place, if empty { State::Empty } else { State::Visible });
                if let Place::Buffer(buffer) = place {
                    made.push(buffer);
                }
            }
        }
        self.next_item();
        let yields = block.yields.iter().map(|&y| self.operand("yield", y)).collect();
        for buffer in made {
            let Some(&state) = self.buffers.get(buffer) else { continue };
            if state != State::Freed && !block.yields.contains(&Arg::Buffer(buffer)) {
                self.error(buffer, "is neither freed nor yielded");
            }
            self.buffers[buffer] = State::Gone;
        }
        for ((_, now), before) in self.slots.iter_mut().zip(slots.values()) {
            if now != before {
                *now = State::Gone;
            }
        }
        yields
    }

    fn free(&mut self, buffer: Buffer) {
        match self.buffers.get(buffer) {
            Some(State::Freed) => self.error(buffer, "is freed twice"),
            Some(State::Visible | State::Empty) => self.buffers[buffer] = State::Freed,
            Some(State::Unseen | State::Gone) | None => self.error(buffer, "is not set here"),
        }
    }

    /// Checks all of a step but its results.
    fn step(&mut self, step: &Step) {
        const INT: Shape = Shape::Scalar(Ty::I64);
        match step {
            Step::Alloc { buffer, len, .. }
            | Step::Room { buffer, len, .. }
            | Step::Zero { buffer, len, .. } => {
                self.operands(buffer, "length", &[*len], &[INT]);
            }
            Step::Copy { buffer, from, len, .. } => {
                self.operands(buffer, "length", &[*len], &[INT]);
                self.same(*buffer, *from);
            }
            Step::Behind { begin, used, more, .. } => {
                self.operands(begin, "counts", &[*used, *more], &[INT, INT]);
            }
            Step::Grow { buffer, from, used, begin, len, .. } => {
                self.operands(buffer, "counts", &[*used, *begin, *len], &[INT, INT, INT]);
                self.same(*buffer, *from);
            }
            Step::Alias(buffer, from) => self.same(*buffer, *from),
            Step::Literal(buffer, consts) => {
                let ty = self.function.ty(Place::Buffer(*buffer));
                if let Some(other) = consts.iter().find(|c| c.ty() != ty) {
                    self.error(buffer, format!("{other} is not of type {ty}"));
                }
                let refused = consts.iter().find_map(|&c| self.program.widths.refuse(c));
                refused.into_iter().for_each(|message| self.error(buffer, message));
            }
            Step::Eval { results, code } => self.eval(results, code),
            Step::Launch { cluster, args, work } => {
                self.operands(cluster, "work", &[*work], &[INT]);
                self.launch(*cluster, args);
            }
            Step::If { results, cond, then, els } => {
                self.operands("if", "condition", &[*cond], &[Shape::Scalar(Ty::Bool)]);
                self.arms(results, then, els);
            }
            Step::Call { results, func, args, .. } => self.call(*func, args, results),
            Step::Fail { start, len, chars, .. } => {
                let args = [Arg::Buffer(*chars), *start, *len];
                self.operands("fail", "message", &args, &[Shape::Buffer(Ty::Char), INT, INT]);
            }
            Step::Free(_) => {}
        }
    }

    /// Checks a buffer that is made over another, given the steps after it.
    fn over(&mut self, buffer: Buffer, over: Over, after: &[Step]) {
        self.same(buffer, over.buffer);
        self.operands(buffer, "start", &[over.start], &[Shape::Scalar(Ty::I64)]);
        if let Err(why) = overwrite(&self.program.clusters, after, buffer, over) {
            self.error(buffer, why);
        }
    }

    /// Checks that a buffer has the type of another.
    fn same(&mut self, buffer: Buffer, from: Buffer) {
        let ty = self.function.ty(Place::Buffer(buffer));
        self.operands(buffer, "elements", &[Arg::Buffer(from)], &[Shape::Buffer(ty)]);
    }

    fn eval(&mut self, results: &[Slot], code: &scalar::Code<Place>) {
        if !code.params.is_empty() {
            self.error("eval", "its code has no parameters");
        }
        let found = code.yield_tys().into_iter().map(|ty| Some(Shape::Scalar(ty)));
        let results: Vec<Place> = results.iter().map(|&s| Place::Slot(s)).collect();
        let wanted = self.shapes(&results);
        self.fit("eval", "yields", &found.collect::<Vec<_>>(), &wanted);
        let (program, function) = (self.program, self.function);
        let scope = CodeScope { program, function, slots: &self.slots, buffers: &self.buffers };
        verify_code(code, &scope, &mut self.item, self.errors);
    }

    /// Checks the arms of an `if`; afterwards a buffer is filled if both arms have filled it.
    fn arms(&mut self, results: &[Place], then: &Block, els: &Block) {
        let wanted = self.shapes(results);
        let before = self.buffers.clone();
        let found = self.block(then);
        self.fit("yield", "results", &found, &wanted);
        let after = std::mem::replace(&mut self.buffers, before);
        let found = self.block(els);
        self.fit("yield", "results", &found, &wanted);
        let mut once = Vec::new();
        for ((buffer, now), &then) in self.buffers.iter_mut().zip(after.values()) {
            if *now != State::Gone && (*now == State::Freed) != (then == State::Freed) {
                once.push(buffer);
            }
            if then == State::Gone || (then == State::Empty && *now == State::Visible) {
                *now = then;
            }
        }
        for buffer in once {
            self.error(buffer, "is freed by one arm only");
        }
    }

    fn call(&mut self, func: Func, args: &[Arg], results: &[Place]) {
        let given: Vec<Option<Shape>> = args.iter().map(|&a| self.operand(func, a)).collect();
        let Some(callee) = self.program.funcs.get(func) else {
            return self.error(func, "there is no such plan");
        };
        let params: Vec<Option<Shape>> =
            callee.params.iter().map(|&p| callee.shape(p.into())).collect();
        self.fit(func, "arguments", &given, &params);
        let yields: Vec<Option<Shape>> =
            callee.body.yields.iter().map(|&y| callee.shape(y)).collect();
        let results = self.shapes(results);
        self.fit(func, "results", &results, &yields);
    }

    fn launch(&mut self, id: ClusterId, args: &[Arg]) {
        let Some(cluster) = self.program.clusters.get(id) else {
            return self.error(id, "there is no such cluster");
        };
        if !self.launched.insert(id) {
            self.error(id, "is launched from two places");
        }
        if args.len() != cluster.params.len() {
            let count = cluster.params.len();
            self.error(id, format!("has {count} parameters, not {}", args.len()));
        }
        for (&arg, param) in args.iter().zip(&cluster.params) {
            self.launched(cluster, param, arg, args);
        }
        for (&arg, param) in args.iter().zip(&cluster.params) {
            match (param.kind, arg) {
                (ParamKind::Set, Arg::Slot(slot)) => {
                    self.define(Place::Slot(slot), State::Visible);
                }
                (ParamKind::Out, Arg::Buffer(buffer) | Arg::Past(buffer, _))
                    if self.buffers.get(buffer) == Some(&State::Empty) =>
                {
                    self.buffers[buffer] = State::Visible;
                }
                _ => {}
            }
        }
    }

    /// Checks one argument of a launch.
    fn launched(&mut self, cluster: &Cluster, param: &Param, arg: Arg, args: &[Arg]) {
        let name = param.name;
        let found = match (param.kind, arg) {
            (ParamKind::Scalar, Arg::Slot(_) | Arg::Const(_)) | (ParamKind::In, Arg::Buffer(_)) => {
                self.operand(name, arg)
            }
            (ParamKind::Out, Arg::Buffer(buffer)) => {
                if args.iter().filter(|&&a| a == arg).count() > 1 {
                    self.error(name, format!("{arg} is written and stands for something else"));
                }
                if self.buffers.get(buffer) == Some(&State::Empty) {
                    self.function.shape(arg)
                } else {
                    self.operand(name, arg)
                }
            }
            (ParamKind::Out, Arg::Past(buffer, from)) => {
                self.operands(name, "place", &[Arg::Slot(from)], &[Shape::Scalar(Ty::I64)]);
                // What lies before it is made by this launch or by another.
                if self.buffers.get(buffer) == Some(&State::Empty) {
                    self.function.shape(arg)
                } else {
                    self.operand(name, arg)
                }
            }
            (ParamKind::Set, Arg::Slot(_)) => self.function.shape(arg),
            (kind, _) => return self.error(name, format!("{arg} is no {}", kind.meaning())),
        };
        let Some(wanted) = cluster.refs.get(name).map(|info| info.ty) else { return };
        if let Some(Shape::Scalar(ty) | Shape::Buffer(ty)) = found
            && ty != wanted
        {
            self.error(name, format!("{arg} is of type {ty}, not {wanted}"));
        }
    }
}

impl ParamKind {
    /// What it stands for, for messages.
    fn meaning(self) -> &'static str {
        match self {
            ParamKind::Scalar => "scalar",
            ParamKind::In => "buffer to be read",
            ParamKind::Out => "buffer to be written",
            ParamKind::Set => "scalar to be set",
        }
    }
}
