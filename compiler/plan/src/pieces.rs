//! Partitions of a lane that can be made in pieces, by several units.
//!
//! ```text
//!   launch c2(start, pool, pivot, len, set less: i64, set greater: i64, b4, b5)
//! ```
//!
//! A room at home has what the partition keeps of its lane's sequence, in its order ([`home`]).  If
//! neither what it keeps nor how that looks depends on where an element is, the partition of the
//! whole is those of its pieces, one after the other: each is the same launch with another start
//! and another length, and the numbers that it sets add up.

use crate::home::{Home, Over, home};
use crate::ir::{Arg, Cluster, Func, Node, NodeOp, ParamKind, Program, Ref, Step};
use crate::routines::{offered, walk};
use scalar::{Atom, Op, Stmt, Var};
use std::collections::BTreeSet;

/// Which arguments of the launch of a partition are which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// Where the sequence begins.
    pub start: usize,
    /// How long it is.
    pub len: usize,
    /// The rooms: the one where the result belongs, and the one over the sequence.
    pub rooms: [usize; 2],
    /// How many elements are kept, for each filter that somebody asks.
    pub counts: Vec<usize>,
    /// Which of these the rooms have.
    pub held: [usize; 2],
}

/// The arguments of the partition that fills both rooms at home of a routine, if units can share
/// it.
pub fn pieces(program: &Program, func: Func) -> Option<Pieces> {
    let &lanes = program.routines.values().find(|lanes| lanes.root == func)?;
    offered(program, lanes)?;
    let home = home(program, func)?;
    let over = home.over?;
    let mut launched = None;
    walk(&program.funcs[func].body, &mut |step| match step {
        Step::Launch { cluster, args, .. } if *cluster == home.partition => {
            launched = Some(args.clone());
        }
        _ => {}
    });
    let args = launched?;
    let cluster = &program.clusters[home.partition];
    let look = Look { cluster, args: &args, over };
    look.pieces(&home)
}

/// A partition that is looked at.
struct Look<'a> {
    cluster: &'a Cluster,
    args: &'a [Arg],
    over: Over,
}

impl Look<'_> {
    fn pieces(&self, home: &Home) -> Option<Pieces> {
        let rooms = [home.room[0], self.over.room[0]].map(Arg::Buffer);
        let params = || self.cluster.params.iter().zip(self.args).enumerate();
        let only_rooms =
            params().all(|(_, (param, arg))| param.kind != ParamKind::Out || rooms.contains(arg));
        let counts: Vec<usize> = params()
            .filter(|(_, (param, _))| param.kind == ParamKind::Set)
            .map(|(n, _)| n)
            .collect();
        let alike = self.cluster.nodes.iter().all(|node| self.is_the_same_everywhere(node));
        if !only_rooms || !alike || !counts.iter().all(|&n| self.counts(n)) {
            return None;
        }
        let place = |arg: Arg| self.args.iter().position(|&other| other == arg);
        let held = |arg: Arg| counts.iter().position(|&n| self.args[n] == arg);
        let [first, second] = self.over.held;
        Some(Pieces {
            start: place(Arg::Slot(self.over.start))?,
            len: place(Arg::Slot(self.over.len))?,
            rooms: [place(rooms[0])?, place(rooms[1])?],
            held: [held(first)?, held(second)?],
            counts,
        })
    }

    /// Whether a scalar is set to how many elements a filter keeps.
    fn counts(&self, param: usize) -> bool {
        let name = self.cluster.params[param].name;
        self.cluster.nodes.iter().any(|node| {
            matches!(node.op, NodeOp::Filter { .. })
                && node.pushes.iter().skip(1).any(|push| *push == Some(name))
        })
    }

    /// Whether what a node gives depends only on the element of the sequence that it looks at, and
    /// on what is the same in all lanes.
    fn is_the_same_everywhere(&self, node: &Node) -> bool {
        let mut places: BTreeSet<Var> = node.code.params.iter().copied().collect();
        let of_place = |places: &BTreeSet<Var>, atom: Atom<Ref>| match atom {
            Atom::Var(var) => places.contains(&var),
            Atom::Outer(name, _) => self.differs(name),
            Atom::Const(_) => false,
        };
        for stmt in &node.code.body.stmts {
            let Stmt::Let(var, op) = stmt else { return false };
            let differs = match op {
                // Each lane reads its own element (`home`).
                Op::Read(from, _) if self.given(*from) == Some(Arg::Buffer(self.over.pool)) => {
                    false
                }
                Op::Read(_, index) => of_place(&places, *index),
                Op::Scalar(_, args, _) => args.iter().any(|&arg| of_place(&places, arg)),
            };
            if differs {
                places.insert(*var);
            }
        }
        !node.code.body.yields.iter().any(|&value| of_place(&places, value))
    }
    /// Whether a scalar is another one for a piece.
    fn differs(&self, name: Ref) -> bool {
        let own = [self.over.start, self.over.len].map(Arg::Slot);
        self.given(name).is_some_and(|arg| own.contains(&arg))
    }
    /// What the launch is given for a parameter.
    fn given(&self, name: Ref) -> Option<Arg> {
        let position = self.cluster.params.iter().position(|param| param.name == name)?;
        self.args.get(position).copied()
    }
}
