//! What a function is called with: parameters, their defaults, type variables.

use super::function::Fuel;
use super::maker::{Callable, Maker, Optional, Var, data_at};
use super::tree::{Exp, Form, Function, Param};
use super::ty::{Ty, letters, substitute};

/// What functions are documented with.
const DOCS: [&str; 3] = ["what it gives", "50% of \\\"it\\\"", ""];

/// A function about to get its body.
pub(super) struct Draft {
    name: String,
    /// The first pattern is a name.
    params: Vec<Param>,
    optional: Vec<Optional>,
    /// What the patterns bind.
    vars: Vec<Var>,
    pub(super) result: Ty,
    /// Its name has a meaning already.
    redefines: bool,
    /// Its type has to be written.
    written: bool,
}

impl Draft {
    /// What takes the place of a function that has neither defaults nor variables.
    pub(super) fn like(old: &Function, maker: &mut Maker) -> Draft {
        let vars: Vec<Var> =
            old.params.iter().map(|param| maker.fresh_var("p", &param.ty)).collect();
        let param =
            |var: &Var| Param { pattern: var.name.clone(), ty: var.ty.clone(), default: None };
        let (params, optional) = (vars.iter().map(param).collect(), Vec::new());
        let (name, result) = (old.name.clone(), old.body.ty.clone());
        Draft { name, params, optional, vars, result, redefines: true, written: true }
    }

    /// The same under a name that is known.
    pub(super) fn redefining(self, name: &str) -> Draft {
        Draft { name: name.to_owned(), redefines: true, written: true, ..self }
    }

    /// The same with its type written.
    pub(super) fn written(self) -> Draft {
        Draft { written: true, ..self }
    }

    pub(super) fn vars(&self) -> Vec<Var> {
        self.vars.clone()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The name of the parameter on which the recursion depends.
    pub(super) fn first(&self) -> &str {
        &self.params[0].pattern
    }

    pub(super) fn callable(&self, fuel: Option<Fuel>, recursive: bool) -> Callable {
        let needed = self.params.iter().filter(|param| param.default.is_none());
        Callable {
            name: self.name.clone(),
            params: needed.map(|param| param.ty.clone()).collect(),
            optional: self.optional.clone(),
            result: self.result.clone(),
            fuel,
            recursive,
        }
    }
}

impl Maker {
    /// A type with variables for parts of this one, which come into scope.
    pub(super) fn generalised(&mut self, result: &Ty) -> Ty {
        if !self.random.chance(25) {
            return result.clone();
        }
        let count = *self.random.pick(&[1, 1, 2]);
        let letters = self.some_letters(count);
        let mut general = result.clone();
        for &letter in &letters {
            let mut fitting = parts_of(&general);
            fitting.retain(|part| part.in_class(letter) && super::ty::letters(part).is_empty());
            if !fitting.is_empty() && self.random.chance(70) {
                let part = self.random.pick(&fitting).clone();
                general = self.replaced(&general, &part, letter);
            }
        }
        self.letters = letters;
        general
    }

    /// A type with a variable for a part of it, where its class allows that.
    fn replaced(&self, ty: &Ty, part: &Ty, letter: char) -> Ty {
        if ty == part {
            return Ty::Var(letter);
        }
        let inner = |ty: &Ty| self.replaced(ty, part, letter);
        match ty {
            Ty::Seq(element) => inner(element).seq(),
            Ty::Tuple(parts) => Ty::tuple(parts.iter().map(inner).collect()),
            Ty::Fun(from, to) => inner(from).fun(inner(to)),
            Ty::Data(data) => {
                let found = self.datas.iter().find(|known| known.name == data.name);
                let known = found.unwrap_or_else(|| unreachable!("datatype {}", data.name));
                let args = known.letters.iter().zip(&data.args).map(|(&class, arg)| {
                    let new = inner(arg);
                    (class, if new.in_class(class) { new } else { arg.clone() })
                });
                data_at(known, args.collect())
            }
            Ty::Table(of) => Ty::table(inner(&of.0), inner(&of.1)),
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Var(_) => ty.clone(),
        }
    }

