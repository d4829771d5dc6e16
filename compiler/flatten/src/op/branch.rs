//! `if`, and failing on purpose.
//!
//! * An `if` whose arms are scalar stays in the code of the lane.
//! * At the root one arm runs ([`crate::op::meet`]).
//! * In lanes, each arm runs once for the lanes that take it, if there are any; results are taken
//!   from the arms by position.  Pools from before the `if` are the same after it: where both arms
//!   look into one, the result does, too; where they look into several, it says into which.

use crate::analysis::block_operands;
use crate::block::{Env, get};
use crate::context::{Context, Item};
use crate::fit::{Known, Stands};
use crate::held::{Held, Source};
use crate::rep::{Pool, Rep, Scalar, Segments};
use crate::scalars::{Scope, Translator, scalar_types};
use flat::{Domain, Function, Op, Operand, Space, Value, ValueInfo};
use nest::{Block, Stmt, Type};
use prim::{Const, Monoid, ScalarOp, Ty};
use scalar::Atom;

pub(crate) type Arms<'a> = (&'a Block, &'a Block);

/// What leaves an arm: its yields, and the values that they become after it.
#[derive(Default)]
struct Leaving {
    yields: Vec<Operand>,
    results: Vec<Value>,
}

impl<'a> Context<'_, 'a> {
    pub(crate) fn branch(
        &mut self,
        stmt: &'a Stmt,
        cond: nest::Value,
        arms: Arms<'a>,
        env: &mut Env,
    ) -> Rep {
        let cond = get(env, cond).scalar();
        if let Scalar::Const(known) = cond {
            return self.nest_block(if known.bool() { arms.0 } else { arms.1 }, env);
        }
        if self.is_scalar_choice(stmt, arms) {
            self.scalar_if(&self.source.values[stmt.value].ty, cond, arms, env)
        } else if self.at_root() {
            self.root_if(cond, arms, env)
        } else {
            self.lanes_if(cond, arms, env)
        }
    }

    /// Whether an `if` stays in the code of the lane.
    pub(super) fn is_scalar_choice(&self, stmt: &Stmt, arms: Arms<'_>) -> bool {
        let scalar = |arm| self.flattener.analysis.is_scalar(self.source, arm);
        let flat = self.source.values[stmt.value].ty.is_flat();
        flat && scalar(arms.0) && scalar(arms.1)
    }

    fn scalar_if(&mut self, ty: &'a Type, cond: Scalar, arms: Arms<'a>, env: &Env) -> Rep {
        let span = self.span;
        let scope = self.scope(&[arms.0, arms.1], env);
        let region = self.region(self.space, span);
        let scope = self.held_scope(region, scope);
        let cond = self.reach_in(region, cond);
        let source = self.source;
        let atoms = self.with_lane(region, |cx, lane| {
            let mut arm = |block: &'a Block| {
                lane.builder.begin();
                let mut inner =
                    Translator::new(cx.flattener, source, &mut lane.builder, scope.clone());
                let mut yields = Vec::new();
                inner.block(block).atoms(&mut yields);
                lane.builder.end(yields)
            };
            let then = arm(arms.0);
            let els = arm(arms.1);
            let mut tys = Vec::new();
            scalar_types(ty, &mut tys);
            let results: Vec<_> = tys.iter().map(|&t| lane.builder.fresh(t)).collect();
            let atoms: Vec<Atom<Value>> = results.iter().map(|&v| Atom::Var(v)).collect();
            lane.builder.push(scalar::Stmt::If { results, cond, then, els });
            atoms
        });
        let mut scalars = atoms.into_iter().map(|a| self.scalar_of(region, a));
        super::call::rep_of(ty, &mut scalars)
    }

    /// The values of the environment that blocks use, sequences as views; made before the region
    /// that will use them is opened.
    fn scope(&mut self, blocks: &[&Block], env: &Env) -> Vec<(nest::Value, Rep)> {
        let mut used = Vec::new();
        for block in blocks {
            used.extend(block_operands(block));
        }
        used.sort();
        used.dedup();
        // What the blocks pass on to a function must look as its arguments do.
        let analysis = &self.flattener.analysis;
        let passes_on = blocks.iter().any(|block| analysis.has_calls(block));
        let mut scope = Vec::new();
        for value in used {
            if let Some(rep) = env.get(&value).cloned() {
                let rep = if passes_on { self.with_starts(&rep) } else { self.fixed(&rep) };
                scope.push((value, rep));
            }
        }
        scope
    }

    fn held_scope(
        &mut self,
        region: crate::region::RegionId,
        scope: Vec<(nest::Value, Rep)>,
    ) -> Scope<Value> {
        scope.into_iter().map(|(v, rep)| (v, self.held(region, &rep))).collect()
    }

    /// A rep as scalar code of a region holds it.
    pub(crate) fn held(&mut self, region: crate::region::RegionId, rep: &Rep) -> Held<Value> {
        match rep {
            Rep::Scalar(s) => Held::Atom(self.reach_in(region, *s)),
            Rep::Tuple(parts) => Held::Tuple(parts.iter().map(|p| self.held(region, p)).collect()),
            Rep::View { start, len, pool } => {
                let start = self.reach_in(region, *start);
                let len = self.reach_in(region, *len);
                let pool = match pool {
                    Pool::Chosen(choice, pools) => {
                        let number = self.reach_in(region, *choice);
                        let pools = pools.iter().map(|pool| self.source(region, pool)).collect();
                        Source::Chosen(number, pools)
                    }
                    pool => self.source(region, pool),
                };
                Held::View { start, len, pool }
            }
            Rep::Lanes { .. } => unreachable!("sequences are views here"),
        }
    }

    fn source(&mut self, region: crate::region::RegionId, pool: &Pool) -> Source<Value> {
        self.with_lane(region, |_, lane| Source::of(pool, &mut lane.builder))
    }

    fn lanes_if(&mut self, cond: Scalar, arms: Arms<'a>, env: &mut Env) -> Rep {
        let here = self.space;
        let not = self.compute(ScalarOp::Not, &[cond]);
        let (yes, _) = self.filter(here, cond);
        let (no, _) = self.filter(here, not);
        let (taken, held) = self.lanes_arm(yes, arms.0, env);
        let (other, _) = self.lanes_arm(no, arms.1, env);
        let taken = self.differing(&taken, held, &[&other]);
        let flag = self.compute(ScalarOp::Btoi, &[cond]);
        let rank = self.scan_over(Monoid::Add, here, flag);
        let first = self.first_lane(yes);
        let in_yes = self.add(first, rank);
        let left = self.compute(ScalarOp::Sub, &[Scalar::Index(here), rank]);
        let first = self.first_lane(no);
        let in_no = self.add(first, left);
        let at = self.compute(ScalarOp::Select, &[cond, in_yes, in_no]);
        let choice = self.compute(ScalarOp::Btoi, &[not]);
        self.pools_at(Some(choice), at, &[taken, other])
    }

    /// The position of the first lane of a filtered space in the segment that the current lane
    /// belongs to; the space has the current space's parent.
    fn first_lane(&mut self, space: Space) -> Scalar {
        self.segment(space).0
    }

    /// An arm for the lanes that take it: its values as a pool over these lanes, twice; see `hold`.
    fn lanes_arm(&mut self, lanes: Space, block: &'a Block, env: &Env) -> (Pool, Pool) {
        let count = self.count(lanes);
        let some = self.within(Function::root(), |cx| {
            let some = cx.compute(ScalarOp::Gt, &[count, Scalar::int(0)]);
            cx.uniform(some).unwrap_or(Operand::Const(Const::Bool(true)))
        });
        self.begin();
        let rep = self.within(lanes, |cx| cx.nest_block(block, &mut env.clone()));
        let pool = self.make_pool(&rep, lanes);
        let mut leaving = Leaving::default();
        let pool = self.leave(&pool, Domain::Lanes(lanes), &mut leaving);
        let results = leaving.results.clone();
        self.guard(leaving, some);
        let held = self.hold(&pool, &results, some);
        (pool, held)
    }

    /// The values of an arm with other names for the pools behind its sequences: empty ones if no
    /// lane has taken the arm.  Where all lanes take the other arm, which may call, the pools need
    /// not be kept meanwhile.
    fn hold(&mut self, pool: &Pool, arm: &[Value], some: Operand) -> Pool {
        let mut holding = Leaving::default();
        let held = self.hold_below(pool, arm, &mut holding);
        if !holding.results.is_empty() {
            self.begin();
            self.guard(holding, some);
        }
        held
    }

    /// Ends a block that runs only if there are lanes; else there are empty vectors instead.
    fn guard(&mut self, leaving: Leaving, some: Operand) {
        let Leaving { yields, results } = leaving;
        let then = self.end(yields);
        self.begin();
        let yields = results.iter().map(|&v| self.nothing(v)).collect();
        let els = self.end(yields);
        let span = self.span;
        self.push_item(Item::If { results, cond: some, then, els, span });
    }

    /// The values of an arm: by their names where another arm has the same, else as they are held.
    fn differing(&mut self, pool: &Pool, held: Pool, others: &[&Pool]) -> Pool {
        if others.contains(&pool) {
            return pool.clone();
        }
        match (pool, held) {
            (Pool::Tuple(parts), Pool::Tuple(held)) => {
                let parts = parts.iter().zip(held).enumerate();
                let parts = parts.map(|(n, (part, held))| {
                    let others: Vec<&Pool> = others.iter().map(|other| other.part(n)).collect();
                    self.differing(part, held, &others)
                });
                Pool::Tuple(parts.collect())
            }
            (Pool::Seq(_, inner), Pool::Seq(segments, held)) => {
                let others: Vec<&Pool> = others.iter().flat_map(|other| behind(other)).collect();
                let name = self.differing(inner, *held, &others);
                // Parts of it may have this name and parts of it that.
                if name != **inner && self.known_as(&name).is_none() {
                    let is = Stands::For((**inner).clone());
                    self.known.push(Known { name: name.clone(), is });
                }
                Pool::Seq(segments, Box::new(name))
            }
            (_, held) => held,
        }
    }

    fn hold_below(&mut self, pool: &Pool, arm: &[Value], holding: &mut Leaving) -> Pool {
        match pool {
            Pool::Scalar(..) => pool.clone(),
            Pool::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.hold_below(p, arm, holding)).collect())
            }
            Pool::Seq(segments, inner) if is_from_before(inner, arm) => {
                Pool::Seq(*segments, Box::new(self.rename(inner, holding)))
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => pool.clone(),
        }
    }

    /// A pool with another name for each of its values.
    fn rename(&mut self, pool: &Pool, holding: &mut Leaving) -> Pool {
        let mut name = |cx: &mut Self, value: Value| {
            let ty = cx.values[value].ty;
            let result = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            cx.note_same(value, result);
            holding.yields.push(Operand::Value(value));
            holding.results.push(result);
            result
        };
        let renamed = match pool {
            Pool::Scalar(value, ty) => Pool::Scalar(name(self, *value), *ty),
            Pool::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.rename(p, holding)).collect())
            }
            Pool::Seq(Segments::View(starts, lens), inner) => {
                let segments = Segments::View(name(self, *starts), name(self, *lens));
                Pool::Seq(segments, Box::new(self.rename(inner, holding)))
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => {
                unreachable!("only views are held")
            }
        };
        self.known.push(Known { name: renamed.clone(), is: Stands::For(pool.clone()) });
        renamed
    }

    /// What is made in the arm that is open as those after it find it, over `domain`.
    fn leave(&mut self, pool: &Pool, domain: Domain, leaving: &mut Leaving) -> Pool {
        if domain == Domain::Pool {
            if !self.makes(pool) {
                return pool.clone();
            }
            let first = self.first_name(pool);
            if !self.makes(&first) {
                return first;
            }
        }
        self.leave_over(pool, domain, leaving)
    }

    fn leave_over(&mut self, pool: &Pool, domain: Domain, leaving: &mut Leaving) -> Pool {
        let mut pass = |cx: &mut Self, value: Value| {
            let ty = cx.values[value].ty;
            let result = cx.values.push(ValueInfo { ty, domain });
            cx.note_same(value, result);
            leaving.yields.push(Operand::Value(value));
            leaving.results.push(result);
            result
        };
        match pool {
            Pool::Scalar(value, ty) => Pool::Scalar(pass(self, *value), *ty),
            Pool::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.leave(p, domain, leaving)).collect())
            }
            Pool::Seq(segments, inner) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                let (starts, lens) = (pass(self, starts), pass(self, lens));
                let inner = match &**inner {
                    Pool::Among(choices, pools) => {
                        let choices = pass(self, *choices);
                        let leave = |pool| self.leave(pool, Domain::Pool, leaving);
                        Pool::Among(choices, pools.iter().map(leave).collect())
                    }
                    inner => self.leave(inner, Domain::Pool, leaving),
                };
                Pool::Seq(Segments::View(starts, lens), Box::new(inner))
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is part of a view"),
        }
    }

    /// Whether any part of a pool is made in the block that is open.
    fn makes(&self, pool: &Pool) -> bool {
        match pool {
            Pool::Scalar(value, _) => self.is_made_here(*value),
            Pool::Tuple(parts) => parts.iter().any(|p| self.makes(p)),
            Pool::Seq(segments, inner) => {
                let own = match segments {
                    Segments::View(starts, lens) => [starts, lens].map(|v| self.is_made_here(*v)),
                    Segments::Packed(offsets) => [self.is_made_here(*offsets), false],
                    Segments::Regular(Operand::Value(len)) => [self.is_made_here(*len), false],
                    Segments::Regular(Operand::Const(_)) => [false; 2],
                };
                own.contains(&true) || self.makes(inner)
            }
            Pool::Among(choices, pools) => {
                self.is_made_here(*choices) || pools.iter().any(|p| self.makes(p))
            }
            Pool::Chosen(..) => unreachable!("{pool:?} is part of a view"),
        }
    }

    /// New values for elements over the lanes of a space.
    pub(crate) fn declare_arm(&mut self, ty: &Type, lanes: Space, out: &mut Vec<Value>) -> Pool {
        match ty {
            Type::Scalar(t) => {
                let value = self.value_over(lanes, *t);
                out.push(value);
                Pool::Scalar(value, *t)
            }
            Type::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|p| self.declare_arm(p, lanes, out)).collect())
            }
            Type::Seq(element) => {
                let (starts, lens) =
                    (self.value_over(lanes, Ty::I64), self.value_over(lanes, Ty::I64));
                out.extend([starts, lens]);
                let inner = self.declare_pool(element, None, out);
                Pool::Seq(Segments::View(starts, lens), Box::new(inner))
            }
        }
    }

    /// An empty vector in place of a result that no lane needs.
    pub(crate) fn nothing(&mut self, like: Value) -> Operand {
        let ty = self.values[like].ty;
        let value = self.values.push(ValueInfo { ty, domain: Domain::Pool });
        self.push(vec![value], Op::Literal(Vec::new(), ty));
        Operand::Value(value)
    }

    /// Number of lanes of a space, as a scalar of the root.
    pub(crate) fn count(&mut self, space: Space) -> Scalar {
        let chain = self.chain(space);
        self.within(Function::root(), |cx| {
            let mut count = Scalar::int(1);
            for step in chain {
                count = cx.lanes_under(step, count);
            }
            count
        })
    }

    /// Number of lanes of so many segments of one length.
    fn counted(&mut self, count: Scalar, length: Scalar) -> Scalar {
        let (span, widths) = (self.span, self.flattener.nest.widths);
        let region = self.region(self.space, span);
        let factors = [count, length].map(|factor| self.reach_in(region, factor));
        let atom = self.with_lane(region, |_, lane| lane.builder.lanes(widths, factors, span));
        self.scalar_of(region, atom)
    }

    /// Number of lanes of a space whose parent has `count` lanes.
    fn lanes_under(&mut self, space: Space, count: Scalar) -> Scalar {
        match self.spaces[space].kind {
            flat::SpaceKind::Root => count,
            flat::SpaceKind::Regular(_, Operand::Const(c)) => self.counted(count, Scalar::Const(c)),
            flat::SpaceKind::Regular(_, Operand::Value(v)) => {
                self.counted(count, Scalar::Value(v, Function::root()))
            }
            flat::SpaceKind::Packed(_, offsets) => {
                let region = self.region(self.space, self.span);
                let at = self.reach_in(region, count);
                let atom =
                    self.with_lane(region, |_, lane| lane.builder.read(Ty::I64, offsets, at));
                self.scalar_of(region, atom)
            }
        }
    }

    /// Fails with a message in the first lane of the current space.
    pub(crate) fn fail(&mut self, message: &Rep) -> Rep {
        let (start, len, pool) = self.as_view(message);
        let Pool::Scalar(pool, _) = pool else { unreachable!("a message is a string") };
        let code = self.code(self.space, &[start, len]);
        self.flush_all();
        self.push(Vec::new(), Op::Fail { space: self.space, code, pool });
        Rep::truth()
    }
}

/// Whether a pool was there before an arm that has given these values, and has starts and lengths.
fn is_from_before(pool: &Pool, arm: &[Value]) -> bool {
    match pool {
        Pool::Scalar(value, _) => !arm.contains(value),
        Pool::Tuple(parts) => parts.iter().all(|p| is_from_before(p, arm)),
        Pool::Seq(Segments::View(starts, lens), inner) => {
            ![starts, lens].iter().any(|v| arm.contains(v)) && is_from_before(inner, arm)
        }
        Pool::Seq(Segments::Packed(_) | Segments::Regular(_), _)
        | Pool::Chosen(..)
        | Pool::Among(..) => false,
    }
}

/// The pools that may be behind segments.
fn behind(pool: &Pool) -> Vec<&Pool> {
    match pool {
        Pool::Seq(_, inner) => match &**inner {
            Pool::Among(_, pools) => pools.iter().collect(),
            inner => vec![inner],
        },
        _ => unreachable!("{pool:?} holds no sequences"),
    }
}
