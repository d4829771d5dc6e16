//! Primitives: one row of `prim`'s table after the other.

use crate::account::{Owner, owns};
use crate::bulk;
use crate::cost::{least_work, of_primitive};
use crate::failure::{Failure, Fault, counted, require};
use crate::function::Frame;
use crate::hash::hash_bits;
use crate::machine::Machine;
use crate::stream;
use base::{Code, Kind, Span};
use prim::{Bulk, Const, Meaning, Prim, Primitive, ScalarOp, StreamOp, Ty, Widths};
use smallvec::SmallVec;
use std::sync::Arc;
use types::Type;
use types::tree::{Exp, ExpKind};
use value::failure::describe_scalar;
use value::shape::is_closed;
use value::{Seq, SeqBuilder, Shape, Value};

/// The parts of an argument: as many as the primitive takes.
type Operands = SmallVec<[Value; 3]>;

/// Where a primitive is called.
struct Call<'a> {
    types: &'a [Type],
    span: Span,
    frame: &'a Frame,
}

impl Machine<'_> {
    /// A primitive applied to an expression.  Parts of a written tuple need not become a tuple.
    pub(crate) fn primitive_call(
        &mut self,
        prim: Prim,
        types: &[Type],
        argument: &Exp,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        let meaning = Primitive::of(prim).meaning;
        if meaning == Meaning::Time {
            self.effects += 1;
            let (value, seconds) = self.measured(argument, frame)?;
            let seconds = self.program.widths.round(seconds);
            return Ok(Value::pair(value, Value::Float(seconds)));
        }
        let mut operands = Operands::new();
        let mut rest = argument;
        while let ExpKind::Pair(first, more) = &rest.kind
            && operands.len() + 1 < arity(meaning)
        {
            self.at(rest.span, frame);
            self.cost().step();
            operands.push(self.eval(first, frame)?);
            rest = more;
        }
        let last = self.eval(rest, frame)?;
        take_apart(&last, arity(meaning), &mut operands);
        self.primitive(prim, &operands, &Call { types, span, frame })
    }

    /// A primitive applied to a value.
    pub(crate) fn primitive_value(
        &mut self,
        prim: Prim,
        types: &[Type],
        argument: &Value,
        span: Span,
        frame: &Frame,
    ) -> Result<Value, Fault> {
        let meaning = Primitive::of(prim).meaning;
        if meaning == Meaning::Time {
            return Ok(Value::pair(argument.clone(), Value::Float(0.0)));
        }
        let mut operands = Operands::new();
        take_apart(argument, arity(meaning), &mut operands);
        self.primitive(prim, &operands, &Call { types, span, frame })
    }

    fn primitive(&mut self, prim: Prim, operands: &[Value], call: &Call) -> Result<Value, Fault> {
        let meaning = Primitive::of(prim).meaning;
        let result = self
            .result(meaning, operands, call)
            .map_err(|failure| self.fault(failure, call.span, call.frame))?;
        let (work, depth) = of_primitive(meaning, operands, &result);
        self.at(call.span, call.frame);
        if owns(meaning) && call.frame.caller.is_none() {
            self.at_primitive(Owner::Primitive(prim), call.span, (work, depth));
        }
        self.cost().add(work, depth);
        Ok(result)
    }

    fn result(
        &mut self,
        meaning: Meaning,
        operands: &[Value],
        call: &Call,
    ) -> Result<Value, Failure> {
        let int = |i: usize| operands[i].int();
        if !repeats(meaning) {
            self.effects += 1;
        }
        Ok(match meaning {
            Meaning::Scalar(op) => scalar(self.program.widths, op, operands)?,
            Meaning::Const(scalar) => self.program.widths.constant(scalar).into(),
            Meaning::Bulk(bulk) => {
                counted(self.program.widths, bulk::length(bulk, operands))?;
                self.allocate(bulk::room(bulk, operands))?;
                self.afford(least_work(bulk, operands))?;
                match bulk {
                    Bulk::Reduce(monoid) => {
                        let seq = operands[0].seq();
                        bulk::reduce(self.program.widths, monoid, seq, element(call.types, seq))
                    }
                    _ => bulk::apply(self.program.widths, bulk, operands)?,
                }
            }
            Meaning::Require(site) => {
                require(operands[0].bool(), site, int(1), int(2))?;
                Value::Bool(true)
            }
            Meaning::Equal => Value::Bool(operands[0] == operands[1]),
            Meaning::Unequal => Value::Bool(operands[0] != operands[1]),
            Meaning::Select => {
                let chosen = if operands[0].bool() { 1 } else { 2 };
                operands[chosen].clone()
            }
            Meaning::Identity => identity(&self.shape(call, &operands[0])),
            Meaning::Convert => convert(self.program.widths, &operands[0], &operands[1]),
            Meaning::IsFloat => Value::Bool(matches!(operands[0], Value::Float(_))),
            Meaning::HashBits => Value::Int(hash_bits(self.program.widths, &operands[0])),
            Meaning::Text => {
                self.allocate((operands[0].size() as usize).saturating_mul(SHOWN))?;
                let shape = self.shape(call, &operands[0]);
                Value::string(operands[0].text(&shape, self.program.widths))
            }
            Meaning::RandomBits => Value::Int(call.frame.key.draw(call.span)),
            Meaning::Seed => {
                self.reseed(int(0));
                Value::Bool(true)
            }
            Meaning::Error => {
                let message = String::from_utf8_lossy(operands[0].seq().as_chars()).into_owned();
                return Err(Failure::new(Code::Raised, message));
            }
            Meaning::PrintString => {
                self.print(operands[0].seq().as_chars())?;
                Value::Bool(true)
            }
            Meaning::PrintDebug => {
                let mut line = operands[0].seq().as_chars().to_vec();
                let shape = self.shape(call, &operands[1]);
                line.extend(operands[1].text(&shape, self.program.widths));
                line.push(b'\n');
                self.print(&line)?;
                operands[1].clone()
            }
            Meaning::Stream(op) => self.stream(op, operands)?,
            Meaning::FileFailed => {
                let message = String::from_utf8_lossy(operands[0].seq().as_chars()).into_owned();
                return Err(Failure::new(Code::ProgramFile, message));
            }
            Meaning::ObjectText => {
                self.allocate((operands[0].size() as usize).saturating_mul(SHOWN))?;
                let shape = self.shape(call, &operands[0]);
                Value::string(stream::object_text(&operands[0], &shape, self.program.widths))
            }
            Meaning::ObjectValue => {
                let shape = self.shape(call, &operands[0]);
                stream::object_value(&operands[0], &operands[1], &shape, self.program.widths)
            }
            Meaning::Time => unreachable!("`time` is not applied to evaluated operands"),
        })
    }

    /// The shape of the primitive's type variable; `value` is of that type.
    fn shape(&self, call: &Call, value: &Value) -> Shape {
        match call.types.first() {
            Some(ty) if is_closed(ty) => Shape::of(ty, &[], &self.program.datas),
            _ => Shape::seen(value),
        }
    }
}

