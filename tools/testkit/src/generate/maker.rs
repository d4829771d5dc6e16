//! A program in the making: what is in scope, what can be called, and types at random.

use super::function::Fuel;
use super::tree::{Datatype, Exp, Form, Kind};
use super::ty::{Instance, Ty, letters, substitute};
use crate::random::Random;

/// Sequences nest at most so deeply.
pub(super) const DEPTH: usize = 4;
/// A program has at most so many functions.
const FUNCTIONS: usize = 6;
/// Letters of type variables as often as they are chosen: of every type, and of a class.
const VARIABLES: [char; 8] = ['a', 'a', 'a', 'b', 'n', 'o', 'g', 's'];

/// A name in scope.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
}

/// A function that can be called.  Variables of its type stand for any types of their classes.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub(super) name: String,
    pub(super) params: Vec<Ty>,
    /// The parameters that need not be given.
    pub(super) optional: Vec<Optional>,
    pub(super) result: Ty,
    /// The first parameter counts down to the end of the recursion, from less than this.
    pub(super) fuel: Option<Fuel>,
    /// It calls itself; seldom called by other functions, whose cost would multiply.
    pub(super) recursive: bool,
}

impl Callable {
    /// The type of its argument as a function value.
    pub(super) fn whole(&self) -> Ty {
        let optional = self.optional.iter().map(|optional| &optional.ty);
        Ty::tuple(self.params.iter().chain(optional).cloned().collect())
    }
}

/// A parameter with a default.
#[derive(Clone, Debug)]
pub(super) struct Optional {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// The type of the default: it can be left out only where this is the type that is needed.
    pub(super) default: Ty,
}

/// A program in the making.
pub(super) struct Maker {
    pub(super) random: Random,
    /// Operations that can fail stand unguarded now and then.
    pub(super) risky: bool,
    /// Ints are near the ends, and lengths are made of them.
    pub(super) ends: bool,
    pub(super) datas: Vec<Datatype>,
    pub(super) forms: Vec<Form>,
    pub(super) callables: Vec<Callable>,
    /// Innermost last; a name hides those of the same name before it.
    pub(super) scope: Vec<Var>,
    /// So many of them are names of the top, which functions see, too.
    pub(super) globals: usize,
    names: usize,
    /// Functions with names that had a meaning before.
    pub(super) redefined: Vec<String>,
    /// Datatypes with names that had a meaning before.
    pub(super) redefined_datas: Vec<String>,
    /// Type variables in scope; for each there is a parameter of that type.
    pub(super) letters: Vec<char>,
    /// Expressions use scalars only, and read sequences that are there.
    pub(super) scalar: bool,
    /// Functions are not made inside functions that are being made.
    pub(super) inside: usize,
}

impl Maker {
    pub(super) fn new(seed: u64) -> Maker {
        let mut random = Random::new(seed);
        let risky = random.chance(35);
        Maker {
            random,
            risky,
            ends: false,
            datas: Vec::new(),
            forms: Vec::new(),
            callables: Vec::new(),
            scope: Vec::new(),
            globals: 0,
            names: 0,
            redefined: Vec::new(),
            redefined_datas: Vec::new(),
            letters: Vec::new(),
            scalar: false,
            inside: 0,
        }
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A name with its type that nothing else has.
    pub(super) fn fresh_var(&mut self, prefix: &str, ty: &Ty) -> Var {
        Var { name: self.fresh(prefix), ty: ty.clone() }
    }

    /// Makes something with more names in scope.
    pub(super) fn with<T>(&mut self, vars: Vec<Var>, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.len();
        self.scope.extend(vars);
        let made = make(self);
        self.scope.truncate(before);
        made
    }

    /// Names in scope whose type is wanted.
    pub(super) fn visible(&self, wanted: impl Fn(&Ty) -> bool) -> Vec<Var> {
        let hidden = |i: usize| self.scope[i + 1..].iter().any(|v| v.name == self.scope[i].name);
        let mut found: Vec<Var> = Vec::new();
        for (i, var) in self.scope.iter().enumerate() {
            if wanted(&var.ty) && !hidden(i) {
                found.push(var.clone());
            }
        }
        found
    }

    /// Whether another function may be made here.
    pub(super) fn has_room(&self) -> bool {
        let functions = self.forms.iter().filter(|form| matches!(form, Form::Function(_)));
        self.inside == 0 && functions.count() < FUNCTIONS
    }

    /// A type whose sequences nest at most `depth` deep.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        let depth = if self.scalar { 0 } else { depth };
        let (data, letter) = (self.datas.len().min(1), self.letters.len().min(1));
        let (seq, table) = if depth > 0 { (40, 3) } else { (0, 0) };
        let kinds = [26, 10, 9, 7, seq, 10, 12 * data, table, 25 * letter];
        match self.random.weighted(&kinds) {
            0 => Ty::Int,
            1 => Ty::Float,
            2 => Ty::Bool,
            3 => Ty::Char,
            4 => self.ty(depth - 1).seq(),
            5 => {
                let count = 2 + self.random.below(2);
                Ty::tuple((0..count).map(|_| self.ty(depth.min(1))).collect())
            }
            6 => {
                let data = self.random.pick(&self.datas).clone();
                let ty = self.instance(&data, depth);
                if ty.depth() <= depth && !ty.has_function() { ty } else { Ty::Int }
            }
            7 => {
                let keys = self.ty((depth - 1).min(1));
                Ty::table(keys, self.ty(depth - 1))
            }
            _ => Ty::Var(*self.random.pick(&self.letters)),
        }
    }

