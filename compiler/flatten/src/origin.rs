//! Where the results of functions lie.
//!
//! A sequence that a function hands up as it was given it, or a slice of one, or an element of a
//! nested one, looks into a *pool* of an argument.  A call of such a function gives start and
//! length alone, and its caller knows the pool: nothing is copied, however deep the recursion.
//!
//! ```text
//! function down(v, k) = if k == 0 then v else down(drop(v, 1), k - 1)    lies in v
//! function halves(v) = [take(v, #v / 2), drop(v, #v / 2)]                its elements lie in v
//! ```
//!
//! Found by evaluating functions over origins instead of values, until nothing changes.

use crate::analysis::callees;
use crate::rep::{Pool, Rep};
use base::{Id, IdMap};
use nest::{Block, Func, Function, Op, Program, Type, Value};
use rustc_hash::FxHashMap;

/// Where the parts of a value lie.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Origin {
    /// Not known yet: what calls give that lead back to the function itself.
    Open,
    Scalar,
    Tuple(Vec<Origin>),
    /// In the pool behind this sequence among the arguments.
    Given(Path),
    /// In a pool of its own, whose elements are of this origin.
    Own(Box<Origin>),
}

/// A sequence among the arguments of a function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Path {
    param: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    /// Part of a tuple.
    Part(usize),
    /// Elements of a sequence.
    Elements,
}

impl Path {
    fn then(&self, step: Step) -> Path {
        let mut steps = self.steps.clone();
        steps.push(step);
        Path { param: self.param, steps }
    }

    /// The pool behind the sequence, in these arguments, whose sequences are plain views.
    pub(crate) fn pool<'r>(&self, args: &'r [Rep]) -> &'r Pool {
        let mut rep = &args[self.param];
        let mut steps = self.steps.iter().chain([&Step::Elements]);
        let mut pool = loop {
            match (rep, steps.next()) {
                (Rep::Tuple(parts), Some(Step::Part(n))) => rep = &parts[*n],
                (Rep::View { pool, .. }, Some(Step::Elements)) => break pool,
                _ => unreachable!("{self:?} in {rep:?}"),
            }
        };
        for step in steps {
            pool = match (pool, step) {
                (Pool::Tuple(parts), Step::Part(n)) => &parts[*n],
                (Pool::Seq(_, inner), Step::Elements) => inner,
                _ => unreachable!("{self:?} in {pool:?}"),
            };
        }
        pool
    }
}

impl Origin {
    /// A value of this type at a place among the arguments.
    fn given(ty: &Type, path: Path) -> Origin {
        match ty {
            Type::Scalar(_) => Origin::Scalar,
            Type::Tuple(parts) => Origin::Tuple(
                parts
                    .iter()
                    .enumerate()
                    .map(|(n, part)| Origin::given(part, path.then(Step::Part(n))))
                    .collect(),
            ),
            Type::Seq(_) => Origin::Given(path),
        }
    }

    /// A value of this type that has nothing of the arguments.
    fn own(ty: &Type) -> Origin {
        match ty {
            Type::Scalar(_) => Origin::Scalar,
            Type::Tuple(parts) => Origin::Tuple(parts.iter().map(Origin::own).collect()),
            Type::Seq(element) => Origin::Own(Box::new(Origin::own(element))),
        }
    }

    /// An element, of this type, of a sequence.
    fn element(&self, ty: &Type) -> Origin {
        match self {
            Origin::Open => Origin::Open,
            Origin::Given(path) => Origin::given(ty, path.then(Step::Elements)),
            Origin::Own(element) => (**element).clone(),
            Origin::Scalar | Origin::Tuple(_) => unreachable!("{self:?} is no sequence"),
        }
    }

    /// Part `n` of a tuple.
    fn part(&self, n: usize) -> Origin {
        match self {
            Origin::Open => Origin::Open,
            Origin::Tuple(parts) => parts[n].clone(),
            _ => unreachable!("{self:?} is no tuple"),
        }
    }

    /// One or the other.
    fn or(&self, other: &Origin, ty: &Type) -> Origin {
        match (self, other, ty) {
            (Origin::Open, known, _) | (known, Origin::Open, _) => known.clone(),
            (Origin::Tuple(a), Origin::Tuple(b), Type::Tuple(tys)) => {
                let parts = a.iter().zip(b).zip(tys);
                Origin::Tuple(parts.map(|((a, b), ty)| a.or(b, ty)).collect())
            }
            (a, b, Type::Seq(element)) if a != b => {
                Origin::Own(Box::new(a.element(element).or(&b.element(element), element)))
            }
            (same, ..) => same.clone(),
        }
    }

    /// The same, where what is still open has nothing of the arguments.
    fn closed(&self, ty: &Type) -> Origin {
        match (self, ty) {
            (Origin::Open, ty) => Origin::own(ty),
            (Origin::Tuple(parts), Type::Tuple(tys)) => {
                Origin::Tuple(parts.iter().zip(tys).map(|(part, ty)| part.closed(ty)).collect())
            }
            (Origin::Own(element), Type::Seq(ty)) => Origin::Own(Box::new(element.closed(ty))),
            (other, _) => other.clone(),
        }
    }

