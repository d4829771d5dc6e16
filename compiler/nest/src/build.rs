//! Builds functions of nest statement by statement, nested blocks included.
//!
//! Result types follow from the operation where they can ([`Builder::push`]).  Parts of a tuple
//! that was built in the same function are named directly, because source programs pack and unpack
//! pairs all the time; what follows from constants is a constant, because library functions are
//! inlined at constant arguments.

use crate::ir::{Block, Function, Op, Stmt, Type, Value, ValueInfo};
use base::{IdMap, Site, Span};
use prim::{Const, ScalarOp, Ty, Widths, eval};
use rustc_hash::FxHashMap;

/// A function under construction: a stack of open blocks.
#[derive(Debug)]
pub struct Builder {
    widths: Widths,
    values: IdMap<Value, ValueInfo>,
    open: Vec<Vec<Stmt>>,
    span: Span,
    consts: FxHashMap<Value, Const>,
    tuples: FxHashMap<Value, Vec<Value>>,
}

impl Builder {
    /// An empty function of a program of these widths; statements come from `span` until another is
    /// set.
    pub fn new(widths: Widths, span: Span) -> Builder {
        Builder {
            widths,
            values: IdMap::new(),
            open: vec![Vec::new()],
            span,
            consts: FxHashMap::default(),
            tuples: FxHashMap::default(),
        }
    }
    /// Statements added from now on come from `span`.
    pub fn at(&mut self, span: Span) {
        self.span = span;
    }
    /// Where statements come from at the moment.
    pub fn span(&self) -> Span {
        self.span
    }
    /// A new value, to be defined as a parameter, by a generator, or by [`Builder::define`].
    pub fn fresh(&mut self, ty: Type) -> Value {
        self.values.push(ValueInfo { ty })
    }
    /// The value that the next statement will define; all values in scope come before it.
    pub fn next(&self) -> Value {
        self.values.next_id()
    }
    /// The type of a value.
    pub fn ty(&self, value: Value) -> &Type {
        &self.values[value].ty
    }
    /// How wide ints and floats are.
    pub fn widths(&self) -> Widths {
        self.widths
    }
    /// The constant that a value is known to be.
    pub fn known(&self, value: Value) -> Option<Const> {
        self.consts.get(&value).copied()
    }
    /// Adds the statement that defines a fresh value.
    pub fn define(&mut self, value: Value, op: Op) {
        match &op {
            Op::Const(c) => {
                self.consts.insert(value, *c);
            }
            Op::Tuple(parts) => {
                self.tuples.insert(value, parts.clone());
            }
            _ => {}
        }
        let span = self.span;
        if let Some(block) = self.open.last_mut() {
            block.push(Stmt { value, op, span });
        }
    }
    /// Adds an operation whose result has type `ty`.
    pub fn emit(&mut self, ty: Type, op: Op) -> Value {
        let value = self.fresh(ty);
        self.define(value, op);
        value
    }
    /// Adds an operation whose result type follows from its operands: any but an empty `Seq` and
    /// `Call`.
    pub fn push(&mut self, op: Op) -> Value {
        match op.natural_type(&self.values) {
            Some(ty) => self.emit(ty, op),
            None => unreachable!("the type of {op:?} does not follow from its operands"),
        }
    }
    /// A constant.
    pub fn constant(&mut self, c: Const) -> Value {
        self.push(Op::Const(c))
    }
    /// An int.
    pub fn int(&mut self, n: i64) -> Value {
        self.constant(Const::I64(n))
    }
    /// A truth value.
    pub fn bool(&mut self, b: bool) -> Value {
        self.constant(Const::Bool(b))
    }
    /// A string.
    pub fn text(&mut self, text: &[u8]) -> Value {
        let chars = text.iter().map(|&c| Const::Char(c)).collect();
        self.push(Op::Literal(Ty::Char, chars))
    }
    /// A scalar operation; known if its operands are.  Floats are left to the run.
    pub fn scalar(&mut self, op: ScalarOp, args: &[Value]) -> Value {
        let known: Option<Vec<Const>> = args.iter().map(|&arg| self.known(arg)).collect();
        let exact = known.filter(|args| args.iter().all(|c| c.ty() != Ty::F64));
        match exact.and_then(|args| eval(self.widths, op, &args).ok()) {
            Some(result) => self.constant(result),
            None => self.push(Op::Scalar(op, args.to_vec())),
        }
    }
    /// A tuple; of one part, the part.
    pub fn tuple(&mut self, parts: Vec<Value>) -> Value {
        match parts[..] {
            [part] => part,
            _ => self.push(Op::Tuple(parts)),
        }
    }
    /// Part `n` of a tuple.
    pub fn field(&mut self, tuple: Value, n: usize) -> Value {
        match self.tuples.get(&tuple) {
            Some(parts) => parts[n],
            None => self.push(Op::Field(tuple, n)),
        }
    }
    /// Fails at `site` unless `condition` is T.
    pub fn require(&mut self, site: Site, condition: Value, facts: [Value; 2]) -> Value {
        if self.known(condition) == Some(Const::Bool(true)) {
            return condition;
        }
        self.push(Op::Require(site, [condition, facts[0], facts[1]]))
    }
    /// How many statements the open block has.
    pub fn position(&self) -> usize {
        self.open.last().map_or(0, Vec::len)
    }
    /// The statements of the open block from a position on.
    pub fn since(&self, position: usize) -> &[Stmt] {
        self.open.last().map_or(&[], |block| &block[position..])
    }
    /// Starts a nested block.
    pub fn begin(&mut self) {
        self.open.push(Vec::new());
    }
    /// Ends the nested block begun last.
    pub fn end(&mut self, result: Value) -> Block {
        Block { stmts: self.suspend(), result }
    }
    /// Leaves the nested block begun last, to go on with it later.
    pub fn suspend(&mut self) -> Vec<Stmt> {
        self.open.pop().unwrap_or_default()
    }
    /// Goes on with a block that was left.
    pub fn resume(&mut self, stmts: Vec<Stmt>) {
        self.open.push(stmts);
    }
    /// The function.
    pub fn finish(
        mut self,
        name: impl Into<String>,
        params: Vec<Value>,
        result: Value,
        span: Span,
    ) -> Function {
        let body = self.end(result);
        Function { name: name.into(), params, body, values: self.values, span }
    }
}

impl Function {
    /// A value of a type that stands where nobody will use one: zeros and empty sequences.
    pub fn nothing(&mut self, ty: &Type, span: Span, out: &mut Vec<Stmt>) -> Value {
        let op = match ty {
            Type::Scalar(ty) => Op::Const(ty.zero()),
            Type::Seq(_) => Op::Seq(Vec::new()),
            Type::Tuple(tys) => {
                Op::Tuple(tys.iter().map(|ty| self.nothing(ty, span, out)).collect())
            }
        };
        let value = self.values.push(ValueInfo { ty: ty.clone() });
        out.push(Stmt { value, op, span });
        value
    }
}
