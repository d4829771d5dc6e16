//! `if` at the root: one arm runs, and what the arms give meets, vectors by reference.
//!
//! Pools from before the `if` that both arms have stay what they are.  Where they have others, the
//! pool that is there after the `if` is a new name for the one or the other; a function that hands
//! up pools by number notes which.

use crate::block::Env;
use crate::context::{Context, Item, Items};
use crate::fit::{Known, Stands};
use crate::op::branch::Arms;
use crate::rep::{Pool, Rep, Scalar, Segments};
use base::Id;
use flat::{Domain, Function, Operand, Value, ValueInfo};
use nest::Block;
use prim::{Const, Ty};

/// A pool that arms choose among more is chosen by one number.
const MOST_CHOICES: usize = 8;

/// The result of an arm at the root.
enum Arm {
    Scalar(Operand, Ty),
    Tuple(Vec<Arm>),
    /// Start, length and pool, which is also there with starts and lengths.
    View {
        bounds: [Operand; 2],
        pool: Pool,
        with_starts: Pool,
    },
}

/// What the arms of an `if` at the root give, and the values that it becomes.
pub(crate) struct Meeting {
    pub(crate) then: Vec<Operand>,
    pub(crate) els: Vec<Operand>,
    pub(crate) results: Vec<Value>,
    /// The first value that was made in an arm.
    first: usize,
    /// Which arm was taken, if somebody has asked.
    arm: Option<Value>,
}

/// One of two arms.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Then,
    Else,
}

impl Meeting {
    /// Of arms that are made from now on.
    pub(crate) fn new(cx: &Context<'_, '_>) -> Meeting {
        let (then, els, results) = (Vec::new(), Vec::new(), Vec::new());
        Meeting { then, els, results, first: cx.values.len(), arm: None }
    }

    fn add(&mut self, then: Operand, els: Operand, result: Value) -> Value {
        self.then.push(then);
        self.els.push(els);
        self.results.push(result);
        result
    }
}

