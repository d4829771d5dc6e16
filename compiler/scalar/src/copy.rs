//! Copies of code into a builder: the one engine behind inlining, pulling producers into
//! consumers, dropping yields, dead code and simplification.
//!
//! A copy has fresh variables, numbered without gaps.  Because it is made through the [`Builder`],
//! operations whose operands turn out to be constants are folded on the way; an `if` on a constant
//! becomes its arm, an `if` without statements becomes selects, a loop that runs once becomes its
//! body, a loop parameter that never changes becomes its first value, and a `require` of T is gone.

use crate::build::Builder;
use crate::code::{Atom, Block, Call, Code, Name, Op, Stmt, Var};
use crate::live::Live;
use crate::map::Item;
use crate::share::Known;
use base::{Id, Span};
use prim::{Const, ScalarOp};

/// May supply the value of the read of a vector at an index.
type Supply<'a, R> = &'a mut dyn FnMut(&mut Builder<R>, R, Atom<R>) -> Option<Atom<R>>;

/// What is known of an outer scalar.
type Constant<'a, R> = &'a dyn Fn(R) -> Option<Const>;

/// May say what a variable holds.
type Given<'a, R> = &'a dyn Fn(Var) -> Option<Instead<R>>;

/// What stands in the place of an operation.
#[derive(Clone, Debug)]
pub enum Instead<R> {
    /// An operand that comes before it, or from outside.
    Atom(Atom<R>),
    /// The only yield of another code for these operands.
    Code(Code<R>, Vec<Atom<R>>),
}

/// What a copy does besides copying.
struct Options<'a, R> {
    /// Replaces reads.
    supply: Option<Supply<'a, R>>,
    /// Replaces outer scalars.
    constant: Option<Constant<'a, R>>,
    /// Replaces results of operations.
    given: Option<Given<'a, R>>,
    /// Leaves out what is not live.
    live: Option<&'a Live>,
    /// Shares equal operations.
    known: Option<Known<R>>,
}

impl<R> Options<'_, R> {
    fn none() -> Self {
        Options { supply: None, constant: None, given: None, live: None, known: None }
    }
}

impl<R: Name> Builder<R> {
    /// Appends a copy of the code's body, with `args` for its parameters, and gives its yields.
    pub fn inline(&mut self, code: &Code<R>, args: &[Atom<R>]) -> Vec<Atom<R>> {
        Copier::new(code, self, Options::none()).run(args)
    }

    /// The same, where a read for which `f` gives a value is that value.
    pub fn inline_with(
        &mut self,
        code: &Code<R>,
        args: &[Atom<R>],
        mut f: impl FnMut(&mut Builder<R>, R, Atom<R>) -> Option<Atom<R>>,
    ) -> Vec<Atom<R>> {
        Copier::new(code, self, Options { supply: Some(&mut f), ..Options::none() }).run(args)
    }
}

impl<R: Name> Code<R> {
    /// The code with each read for which `f` gives a value replaced by that value.  `f` may add
    /// statements: they run where the read was.  So producers are pulled into their consumers.
    #[must_use]
    pub fn replace_reads(
        &self,
        mut f: impl FnMut(&mut Builder<R>, R, Atom<R>) -> Option<Atom<R>>,
    ) -> Code<R> {
        self.rebuild(Options { supply: Some(&mut f), ..Options::none() })
    }

    /// The code with the outer scalars for which `f` gives a constant replaced by it.
    #[must_use]
    pub fn replace_outers(&self, f: impl Fn(R) -> Option<Const>) -> Code<R> {
        self.rebuild(Options { constant: Some(&f), ..Options::none() })
    }

    /// The code with what operations give replaced where `f` says what that is.
    #[must_use]
    pub fn replace_results(&self, f: impl Fn(Var) -> Option<Instead<R>>) -> Code<R> {
        self.rebuild(Options { given: Some(&f), ..Options::none() })
    }

