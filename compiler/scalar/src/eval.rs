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
    Runner::new(code).run(args, env)
}

/// Code made ready to be run for many lanes.
///
/// Scalar functions know vectors as `p0, p1, ...`; the code itself is brought into the same form,
/// so that one machine runs both.
#[derive(Clone, Debug)]
pub struct Runner<R> {
    code: Code<Param>,
    /// What `p0, p1, ...` of the code are.
    names: Vec<R>,
}

impl<R: Name> Runner<R> {
    /// Makes code ready.
    pub fn new(code: &Code<R>) -> Runner<R> {
        let mut names: Vec<R> = Vec::new();
        let code = code.map_refs(|name| {
            let at = names.iter().position(|&n| n == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            Param::new(at)
        });
        Runner { code, names }
    }

    /// The code's yields for these arguments.
    pub fn run(&self, args: &[Const], env: &dyn Env<R>) -> Result<Vec<Const>, Fault> {
        let mut first = Activation::new(&self.code, self.names.clone(), &[]);
        first.assign(&self.code.params, args);
        Machine { env, calls: vec![first] }.run()
    }
}

/// A call under way.
struct Activation<'a, R> {
    code: &'a Code<Param>,
    vars: Vec<Const>,
    /// What `p0, p1, ...` are.
    vectors: Vec<R>,
    /// The open blocks, innermost last.
    blocks: Vec<Open<'a>>,
    /// Where the caller wants the results.
    results: &'a [Var],
}

/// A block under way.
struct Open<'a> {
    block: &'a Block<Param>,
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

impl<'a, R: Name> Activation<'a, R> {
    fn new(code: &'a Code<Param>, vectors: Vec<R>, results: &'a [Var]) -> Self {
        let vars = code.vars.values().map(|ty| ty.zero()).collect();
        let blocks = vec![Open { block: &code.body, at: 0, exit: Exit::Return }];
        Activation { code, vars, vectors, blocks, results }
    }

    fn assign(&mut self, vars: &[Var], values: &[Const]) {
        for (var, &value) in vars.iter().zip(values) {
            self.vars[var.index()] = value;
        }
    }

    fn value(&self, atom: Atom<Param>, env: &dyn Env<R>) -> Const {
        match atom {
            Atom::Var(v) => self.vars[v.index()],
            // The ends of int are those of its width.
            Atom::Const(c) => env.widths().constant(c),
            Atom::Outer(p, _) => env.outer(self.vectors[p.index()]),
        }
    }

    fn values(&self, atoms: &[Atom<Param>], env: &dyn Env<R>) -> Vec<Const> {
        atoms.iter().map(|&a| self.value(a, env)).collect()
    }

    fn open(&mut self, block: &'a Block<Param>, exit: Exit<'a>) {
        self.blocks.push(Open { block, at: 0, exit });
    }

    fn let_(&mut self, var: Var, op: &Op<Param>, env: &dyn Env<R>) -> Result<(), Fault> {
        let value = match op {
            Op::Scalar(op, args, span) => {
                let args = self.values(args, env);
                let fault = |f: prim::Fault| Fault { site: f.0, span: *span, args: ints(&args) };
                prim::eval(env.widths(), *op, &args).map_err(fault)?
            }
            Op::Read(vector, index) => {
                let index = self.value(*index, env).int();
                let name = self.vectors[vector.index()];
                env.element(name, index).unwrap_or_else(|| {
                    let code = self.code.map_refs(|p| self.vectors[p.index()]);
                    panic!("bug: {var} reads element {index} outside {name} in\n{code}")
                })
            }
        };
        self.vars[var.index()] = value;
        Ok(())
    }
}

/// The ints among the first two operands.
fn ints(args: &[Const]) -> [i64; 2] {
    [0, 1].map(|k| if let Some(Const::I64(n)) = args.get(k) { *n } else { 0 })
}

struct Machine<'a, R> {
    env: &'a dyn Env<R>,
    /// Innermost last; never empty while running.
    calls: Vec<Activation<'a, R>>,
}

impl<'a, R: Name> Machine<'a, R> {
    fn run(mut self) -> Result<Vec<Const>, Fault> {
        loop {
            let Some(call) = self.calls.last_mut() else { return Ok(Vec::new()) };
            let Some(open) = call.blocks.last_mut() else { return Ok(Vec::new()) };
            if let Some(stmt) = open.block.stmts.get(open.at) {
                open.at += 1;
                if let Stmt::Call(callee) = stmt {
                    self.call(callee)?;
                } else {
                    step(call, stmt, self.env)?;
                }
            } else if let Some(results) = self.end_block() {
                return Ok(results);
            }
        }
    }

    fn call(&mut self, callee: &'a Call<Param>) -> Result<(), Fault> {
        if self.calls.len() >= MAX_CALLS {
            return Err(Fault { site: Site::Memory, span: callee.span, args: [0, 0] });
        }
        if let Some(caller) = self.calls.last() {
            let args = caller.values(&callee.args, self.env);
            let vectors = callee.vectors.iter().map(|p| caller.vectors[p.index()]).collect();
            let code = &self.env.function(callee.func).code;
            let mut activation = Activation::new(code, vectors, &callee.results);
            activation.assign(&code.params, &args);
            self.calls.push(activation);
        }
        Ok(())
    }

    /// Ends or repeats the innermost block; gives the results if it was the last of all.
    fn end_block(&mut self) -> Option<Vec<Const>> {
        let call = self.calls.last_mut()?;
        let open = call.blocks.last()?;
        let (block, exit) = (open.block, open.exit);
        let values = call.values(&block.yields, self.env);
        match exit {
            Exit::Loop { params, .. } if values[0].bool() => {
                call.assign(params, &values[1..]);
                call.blocks.last_mut()?.at = 0;
            }
            Exit::Loop { params, results } => {
                call.assign(results, &values[1 + params.len()..]);
                call.blocks.pop();
            }
            Exit::Arm(results) => {
                call.assign(results, &values);
                call.blocks.pop();
            }
            Exit::Return => {
                let ended = self.calls.pop()?;
                let Some(caller) = self.calls.last_mut() else { return Some(values) };
                caller.assign(ended.results, &values);
            }
        }
        None
    }
}

/// Executes a statement other than a call; for one with blocks, enters the first.
fn step<'a, R: Name>(
    call: &mut Activation<'a, R>,
    stmt: &'a Stmt<Param>,
    env: &dyn Env<R>,
) -> Result<(), Fault> {
    match stmt {
        Stmt::Let(var, op) => call.let_(*var, op, env)?,
        Stmt::If { results, cond, then, els } => {
            let block = if call.value(*cond, env).bool() { then } else { els };
            call.open(block, Exit::Arm(results));
        }
        Stmt::Loop { results, params, init, body } => {
            let values = call.values(init, env);
            call.assign(params, &values);
            call.open(body, Exit::Loop { params, results });
        }
        Stmt::Require { site, cond, args, span } => {
            if !call.value(*cond, env).bool() {
                let args = ints(&call.values(args, env));
                return Err(Fault { site: *site, span: *span, args });
            }
        }
        Stmt::Call(_) => unreachable!("calls change the stack and are made by the machine"),
    }
    Ok(())
}
