//! Reads the text form of flat programs (see `print.rs`).
//!
//! Reading what was printed gives the same program, but for the types of values that nothing
//! defines: the text does not speak of them.

use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, Program, ScatterKind, SortKind, Space, SpaceInfo,
    SpaceKind, Stmt, Value, ValueInfo,
};
use base::text::{Reader, Result, Token};
use base::{Id, IdMap};
use prim::{Const, Ty, text};
use rustc_hash::FxHashMap;
use scalar::read_code;

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
        let scalar =
            matches!(reader.peek_at(1), Some(Token::Word(w)) if scalar::Func::parse(w).is_some());
        if scalar {
            let (id, function) = scalar::read_function(&mut reader)?;
            add(&mut program.scalars, id, function, &reader)?;
        } else {
            let (id, function) = read_function(&mut reader)?;
            add(&mut program.funcs, id, function, &reader)?;
        }
    }
    Ok(program)
}

/// Adds what must have the next id.
fn add<I: Id, T>(map: &mut IdMap<I, T>, id: I, item: T, reader: &Reader) -> Result<()> {
    if map.next_id() != id {
        return reader.error(format!("expected {}, found {id}", map.next_id()));
    }
    map.push(item);
    Ok(())
}

/// Takes a function and its name.
pub fn read_function(reader: &mut Reader) -> Result<(Func, Function)> {
    reader.expect_word("fn")?;
    let func = reader.id()?;
    let name = reader.name()?;
    let mut body = Body {
        reader,
        values: FxHashMap::default(),
        count: 0,
        spaces: FxHashMap::default(),
        depth: 0,
    };
    body.reader.expect("(")?;
    let mut params = Vec::new();
    while !body.reader.eat(")") {
        if !params.is_empty() {
            body.reader.expect(",")?;
        }
        params.push(body.define()?);
    }
    let signature = if body.reader.eat_word("layout") {
        Some(prim::layout::read_signature(body.reader)?)
    } else {
        None
    };
    let lanes_of = if body.reader.eat_word("lanes") {
        body.reader.expect_word("of")?;
        Some(body.reader.id()?)
    } else {
        None
    };
    let block = body.block()?;
    let unused = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
    let value = |i| body.values.get(&Value::new(i)).copied().unwrap_or(unused);
    let values = (0..body.count).map(value).collect();
    let spaces = body.spaces()?;
    Ok((func, Function { name, params, signature, lanes_of, values, spaces, body: block }))
}

fn operand(reader: &mut Reader) -> Result<Operand> {
    match text::peek_constant(reader) {
        Some(constant) => {
            reader.advance();
            Ok(Operand::Const(constant))
        }
        None => reader.id().map(Operand::Value),
    }
}

fn space(reader: &mut Reader) -> Result<Space> {
    reader.expect("[")?;
    let space = reader.id()?;
    reader.expect("]")?;
    Ok(space)
}

fn value_info(reader: &mut Reader) -> Result<ValueInfo> {
    let vector = reader.eat_word("vec");
    let ty = text::ty(reader)?;
    let domain = if !vector {
        Domain::Scalar
    } else if reader.eat_word("offsets") {
        Domain::Offsets(reader.id()?)
    } else if reader.eat_word("pool") {
        Domain::Pool
    } else {
        Domain::Lanes(space(reader)?)
    };
    Ok(ValueInfo { ty, domain })
}

fn literal(reader: &mut Reader) -> Result<Op> {
    let ty = text::ty(reader)?;
    let consts = if ty == Ty::Char && !reader.is("(") {
        reader.text()?.into_iter().map(Const::Char).collect()
    } else {
        reader.list("(", ")", text::constant)?
    };
    Ok(Op::Literal(consts, ty))
}

/// Numbers of values are bounded, as the table of values is as long as the highest.
const HIGHEST: usize = 1 << 22;

/// Passes recurse over nested blocks, so that their number is bounded.
const DEEPEST: usize = 200;

/// The body of a function being read.
struct Body<'a> {
    reader: &'a mut Reader,
    values: FxHashMap<Value, ValueInfo>,
    /// One more than the highest value.
    count: usize,
    spaces: FxHashMap<Space, SpaceInfo>,
    /// How many blocks are open.
    depth: usize,
}

