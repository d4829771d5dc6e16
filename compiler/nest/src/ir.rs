//! The types of nest.
//!
//! ```text
//! fn f0 norms(v0: [[f64]]) -> [f64] {
//!   v1 = each v2 in v0 {
//!     v3 = each v4 in v2 { v5 = mul v4 v4; yield v5 }
//!     v6 = reduce add v3
//!     yield v6
//!   }
//!   yield v1
//! }
//! ```

use base::{IdMap, Site, Span, define_id};
use prim::{Const, Monoid, ScalarOp, Ty};

define_id!(Func, "f", "A function.");
define_id!(Value, "v", "A value of a function; assigned once.");

/// A whole program.  Entries are functions that the host calls.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Program {
    /// How wide ints and floats are.
    pub widths: prim::Widths,
    /// All functions.
    pub funcs: IdMap<Func, Function>,
    /// Those that the host calls, in order.
    pub entries: Vec<Func>,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// As in the source, for dumps and profiles.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Value>,
    /// The body; one result.
    pub body: Block,
    /// The type of each value.
    pub values: IdMap<Value, ValueInfo>,
    /// The definition.
    pub span: Span,
}

/// What is known of a value.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueInfo {
    /// Its type.
    pub ty: Type,
}

/// A type.  Tuples have at least two parts and nest only on purpose: `(a, (b, c))` of the source
/// is `(a, b, c)` here.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Ty),
    /// A sequence.
    Seq(Box<Type>),
    /// A tuple.
    Tuple(Vec<Type>),
}

/// Statements, then the value of the block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// What the block gives.
    pub result: Value,
}

/// `v3 = op`.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// Defined here.
    pub value: Value,
    /// How.
    pub op: Op,
    /// The source text that it comes from; errors are reported there.
    pub span: Span,
}

/// Operations.  Operands are values; types are those of `Function::values`.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// A scalar constant.
    Const(Const),
    /// A constant sequence of scalars of one type.
    Literal(Ty, Vec<Const>),
    /// The same value under another name (made when blocks are joined).
    Copy(Value),
    /// A scalar operation.
    Scalar(ScalarOp, Vec<Value>),
    /// Fails at the site unless the first (bool) is T; the ints go into the message.  Gives T.
    Require(Site, [Value; 3]),
    /// Fails at site `user` with a message of type `[char]`.  Gives T.
    Fail(Value),
    /// A tuple.
    Tuple(Vec<Value>),
    /// Part `n` of a tuple.
    Field(Value, usize),
    /// `[v0, v1, ...]`; empty for `[]`, whose type is that of the result.
    Seq(Vec<Value>),
    /// Number of elements.
    Length(Value),
    /// 0, 1, ..., n-1; fails (length) on a negative n.
    Index(Value),
    /// Element i; fails (index) outside the sequence.
    Element(Value, Value),
    /// `count` elements from `start`: no element is copied, nothing is checked.
    Slice {
        /// The sequence.
        seq: Value,
        /// First element.
        start: Value,
        /// How many.
        count: Value,
    },
    /// Positions of T in a sequence of bools.
    Which(Value),
    /// Combination of all elements.
    Reduce(Monoid, Value),
    /// Exclusive prefixes.
    Scan(Monoid, Value),
    /// The pieces one after the other.
    Flatten(Value),
    /// Consecutive pieces of the given lengths, which are known to fit.
    Partition(Value, Value),
    /// One sequence after the other.
    Append(Value, Value),
    /// `into` with `values[k]` at `positions[k]`; the last write wins; fails (index).  `positions`
    /// and `values` are known to be of one length.
    Write {
        /// What is not overwritten.
        into: Value,
        /// Where.
        positions: Value,
        /// What.
        values: Value,
    },
    /// Element k goes to position `positions[k]`; fails (permute) unless they are a permutation.
    Permute(Value, Value),
    /// Orders and ranks of scalars; stable.
    Sort(SortKind, Value),
    /// One result per lane.
    Each(Each),
    /// One arm runs.
    If(Value, Block, Block),
    /// A call.
    Call(Func, Vec<Value>),
}

/// What a sort gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// The elements in ascending order.
    Sort,
    /// For each element its position in ascending order.
    Rank,
    /// For each element its position in descending order.
    RankDown,
}

/// An apply-to-each: lane i binds each generator's value to element i of its source; the test runs
/// in every lane, the body where it gives T.  Fails (length) when sources differ in length.
#[derive(Clone, PartialEq, Debug)]
pub struct Each {
    /// (bound, source); at least one.
    pub generators: Vec<(Value, Value)>,
    /// Gives a bool.
    pub test: Option<Block>,
    /// Gives the lane's element.  Values of the test's block are visible in it.
    pub body: Block,
}

impl Type {
    /// A sequence of these.
    pub fn seq(self) -> Type {
        Type::Seq(Box::new(self))
    }
    /// The element type; a bug if it is no sequence.
    pub fn element(&self) -> &Type {
        match self {
            Type::Seq(t) => t,
            Type::Scalar(_) | Type::Tuple(_) => unreachable!("{self:?} is no sequence"),
        }
    }
    /// The scalar type; a bug if it is none.
    pub fn scalar(&self) -> Ty {
        match self {
            Type::Scalar(t) => *t,
            Type::Seq(_) | Type::Tuple(_) => unreachable!("{self:?} is no scalar"),
        }
    }
    /// Whether no sequence is inside.
    pub fn is_flat(&self) -> bool {
        match self {
            Type::Scalar(_) => true,
            Type::Seq(_) => false,
            Type::Tuple(parts) => parts.iter().all(Type::is_flat),
        }
    }
}
