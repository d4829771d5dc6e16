//! Which variables may be printed where they are used, instead of getting a name.
//!
//! A variable is *inlined* when it is a pure operation that is used once, in the block that defines
//! it, by a statement that prints its operands once.  Text then reads like what a person would
//! write: `x8 = x4 + a0[x3] * a1[x3]`.

use super::facts::atom_ty;
use base::{Id, IdMap};
use kernel::Stmt as KernelStmt;
use prim::{ScalarOp, Ty};
use scalar::{Atom, Block, Code, Op, Stmt, Var, can_fail};

/// Where a variable is defined and used.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Number of the defining block.
    defined: u32,
    /// Number of the block of the last use.
    used: u32,
    /// How often a use prints it.
    count: u32,
    /// Used as an arm of a `select`, or in another place where memory must not be read.
    arm: bool,
}

/// The uses of all variables of a kernel or function.
pub(crate) struct Uses {
    vars: Vec<Use>,
    blocks: u32,
}

impl Uses {
    /// Those of scalar code.
    pub(crate) fn of_code<R: Copy>(code: &Code<R>) -> Uses {
        let mut uses = Uses::new(code.vars.len());
        uses.block(&code.body, &code.vars);
        uses
    }
    /// Those of a kernel's blocks.
    pub(crate) fn of_kernel(kernel: &kernel::Kernel, blocks: [&kernel::Block; 2]) -> Uses {
        let mut uses = Uses::new(kernel.vars.len());
        for block in blocks {
            uses.kernel_block(block, &kernel.vars, |_, _| {});
        }
        uses
    }
    /// Whether the variable may be printed where it is used.
    pub(crate) fn inlines(&self, var: Var, loads: bool) -> bool {
        let u = self.vars[var.index()];
        u.count == 1 && u.defined == u.used && !(loads && u.arm)
    }
    /// Whether nothing uses the variable.
    pub(crate) fn unused(&self, var: Var) -> bool {
        self.vars[var.index()].count == 0
    }

    fn new(vars: usize) -> Uses {
        Uses { vars: vec![Use::default(); vars], blocks: 0 }
    }
    fn define(&mut self, var: Var, block: u32) {
        self.vars[var.index()].defined = block;
    }
    fn operand<R: Copy>(&mut self, atom: Atom<R>, block: u32, times: u32) {
        if let Atom::Var(v) = atom {
            let u = &mut self.vars[v.index()];
            u.used = block;
            u.count += times;
        }
    }
    fn operands<R: Copy>(&mut self, atoms: &[Atom<R>], block: u32) {
        for &atom in atoms {
            self.operand(atom, block, 1);
        }
    }
    fn next_block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn block<R: Copy>(&mut self, block: &Block<R>, vars: &IdMap<Var, Ty>) {
        let here = self.next_block();
        for stmt in &block.stmts {
            self.stmt(stmt, here, vars);
        }
        self.operands(&block.yields, here);
    }
    fn stmt<R: Copy>(&mut self, stmt: &Stmt<R>, here: u32, vars: &IdMap<Var, Ty>) {
        match stmt {
            Stmt::Let(var, op) => {
                self.define(*var, here);
                self.op(op, here, vars);
            }
            Stmt::If { cond, then, els, .. } => {
                self.operand(*cond, here, 1);
                self.block(then, vars);
                self.block(els, vars);
            }
            Stmt::Loop { init, body, .. } => {
                self.operands(init, here);
                self.block(body, vars);
            }
            Stmt::Require { cond, args, .. } => {
                self.operand(*cond, here, 1);
                self.operands(args, here);
            }
            Stmt::Call(call) => self.operands(&call.args, here),
        }
    }
    fn op<R: Copy>(&mut self, op: &Op<R>, here: u32, vars: &IdMap<Var, Ty>) {
        match op {
            Op::Read(_, index) => self.operand(*index, here, 1),
            Op::Scalar(op, args, _) => {
                let fails = can_fail(*op, args, &|a| atom_ty(a, vars));
                for (i, &arg) in args.iter().enumerate() {
                    self.operand(arg, here, if fails { 2 } else { 1 });
                    if let (ScalarOp::Select, 1.., Atom::Var(v)) = (*op, i, arg) {
                        self.vars[v.index()].arm = true;
                    }
                }
            }
        }
    }

    /// `then` is given the number of the block: for what its end uses.
    fn kernel_block(
        &mut self,
        block: &kernel::Block,
        vars: &IdMap<Var, Ty>,
        then: impl FnOnce(&mut Uses, u32),
    ) {
        let here = self.next_block();
        for stmt in block {
            self.kernel_stmt(stmt, here, vars);
        }
        then(self, here);
    }
    fn kernel_stmt(&mut self, stmt: &KernelStmt, here: u32, vars: &IdMap<Var, Ty>) {
        match stmt {
            KernelStmt::Scalar(stmt) => self.stmt(stmt, here, vars),
            KernelStmt::If(cond, then, els) => {
                self.operand(*cond, here, 1);
                self.kernel_block(then, vars, |_, _| {});
                self.kernel_block(els, vars, |_, _| {});
            }
            KernelStmt::For { from, to, carried, body, .. } => {
                self.operand(*from, here, 1);
                // The bound is looked at before every iteration: it gets a name.
                self.operand(*to, here, 2);
                for carry in carried {
                    self.operand(carry.init, here, 1);
                    self.define(carry.result, here);
                }
                self.kernel_block(body, vars, |uses, inside| {
                    for carry in carried {
                        uses.operand(carry.next, inside, 1);
                    }
                });
            }
            KernelStmt::Pack { from, to, body, keep, start, kept, stores, end, .. } => {
                self.define(*end, here);
                for (atom, times) in [(*from, 2), (*to, 2), (*start, 1)] {
                    self.operand(atom, here, times);
                }
                let values = |uses: &mut Uses, inside: u32| {
                    for (_, value) in stores {
                        uses.operand(*value, inside, 1);
                    }
                };
                self.kernel_block(body, vars, |uses, inside| {
                    uses.operand(*keep, inside, 1);
                    if kept.is_empty() {
                        values(uses, inside);
                    }
                });
                self.kernel_block(kept, vars, |uses, inside| {
                    if !kept.is_empty() {
                        values(uses, inside);
                    }
                });
            }
            KernelStmt::Store(_, index, value) | KernelStmt::Raise(_, index, value) => {
                self.operands(&[*index, *value], here);
            }
            KernelStmt::Partial(_, value) => self.operand(*value, here, 1),
            KernelStmt::Chain { links, restarts, .. } => {
                for (_, total, _) in links {
                    self.operand(*total, here, 1);
                }
                restarts.iter().for_each(|(_, any)| self.operand(*any, here, 1));
            }
            KernelStmt::Combine(links) => {
                links.iter().for_each(|(_, value, _)| self.operand(*value, here, 1));
            }
            KernelStmt::Owner { range, element, .. } => {
                self.operands(&[range[0], range[1], *element], here);
            }
            KernelStmt::Owners(told) | KernelStmt::Ends(told) => {
                self.operands(&[told.range, told.elements].concat(), here);
            }
            KernelStmt::Rows(rows) => self.operands(&[rows.count], here),
            KernelStmt::Barrier | KernelStmt::Scan(_) => {}
            KernelStmt::Positions(atoms) => self.operands(atoms, here),
        }
    }
}
