//! Functions of generated programs: plain ones, and the ways in which they recur.
//!
//! A recursive function ends because its first parameter counts down (*fuel*), or because a
//! sequence shrinks with every call.

use super::draft::Draft;
use super::maker::{Callable, Maker, Var};
use super::tree::{Each, Exp, Form, Kind};
use super::ty::Ty;

/// How far a recursive function counts down at most.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fuel {
    /// Its calls may hold bulk work or call it more than once.
    Little,
    /// A loop of scalars.
    Much,
}

impl Maker {
    /// A new function whose result can be of this type, ready to be called.
    pub(super) fn new_function(&mut self, result: &Ty) -> Callable {
        self.inside += 1;
        let callable = self.outside(|maker| {
            maker.scalar = result.depth() == 0 && maker.random.chance(40);
            let result = maker.generalised(result);
            // A function that calls itself cannot return functions.
            let ways = match (result.has_function(), maker.scalar) {
                (true, _) => 3,
                (_, true) => 7,
                _ => 11,
            };
            let callable = match maker.random.below(ways) {
                0..=2 => maker.plain(&result),
                3 | 4 => maker.counting(&result),
                5 => maker.mutual(&result),
                6 => maker.tail(&result),
                7 => maker.unguarded(&result),
                _ => maker.dividing(&result),
            };
            maker.scalar = false;
            callable
        });
        self.inside -= 1;
        self.callables.push(callable.clone());
        callable
    }

    fn plain(&mut self, result: &Ty) -> Callable {
        let draft = self.draft(result, Vec::new());
        let size = 6 + self.random.below(18);
        let body = self.with(draft.vars(), |maker| maker.exp(result, size));
        let callable = draft.callable(None, false);
        self.finish(draft, body);
        callable
    }

    /// `if n <= 0 then BASE else let r = f(n - 1, ...) in BODY`.
    fn counting(&mut self, result: &Ty) -> Callable {
        let draft = self.draft(result, vec![Ty::Int]);
        let callable = draft.callable(Some(Fuel::Little), true);
        let body = self.countdown(&draft, &[&callable]);
        self.finish(draft, body);
        callable
    }

    /// Two or three functions that count down together: each calls the next, and perhaps others.
    fn mutual(&mut self, result: &Ty) -> Callable {
        let mut drafts = vec![self.draft(result, vec![Ty::Int])];
        for _ in 0..1 + self.random.below(2) {
            let other = self.ty(1);
            drafts.push(self.draft(&other, vec![Ty::Int]));
        }
        let fuel = Some(Fuel::Little);
        let callables: Vec<_> = drafts.iter().map(|draft| draft.callable(fuel, true)).collect();
        let count = drafts.len();
        for (i, draft) in drafts.into_iter().enumerate() {
            // The next one first.
            let callees: Vec<_> = (1..=count).map(|n| &callables[(i + n) % count]).collect();
            let body = self.countdown(&draft, &callees);
            self.finish(draft, body);
        }
        for form in self.forms.iter_mut().rev().take(count) {
            // Each waits for the next, and not for its declaration.
            if let Form::Function(function) = form {
                function.declared = false;
            }
        }
        callables[0].clone()
    }

    fn countdown(&mut self, draft: &Draft, callees: &[&Callable]) -> Exp {
        let fuel = draft.first().to_owned();
        self.with(draft.vars(), |maker| {
            let base = maker.exp(&draft.result, 4);
            let arms = *maker.random.pick(&[1, 1, 2, 2, 3]);
            let rest = maker.arms(arms, &draft.result, &fuel, callees);
            until_done(&fuel, base, rest)
        })
    }

    /// So many arms that call, and go on with the result or end with it.
    fn arms(&mut self, arms: usize, result: &Ty, fuel: &str, callees: &[&Callable]) -> Exp {
        if arms > 1 {
            let test = self.exp(&Ty::Bool, 5);
            let others: Vec<&Callable> = callees.iter().rev().copied().collect();
            let first = self.arms(1, result, fuel, callees);
            let rest = self.arms(arms - 1, result, fuel, &others);
            return Exp::new(result.clone(), Kind::If(Box::new([test, first, rest])));
        }
        let last = callees.iter().find(|callee| callee.result == *result);
        if let Some(callee) = last.filter(|_| self.random.chance(20)) {
            return self.next_call(fuel, callee);
        }
        let (pattern, again, vars) = self.again(fuel, callees);
        let size = 4 + self.random.below(10);
        let body = self.with(vars, |maker| maker.exp(result, size));
        Exp::new(result.clone(), Kind::Let(vec![(pattern, again)], Box::new(body)))
    }

