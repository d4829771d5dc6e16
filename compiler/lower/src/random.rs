//! Random numbers.
//!
//! A random number is a hash of where it is drawn (see the interpreter's `random`): of a *key* that
//! tells the chain of calls and lanes leading there.  Instances that draw get their key as a
//! parameter; inside inlined calls and lanes it is computed from that when a draw asks for it.
//!
//! ```text
//! key inside a call          mix(key, site of the call)
//! key in lane i of an each   mix(mix(key, site of the each), i)
//! random_bits                mix(key, site of its call)
//! ```

use crate::mono::Lower;
use base::Span;
use nest::{Op, Value};
use prim::ScalarOp;

/// The key of what is being lowered: `base`, changed by `steps`.
#[derive(Debug)]
pub(crate) struct RandomKey {
    base: Value,
    steps: Vec<Step>,
    used: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Into the call or apply-to-each at this site.
    Site(i64),
    /// Into the lane of this number.
    Lane(Value),
}

impl RandomKey {
    /// The key that a function of nest gets.
    pub(crate) fn new(base: Value) -> RandomKey {
        RandomKey { base, steps: Vec::new(), used: false }
    }
}

/// An apply-to-each being lowered whose lanes may draw.
pub(crate) struct Lanes {
    outside: RandomKey,
    site: i64,
    lane: Value,
}

/// The site of an expression in the body of a function, form or function value that starts at
/// `origin`.
pub(crate) fn site(span: Span, origin: u32) -> i64 {
    let start = i64::from(span.start) - i64::from(origin);
    (start << 32).wrapping_add(i64::from(span.end) - i64::from(span.start))
}

impl Lower<'_> {
    /// Does `work` with the key inside the call at `site`.
    pub(crate) fn inside_call<T>(&mut self, site: i64, work: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(key) = &mut self.key {
            key.steps.push(Step::Site(site));
        }
        let result = work(self);
        if let Some(key) = &mut self.key {
            key.steps.pop();
        }
        result
    }

    /// The bits that are drawn at `site`, or the key inside a call there.
    pub(crate) fn draw(&mut self, site: i64) -> Value {
        let Some(key) = &mut self.key else { unreachable!("a draw in a function without a key") };
        key.used = true;
        let (mut bits, mut steps) = (key.base, key.steps.clone());
        steps.push(Step::Site(site));
        for step in steps {
            let by = match step {
                Step::Site(site) => self.b.int(self.program.widths.site(site)),
                Step::Lane(lane) => lane,
            };
            bits = self.b.scalar(ScalarOp::Mix, &[bits, by]);
        }
        bits
    }

    /// Enters the lanes of an apply-to-each.
    pub(crate) fn enter_lanes(&mut self, site: i64) -> Option<Lanes> {
        let outside = self.key.take()?;
        let int = nest::Type::Scalar(prim::Ty::I64);
        let lane = self.b.fresh(int.clone());
        let base = self.b.fresh(int);
        self.key = Some(RandomKey { base, steps: vec![Step::Lane(lane)], used: false });
        Some(Lanes { outside, site, lane })
    }

    /// Leaves the lanes.  If any drew, their numbers become a generator.
    pub(crate) fn leave_lanes(
        &mut self,
        lanes: Option<Lanes>,
        generators: &mut Vec<(Value, Value)>,
    ) {
        let Some(lanes) = lanes else { return };
        let inside = self.key.replace(lanes.outside);
        let Some(inside) = inside.filter(|key| key.used) else { return };
        let key = self.draw(lanes.site);
        self.b.define(inside.base, Op::Copy(key));
        let length = self.b.push(Op::Length(generators[0].1));
        let numbers = self.b.push(Op::Index(length));
        generators.push((lanes.lane, numbers));
    }
}
