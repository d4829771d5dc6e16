//! Parts of what a recursive function makes for its calls that need no memory of their own.
//!
//! ```text
//! f1(start, len, pool, at, total, out)         the result is out[at .. at + len]
//!   less, greater = filters of pool[start .. start + len]
//!   f2([less, greater], [at, ...], out)        the first call's result begins at `at`, too
//! ```
//!
//! Until the calls write to it, nobody needs what is there: `less` can be put at `out[at ..]`, and
//! takes no other memory.  The first call then reads from where it writes to.  That is right, one
//! lane after the other, if each call
//!
//! * reads its sequence for the last time in one launch, a partition, which goes from its beginning
//!   to its end: the elements that it puts at `out[at ..]`, as they are, never run ahead of what it
//!   has read;
//! * writes nothing to `out` before that;
//! * or else moves each element to the same place of the result, which may be where it is.
//!
//! No other part of the result overlaps the first call's, as parts lie one after the other
//! ([decision 15](../../../docs/decisions/0015-results-in-place.md)).
//!
//! `greater` can be put over the call's own sequence, for the same reasons, if that was made for
//! this call alone: if it is `greater` of the call before.  Such a sequence lies in the memory of
//! lanes, and no other one that a call is given does where
//!
//! * the function is called in lanes at one place only, once for each part;
//! * nothing uses the parts after that.
//!
//! What is left of that memory behind `greater` is enough for what the first call makes.  So all
//! calls together need, besides the result, as much memory as there are elements.

use crate::ir::{
    Arg, Block, Buffer, Cluster, ClusterId, Func, Function, Lanes, Node, NodeOp, ParamKind, Place,
    Program, Ref, Slot, SpaceKind, Step,
};
use crate::join::Join;
use prim::{Component, Const, Role, ScalarOp};
use scalar::{Atom, Op, Stmt, Var};

/// A room that can lie where the result belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Home {
    /// The room, and its name when it is known how much it holds.
    pub room: [Buffer; 2],
    /// The vector for results, and where this call's begins in it.
    pub out: Buffer,
    /// See `out`.
    pub at: Slot,
    /// What fills the room, and reads from the same memory.
    pub partition: ClusterId,
    /// The room of the second part, if that can lie over the call's own sequence.
    pub over: Option<Over>,
}

/// A room that can lie over what it is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The room, and its name when it is known how much it holds.
    pub room: [Buffer; 2],
    /// The sequence: the vector that it is in, and where it begins there.
    pub pool: Buffer,
    /// See `pool`.
    pub start: Slot,
    /// How long the sequence is.
    pub len: Slot,
    /// How much of it both parts hold.
    pub held: [Arg; 2],
}

/// The room of this function, which runs lane by lane, that can lie where the result belongs.
pub fn home(program: &Program, func: Func) -> Option<Home> {
    let &lanes = program.routines.values().find(|lanes| lanes.root == func)?;
    let function = &program.funcs[func];
    let params = Params::of(function)?;
    let look = Look { program, function, lanes, params };
    let steps = &function.body.steps;
    let choice = steps.iter().position(|step| matches!(step, Step::If { .. }))?;
    let Step::If { then, els, .. } = &steps[choice] else { return None };
    let plain = steps[..choice].iter().all(|step| matches!(step, Step::Eval { .. }));
    let ends = steps[choice + 1..].iter().all(|step| matches!(step, Step::Free(_)));
    let homes = [look.partition(then), look.partition(els)];
    let other = match &homes {
        [Some(_), None] => els,
        [None, Some(_)] => then,
        _ => return None,
    };
    let [one, two] = homes;
    one.or(two).filter(|_| plain && ends && look.stays(other))
}

