//! Function values and the frames in which bodies are evaluated.

use crate::account::Owner;
use crate::random::Key;
use base::{Id, Span};
use std::sync::Arc;
use types::Type;
use types::tree::{Exp, Global, Local, Pattern};
use value::Value;

/// What is behind a [`Value::Function`].
pub(crate) enum Function {
    /// A top-level function, constructor or primitive at these types.
    Global(Global, Arc<[Type]>),
    /// `p => e`.
    Lambda(Lambda),
}

/// A function value made by `p => e`: its code, and the frame that it was made in as it was then.
pub(crate) struct Lambda {
    pub(crate) param: Arc<Pattern>,
    pub(crate) body: Arc<Exp>,
    pub(crate) frame: Frame,
    /// Where its text starts.
    pub(crate) origin: u32,
}

impl Lambda {
    /// The function value made by `p => e` at `origin` in this frame.
    #[inline(never)]
    pub(crate) fn value(
        param: &Arc<Pattern>,
        body: &Arc<Exp>,
        origin: u32,
        frame: &Frame,
    ) -> Value {
        let (param, body) = (Arc::clone(param), Arc::clone(body));
        Function::Lambda(Lambda { param, body, frame: frame.clone(), origin }).value()
    }
}

impl Function {
    /// As a value.
    pub(crate) fn value(self) -> Value {
        Value::Function(Arc::new(self))
    }

    /// The function behind a value.
    pub(crate) fn of(value: &Value) -> Arc<Function> {
        let Value::Function(inside) = value else {
            unreachable!("{value:?} is no function");
        };
        Arc::clone(inside)
            .downcast()
            .unwrap_or_else(|_| unreachable!("a function that the interpreter did not make"))
    }
}

/// The names of one activation of a function or form, and where it stands.
#[derive(Clone)]
pub(crate) struct Frame {
    /// Values of the names bound so far.
    slots: Vec<Option<Value>>,
    /// What the type variables of the definition stand for.
    pub(crate) types: Arc<[Type]>,
    /// Where random numbers are drawn.
    pub(crate) key: Key,
    /// How often the seed had been set when `key` was made.
    pub(crate) seeds: u64,
    /// In library code: the call in the user's program that led there.
    pub(crate) caller: Option<Span>,
    /// Who does the work.
    pub(crate) owner: Owner,
}

impl Frame {
    /// A frame for so many names, none of them bound.
    pub(crate) fn new(names: usize, types: Arc<[Type]>, key: Key, seeds: u64) -> Frame {
        Frame { slots: vec![None; names], types, key, seeds, caller: None, owner: Owner::Form }
    }

    /// Bytes of its names.
    pub(crate) fn size(&self) -> usize {
        self.slots.len() * size_of::<Option<Value>>()
    }

    /// The value of a name; a bug if it is not bound.
    pub(crate) fn get(&self, local: Local) -> &Value {
        self.slots[local.index()].as_ref().unwrap_or_else(|| unreachable!("{local} is not bound"))
    }

    /// Binds a name.
    pub(crate) fn set(&mut self, local: Local, value: Value) {
        self.slots[local.index()] = Some(value);
    }
}
