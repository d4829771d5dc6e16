//! Shapes: how long vectors are, which descriptors are equal, and what else is known of sizes.
//!
//! ```text
//! s1 = [s0 > v0]                                      v0 lanes
//! v4: vec i64 [s2], v3: i64 = filter [s1] { x < p }   v3 <= v0
//! s2 = [s0 > v3] from s1 at v4                        v3 lanes
//! v6: vec i64 [s3], v5: i64 = filter [s1] { x == p }  v3 + v5 <= v0
//! v8: vec i64 [s4], v7: i64 = filter [s1] { x > p }   v3 + v5 + v7 == v0
//! ```
//!
//! One walk over a function gives each scalar and each element that code names a *term*
//! ([`terms`]), each space its number of lanes, and collects *facts* about them ([`facts`]).  Two
//! vectors made in the same way of equal things are equal.  All of it is true by what operations
//! mean, whatever the data; where nothing can be said, nothing is.
//!
//! What is assumed: the scalars that are lengths of parameters are sizes.  A function whose
//! parameters have a layout is told which those are; otherwise they are the lengths of the spaces
//! that other parameters have elements for.  Whoever calls passes them so.
//!
//! * [`linear`], [`terms`], [`facts`]: what can be said, and what follows.
//! * `spaces`: lanes of spaces, and what a lane knows of itself.
//! * `code`: the terms of scalar code.
//! * `walk`: statement after statement.
//! * `partition`: filters that exclude each other.
//! * [`calls`]: what results of functions are.
//! * [`show`], [`check`]: facts as text, and their test on data.

pub mod calls;
pub mod check;
mod code;
pub mod facts;
pub mod linear;
mod partition;
pub mod show;
mod spaces;
pub mod terms;
mod walk;

use crate::ir::{Function, Space, Stmt, Value};
use calls::Summary;
pub(crate) use code::Folds;
use linear::{Linear, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::{Term, Terms};

/// What is known of a function.
#[derive(Debug)]
pub struct Shapes<'f> {
    function: &'f Function,
    /// What is known of the results of functions, if anything is.
    summaries: Option<&'f [Summary]>,
    /// Symbols and facts.
    pub terms: Terms,
    /// Scalars.
    scalars: FxHashMap<Value, Term>,
    /// Vectors with equal contents: the one that was first.
    first: FxHashMap<Value, Value>,
    /// Vectors by how they are made.
    makings: FxHashMap<Making, Value>,
    /// The same in the order in which they were made, to forget them when an arm ends.
    made_here: Vec<Making>,
    /// Vectors whose elements code gives: a space and the element for its lane.
    made: FxHashMap<Value, (Space, Term)>,
    /// Vectors of ints of whose elements something is known.
    elements: FxHashMap<Value, Elements>,
    /// Filtered lanes by their positions: the source, and what is true of a lane there.
    kept: FxHashMap<Value, (Space, Term)>,
    /// Spaces by how they are made.
    space_makings: FxHashMap<spaces::Making, Space>,
    /// Spaces that were asked for.
    spaces: FxHashMap<Space, spaces::Known>,
    /// The spaces asked for in this order, to forget them when a scope ends.
    asked: Vec<Space>,
    /// Filters by what they compare.
    filters: partition::Filters,
    /// The same in the order in which they were met, to forget them when an arm ends.
    filtered_here: Vec<partition::Compared>,
    /// Sums that are 0 or not negative, to be shown.
    found: Vec<Found>,
    /// Values of the blocks that are open.
    visible: FxHashSet<Value>,
    /// The same in the order in which they were defined.
    opened: Vec<Value>,
    /// The spaces that results are made over.
    over: FxHashMap<Value, Option<Space>>,
    /// For each statement with code, in the order of the text: what may be left out of it.
    pub(crate) folds: Vec<Folds>,
    /// Conditions that all lanes of a space were asked for before.
    required: FxHashSet<(Space, Term)>,
    /// The same in the order in which they were met.
    required_here: Vec<(Space, Term)>,
    /// Scalars computed at the root, by what they are.
    computed: FxHashMap<Term, Value>,
    /// Statements that give nothing new, by their first result, and the results given before.
    pub(crate) shared: FxHashMap<Value, Vec<Value>>,
    /// Scalars yielded, if the function ends at all.
    pub(crate) yields: Option<Vec<Term>>,
    /// How many terms are being moved for the sake of each other.
    through: usize,
}

/// Something to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// A sum.
    pub sum: Linear,
    /// Whether it is 0; otherwise it is not negative.
    pub is_zero: bool,
}

/// How a vector is made; equal makings give equal vectors.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Making {
    /// Which operation, of the results the how manieth.
    op: (&'static str, usize),
    /// The spaces in place of which others with equal lanes may stand.
    space: Space,
    /// A monoid, if there is one.
    monoid: Option<prim::Monoid>,
    /// What code gives.
    terms: Vec<Term>,
}

/// What is known of the elements of a vector of ints.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Elements {
    /// They are sizes.
    Sizes,
    /// They are positions below this.
    Below(Linear),
    /// Offsets, the last of which is at this position, and, if they were made here, the length
    /// of each segment.
    Offsets { end: Linear, from_zero: bool },
}

impl<'f> Shapes<'f> {
    /// Looks at a function by itself.
    pub fn of(function: &'f Function) -> Shapes<'f> {
        Self::with(function, None)
    }

    /// Looks at a function; `summaries` says what other functions give.
    pub fn with(function: &'f Function, summaries: Option<&'f [Summary]>) -> Shapes<'f> {
        let mut shapes = Shapes {
            function,
            summaries,
            terms: Terms::default(),
            scalars: FxHashMap::default(),
            first: FxHashMap::default(),
            makings: FxHashMap::default(),
            made_here: Vec::new(),
            made: FxHashMap::default(),
            elements: FxHashMap::default(),
            kept: FxHashMap::default(),
            space_makings: FxHashMap::default(),
            spaces: FxHashMap::default(),
            asked: Vec::new(),
            filters: partition::Filters::default(),
            filtered_here: Vec::new(),
            found: Vec::new(),
            visible: FxHashSet::default(),
            opened: Vec::new(),
            over: FxHashMap::default(),
            folds: Vec::new(),
            required: FxHashSet::default(),
            required_here: Vec::new(),
            computed: FxHashMap::default(),
            shared: FxHashMap::default(),
            through: 0,
            yields: None,
        };
        shapes.walk();
        shapes
    }

    /// The scalar as a term; nothing if it is not a scalar or was not met.
    pub fn scalar(&self, value: Value) -> Option<&Term> {
        self.scalars.get(&value)
    }

    /// The first vector with the same contents.
    pub fn first(&self, value: Value) -> Value {
        self.first.get(&value).copied().unwrap_or(value)
    }

    /// The number of lanes of a space that was met.
    pub fn lanes(&self, space: Space) -> Option<&Linear> {
        self.spaces.get(&space).map(|known| &known.lanes)
    }

    /// The sums found to be 0 or not negative.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The function.
    pub fn function(&self) -> &'f Function {
        self.function
    }

    /// The length of each segment that offsets give, if it is the same for all of them and was
    /// known before.
    pub(crate) fn segment_length(&self, stmt: &Stmt) -> Option<Term> {
        let &[offsets] = stmt.results.as_slice() else { return None };
        let (_, length) = self.made.get(&self.first(offsets))?;
        (self.terms.lane_of(length) == terms::Lane::None).then(|| length.clone())
    }

    /// A symbol for a scalar of the function.
    fn value_symbol(&mut self, value: Value) -> Symbol {
        self.terms.symbol(terms::Kind::Value(value))
    }
}
