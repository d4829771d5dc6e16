//! The rules of nest programs.
//!
//! * Every value is in the table and is defined once: by a parameter, a statement, or a generator.
//! * It is used only after that, in the same block or in one nested in it.  What a generator binds
//!   is visible in the test and the body; what the test defines is visible in the body.
//! * Tuples have at least two parts; constants are of the program's widths.
//! * The type of a statement's value is the one that follows from its operation, whose operands
//!   have the types that it needs: ints for indices and lengths, sequences of ints for positions,
//!   scalars on which the scalar operation, monoid or order is defined.
//! * The value of `seq ()` is a sequence of anything.
//! * A generator binds elements of its source; a test and a condition are bools; both arms of an
//!   `if` have the type of its value.
//! * A call gives a function what it takes and has the type of its result.

use crate::ir::{Block, Each, Func, Function, Op, Program, SortKind, Stmt, Type, Value};
use base::IdMap;
use base::print::{Error, join};
use prim::{ScalarOp, Ty};

/// Checks a program; gives all errors.
pub fn verify(program: &Program) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    for &entry in &program.entries {
        if program.funcs.get(entry).is_none() {
            errors.push(Error { item: 0, entity: entry.to_string(), message: "is missing".into() });
        }
    }
    let mut item = 1;
    for (id, function) in program.funcs.iter() {
        let state = function.values.ids().map(|_| State::Unseen).collect();
        let mut checker =
            Checker { program, function, item, current: item, errors: &mut errors, state };
        checker.function(id);
        item = checker.item;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Where the walk stands with a value.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    Visible,
    /// Defined in a block that has ended.
    Gone,
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The number of the next item.
    item: usize,
    /// The number of the statement or yield being checked.
    current: usize,
    errors: &'a mut Vec<Error>,
    state: IdMap<Value, State>,
}

fn int() -> Type {
    Type::Scalar(Ty::I64)
}

fn bool() -> Type {
    Type::Scalar(Ty::Bool)
}

/// Whether every tuple inside has at least two parts.
fn is_sound(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Seq(element) => is_sound(element),
        Type::Tuple(parts) => parts.len() >= 2 && parts.iter().all(is_sound),
    }
}

impl<'a> Checker<'a> {
    /// Notes an error of the item being checked.
    fn error(&mut self, entity: impl Into<String>, message: impl Into<String>) {
        let error = Error { item: self.current, entity: entity.into(), message: message.into() };
        self.errors.push(error);
    }

    /// Goes on to the next item; gives its number.
    fn next_item(&mut self) -> usize {
        self.current = self.item;
        self.item += 1;
        self.current
    }

    fn function(&mut self, id: Func) {
        let header = self.next_item();
        for &param in &self.function.params {
            self.define(param);
        }
        self.block(&self.function.body);
        self.current = header;
        for (value, info) in self.function.values.iter() {
            if !is_sound(&info.ty) {
                self.error(value.to_string(), format!("{id} has a tuple {} that is none", info.ty));
            }
        }
    }

    fn define(&mut self, value: Value) {
        match self.state.get(value) {
            None => self.error(value.to_string(), "has no type"),
            Some(State::Unseen) => self.state[value] = State::Visible,
            Some(_) => self.error(value.to_string(), "is defined twice"),
        }
    }

