//! Who owns the sequences that a function gives to calls of its recursion.

use super::Known;
use crate::origin::{Behind, Origin, Path, Step};
use nest::{Block, Func, Function, Op, Type, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Who owns the sequences of a value.
#[derive(Clone)]
enum Held {
    Scalar,
    Tuple(Vec<Held>),
    /// The sequence, and its elements.
    Seq(Holders, Box<Held>),
}

/// Who owns a sequence: the lane, which has made it, if it is neither lent nor one of these
/// parameters, which the lane owns.
#[derive(Clone, Default)]
struct Holders {
    lent: bool,
    params: BTreeSet<Path>,
}

impl Held {
    /// A value all of whose sequences are held so.
    fn all(ty: &Type, holders: &Holders) -> Held {
        match ty {
            Type::Scalar(_) => Held::Scalar,
            Type::Tuple(parts) => {
                Held::Tuple(parts.iter().map(|part| Held::all(part, holders)).collect())
            }
            Type::Seq(element) => Held::Seq(holders.clone(), Box::new(Held::all(element, holders))),
        }
    }

    fn made(ty: &Type) -> Held {
        Held::all(ty, &Holders::default())
    }

    fn lent(ty: &Type) -> Held {
        Held::all(ty, &Holders { lent: true, params: BTreeSet::new() })
    }

    /// A parameter, of which this is lent.
    fn given(ty: &Type, path: Path, lent: &BTreeSet<Path>) -> Held {
        match ty {
            Type::Scalar(_) => Held::Scalar,
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let given = |(n, part)| Held::given(part, path.then(Step::Part(n)), lent);
                Held::Tuple(parts.map(given).collect())
            }
            Type::Seq(element) => {
                let elements = Held::given(element, path.then(Step::Elements), lent);
                let lent = lent.contains(&path);
                let holders = Holders { lent, params: BTreeSet::from([path]) };
                Held::Seq(holders, Box::new(elements))
            }
        }
    }

    fn or(&self, other: &Held) -> Held {
        match (self, other) {
            (Held::Tuple(a), Held::Tuple(b)) => {
                Held::Tuple(a.iter().zip(b).map(|(a, b)| a.or(b)).collect())
            }
            (Held::Seq(a, inner), Held::Seq(b, other)) => {
                let params = a.params.union(&b.params).cloned().collect();
                let holders = Holders { lent: a.lent || b.lent, params };
                Held::Seq(holders, Box::new(inner.or(other)))
            }
            (same, _) => same.clone(),
        }
    }

    fn part(&self, n: usize) -> Held {
        match self {
            Held::Tuple(parts) => parts[n].clone(),
            Held::Scalar | Held::Seq(..) => unreachable!("no tuple"),
        }
    }

    fn element(&self) -> Held {
        match self {
            Held::Seq(_, element) => (**element).clone(),
            Held::Scalar | Held::Tuple(_) => unreachable!("no sequence"),
        }
    }

    /// Visits the sequences, those in elements after what holds them.
    fn each_seq(&self, visit: &mut impl FnMut(&Holders)) {
        match self {
            Held::Scalar => {}
            Held::Tuple(parts) => parts.iter().for_each(|part| part.each_seq(visit)),
            Held::Seq(holders, element) => {
                visit(holders);
                element.each_seq(visit);
            }
        }
    }

    /// Who holds the sequence at a place in these arguments.
    fn at(args: &[Held], path: &Path) -> Held {
        let step = |held: Held, step: &Step| match step {
            Step::Part(n) => held.part(*n),
            Step::Elements => held.element(),
        };
        path.steps().iter().fold(args[path.param()].clone(), step)
    }

    /// The result of a function, which lies so, given these arguments.
    fn seen(origin: &Origin, ty: &Type, args: &[Held]) -> Held {
        match (origin, ty) {
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Held::Tuple(parts.map(|(part, ty)| Held::seen(part, ty, args)).collect())
            }
            (Origin::Seq(Behind { given, own }), Type::Seq(element)) => {
                let given = given.iter().map(|path| Held::at(args, path));
                let own = own.iter().map(|own| {
                    let element = Held::seen(own, element, args);
                    Held::Seq(Holders::default(), Box::new(element))
                });
                given.chain(own).reduce(|a, b| a.or(&b)).unwrap_or_else(|| Held::made(ty))
            }
            _ => Held::made(ty),
        }
    }
}

/// A call of a function of the same recursion.
struct Call {
    value: Value,
    callee: Func,
    /// Who holds the sequences of its arguments for which that matters.
    given: Vec<(Path, Holders)>,
}

/// A call, by the value that it gives, and what is lent to it.
pub(super) struct Target {
    pub(super) call: Value,
    pub(super) callee: Func,
    pub(super) lent: BTreeSet<Path>,
}