impl Body<'_> {
    /// Takes `v3: vec f64 [s1]`.
    fn define(&mut self) -> Result<Value> {
        let value: Value = self.reader.id()?;
        if value.index() > HIGHEST {
            return self.reader.error(format!("{value} is above v{HIGHEST}"));
        }
        self.reader.expect(":")?;
        let info = value_info(self.reader)?;
        self.values.insert(value, info);
        self.count = self.count.max(value.index() + 1);
        Ok(value)
    }

    /// The table of spaces: the root and those read, which must be numbered without a gap.
    fn spaces(&self) -> Result<IdMap<Space, SpaceInfo>> {
        let mut spaces = IdMap::new();
        spaces.push(SpaceInfo { kind: SpaceKind::Root, from: None });
        for _ in 0..self.spaces.len() {
            match self.spaces.get(&spaces.next_id()) {
                Some(&info) => spaces.push(info),
                None => return self.reader.error(format!("{} is missing", spaces.next_id())),
            };
        }
        Ok(spaces)
    }

    fn space_definition(&mut self) -> Result<()> {
        let id: Space = self.reader.id()?;
        self.reader.expect("=")?;
        self.reader.expect("[")?;
        let parent = self.reader.id()?;
        self.reader.expect(">")?;
        let kind = if self.reader.eat_word("offsets") {
            SpaceKind::Packed(parent, self.reader.id()?)
        } else {
            SpaceKind::Regular(parent, operand(self.reader)?)
        };
        self.reader.expect("]")?;
        let mut from = None;
        if self.reader.eat_word("from") {
            let source = self.reader.id()?;
            self.reader.expect_word("at")?;
            from = Some((source, self.reader.id()?));
        }
        if self.spaces.insert(id, SpaceInfo { kind, from }).is_some() {
            return self.reader.error(format!("{id} is defined twice"));
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Block> {
        self.reader.expect("{")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.reader.error(format!("blocks are nested more than {DEEPEST} deep"));
        }
        let mut block = Block::default();
        while !self.reader.eat("}") {
            if self.reader.eat_word("yield") {
                while !self.reader.is("}") {
                    block.yields.push(operand(self.reader)?);
                }
            } else if self.reader.is_id::<Space>() {
                self.space_definition()?;
            } else {
                block.stmts.push(self.stmt()?);
            }
        }
        self.depth -= 1;
        Ok(block)
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let mut results = Vec::new();
        while self.reader.is_id::<Value>() {
            results.push(self.define()?);
            if !self.reader.eat(",") {
                self.reader.expect("=")?;
                break;
            }
        }
        let op = self.op()?;
        Ok(Stmt { results, op, span: self.reader.span()? })
    }

    fn op(&mut self) -> Result<Op> {
        let reader = &mut *self.reader;
        let word = reader.word()?;
        if let Some(kind) = SortKind::ALL.into_iter().find(|k| k.name() == word) {
            return Ok(Op::Sort { space: space(reader)?, kind, code: read_code(reader)? });
        }
        match word.as_str() {
            "map" => Ok(Op::Map { space: space(reader)?, code: read_code(reader)? }),
            "filter" => Ok(Op::Filter { space: space(reader)?, code: read_code(reader)? }),
            "offsets" => Ok(Op::Offsets { space: space(reader)?, code: read_code(reader)? }),
            "reduce" | "scan" => {
                let space = space(reader)?;
                let mut monoids = Vec::new();
                while !reader.is("\\") {
                    monoids.push(text::monoid(reader)?);
                }
                let code = read_code(reader)?;
                Ok(if word == "scan" {
                    Op::Scan { space, monoids, code }
                } else {
                    Op::Reduce { space, monoids, code }
                })
            }
            "scatter" => scatter(reader),
            "fail" => {
                let (space, pool) = (space(reader)?, reader.id()?);
                Ok(Op::Fail { space, code: read_code(reader)?, pool })
            }
            "literal" => literal(reader),
            "join" => {
                let mut parts = Vec::new();
                while reader.is("(") {
                    parts.push(reader.list("(", ")", Reader::id)?);
                }
                Ok(Op::Join(parts))
            }
            "grow" => {
                let (from, used) = (reader.list("(", ")", Reader::id)?, operand(reader)?);
                reader.expect_word("at")?;
                let begin = operand(reader)?;
                reader.expect_word("to")?;
                Ok(Op::Grow { from, used, begin, len: operand(reader)? })
            }
            "behind" => {
                let (from, used) = (reader.list("(", ")", Reader::id)?, operand(reader)?);
                reader.expect_word("for")?;
                Ok(Op::Behind { from, used, more: operand(reader)? })
            }
            "call" => {
                let func = reader.id()?;
                Ok(Op::Call(func, reader.list("(", ")", operand)?))
            }
            "if" => {
                let cond = operand(reader)?;
                let then = self.block()?;
                self.reader.expect_word("else")?;
                Ok(Op::If(cond, then, self.block()?))
            }
            _ => reader.error(format!("there is no operation `{word}`")),
        }
    }
}

fn scatter(reader: &mut Reader) -> Result<Op> {
    let from = space(reader)?;
    reader.expect_word("to")?;
    let target = space(reader)?;
    let kind = if reader.eat_word("permute") {
        ScatterKind::Permute
    } else if reader.eat_word("place") {
        ScatterKind::Place
    } else {
        let into = reader.eat_word("into");
        if !into {
            reader.expect_word("write")?;
        }
        let mut base = Vec::new();
        while !reader.is("\\") {
            base.push(reader.id()?);
        }
        if into { ScatterKind::Into(base) } else { ScatterKind::Write(base) }
    };
    Ok(Op::Scatter { space: from, code: read_code(reader)?, kind, target })
}