    /// The code with only these yields, in this order, and without what only the others needed.
    #[must_use]
    pub fn keep_yields(&self, which: &[usize]) -> Code<R> {
        let yields = which.iter().map(|&k| self.body.yields[k]).collect();
        let body = Block { stmts: Vec::new(), yields };
        let mut code = Code { params: self.params.clone(), vars: self.vars.clone(), body };
        // Of many yields one needs few statements: the others are not copied, to be dropped then.
        let mut needed = vec![false; self.vars.len()];
        let note = |needed: &mut Vec<bool>, item: Item<'_, R>| {
            item.for_each_atom(&mut |atom| {
                if let Atom::Var(var) = atom {
                    needed[var.index()] = true;
                }
            });
        };
        note(&mut needed, Item::Yields(&code.body.yields));
        for stmt in self.body.stmts.iter().rev() {
            let wanted = stmt.results().iter().any(|var| needed[var.index()]);
            if wanted || stmt.has_effect(&|atom| self.ty(atom)) {
                note(&mut needed, Item::Stmt(stmt));
                stmt.blocks().into_iter().for_each(|b| b.walk(&mut |item| note(&mut needed, item)));
                code.body.stmts.push(stmt.clone());
            }
        }
        code.body.stmts.reverse();
        code.remove_dead_code()
    }

    /// The code without statements whose results nobody needs.  One that can fail stays.
    #[must_use]
    pub fn remove_dead_code(&self) -> Code<R> {
        self.rebuild(Options { live: Some(&Live::of(self)), ..Options::none() })
    }

    /// The same code without its checks, for a pass over data that another pass checks; or all of
    /// it if something else may fail, which must not come before a check, or loop or call, which
    /// a check may end.
    #[must_use]
    pub fn without_checks(&self) -> Code<R> {
        let mut endless = false;
        self.body.walk(&mut |item| {
            endless |= matches!(item, Item::Stmt(Stmt::Loop { .. } | Stmt::Call(_)));
        });
        if endless {
            return self.clone();
        }
        let mut code = self.clone();
        remove_checks(&mut code.body);
        let code = code.remove_dead_code();
        if code.has_effect() { self.clone() } else { code }
    }

    /// The same code, smaller: constants folded, equal operations shared, dead statements gone.
    #[must_use]
    pub fn simplify(&self) -> Code<R> {
        let shared = self.rebuild(Options { known: Some(Known::new()), ..Options::none() });
        shared.remove_dead_code()
    }

    fn rebuild(&self, options: Options<'_, R>) -> Code<R> {
        let mut builder = Builder::new();
        let params: Vec<Atom<R>> =
            self.params.iter().map(|&p| Atom::Var(builder.param(self.vars[p]))).collect();
        let yields = Copier::new(self, &mut builder, options).run(&params);
        builder.finish(yields)
    }
}

/// A copy under way.
struct Copier<'a, 'o, R> {
    code: &'a Code<R>,
    builder: &'a mut Builder<R>,
    options: Options<'o, R>,
    /// What stands for each variable of the code.
    values: Vec<Option<Atom<R>>>,
}

impl<'a, 'o, R: Name> Copier<'a, 'o, R> {
    fn new(code: &'a Code<R>, builder: &'a mut Builder<R>, options: Options<'o, R>) -> Self {
        Copier { code, builder, options, values: vec![None; code.vars.len()] }
    }

    fn run(mut self, args: &[Atom<R>]) -> Vec<Atom<R>> {
        debug_assert_eq!(args.len(), self.code.params.len(), "arguments of the copied code");
        self.bind(&self.code.params, args);
        self.contents(&self.code.body)
    }

    fn bind(&mut self, vars: &[Var], atoms: &[Atom<R>]) {
        for (var, &atom) in vars.iter().zip(atoms) {
            self.values[var.index()] = Some(atom);
        }
    }

    /// New variables for some of the code's, with their types.
    fn fresh(&mut self, vars: &[Var]) -> Vec<Var> {
        let made: Vec<Var> = vars.iter().map(|&v| self.builder.fresh(self.code.vars[v])).collect();
        for (&var, &new) in vars.iter().zip(&made) {
            self.values[var.index()] = Some(Atom::Var(new));
        }
        made
    }

