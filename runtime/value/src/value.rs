//! Nested values, as the language speaks of them.
//!
//! Copying a value is cheap: sequences, pairs and functions are shared.  A sequence of scalars is
//! a vector of them, any other sequence a vector of values; both are *views*, so that a slice
//! copies no element.  An empty sequence may have any representation.

use prim::Const;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

/// A value of any type.  Its type says which one: values do not carry their types.
#[derive(Clone)]
pub enum Value {
    /// An int.
    Int(i64),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A character code.
    Char(u8),
    /// A sequence.
    Seq(Seq),
    /// A pair; longer tuples nest to the right.
    Pair(Arc<(Value, Value)>),
    /// A datatype: its fields as one value.
    Data(Arc<Value>),
    /// A function; only the interpreter knows what is inside.
    Function(Arc<dyn Any + Send + Sync>),
}

/// A sequence.
#[derive(Clone, Debug)]
pub enum Seq {
    /// Ints.
    Ints(Items<i64>),
    /// Floats.
    Floats(Items<f64>),
    /// Truth values.
    Bools(Items<bool>),
    /// Characters: a string.
    Chars(Items<u8>),
    /// Everything else.
    Values(Items<Value>),
}

/// A view of a shared vector.
#[derive(Clone)]
pub struct Items<T> {
    data: Arc<Vec<T>>,
    start: usize,
    len: usize,
}

impl<T> Items<T> {
    /// The `len` items from `start` on, without a copy; a bug if they do not exist.
    pub fn slice(&self, start: usize, len: usize) -> Items<T> {
        assert!(start <= self.len && len <= self.len - start, "a slice beyond the ends");
        Items { data: Arc::clone(&self.data), start: self.start + start, len }
    }
}

impl<T> Items<T> {
    /// True if both are the same part of the same vector.
    fn is_same(&self, other: &Items<T>) -> bool {
        Arc::ptr_eq(&self.data, &other.data) && self.start == other.start && self.len == other.len
    }
}

/// The identity of the memory of a sequence, without keeping it alive.
#[derive(Clone, Debug)]
pub struct Handle {
    data: Weak<dyn Any + Send + Sync>,
    start: usize,
    len: usize,
}

impl Handle {
    /// A key that no other sequence has while this handle exists.
    pub fn key(&self) -> (usize, usize, usize) {
        (self.data.as_ptr().addr(), self.start, self.len)
    }
    /// Returns true if the sequence still exists.
    pub fn is_alive(&self) -> bool {
        self.data.strong_count() > 0
    }
}

impl<T: Send + Sync + 'static> Items<T> {
    fn handle(&self) -> Handle {
        let data: Weak<Vec<T>> = Arc::downgrade(&self.data);
        Handle { data, start: self.start, len: self.len }
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(data: Vec<T>) -> Items<T> {
        let len = data.len();
        Items { data: Arc::new(data), start: 0, len }
    }
}

impl<T> Deref for Items<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.data[self.start..self.start + self.len]
    }
}

impl<T: fmt::Debug> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Vec<u8>>) -> Value {
        Value::Seq(Seq::Chars(text.into().into()))
    }

    /// A sequence of ints.
    pub fn ints(items: Vec<i64>) -> Value {
        Value::Seq(Seq::Ints(items.into()))
    }

    /// A pair.
    pub fn pair(first: Value, rest: Value) -> Value {
        Value::Pair(Arc::new((first, rest)))
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<Const> {
        match *self {
            Value::Int(v) => Some(Const::I64(v)),
            Value::Float(v) => Some(Const::F64(v)),
            Value::Bool(v) => Some(Const::Bool(v)),
            Value::Char(v) => Some(Const::Char(v)),
            _ => None,
        }
    }

    /// The int; a bug if it is none.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(v) => *v,
            other => unreachable!("{other:?} is no int"),
        }
    }

    /// The truth value; a bug if it is none.
    pub fn bool(&self) -> bool {
        match self {
            Value::Bool(v) => *v,
            other => unreachable!("{other:?} is no bool"),
        }
    }

    /// The sequence; a bug if it is none.
    pub fn seq(&self) -> &Seq {
        match self {
            Value::Seq(v) => v,
            other => unreachable!("{other:?} is no sequence"),
        }
    }

    /// The parts of a pair; a bug if it is none.
    pub fn parts(&self) -> (&Value, &Value) {
        match self {
            Value::Pair(v) => (&v.0, &v.1),
            other => unreachable!("{other:?} is no pair"),
        }
    }

    /// The fields of a datatype; a bug if it is none.
    pub fn fields(&self) -> &Value {
        match self {
            Value::Data(fields) => fields,
            other => unreachable!("{other:?} is no datatype"),
        }
    }

    /// The size S of LANGUAGE 15: 1 for a scalar or function, the sum of the parts of a tuple or
    /// datatype, 1 plus the sizes of the elements of a sequence.
    pub fn size(&self) -> u64 {
        match self {
            Value::Seq(Seq::Values(items)) => 1 + items.iter().map(Value::size).sum::<u64>(),
            Value::Seq(seq) => 1 + seq.len() as u64,
            Value::Pair(parts) => parts.0.size() + parts.1.size(),
            Value::Data(fields) => fields.size(),
            _ => 1,
        }
    }
}

