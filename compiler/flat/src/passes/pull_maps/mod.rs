//! Pulls maps into their consumers.
//!
//! A vector that is cheap to compute from its position — index arithmetic, a read or two — need not
//! exist: whoever reads element `i` computes it.  One that is read at a single place may cost more,
//! because hardly anything is computed twice.
//!
//! ```text
//! v1 = map [s1] \x0 x1 { x2 = add x0 7; yield x2 }
//! v2 = map [s2] \x0 x1 { x2 = read v0 x0; x3 = read v1 x2; yield x3 }
//!   becomes
//! v2 = map [s2] \x0 x1 { x2 = read v0 x0; x4 = add x2 7; yield x4 }
//! ```
//!
//! What many lanes read at one position would be computed by each of them: that must be light.
//!
//! Elements of sequences that were put together, and lengths of their segments, are computed from
//! the row and the index, too ([`segments`]).

mod segments;

use super::hoist_invariants::is_dear;
use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Space, SpaceKind, Stmt, Value};
use prim::{Const, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder};
use std::collections::BTreeSet;

/// Operations that a map may have and still be computed again by every reader.
const CHEAP_OPS: usize = 4;
/// Vectors that it may read.
const CHEAP_READS: usize = 2;

/// Operations that it may have if many lanes compute the same element.
const LIGHT_OPS: usize = 2;

/// Operations that a map with a single reader may have.
const SINGLE_OPS: usize = 24;
/// Vectors that it may read.
const SINGLE_READS: usize = 8;

/// A map whose result can be computed by its readers.
struct Pullable {
    space: Space,
    depth: usize,
    code: Code,
    /// Whether it needs no position but its own.
    own_position_only: bool,
    /// Whether it reads where another read says.
    chained: bool,
    /// Whether it takes hardly longer than to read it.
    light: bool,
}

/// Most levels of sequences in each other that are seen through.
const ROUNDS: usize = 3;

/// Replaces reads of cheap maps by their code.
pub fn pull_maps(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut known = FxHashMap::default();
    let readers = Readers::of(function, &body);
    in_block(function, &mut body, &readers, &mut known);
    function.body = body;
}

/// How often each value is read, and which values are used otherwise.
#[derive(Default)]
pub(super) struct Readers {
    reads: FxHashMap<Value, usize>,
    other: BTreeSet<Value>,
    /// What maps over a space give; what other statements over it do, besides.
    over: FxHashMap<Space, Vec<Option<Value>>>,
    /// Spaces by the offsets of their segments.
    segments: FxHashMap<Value, Vec<Space>>,
}

impl Readers {
    pub(super) fn of(function: &Function, body: &Block) -> Readers {
        let mut readers = Readers::default();
        for (space, info) in function.spaces.iter() {
            if let SpaceKind::Packed(_, offsets) = info.kind {
                readers.segments.entry(offsets).or_default().push(space);
            }
        }
        readers.block(body);
        readers
    }
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let Op::If(_, then, els) = &stmt.op {
                self.block(then);
                self.block(els);
            }
            self.stmt(stmt);
        }
        self.other.extend(
            block.uses().iter().filter(|v| block.yields.contains(&crate::Operand::Value(**v))),
        );
    }

    fn stmt(&mut self, Stmt { op, results, .. }: &Stmt) {
        if let Some(space) = op.space() {
            let map = matches!(op, Op::Map { .. });
            let given = results.iter().map(|&r| map.then_some(r));
            self.over.entry(space).or_default().extend(given);
        }
        let Some(code) = op.code() else {
            if !matches!(op, Op::If(..)) {
                self.other.extend(op.uses());
            }
            return;
        };
        if matches!(op, Op::Sort { .. } | Op::Fail { .. } | Op::Scatter { .. }) {
            self.other.extend(op.uses());
        }
        code.body.walk(&mut |item| match item {
            scalar::Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, _))) => {
                *self.reads.entry(*vector).or_default() += 1;
            }
            scalar::Item::Stmt(scalar::Stmt::Call(call)) => self.other.extend(&call.vectors),
            scalar::Item::Stmt(_) | scalar::Item::Yields(_) => {}
        });
    }

    /// Whether offsets are read for the start and the end of a segment at one place.
    fn has_few_reads(&self, value: Value) -> bool {
        self.reads.get(&value).is_none_or(|&reads| reads <= 2) && !self.other.contains(&value)
    }
    /// Whether nobody needs segments that offsets describe once maps over these are pulled.
    fn are_pulled(&self, offsets: Value, known: &FxHashMap<Value, Pullable>) -> bool {
        let pulled = |value: &Option<Value>| {
            value.is_some_and(|value| known.contains_key(&value) && self.is_single(value))
        };
        let segments = self.segments.get(&offsets).into_iter().flatten();
        segments.flat_map(|space| self.over.get(space).into_iter().flatten()).all(pulled)
    }
    /// Whether a value is read at one place, and not used otherwise.
    pub(super) fn is_single(&self, value: Value) -> bool {
        self.reads.get(&value) == Some(&1) && !self.other.contains(&value)
    }
}