/// The parameters of the root that say which sequence each of these lanes may overwrite, if it is
/// nobody else's: its start, its length, and the vector.
pub fn sequence(program: &Program, lanes: Lanes) -> Option<[usize; 3]> {
    let Over { start, len, pool, .. } = home(program, lanes.root)?.over?;
    let params = &program.funcs[lanes.root].params;
    let each = crate::routines::per_lane(program, lanes);
    let place = |param: Place| params.iter().position(|&other| other == param);
    let (start, len) = (place(Place::Slot(start))?, place(Place::Slot(len))?);
    (each[start] && each[len]).then_some(())?;
    Some([start, len, place(Place::Buffer(pool))?])
}

/// The parameters that matter.
#[derive(Clone, Copy)]
struct Params {
    start: usize,
    len: usize,
    pool: usize,
    at: usize,
    out: usize,
}

impl Params {
    fn of(function: &Function) -> Option<Params> {
        let signature = function.signature.as_ref()?;
        let only = |is: &dyn Fn(&Component) -> bool| {
            let mut found = signature.params.iter().enumerate().filter(|(_, c)| is(c));
            let first = found.next()?.0;
            found.next().is_none().then_some(first)
        };
        let out = only(&|c| c.role == Role::Into)?;
        // Before it comes where the result begins, and how long the vector is.
        let at = out.checked_sub(2)?;
        let own = |n: usize| {
            let c = &signature.params[n];
            c.level == 0 && c.role == Role::Item && matches!(function.params[n], Place::Slot(_))
        };
        (own(at) && own(at + 1)).then_some(())?;
        Some(Params {
            start: only(&|c| c.level == 0 && matches!(c.role, Role::Start(_)))?,
            len: only(&|c| c.level == 0 && matches!(c.role, Role::Len(_)))?,
            pool: only(&|c| c.level == 1)?,
            at,
            out,
        })
    }
}

/// A function that is looked at.
struct Look<'a> {
    program: &'a Program,
    function: &'a Function,
    lanes: Lanes,
    params: Params,
}