impl Value {
    /// True if two values are indistinguishable to programs: scalars have the same bits, functions
    /// are identical.  Sequences are compared by their elements if `deeply`, else by the part of
    /// memory that they are.
    pub fn is_same(&self, other: &Value, deeply: bool) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Char(a), Value::Char(b)) => a == b,
            (Value::Seq(a), Value::Seq(b)) => a.is_same(b, deeply),
            (Value::Pair(a), Value::Pair(b)) => {
                Arc::ptr_eq(a, b) || a.0.is_same(&b.0, deeply) && a.1.is_same(&b.1, deeply)
            }
            (Value::Data(a), Value::Data(b)) => Arc::ptr_eq(a, b) || a.is_same(b, deeply),
            (Value::Function(a), Value::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl From<Const> for Value {
    fn from(scalar: Const) -> Value {
        match scalar {
            Const::I64(v) => Value::Int(v),
            Const::F64(v) => Value::Float(v),
            Const::Bool(v) => Value::Bool(v),
            Const::Char(v) => Value::Char(v),
        }
    }
}

/// `==` of LANGUAGE 10: by value and by parts; functions are never equal.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Char(a), Value::Char(b)) => a == b,
            (Value::Seq(a), Value::Seq(b)) => a == b,
            (Value::Pair(a), Value::Pair(b)) => a.0 == b.0 && a.1 == b.1,
            (Value::Data(a), Value::Data(b)) => **a == **b,
            _ => false,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v:?}"),
            Value::Bool(v) => write!(f, "{v}"),
            Value::Char(v) => write!(f, "`{}", v.escape_ascii()),
            Value::Seq(v) => write!(f, "{v:?}"),
            Value::Pair(v) => write!(f, "({:?}, {:?})", v.0, v.1),
            Value::Data(v) => write!(f, "data({v:?})"),
            Value::Function(_) => f.write_str("fn"),
        }
    }
}

/// Does the same to the items of a sequence, whatever they are.
macro_rules! over_items {
    ($seq:expr, $items:ident => $body:expr) => {
        match $seq {
            Seq::Ints($items) => $body,
            Seq::Floats($items) => $body,
            Seq::Bools($items) => $body,
            Seq::Chars($items) => $body,
            Seq::Values($items) => $body,
        }
    };
}

