//! Whole programs.

use super::maker::{Maker, Var};
use super::tree::{Exp, Form, Kind, Program};
use super::ty::Ty;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    made(Maker::new(seed))
}

/// The program of a seed whose ints, and so lengths and positions, are near the ends.
pub fn at_the_ends(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    maker.ends = true;
    made(maker)
}

fn made(mut maker: Maker) -> Program {
    for _ in 0..maker.random.below(3) {
        maker.new_datatype();
    }
    let datas = maker.datas.clone();
    for _ in 0..maker.random.below(5) {
        match maker.random.below(20) {
            0..=4 => maker.top_function(),
            5 | 6 => maker.top_name(),
            7 | 8 => maker.redefined_function(),
            9 => maker.redefined_datatype(),
            10 => maker.replacing_function(),
            _ => maker.top_value(),
        }
    }
    let ty = maker.top_type();
    let most = if maker.random.chance(10) { 150 } else { 40 };
    let size = 10 + maker.random.below(most);
    let mut result = maker.exp(&ty, size);
    if maker.random.chance(6) {
        result = maker.in_many_lanes();
    }
    maker.reorder();
    Program { datas, forms: maker.forms, result }
}

impl Maker {
    /// The type of a value at the top: mostly a sequence.
    fn top_type(&mut self) -> Ty {
        let depth = *self.random.pick(&[0, 0, 1, 1, 2, 2, 3, 3, 4]);
        if depth > 2 && self.random.chance(40) {
            let element = self.ty(1);
            return (1..depth).fold(element, |ty, _| ty.seq());
        }
        if depth > 0 && self.random.chance(50) {
            return self.ty(depth - 1).seq();
        }
        self.ty(depth)
    }

    /// Binds a value at the top: to a name, to the names of a pattern, or to `it`.
    fn top_value(&mut self) {
        let size = 2 + self.random.below(10);
        let row = if self.random.chance(30) { self.any_row(size) } else { None };
        let exp = row.unwrap_or_else(|| {
            let ty = self.top_type();
            self.exp(&ty, size)
        });
        let ty = exp.ty.clone();
        // `it` is bound only once, because later uses would be of the later one.
        let again = self.scope.iter().any(|var| var.name == "it");
        let (pattern, vars) = match self.random.below(8) {
            0 if !again => (None, vec![Var { name: "it".to_owned(), ty }]),
            1 | 2 => {
                let (pattern, vars) = self.pattern(&ty);
                (Some(pattern), vars)
            }
            3 => {
                let var = self.redefined_value(&ty);
                (Some(var.name.clone()), vec![var])
            }
            _ => {
                let var = self.fresh_var("g", &ty);
                (Some(var.name.clone()), vec![var])
            }
        };
        self.bind(pattern, exp, vars);
    }

    /// A name of the top for a value of another type than it has, so that forms before keep the old
    /// value; a new name if there is none.
    fn redefined_value(&mut self, ty: &Ty) -> Var {
        let mut known = self.visible(|old| old != ty && !old.has_function() && !ty.has_function());
        known.retain(|var| var.name != "it");
        if known.is_empty() {
            return self.fresh_var("g", ty);
        }
        Var { name: self.random.pick(&known).name.clone(), ty: ty.clone() }
    }

    /// Binds functions at the top.  Compiled programs know them only where neither test nor data
    /// decide which they are, so that most of them are names and lambdas.
    fn top_function(&mut self) {
        let wanted = self.ty(2);
        let ty = self.function_type(&wanted);
        let size = 4 + self.random.below(8);
        let exp = self.known_function(&ty, size);
        let (pattern, vars) = if ty.has_function() && !matches!(ty, Ty::Fun(..)) {
            self.pattern(&ty)
        } else {
            let var = self.fresh_var("g", &ty);
            (var.name.clone(), vec![var])
        };
        self.bind(Some(pattern), exp, vars);
    }

    /// A value with functions in it that are known before the program runs.
    fn known_function(&mut self, ty: &Ty, size: usize) -> Exp {
        match ty {
            Ty::Fun(..) if self.random.chance(5) => self.exp(ty, size + 6),
            Ty::Fun(from, to) => match self.function_name(ty) {
                Some(name) => name,
                None if to.has_function() => {
                    let var = self.fresh_var("v", from);
                    let name = var.name.clone();
                    let body = self.with(vec![var], |maker| maker.known_function(to, size));
                    Exp::new(ty.clone(), Kind::Lambda(name, Box::new(body)))
                }
                None => self.lambda(from, to, size),
            },
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.known_function(part, size / 2)).collect();
                Exp::new(ty.clone(), Kind::Tuple(parts))
            }
            Ty::Data(data) if data.fields.has_function() => {
                let fields = self.known_function(&data.fields, size);
                super::maker::construct(ty, fields)
            }
            _ => self.leaf(ty),
        }
    }

    /// Another name for a function of the program, at all its types.
    fn top_name(&mut self) {
        let callee = if self.callables.is_empty() || self.random.chance(30) {
            let depth = self.random.below(3);
            let ty = self.ty(depth);
            self.new_function(&ty)
        } else {
            self.random.pick(&self.callables).clone()
        };
        let name = self.fresh("g");
        let ty = callee.whole().fun(callee.result.clone());
        let exp = Exp::name(ty, &callee.name);
        self.forms.push(Form::Value(Some(name.clone()), exp));
        // As a value it takes all parameters.
        let mut own = callee;
        own.name = name;
        own.params.extend(own.optional.drain(..).map(|optional| optional.ty));
        self.callables.push(own);
    }

    fn bind(&mut self, pattern: Option<String>, exp: Exp, vars: Vec<Var>) {
        self.forms.push(Form::Value(pattern, exp));
        self.scope.extend(vars);
        self.globals = self.scope.len();
    }

    /// A function applied to many short pieces of a long sequence: enough work for several threads.
    fn in_many_lanes(&mut self) -> Exp {
        let depth = self.random.below(2);
        let ty = self.ty(depth);
        let piece = self.fresh_var("v", &Ty::Int.seq());
        let name = piece.name.clone();
        let simple = usize::from(self.random.chance(60));
        self.inside += simple;
        let outside = std::mem::take(&mut self.scope);
        let globals = std::mem::take(&mut self.globals);
        let body = self.with(vec![piece], |maker| maker.exp(&ty, 10));
        (self.scope, self.globals) = (outside, globals);
        self.inside -= simple;
        let function = Kind::Lambda(name, Box::new(body));
        let function = Exp::new(Ty::Int.seq().fun(ty.clone()), function);
        let text = *self.random.pick(&[
            "let z = {mod(zi * 7919, 1009) : zi in index(70000)} in {($0)(zp) : zp in group_by(z, 7)}",
            "let z = {mod(zi * 7919, 1009) : zi in index(6000)} in {($0)(zp) : zp in group_by(z, 7)}",
            "let z = {mod(zi * 7919, 1009) : zi in index(4000)} in {($0)(zp) : zp in group_by(z, 3)}",
            "let z = {mod(zi * 31, 101) : zi in index(15000)}; zl = {zi * zi : zi in [0:36]} in {($0)(zp) : zp in partition(take(z, sum(zl)), zl)}",
            "let z = {mod(zi * 7919, 1009) : zi in index(8000)} in {($0)(zp) : zp in flag_partition(sort(z), {zx < 6 : zx in z})}",
        ]);
        Exp::new(ty.seq(), Kind::Template(text, vec![function]))
    }
}