    /// The type of an operand; `None` after an error.
    fn operand(&mut self, user: &str, value: Value) -> Option<&'a Type> {
        if self.state.get(value) != Some(&State::Visible) {
            self.error(user, format!("{value} is not defined here"));
            return None;
        }
        self.function.ty(value)
    }

    /// Checks that operands have these types.
    fn operands(&mut self, user: &str, values: &[Value], wanted: &[Type]) {
        let found: Vec<Option<&Type>> = values.iter().map(|&v| self.operand(user, v)).collect();
        let fits = |(f, w): (&Option<&Type>, &Type)| f.is_none_or(|f| f == w);
        if found.len() != wanted.len() || !found.iter().zip(wanted).all(fits) {
            let found = join(found.iter().map(|f| f.map_or("?".into(), Type::to_string)), ", ");
            self.error(user, format!("expected ({}), found ({found})", join(wanted, ", ")));
        }
    }

    /// The type of an operand that must be a sequence, and its elements'.
    fn sequence(&mut self, user: &str, value: Value) -> Option<(&'a Type, &'a Type)> {
        let ty = self.operand(user, value)?;
        match ty {
            Type::Seq(element) => Some((ty, element)),
            Type::Scalar(_) | Type::Tuple(_) => {
                self.error(user, format!("{value} is no sequence but {ty}"));
                None
            }
        }
    }

    /// Checks that an operand is a sequence of scalars on which `defined` holds.
    fn scalars(&mut self, user: &str, value: Value, what: &str, defined: impl Fn(Ty) -> bool) {
        let Some((ty, element)) = self.sequence(user, value) else { return };
        if !matches!(element, Type::Scalar(t) if defined(*t)) {
            self.error(user, format!("{what} is not defined on {ty}"));
        }
    }

    /// Checks statements and result; what they define stays visible.
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let item = self.next_item();
            self.stmt(stmt);
            self.current = item;
            self.define(stmt.value);
        }
        self.next_item();
        self.operand("yield", block.result);
    }

    /// Checks what is nested; nothing that it defines is visible afterwards.
    fn nested(&mut self, work: impl FnOnce(&mut Self)) {
        let before: Vec<bool> = self.state.values().map(|s| *s == State::Visible).collect();
        work(self);
        for ((_, state), visible) in self.state.iter_mut().zip(before) {
            if *state == State::Visible && !visible {
                *state = State::Gone;
            }
        }
    }

    /// Checks that the result of the block checked last has this type.
    fn result(&mut self, block: &Block, wanted: Option<&Type>) {
        let found = self.function.ty(block.result);
        if let (Some(found), Some(wanted)) = (found, wanted)
            && found != wanted
        {
            self.error("yield", format!("expected {wanted}, found {found}"));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let user = stmt.value.to_string();
        let errors = self.errors.len();
        self.op(&user, stmt);
        if self.errors.len() > errors {
            return;
        }
        let found = self.function.ty(stmt.value);
        let natural = match &stmt.op {
            Op::Call(func, _) => {
                self.program.funcs.get(*func).and_then(Function::result_type).cloned()
            }
            op => op.natural_type(&self.function.values),
        };
        if let (Some(found), Some(natural)) = (found, natural)
            && *found != natural
        {
            self.error(user, format!("is {natural}, not {found}"));
        }
    }

    /// Checks that constants are of the program's widths.
    fn constants(&mut self, user: &str, consts: &[prim::Const]) {
        let refused = consts.iter().find_map(|&value| self.program.widths.refuse(value));
        refused.into_iter().for_each(|message| self.error(user, message));
    }

    /// Checks the operands of an operation and its blocks.
    fn op(&mut self, user: &str, stmt: &Stmt) {
        match &stmt.op {
            Op::Const(value) => self.constants(user, std::slice::from_ref(value)),
            Op::Literal(ty, consts) => {
                self.constants(user, consts);
                if let Some(other) = consts.iter().find(|c| c.ty() != *ty) {
                    self.error(user, format!("{other} is not of type {ty}"));
                }
            }
            Op::Scalar(op, args) => self.scalar_op(user, *op, args),
            Op::Require(_, values) => self.operands(user, values, &[bool(), int(), int()]),
            Op::Fail(v) => self.operands(user, &[*v], &[Type::Scalar(Ty::Char).seq()]),
            Op::Tuple(parts) => {
                for &part in parts {
                    self.operand(user, part);
                }
            }
            Op::Field(v, n) => match self.operand(user, *v) {
                Some(Type::Tuple(parts)) if *n < parts.len() => {}
                Some(ty) => self.error(user, format!("{ty} has no field {n}")),
                None => {}
            },
            Op::Seq(items) => self.seq(user, stmt.value, items),
            Op::Index(v) => self.operands(user, &[*v], &[int()]),
            Op::Element(v, i) => {
                self.sequence(user, *v);
                self.operands(user, &[*i], &[int()]);
            }
            Op::Slice { seq, start, count } => {
                self.sequence(user, *seq);
                self.operands(user, &[*start, *count], &[int(), int()]);
            }
            Op::Which(v) => self.operands(user, &[*v], &[bool().seq()]),
            Op::Reduce(monoid, v) | Op::Scan(monoid, v) => {
                let op = monoid.op();
                self.scalars(user, *v, monoid.name(), |t| op.result(&[t, t]) == Some(t));
            }
            Op::Flatten(v) => {
                if let Some((ty, element)) = self.sequence(user, *v)
                    && !matches!(element, Type::Seq(_))
                {
                    self.error(user, format!("flatten is not defined on {ty}"));
                }
            }
            Op::Partition(v, ints) | Op::Permute(v, ints) => {
                self.sequence(user, *v);
                self.operands(user, &[*ints], &[int().seq()]);
            }
            Op::Append(a, b) => {
                if let Some((ty, _)) = self.sequence(user, *a) {
                    self.operands(user, &[*b], std::slice::from_ref(ty));
                }
            }
            Op::Write { into, positions, values } => {
                if let Some((ty, _)) = self.sequence(user, *into) {
                    self.operands(user, &[*positions, *values], &[int().seq(), ty.clone()]);
                }
            }
            Op::Sort(SortKind::Sort | SortKind::Rank | SortKind::RankDown, v) => {
                self.scalars(user, *v, "order", |t| ScalarOp::Lt.result(&[t, t]).is_some());
            }
            Op::Copy(v) => {
                self.operand(user, *v);
            }
            Op::Length(v) => {
                self.sequence(user, *v);
            }
            Op::Each(each) => self.each(user, each),
            Op::If(cond, then, els) => {
                self.operands(user, &[*cond], &[bool()]);
                for arm in [then, els] {
                    self.nested(|c| {
                        c.block(arm);
                        c.result(arm, c.function.ty(stmt.value));
                    });
                }
            }
            Op::Call(func, args) => self.call(user, *func, args),
        }
    }

    fn call(&mut self, user: &str, func: Func, args: &[Value]) {
        let Some(callee) = self.program.funcs.get(func) else {
            return self.error(user, format!("there is no function {func}"));
        };
        let params: Vec<Type> =
            callee.params.iter().filter_map(|&p| callee.ty(p)).cloned().collect();
        self.operands(user, args, &params);
    }

    fn scalar_op(&mut self, user: &str, op: ScalarOp, args: &[Value]) {
        let tys: Option<Vec<&Type>> = args.iter().map(|&a| self.operand(user, a)).collect();
        let Some(tys) = tys else { return };
        let scalars: Option<Vec<Ty>> =
            tys.iter().map(|t| if let Type::Scalar(t) = t { Some(*t) } else { None }).collect();
        if scalars.and_then(|tys| op.result(&tys)).is_none() {
            self.error(user, format!("{op} is not defined on ({})", join(tys, ", ")));
        }
    }

    fn seq(&mut self, user: &str, value: Value, items: &[Value]) {
        let first = items.first().and_then(|&v| self.operand(user, v));
        match (first, self.function.ty(value)) {
            (Some(first), _) => {
                let wanted = vec![first.clone(); items.len()];
                self.operands(user, items, &wanted);
            }
            (None, Some(ty)) if !matches!(ty, Type::Seq(_)) => {
                self.error(user, format!("is a sequence, not {ty}"));
            }
            _ => {}
        }
    }

    fn each(&mut self, user: &str, each: &Each) {
        if each.generators.is_empty() {
            self.error(user, "has no generator");
        }
        for &(bound, source) in &each.generators {
            let Some((_, element)) = self.sequence(user, source) else { continue };
            if let Some(ty) = self.function.ty(bound)
                && ty != element
            {
                self.error(user, format!("{bound} is {element}, not {ty}"));
            }
        }
        self.nested(|c| {
            for &(bound, _) in &each.generators {
                c.define(bound);
            }
            if let Some(test) = &each.test {
                c.block(test);
                c.result(test, Some(&bool()));
            }
            c.block(&each.body);
        });
    }
}
