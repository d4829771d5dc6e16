//! `@`: the text of a value as it is printed (LANGUAGE 13), uncut.
//!
//! Strings and characters give themselves.  Scalars and strings inside other values are written by
//! functions of the library (`stdlib/show.nesl`); tuples, datatypes and sequences put the texts of
//! their parts together.

use super::Derived;
use crate::call::Signature;
use crate::fast::Floats;
use crate::mono::{Lower, Lowering};
use crate::scope::Abs;
use crate::ty;
use nest::{Op, Value};
use prim::{Const, ScalarOp, Ty};
use types::Type;

impl<'a> Lower<'a> {
    /// `@abs`.
    pub(crate) fn text(&mut self, abs: &Abs<'a>, ty: &Type) -> Lowering<Value> {
        match ty {
            Type::Base(Ty::Char) => {
                let char = self.reify(abs, ty);
                Ok(self.b.push(Op::Seq(vec![char])))
            }
            _ if is_string(ty) => Ok(self.reify(abs, ty)),
            _ => self.text_inside(abs, ty),
        }
    }

    /// The text of a value that is a part of another.
    fn text_inside(&mut self, abs: &Abs<'a>, ty: &Type) -> Lowering<Value> {
        match ty {
            Type::Base(_) | Type::Seq(_) => {
                let value = self.reify(abs, ty);
                let func = self.derived(Derived::Text(ty.clone()));
                Ok(self.call_func(func, vec![value], string()))
            }
            Type::Pair(..) => self.text_tuple(b"(", abs, ty),
            Type::Data(data, args) => {
                let data = &self.program.datas[*data];
                let fields = ty::instantiate(&data.fields, args);
                let open = format!("{}(", data.name);
                self.text_tuple(open.as_bytes(), abs, &fields)
            }
            Type::Fun(..) => Ok(self.b.text(b"fn")),
            Type::Var(v) => unreachable!("{v} is free in an instance"),
        }
    }

    /// The components of a right-nested pair between `open` and a parenthesis.
    fn text_tuple(&mut self, open: &[u8], abs: &Abs<'a>, ty: &Type) -> Lowering<Value> {
        let mut parts = Vec::new();
        let (mut abs, mut ty) = (abs.clone(), ty.clone());
        while let Type::Pair(a, b) = &ty {
            parts.push((self.first(&abs), Type::clone(a)));
            abs = self.second(&abs);
            ty = Type::clone(b);
        }
        parts.push((abs, ty));
        let (first, rest) = (&parts[0], &parts[1..]);
        let mut pieces = vec![self.b.text(open), self.text_inside(&first.0, &first.1)?];
        if rest.len() >= WIDE && rest.iter().all(|(_, ty)| is_plain(ty)) {
            pieces.push(self.text_by_type(rest)?);
        } else {
            for (part, ty) in rest {
                pieces.push(self.b.text(b", "));
                pieces.push(self.text_inside(part, ty)?);
            }
        }
        pieces.push(self.b.text(b")"));
        Ok(self.concatenate(pieces))
    }

    /// Parts of a tuple, each behind a comma.  Parts of one type are lanes of one apply-to-each, so
    /// that a wide tuple needs little code.
    fn text_by_type(&mut self, parts: &[(Abs<'a>, Type)]) -> Lowering<Value> {
        let mut kinds: Vec<(&Type, Vec<usize>)> = Vec::new();
        for (n, (_, ty)) in parts.iter().enumerate() {
            match kinds.iter_mut().find(|(kind, _)| *kind == ty) {
                Some((_, members)) => members.push(n),
                None => kinds.push((ty, vec![n])),
            }
        }
        let comma = self.b.text(b", ");
        let (mut places, mut next) = (vec![Const::I64(0); parts.len()], 0);
        let mut all = None;
        for (ty, members) in &kinds {
            for &n in members {
                places[n] = Const::I64(next);
                next += 1;
            }
            let values = members.iter().map(|&n| self.reify(&parts[n].0, ty)).collect();
            let values = self.b.push(Op::Seq(values));
            let texts = self.each_of(&[values], |lower, lane| {
                let text = lower.text_inside(&Abs::Value(lane[0]), ty)?;
                Ok(lower.b.push(Op::Append(comma, text)))
            })?;
            all = Some(match all {
                Some(before) => self.b.push(Op::Append(before, texts)),
                None => texts,
            });
        }
        let mut all = all.unwrap_or_else(|| unreachable!("a tuple has parts"));
        if kinds.len() > 1 {
            let places = self.b.push(Op::Literal(Ty::I64, places));
            all =
                self.each_of(&[places], |lower, lane| Ok(lower.b.push(Op::Element(all, lane[0]))))?;
        }
        Ok(self.b.push(Op::Flatten(all)))
    }

    fn concatenate(&mut self, pieces: Vec<Value>) -> Value {
        let pieces = self.b.push(Op::Seq(pieces));
        self.b.push(Op::Flatten(pieces))
    }

    /// The text of a scalar or sequence as a part of another value.
    pub(super) fn text_body(&mut self, value: Value, ty: &Type) -> Lowering<Value> {
        let writer = match ty {
            Type::Base(Ty::I64) => "text_int",
            Type::Base(Ty::F64) => "text_float",
            Type::Base(Ty::Bool) => "text_bool",
            Type::Base(Ty::Char) => "text_char",
            _ if is_string(ty) => "text_string",
            _ => return self.text_sequence(value, &ty::element(self.program, ty)),
        };
        let signature = Signature {
            param: ty.clone(),
            result: Type::Seq(Type::Base(Ty::Char).into()),
            span: self.b.span(),
            callee: None,
            site: 0,
            floats: Floats::Exact,
        };
        let global = self.library(writer);
        let text = self.call(global, &[].into(), Abs::Value(value), &signature)?;
        Ok(self.reify(&text, &signature.result))
    }

    /// `[`, then the elements with `, ` before each but the first, then `]`.
    fn text_sequence(&mut self, value: Value, element: &Type) -> Lowering<Value> {
        let length = self.b.push(Op::Length(value));
        let positions = self.b.push(Op::Index(length));
        let zero = self.b.int(0);
        let texts = self.each_of(&[value, positions], |lower, lane| {
            let is_first = lower.b.scalar(ScalarOp::Eq, &[lane[1], zero]);
            lower.b.begin();
            let nothing = lower.b.text(b"");
            let then = lower.b.end(nothing);
            lower.b.begin();
            let comma = lower.b.text(b", ");
            let otherwise = lower.b.end(comma);
            let separator = lower.b.push(Op::If(is_first, then, otherwise));
            let text = lower.text_inside(&Abs::Value(lane[0]), element)?;
            Ok(lower.b.push(Op::Append(separator, text)))
        })?;
        let (open, close) = (self.b.text(b"["), self.b.text(b"]"));
        let inside = self.b.push(Op::Flatten(texts));
        Ok(self.concatenate(vec![open, inside, close]))
    }
}

/// Parts of a tuple from which on those of one type are written together.
const WIDE: usize = 8;

/// Returns true if values of a type can be elements of a sequence.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Seq(_) => true,
        Type::Pair(a, b) => is_plain(a) && is_plain(b),
        Type::Data(..) | Type::Fun(..) | Type::Var(_) => false,
    }
}

fn string() -> nest::Type {
    nest::Type::Scalar(Ty::Char).seq()
}

fn is_string(ty: &Type) -> bool {
    matches!(ty, Type::Seq(element) if **element == Type::Base(Ty::Char))
}