    /// A call of the first of these, or several in lanes or in an arm, and the names of what they
    /// give.
    fn again(&mut self, fuel: &str, callees: &[&Callable]) -> (String, Exp, Vec<Var>) {
        let callee = callees[0];
        let result = callee.result.clone();
        let exp = match self.random.below(if self.scalar { 5 } else { 6 }) {
            0 | 1 => self.next_call(fuel, callee),
            2 => {
                let other = *self.random.pick::<&Callable>(callees);
                let calls = vec![self.next_call(fuel, callee), self.next_call(fuel, other)];
                let ty = Ty::tuple(vec![result, other.result.clone()]);
                Exp::new(ty, Kind::Tuple(calls))
            }
            5 => self.for_elements(fuel, callee),
            _ => {
                let test = self.exp(&Ty::Bool, 4);
                let call = self.next_call(fuel, callee);
                let other = self.exp(&result, 3);
                Exp::new(result, Kind::If(Box::new([test, call, other])))
            }
        };
        let (pattern, vars) = self.pattern(&exp.ty);
        (pattern, exp, vars)
    }

    /// Calls for all elements of a sequence, or for elements of elements.
    fn for_elements(&mut self, fuel: &str, callee: &Callable) -> Exp {
        let item = self.ty(1);
        let (pattern, vars) = self.pattern(&item);
        let count = self.random.below(4);
        let sources = (0..count).map(|_| self.exp(&item, 3)).collect();
        let source = Exp::new(item.seq(), Kind::Seq(sources));
        let (test, body) = self.with(vars, |maker| {
            let test = maker.random.chance(30).then(|| maker.exp(&Ty::Bool, 3));
            let inner = maker.random.chance(25);
            let body = if inner {
                maker.for_elements(fuel, callee)
            } else {
                maker.next_call(fuel, callee)
            };
            (test, body)
        });
        let ty = body.ty.clone().seq();
        let generators = vec![(Some(pattern), source)];
        let each = Each { serial: false, body: Some(body), generators, test };
        Exp::new(ty, Kind::Each(Box::new(each)))
    }

    fn next_call(&mut self, fuel: &str, callee: &Callable) -> Exp {
        let fuel = Exp::name(Ty::Int, fuel);
        let text = *self.random.pick(&["$0 - 1", "$0 - 1", "$0 - 2"]);
        let mut args = vec![Exp::new(Ty::Int, Kind::Template(text, vec![fuel]))];
        args.extend(self.passed_on(callee));
        let named = self.named(callee, &self.own_letters(), 3);
        Exp::new(callee.result.clone(), Kind::Call(callee.name.clone(), args, named))
    }

    /// Inside a function its variables stand for themselves.
    fn own_letters(&self) -> Vec<(char, Ty)> {
        self.letters.iter().map(|&letter| (letter, Ty::Var(letter))).collect()
    }

    /// The arguments behind the first; functions are passed on as they are, if there are any.
    fn passed_on(&mut self, callee: &Callable) -> Vec<Exp> {
        let params = &callee.params[1..];
        params
            .iter()
            .map(|param| {
                let same = self.visible(|t| t == param);
                if param.has_function() && !same.is_empty() {
                    return Exp::name(param.clone(), &same[0].name);
                }
                let size = 1 + self.random.below(5);
                self.exp(param, size)
            })
            .collect()
    }

    /// `let r = {f(i, ...) : i in [0:n]} in BODY`, which ends where there are no lanes.
    fn unguarded(&mut self, result: &Ty) -> Callable {
        // Nothing else might tell the type of its result.
        let draft = self.draft(result, vec![Ty::Int]).written();
        let callable = draft.callable(Some(Fuel::Little), true);
        let count = Exp::name(Ty::Int, draft.first());
        let body = self.with(draft.vars(), |maker| {
            let source = Exp::new(Ty::Int.seq(), Kind::Template("[0:$0]", vec![count]));
            let lane = maker.fresh_var("v", &Ty::Int);
            let name = lane.name.clone();
            let (test, call) = maker.with(vec![lane], |maker| {
                let test = maker.random.chance(30).then(|| maker.exp(&Ty::Bool, 3));
                let mut args = vec![Exp::name(Ty::Int, &name)];
                args.extend(maker.passed_on(&callable));
                let named = maker.named(&callable, &maker.own_letters(), 3);
                let call = Kind::Call(callable.name.clone(), args, named);
                (test, Exp::new(result.clone(), call))
            });
            let generators = vec![(Some(name), source)];
            let each = Each { serial: false, body: Some(call), generators, test };
            let again = Exp::new(result.seq(), Kind::Each(Box::new(each)));
            let var = maker.fresh_var("v", &again.ty);
            let name = var.name.clone();
            let size = 4 + maker.random.below(8);
            let body = maker.with(vec![var], |maker| maker.exp(result, size));
            Exp::new(result.clone(), Kind::Let(vec![(name, again)], Box::new(body)))
        });
        self.finish(draft, body);
        callable
    }

