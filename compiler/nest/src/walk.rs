//! Walks over nest: operands and blocks of an operation, its failures, and its type.

use crate::ir::{Block, Each, Function, Op, SortKind, Type, Value, ValueInfo};
use base::IdMap;
use prim::Ty;

impl Op {
    /// The values that it uses, those of its blocks excepted.
    pub fn operands(&self) -> Vec<Value> {
        match self {
            Op::Const(_) | Op::Literal(..) => Vec::new(),
            Op::Copy(v)
            | Op::Fail(v)
            | Op::Field(v, _)
            | Op::Length(v)
            | Op::Index(v)
            | Op::Which(v)
            | Op::Reduce(_, v)
            | Op::Scan(_, v)
            | Op::Flatten(v)
            | Op::Sort(_, v)
            | Op::If(v, ..) => vec![*v],
            Op::Element(a, b) | Op::Partition(a, b) | Op::Append(a, b) | Op::Permute(a, b) => {
                vec![*a, *b]
            }
            Op::Slice { seq, start, count } => vec![*seq, *start, *count],
            Op::Write { into, positions, values } => vec![*into, *positions, *values],
            Op::Require(_, values) => values.to_vec(),
            Op::Scalar(_, values) | Op::Tuple(values) | Op::Seq(values) | Op::Call(_, values) => {
                values.clone()
            }
            Op::Each(each) => each.generators.iter().map(|g| g.1).collect(),
        }
    }

    /// Its blocks, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Op::Each(each) => each.test.iter().chain([&each.body]).collect(),
            Op::If(_, then, els) => vec![then, els],
            _ => Vec::new(),
        }
    }

    /// Its operands and blocks, to be changed.
    pub fn parts_mut(&mut self) -> (Vec<&mut Value>, Vec<&mut Block>) {
        match self {
            Op::Const(_) | Op::Literal(..) => (Vec::new(), Vec::new()),
            Op::Copy(v)
            | Op::Fail(v)
            | Op::Field(v, _)
            | Op::Length(v)
            | Op::Index(v)
            | Op::Which(v)
            | Op::Reduce(_, v)
            | Op::Scan(_, v)
            | Op::Flatten(v)
            | Op::Sort(_, v) => (vec![v], Vec::new()),
            Op::Element(a, b) | Op::Partition(a, b) | Op::Append(a, b) | Op::Permute(a, b) => {
                (vec![a, b], Vec::new())
            }
            Op::Slice { seq, start, count } => (vec![seq, start, count], Vec::new()),
            Op::Write { into, positions, values } => (vec![into, positions, values], Vec::new()),
            Op::Require(_, values) => (values.iter_mut().collect(), Vec::new()),
            Op::Scalar(_, values) | Op::Tuple(values) | Op::Seq(values) | Op::Call(_, values) => {
                (values.iter_mut().collect(), Vec::new())
            }
            Op::If(cond, then, els) => (vec![cond], vec![then, els]),
            Op::Each(Each { generators, test, body }) => {
                let sources = generators.iter_mut().map(|g| &mut g.1).collect();
                (sources, test.iter_mut().chain([body]).collect())
            }
        }
    }

    /// Whether it may fail or call, itself or in a block: it cannot be left out.
    pub fn has_effect(&self, function: &Function) -> bool {
        let itself = match self {
            Op::Scalar(op, args) => match function.ty(args[0]) {
                Some(Type::Scalar(ty)) => op.site(*ty).is_some(),
                _ => false,
            },
            Op::Each(each) => each.generators.len() > 1,
            Op::Require(..)
            | Op::Fail(_)
            | Op::Index(_)
            | Op::Element(..)
            | Op::Write { .. }
            | Op::Permute(..)
            | Op::Call(..) => true,
            _ => false,
        };
        let inside = |block: &&Block| block.stmts.iter().any(|s| s.op.has_effect(function));
        itself || self.blocks().iter().any(inside)
    }

    /// The type of its result as it follows from the operands; `None` where they do not fit, and
    /// for calls and empty sequences.
    pub(crate) fn natural_type(&self, values: &IdMap<Value, ValueInfo>) -> Option<Type> {
        let ty = |v: &Value| values.get(*v).map(|info| &info.ty);
        let element = |v: &Value| match ty(v) {
            Some(Type::Seq(element)) => Some(&**element),
            _ => None,
        };
        match self {
            Op::Const(c) => Some(Type::Scalar(c.ty())),
            Op::Literal(ty, _) => Some(Type::Scalar(*ty).seq()),
            Op::Scalar(op, args) => {
                let tys: Option<Vec<Ty>> = args
                    .iter()
                    .map(|v| if let Some(Type::Scalar(t)) = ty(v) { Some(*t) } else { None })
                    .collect();
                op.result(&tys?).map(Type::Scalar)
            }
            Op::Require(..) | Op::Fail(_) => Some(Type::Scalar(Ty::Bool)),
            Op::Tuple(parts) => {
                let parts: Option<Vec<Type>> = parts.iter().map(|v| ty(v).cloned()).collect();
                parts.map(Type::Tuple)
            }
            Op::Field(v, n) => match ty(v) {
                Some(Type::Tuple(parts)) => parts.get(*n).cloned(),
                _ => None,
            },
            Op::Seq(items) => items.first().and_then(ty).map(|t| t.clone().seq()),
            Op::Length(_) => Some(Type::Scalar(Ty::I64)),
            Op::Index(_) | Op::Which(_) | Op::Sort(SortKind::Rank | SortKind::RankDown, _) => {
                Some(Type::Scalar(Ty::I64).seq())
            }
            Op::Element(v, _) | Op::Reduce(_, v) | Op::Flatten(v) => element(v).cloned(),
            Op::Copy(v)
            | Op::Slice { seq: v, .. }
            | Op::Scan(_, v)
            | Op::Append(v, _)
            | Op::Write { into: v, .. }
            | Op::Permute(v, _)
            | Op::Sort(SortKind::Sort, v) => ty(v).cloned(),
            Op::Partition(v, _) => ty(v).map(|t| t.clone().seq()),
            Op::Each(each) => ty(&each.body.result).map(|t| t.clone().seq()),
            Op::If(_, then, _) => ty(&then.result).cloned(),
            Op::Call(..) => None,
        }
    }
}

impl Function {
    /// The type of a value, if it is in the table.
    pub fn ty(&self, value: Value) -> Option<&Type> {
        self.values.get(value).map(|info| &info.ty)
    }
    /// The type of the result.
    pub fn result_type(&self) -> Option<&Type> {
        self.ty(self.body.result)
    }
}

impl Block {
    /// How many items the block has in the text: its statements and yields, blocks included.
    pub(crate) fn count_items(&self) -> usize {
        let inside = |op: &Op| op.blocks().iter().map(|b| b.count_items()).sum::<usize>();
        1 + self.stmts.iter().map(|s| 1 + inside(&s.op)).sum::<usize>()
    }
}
