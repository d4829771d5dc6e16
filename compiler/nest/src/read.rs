//! Reads the text form of nest programs (see `print.rs`).
//!
//! Reading what was printed gives the same program, but for the types of values that nothing
//! defines: the text does not speak of them.

use crate::ir::{Block, Each, Func, Function, Op, Program, SortKind, Stmt, Type, Value, ValueInfo};
use crate::print::unknown;
use base::Id;
use base::text::{Reader, Result};
use prim::{Const, Ty, text};

/// Reads a program.
pub fn read(source: &str) -> Result<Program> {
    let mut reader = Reader::new(source)?;
    let mut program = Program { widths: text::widths(&mut reader)?, ..Program::default() };
    if reader.eat_word("entries") {
        program.entries.push(reader.id()?);
        while reader.eat(",") {
            program.entries.push(reader.id()?);
        }
    }
    while !reader.at_end() {
        let (id, function) = read_function(&mut reader)?;
        let next = program.funcs.next_id();
        if id != next {
            return reader.error(format!("expected {next}, found {id}"));
        }
        program.funcs.push(function);
    }
    Ok(program)
}

/// Numbers of values are bounded, as the table of values is as long as the highest.
const HIGHEST: usize = 1 << 22;

/// Passes recurse over nested blocks and types, so that their number is bounded.
const DEEPEST: usize = 200;

/// Takes a function and its name.
pub fn read_function(reader: &mut Reader) -> Result<(Func, Function)> {
    reader.expect_word("fn")?;
    let func = reader.id()?;
    let name = reader.name()?;
    let function = Function {
        name,
        params: Vec::new(),
        body: Block { stmts: Vec::new(), result: Value::new(0) },
        values: base::IdMap::new(),
        span: base::Span::none(),
    };
    let mut body = Body { reader, function, depth: 0 };
    body.reader.expect("(")?;
    while !body.reader.eat(")") {
        if !body.function.params.is_empty() {
            body.reader.expect(",")?;
        }
        let (value, ty) = body.define()?;
        body.set(value, ty.unwrap_or_else(unknown));
        body.function.params.push(value);
    }
    body.reader.expect("->")?;
    let result = read_type(body.reader)?;
    body.function.span = body.reader.span()?;
    body.function.body = body.block()?;
    let found = body.function.result_type().cloned().unwrap_or_else(unknown);
    if found != result {
        return body.reader.error(format!("the result of {func} is {found}, not {result}"));
    }
    Ok((func, body.function))
}

/// Takes a type: `f64`, `[f64]`, `(i64, [f64])`.
pub fn read_type(reader: &mut Reader) -> Result<Type> {
    type_at(reader, 0)
}

fn type_at(reader: &mut Reader, depth: usize) -> Result<Type> {
    if depth > DEEPEST {
        return reader.error(format!("types are nested more than {DEEPEST} deep"));
    }
    if reader.eat("[") {
        let element = type_at(reader, depth + 1)?;
        reader.expect("]")?;
        return Ok(element.seq());
    }
    if reader.is("(") {
        return Ok(Type::Tuple(reader.list("(", ")", |r| type_at(r, depth + 1))?));
    }
    text::ty(reader).map(Type::Scalar)
}

/// A function being read.
struct Body<'a> {
    reader: &'a mut Reader,
    function: Function,
    /// How many blocks are open.
    depth: usize,
}

