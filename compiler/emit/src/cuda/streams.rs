//! Which elements need not stay in the first cache, so that there is room for others.
//!
//! A tile reads the elements of its lanes once.  Where a kernel also reads elements that it looks
//! up, such as those of a vector that a sparse matrix is multiplied with, some of these are read
//! again, by other lanes: they should not be pushed out by the former.

use kernel::{Arg, ArgKind, Block, Kernel, Operand, Segments, Stmt, Tiles, Way};
use prim::{ScalarOp, Ty};
use scalar::{Atom, Op, Var};
use std::collections::HashSet;

/// The variables that have such an element.
pub(super) fn streamed(kernel: &Kernel, tiles: &Tiles, body: &Block) -> HashSet<Var> {
    let mut sites: Vec<Arg> = body.iter().flat_map(Stmt::reads).collect();
    if let Tiles::Cut { segments: Segments::Offsets(offsets, _), .. }
    | Tiles::Balanced { segments: Segments::Offsets(offsets, _), .. } = tiles
    {
        sites.push(*offsets);
    }
    let once = |arg: Arg| {
        let info = &kernel.args[arg];
        info.kind == ArgKind::In
            && matches!(info.ty, Ty::I64 | Ty::F64)
            && sites.iter().filter(|&&site| site == arg).count() == 1
            && kernel.overwritten().all(|(_, over)| over.input != arg)
    };
    let mut streamed = HashSet::new();
    each_loop(body, &mut |lanes| {
        let mut reads = Reads::default();
        reads.block(lanes, kernel);
        if reads.looks_up {
            let own = reads.own.into_iter().filter(|(_, arg)| once(*arg));
            streamed.extend(own.map(|(var, _)| var));
        }
    });
    streamed
}

/// Calls `visit` with the body of each loop over elements that a thread has.
fn each_loop(block: &Block, visit: &mut dyn FnMut(&Block)) {
    for stmt in block {
        match stmt {
            Stmt::For { way: Way::Unroll, body, .. } => visit(body),
            _ => stmt.blocks().into_iter().for_each(|block| each_loop(block, visit)),
        }
    }
}

/// What a lane reads.
#[derive(Default)]
struct Reads {
    /// Variables that depend on what was read.
    found: HashSet<Var>,
    /// Variables that may be the same in several lanes.
    shared: HashSet<Var>,
    /// Elements that no other lane reads.
    own: Vec<(Var, Arg)>,
    /// Whether there are elements at places that were read.
    looks_up: bool,
}

impl Reads {
    fn block(&mut self, block: &Block, kernel: &Kernel) {
        for stmt in block {
            let uses = |vars: &HashSet<Var>| {
                let used = |atom: &Operand| matches!(atom, Atom::Var(v) if vars.contains(v));
                stmt.operands().iter().any(used)
            };
            let (found, shared) = (uses(&self.found), uses(&self.shared));
            if let Stmt::Scalar(scalar::Stmt::Let(var, Op::Read(arg, _))) = stmt
                && kernel.args[*arg].kind == ArgKind::In
            {
                self.looks_up |= found;
                if !found && !shared {
                    self.own.push((*var, *arg));
                }
            }
            if found || !stmt.reads().is_empty() {
                self.found.extend(stmt.results());
            }
            if shared || !moves(stmt) {
                self.shared.extend(stmt.results());
            }
            stmt.blocks().into_iter().for_each(|block| self.block(block, kernel));
        }
    }
}

/// Whether a statement computes different places from different ones.
fn moves(stmt: &Stmt) -> bool {
    let Stmt::Scalar(scalar::Stmt::Let(_, Op::Scalar(op, ..))) = stmt else { return false };
    // The smaller of two is the place of the last element, if it is not different.
    matches!(op, ScalarOp::Add | ScalarOp::Sub | ScalarOp::Mul | ScalarOp::Min)
}
