//! Reads the text form of scalar code (see `print.rs`).
//!
//! Reading what was printed gives the same program, but for the types of variables that nothing
//! defines: the text does not speak of them.

use crate::code::{Atom, Block, Call, Code, Func, Function, Name, Op, Param, Stmt, Var};
use crate::infer::result;
use base::text::{Reader, Result};
use base::{Id, IdMap};
use prim::{Ty, text};
use rustc_hash::FxHashMap;

/// A name that can be read back.
pub trait ReadName: Name {
    /// Takes the name.
    fn read_name(reader: &mut Reader) -> Result<Self>;
}

impl<I: Id> ReadName for I {
    fn read_name(reader: &mut Reader) -> Result<I> {
        reader.id()
    }
}

/// Reads code: `\x0 { x1 = add x0 1; yield x1 }`.
pub fn read<R: ReadName>(source: &str) -> Result<Code<R>> {
    let mut reader = Reader::new(source)?;
    let code = read_code(&mut reader)?;
    if reader.at_end() { Ok(code) } else { reader.expected("the end") }
}

/// Takes code.
pub fn read_code<R: ReadName>(reader: &mut Reader) -> Result<Code<R>> {
    let mut body = Body::new(reader);
    body.reader.expect("\\")?;
    let mut params = Vec::new();
    while !body.reader.is("{") {
        params.push(body.param()?);
    }
    body.finish(params)
}

/// Takes a scalar function and its name.
pub fn read_function(reader: &mut Reader) -> Result<(Func, Function)> {
    reader.expect_word("fn")?;
    let func = reader.id()?;
    let name = reader.name()?;
    let mut body = Body::new(reader);
    let (mut vectors, mut params) = (Vec::new(), Vec::new());
    body.reader.expect("(")?;
    while !body.reader.eat(")") {
        if !(vectors.is_empty() && params.is_empty()) {
            body.reader.expect(",")?;
        }
        if body.reader.is_id::<Param>() {
            vectors.push(vector_param(body.reader, vectors.len())?);
        } else {
            params.push(body.param()?);
        }
    }
    body.reader.expect("->")?;
    let mut results = Vec::new();
    while !body.reader.is("{") {
        if !results.is_empty() {
            body.reader.expect(",")?;
        }
        results.push(text::ty(body.reader)?);
    }
    let code = body.finish(params)?;
    Ok((func, Function { name, vectors, code, results }))
}

fn vector_param(reader: &mut Reader, number: usize) -> Result<Ty> {
    if reader.id::<Param>()?.index() != number {
        return reader.error(format!("the vector parameters are p0, p1, ...: expected p{number}"));
    }
    reader.expect(":")?;
    reader.expect_word("vec")?;
    text::ty(reader)
}

/// Takes an operand, given how to take the name of something outside.
pub fn read_atom<R: ReadName>(reader: &mut Reader) -> Result<Atom<R>> {
    if reader.is_id::<Var>() {
        return reader.id().map(Atom::Var);
    }
    if let Some(constant) = text::peek_constant(reader) {
        reader.advance();
        return Ok(Atom::Const(constant));
    }
    let outer = R::read_name(reader)?;
    let ty = if reader.eat(":") { text::ty(reader)? } else { Ty::I64 };
    Ok(Atom::Outer(outer, ty))
}

/// The statements of code being read, and the types of its variables so far.
pub struct Body<'a> {
    /// The text.
    pub reader: &'a mut Reader,
    types: FxHashMap<Var, Ty>,
    /// One more than the highest variable.
    count: usize,
    /// How many blocks are open.
    depth: usize,
}

/// Variables being defined, each with its type if the text gives one.
type Defined = Vec<(Var, Option<Ty>)>;

impl<'a> Body<'a> {
    /// No statements yet.
    pub fn new(reader: &'a mut Reader) -> Self {
        Body { reader, types: FxHashMap::default(), count: 0, depth: 0 }
    }

    fn finish<R: ReadName>(mut self, params: Vec<Var>) -> Result<Code<R>> {
        let body = self.block()?;
        Ok(Code { params, body, vars: self.vars() })
    }

    /// The types of all variables.
    pub fn vars(&self) -> IdMap<Var, Ty> {
        let ty = |i| self.types.get(&Var::new(i)).copied().unwrap_or(Ty::I64);
        (0..self.count).map(ty).collect()
    }
    /// Takes the definition of a variable that is an `i64` unless the text says more.
    pub fn param(&mut self) -> Result<Var> {
        let (var, ty) = self.define()?;
        self.set_ty(var, ty.unwrap_or(Ty::I64));
        Ok(var)
    }
    /// Says what type a variable has.
    pub fn set_ty(&mut self, var: Var, ty: Ty) {
        self.types.insert(var, ty);
    }

    /// Takes `x3` or `x3: f64` as a definition.
    pub fn define(&mut self) -> Result<(Var, Option<Ty>)> {
        // The table of types is as long as the highest number, so that one is bounded.
        const HIGHEST: usize = 1 << 20;
        let var: Var = self.reader.id()?;
        if var.index() > HIGHEST {
            return self.reader.error(format!("{var} is above x{HIGHEST}"));
        }
        self.count = self.count.max(var.index() + 1);
        let ty = if self.reader.eat(":") { Some(text::ty(self.reader)?) } else { None };
        Ok((var, ty))
    }