impl Body<'_> {
    /// Takes `v3` or `v3: [f64]` as a definition.
    fn define(&mut self) -> Result<(Value, Option<Type>)> {
        let value: Value = self.reader.id()?;
        if value.index() > HIGHEST {
            return self.reader.error(format!("{value} is above v{HIGHEST}"));
        }
        let ty = if self.reader.eat(":") { Some(read_type(self.reader)?) } else { None };
        Ok((value, ty))
    }

    fn set(&mut self, value: Value, ty: Type) {
        let values = &mut self.function.values;
        while values.len() <= value.index() {
            values.push(ValueInfo { ty: unknown() });
        }
        values[value] = ValueInfo { ty };
    }

    fn value(&mut self) -> Result<Value> {
        self.reader.id()
    }

    fn values(&mut self) -> Result<Vec<Value>> {
        self.reader.list("(", ")", Reader::id)
    }

    fn block(&mut self) -> Result<Block> {
        self.reader.expect("{")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.reader.error(format!("blocks are nested more than {DEEPEST} deep"));
        }
        let mut stmts = Vec::new();
        while !self.reader.eat_word("yield") {
            stmts.push(self.stmt()?);
            self.reader.eat(";");
        }
        let result = self.value()?;
        self.reader.expect("}")?;
        self.depth -= 1;
        Ok(Block { stmts, result })
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let (value, ty) = self.define()?;
        self.reader.expect("=")?;
        let op = self.op()?;
        let ty = ty.or_else(|| op.natural_type(&self.function.values)).unwrap_or_else(unknown);
        self.set(value, ty);
        Ok(Stmt { value, op, span: self.reader.span()? })
    }

    fn op(&mut self) -> Result<Op> {
        if let Some(constant) = text::peek_constant(self.reader) {
            self.reader.advance();
            return Ok(Op::Const(constant));
        }
        let word = self.reader.word()?;
        if let Some(op) = prim::ScalarOp::parse(&word) {
            let args: Result<Vec<Value>> = (0..op.arity()).map(|_| self.value()).collect();
            return Ok(Op::Scalar(op, args?));
        }
        if let Some(kind) = SortKind::ALL.into_iter().find(|k| k.name() == word) {
            return Ok(Op::Sort(kind, self.value()?));
        }
        Ok(match word.as_str() {
            "literal" => self.literal()?,
            "copy" => Op::Copy(self.value()?),
            "require" => {
                let site = text::site(self.reader)?;
                Op::Require(site, [self.value()?, self.value()?, self.value()?])
            }
            "fail" => Op::Fail(self.value()?),
            "tuple" => Op::Tuple(self.values()?),
            "field" => Op::Field(self.value()?, self.reader.integer()?),
            "seq" => Op::Seq(self.values()?),
            "length" => Op::Length(self.value()?),
            "index" => Op::Index(self.value()?),
            "element" => Op::Element(self.value()?, self.value()?),
            "slice" => {
                let (seq, start, count) = (self.value()?, self.value()?, self.value()?);
                Op::Slice { seq, start, count }
            }
            "which" => Op::Which(self.value()?),
            "reduce" => Op::Reduce(text::monoid(self.reader)?, self.value()?),
            "scan" => Op::Scan(text::monoid(self.reader)?, self.value()?),
            "flatten" => Op::Flatten(self.value()?),
            "partition" => Op::Partition(self.value()?, self.value()?),
            "append" => Op::Append(self.value()?, self.value()?),
            "write" => {
                let (into, positions, values) = (self.value()?, self.value()?, self.value()?);
                Op::Write { into, positions, values }
            }
            "permute" => Op::Permute(self.value()?, self.value()?),
            "each" => Op::Each(self.each()?),
            "if" => {
                let cond = self.value()?;
                let then = self.block()?;
                self.reader.expect_word("else")?;
                Op::If(cond, then, self.block()?)
            }
            "call" => Op::Call(self.reader.id()?, self.values()?),
            _ => return self.reader.error(format!("there is no operation `{word}`")),
        })
    }

    fn literal(&mut self) -> Result<Op> {
        let ty = text::ty(self.reader)?;
        let consts = if ty == Ty::Char && !self.reader.is("(") {
            self.reader.text()?.into_iter().map(Const::Char).collect()
        } else {
            self.reader.list("(", ")", text::constant)?
        };
        Ok(Op::Literal(ty, consts))
    }

    fn each(&mut self) -> Result<Each> {
        let mut generators = Vec::new();
        loop {
            let (bound, ty) = self.define()?;
            self.reader.expect_word("in")?;
            let source = self.value()?;
            let element = match self.function.ty(source) {
                Some(Type::Seq(element)) => (**element).clone(),
                _ => unknown(),
            };
            self.set(bound, ty.unwrap_or(element));
            generators.push((bound, source));
            if !self.reader.eat(",") {
                break;
            }
        }
        let mut test = None;
        if self.reader.eat_word("where") {
            test = Some(self.block()?);
            self.reader.expect_word("do")?;
        }
        Ok(Each { generators, test, body: self.block()? })
    }
}