    /// What stands for an operand; of one that is not live there is nothing, and nobody uses it.
    fn atom(&self, atom: Atom<R>) -> Atom<R> {
        match atom {
            Atom::Var(v) => self.values[v.index()].unwrap_or(atom),
            Atom::Outer(name, _) => {
                let constant = self.options.constant.and_then(|f| f(name));
                constant.map_or(atom, Atom::Const)
            }
            Atom::Const(_) => atom,
        }
    }

    fn atoms(&self, atoms: &[Atom<R>]) -> Vec<Atom<R>> {
        atoms.iter().map(|&a| self.atom(a)).collect()
    }

    fn is_live(&self, atom: Var) -> bool {
        self.options.live.is_none_or(|live| live.has(atom))
    }

    /// The block's statements appended to the block that is open; gives its yields.
    fn contents(&mut self, block: &Block<R>) -> Vec<Atom<R>> {
        for stmt in &block.stmts {
            if self.options.live.is_none_or(|live| live.needs(self.code, stmt)) {
                self.stmt(stmt);
            }
        }
        self.atoms(&block.yields)
    }

    /// The block as a nested block, of whose yields those that `keep` chooses stay.
    fn nested(&mut self, block: &Block<R>, keep: &[usize]) -> Block<R> {
        self.builder.begin();
        if let Some(known) = &mut self.options.known {
            known.begin();
        }
        let yields = self.contents(block);
        if let Some(known) = &mut self.options.known {
            known.end();
        }
        self.builder.end(keep.iter().map(|&k| yields[k]).collect())
    }

    fn stmt(&mut self, stmt: &Stmt<R>) {
        match stmt {
            Stmt::Let(var, _) if let Some(instead) = self.options.given.and_then(|f| f(*var)) => {
                let value = match instead {
                    Instead::Atom(atom) => self.atom(atom),
                    Instead::Code(code, args) => {
                        let args = self.atoms(&args);
                        self.builder.inline(&code, &args)[0]
                    }
                };
                self.values[var.index()] = Some(value);
            }
            Stmt::Let(var, Op::Scalar(op, args, span)) => {
                let value = self.scalar(*op, args, *span);
                self.values[var.index()] = Some(value);
            }
            Stmt::Let(var, Op::Read(vector, index)) => {
                let value = self.read(*var, *vector, *index);
                self.values[var.index()] = Some(value);
            }
            Stmt::If { results, cond, then, els } => match self.atom(*cond) {
                Atom::Const(c) => {
                    let yields = self.contents(if c.bool() { then } else { els });
                    self.bind(results, &yields);
                }
                cond => match self.builder.negated(cond) {
                    Some(cond) => self.branch(results, cond, els, then),
                    None => self.branch(results, cond, then, els),
                },
            },
            Stmt::Loop { results, params, init, body } => self.repeat(results, params, init, body),
            Stmt::Require { site, cond, args, span } => {
                let cond = self.atom(*cond);
                if cond != Atom::Const(Const::Bool(true)) {
                    let args = args.map(|a| self.atom(a));
                    self.builder.push(Stmt::Require { site: *site, cond, args, span: *span });
                }
            }
            Stmt::Call(call) => {
                let args = self.atoms(&call.args);
                let results = self.fresh(&call.results);
                let vectors = call.vectors.clone();
                let (func, span) = (call.func, call.span);
                self.builder.push(Stmt::Call(Call { results, func, args, vectors, span }));
            }
        }
    }

    fn scalar(&mut self, op: ScalarOp, args: &[Atom<R>], span: Span) -> Atom<R> {
        let args = self.atoms(args);
        match &mut self.options.known {
            None => self.builder.scalar(op, &args, span),
            Some(known) => known.scalar(op, &args).unwrap_or_else(|| {
                let value = self.builder.scalar(op, &args, span);
                known.add_scalar(op, args, value);
                value
            }),
        }
    }