impl Seq {
    /// Number of elements.
    pub fn len(&self) -> usize {
        over_items!(self, items => items.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The identity of its memory.
    pub fn handle(&self) -> Handle {
        over_items!(self, items => items.handle())
    }

    /// Element `i`; a bug if there is none.
    pub fn get(&self, i: usize) -> Value {
        match self {
            Seq::Ints(items) => Value::Int(items[i]),
            Seq::Floats(items) => Value::Float(items[i]),
            Seq::Bools(items) => Value::Bool(items[i]),
            Seq::Chars(items) => Value::Char(items[i]),
            Seq::Values(items) => items[i].clone(),
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The `len` elements from `start` on, without a copy; a bug if they do not exist.
    pub fn slice(&self, start: usize, len: usize) -> Seq {
        match self {
            Seq::Ints(items) => Seq::Ints(items.slice(start, len)),
            Seq::Floats(items) => Seq::Floats(items.slice(start, len)),
            Seq::Bools(items) => Seq::Bools(items.slice(start, len)),
            Seq::Chars(items) => Seq::Chars(items.slice(start, len)),
            Seq::Values(items) => Seq::Values(items.slice(start, len)),
        }
    }

    /// The elements at these positions; a bug if one does not exist.
    pub fn gather(&self, positions: &[usize]) -> Seq {
        fn pick<T: Clone>(items: &[T], positions: &[usize]) -> Items<T> {
            positions.iter().map(|&p| items[p].clone()).collect::<Vec<T>>().into()
        }
        match self {
            Seq::Ints(items) => Seq::Ints(pick(items, positions)),
            Seq::Floats(items) => Seq::Floats(pick(items, positions)),
            Seq::Bools(items) => Seq::Bools(pick(items, positions)),
            Seq::Chars(items) => Seq::Chars(pick(items, positions)),
            Seq::Values(items) => Seq::Values(pick(items, positions)),
        }
    }

    /// The parts one after the other.
    pub fn concat<'a>(parts: impl Iterator<Item = &'a Seq> + Clone) -> Seq {
        let mut builder = SeqBuilder::with_capacity(parts.clone().map(Seq::len).sum());
        parts.for_each(|part| builder.extend(part));
        builder.finish()
    }

    fn is_same(&self, other: &Seq, deeply: bool) -> bool {
        let equal = match (self, other) {
            (Seq::Ints(a), Seq::Ints(b)) => a.is_same(b) || deeply && **a == **b,
            (Seq::Bools(a), Seq::Bools(b)) => a.is_same(b) || deeply && **a == **b,
            (Seq::Chars(a), Seq::Chars(b)) => a.is_same(b) || deeply && **a == **b,
            (Seq::Floats(a), Seq::Floats(b)) => {
                let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                a.is_same(b) || deeply && a.len() == b.len() && a.iter().zip(&**b).all(same)
            }
            (Seq::Values(a), Seq::Values(b)) => {
                let same = |(a, b): (&Value, &Value)| a.is_same(b, deeply);
                a.is_same(b) || deeply && a.len() == b.len() && a.iter().zip(&**b).all(same)
            }
            _ => false,
        };
        equal || self.is_empty() && other.is_empty()
    }

    /// The ints; none when empty; a bug if they are no ints.
    pub fn as_ints(&self) -> &[i64] {
        match self {
            Seq::Ints(items) => items,
            other if other.is_empty() => &[],
            other => unreachable!("{other:?} holds no ints"),
        }
    }

    /// The truth values; none when empty; a bug if they are none.
    pub fn as_bools(&self) -> &[bool] {
        match self {
            Seq::Bools(items) => items,
            other if other.is_empty() => &[],
            other => unreachable!("{other:?} holds no bools"),
        }
    }

    /// The characters; none when empty; a bug if they are none.
    pub fn as_chars(&self) -> &[u8] {
        match self {
            Seq::Chars(items) => items,
            other if other.is_empty() => &[],
            other => unreachable!("{other:?} holds no chars"),
        }
    }
}

impl PartialEq for Seq {
    fn eq(&self, other: &Seq) -> bool {
        match (self, other) {
            (Seq::Ints(a), Seq::Ints(b)) => **a == **b,
            (Seq::Floats(a), Seq::Floats(b)) => **a == **b,
            (Seq::Bools(a), Seq::Bools(b)) => **a == **b,
            (Seq::Chars(a), Seq::Chars(b)) => **a == **b,
            (Seq::Values(a), Seq::Values(b)) => **a == **b,
            // Empty sequences may be represented differently.
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

/// A sequence that is being made, element by element.  The first one decides how it is represented.
pub enum SeqBuilder {
    /// No element yet; room for so many.
    Empty(usize),
    /// Ints.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Characters.
    Chars(Vec<u8>),
    /// Everything else.
    Values(Vec<Value>),
}

impl SeqBuilder {
    /// No elements yet, room for `capacity`.
    pub fn with_capacity(capacity: usize) -> SeqBuilder {
        SeqBuilder::Empty(capacity)
    }

    /// Adds an element; a bug if it has another type than those before.
    pub fn push(&mut self, value: Value) {
        if let SeqBuilder::Empty(capacity) = *self {
            *self = SeqBuilder::for_elements_like(&value, capacity);
        }
        match (self, value) {
            (SeqBuilder::Ints(items), Value::Int(v)) => items.push(v),
            (SeqBuilder::Floats(items), Value::Float(v)) => items.push(v),
            (SeqBuilder::Bools(items), Value::Bool(v)) => items.push(v),
            (SeqBuilder::Chars(items), Value::Char(v)) => items.push(v),
            (SeqBuilder::Values(items), v) => items.push(v),
            (_, v) => unreachable!("{v:?} in a sequence of another type"),
        }
    }

    fn for_elements_like(value: &Value, capacity: usize) -> SeqBuilder {
        match value {
            Value::Int(_) => SeqBuilder::Ints(Vec::with_capacity(capacity)),
            Value::Float(_) => SeqBuilder::Floats(Vec::with_capacity(capacity)),
            Value::Bool(_) => SeqBuilder::Bools(Vec::with_capacity(capacity)),
            Value::Char(_) => SeqBuilder::Chars(Vec::with_capacity(capacity)),
            _ => SeqBuilder::Values(Vec::with_capacity(capacity)),
        }
    }

    /// Adds the elements of a sequence of the same type.
    pub fn extend(&mut self, seq: &Seq) {
        if seq.is_empty() {
            return;
        }
        if let SeqBuilder::Empty(capacity) = *self {
            *self = SeqBuilder::for_elements_like(&seq.get(0), capacity);
        }
        match (self, seq) {
            (SeqBuilder::Ints(items), Seq::Ints(more)) => items.extend_from_slice(more),
            (SeqBuilder::Floats(items), Seq::Floats(more)) => items.extend_from_slice(more),
            (SeqBuilder::Bools(items), Seq::Bools(more)) => items.extend_from_slice(more),
            (SeqBuilder::Chars(items), Seq::Chars(more)) => items.extend_from_slice(more),
            (SeqBuilder::Values(items), Seq::Values(more)) => items.extend_from_slice(more),
            (_, seq) => unreachable!("{seq:?} in a sequence of another type"),
        }
    }

    /// The sequence.
    pub fn finish(self) -> Seq {
        match self {
            SeqBuilder::Empty(_) => Seq::Values(Vec::new().into()),
            SeqBuilder::Ints(items) => Seq::Ints(items.into()),
            SeqBuilder::Floats(items) => Seq::Floats(items.into()),
            SeqBuilder::Bools(items) => Seq::Bools(items.into()),
            SeqBuilder::Chars(items) => Seq::Chars(items.into()),
            SeqBuilder::Values(items) => Seq::Values(items.into()),
        }
    }
}