    /// `if n <= 0 then RESULT else f(n - 1, ...)`.
    fn tail(&mut self, result: &Ty) -> Callable {
        let draft = self.draft(result, vec![Ty::Int, result.clone()]);
        let steps = if self.scalar { Fuel::Much } else { Fuel::Little };
        let callable = draft.callable(Some(steps), true);
        let fuel = draft.first().to_owned();
        let body = self.with(draft.vars(), |maker| {
            let base = maker.exp(result, 4);
            let mut call = maker.next_call(&fuel, &callable);
            if let Kind::Call(_, args, _) = &mut call.kind {
                let size = 4 + maker.random.below(8);
                args[1] = maker.exp(result, size);
            }
            until_done(&fuel, base, call)
        });
        self.finish(draft, body);
        callable
    }

    /// Divide and conquer on the sequence that comes first.
    fn dividing(&mut self, result: &Ty) -> Callable {
        let element = match self.random.below(5) {
            0..=2 => Ty::Int,
            3 => Ty::Char,
            _ => self.ty(1),
        };
        let draft = self.draft(result, vec![element.seq()]);
        let callable = draft.callable(None, true);
        let sequence = Exp::name(element.seq(), draft.first());
        let body = self.with(draft.vars(), |maker| {
            let base = maker.exp(result, 4);
            let ways = if element.in_class('o') { 6 } else { 4 };
            let (smallest, text, several) = match maker.random.below(ways) {
                0 => (1, "bottop($0)", true),
                1 => (1, "drop($0, #$0 - #$0 / 2)", false),
                2 => (0, "drop($0, 1)", false),
                3 => (1, "[take($0, #$0 / 2), drop($0, #$0 / 2)]", true),
                _ => (1, "let z = $0[#$0 / 2] in [{zx in $0 | zx < z}, {zx in $0 | zx > z}]", true),
            };
            let (name, part) = (maker.fresh("v"), maker.fresh("v"));
            let mut args = maker.passed_on(&callable);
            let ty = if several { element.seq().seq() } else { element.seq() };
            let source = Exp::new(ty, Kind::Template(text, vec![sequence.clone()]));
            let named = maker.named(&callable, &maker.own_letters(), 3);
            let call =
                |args| Exp::new(result.clone(), Kind::Call(callable.name.clone(), args, named));
            let again = if several {
                args.insert(0, Exp::name(element.seq(), &part));
                let generators = vec![(Some(part), source)];
                let body = Some(call(args));
                let each = Each { serial: false, body, generators, test: None };
                Exp::new(result.seq(), Kind::Each(Box::new(each)))
            } else {
                args.insert(0, source);
                call(args)
            };
            let vars = vec![Var { name: name.clone(), ty: again.ty.clone() }];
            let size = 4 + maker.random.below(8);
            let body = maker.with(vars, |maker| maker.exp(result, size));
            let rest = Exp::new(result.clone(), Kind::Let(vec![(name, again)], Box::new(body)));
            let text = if smallest == 0 { "#$0 == 0" } else { "#$0 <= 1" };
            let done = Exp::new(Ty::Bool, Kind::Template(text, vec![sequence.clone()]));
            Exp::new(result.clone(), Kind::If(Box::new([done, base, rest])))
        });
        self.finish(draft, body);
        callable
    }
}

/// `if fuel <= 0 then base else rest`.
fn until_done(fuel: &str, base: Exp, rest: Exp) -> Exp {
    let ty = rest.ty.clone();
    let done = Exp::new(Ty::Bool, Kind::Template("$0 <= 0", vec![Exp::name(Ty::Int, fuel)]));
    Exp::new(ty, Kind::If(Box::new([done, base, rest])))
}
