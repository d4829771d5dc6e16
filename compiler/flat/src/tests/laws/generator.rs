//! Data for laws.

use crate::ir::{Domain, Function, Space, SpaceKind};
use crate::{Data, Operand, Value};
use prim::{Const, Ty};
use rustc_hash::FxHashMap;

/// Makes arguments that fit the parameters of a function: short vectors of small numbers, so that
/// every way through a program is taken.
pub(super) struct Generator {
    state: u64,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Generator {
        Generator { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d }
    }

    /// A number from `low` to before `high`.
    fn draw(&mut self, low: i64, high: i64) -> i64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        low + ((self.state >> 33) % (high - low).unsigned_abs()) as i64
    }

    fn element(&mut self, ty: Ty) -> Const {
        match ty {
            Ty::I64 => Const::I64(self.draw(-3, 8)),
            // Sums of these are exact in any order.
            Ty::F64 => Const::F64(self.draw(-8, 20) as f64 / 4.0),
            Ty::Bool => Const::Bool(self.draw(0, 2) == 1),
            Ty::Char => Const::Char(self.draw(97, 101) as u8),
        }
    }

    pub(super) fn arguments(&mut self, function: &Function) -> Vec<Data> {
        let lengths: Vec<Value> = function
            .spaces
            .iter()
            .filter_map(|(_, info)| match info.kind {
                SpaceKind::Regular(_, Operand::Value(v)) => Some(v),
                _ => None,
            })
            .collect();
        let mut known: FxHashMap<Value, Data> = FxHashMap::default();
        for &param in &function.params {
            let info = function.values[param];
            let data = match info.domain {
                Domain::Scalar if lengths.contains(&param) => {
                    Data::Scalar(Const::I64(self.draw(0, 7)))
                }
                Domain::Scalar => Data::Scalar(self.element(info.ty)),
                Domain::Lanes(space) => {
                    let count = lanes(function, space, &known);
                    Data::vector((0..count).map(|_| self.element(info.ty)))
                }
                Domain::Offsets(space) => {
                    let mut at = 0;
                    let count = lanes(function, space, &known);
                    let ends = (0..count).map(|_| {
                        at += self.draw(0, 4);
                        at
                    });
                    Data::ints([0].into_iter().chain(ends))
                }
                Domain::Pool => unreachable!("{param}: how long is a pool?"),
            };
            known.insert(param, data);
        }
        function.params.iter().map(|param| known[param].clone()).collect()
    }
}

/// How many lanes a space of parameters has.
fn lanes(function: &Function, space: Space, known: &FxHashMap<Value, Data>) -> i64 {
    let int = |c: Const| if let Const::I64(n) = c { n } else { unreachable!("an int") };
    match function.spaces[space].kind {
        SpaceKind::Root => 1,
        SpaceKind::Regular(parent, length) => {
            let each = match length {
                Operand::Const(c) => int(c),
                Operand::Value(v) => int(known[&v].scalar()),
            };
            lanes(function, parent, known) * each.max(0)
        }
        SpaceKind::Packed(_, offsets) => {
            known[&offsets].elements().last().map_or(0, |&end| int(end))
        }
    }
}
