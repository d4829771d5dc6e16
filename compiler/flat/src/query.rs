//! Questions about operations: where they work, what they use, whether they can be left out.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Operand, ScatterKind, Stmt, Value};
use scalar::{Atom, Item};

impl Op {
    /// Its code per lane, to be changed.
    pub fn code_mut(&mut self) -> Option<&mut Code> {
        match self {
            Op::Map { code, .. }
            | Op::Reduce { code, .. }
            | Op::Scan { code, .. }
            | Op::Filter { code, .. }
            | Op::Offsets { code, .. }
            | Op::Scatter { code, .. }
            | Op::Sort { code, .. }
            | Op::Fail { code, .. } => Some(code),
            Op::Literal(..)
            | Op::Join(_)
            | Op::Behind { .. }
            | Op::Grow { .. }
            | Op::Call(..)
            | Op::If(..) => None,
        }
    }
    /// Whether it may fail or run for ever.
    pub fn has_effect(&self) -> bool {
        match self {
            Op::Fail { .. } | Op::Call(..) => true,
            Op::Scatter { kind: ScatterKind::Permute, .. } => true,
            Op::If(_, a, b) => [a, b].iter().any(|b| b.stmts.iter().any(|s| s.op.has_effect())),
            Op::Literal(..) | Op::Join(_) | Op::Behind { .. } | Op::Grow { .. } => false,
            Op::Map { code, .. }
            | Op::Reduce { code, .. }
            | Op::Scan { code, .. }
            | Op::Filter { code, .. }
            | Op::Offsets { code, .. }
            | Op::Scatter { code, .. }
            | Op::Sort { code, .. } => code.has_effect(),
        }
    }
    /// The values that it uses, those of nested blocks included; spaces are not looked at.
    pub fn uses(&self) -> Vec<Value> {
        let mut uses = Vec::new();
        if let Some(code) = self.code() {
            let refs = code.refs();
            uses.extend(refs.vectors);
            uses.extend(refs.outers);
        }
        let operand = |uses: &mut Vec<Value>, o: &Operand| {
            if let Operand::Value(v) = o {
                uses.push(*v);
            }
        };
        match self {
            Op::Scatter { kind: ScatterKind::Write(base) | ScatterKind::Into(base), .. } => {
                uses.extend(base);
            }
            Op::Fail { pool, .. } => uses.push(*pool),
            Op::Join(parts) => uses.extend(parts.iter().flatten()),
            Op::Behind { from, used, more } => {
                uses.extend(from);
                [used, more].iter().for_each(|o| operand(&mut uses, o));
            }
            Op::Grow { from, used, begin, len } => {
                uses.extend(from);
                [used, begin, len].iter().for_each(|o| operand(&mut uses, o));
            }
            Op::Call(_, args) => args.iter().for_each(|a| operand(&mut uses, a)),
            Op::If(cond, a, b) => {
                operand(&mut uses, cond);
                uses.extend(a.uses());
                uses.extend(b.uses());
            }
            _ => {}
        }
        uses
    }
}

impl Function {
    /// Whether a statement over filtered lanes can run where the filter keeps them, with no more
    /// than what is known there: a map, or offsets whose lengths are known from where the lanes
    /// come from alone, as they are counted in all lanes of the source.
    pub fn runs_kept(&self, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::Map { .. } => true,
            Op::Offsets { space, code } => {
                let Some((source, positions)) = self.spaces[*space].from else { return false };
                let own =
                    |v: &Value| *v != positions && self.values[*v].domain == Domain::Lanes(*space);
                self.chain(source).len() == 1
                    && !code.has_effect()
                    && !code.refs().vectors.iter().any(own)
                    && uses_positions_alone(code, positions)
            }
            _ => false,
        }
    }
}

/// Whether code uses its parameters only to read `positions`.
fn uses_positions_alone(code: &Code, positions: Value) -> bool {
    let mut alone = true;
    code.body.walk(&mut |item| {
        if let Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, _))) = item
            && *vector == positions
        {
            return;
        }
        item.for_each_atom(&mut |atom| {
            alone &= !matches!(atom, Atom::Var(v) if code.params.contains(&v));
        });
    });
    alone
}

impl Operand {
    /// The value, if it is one.
    pub fn value(self) -> Option<Value> {
        match self {
            Operand::Value(v) => Some(v),
            Operand::Const(_) => None,
        }
    }
}

impl Block {
    /// The values that its statements and yields use.
    pub fn uses(&self) -> Vec<Value> {
        let mut uses: Vec<Value> = self.stmts.iter().flat_map(|s| s.op.uses()).collect();
        uses.extend(self.yields.iter().filter_map(|y| y.value()));
        uses
    }
}