    /// What the caller of a function sees, whose arguments are of these origins and types.
    fn seen(&self, args: &[Origin], tys: &[&Type]) -> Origin {
        match self {
            Origin::Open | Origin::Scalar => self.clone(),
            Origin::Tuple(parts) => {
                Origin::Tuple(parts.iter().map(|part| part.seen(args, tys)).collect())
            }
            Origin::Own(element) => Origin::Own(Box::new(element.seen(args, tys))),
            Origin::Given(path) => {
                let (mut at, mut ty) = (args[path.param].clone(), tys[path.param]);
                for step in &path.steps {
                    (at, ty) = match (step, ty) {
                        (Step::Part(n), Type::Tuple(parts)) => (at.part(*n), &parts[*n]),
                        (Step::Elements, Type::Seq(element)) => (at.element(element), &**element),
                        _ => unreachable!("{path:?} in {ty:?}"),
                    };
                }
                at
            }
        }
    }
}

/// Where the result of each function lies.
pub(crate) struct Origins(IdMap<Func, Origin>);

impl Origins {
    pub(crate) fn new(program: &Program) -> Origins {
        let mut callers: IdMap<Func, Vec<Func>> =
            program.funcs.values().map(|_| Vec::new()).collect();
        for (func, function) in program.funcs.iter() {
            for callee in callees(&function.body) {
                callers[callee].push(func);
            }
        }
        let mut found = Origins(program.funcs.values().map(|_| Origin::Open).collect());
        let mut todo: Vec<Func> = program.funcs.ids().collect();
        let mut waits = vec![true; program.funcs.len()];
        while let Some(func) = todo.pop() {
            waits[func.index()] = false;
            let origin = found.result(program, &program.funcs[func]);
            if found.0[func] != origin {
                found.0[func] = origin;
                for &caller in &callers[func] {
                    if !std::mem::replace(&mut waits[caller.index()], true) {
                        todo.push(caller);
                    }
                }
            }
        }
        for (func, function) in program.funcs.iter() {
            let ty = &function.values[function.body.result].ty;
            found.0[func] = found.0[func].closed(ty);
        }
        found
    }

    /// Where the result of a function lies; nothing is [`Origin::Open`].
    pub(crate) fn of(&self, func: Func) -> &Origin {
        &self.0[func]
    }

    fn result(&self, program: &Program, function: &Function) -> Origin {
        let mut env = FxHashMap::default();
        for (param, &value) in function.params.iter().enumerate() {
            let path = Path { param, steps: Vec::new() };
            env.insert(value, Origin::given(&function.values[value].ty, path));
        }
        Evaluator { origins: self, program, function, env }.block(&function.body)
    }
}

/// The evaluation of one function.
struct Evaluator<'a> {
    origins: &'a Origins,
    program: &'a Program,
    function: &'a Function,
    env: FxHashMap<Value, Origin>,
}

impl Evaluator<'_> {
    fn block(&mut self, block: &Block) -> Origin {
        for stmt in &block.stmts {
            let origin = self.op(&stmt.op, stmt.value);
            self.env.insert(stmt.value, origin);
        }
        self.env[&block.result].clone()
    }

    fn ty(&self, value: Value) -> &Type {
        &self.function.values[value].ty
    }

    /// An element of a sequence.
    fn element(&self, seq: Value) -> Origin {
        self.env[&seq].element(self.ty(seq).element())
    }

    fn op(&mut self, op: &Op, result: Value) -> Origin {
        match op {
            Op::Copy(v) | Op::Slice { seq: v, .. } => self.env[v].clone(),
            Op::Tuple(parts) => {
                Origin::Tuple(parts.iter().map(|part| self.env[part].clone()).collect())
            }
            Op::Field(v, n) => self.env[v].part(*n),
            Op::Element(seq, _) => self.element(*seq),
            Op::Partition(seq, _) => Origin::Own(Box::new(self.env[seq].clone())),
            Op::Flatten(seq) => {
                let pieces = self.ty(*seq).element();
                Origin::Own(Box::new(self.element(*seq).element(pieces.element())))
            }
            Op::Seq(items) => {
                let ty = self.ty(result).element();
                let item = items.iter().map(|item| self.env[item].clone());
                let item = item.reduce(|a, b| a.or(&b, ty));
                Origin::Own(Box::new(item.unwrap_or_else(|| Origin::own(ty))))
            }
            Op::Append(a, b) => {
                let ty = self.ty(result).element();
                Origin::Own(Box::new(self.element(*a).or(&self.element(*b), ty)))
            }
            Op::Permute(seq, _) => Origin::Own(Box::new(self.element(*seq))),
            Op::Each(each) => {
                for &(bound, source) in &each.generators {
                    let element = self.element(source);
                    self.env.insert(bound, element);
                }
                if let Some(test) = &each.test {
                    self.block(test);
                }
                Origin::Own(Box::new(self.block(&each.body)))
            }
            Op::If(_, then, els) => {
                let (then, els) = (self.block(then), self.block(els));
                then.or(&els, self.ty(result))
            }
            Op::Call(func, args) => {
                let callee = &self.program.funcs[*func];
                let args: Vec<Origin> = args.iter().map(|arg| self.env[arg].clone()).collect();
                let tys: Vec<&Type> =
                    callee.params.iter().map(|&param| &callee.values[param].ty).collect();
                self.origins.0[*func].seen(&args, &tys)
            }
            _ => Origin::own(self.ty(result)),
        }
    }
}