/// True if a primitive gives and does the same whenever it is applied to the same operands.
fn repeats(meaning: Meaning) -> bool {
    match meaning {
        Meaning::RandomBits
        | Meaning::Seed
        | Meaning::PrintString
        | Meaning::PrintDebug
        | Meaning::Stream(_)
        | Meaning::Time => false,
        Meaning::Scalar(_)
        | Meaning::Const(_)
        | Meaning::Bulk(_)
        | Meaning::Require(_)
        | Meaning::Equal
        | Meaning::Unequal
        | Meaning::Select
        | Meaning::Identity
        | Meaning::Convert
        | Meaning::IsFloat
        | Meaning::HashBits
        | Meaning::Text
        | Meaning::Error
        | Meaning::FileFailed
        | Meaning::ObjectText
        | Meaning::ObjectValue => true,
    }
}

/// Bytes of text that a component of a value becomes, at most, about.
const SHOWN: usize = 24;

/// Whether the result depends on what the type variables stand for, not only on the operands.
pub(crate) fn needs_types(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Identity
            | Meaning::Text
            | Meaning::ObjectText
            | Meaning::ObjectValue
            | Meaning::PrintDebug
            | Meaning::Bulk(Bulk::Reduce(_))
    )
}

/// How many operands a primitive has.
fn arity(meaning: Meaning) -> usize {
    match meaning {
        Meaning::Scalar(op) => op.arity(),
        Meaning::Require(_) | Meaning::Select => 3,
        Meaning::Stream(StreamOp::Read) => 3,
        Meaning::Equal
        | Meaning::Unequal
        | Meaning::Convert
        | Meaning::PrintDebug
        | Meaning::ObjectValue
        | Meaning::Stream(StreamOp::Open | StreamOp::Write) => 2,
        Meaning::Bulk(bulk) => match bulk {
            Bulk::Slice | Bulk::Write => 3,
            Bulk::Element | Bulk::Partition | Bulk::Append | Bulk::Permute => 2,
            Bulk::Length
            | Bulk::Index
            | Bulk::Which
            | Bulk::Scan(_)
            | Bulk::Reduce(_)
            | Bulk::Flatten
            | Bulk::Rank
            | Bulk::RankDown
            | Bulk::Sort => 1,
        },
        Meaning::Const(_)
        | Meaning::Identity
        | Meaning::HashBits
        | Meaning::Text
        | Meaning::RandomBits
        | Meaning::Seed
        | Meaning::Error
        | Meaning::PrintString
        | Meaning::Stream(StreamOp::Close)
        | Meaning::FileFailed
        | Meaning::ObjectText
        | Meaning::Time
        | Meaning::IsFloat => 1,
    }
}

