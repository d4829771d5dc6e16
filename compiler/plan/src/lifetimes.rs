//! When the vectors of a plan are there, and which of them have the same memory.
//!
//! ```text
//! plan f0 f(n0: i64, b0: i64) {                   b0    b1
//!   b1: i64 = room n0                              |
//!   launch c0(n0, b0, set n1: i64, b1)   c0        |     |
//!   free b0                                              |
//!   b2: i64 = copy b1 n1                                 |  also b2
//!   free b1                                              |
//!   yield n1 b2                          result          |
//! }
//! ```

use crate::ir::{Arg, Block, Buffer, Cluster, ClusterId, Function, Place, Program, Step};
use base::svg::{CHAR, GAP, LINE, Picture, cut};
use base::{IdMap, Span};
use prim::Ty;
use std::collections::{BTreeMap, BTreeSet};

/// The vectors of one function, in the order of its steps.
#[derive(Clone, Debug)]
pub struct Lifetimes {
    /// The function.
    pub name: String,
    /// What happens; the last one is that the results are given.
    pub moments: Vec<Moment>,
    /// Vectors.
    pub vectors: Vec<Vector>,
}

/// A step that reads or writes vectors, or an arm of a branch.
#[derive(Clone, Debug)]
pub struct Moment {
    /// What the step is.
    pub text: String,
    /// The source text that it is made of, if it is a launch.
    pub span: Span,
    /// In how many arms it is.
    pub depth: usize,
}

/// A vector in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Its names: what goes on in its memory, without being moved, has another one.
    pub names: Vec<Buffer>,
    /// Of its elements.
    pub ty: Ty,
    /// Its length where it is made; none for what the function is given or gets from a call.
    pub len: Option<String>,
    /// Which memory it has: those of the same number have one after the other.
    pub memory: usize,
    /// The moment that makes it; none if it is given.
    pub from: Option<usize>,
    /// The last moment that uses it.
    pub to: usize,
}

/// The lifetimes of all functions that have vectors.
pub fn lifetimes(program: &Program) -> Vec<Lifetimes> {
    let of = |function: &Function| {
        let mut walk = Walk {
            program,
            buffers: &function.buffers,
            moments: Vec::new(),
            vectors: Vec::new(),
            names: BTreeMap::new(),
            memories: 0,
        };
        for param in &function.params {
            if let Place::Buffer(buffer) = param {
                walk.make(*buffer, None, None, None);
            }
        }
        walk.block(&function.body, 0);
        walk.moment("result", Span::none(), 0);
        function.body.yields.iter().for_each(|arg| walk.used(*arg));
        Lifetimes { name: function.name.clone(), moments: walk.moments, vectors: walk.vectors }
    };
    program.funcs.values().map(of).filter(|found| !found.vectors.is_empty()).collect()
}

impl Lifetimes {
    /// How many vectors have memory of their own at the same time, at most.
    pub fn most(&self) -> usize {
        let at = |moment: usize| {
            let there = |v: &&Vector| v.from.is_none_or(|from| from <= moment) && moment <= v.to;
            let memories: BTreeSet<usize> =
                self.vectors.iter().filter(there).map(|v| v.memory).collect();
            memories.len()
        };
        (0..self.moments.len()).map(at).max().unwrap_or(0)
    }
}

/// On the way through a function.
struct Walk<'p> {
    program: &'p Program,
    buffers: &'p IdMap<Buffer, crate::ir::BufferInfo>,
    moments: Vec<Moment>,
    vectors: Vec<Vector>,
    /// Which vector a name is.
    names: BTreeMap<Buffer, usize>,
    memories: usize,
}

