//! Primitives: *the* table of what each meaning becomes.

use crate::call::Signature;
use crate::mono::{Lower, Lowering, limit};
use crate::scope::Abs;
use crate::ty;
use nest::{Op, SortKind, Value};
use prim::{Bulk, Meaning, Prim, Primitive, ScalarOp, Ty};
use types::Type;

impl<'a> Lower<'a> {
    /// Applies a primitive.
    pub(crate) fn primitive(
        &mut self,
        prim: Prim,
        arg: &Abs<'a>,
        at: &Signature,
    ) -> Lowering<Abs<'a>> {
        let row = Primitive::of(prim);
        let value = match row.meaning {
            Meaning::Scalar(op) => {
                let args = self.operands(arg, &at.param, op.arity());
                self.scalar(op, &args, at.floats)
            }
            Meaning::Bulk(bulk) => self.bulk(bulk, arg, &at.param),
            Meaning::Require(site) => {
                let args = self.operands(arg, &at.param, 3);
                self.b.require(site, args[0], [args[1], args[2]])
            }
            Meaning::Equal => self.equality(arg, &at.param),
            Meaning::Unequal => {
                let equal = self.equality(arg, &at.param);
                self.b.scalar(ScalarOp::Not, &[equal])
            }
            Meaning::Select => {
                let args = self.components(arg, &at.param, 3);
                return self.select(&args, &at.result);
            }
            Meaning::Identity => {
                let ty = ty::nest(self.program, &at.result);
                self.identity(&ty)
            }
            Meaning::Convert => {
                let args = self.operands(arg, &at.param, 2);
                self.convert(args[0], &at.result)
            }
            Meaning::HashBits => {
                let value = self.reify(arg, &at.param);
                self.hash(value)
            }
            Meaning::Text => self.text(arg, &at.param)?,
            Meaning::RandomBits => self.draw(at.site),
            Meaning::Error => {
                let message = self.reify(arg, &at.param);
                self.b.push(Op::Fail(message))
            }
            Meaning::IsFloat => self.b.bool(at.param == Type::Base(Ty::F64)),
            Meaning::Const(_) => unreachable!("a constant is not applied"),
            Meaning::Seed
            | Meaning::PrintString
            | Meaning::PrintDebug
            | Meaning::Time
            | Meaning::Stream(_)
            | Meaning::FileFailed
            | Meaning::ObjectText
            | Meaning::ObjectValue => {
                let name = at.callee.map_or(row.name, |callee| &self.program.globals[callee].name);
                let message = format!("`{name}` has an effect, and compiled code has none");
                return Err(limit(at.span, message));
            }
        };
        Ok(Abs::Value(value))
    }

    fn bulk(&mut self, bulk: Bulk, arg: &Abs<'a>, ty: &Type) -> Value {
        let arity = match bulk {
            Bulk::Slice | Bulk::Write => 3,
            Bulk::Element | Bulk::Partition | Bulk::Append | Bulk::Permute => 2,
            _ => 1,
        };
        let args = self.operands(arg, ty, arity);
        let a = args[0];
        let op = match bulk {
            Bulk::Length => Op::Length(a),
            Bulk::Index => Op::Index(a),
            Bulk::Element => Op::Element(a, args[1]),
            Bulk::Slice => Op::Slice { seq: a, start: args[1], count: args[2] },
            Bulk::Which => Op::Which(a),
            Bulk::Scan(monoid) => Op::Scan(monoid, a),
            Bulk::Reduce(monoid) => Op::Reduce(monoid, a),
            Bulk::Flatten => Op::Flatten(a),
            Bulk::Partition => Op::Partition(a, args[1]),
            Bulk::Append => Op::Append(a, args[1]),
            Bulk::Write => Op::Write { into: a, positions: args[1], values: args[2] },
            Bulk::Permute => Op::Permute(a, args[1]),
            Bulk::Rank => Op::Sort(SortKind::Rank, a),
            Bulk::RankDown => Op::Sort(SortKind::RankDown, a),
            Bulk::Sort => Op::Sort(SortKind::Sort, a),
        };
        self.b.push(op)
    }

    fn equality(&mut self, arg: &Abs<'a>, ty: &Type) -> Value {
        let args = self.operands(arg, ty, 2);
        self.equal(args[0], args[1])
    }

    /// A number as a number of another type.
    fn convert(&mut self, number: Value, to: &Type) -> Value {
        let from = self.b.ty(number).scalar();
        match (from, to) {
            (Ty::I64, Type::Base(Ty::F64)) => match self.b.known(number) {
                Some(known) => {
                    let float = prim::eval(self.program.widths, ScalarOp::ToFloat, &[known]);
                    self.b.constant(float.unwrap_or_else(|_| unreachable!("it cannot fail")))
                }
                None => self.b.scalar(ScalarOp::ToFloat, &[number]),
            },
            (Ty::F64, Type::Base(Ty::I64)) => self.b.scalar(ScalarOp::Round, &[number]),
            _ => number,
        }
    }
}
