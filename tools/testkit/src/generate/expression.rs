//! Expressions of a wanted type, from the outside in.
//!
//! A size is spent on the way: an expression of size 1 is a leaf, a larger one divides what is left
//! among its parts.  Names in scope are chosen from all levels, so bodies of apply-to-eaches use
//! variables of the lanes around them.

use super::library::{ROWS, Row, conversions};
use super::tree::{Each, Exp, Function, Kind};
use super::ty::{Ty, letters, matches, substitute};
use crate::random::Random;

/// Sequences nest at most so deeply.
const DEPTH: usize = 3;
/// A program has at most so many functions.
const FUNCTIONS: usize = 6;

/// A name in scope.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    pub(super) name: String,
    pub(super) params: Vec<Ty>,
    pub(super) result: Ty,
    /// The first parameter counts down to the end of the recursion, from less than this.
    pub(super) fuel: Option<Fuel>,
    /// It calls itself; seldom called by other functions, whose cost would multiply.
    pub(super) recursive: bool,
}

/// How far a recursive function counts down at most.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fuel {
    /// Its calls may hold bulk work or call it more than once.
    Little,
    /// A loop of scalars.
    Much,
}

/// A program in the making.
pub(super) struct Maker {
    pub(super) random: Random,
    /// Operations that can fail stand unguarded now and then.
    pub(super) risky: bool,
    pub(super) datas: Vec<(String, Ty)>,
    pub(super) functions: Vec<Function>,
    pub(super) callables: Vec<Callable>,
    /// Innermost last; a name hides those of the same name before it.
    pub(super) scope: Vec<Var>,
    names: usize,
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
            datas: Vec::new(),
            functions: Vec::new(),
            callables: Vec::new(),
            scope: Vec::new(),
            names: 0,
            scalar: false,
            inside: 0,
        }
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
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

    /// A type whose sequences nest at most `depth` deep.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        let depth = if self.scalar { 0 } else { depth };
        let kinds = [26, 10, 9, 7, if depth > 0 { 40 } else { 0 }, 10, 4 * self.datas.len().min(1)];
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
            _ => {
                let (name, fields) = self.random.pick(&self.datas).clone();
                if fields.depth() <= depth { Ty::Data(name) } else { Ty::Int }
            }
        }
    }

    /// Divides a size among parts.
    fn share(&mut self, size: usize, parts: usize) -> Vec<usize> {
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

    /// An expression of this type.
    pub(super) fn exp(&mut self, ty: &Ty, size: usize) -> Exp {
        if let Ty::Fun(from, to) = ty {
            return self.function_value(from, to, size);
        }
        if size <= 1 || (self.scalar && ty.depth() > 0) {
            return self.leaf(ty);
        }
        if self.scalar && self.random.chance(12) {
            return self.read(ty, size);
        }
        let seq = ty.element().is_some();
        let tuple = usize::from(matches!(ty, Ty::Tuple(_) | Ty::Data(_)));
        let leaf = if size > 5 { 3 } else { 10 };
        let (each, list) = if seq { (34, 8) } else { (0, 0) };
        let weights = [leaf, 30, each, 9, 9, 12, list, 30 * tuple, 3];
        match self.random.weighted(&weights) {
            0 => self.leaf(ty),
            1 => self.library(ty, size),
            2 => self.each(ty, size),
            3 => self.choice(ty, size),
            4 => self.bound(ty, size),
            5 => self.call(ty, size),
            6 => self.sequence(ty, size),
            7 => self.parts(ty, size),
            _ => self.applied(ty, size),
        }
    }

    /// A name in scope or the smallest expression that there is.
    fn leaf(&mut self, ty: &Ty) -> Exp {
        if let Ty::Fun(from, to) = ty {
            return self.function_value(from, to, 2);
        }
        let names = self.visible(|t| t == ty);
        if !names.is_empty() && self.random.chance(80) {
            // Inner names more often than those that have been there for long.
            let from = self.random.below(names.len());
            let at = from + self.random.below(names.len() - from);
            return Exp::name(ty.clone(), &names[at].name);
        }
        let made = if self.random.chance(70) { self.converted(ty) } else { None };
        made.unwrap_or_else(|| self.literal(ty))
    }

    /// What a name in scope of another type can be made into: so that little is constant.
    fn converted(&mut self, ty: &Ty) -> Option<Exp> {
        let mut ways = conversions(ty);
        ways.retain(|(from, _)| !self.scalar || (from.depth() == 0 && ty.depth() == 0));
        while !ways.is_empty() {
            let (from, text) = ways.swap_remove(self.random.below(ways.len()));
            let names = self.visible(|t| matches(&from, t, &mut Vec::new()));
            if !names.is_empty() {
                let Var { name, ty: from } = self.random.pick(&names).clone();
                let parts = vec![Exp::name(from, name), self.literal(&Ty::Int)];
                return Some(Exp::new(ty.clone(), Kind::Template(text, parts)));
            }
        }
        None
    }

    pub(super) fn literal(&mut self, ty: &Ty) -> Exp {
        let text = match ty {
            Ty::Int => {
                let edges = ["max_int", "min_int", "1000000007", "-1000"];
                if self.random.chance(4) {
                    (*self.random.pick(&edges)).to_owned()
                } else {
                    (self.random.below(12) as i64 - 3).to_string()
                }
            }
            Ty::Float if self.random.chance(4) => {
                (*self.random.pick(&["infinity", "nan", "-0.0", "-infinity"])).to_owned()
            }
            Ty::Float => (*self.random.pick(&["0.0", "1.0", "2.0", "0.5", "-1.0", "3.25", "10.0"]))
                .to_owned(),
            Ty::Bool => (*self.random.pick(&["t", "f"])).to_owned(),
            Ty::Char => {
                (*self.random.pick(&["`a", "`b", "`z", "` ", "`0", "`7", "`\\n"])).to_owned()
            }
            Ty::Seq(element) if **element == Ty::Char && self.random.chance(50) => {
                let texts = [
                    "\"\"",
                    "\"a\"",
                    "\"hello world\"",
                    "\"ab ab\"",
                    "\"12 -7 x\"",
                    "\"l1\\n\\nl2\"",
                ];
                (*self.random.pick(&texts)).to_owned()
            }
            Ty::Seq(element) => {
                let counts =
                    if element.depth() > 0 { [0, 1, 2, 2, 3, 4] } else { [0, 1, 2, 3, 4, 9] };
                let count = *self.random.pick(&counts);
                let parts = (0..count).map(|_| self.leaf(element)).collect();
                return Exp::new(ty.clone(), Kind::Seq(parts));
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.leaf(part)).collect();
                return Exp::new(ty.clone(), Kind::Tuple(parts));
            }
            Ty::Data(name) => {
                let args = vec![self.leaf(&self.fields(name))];
                return Exp::new(ty.clone(), Kind::Call(name.clone(), args));
            }
            Ty::Fun(..) | Ty::Var(_) => unreachable!("a literal of type {ty}"),
        };
        Exp::literal(ty.clone(), text)
    }

    /// The fields of a datatype.
    pub(super) fn fields(&self, name: &str) -> Ty {
        let found = self.datas.iter().find(|data| data.0 == name);
        found.map(|data| data.1.clone()).unwrap_or_else(|| unreachable!("datatype {name}"))
    }

    /// Something of the library.
    fn library(&mut self, ty: &Ty, size: usize) -> Exp {
        for _ in 0..8 {
            let scalar = |row: &&Row| row.args.iter().all(|arg| arg.depth() == 0);
            let fitting: Vec<&'static Row> = ROWS
                .iter()
                .filter(|row| matches(&row.result, ty, &mut Vec::new()))
                .filter(|row| !self.scalar || scalar(row))
                .collect();
            if fitting.is_empty() {
                break;
            }
            let row = *self.random.pick(&fitting);
            let mut known = Vec::new();
            matches(&row.result, ty, &mut known);
            let Some(args) = self.instances(&row.args, &mut known) else { continue };
            let sizes = self.share(size, args.len());
            let args = args.iter().zip(sizes).map(|(arg, size)| self.exp(arg, size)).collect();
            let bare = row.risky.filter(|_| self.risky && self.random.chance(15));
            return Exp::new(ty.clone(), Kind::Template(bare.unwrap_or(row.text), args));
        }
        self.leaf(ty)
    }

    /// The types of arguments; variables that the result leaves open become any type, names in
    /// scope suggesting one.  None if sequences would nest too deeply.
    fn instances(&mut self, args: &[Ty], known: &mut Vec<(char, Ty)>) -> Option<Vec<Ty>> {
        for letter in args.iter().flat_map(letters) {
            if known.iter().all(|k| k.0 != letter) {
                let scalar = self.scalar;
                let candidates = self.visible(|t| t.in_class(letter) && !(scalar && t.depth() > 0));
                let ty = if !candidates.is_empty() && self.random.chance(50) {
                    self.random.pick(&candidates).ty.clone()
                } else {
                    let depth = self.random.below(3);
                    self.ty(depth)
                };
                let fallback = match letter {
                    'o' if self.random.chance(20) => Ty::Char,
                    'n' | 'o' if self.random.chance(30) => Ty::Float,
                    'g' if self.random.chance(50) => Ty::Bool,
                    _ => Ty::Int,
                };
                known.push((letter, if ty.in_class(letter) { ty } else { fallback }));
            }
        }
        let args: Vec<Ty> = args.iter().map(|arg| substitute(arg, known)).collect();
        args.iter().all(|arg| arg.depth() <= DEPTH).then_some(args)
    }

    /// An element or the length of a sequence in scope, if there is a fitting one.
    fn read(&mut self, ty: &Ty, size: usize) -> Exp {
        let sources = self.visible(|t| t.element() == Some(ty));
        if !sources.is_empty() && self.random.chance(80) {
            let source = self.random.pick(&sources).clone();
            let sizes = self.share(size, 2);
            let (at, other) = (self.exp(&Ty::Int, sizes[0]), self.exp(ty, sizes[1]));
            let text = "let z = $0 in if #z > 0 then z[mod($1, #z)] else $2";
            let parts = vec![Exp::name(source.ty, source.name), at, other];
            return Exp::new(ty.clone(), Kind::Template(text, parts));
        }
        let sources = self.visible(|t| t.element().is_some());
        if *ty == Ty::Int && !sources.is_empty() {
            let source = self.random.pick(&sources).clone();
            let parts = vec![Exp::name(source.ty, source.name)];
            return Exp::new(Ty::Int, Kind::Template("#$0", parts));
        }
        self.leaf(ty)
    }

    /// `if`: the arms may hold bulk work.
    fn choice(&mut self, ty: &Ty, size: usize) -> Exp {
        let sizes = self.share(size, 3);
        let parts =
            [self.exp(&Ty::Bool, sizes[0].min(6)), self.exp(ty, sizes[1]), self.exp(ty, sizes[2])];
        Exp::new(ty.clone(), Kind::If(Box::new(parts)))
    }

    /// `let`.
    fn bound(&mut self, ty: &Ty, size: usize) -> Exp {
        let count = 1 + usize::from(self.random.chance(30));
        let sizes = self.share(size, count + 1);
        let before = self.scope.len();
        let mut bindings = Vec::new();
        for &size in &sizes[1..] {
            let bound = if self.random.chance(8) {
                self.function_type(ty)
            } else {
                let depth = self.random.below(DEPTH);
                self.ty(depth)
            };
            let exp = self.exp(&bound, size);
            let (pattern, vars) = self.pattern(&bound);
            self.scope.extend(vars);
            bindings.push((pattern, exp));
        }
        let body = self.exp(ty, sizes[0]);
        self.scope.truncate(before);
        Exp::new(ty.clone(), Kind::Let(bindings, Box::new(body)))
    }

    /// A type with functions in it, whose results may be of the type that is wanted.
    fn function_type(&mut self, wanted: &Ty) -> Ty {
        let from = self.ty(1);
        let to = if self.random.chance(50) { wanted.clone() } else { Ty::Int };
        let function = from.fun(to);
        match self.random.below(4) {
            0 => Ty::tuple(vec![self.ty(1), function]),
            1 => self.ty(1).fun(function),
            _ => function,
        }
    }

    /// A pattern for values of a type, and what it binds.
    pub(super) fn pattern(&mut self, ty: &Ty) -> (String, Vec<Var>) {
        match ty {
            Ty::Tuple(parts) if self.random.chance(60) => {
                let (mut patterns, mut vars) = (Vec::new(), Vec::new());
                for part in parts {
                    let (pattern, more) = self.pattern(part);
                    patterns.push(pattern);
                    vars.extend(more);
                }
                (format!("({})", patterns.join(", ")), vars)
            }
            Ty::Data(name) if self.random.chance(70) => {
                let fields = self.fields(name);
                let (pattern, vars) = self.pattern(&fields);
                let open = if pattern.starts_with('(') { "" } else { "(" };
                let close = if open.is_empty() { "" } else { ")" };
                (format!("{name}{open}{pattern}{close}"), vars)
            }
            _ if self.random.chance(3) => ("_".to_owned(), Vec::new()),
            _ => {
                let name = self.fresh("v");
                (name.clone(), vec![Var { name, ty: ty.clone() }])
            }
        }
    }

    /// The functions that may be called here.
    fn usable(&mut self) -> impl Iterator<Item = &Callable> {
        let (recursive, scalar) = (self.inside == 0 || self.random.chance(15), self.scalar);
        let fits = move |ty: &Ty| !scalar || (ty.depth() == 0 && !ty.has_function());
        let usable = move |c: &&Callable| (recursive || !c.recursive) && c.params.iter().all(fits);
        self.callables.iter().filter(usable)
    }

    /// A call of a function of the program or of a bound function value.
    fn call(&mut self, ty: &Ty, size: usize) -> Exp {
        let bound = self.visible(|t| matches!(t, Ty::Fun(_, to) if **to == *ty));
        if !bound.is_empty() && self.random.chance(60) {
            let function = self.random.pick(&bound).clone();
            let Ty::Fun(from, _) = &function.ty else { unreachable!("a function") };
            let args = vec![self.exp(from, size - 1)];
            return Exp::new(ty.clone(), Kind::Call(function.name, args));
        }
        let makes = |t: &Ty| matches!(t, Ty::Fun(_, to) if **to == *ty);
        let bound = self.visible(|t| matches!(t, Ty::Fun(_, to) if makes(to)));
        if !bound.is_empty() && self.random.chance(60) {
            let function = self.random.pick(&bound).clone();
            let Ty::Fun(first, to) = function.ty else { unreachable!("a function") };
            let Ty::Fun(second, _) = &*to else { unreachable!("a function") };
            let inner = Kind::Call(function.name, vec![self.exp(&first, size / 2)]);
            let parts = vec![Exp::new(Ty::clone(&to), inner), self.exp(second, size / 2)];
            return Exp::new(ty.clone(), Kind::Template("($0)($1)", parts));
        }
        let known: Vec<Callable> = self.usable().filter(|c| c.result == *ty).cloned().collect();
        let callee = if !known.is_empty() && self.random.chance(70) {
            self.random.pick(&known).clone()
        } else if self.functions.len() < FUNCTIONS && self.inside == 0 {
            self.new_function(ty)
        } else {
            return self.library(ty, size);
        };
        let sizes = self.share(size, callee.params.len());
        let mut args: Vec<Exp> =
            callee.params.iter().zip(sizes).map(|(param, size)| self.exp(param, size)).collect();
        let bound = match callee.fuel {
            Some(_) if self.inside > 0 => Some("mod($0, 4)"),
            Some(Fuel::Little) => Some("mod($0, 5)"),
            Some(Fuel::Much) => Some(*self.random.pick(&["mod($0, 7)", "mod($0 * 37, 60)"])),
            None => None,
        };
        if let Some(text) = bound {
            let count = args.remove(0);
            args.insert(0, Exp::new(Ty::Int, Kind::Template(text, vec![count])));
        }
        Exp::new(ty.clone(), Kind::Call(callee.name, args))
    }

    /// A sequence written out.
    fn sequence(&mut self, ty: &Ty, size: usize) -> Exp {
        let Some(element) = ty.element() else { return self.leaf(ty) };
        let count = *self.random.pick(&[0, 1, 1, 2, 2, 3, 4]);
        let sizes = self.share(size, count);
        let parts = sizes.iter().map(|&size| self.exp(element, size)).collect();
        Exp::new(ty.clone(), Kind::Seq(parts))
    }

    /// A tuple or datatype written out.
    fn parts(&mut self, ty: &Ty, size: usize) -> Exp {
        match ty {
            Ty::Tuple(parts) => {
                let sizes = self.share(size, parts.len());
                let parts = parts.iter().zip(sizes).map(|(p, size)| self.exp(p, size)).collect();
                Exp::new(ty.clone(), Kind::Tuple(parts))
            }
            Ty::Data(name) => {
                let fields = self.fields(name);
                let args = vec![self.exp(&fields, size - 1)];
                Exp::new(ty.clone(), Kind::Call(name.clone(), args))
            }
            _ => self.leaf(ty),
        }
    }

    /// A function value applied where it is made.
    fn applied(&mut self, ty: &Ty, size: usize) -> Exp {
        let from = self.ty(2);
        let sizes = self.share(size, 2);
        let function = self.function_value(&from, ty, sizes[0]);
        let arg = self.exp(&from, sizes[1]);
        Exp::new(ty.clone(), Kind::Template("($0)($1)", vec![function, arg]))
    }

    /// A function value: one in scope, one of the program, one of two, or a new one.
    fn function_value(&mut self, from: &Ty, to: &Ty, size: usize) -> Exp {
        let ty = from.clone().fun(to.clone());
        if size > 6 {
            match self.random.below(8) {
                0 => return self.choice(&ty, size),
                1 => return self.bound(&ty, size),
                _ => {}
            }
        }
        let bound = self.visible(|t| *t == ty);
        if !bound.is_empty() && self.random.chance(50) {
            return Exp::name(ty, &self.random.pick(&bound).name);
        }
        let plain = |c: &&Callable| {
            c.fuel.is_none() && c.result == *to && Ty::tuple(c.params.clone()) == *from
        };
        let known: Vec<Callable> = self.usable().filter(plain).cloned().collect();
        if !known.is_empty() && self.random.chance(50) {
            return Exp::name(ty, &self.random.pick(&known).name);
        }
        let (pattern, vars) = match from.pair() {
            Some(_) => {
                let Ty::Tuple(parts) = from else { unreachable!("a pair") };
                let vars: Vec<Var> = parts
                    .iter()
                    .map(|part| Var { name: self.fresh("v"), ty: part.clone() })
                    .collect();
                let names: Vec<&str> = vars.iter().map(|v| v.name.as_str()).collect();
                (format!("({})", names.join(", ")), vars)
            }
            None => {
                let name = self.fresh("v");
                (name.clone(), vec![Var { name, ty: from.clone() }])
            }
        };
        let body = self.with(vars, |maker| maker.exp(to, size.saturating_sub(1).max(2)));
        Exp::new(ty, Kind::Lambda(pattern, Box::new(body)))
    }

    /// An apply-to-each.
    fn each(&mut self, ty: &Ty, size: usize) -> Exp {
        let Some(element) = ty.element() else { return self.leaf(ty) };
        let sizes = self.share(size, 3);
        // Without a body, the first source has the wanted type.
        let bare = self.random.chance(15);
        let source_ty = if bare { ty.clone() } else { self.source_type() };
        let first = self.exp(&source_ty, sizes[0].max(1));
        let more = if self.random.chance(35) { 1 + self.random.below(2) } else { 0 };
        let before = self.scope.len();
        let mut wrapped = None;
        let first = match (&first.kind, more) {
            (Kind::Name(_), _) | (_, 0) => first,
            _ => {
                let name = self.fresh("v");
                self.scope.push(Var { name: name.clone(), ty: source_ty.clone() });
                wrapped = Some((name.clone(), first));
                Exp::name(source_ty.clone(), name)
            }
        };
        let mut sources = vec![first.clone()];
        for _ in 0..more {
            sources.push(self.source_like(&first, sizes[0] / 2));
        }
        let (mut generators, mut bound) = (Vec::new(), Vec::new());
        for source in sources {
            let Some(item) = source.ty.element().cloned() else { unreachable!("a source") };
            let name = match &source.kind {
                Kind::Name(name) if self.random.chance(30) => Some(name.clone()),
                _ => None,
            };
            // The names of one apply-to-each must differ.
            match name.filter(|name| bound.iter().all(|v: &Var| v.name != *name)) {
                Some(name) => {
                    bound.push(Var { name, ty: item });
                    generators.push((None, source));
                }
                None => {
                    let (pattern, vars) = self.pattern(&item);
                    bound.extend(vars);
                    generators.push((Some(pattern), source));
                }
            }
        }
        let tested = self.random.chance(if bare { 90 } else { 30 });
        let serial = self.random.chance(4);
        let (test, body) = self.with(bound, |maker| {
            let test = tested.then(|| maker.exp(&Ty::Bool, (sizes[1] / 2).clamp(2, 8)));
            (test, (!bare).then(|| maker.exp(element, sizes[2].max(2))))
        });
        self.scope.truncate(before);
        let each = Each { serial, body, generators, test };
        let each = Exp::new(ty.clone(), Kind::Each(Box::new(each)));
        match wrapped {
            Some(binding) => Exp::new(ty.clone(), Kind::Let(vec![binding], Box::new(each))),
            None => each,
        }
    }

    /// The type of a source: often that of a sequence in scope.
    fn source_type(&mut self) -> Ty {
        let names = self.visible(|t| t.element().is_some());
        if !names.is_empty() && self.random.chance(55) {
            return self.random.pick(&names).ty.clone();
        }
        let depth = self.random.below(DEPTH);
        self.ty(depth).seq()
    }

    /// Another source, as long as the first one, which is a name.
    fn source_like(&mut self, first: &Exp, size: usize) -> Exp {
        let Some(element) = first.ty.element().cloned() else { unreachable!("a source") };
        let whole = |text| (first.ty.clone(), text);
        let mut ways: Vec<(Ty, &'static str)> = vec![
            (Ty::Int.seq(), "index(#$0)"),
            whole("reverse($0)"),
            whole("rotate($0, 1)"),
            (Ty::Bool.seq(), "mark_duplicates($0)"),
            (Ty::Int.seq().seq(), "dist([1, 2], #$0)"),
        ];
        if element.in_class('n') {
            ways.push(whole("plus_scan($0)"));
        }
        if element.in_class('o') {
            ways.push((Ty::Int.seq(), "rank($0)"));
            ways.push(whole("sort($0)"));
        }
        if self.risky && self.random.chance(15) {
            return self.exp(&first.ty, size.max(1));
        }
        if self.random.chance(30) {
            let depth = self.random.below(3);
            let body_ty = self.ty(depth);
            let (pattern, vars) = self.pattern(&element);
            let body = self.with(vars, |maker| maker.exp(&body_ty, size.max(2)));
            let generators = vec![(Some(pattern), first.clone())];
            let each = Each { serial: false, body: Some(body), generators, test: None };
            return Exp::new(body_ty.seq(), Kind::Each(Box::new(each)));
        }
        let (ty, text) = self.random.pick(&ways).clone();
        Exp::new(ty, Kind::Template(text, vec![first.clone()]))
    }
}
