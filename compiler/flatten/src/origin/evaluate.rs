//! Evaluation of functions over origins.

use super::{Behind, Origin, Origins, Path, Step};
use crate::analysis::Analysis;
use base::Id;
use nest::{Block, Func, Function, Op, Program, Type, Value};
use prim::ScalarOp;
use rustc_hash::FxHashMap;

/// The evaluation of one function.
pub(super) struct Evaluator<'a> {
    origins: &'a Origins<'a>,
    program: &'a Program,
    analysis: &'a Analysis,
    func: Func,
    function: &'a Function,
    env: FxHashMap<Value, Origin>,
    made: Vec<(Func, Path)>,
    /// Whether it gives the sequences that are inside of those it makes to its own recursion in
    /// another order.
    mixes: bool,
    /// How values were made.
    ops: FxHashMap<Value, &'a Op>,
}

impl<'a> Evaluator<'a> {
    /// Before the body of a function is evaluated.
    pub(super) fn new(
        origins: &'a Origins<'a>,
        program: &'a Program,
        analysis: &'a Analysis,
        func: Func,
    ) -> Evaluator<'a> {
        let function = &program.funcs[func];
        let mut env = FxHashMap::default();
        for (param, &value) in function.params.iter().enumerate() {
            env.insert(value, Origin::given(&function.values[value].ty, Path::of(param)));
        }
        let (made, ops) = (Vec::new(), FxHashMap::default());
        Evaluator { origins, program, analysis, func, function, env, made, mixes: false, ops }
    }

    /// Where the result lies, and what functions of the same recursion are given that it has made.
    pub(super) fn run(mut self) -> (Origin, Vec<(Func, Path)>) {
        let origin = self.block(&self.function.body);
        (origin, self.made)
    }

    /// Whether numbers of pools inside of sequences that come from below are written anew.
    pub(super) fn mixes(mut self) -> bool {
        self.block(&self.function.body);
        self.mixes
    }

    fn block(&mut self, block: &'a Block) -> Origin {
        for stmt in &block.stmts {
            let origin = self.op(&stmt.op, stmt.value);
            self.env.insert(stmt.value, origin);
            self.ops.insert(stmt.value, &stmt.op);
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

    fn op(&mut self, op: &'a Op, result: Value) -> Origin {
        match op {
            Op::Copy(v) | Op::Slice { seq: v, .. } => self.env[v].clone(),
            Op::Tuple(parts) => {
                Origin::Tuple(parts.iter().map(|part| self.env[part].clone()).collect())
            }
            Op::Field(v, n) => self.env[v].part(*n),
            Op::Element(seq, _) => self.element(*seq),
            Op::Partition(seq, _) => Origin::of_elements(self.env[seq].clone()),
            Op::Flatten(seq) => {
                let pieces = self.ty(*seq).element();
                Origin::of_elements(self.element(*seq).element(pieces.element()))
            }
            // Whatever it meets is behind it, too.
            _ if self.origins.unused[self.func].contains(&result) => Origin::Open,
            Op::Seq(items) => {
                let ty = self.ty(result).element();
                let item = items.iter().map(|item| self.env[item].clone());
                let item = item.reduce(|a, b| a.or(&b));
                Origin::of_elements(item.unwrap_or_else(|| Origin::own(ty)))
            }
            Op::Append(a, b) | Op::Write { into: a, values: b, .. } => {
                Origin::of_elements(self.element(*a).or(&self.element(*b)))
            }
            Op::Permute(seq, _) => Origin::of_elements(self.element(*seq)),
            Op::Each(each) => {
                for &(bound, source) in &each.generators {
                    let element = self.element(source);
                    self.env.insert(bound, element);
                }
                if let Some(test) = &each.test {
                    self.block(test);
                }
                Origin::of_elements(self.block(&each.body))
            }
            Op::If(cond, then, els) => {
                let (then, els) = (self.arm(*cond, then, true), self.arm(*cond, els, false));
                then.or(&els)
            }
            Op::Call(func, args) => {
                let callee = &self.program.funcs[*func];
                let tys: Vec<&Type> =
                    callee.params.iter().map(|&param| &callee.values[param].ty).collect();
                let mut args: Vec<Origin> = args.iter().map(|arg| self.env[arg].clone()).collect();
                if self.analysis.recursion[*func] == self.analysis.recursion[self.func] {
                    self.note_made(*func, &args, &tys);
                    self.note_mixed(*func, &args, &tys);
                }
                if self.origins.copying[func.index()] {
                    args = args.iter().zip(&tys).map(|(arg, ty)| arg.copied(ty)).collect();
                }
                let result = &self.origins.of[*func];
                result.seen(&args, &tys)
            }
            _ => Origin::own(self.ty(result)),
        }
    }

    /// An arm that is taken if a condition is this.
    fn arm(&mut self, cond: Value, block: &'a Block, taken: bool) -> Origin {
        let short = self.short(cond, taken).filter(|_| self.origins.short_is_made);
        let Some(seq) = short else { return self.block(block) };
        let known = self.env.insert(seq, Origin::own(self.ty(seq)));
        let result = self.block(block);
        self.env.extend(known.map(|known| (seq, known)));
        result
    }

    /// The sequence of scalars of which is known that it has at most so many elements as the text
    /// says, if a condition is this.
    fn short(&self, cond: Value, taken: bool) -> Option<Value> {
        let Some(Op::Scalar(op, args)) = self.ops.get(&cond) else { return None };
        let &[left, right] = args.as_slice() else { return None };
        let length = |value: Value| match self.ops.get(&value)? {
            Op::Length(seq) => Some(*seq),
            _ => None,
        };
        let constant = |value| matches!(self.ops.get(&value), Some(Op::Const(_)));
        let (seq, bound) = match op {
            ScalarOp::Eq if taken => (left, right),
            ScalarOp::Ne if !taken => (left, right),
            ScalarOp::Lt | ScalarOp::Le if taken => (left, right),
            ScalarOp::Lt | ScalarOp::Le => (right, left),
            ScalarOp::Gt | ScalarOp::Ge if taken => (right, left),
            ScalarOp::Gt | ScalarOp::Ge => (left, right),
            _ => return None,
        };
        length(seq).filter(|seq| constant(bound) && self.ty(*seq).element().is_flat())
    }

    /// Notes which sequences in these arguments were made in the recursion.
    fn note_made(&mut self, func: Func, args: &[Origin], tys: &[&Type]) {
        let known = &self.origins.made[self.func];
        for path in paths(tys) {
            let Origin::Seq(Behind { given, own }) = path.seen(args, tys) else { continue };
            if own.is_some() || given.iter().any(|path| known.has(path)) {
                self.made.push((func, path));
            }
        }
    }
}

impl Evaluator<'_> {
    /// Notes whether what is inside of sequences from below lies elsewhere than what is inside of
    /// those that are handed up.
    fn note_mixed(&mut self, func: Func, args: &[Origin], tys: &[&Type]) {
        let inside = self.origins.of[func].inside();
        let own = self.origins.of[self.func].inside();
        let stays = |(path, own): (&Path, &Path)| match path.seen(args, tys) {
            Origin::Seq(Behind { given, own: None }) => given.iter().eq([own]),
            _ => false,
        };
        let same = inside.len() == own.len() && inside.iter().zip(&own).all(stays);
        self.mixes |= !(same || inside.is_empty() || own.is_empty());
    }
}

/// All sequences in arguments of these types.
fn paths(tys: &[&Type]) -> Vec<Path> {
    fn add(ty: &Type, path: Path, found: &mut Vec<Path>) {
        match ty {
            Type::Scalar(_) => {}
            Type::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                parts.for_each(|(n, part)| add(part, path.then(Step::Part(n)), found));
            }
            Type::Seq(element) => {
                add(element, path.then(Step::Elements), found);
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for (param, ty) in tys.iter().enumerate() {
        add(ty, Path { param, steps: Vec::new() }, &mut found);
    }
    found
}
