//! The meaning of scalar code, executed statement by statement.
//!
//! Calls and nested blocks are kept on a stack of our own, so that deep recursion of a program
//! ends in the error that the language has for it and not with the host's stack.

use crate::code::{Atom, Block, Call, Code, Func, Function, Name, Op, Param, Stmt, Var};
use base::{Id, Site, Span};
use prim::{Const, Widths};

/// A run-time error: what went wrong, where, and the two ints of its message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of error.
    pub site: Site,
    /// The source text at fault.
    pub span: Span,
    /// Ints for the message: those of a `require`, or the operands of an operation.
    pub args: [i64; 2],
}

/// What code finds outside itself.
pub trait Env<R> {
    /// How wide ints and floats are.
    fn widths(&self) -> Widths;
    /// The value of an outer scalar.
    fn outer(&self, name: R) -> Const;
    /// An element of a vector; `None` outside it.
    fn element(&self, vector: R, index: i64) -> Option<Const>;
    /// A scalar function.
    fn function(&self, func: Func) -> &Function;
}

/// Calls under way at one time, above which memory counts as exhausted.
pub const MAX_CALLS: usize = 1 << 17;

/// Runs code once.  A read outside its vector is a bug of the compiler and panics.
pub fn eval<R: Name>(
    code: &Code<R>,
    args: &[Const],
    env: &dyn Env<R>,
) -> Result<Vec<Const>, Fault> {
    let mut first = Activation::new(code);
    first.assign(&code.params, args);
    Machine { env, first, calls: Vec::new() }.run()
}

/// A run of code under way, which knows vectors as `N`.
struct Activation<'a, N> {
    code: &'a Code<N>,
    vars: Vec<Const>,
    /// The open blocks, innermost last.
    blocks: Vec<Open<'a, N>>,
}

/// A block under way.
struct Open<'a, N> {
    block: &'a Block<N>,
    /// The next statement.
    at: usize,
    exit: Exit<'a>,
}

/// What happens with the yields of a block.
#[derive(Clone, Copy)]
enum Exit<'a> {
    /// They are the results of the call.
    Return,
    /// They are the results of the `if`.
    Arm(&'a [Var]),
    /// Whether to run again, the next parameters, the results.
    Loop { params: &'a [Var], results: &'a [Var] },
}

/// What a run comes to.
enum Turn<'a, N> {
    /// It gives this.
    Done(Vec<Const>),
    /// It goes on with what a call gives for these scalars.
    Call(&'a Call<N>, Vec<Const>),
}

/// What code sees: the environment, and what it calls the environment's vectors.
struct Outside<'a, R, F> {
    env: &'a dyn Env<R>,
    /// What a vector is called there.
    name: F,
}

impl<'a, N: Name> Activation<'a, N> {
    fn new(code: &'a Code<N>) -> Self {
        let vars = code.vars.values().map(|ty| ty.zero()).collect();
        let blocks = vec![Open { block: &code.body, at: 0, exit: Exit::Return }];
        Activation { code, vars, blocks }
    }

    fn assign(&mut self, vars: &[Var], values: &[Const]) {
        for (var, &value) in vars.iter().zip(values) {
            self.vars[var.index()] = value;
        }
    }

    fn value<R: Name>(&self, atom: Atom<N>, outside: &Outside<'_, R, impl Fn(N) -> R>) -> Const {
        match atom {
            Atom::Var(v) => self.vars[v.index()],
            Atom::Const(c) => c,
            Atom::Outer(name, _) => outside.env.outer((outside.name)(name)),
        }
    }

    fn values<R: Name>(
        &self,
        atoms: &[Atom<N>],
        outside: &Outside<'_, R, impl Fn(N) -> R>,
    ) -> Vec<Const> {
        atoms.iter().map(|&atom| self.value(atom, outside)).collect()
    }

