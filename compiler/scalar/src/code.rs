//! The shape of scalar code.

use base::{Site, define_id};
use prim::{Const, ScalarOp, Ty};
use std::fmt;
use std::hash::Hash;

pub use base::Span;

/// How code names things outside itself: a value of the IR around it.
pub trait Name: Copy + Eq + Hash + fmt::Display + fmt::Debug {}
impl<T: Copy + Eq + Hash + fmt::Display + fmt::Debug> Name for T {}

define_id!(Var, "x", "A scalar variable of one code; assigned once.");
define_id!(Func, "h", "A scalar function of the program.");
define_id!(Param, "p", "A parameter of a scalar function: a vector to read from.");

/// A lambda: runs once per lane with its parameters (positions) bound.
#[derive(Clone, PartialEq, Debug)]
pub struct Code<R> {
    /// Bound for each run.
    pub params: Vec<Var>,
    /// Statements and results.
    pub body: Block<R>,
    /// The type of each variable.
    pub vars: base::IdMap<Var, Ty>,
}

/// Statements, then the values of the block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block<R> {
    /// In order.
    pub stmts: Vec<Stmt<R>>,
    /// What the block gives.
    pub yields: Vec<Atom<R>>,
}

impl<R> Default for Block<R> {
    fn default() -> Self {
        Block { stmts: Vec::new(), yields: Vec::new() }
    }
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atom<R> {
    /// A variable of this code.
    Var(Var),
    /// A constant.
    Const(Const),
    /// A scalar of the IR around, the same for all lanes, and its type.
    Outer(R, Ty),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt<R> {
    /// `x2 = add x0 x1`.
    Let(Var, Op<R>),
    /// `x4, x5 = if x3 { ... yield a b } else { ... yield c d }`; one arm runs.
    If {
        /// One for each yield of an arm.
        results: Vec<Var>,
        /// A bool.
        cond: Atom<R>,
        /// Runs when T.
        then: Block<R>,
        /// Runs when F.
        els: Block<R>,
    },
    /// A loop: `params` start as `init`; the body yields `again`, the next params, the results.  It
    /// runs once more when `again` is T; otherwise the results of this run are the loop's.
    Loop {
        /// Given when the loop ends.
        results: Vec<Var>,
        /// Carried from run to run.
        params: Vec<Var>,
        /// Their first values.
        init: Vec<Atom<R>>,
        /// Yields `1 + params + results` values.
        body: Block<R>,
    },
    /// Fails at `site` unless `cond` is T; the two ints go into the message.
    Require {
        /// The kind of error.
        site: Site,
        /// What must hold.
        cond: Atom<R>,
        /// Ints for the message, such as index and length.
        args: [Atom<R>; 2],
        /// The source text at fault.
        span: Span,
    },
    /// A call of a scalar function.
    Call(Call<R>),
}

/// A call of a scalar function.
#[derive(Clone, PartialEq, Debug)]
pub struct Call<R> {
    /// One for each result.
    pub results: Vec<Var>,
    /// Which function.
    pub func: Func,
    /// Scalar arguments.
    pub args: Vec<Atom<R>>,
    /// Vector arguments, by reference.
    pub vectors: Vec<R>,
    /// The call in the source.
    pub span: Span,
}

/// An operation with one result.
#[derive(Clone, PartialEq, Debug)]
pub enum Op<R> {
    /// An operation of the table; the span matters only for one that can fail.
    Scalar(ScalarOp, Vec<Atom<R>>, Span),
    /// The element of a vector; the index is known to be inside.
    Read(R, Atom<R>),
}

/// A scalar function: may be recursive, may read vectors handed to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// As in the source.
    pub name: String,
    /// Element types of the vector parameters `p0, p1, ...`.
    pub vectors: Vec<Ty>,
    /// Scalar parameters are `code.params`; results are the yields.
    pub code: Code<Param>,
    /// Types of the results.
    pub results: Vec<Ty>,
}

impl<R: Copy> Atom<R> {
    /// The same atom with outer names replaced.
    pub fn map<S>(self, f: &mut impl FnMut(R) -> S) -> Atom<S> {
        match self {
            Atom::Var(v) => Atom::Var(v),
            Atom::Const(c) => Atom::Const(c),
            Atom::Outer(r, ty) => Atom::Outer(f(r), ty),
        }
    }
}
