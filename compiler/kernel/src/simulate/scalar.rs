//! Scalar statements of a thread.

use super::memory::View;
use super::thread::{Place, Thread};
use crate::ir::{Kernel, Program};
use crate::{Arg, Operand};
use prim::{Const, Widths};
use scalar::{Atom, Code, Env, Fault, Op};
use std::cell::RefCell;
use std::rc::Rc;

/// What stops a thread.
pub(super) enum Trouble {
    Fault(Fault),
    Wrong(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Wrong(message)
    }
}

/// A statement of scalar code as code whose parameters are the variables that it uses.
pub(super) struct Ready {
    code: Code<Arg>,
}

impl<'a> Thread<'a> {
    /// Runs a scalar statement.
    pub(super) fn scalar(
        &mut self,
        stmt: &'a scalar::Stmt<Arg>,
        place: &mut Place<'_, 'a>,
    ) -> Result<(), Trouble> {
        match stmt {
            scalar::Stmt::Let(var, Op::Scalar(op, args, span)) => {
                let mut values = [Const::Bool(false); 3];
                for (value, &arg) in values.iter_mut().zip(args) {
                    *value = self.value(arg, &place.world.buffers);
                }
                let values = &values[..args.len()];
                let fault = |f: prim::Fault| Fault { site: f.0, span: *span, args: ints(values) };
                let result = prim::eval(place.world.program.widths, *op, values)
                    .map_err(|f| Trouble::Fault(fault(f)))?;
                self.vars[*var] = result;
            }
            scalar::Stmt::Let(var, Op::Read(arg, index)) => {
                let index = self.value(*index, &place.world.buffers).int();
                let value = self.view(place).read(*arg, index)?;
                self.vars[*var] = value;
            }
            scalar::Stmt::Require { site, cond, args, span } => {
                let value = |operand| self.value(operand, &place.world.buffers);
                if !value(*cond).bool() {
                    let args = args.map(|arg| value(arg).int());
                    return Err(Trouble::Fault(Fault { site: *site, span: *span, args }));
                }
            }
            scalar::Stmt::If { .. } | scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_) => {
                return self.code(stmt, place);
            }
        }
        Ok(())
    }

    /// Runs a statement with blocks of its own.
    fn code(
        &mut self,
        stmt: &'a scalar::Stmt<Arg>,
        place: &mut Place<'_, 'a>,
    ) -> Result<(), Trouble> {
        let at = std::ptr::from_ref(stmt).addr();
        let world = &mut *place.world;
        let (program, kernel) = (world.program, world.kernel);
        let ready = world.ready.entry(at).or_insert_with(|| Rc::new(Ready::new(kernel, stmt)));
        let ready = ready.clone();
        let args: Vec<Const> = ready.code.params.iter().map(|&v| self.vars[v]).collect();
        let env =
            Outside { program, view: RefCell::new(self.view(place)), wrong: RefCell::default() };
        let results = scalar::eval(&ready.code, &args, &env);
        if let Some(message) = env.wrong.into_inner() {
            return Err(Trouble::Wrong(message));
        }
        for (&var, value) in stmt.results().iter().zip(results.map_err(Trouble::Fault)?) {
            self.vars[var] = value;
        }
        Ok(())
    }
}

impl Ready {
    fn new(kernel: &Kernel, stmt: &scalar::Stmt<Arg>) -> Ready {
        let yields = stmt.results().iter().map(|&v| Atom::Var(v)).collect();
        let body = scalar::Block { stmts: vec![stmt.clone()], yields };
        let mut params = Vec::new();
        let mut used = |atom: Operand| {
            if let Atom::Var(v) = atom {
                params.push(v);
            }
        };
        body.walk(&mut |item| item.for_each_atom(&mut used));
        params.sort_unstable();
        params.dedup();
        Ready { code: Code { params, body, vars: kernel.vars.clone() } }
    }
}

/// The ints among the first two operands.
fn ints(args: &[Const]) -> [i64; 2] {
    [0, 1].map(|k| if let Some(Const::I64(n)) = args.get(k) { *n } else { 0 })
}

/// What scalar code finds outside itself.
struct Outside<'v, 'a> {
    program: &'a Program,
    view: RefCell<View<'v, 'a>>,
    /// A broken rule that was seen by code.
    wrong: RefCell<Option<String>>,
}

impl Env<Arg> for Outside<'_, '_> {
    fn widths(&self) -> Widths {
        self.program.widths
    }
    fn outer(&self, name: Arg) -> Const {
        self.view.borrow().buffers.scalar(name)
    }
    fn element(&self, vector: Arg, index: i64) -> Option<Const> {
        let mut view = self.view.borrow_mut();
        let found = view.read(vector, index);
        Some(found.unwrap_or_else(|message| {
            self.wrong.borrow_mut().get_or_insert(message);
            view.buffers.ty(vector).zero()
        }))
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.program.scalars[func]
    }
}