impl Walk<'_> {
    fn moment(&mut self, text: impl Into<String>, span: Span, depth: usize) {
        self.moments.push(Moment { text: text.into(), span, depth });
    }

    /// A vector from a moment on, in the memory of another one or in new memory.
    fn make(
        &mut self,
        buffer: Buffer,
        len: Option<Arg>,
        from: Option<usize>,
        over: Option<Buffer>,
    ) {
        let memory = over.and_then(|over| Some(self.vectors[*self.names.get(&over)?].memory));
        let memory = memory.unwrap_or_else(|| {
            self.memories += 1;
            self.memories - 1
        });
        self.names.insert(buffer, self.vectors.len());
        self.vectors.push(Vector {
            names: vec![buffer],
            ty: self.buffers[buffer].ty,
            len: len.map(|len| len.to_string()),
            memory,
            from,
            to: from.unwrap_or(0),
        });
    }

    /// Another name for a vector.
    fn name(&mut self, buffer: Buffer, from: Buffer) {
        if let Some(&vector) = self.names.get(&from) {
            self.names.insert(buffer, vector);
            self.vectors[vector].names.push(buffer);
        }
    }

    /// The last moment so far uses a vector.
    fn used(&mut self, arg: Arg) {
        let last = self.moments.len().saturating_sub(1);
        if let Some(vector) = arg.buffer().and_then(|buffer| self.names.get(&buffer)) {
            let vector = &mut self.vectors[*vector];
            vector.to = vector.to.max(last);
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for (at, step) in block.steps.iter().enumerate() {
            let next = self.moments.len();
            let free = block.steps[at + 1..].iter().map_while(Step::freed);
            let dies = |buffer: Buffer| free.clone().any(|freed| freed == buffer);
            match step {
                Step::Alloc { buffer, len, over, .. } => {
                    self.make(*buffer, Some(*len), Some(next), over.map(|over| over.buffer));
                }
                Step::Room { buffer, len, .. } => self.make(*buffer, Some(*len), Some(next), None),
                Step::Literal(buffer, items) => {
                    let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
                    self.make(*buffer, Some(Arg::Const(prim::Const::I64(len))), Some(next), None);
                }
                Step::Zero { buffer, len, .. } => {
                    self.moment("zeros", Span::none(), depth);
                    self.make(*buffer, Some(*len), Some(next), None);
                }
                Step::Alias(buffer, from) => self.name(*buffer, *from),
                Step::Copy { buffer, from, len, .. } | Step::Grow { buffer, from, len, .. } => {
                    if dies(*from) {
                        self.name(*buffer, *from);
                        continue;
                    }
                    self.moment(format!("copy {from}"), Span::none(), depth);
                    self.used(Arg::Buffer(*from));
                    self.make(*buffer, Some(*len), Some(next), None);
                }
                Step::Launch { cluster, args, .. } => {
                    let span = source(&self.program.clusters, *cluster);
                    self.moment(format!("launch {cluster}"), span, depth);
                    args.iter().for_each(|arg| self.used(*arg));
                }
                Step::Call { results, func, args, .. } => {
                    let name = &self.program.funcs[*func].name;
                    self.moment(format!("call {name}"), Span::none(), depth);
                    args.iter().for_each(|arg| self.used(*arg));
                    for buffer in results.iter().filter_map(|place| place.buffer()) {
                        self.make(buffer, None, Some(next), None);
                    }
                }
                Step::If { results, then, els, .. } => self.branch(results, then, els, depth),
                Step::Fail { chars, .. } => {
                    self.moment("fail", Span::none(), depth);
                    self.used(Arg::Buffer(*chars));
                }
                // The host may have read it since.
                Step::Free(buffer) => self.used(Arg::Buffer(*buffer)),
                Step::Behind { .. } | Step::Eval { .. } => {}
            }
        }
    }

    /// What arms give goes on in the memory that it has in the first arm.
    fn branch(&mut self, results: &[Place], then: &Block, els: &Block, depth: usize) {
        let mut given = Vec::new();
        for (word, arm) in [("if", then), ("else", els)] {
            self.moment(word, Span::none(), depth);
            self.block(arm, depth + 1);
            arm.yields.iter().for_each(|arg| self.used(*arg));
            given.push(&arm.yields);
        }
        let next = self.moments.len();
        for (place, arg) in results.iter().zip(given[0]) {
            if let (Place::Buffer(buffer), Some(from)) = (place, arg.buffer()) {
                self.make(*buffer, None, Some(next), Some(from));
            }
        }
    }
}

/// The source text that a cluster is made of: the first, if there are several.
fn source(clusters: &IdMap<ClusterId, Cluster>, id: ClusterId) -> Span {
    clusters[id].spans.first().copied().unwrap_or(Span::none())
}

/// Width of what is said of a moment, and of a vector.
const WORDS: usize = 320;
const COLUMN: usize = 108;
/// Height of a moment.
const ROW: usize = 36;

/// Draws lifetimes below what is drawn already: moments from top to bottom, a column for each
/// memory.  `source` says where a span is and what is there.
pub fn draw(picture: &mut Picture, lifetimes: &Lifetimes, source: &dyn Fn(Span) -> String) {
    let top = picture.end();
    let Lifetimes { name, moments, vectors } = lifetimes;
    let most = lifetimes.most();
    picture.text((GAP, top + LINE), "name", &format!("memory of {name}"));
    let told = format!("{} vectors, {most} at once in memory of their own", vectors.len());
    picture.text((GAP, top + LINE * 2), "small", &told);
    let first = top + LINE * 2 + GAP;
    let columns = vectors.iter().map(|v| v.memory + 1).max().unwrap_or(0);
    let width = WORDS + columns * COLUMN;
    for (row, moment) in moments.iter().enumerate() {
        let y = first + row * ROW;
        picture.rect((GAP, y), (width, ROW), "step");
        let x = GAP + 6 + moment.depth * GAP;
        picture.text((x, y + 15), "what", &moment.text);
        if !moment.span.is_none() {
            let most = (WORDS - moment.depth * GAP) / CHAR;
            picture.text((x, y + 29), "small", &cut(&source(moment.span), most));
        }
    }
    for vector in vectors {
        // From the middle of the moment that makes it to the middle of the last that uses it.
        let middle = |row: usize| first + row * ROW + ROW / 2;
        let begin = vector.from.map_or(first, middle);
        let end = if vector.to + 1 == moments.len() {
            first + moments.len() * ROW
        } else {
            middle(vector.to)
        };
        let x = GAP + WORDS + vector.memory * COLUMN + 4;
        let class = if vector.from.is_none() { "given" } else { "made" };
        picture.rect((x, begin), (COLUMN - 8, end.saturating_sub(begin).max(LINE)), class);
        let names = vector.names.iter().map(|name| format!("{name} ")).collect::<String>();
        let len = vector.len.as_ref().map_or(String::new(), |len| format!("[{len}]"));
        let text = format!("{names}{}{len}", vector.ty);
        picture.text((x + 4, begin + 12), "label", &cut(&text, (COLUMN - 12) / 6));
    }
    picture.extend((GAP * 2 + width, first + moments.len() * ROW + GAP * 2));
}