/// What is known of a function whose arguments are lent or owned.
pub(super) struct Holding<'a> {
    known: &'a Known<'a>,
    func: Func,
    function: &'a Function,
    /// Who holds each value, and around how many apply-to-eaches it was made.
    env: FxHashMap<Value, (usize, Held)>,
    within: usize,
    /// How often each parameter that is owned is given to a call or handed up, whichever arms are
    /// taken.
    uses: BTreeMap<Path, usize>,
    calls: Vec<Call>,
}

impl<'a> Holding<'a> {
    /// A function of which some arguments are lent.
    pub(super) fn of(known: &'a Known<'a>, func: Func, lent: &BTreeSet<Path>) -> Holding<'a> {
        let function = &known.program.funcs[func];
        let mut env = FxHashMap::default();
        for (param, &value) in function.params.iter().enumerate() {
            let path = Path::of(param);
            env.insert(value, (0, Held::given(&function.values[value].ty, path, lent)));
        }
        let (uses, calls) = (BTreeMap::new(), Vec::new());
        let mut holding = Holding { known, func, function, env, within: 0, uses, calls };
        let result = holding.block(&function.body);
        result.each_seq(&mut |holders| count(&mut holding.uses, holders));
        holding
    }

    /// The parameters that are given to calls for which it matters whether they are owned.
    pub(super) fn used(self) -> impl Iterator<Item = Path> {
        let given = self.calls.into_iter().flat_map(|call| call.given);
        given.filter(|(_, holders)| !holders.lent).flat_map(|(_, holders)| holders.params)
    }

    /// What is lent to each call.
    pub(super) fn targets(self) -> impl Iterator<Item = Target> {
        let uses = self.uses;
        self.calls.into_iter().map(move |Call { value, callee, given }| {
            let is_lent =
                |holders: &Holders| holders.lent || holders.params.iter().any(|p| uses[p] > 1);
            let lent = given.into_iter().filter(|(_, holders)| is_lent(holders));
            Target { call: value, callee, lent: lent.map(|(path, _)| path).collect() }
        })
    }

    fn ty(&self, value: Value) -> &'a Type {
        &self.function.values[value].ty
    }

    /// Who holds a value, as the current lanes see it.
    fn get(&self, value: Value) -> Held {
        match &self.env[&value] {
            (within, _) if *within < self.within => Held::lent(self.ty(value)),
            (_, held) => held.clone(),
        }
    }

    fn block(&mut self, block: &Block) -> Held {
        for stmt in &block.stmts {
            let held = self.op(&stmt.op, stmt.value);
            self.env.insert(stmt.value, (self.within, held));
        }
        self.get(block.result)
    }

    fn op(&mut self, op: &Op, result: Value) -> Held {
        match op {
            Op::Copy(v) => self.get(*v),
            Op::Tuple(parts) => Held::Tuple(parts.iter().map(|&part| self.get(part)).collect()),
            Op::Field(v, n) => self.get(*v).part(*n),
            Op::Each(each) => {
                let elements = each.generators.iter();
                let elements: Vec<_> =
                    elements.map(|&(bound, source)| (bound, self.get(source).element())).collect();
                self.within += 1;
                for (bound, element) in elements {
                    self.env.insert(bound, (self.within, element));
                }
                if let Some(test) = &each.test {
                    self.block(test);
                }
                let body = self.block(&each.body);
                self.within -= 1;
                Held::Seq(Holders::default(), Box::new(body))
            }
            Op::If(_, then, els) => {
                let before = self.uses.clone();
                let then = self.block(then);
                let after = std::mem::replace(&mut self.uses, before);
                let els = self.block(els);
                for (path, count) in after {
                    let known = self.uses.entry(path).or_default();
                    *known = count.max(*known);
                }
                then.or(&els)
            }
            Op::Call(callee, args) => {
                let args: Vec<Held> = args.iter().map(|&arg| self.get(arg)).collect();
                let recursion = &self.known.analysis.recursion;
                if recursion[*callee] != recursion[self.func] {
                    return Held::seen(self.known.origins.of(*callee), self.ty(result), &args);
                }
                let matters = self.known.matters[*callee].iter();
                let given: Vec<_> =
                    matters.map(|path| (path.clone(), Held::at(&args, path).holders())).collect();
                given.iter().for_each(|(_, holders)| count(&mut self.uses, holders));
                self.calls.push(Call { value: result, callee: *callee, given });
                Held::lent(self.ty(result))
            }
            // It is paid for what it gives.
            _ => Held::made(self.ty(result)),
        }
    }
}

impl Held {
    fn holders(self) -> Holders {
        match self {
            Held::Seq(holders, _) => holders,
            Held::Scalar | Held::Tuple(_) => unreachable!("no sequence"),
        }
    }
}

fn count(uses: &mut BTreeMap<Path, usize>, holders: &Holders) {
    if !holders.lent {
        for path in &holders.params {
            *uses.entry(path.clone()).or_default() += 1;
        }
    }
}