/// Adds the parts of a tuple until there are `count` operands; the last one keeps the rest.
fn take_apart(value: &Value, count: usize, operands: &mut Operands) {
    let mut rest = value;
    while operands.len() + 1 < count {
        let (first, more) = rest.parts();
        operands.push(first.clone());
        rest = more;
    }
    operands.push(rest.clone());
}

/// The scalar type of the elements of a reduction.
fn element(types: &[Type], seq: &Seq) -> Ty {
    match types.first() {
        Some(Type::Base(ty)) => *ty,
        _ => seq.iter().next().and_then(|first| first.scalar()).map_or(Ty::I64, Const::ty),
    }
}

fn scalar(widths: Widths, op: ScalarOp, operands: &[Value]) -> Result<Value, Failure> {
    let consts: SmallVec<[Const; 3]> = operands
        .iter()
        .map(|v| v.scalar().unwrap_or_else(|| unreachable!("{v:?} is no scalar")))
        .collect();
    prim::eval(widths, op, &consts).map(Value::from).map_err(|fault| {
        let int = |i: usize| match consts.get(i) {
            Some(Const::I64(v)) => *v,
            _ => 0,
        };
        let message = describe_scalar(op, fault.0, int(0), int(1));
        Failure::new(Code::of(Kind::Runtime(fault.0)), message)
    })
}

/// The number `x` at the type of `like`.
fn convert(widths: Widths, x: &Value, like: &Value) -> Value {
    let op = match (x, like) {
        (Value::Int(_), Value::Float(_)) => ScalarOp::ToFloat,
        (Value::Float(_), Value::Int(_)) => ScalarOp::Round,
        _ => return x.clone(),
    };
    match scalar(widths, op, std::slice::from_ref(x)) {
        Ok(converted) => converted,
        Err(failure) => unreachable!("conversion cannot fail: {}", failure.message),
    }
}

/// 0, 0.0, F, code 0, the empty sequence, by components.
fn identity(shape: &Shape) -> Value {
    match shape {
        Shape::Scalar(ty) => ty.zero().into(),
        Shape::Seq(_) => Value::Seq(SeqBuilder::with_capacity(0).finish()),
        Shape::Tuple(parts) => {
            let mut values = parts.iter().rev().map(identity);
            let last = values.next().unwrap_or_else(|| unreachable!("an empty tuple"));
            values.fold(last, |rest, first| Value::pair(first, rest))
        }
        Shape::Data { fields, .. } => Value::Data(Arc::new(identity(fields))),
        Shape::Function => unreachable!("functions have no identity"),
    }
}
