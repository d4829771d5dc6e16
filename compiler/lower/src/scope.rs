//! What the compiler knows of values while it lowers: *abstract values*.
//!
//! Pairs and functions exist only here.  A pair is its parts until something needs it as one value;
//! a function is its code and what it has captured, so that an application knows what to do, and a
//! function that takes functions becomes one instance for each set of functions it is given
//! (specialisation, as in "Closure-free functional programming in a two-level type theory").
//!
//! ```text
//! let a = 3; g = x => x + a in reduce(g, 0, s)
//!     a    Value(v0)
//!     g    Fun(lambda, captured a = v0)
//!     reduce at this lambda: fn reduce(a, 0, s)
//! ```

use base::{IdMap, Span};
use nest::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use types::Type;
use types::tree::{Exp, Global, Local, LocalInfo, Pattern};

/// What is known of a value of the source.
#[derive(Clone, Debug)]
pub(crate) enum Abs<'a> {
    /// A value without functions; a pair or datatype is a tuple.
    Value(Value),
    /// A tuple without its first parts; at least two remain.
    Rest(Value, usize),
    /// A pair.
    Pair(Rc<(Abs<'a>, Abs<'a>)>),
    /// A known function.
    Fun(Rc<Closure<'a>>),
    /// One of two functions.
    Choice(Rc<Choice<'a>>),
}

/// A known function.
#[derive(Debug)]
pub(crate) struct Closure<'a> {
    /// What it does.
    pub(crate) code: Code<'a>,
    /// The instance types of the definition.
    pub(crate) types: Rc<[Type]>,
}

/// What a function does.
#[derive(Debug)]
pub(crate) enum Code<'a> {
    /// A top-level function, primitive or constructor.
    Global(Global),
    /// A function value written in the source.
    Lambda(Lambda<'a>),
}

/// `p => e` and the values of its free names.
#[derive(Debug)]
pub(crate) struct Lambda<'a> {
    /// `p`.
    pub(crate) param: &'a Pattern,
    /// `e`.
    pub(crate) body: &'a Exp,
    /// Names bound in the definition around it.
    pub(crate) locals: &'a IdMap<Local, LocalInfo>,
    /// Its free names.
    pub(crate) captured: Vec<(Local, Abs<'a>)>,
    /// As in [`Frame::outside`].
    pub(crate) outside: Option<LibraryCall>,
    /// As in [`Frame::origin`].
    pub(crate) origin: u32,
}

/// `then` if the condition is T, else `otherwise`; both are functions.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    pub(crate) condition: Value,
    pub(crate) then: Abs<'a>,
    pub(crate) otherwise: Abs<'a>,
}

/// A call of a library function by a text that is not of the library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LibraryCall {
    /// The call.
    pub(crate) span: Span,
    /// What is called there.
    pub(crate) callee: Global,
}

/// One evaluation of the body of a definition, form or function value.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// Names bound in the definition.
    pub(crate) locals: &'a IdMap<Local, LocalInfo>,
    /// Its instance types.
    pub(crate) types: Rc<[Type]>,
    /// Names bound so far.
    pub(crate) vars: FxHashMap<Local, Abs<'a>>,
    /// Where errors are reported instead of at the text itself, in a function of the library.
    pub(crate) outside: Option<LibraryCall>,
    /// Where the body of the function, form or function value starts: sites are counted from here.
    pub(crate) origin: u32,
}

impl<'a> Frame<'a> {
    /// Where errors of an expression at `span` are reported.
    pub(crate) fn place(&self, span: Span) -> Span {
        self.outside.map_or(span, |call| call.span)
    }
}

impl<'a> Abs<'a> {
    /// A pair.
    pub(crate) fn pair(a: Abs<'a>, b: Abs<'a>) -> Abs<'a> {
        Abs::Pair(Rc::new((a, b)))
    }
    /// A top-level function at these types.
    pub(crate) fn global(global: Global, types: Rc<[Type]>) -> Abs<'a> {
        Abs::Fun(Rc::new(Closure { code: Code::Global(global), types }))
    }
}

/// What distinguishes the functions in a value: equal keys, equal code.  Two arguments with one key
/// are served by one instance, which gets the captured values as parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    /// No functions.
    Data,
    /// A pair.
    Pair(Box<(Key, Key)>),
    /// A top-level function.
    Global(Global, Rc<[Type]>),
    /// A function value: the address of its body, and what it has captured.
    Lambda(usize, Rc<[Type]>, Option<Span>, Vec<Key>),
    /// One of two.
    Choice(Box<(Key, Key)>),
}