    /// A datatype at some types.
    pub(super) fn instance(&mut self, data: &Datatype, depth: usize) -> Ty {
        let inner = depth.saturating_sub(1);
        let known: Vec<(char, Ty)> =
            data.letters.iter().map(|&letter| (letter, self.in_class(letter, inner))).collect();
        data_at(data, known)
    }

    /// A type for which a variable may stand.
    pub(super) fn in_class(&mut self, letter: char, depth: usize) -> Ty {
        let ty = self.ty(depth);
        if ty.in_class(letter) {
            return ty;
        }
        match letter {
            'o' if self.random.chance(20) => Ty::Char,
            'n' | 'o' if self.random.chance(30) => Ty::Float,
            'g' if self.random.chance(50) => Ty::Bool,
            's' => self.random.pick(&[Ty::Int, Ty::Float, Ty::Bool, Ty::Char]).clone(),
            _ => Ty::Int,
        }
    }

    /// How deeply the sequences of a type nest that is chosen freely.
    pub(super) fn some_depth(&mut self) -> usize {
        *self.random.pick(&[0, 0, 0, 1, 1, 1, 2, 2, 3])
    }

    /// A new datatype: often of type variables, now and then with a function in it.
    pub(super) fn new_datatype(&mut self) {
        let name = self.fresh("d");
        let data = self.datatype(name);
        self.datas.push(data);
    }

    /// A datatype of this name.
    pub(super) fn datatype(&mut self, name: String) -> Datatype {
        let count = *self.random.pick(&[0, 0, 1, 1, 2]);
        self.letters = self.some_letters(count);
        let mut fields = vec![self.ty(1)];
        for _ in 0..self.random.below(3) {
            let ty = self.ty(1);
            fields.push(ty);
        }
        for letter in self.letters.clone() {
            if fields.iter().flat_map(letters).all(|used| used != letter) {
                let at = self.random.below(fields.len() + 1);
                let ty = Ty::Var(letter);
                fields.insert(at, if self.random.chance(40) { ty.seq() } else { ty });
            }
        }
        // Behind the others, which determine the variables whatever function it is.
        if self.random.chance(15) {
            let (from, to) = (self.ty(1), self.ty(1));
            fields.push(from.fun(to));
        }
        let letters = std::mem::take(&mut self.letters);
        Datatype { name, letters, fields: Ty::tuple(fields) }
    }

    /// Different letters of type variables.
    pub(super) fn some_letters(&mut self, count: usize) -> Vec<char> {
        let mut found = Vec::new();
        while found.len() < count {
            let letter = *self.random.pick(&VARIABLES);
            if !found.contains(&letter) {
                found.push(letter);
            }
        }
        found
    }

    /// Makes something that sees neither what is local here nor type variables.
    pub(super) fn outside<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let locals = self.scope.split_off(self.globals);
        let letters = std::mem::take(&mut self.letters);
        let made = make(self);
        self.letters = letters;
        self.scope.extend(locals);
        made
    }

    /// Divides a size among parts.
    pub(super) fn share(&mut self, size: usize, parts: usize) -> Vec<usize> {
        let mut shares = vec![0; parts];
        let even = size.saturating_sub(1) / (2 * parts.max(1));
        let mut left = size.saturating_sub(1).saturating_sub(even * parts);
        shares.fill(even);
        while left > 0 && parts > 0 {
            let some = 1 + self.random.below(left);
            shares[self.random.below(parts)] += some;
            left -= some;
        }
        shares
    }
}

/// A datatype, and for each of its variables a type.
pub(super) fn data_at(data: &Datatype, known: Vec<(char, Ty)>) -> Ty {
    let fields = substitute(&data.fields, &known);
    let args = known.into_iter().map(|(_, ty)| ty).collect();
    Ty::Data(Box::new(Instance { name: data.name.clone(), args, fields }))
}

/// The constructor of a datatype applied to its fields.
pub(super) fn construct(ty: &Ty, fields: Exp) -> Exp {
    let Ty::Data(data) = ty else { unreachable!("{ty} is no datatype") };
    Exp::new(ty.clone(), Kind::Call(data.name.clone(), vec![fields], Vec::new()))
}