    /// A function that takes these first.
    pub(super) fn draft(&mut self, result: &Ty, first: Vec<Ty>) -> Draft {
        let mut types = first;
        types.extend(self.letters.iter().map(|&letter| Ty::Var(letter)));
        for _ in 0..self.random.below(3) {
            let depth = self.random.below(3);
            let ty = self.ty(depth);
            types.push(ty);
        }
        if self.random.chance(15) {
            let from = self.ty(1);
            let to = if self.random.chance(50) { from.clone() } else { self.ty(1) };
            types.push(from.fun(to));
        }
        if self.scalar && self.random.chance(40) {
            // It is passed on as it is.
            let ty = self.ty(0).seq();
            types.push(ty);
        }
        if types.is_empty() {
            types.push(Ty::Int);
        }
        let (mut params, mut vars) = (Vec::new(), Vec::new());
        for ty in types {
            let pattern =
                if params.is_empty() || matches!(ty, Ty::Var(_)) || !self.random.chance(20) {
                    let var = self.fresh_var("p", &ty);
                    let name = var.name.clone();
                    vars.push(var);
                    name
                } else {
                    let (pattern, more) = self.pattern(&ty);
                    vars.extend(more);
                    pattern
                };
            params.push(Param { pattern, ty, default: None });
        }
        let (name, optional) = (self.fresh("f"), Vec::new());
        let mut draft = Draft {
            name,
            params,
            optional,
            vars,
            result: result.clone(),
            redefines: false,
            written: false,
        };
        if self.random.chance(30) {
            self.add_optional(&mut draft);
        }
        draft
    }

    /// Parameters with defaults.  A default sees no parameters, and has one type even where the
    /// parameter has many; all together they must be of one instance.
    fn add_optional(&mut self, draft: &mut Draft) {
        let known: Vec<(char, Ty)> = self.outside(|maker| {
            let letters = draft.params.iter().flat_map(|param| letters(&param.ty));
            letters.map(|letter| (letter, maker.in_class(letter, 1))).collect()
        });
        for _ in 0..1 + self.random.below(3) {
            let ty = if self.random.chance(10) {
                self.ty(1).fun(self.ty(0))
            } else {
                let depth = self.random.below(3);
                self.ty(depth)
            };
            let default = self.outside(|maker| {
                let ty = substitute(&ty, &known);
                let size = 1 + maker.random.below(4);
                maker.exp(&ty, size)
            });
            let var = self.fresh_var("p", &ty);
            let (name, own) = (var.name.clone(), default.ty.clone());
            draft.optional.push(Optional { name, ty: ty.clone(), default: own });
            draft.params.push(Param { pattern: var.name.clone(), ty, default: Some(default) });
            draft.vars.push(var);
        }
    }

    pub(super) fn finish(&mut self, draft: Draft, body: Exp) {
        let Draft { name, params, redefines, written, .. } = draft;
        // Variables are written, so that the types in the body can name them.
        let typed = written || !self.letters.is_empty() || self.random.chance(85);
        // A declaration tells neither of defaults nor of the effects of functions that are passed.
        let plain = |param: &Param| param.default.is_none() && !param.ty.has_function();
        let declared = typed
            && !redefines
            && self.letters.is_empty()
            && params.iter().all(plain)
            && !body.ty.has_function()
            && self.random.chance(8);
        let bare = params.len() == 1 && params[0].is_name() && self.random.chance(30);
        let doc = self.random.chance(8).then(|| *self.random.pick(&DOCS));
        let function = Function { name, params, body, typed, declared, bare, doc };
        self.forms.push(Form::Function(function));
    }
}

/// A type and those inside it.
fn parts_of(ty: &Ty) -> Vec<Ty> {
    let mut found = vec![ty.clone()];
    match ty {
        Ty::Seq(element) => found.extend(parts_of(element)),
        Ty::Tuple(parts) => found.extend(parts.iter().flat_map(parts_of)),
        Ty::Fun(from, to) => found.extend([parts_of(from), parts_of(to)].concat()),
        Ty::Data(data) => found.extend(data.args.iter().flat_map(parts_of)),
        Ty::Table(of) => found.extend([parts_of(&of.0), parts_of(&of.1)].concat()),
        Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Var(_) => {}
    }
    found
}