impl Look<'_> {
    fn param(&self, n: usize) -> Arg {
        Arg::from(self.function.params[n])
    }
    fn slot(&self, n: usize) -> Option<Slot> {
        self.param(n).slot()
    }

    /// The room, if this arm makes parts by one launch and then calls the function for them.
    fn partition(&self, arm: &Block) -> Option<Home> {
        let steps = &arm.steps;
        let n = steps.iter().position(|step| matches!(step, Step::Launch { .. }))?;
        let before = |step: &Step| matches!(step, Step::Eval { .. } | Step::Room { .. });
        let Step::Launch { cluster, args, .. } = &steps[n] else { return None };
        let partition = &self.program.clusters[*cluster];
        let pool = self.param(self.params.pool).buffer()?;
        let done = |step: &Step| matches!(step, Step::Free(_)) || !step.buffers().contains(&pool);
        if !(steps[..n].iter().all(before)
            && steps[n + 1..].iter().all(done)
            && self.in_order(partition, args))
        {
            return None;
        }
        let mut calls = steps.iter().filter_map(|step| match step {
            Step::Call { func, args, .. } => Some((*func, args)),
            _ => None,
        });
        let (func, given) = calls.next()?;
        if func != self.lanes.lifted || calls.next().is_some() || nests(arm) {
            return None;
        }
        let lane = |lane: i64, n: usize| self.lane(arm, given[1 + n].buffer()?, lane);
        let held = lane(0, self.params.len)?;
        if lane(0, self.params.start)? != Arg::Const(Const::I64(0))
            || lane(0, self.params.at)? != self.param(self.params.at)
        {
            return None;
        }
        let whole = given[1 + self.params.pool].buffer()?;
        let (joined, join) = steps.iter().enumerate().find_map(|(n, step)| match step {
            Step::Launch { cluster, args, .. } => {
                let join = Join::of(&self.program.clusters[*cluster], args);
                Some((n, join.filter(|join| join.whole == [whole])?))
            }
            _ => None,
        })?;
        let filled = |part: Buffer, held: Arg| {
            let room = self.room(steps, part, held)?;
            self.keeps(partition, args, room).then_some([room, part])
        };
        let first = filled(*join.parts.first()?.first()?, held)?;
        let second = || {
            let [_, second] = join.parts.as_slice() else { return None };
            // What says where the second part begins, in the vector or wherever it is.
            let begins = steps.get(joined.checked_sub(2)?)?;
            let (start, other) = (lane(1, self.params.start)?, lane(1, self.params.len)?);
            let second = filled(*second.first()?, other)?;
            let is_second = matches!(begins, Step::Eval { results, .. }
                if results.as_slice() == start.slot().as_slice());
            let twice = given[0] == Arg::Const(Const::I64(2));
            let parts = [first, second].concat();
            (is_second && twice && self.are_only_given(arm, &parts, whole))
                .then_some((second, [held, other]))
        };
        let over = second().filter(|_| self.is_called_once()).and_then(|(room, held)| {
            let (start, len) = (self.slot(self.params.start)?, self.slot(self.params.len)?);
            Some(Over { room, pool, start, len, held })
        });
        let out = self.param(self.params.out).buffer()?;
        let at = self.slot(self.params.at)?;
        let same = self.function.buffers[first[0]].ty == self.function.buffers[out].ty;
        same.then_some(Home { room: first, out, at, partition: *cluster, over })
    }

    /// The room, as long as the sequence, of which a part is what it holds.
    fn room(&self, steps: &[Step], part: Buffer, held: Arg) -> Option<Buffer> {
        let room = steps.iter().find_map(|step| match step {
            Step::Copy { buffer, from, len, .. } if *buffer == part && *len == held => Some(*from),
            _ => None,
        })?;
        let whole = self.param(self.params.len);
        let made = steps.iter().any(|step| {
            matches!(step, Step::Room { buffer, len, .. } if *buffer == room && *len == whole)
        });
        made.then_some(room)
    }

    /// Whether these rooms are all that there are, are made before any other memory is asked for,
    /// and what is in them, joined in `whole`, is used by the call and by nothing after it.
    fn are_only_given(&self, arm: &Block, parts: &[Buffer], whole: Buffer) -> bool {
        let called = arm.steps.iter().position(|step| matches!(step, Step::Call { .. }));
        let Some(called) = called else { return false };
        let is_part = |b: &Buffer| parts.contains(b) || *b == whole;
        let unused = arm.steps[called + 1..]
            .iter()
            .all(|step| matches!(step, Step::Free(_)) || !step.buffers().iter().any(is_part));
        let yields = arm.yields.iter().filter_map(|y| y.buffer()).any(|b| is_part(&b));
        let named = arm
            .steps
            .iter()
            .rposition(|step| matches!(step, Step::Copy { buffer, .. } if parts.contains(buffer)));
        let alone = arm.steps[..named.unwrap_or(0)].iter().all(|step| match step {
            Step::Room { buffer, .. } | Step::Copy { buffer, .. } => parts.contains(buffer),
            Step::Eval { .. } | Step::Launch { .. } | Step::Free(_) => true,
            _ => false,
        });
        unused && !yields && alone
    }

    /// Whether nothing else that runs in lanes calls the function.
    fn is_called_once(&self) -> bool {
        let mut calls = 0;
        for func in crate::routines::serial_functions(self.program) {
            crate::routines::walk(&self.program.funcs[func].body, &mut |step| {
                let called = |func| [self.lanes.lifted, self.lanes.root].contains(func);
                calls += usize::from(matches!(step, Step::Call { func, .. } if called(func)));
            });
        }
        calls == 1
    }

    /// Whether a launch fills a room with elements of the sequence as they are: they may be written
    /// over themselves before they are read for another room.
    fn keeps(&self, cluster: &Cluster, args: &[Arg], room: Buffer) -> bool {
        let Some((_, node, n)) = pushed(cluster, args, room) else { return false };
        let Atom::Var(value) = node.code.body.yields[n] else { return false };
        matches!(made(node, value), Some(Op::Read(from, _))
            if given(cluster, args, *from) == Some(self.param(self.params.pool)))
    }

    /// What a lane finds in a vector that a launch of this arm makes for two or more.
    fn lane(&self, arm: &Block, vector: Buffer, lane: i64) -> Option<Arg> {
        arm.steps.iter().find_map(|step| {
            let Step::Launch { cluster, args, .. } = step else { return None };
            let cluster = &self.program.clusters[*cluster];
            let (kind, node, n) = pushed(cluster, args, vector)?;
            let depth = cluster.chain(node.space).len();
            if node.op != NodeOp::Map || depth != 1 || kind != ParamKind::Out {
                return None;
            }
            match Values::at(node, lane).get(node.code.body.yields[n]) {
                Atom::Const(c) => Some(Arg::Const(c)),
                Atom::Outer(name, _) => given(cluster, args, name),
                Atom::Var(_) => None,
            }
        })
    }

    /// Whether a launch reads the sequence from its beginning to its end, and keeps some of it.
    fn in_order(&self, cluster: &Cluster, args: &[Arg]) -> bool {
        let pool = self.param(self.params.pool);
        let inputs = cluster.params.iter().zip(args).filter(|(p, _)| p.kind == ParamKind::In);
        inputs.map(|(_, &arg)| arg).eq([pool])
            && cluster.nodes.iter().all(|node| {
                let own = match node.op {
                    NodeOp::Filter { .. } if self.is_over_own(cluster, args, node) => None,
                    NodeOp::Map => {
                        let kept = |other: &&Node| {
                            matches!(other.op, NodeOp::Filter { kept } if kept == node.space)
                        };
                        let Some(filter) = cluster.nodes.iter().find(kept) else { return false };
                        Some(filter.results[0])
                    }
                    _ => return false,
                };
                node.code.body.stmts.iter().all(|stmt| match stmt {
                    Stmt::Let(_, Op::Read(from, index)) => {
                        given(cluster, args, *from) != Some(pool)
                            || self.is_own_element(cluster, args, node, (*index, own))
                    }
                    Stmt::Let(..) => true,
                    _ => false,
                })
            })
    }

    /// Whether a node has a lane for each element of the sequence.
    fn is_over_own(&self, cluster: &Cluster, args: &[Arg], node: &Node) -> bool {
        let space = &cluster.spaces[node.space];
        let Atom::Outer(lanes, _) = space.lanes else { return false };
        matches!(space.kind, SpaceKind::Regular(..))
            && cluster.chain(node.space).len() == 1
            && given(cluster, args, lanes) == Some(self.param(self.params.len))
    }

    /// Whether this position in the pool is that of the lane's own element: of the sequence, or of
    /// what a filter with these positions keeps of it.
    fn is_own_element(
        &self,
        cluster: &Cluster,
        args: &[Arg],
        node: &Node,
        (index, positions): (Atom<Ref>, Option<Ref>),
    ) -> bool {
        let lane = Atom::Var(node.code.params[0]);
        let made = |atom: Atom<Ref>| match atom {
            Atom::Var(var) => made(node, var),
            _ => None,
        };
        let Some(Op::Scalar(ScalarOp::Add, terms, _)) = made(index) else { return false };
        let &[start, own] = terms.as_slice() else { return false };
        let begins = |atom| match atom {
            Atom::Outer(name, _) => {
                given(cluster, args, name) == Some(self.param(self.params.start))
            }
            _ => false,
        };
        begins(start)
            && match positions {
                None => own == lane,
                Some(positions) => {
                    matches!(made(own), Some(Op::Read(from, at)) if (*from, *at) == (positions, lane))
                }
            }
    }

    /// Whether an arm leaves the sequence where it is, or moves it to where the result belongs,
    /// element by element.
    fn stays(&self, arm: &Block) -> bool {
        let mut launches = 0;
        arm.steps.iter().all(|step| match step {
            Step::Copy { .. } | Step::Alias(..) | Step::Free(_) | Step::Literal(..) => true,
            Step::Launch { cluster, args, .. } => {
                launches += 1;
                launches == 1 && self.moves(&self.program.clusters[*cluster], args)
            }
            _ => false,
        })
    }

    /// Whether a launch writes element by element to where the result belongs.
    fn moves(&self, cluster: &Cluster, args: &[Arg]) -> bool {
        let [node] = cluster.nodes.as_slice() else { return false };
        let (NodeOp::Scatter { .. }, [Atom::Var(to), Atom::Var(value)]) =
            (&node.op, node.code.body.yields.as_slice())
        else {
            return false;
        };
        let reads = node.code.body.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Let(var, Op::Read(_, index)) => Some((*var, *index)),
            _ => None,
        });
        let lane = Atom::Var(node.code.params[0]);
        let at = self.param(self.params.at);
        let begins = |atom: &Atom<Ref>| match *atom {
            Atom::Outer(name, _) => given(cluster, args, name) == Some(at),
            _ => false,
        };
        let to_place = matches!(made(node, *to), Some(Op::Scalar(ScalarOp::Add, terms, _))
            if matches!(terms.as_slice(), [start, own] if begins(start) && *own == lane));
        let lets = node.code.body.stmts.iter().all(|stmt| matches!(stmt, Stmt::Let(..)));
        let own = reads.collect::<Vec<_>>();
        lets && to_place
            && self.is_over_own(cluster, args, node)
            && matches!(own.as_slice(), [(var, index)] if var == value
                && self.is_own_element(cluster, args, node, (*index, None)))
    }
}