impl<'a> Context<'_, 'a> {
    pub(crate) fn root_if(&mut self, cond: Scalar, arms: Arms<'a>, env: &Env) -> Rep {
        let Some(cond) = self.uniform(cond) else { unreachable!("the root has no lanes") };
        let mut meeting = Meeting::new(self);
        let (mut then, a) = self.root_arm(arms.0, env);
        let (mut els, b) = self.root_arm(arms.1, env);
        let known = self.known.len();
        let rep = self.meet(&a, &b, &mut meeting);
        (then.yields, els.yields) = (meeting.then, meeting.els);
        let (results, span) = (meeting.results, self.span);
        self.push_item(Item::If { results, cond, then, els, span });
        self.few_choices(known);
        rep
    }

    /// Which pool it is that has come from arms in arms, as one number where there are many
    /// choices: else there would be twice as many behind each `if`.
    fn few_choices(&mut self, from: usize) {
        for n in from..self.known.len() {
            let Known { name, is } = &self.known[n];
            if self.choices(is, name) <= MOST_CHOICES {
                continue;
            }
            let name = name.clone();
            let (number, pools) = self.ways_of(&name);
            let number = match self.uniform(number) {
                Some(Operand::Value(value)) => Scalar::Value(value, Function::root()),
                Some(Operand::Const(number)) => Scalar::Const(number),
                None => unreachable!("the root has no lanes"),
            };
            let ways = pools.into_iter().map(Stands::For).collect();
            self.known.push(Known { name, is: Stands::ForOneOf(number, ways) });
        }
    }

    /// How many pools a name chooses among, each as often as there are ways to it; not counted on
    /// when there are many.
    fn choices(&self, is: &Stands, name: &Pool) -> usize {
        match is {
            Stands::For(pool) if pool == name => 1,
            Stands::For(pool) => self.known.of(pool).map_or(1, |is| self.choices(is, pool)),
            Stands::ForOneOf(_, ways) => ways.iter().fold(0, |sum, way| {
                if sum > MOST_CHOICES { sum } else { sum + self.choices(way, name) }
            }),
        }
    }

    /// An arm at the root and its result; what it gives is yet to be said.
    fn root_arm(&mut self, block: &'a Block, env: &Env) -> (Items, Arm) {
        self.begin();
        let rep = self.nest_block(block, &mut env.clone());
        let result = self.arm_result(&rep);
        (self.end(Vec::new()), result)
    }

    fn arm_result(&mut self, rep: &Rep) -> Arm {
        match rep {
            Rep::Scalar(s) => Arm::Scalar(self.component(*s), self.scalar_ty(*s)),
            Rep::Tuple(parts) => Arm::Tuple(parts.iter().map(|p| self.arm_result(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_one_view(rep);
                let bounds = [start, len].map(|s| self.component(s));
                let with_starts = self.pool_with_starts(&pool);
                Arm::View { bounds, pool, with_starts }
            }
        }
    }

    /// The result of an `if` at the root: what one arm or the other gives, and pools from before
    /// the `if` where both arms have them.
    fn meet(&mut self, then: &Arm, els: &Arm, meeting: &mut Meeting) -> Rep {
        let root = Function::root();
        match (then, els) {
            (&Arm::Scalar(a, ty), &Arm::Scalar(b, _)) => {
                let value = self.value_over(root, ty);
                Rep::Scalar(Scalar::Value(meeting.add(a, b, value), root))
            }
            (Arm::Tuple(a), Arm::Tuple(b)) => {
                Rep::Tuple(a.iter().zip(b).map(|(a, b)| self.meet(a, b, meeting)).collect())
            }
            (
                Arm::View { bounds: a, pool: pool_a, with_starts: starts_a },
                Arm::View { bounds: b, pool: pool_b, with_starts: starts_b },
            ) => {
                let [start, len] = [0, 1].map(|n| {
                    let value = self.value_over(root, Ty::I64);
                    Scalar::Value(meeting.add(a[n], b[n], value), root)
                });
                let pool = self.meet_pools((pool_a, starts_a), (pool_b, starts_b), meeting);
                Rep::View { start, len, pool }
            }
            _ => unreachable!("arms of different shape"),
        }
    }

    /// Pools as the arms have them, and with starts and lengths.
    pub(crate) fn meet_pools(
        &mut self,
        (then, starts_then): (&Pool, &Pool),
        (els, starts_els): (&Pool, &Pool),
        meeting: &mut Meeting,
    ) -> Pool {
        if then == els {
            return then.clone();
        }
        // What looks into a pool without elements may as well look into the other.
        for (pool, other) in [(then, els), (els, then)] {
            if self.is_empty(pool) && is_older(other, meeting.first) {
                return other.clone();
            }
        }
        let pool = match (starts_then, starts_els) {
            (&Pool::Scalar(a, ty), &Pool::Scalar(b, _)) => {
                Pool::Scalar(self.meet_vectors(a, b, meeting), ty)
            }
            (Pool::Tuple(a), Pool::Tuple(b)) => Pool::Tuple(
                (0..a.len())
                    .map(|n| {
                        let (a, b) = ((then.part(n), &a[n]), (els.part(n), &b[n]));
                        self.meet_pools(a, b, meeting)
                    })
                    .collect(),
            ),
            (
                Pool::Seq(Segments::View(starts_a, lens_a), a),
                Pool::Seq(Segments::View(starts_b, lens_b), b),
            ) => {
                let starts = self.meet_vectors(*starts_a, *starts_b, meeting);
                let lens = self.meet_vectors(*lens_a, *lens_b, meeting);
                let (Pool::Seq(_, then), Pool::Seq(_, els)) = (then, els) else {
                    unreachable!("pools of different shape")
                };
                let lens_of = (*lens_a, *lens_b);
                let inner = self.meet_inner(lens_of, (then, a), (els, b), meeting);
                Pool::Seq(Segments::View(starts, lens), Box::new(inner))
            }
            _ => unreachable!("pools of different shape"),
        };
        self.know_met(&pool, then, els, meeting);
        pool
    }

    fn meet_vectors(&mut self, a: Value, b: Value, meeting: &mut Meeting) -> Value {
        let value = self.values.push(ValueInfo { ty: self.values[a].ty, domain: Domain::Pool });
        if [a, b].iter().all(|vector| self.empty.contains(vector)) {
            self.empty.insert(value);
        }
        meeting.add(Operand::Value(a), Operand::Value(b), value)
    }

    /// What is behind segments with these lengths.  Where an arm chooses among pools, those of the
    /// arms meet by number; the last of the shorter list serves as all that follow.
    fn meet_inner(
        &mut self,
        lens: (Value, Value),
        then: (&Pool, &Pool),
        els: (&Pool, &Pool),
        meeting: &mut Meeting,
    ) -> Pool {
        let numbers = |pool: &Pool, lens: Value| match pool {
            Pool::Among(choices, _) => *choices,
            // Any number that is not negative will do, as all pools are the same.
            _ => lens,
        };
        if then.0 == els.0
            || !matches!((then.0, els.0), (Pool::Among(..), _) | (_, Pool::Among(..)))
        {
            return self.meet_pools(then, els, meeting);
        }
        let choices = (numbers(then.0, lens.0), numbers(els.0, lens.1));
        let choices = self.meet_vectors(choices.0, choices.1, meeting);
        let [a, starts_a, b, starts_b] = [then.0, then.1, els.0, els.1].map(Pool::all);
        let pools = (0..a.len().max(b.len())).map(|n| {
            let (i, j) = (n.min(a.len() - 1), n.min(b.len() - 1));
            self.meet_pools((&a[i], &starts_a[i]), (&b[j], &starts_b[j]), meeting)
        });
        Pool::Among(choices, pools.collect())
    }

    /// Notes that a pool is one of an arm or the other's, for those who want to know which.
    fn know_met(&mut self, pool: &Pool, then: &Pool, els: &Pool, meeting: &mut Meeting) {
        if !self.numbers_pools {
            return;
        }
        // Nobody reads from a pool without elements, so that the pool is the other arm's.
        let none = [then, els].map(|side| self.is_empty(side));
        let then = self.ways_out(then, pool, Side::Then, meeting);
        let els = self.ways_out(els, pool, Side::Else, meeting);
        if let [true, false] | [false, true] = none {
            let is = if none[0] { els } else { then };
            self.known.push(Known { name: pool.clone(), is });
            return;
        }
        let arm = meeting.arm.unwrap_or_else(|| {
            let value = self.value_over(Function::root(), Ty::I64);
            let [then, els] = [0, 1].map(|n| Operand::Const(Const::I64(n)));
            meeting.add(then, els, value)
        });
        meeting.arm = Some(arm);
        let arm = Scalar::Value(arm, Function::root());
        let is = Stands::ForOneOf(arm, vec![then, els]);
        self.known.push(Known { name: pool.clone(), is });
    }

    /// Which pool the one of an arm is, for those behind the `if`: where it was made in the arm,
    /// the one that has become of it.
    fn ways_out(&mut self, pool: &Pool, name: &Pool, side: Side, meeting: &mut Meeting) -> Stands {
        match self.known_as(pool) {
            _ if is_older(pool, meeting.first) => Stands::For(pool.clone()),
            Some(is) => self.known_out(&is, (pool, name), side, meeting),
            None => Stands::For(name.clone()),
        }
    }

    fn known_out(
        &mut self,
        is: &Stands,
        (inside, name): (&Pool, &Pool),
        side: Side,
        meeting: &mut Meeting,
    ) -> Stands {
        match is {
            Stands::For(pool) if pool == inside => Stands::For(name.clone()),
            Stands::For(pool) => self.ways_out(pool, name, side, meeting),
            Stands::ForOneOf(number, ways) => {
                let number = self.number_out(*number, side, meeting);
                let ways = ways.iter();
                let ways = ways.map(|way| self.known_out(way, (inside, name), side, meeting));
                Stands::ForOneOf(number, ways.collect())
            }
        }
    }

    /// A number that an arm may have made.
    fn number_out(&mut self, number: Scalar, side: Side, meeting: &mut Meeting) -> Scalar {
        let Scalar::Value(own, root) = number else { return number };
        if own.index() < meeting.first {
            return number;
        }
        let value = self.value_over(root, Ty::I64);
        let (own, other) = (Operand::Value(own), Operand::Const(Const::I64(0)));
        let (then, els) = if side == Side::Then { (own, other) } else { (other, own) };
        Scalar::Value(meeting.add(then, els, value), root)
    }
}

/// Whether a pool was there before values with this number and higher ones.
fn is_older(pool: &Pool, first: usize) -> bool {
    let old = |v: &Value| v.index() < first;
    match pool {
        Pool::Scalar(value, _) => old(value),
        Pool::Tuple(parts) => parts.iter().all(|p| is_older(p, first)),
        Pool::Seq(segments, inner) => {
            let own = match segments {
                Segments::View(starts, lens) => old(starts) && old(lens),
                Segments::Packed(offsets) => old(offsets),
                Segments::Regular(Operand::Value(len)) => old(len),
                Segments::Regular(Operand::Const(_)) => true,
            };
            own && is_older(inner, first)
        }
        Pool::Among(choices, pools) => old(choices) && pools.iter().all(|p| is_older(p, first)),
        Pool::Chosen(..) => false,
    }
}
