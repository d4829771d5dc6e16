//! Questions about operations: where they work, what they use, whether they can be left out.

use crate::Code;
use crate::ir::{Block, Op, Operand, ScatterKind, Value};

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
            Op::Literal(..) | Op::Join(_) | Op::Call(..) | Op::If(..) => None,
        }
    }
    /// Whether it may fail or run for ever.
    pub fn has_effect(&self) -> bool {
        match self {
            Op::Fail { .. } | Op::Call(..) => true,
            Op::Scatter { kind: ScatterKind::Permute, .. } => true,
            Op::If(_, a, b) => [a, b].iter().any(|b| b.stmts.iter().any(|s| s.op.has_effect())),
            Op::Literal(..) | Op::Join(_) => false,
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
            Op::Scatter { kind: ScatterKind::Write(base), .. } => uses.extend(base),
            Op::Fail { pool, .. } => uses.push(*pool),
            Op::Join(parts) => uses.extend(parts.iter().flatten()),
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
