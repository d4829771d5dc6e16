//! Whole programs.

use super::expression::{Maker, Var};
use super::tree::{Exp, Kind, Program};
use super::ty::Ty;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    for _ in 0..maker.random.below(3) {
        let name = maker.fresh("d");
        let fields = maker.ty(1);
        maker.datas.push((name, fields));
    }
    let mut values = Vec::new();
    for _ in 0..maker.random.below(4) {
        let ty = maker.top_type();
        let size = 2 + maker.random.below(10);
        let exp = maker.exp(&ty, size);
        let name = maker.fresh("g");
        maker.scope.push(Var { name: name.clone(), ty });
        values.push((name, exp));
    }
    let ty = maker.top_type();
    let most = if maker.random.chance(10) { 150 } else { 40 };
    let size = 10 + maker.random.below(most);
    let mut result = maker.exp(&ty, size);
    if maker.random.chance(6) {
        result = maker.in_many_lanes();
    }
    let Maker { datas, functions, .. } = maker;
    Program { datas, functions, values, result }
}

impl Maker {
    /// The type of a value at the top: mostly a sequence.
    fn top_type(&mut self) -> Ty {
        let depth = self.random.below(4);
        if depth > 0 && self.random.chance(50) {
            return self.ty(depth - 1).seq();
        }
        self.ty(depth)
    }

    /// A function applied to many short pieces of a long sequence: enough work for several threads.
    fn in_many_lanes(&mut self) -> Exp {
        let piece = self.fresh("v");
        let depth = self.random.below(2);
        let ty = self.ty(depth);
        let vars = vec![Var { name: piece.clone(), ty: Ty::Int.seq() }];
        let outside = std::mem::take(&mut self.scope);
        let simple = usize::from(self.random.chance(60));
        self.inside += simple;
        let body = self.with(vars, |maker| maker.exp(&ty, 10));
        self.inside -= simple;
        self.scope = outside;
        let function = Kind::Lambda(piece, Box::new(body));
        let function = Exp::new(Ty::Int.seq().fun(ty.clone()), function);
        let text = *self.random.pick(&[
            "let z = {mod(zi * 7919, 1009) : zi in index(70000)} in {($0)(zp) : zp in group_by(z, 7)}",
            "let z = {mod(zi * 7919, 1009) : zi in index(9000)} in {($0)(zp) : zp in group_by(z, 3)}",
            "let z = {mod(zi * 31, 101) : zi in index(50000)}; zl = {zi * zi : zi in [0:52]} in {($0)(zp) : zp in partition(take(z, sum(zl)), zl)}",
            "let z = {mod(zi * 7919, 1009) : zi in index(60000)} in {($0)(zp) : zp in flag_partition(sort(z), {zx < 6 : zx in z})}",
        ]);
        Exp::new(ty.seq(), Kind::Template(text, vec![function]))
    }
}