fn in_block(
    function: &Function,
    block: &mut Block,
    readers: &Readers,
    known: &mut FxHashMap<Value, Pullable>,
) {
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then, readers, known);
            in_block(function, els, readers, known);
            continue;
        }
        if matches!(stmt.op, Op::Sort { .. }) {
            continue; // Keys are wanted in memory.
        }
        let space = stmt.op.space();
        if let (Some(space), Some(code)) = (space, stmt.op.code_mut()) {
            *code = pull_into(function, space, code, known);
            for _ in 0..ROUNDS {
                let Some(pulled) = segments::pull(function, readers, code, known) else { break };
                *code = pull_into(function, space, &pulled, known);
            }
        }
        if let Op::Offsets { space, code } = &stmt.op {
            // What offsets are made of is for those who ask for the length of a segment.
            let few = readers.has_few_reads(stmt.results[0]);
            if let Some(lengths) = pullable(function, *space, code, few) {
                known.insert(stmt.results[0], lengths);
            }
        }
        if let Op::Map { space, code } = &stmt.op
            && *space != Function::root()
        {
            for (n, &result) in stmt.results.iter().enumerate() {
                let code = code.keep_yields(&[n]);
                let single = readers.is_single(result);
                if let Some(pullable) = pullable(function, *space, &code, single) {
                    known.insert(result, pullable);
                }
            }
        }
    }
}

fn pullable(function: &Function, space: Space, code: &Code, single: bool) -> Option<Pullable> {
    if code.has_effect() || reads_kept_lanes(function, space, code) {
        return None;
    }
    let depth = function.chain(space).len();
    let uses = Uses::of(code, depth);
    let (ops, reads) = if single { (SINGLE_OPS, SINGLE_READS) } else { (CHEAP_OPS, CHEAP_READS) };
    if uses.ops > ops || uses.reads > reads || uses.heavy || (uses.branches && !single) {
        return None;
    }
    let light = uses.ops <= LIGHT_OPS && uses.reads <= 1 && !uses.branches && !uses.dear;
    Some(Pullable {
        space,
        depth,
        code: code.clone(),
        own_position_only: !uses.ancestors,
        chained: uses.chained,
        light,
    })
}

/// Whether a map is pulled into its only reader.
pub(super) fn is_pulled_once(function: &Function, space: Space, code: &Code) -> bool {
    pullable(function, space, code, true).is_some()
}

/// Whether code takes elements of the lanes that a filter kept: it runs best inside the filter.
fn reads_kept_lanes(function: &Function, space: Space, code: &Code) -> bool {
    function.spaces[space].from.is_some_and(|(_, kept)| code.refs().vectors.contains(&kept))
}

/// What code needs, per lane of its space.  What depends only on ancestors is done once for a whole
/// segment and counts as nothing.
#[derive(Default)]
struct Uses {
    ops: usize,
    reads: usize,
    /// Whether it uses positions of ancestors, or its index in the segment.
    ancestors: bool,
    /// Whether it branches.
    branches: bool,
    /// Whether it loops, checks, calls, or computes an elementary function.
    heavy: bool,
    /// Whether it divides, takes a root, or mixes bits.
    dear: bool,
    /// Whether it reads where another read says.
    chained: bool,
}

impl Uses {
    fn of(code: &Code, depth: usize) -> Uses {
        let mut uses = Uses::default();
        let own = [code.params[depth - 1], code.params[depth]];
        let mut moving: BTreeSet<scalar::Var> = own.into_iter().collect();
        uses.block(code, depth, &code.body, &mut moving);
        uses.chained = has_chained_reads(&code.body, &mut BTreeSet::new());
        uses
    }

    fn block(
        &mut self,
        code: &Code,
        depth: usize,
        block: &scalar::Block<Value>,
        moving: &mut BTreeSet<scalar::Var>,
    ) {
        for stmt in &block.stmts {
            let atoms = stmt.atoms();
            self.note_ancestors(code, depth, &atoms);
            let moves = atoms.iter().any(|a| matches!(a, Atom::Var(v) if moving.contains(v)));
            match stmt {
                scalar::Stmt::Let(_, scalar::Op::Scalar(op, ..)) if op.is_heavy() => {
                    self.heavy = true;
                }
                scalar::Stmt::Let(..) if !moves => continue,
                scalar::Stmt::Let(_, scalar::Op::Scalar(op, ..)) => {
                    self.ops += 1;
                    self.dear |= is_dear(*op) || matches!(op, ScalarOp::Mix | ScalarOp::MulHigh);
                }
                scalar::Stmt::Let(_, scalar::Op::Read(..)) => self.reads += 1,
                scalar::Stmt::If { then, els, .. } => {
                    self.branches = true;
                    self.block(code, depth, then, moving);
                    self.block(code, depth, els, moving);
                }
                scalar::Stmt::Loop { .. }
                | scalar::Stmt::Require { .. }
                | scalar::Stmt::Call(_) => self.heavy = true,
            }
            moving.extend(stmt.results());
        }
        self.note_ancestors(code, depth, &block.yields);
    }