/// Whether there are blocks in a block.
fn nests(block: &Block) -> bool {
    block.steps.iter().any(|step| matches!(step, Step::If { .. }))
}

/// What a launch is given for a parameter.
fn given(cluster: &Cluster, args: &[Arg], name: Ref) -> Option<Arg> {
    let position = cluster.params.iter().position(|param| param.name == name)?;
    args.get(position).copied()
}

/// The node of a launch that makes a vector, and which of its results that is.
fn pushed<'c>(
    cluster: &'c Cluster,
    args: &[Arg],
    vector: Buffer,
) -> Option<(ParamKind, &'c Node, usize)> {
    let position = args.iter().position(|&arg| arg == Arg::Buffer(vector))?;
    let param = cluster.params[position];
    let result = |node: &Node| node.pushes.iter().position(|&push| push == Some(param.name));
    cluster.nodes.iter().find_map(|node| Some((param.kind, node, result(node)?)))
}

/// How a variable of a node is made.
fn made(node: &Node, var: Var) -> Option<&Op<Ref>> {
    node.code.body.stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let(name, op) if *name == var => Some(op),
        _ => None,
    })
}

/// What the variables of a node are in one lane, as far as that is known.
struct Values(Vec<(Var, Atom<Ref>)>);

impl Values {
    /// In a lane of a child of the root.
    fn at(node: &Node, lane: i64) -> Values {
        let number = |&var: &Var| (var, Atom::Const(Const::I64(lane)));
        let mut values = Values(node.code.params.iter().map(number).collect());
        for stmt in &node.code.body.stmts {
            let Stmt::Let(var, Op::Scalar(op, args, _)) = stmt else { continue };
            let args: Vec<Atom<Ref>> = args.iter().map(|&arg| values.get(arg)).collect();
            let consts: Option<Vec<Const>> = args
                .iter()
                .map(|arg| if let Atom::Const(c) = arg { Some(*c) } else { None })
                .collect();
            let value = match (op, args.as_slice()) {
                (ScalarOp::Select, &[Atom::Const(Const::Bool(cond)), a, b]) => {
                    Some(if cond { a } else { b })
                }
                _ => consts.and_then(|consts| prim::eval::fold(*op, &consts)).map(Atom::Const),
            };
            if let Some(value) = value {
                values.0.push((*var, value));
            }
        }
        values
    }

    fn get(&self, atom: Atom<Ref>) -> Atom<Ref> {
        let known = self.0.iter().find(|(var, _)| atom == Atom::Var(*var));
        known.map_or(atom, |&(_, value)| value)
    }
}