    fn read(&mut self, var: Var, vector: R, index: Atom<R>) -> Atom<R> {
        let index = self.atom(index);
        if let Some(supply) = &mut self.options.supply
            && let Some(value) = supply(self.builder, vector, index)
        {
            return value;
        }
        let ty = self.code.vars[var];
        match &mut self.options.known {
            None => self.builder.read(ty, vector, index),
            Some(known) => known.read(vector, index).unwrap_or_else(|| {
                let value = self.builder.read(ty, vector, index);
                known.add_read(vector, index, value);
                value
            }),
        }
    }

    fn branch(&mut self, results: &[Var], cond: Atom<R>, then: &Block<R>, els: &Block<R>) {
        let keep: Vec<usize> = (0..results.len()).filter(|&k| self.is_live(results[k])).collect();
        let mut then = self.nested(then, &keep);
        let mut els = self.nested(els, &keep);
        let plain = then.stmts.is_empty() && els.stmts.is_empty();
        let mut split = Vec::new();
        for (at, &k) in keep.iter().enumerate() {
            let (yes, no) = (then.yields[at], els.yields[at]);
            if yes == no || plain {
                // Equal yields come from outside the arms, so the value does not depend on the arm.
                let value = self.builder.scalar(ScalarOp::Select, &[cond, yes, no], Span::none());
                self.values[results[k].index()] = Some(value);
            } else {
                split.push((at, results[k]));
            }
        }
        if plain {
            return;
        }
        for block in [&mut then, &mut els] {
            block.yields = split.iter().map(|&(at, _)| block.yields[at]).collect();
        }
        let split: Vec<Var> = split.into_iter().map(|(_, var)| var).collect();
        let results = self.fresh(&split);
        self.builder.push(Stmt::If { results, cond, then, els });
    }

    fn repeat(&mut self, results: &[Var], params: &[Var], init: &[Atom<R>], body: &Block<R>) {
        let init = self.atoms(init);
        if body.yields[0] == Atom::Const(Const::Bool(false)) {
            self.bind(params, &init);
            let yields = self.contents(body);
            self.bind(results, &yields[1 + params.len()..]);
            return;
        }
        let first_inside = self.builder.next_var();
        let carried = self.carried(params, &init, &body.yields[1..]);
        let vars: Vec<Var> = carried.iter().map(|&k| params[k]).collect();
        let new_params = self.fresh(&vars);
        let live: Vec<usize> = (0..results.len()).filter(|&k| self.is_live(results[k])).collect();
        let keep: Vec<usize> = std::iter::once(0)
            .chain(carried.iter().map(|&k| 1 + k))
            .chain(live.iter().map(|&k| 1 + params.len() + k))
            .collect();
        let mut body = self.nested(body, &keep);
        let given = body.yields.split_off(1 + carried.len());
        let mut made = Vec::new();
        for (k, value) in live.into_iter().zip(given) {
            if matches!(value, Atom::Var(v) if v >= first_inside) {
                made.push(results[k]);
                body.yields.push(value);
            } else {
                self.values[results[k].index()] = Some(value);
            }
        }
        let results = self.fresh(&made);
        let init = carried.into_iter().map(|k| init[k]).collect();
        self.builder.push(Stmt::Loop { results, params: new_params, init, body });
    }

    /// Which parameters of a loop the copy carries from run to run: those that are live and change.
    /// The others are bound to their first values.
    fn carried(&mut self, params: &[Var], init: &[Atom<R>], next: &[Atom<R>]) -> Vec<usize> {
        let mut carried = Vec::new();
        for (k, &param) in params.iter().enumerate() {
            if next[k] == Atom::Var(param) {
                self.bind(&[param], &init[k..=k]);
            } else if self.is_live(param) {
                carried.push(k);
            }
        }
        carried
    }
}

fn remove_checks<R>(block: &mut Block<R>) {
    block.stmts.retain(|stmt| !matches!(stmt, Stmt::Require { .. }));
    for stmt in &mut block.stmts {
        if let Stmt::If { then, els, .. } = stmt {
            remove_checks(then);
            remove_checks(els);
        }
    }
}