    /// The type of an operand as far as it is known.
    pub fn ty<R: ReadName>(&self, atom: Atom<R>) -> Ty {
        match atom {
            Atom::Var(v) => self.types.get(&v).copied().unwrap_or(Ty::I64),
            Atom::Const(c) => c.ty(),
            Atom::Outer(_, ty) => ty,
        }
    }

    /// Takes the brace that opens a block.
    pub fn open(&mut self) -> Result<()> {
        // Passes recurse over nested blocks, so that their number is bounded here.
        const DEEPEST: usize = 200;
        self.reader.expect("{")?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.reader.error(format!("blocks are nested more than {DEEPEST} deep"));
        }
        Ok(())
    }
    /// Takes the brace that closes a block, if it is next.
    pub fn close(&mut self) -> bool {
        let closed = self.reader.eat("}");
        self.depth -= usize::from(closed);
        closed
    }

    fn block<R: ReadName>(&mut self) -> Result<Block<R>> {
        self.open()?;
        let (mut stmts, mut yields) = (Vec::new(), Vec::new());
        while !self.close() {
            if self.reader.eat_word("yield") {
                while !self.reader.is("}") {
                    yields.push(read_atom(self.reader)?);
                }
            } else {
                stmts.push(self.stmt()?);
                self.reader.eat(";");
            }
        }
        Ok(Block { stmts, yields })
    }

    /// Takes a statement.
    pub fn stmt<R: ReadName>(&mut self) -> Result<Stmt<R>> {
        let mut defined = Vec::new();
        while self.reader.is_id::<Var>() {
            defined.push(self.define()?);
            if !self.reader.eat(",") {
                self.reader.expect("=")?;
                break;
            }
        }
        let results: Vec<Var> = defined.iter().map(|d| d.0).collect();
        let stmt = self.operation(results)?;
        if stmt.results().len() != defined.len() {
            return self.reader.error(format!("the statement has {} results", defined.len()));
        }
        self.note_types(&stmt, &defined);
        Ok(stmt)
    }

    fn note_types<R: ReadName>(&mut self, stmt: &Stmt<R>, defined: &Defined) {
        for (k, &(var, ty)) in defined.iter().enumerate() {
            let ty = ty.unwrap_or_else(|| result(stmt, k, &|atom| self.ty(atom)));
            self.types.insert(var, ty);
        }
    }

    fn operation<R: ReadName>(&mut self, results: Vec<Var>) -> Result<Stmt<R>> {
        if self.reader.eat_word("if") {
            let cond = read_atom(self.reader)?;
            let then = self.block()?;
            self.reader.expect_word("else")?;
            let els = self.block()?;
            return Ok(Stmt::If { results, cond, then, els });
        }
        if self.reader.eat_word("loop") {
            return self.repeat(results);
        }
        if self.reader.eat_word("require") {
            let site = text::site(self.reader)?;
            let cond = read_atom(self.reader)?;
            let args = [read_atom(self.reader)?, read_atom(self.reader)?];
            return Ok(Stmt::Require { site, cond, args, span: self.reader.span()? });
        }
        if self.reader.eat_word("call") {
            return self.call(results).map(Stmt::Call);
        }
        let &[var] = results.as_slice() else {
            return self.reader.expected("`if`, `loop` or `call`");
        };
        if self.reader.eat_word("read") {
            let vector = R::read_name(self.reader)?;
            return Ok(Stmt::Let(var, Op::Read(vector, read_atom(self.reader)?)));
        }
        let op = text::op(self.reader)?;
        let args: Result<Vec<Atom<R>>> = (0..op.arity()).map(|_| read_atom(self.reader)).collect();
        Ok(Stmt::Let(var, Op::Scalar(op, args?, self.reader.span()?)))
    }

    fn repeat<R: ReadName>(&mut self, results: Vec<Var>) -> Result<Stmt<R>> {
        let (mut params, mut init) = (Vec::new(), Vec::new());
        while !self.reader.is("{") {
            if !params.is_empty() {
                self.reader.expect(",")?;
            }
            let (param, ty) = self.define()?;
            self.reader.expect("=")?;
            let value = read_atom(self.reader)?;
            self.types.insert(param, ty.unwrap_or(self.ty(value)));
            params.push(param);
            init.push(value);
        }
        let body = self.block()?;
        Ok(Stmt::Loop { results, params, init, body })
    }

    fn call<R: ReadName>(&mut self, results: Vec<Var>) -> Result<Call<R>> {
        let func = self.reader.id()?;
        self.reader.expect("(")?;
        let (mut args, mut vectors) = (Vec::new(), Vec::new());
        while !self.reader.is(";") && !self.reader.is(")") {
            if !args.is_empty() {
                self.reader.expect(",")?;
            }
            args.push(read_atom(self.reader)?);
        }
        if self.reader.is(";") {
            vectors = self.reader.list(";", ")", R::read_name)?;
        } else {
            self.reader.expect(")")?;
        }
        Ok(Call { results, func, args, vectors, span: self.reader.span()? })
    }
}