    /// Goes on up to the next call, or to the end.
    fn go_on<R: Name>(
        &mut self,
        outside: &Outside<'_, R, impl Fn(N) -> R>,
    ) -> Result<Turn<'a, N>, Fault> {
        loop {
            let Some(open) = self.blocks.last_mut() else { return Ok(Turn::Done(Vec::new())) };
            let Some(stmt) = open.block.stmts.get(open.at) else {
                if let Some(results) = self.end_block(outside) {
                    return Ok(Turn::Done(results));
                }
                continue;
            };
            open.at += 1;
            match stmt {
                Stmt::Let(var, op) => self.vars[var.index()] = self.result(*var, op, outside)?,
                Stmt::If { results, cond, then, els } => {
                    let block = if self.value(*cond, outside).bool() { then } else { els };
                    self.blocks.push(Open { block, at: 0, exit: Exit::Arm(results) });
                }
                Stmt::Loop { results, params, init, body } => {
                    let values = self.values(init, outside);
                    self.assign(params, &values);
                    let exit = Exit::Loop { params, results };
                    self.blocks.push(Open { block: body, at: 0, exit });
                }
                Stmt::Require { site, cond, args, span } => {
                    if !self.value(*cond, outside).bool() {
                        let args = ints(&self.values(args, outside));
                        return Err(Fault { site: *site, span: *span, args });
                    }
                }
                Stmt::Call(call) => return Ok(Turn::Call(call, self.values(&call.args, outside))),
            }
        }
    }

    /// What an operation gives.
    fn result<R: Name>(
        &self,
        var: Var,
        op: &Op<N>,
        outside: &Outside<'_, R, impl Fn(N) -> R>,
    ) -> Result<Const, Fault> {
        match op {
            Op::Scalar(op, operands, span) => {
                let mut room = [Const::I64(0); MOST_OPERANDS];
                for (place, &operand) in room.iter_mut().zip(operands) {
                    *place = self.value(operand, outside);
                }
                let args = &room[..operands.len()];
                let fault = |f: prim::Fault| Fault { site: f.0, span: *span, args: ints(args) };
                prim::eval(outside.env.widths(), *op, args).map_err(fault)
            }
            Op::Read(vector, index) => {
                let index = self.value(*index, outside).int();
                let name = (outside.name)(*vector);
                Ok(outside.env.element(name, index).unwrap_or_else(|| {
                    let code = self.code.map_refs(&outside.name);
                    panic!("bug: {var} reads element {index} outside {name} in\n{code}")
                }))
            }
        }
    }

    /// Ends or repeats the innermost block; gives the results if it was the last.
    fn end_block<R: Name>(
        &mut self,
        outside: &Outside<'_, R, impl Fn(N) -> R>,
    ) -> Option<Vec<Const>> {
        let Open { block, exit, .. } = *self.blocks.last()?;
        let values = self.values(&block.yields, outside);
        match exit {
            Exit::Loop { params, .. } if values[0].bool() => {
                self.assign(params, &values[1..]);
                self.blocks.last_mut()?.at = 0;
            }
            Exit::Loop { params, results } => {
                self.assign(results, &values[1 + params.len()..]);
                self.blocks.pop();
            }
            Exit::Arm(results) => {
                self.assign(results, &values);
                self.blocks.pop();
            }
            Exit::Return => return Some(values),
        }
        None
    }
}

/// Operands of an operation, at most.
const MOST_OPERANDS: usize = 3;

/// The ints among the first two operands.
fn ints(args: &[Const]) -> [i64; 2] {
    [0, 1].map(|k| if let Some(Const::I64(n)) = args.get(k) { *n } else { 0 })
}

/// The calls under way.
struct Machine<'a, R> {
    env: &'a dyn Env<R>,
    /// The code itself.
    first: Activation<'a, R>,
    /// Calls of functions, innermost last.
    calls: Vec<Under<'a, R>>,
}

/// A call of a function under way.
struct Under<'a, R> {
    activation: Activation<'a, Param>,
    /// What `p0, p1, ...` are.
    vectors: Vec<R>,
    /// Where the caller wants the results.
    results: &'a [Var],
}

impl<'a, R: Name> Machine<'a, R> {
    fn run(mut self) -> Result<Vec<Const>, Fault> {
        let env = self.env;
        loop {
            let Some(Under { activation, vectors, results }) = self.calls.last_mut() else {
                match self.first.go_on(&Outside { env, name: |name| name })? {
                    Turn::Done(values) => return Ok(values),
                    Turn::Call(call, args) => self.enter(call, &args, call.vectors.clone())?,
                }
                continue;
            };
            let name = |param: Param| vectors[param.index()];
            match activation.go_on(&Outside { env, name })? {
                Turn::Done(values) => {
                    let results = *results;
                    self.calls.pop();
                    match self.calls.last_mut() {
                        None => self.first.assign(results, &values),
                        Some(caller) => caller.activation.assign(results, &values),
                    }
                }
                Turn::Call(call, args) => {
                    let vectors = call.vectors.iter().map(|&param| name(param)).collect();
                    self.enter(call, &args, vectors)?;
                }
            }
        }
    }

    /// Begins a call.
    fn enter<N>(
        &mut self,
        call: &'a Call<N>,
        args: &[Const],
        vectors: Vec<R>,
    ) -> Result<(), Fault> {
        // The code itself counts.
        if self.calls.len() + 1 >= MAX_CALLS {
            return Err(Fault { site: Site::Memory, span: call.span, args: [0, 0] });
        }
        let code = &self.env.function(call.func).code;
        let mut activation = Activation::new(code);
        activation.assign(&code.params, args);
        self.calls.push(Under { activation, vectors, results: &call.results });
        Ok(())
    }
}
