//! Descents: recursive functions of lanes to which nothing comes back.
//!
//! A function whose results are made where they belong ([decision 15]) calls itself last, and
//! gives on what that call gives.  So a call is a jump to its beginning, with other lanes, and
//! whoever runs some of the lanes needs nothing of the others: a block of threads can go down
//! alone, without the host, as far as its lanes go.
//!
//! [decision 15]: ../../../docs/decisions/0015-results-in-place.md

use crate::ir::{Arg, Block, Buffer, Func, Function, NodeOp, Place, Program, Routine, Step};
use crate::over::dies;
use crate::routines::{fits, per_lane, walk};
use prim::Role;
use std::collections::HashMap;

/// A function that is a descent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descent {
    /// The function of all lanes.
    pub func: Func,
    /// What it is the lifted function of.
    pub routine: Routine,
    /// For each parameter after the number of lanes, what it holds.
    pub params: Vec<Part>,
}

/// What a parameter of a descent holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// An element for each lane.
    Own,
    /// For each lane, the length of its sequence.
    Length,
    /// Something that all lanes share.
    Shared,
    /// A vector for the results of all lanes.
    Into,
}

/// Where a buffer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// It is what was passed as this parameter.
    Param(usize),
    /// It was made in this call.
    Made,
}

/// All descents of a program, in the order of its routines.
pub fn descents(program: &Program) -> Vec<Descent> {
    let found = program.routines.iter().filter(|(_, lanes)| fits(program, **lanes));
    found
        .filter_map(|(routine, &lanes)| {
            let signature = program.funcs[lanes.root].signature.as_ref()?;
            if signature.results.is_empty()
                || signature.results.iter().any(|part| part.role != Role::Into)
            {
                return None;
            }
            let own = per_lane(program, lanes);
            let part = |(component, own): (&prim::Component, bool)| match component.role {
                Role::Into => Part::Into,
                Role::Len(_) if own => Part::Length,
                _ if own => Part::Own,
                _ => Part::Shared,
            };
            let params = signature.params.iter().zip(own).map(part).collect();
            let descent = Descent { func: lanes.lifted, routine, params };
            Check::new(program, &descent).is_one().then_some(descent)
        })
        .collect()
}

/// Whether a function only goes down.
struct Check<'a> {
    program: &'a Program,
    descent: &'a Descent,
    function: &'a Function,
    origins: HashMap<Buffer, Origin>,
    /// For each parameter, whether each call so far passes it on, or what it has made.
    passed: Vec<Option<Origin>>,
}

impl<'a> Check<'a> {
    fn new(program: &'a Program, descent: &'a Descent) -> Check<'a> {
        let function = &program.funcs[descent.func];
        let origin = |(n, param): (usize, &Place)| Some((param.buffer()?, Origin::Param(n)));
        let origins = function.params.iter().enumerate().filter_map(origin).collect();
        let passed = vec![None; function.params.len()];
        Check { program, descent, function, origins, passed }
    }

    fn is_one(&mut self) -> bool {
        self.last(&self.function.body)
    }

    /// Whether a block ends with the call or without one.
    fn last(&mut self, block: &Block) -> bool {
        for (n, step) in block.steps.iter().enumerate() {
            let after = &block.steps[n + 1..];
            if !calls(step) {
                if !self.plain(step, after) {
                    return false;
                }
                continue;
            }
            let ends = after.iter().all(|step| matches!(step, Step::Free(_)));
            let gives = |results: &[Place]| {
                let results = results.iter().map(|&place| Arg::from(place));
                results.eq(block.yields.iter().copied())
            };
            return ends
                && match step {
                    Step::If { results, then, els, .. } => {
                        gives(results) && self.last(then) && self.last(els)
                    }
                    Step::Call { results, func, args, .. } => {
                        *func == self.descent.func && gives(results) && self.passes(args)
                    }
                    _ => false,
                };
        }
        true
    }

    /// Whether a block of threads can take a step that calls nothing.
    fn plain(&mut self, step: &Step, after: &[Step]) -> bool {
        match step {
            Step::Alloc { buffer, .. } | Step::Room { buffer, .. } => {
                self.origins.insert(*buffer, Origin::Made);
                true
            }
            // What is copied for the last time is the copy.
            Step::Copy { buffer, from, .. } => dies(*from, after) && self.same(*buffer, *from),
            Step::Alias(buffer, from) => self.same(*buffer, *from),
            Step::Launch { cluster, .. } => {
                let mut nodes = self.program.clusters[*cluster].nodes.iter();
                nodes.all(|node| !matches!(node.op, NodeOp::Sort(_)))
            }
            Step::Eval { .. } | Step::Free(_) => true,
            Step::If { results, then, els, .. } => {
                let arms = [then, els];
                results.iter().all(|place| matches!(place, Place::Slot(_)))
                    && arms.iter().all(|arm| {
                        let steps = arm.steps.iter().enumerate();
                        steps.into_iter().all(|(n, s)| self.plain(s, &arm.steps[n + 1..]))
                    })
            }
            Step::Literal(..)
            | Step::Zero { .. }
            | Step::Behind { .. }
            | Step::Grow { .. }
            | Step::Fail { .. }
            | Step::Call { .. } => false,
        }
    }
    fn same(&mut self, buffer: Buffer, from: Buffer) -> bool {
        let origin = self.origins.get(&from).copied();
        origin.map(|origin| self.origins.insert(buffer, origin)).is_some()
    }

    /// Whether what a call is given is still there one call later: what was made in the call before
    /// is, and what has been passed on from the beginning.
    fn passes(&mut self, args: &[Arg]) -> bool {
        args.iter().enumerate().all(|(n, arg)| {
            let origin = match arg {
                Arg::Buffer(buffer) => self.origins.get(buffer).copied(),
                Arg::Slot(_) | Arg::Const(_) => return true,
                Arg::Past(..) => return false,
            };
            let into = n > 0 && self.descent.params[n - 1] == Part::Into;
            let right = match origin {
                Some(Origin::Param(from)) => from == n,
                Some(Origin::Made) => !into,
                None => false,
            };
            let known = self.passed[n];
            self.passed[n] = origin;
            right && (known.is_none() || known == origin)
        })
    }
}

/// Whether a step calls a function, in nested blocks, too.
fn calls(step: &Step) -> bool {
    let mut found = matches!(step, Step::Call { .. });
    if let Step::If { then, els, .. } = step {
        for arm in [then, els] {
            walk(arm, &mut |step| found |= matches!(step, Step::Call { .. }));
        }
    }
    found
}