    fn note_ancestors(&mut self, code: &Code, depth: usize, atoms: &[Atom<Value>]) {
        let own = code.params[depth - 1];
        let index = code.params[depth];
        self.ancestors |= atoms.iter().any(|a| match a {
            Atom::Var(v) => code.params.contains(v) && *v != own && !(depth == 1 && *v == index),
            Atom::Const(_) | Atom::Outer(..) => false,
        });
    }
}

/// Whether a block reads where another read says; `read` are the variables that follow from reads.
fn has_chained_reads(block: &scalar::Block<Value>, read: &mut BTreeSet<scalar::Var>) -> bool {
    let mut chained = false;
    for stmt in &block.stmts {
        let is_read = matches!(stmt, scalar::Stmt::Let(_, scalar::Op::Read(..)));
        let follows = follow(&stmt.atoms(), read);
        chained |= is_read && follows;
        let mut known = is_read || follows;
        for inner in stmt.blocks() {
            chained |= has_chained_reads(inner, read);
            known |= follow(&inner.yields, read);
        }
        if known {
            read.extend(stmt.results());
        }
    }
    chained
}

fn follow(atoms: &[Atom<Value>], read: &BTreeSet<scalar::Var>) -> bool {
    atoms.iter().any(|a| matches!(a, Atom::Var(v) if read.contains(v)))
}

fn pull_into(
    function: &Function,
    space: Space,
    code: &Code,
    known: &FxHashMap<Value, Pullable>,
) -> Code {
    let map = |v: &Value| known.contains_key(v) && is_map(function, *v);
    let reads_known = code.refs().vectors.iter().any(map);
    if !reads_known {
        return code.clone();
    }
    let chain = function.chain(space);
    let shared = read_by_many(code, chain.len());
    code.replace_reads(|builder: &mut Builder<Value>, vector, index| {
        let pullable = known.get(&vector).filter(|_| is_map(function, vector))?;
        if !pullable.light && shared.contains(&vector) {
            return None;
        }
        let args = arguments(&chain, code, pullable, index)?;
        Some(builder.inline(&pullable.code, &args)[0])
    })
}

/// The vectors that code reads at positions which are the same for lanes of several segments.
fn read_by_many(code: &Code, depth: usize) -> BTreeSet<Value> {
    let mut shared = BTreeSet::new();
    if depth < 2 {
        return shared;
    }
    // The index in the segment is the only thing that such lanes have in common.
    let mut moving: BTreeSet<scalar::Var> = code.params[..depth].iter().copied().collect();
    code.body.walk(&mut |item| {
        let scalar::Item::Stmt(stmt) = item else { return };
        let moves = |atom: &Atom<Value>| matches!(atom, Atom::Var(var) if moving.contains(var));
        if let scalar::Stmt::Let(var, op) = stmt {
            if stmt.atoms().iter().any(moves) {
                moving.insert(*var);
            } else if let scalar::Op::Read(vector, _) = op {
                shared.insert(*vector);
            }
        } else {
            // It may be, and then what it gives is computed where it is read.
            moving.extend(stmt.results());
        }
    });
    shared
}

/// Whether a value has an element for each lane, not offsets.
fn is_map(function: &Function, value: Value) -> bool {
    matches!(function.values[value].domain, Domain::Lanes(_))
}

/// The positions at which a pulled map is computed; `None` if the reader does not know them.
fn arguments(
    chain: &[Space],
    code: &Code,
    pullable: &Pullable,
    index: Atom<Value>,
) -> Option<Vec<Atom<Value>>> {
    let depth = pullable.depth;
    let at_own =
        chain.get(depth - 1) == Some(&pullable.space) && index == Atom::Var(code.params[depth - 1]);
    if at_own {
        let mut args: Vec<_> = code.params[..depth].iter().map(|&p| Atom::Var(p)).collect();
        let own_index = match depth {
            1 => index,
            _ if chain.len() == depth => Atom::Var(code.params[depth]),
            _ if pullable.own_position_only => Atom::Const(Const::I64(0)),
            _ => return None,
        };
        args.push(own_index);
        return Some(args);
    }
    // Where a check fails, the position is 0, and there may be nothing there: what is read then
    // must not say where to read.
    if !pullable.own_position_only || (pullable.chained && code.has_effect()) {
        return None;
    }
    Some(segments::own_position(depth, index))
}
