//! Walks over scalar code: which variables a statement reads and defines, what code refers to
//! outside itself, and the same code under other names.

use crate::code::{Atom, Block, Call, Code, Name, Op, Stmt, Var};
use prim::{Const, ScalarOp, Ty};

/// What code refers to outside itself, each name once, in order of first use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refs<R> {
    /// Vectors that it reads, or hands to a scalar function.
    pub vectors: Vec<R>,
    /// Scalars.
    pub outers: Vec<R>,
}

impl<R> Block<R> {
    /// Whether some statement reads a vector, or hands one to a function.
    pub fn reads(&self) -> bool {
        self.stmts.iter().any(|stmt| match stmt {
            Stmt::Let(_, Op::Read(..)) => true,
            Stmt::Call(call) => !call.vectors.is_empty(),
            Stmt::If { then, els, .. } => then.reads() || els.reads(),
            Stmt::Loop { body, .. } => body.reads(),
            Stmt::Let(_, Op::Scalar(..)) | Stmt::Require { .. } => false,
        })
    }
}

impl<R: Name> Code<R> {
    /// What it refers to outside itself.
    pub fn refs(&self) -> Refs<R> {
        let mut refs = Refs { vectors: Vec::new(), outers: Vec::new() };
        let note = |names: &mut Vec<R>, name: R| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        self.body.walk(&mut |item| {
            item.for_each_atom(&mut |atom| {
                if let Atom::Outer(r, _) = atom {
                    note(&mut refs.outers, r);
                }
            });
            match item {
                Item::Stmt(Stmt::Let(_, Op::Read(vector, _))) => note(&mut refs.vectors, *vector),
                Item::Stmt(Stmt::Call(call)) => {
                    call.vectors.iter().for_each(|&v| note(&mut refs.vectors, v));
                }
                _ => {}
            }
        });
        refs
    }

    /// Whether it uses its parameter number `n`.
    pub fn uses_param(&self, n: usize) -> bool {
        let mut used = false;
        self.body.walk(&mut |item| {
            item.for_each_atom(&mut |atom| used |= atom == Atom::Var(self.params[n]));
        });
        used
    }

    /// The same code with every outer name replaced.
    pub fn map_refs<S>(&self, mut f: impl FnMut(R) -> S) -> Code<S> {
        Code {
            params: self.params.clone(),
            vars: self.vars.clone(),
            body: map_block(&self.body, &mut f),
        }
    }

    /// The type of an operand; `None` for a variable that the code does not have.
    pub fn ty(&self, atom: Atom<R>) -> Option<Ty> {
        match atom {
            Atom::Var(v) => self.vars.get(v).copied(),
            Atom::Const(c) => Some(c.ty()),
            Atom::Outer(_, ty) => Some(ty),
        }
    }

    /// The types of its yields.
    pub fn yield_tys(&self) -> Vec<Ty> {
        self.body.yields.iter().map(|&a| self.ty(a).unwrap_or(Ty::I64)).collect()
    }

    /// Whether some statement may fail, call, or run for ever: such code cannot be left out.
    pub fn has_effect(&self) -> bool {
        self.body.has_effect(&|atom| self.ty(atom))
    }
}

/// What a walk meets: a statement, or the yields at the end of a block.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a, R> {
    /// A statement; its nested blocks are walked after it.
    Stmt(&'a Stmt<R>),
    /// The yields of a block.
    Yields(&'a [Atom<R>]),
}

impl<R: Copy> Item<'_, R> {
    /// The operands, those of nested blocks excepted.
    pub fn for_each_atom(&self, f: &mut impl FnMut(Atom<R>)) {
        match self {
            Item::Stmt(stmt) => stmt.atoms().iter().for_each(|&a| f(a)),
            Item::Yields(yields) => yields.iter().for_each(|&a| f(a)),
        }
    }
}

impl<R: Copy> Block<R> {
    /// Meets every statement and every block's yields, in the order of the text.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(Item<'a, R>)) {
        for stmt in &self.stmts {
            f(Item::Stmt(stmt));
            for block in stmt.blocks() {
                block.walk(f);
            }
        }
        f(Item::Yields(&self.yields));
    }
    /// Whether some operation costs as much as many others, as elementary functions do.
    pub fn is_heavy(&self) -> bool {
        let mut heavy = false;
        self.walk(&mut |item| {
            if let Item::Stmt(Stmt::Let(_, Op::Scalar(op, ..))) = item {
                heavy |= op.is_heavy();
            }
        });
        heavy
    }
    /// Whether some statement may fail, call, or run for ever.
    pub(crate) fn has_effect(&self, ty: &impl Fn(Atom<R>) -> Option<Ty>) -> bool {
        self.stmts.iter().any(|stmt| stmt.has_effect(ty))
    }
}

impl<R: Copy> Stmt<R> {
    /// The operands, those of nested blocks excepted.
    pub fn atoms(&self) -> Vec<Atom<R>> {
        match self {
            Stmt::Let(_, Op::Scalar(_, args, _)) => args.clone(),
            Stmt::Let(_, Op::Read(_, index)) => vec![*index],
            Stmt::If { cond, .. } => vec![*cond],
            Stmt::Loop { init, .. } => init.clone(),
            Stmt::Require { cond, args, .. } => vec![*cond, args[0], args[1]],
            Stmt::Call(call) => call.args.clone(),
        }
    }
    /// The variables that it defines for the statements after it.
    pub fn results(&self) -> &[Var] {
        match self {
            Stmt::Let(result, _) => std::slice::from_ref(result),
            Stmt::If { results, .. } | Stmt::Loop { results, .. } => results,
            Stmt::Require { .. } => &[],
            Stmt::Call(call) => &call.results,
        }
    }
    /// The nested blocks, in order.
    pub fn blocks(&self) -> Vec<&Block<R>> {
        match self {
            Stmt::If { then, els, .. } => vec![then, els],
            Stmt::Loop { body, .. } => vec![body],
            Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => Vec::new(),
        }
    }
    /// All variables that it defines, in nested blocks too.
    pub fn defined(&self, found: &mut Vec<Var>) {
        found.extend(self.results());
        if let Stmt::Loop { params, .. } = self {
            found.extend(params);
        }
        for block in self.blocks() {
            block.stmts.iter().for_each(|stmt| stmt.defined(found));
        }
    }
    /// The statement with other names for what it defines, and other operands.
    #[must_use]
    pub fn copy(&self, name: &impl Fn(Var) -> Var, operand: &impl Fn(Atom<R>) -> Atom<R>) -> Self {
        let atom = |a: &Atom<R>| operand(*a);
        let atoms = |list: &[Atom<R>]| list.iter().map(atom).collect::<Vec<_>>();
        let vars = |list: &[Var]| list.iter().map(|&v| name(v)).collect::<Vec<_>>();
        let block = |b: &Block<R>| Block {
            stmts: b.stmts.iter().map(|stmt| stmt.copy(name, operand)).collect(),
            yields: atoms(&b.yields),
        };
        match self {
            Stmt::Let(var, Op::Scalar(op, args, span)) => {
                Stmt::Let(name(*var), Op::Scalar(*op, atoms(args), *span))
            }
            Stmt::Let(var, Op::Read(vector, index)) => {
                Stmt::Let(name(*var), Op::Read(*vector, atom(index)))
            }
            Stmt::If { results, cond, then, els } => Stmt::If {
                results: vars(results),
                cond: atom(cond),
                then: block(then),
                els: block(els),
            },
            Stmt::Loop { results, params, init, body } => Stmt::Loop {
                results: vars(results),
                params: vars(params),
                init: atoms(init),
                body: block(body),
            },
            Stmt::Require { site, cond, args, span } => {
                let args = [atom(&args[0]), atom(&args[1])];
                Stmt::Require { site: *site, cond: atom(cond), args, span: *span }
            }
            Stmt::Call(call) => Stmt::Call(Call {
                results: vars(&call.results),
                args: atoms(&call.args),
                ..call.clone()
            }),
        }
    }
    /// Whether it may fail, call, or run for ever, itself or in a nested block.
    pub fn has_effect(&self, ty: &impl Fn(Atom<R>) -> Option<Ty>) -> bool {
        match self {
            Stmt::Let(_, Op::Scalar(op, args, _)) => can_fail(*op, args, ty),
            Stmt::Let(_, Op::Read(..)) => false,
            Stmt::Require { cond, .. } => !matches!(cond, Atom::Const(Const::Bool(true))),
            Stmt::Call(_) => true,
            Stmt::If { .. } | Stmt::Loop { .. } => self.blocks().iter().any(|b| b.has_effect(ty)),
        }
    }
}

/// Whether an operation can fail on these operands: division by a constant other than 0 cannot,
/// nor can a shift by a constant that is not negative.
pub fn can_fail<R: Copy>(
    op: ScalarOp,
    args: &[Atom<R>],
    ty: &impl Fn(Atom<R>) -> Option<Ty>,
) -> bool {
    let site = args.first().and_then(|&a| ty(a)).and_then(|first| op.site(first));
    let second = match args.get(1) {
        Some(Atom::Const(Const::I64(n))) => Some(*n),
        _ => None,
    };
    match (op, second) {
        _ if site.is_none() => false,
        (ScalarOp::Div | ScalarOp::Rem | ScalarOp::Mod, Some(n)) => n == 0,
        (ScalarOp::Shl | ScalarOp::Shr, Some(n)) => n < 0,
        _ => true,
    }
}

fn map_block<R: Name, S>(block: &Block<R>, f: &mut impl FnMut(R) -> S) -> Block<S> {
    Block {
        stmts: block.stmts.iter().map(|stmt| map_stmt(stmt, f)).collect(),
        yields: map_atoms(&block.yields, f),
    }
}

fn map_atoms<R: Name, S>(atoms: &[Atom<R>], f: &mut impl FnMut(R) -> S) -> Vec<Atom<S>> {
    atoms.iter().map(|a| a.map(f)).collect()
}

fn map_stmt<R: Name, S>(stmt: &Stmt<R>, f: &mut impl FnMut(R) -> S) -> Stmt<S> {
    match stmt {
        Stmt::Let(var, Op::Scalar(op, args, span)) => {
            Stmt::Let(*var, Op::Scalar(*op, map_atoms(args, f), *span))
        }
        Stmt::Let(var, Op::Read(vector, index)) => {
            Stmt::Let(*var, Op::Read(f(*vector), index.map(f)))
        }
        Stmt::If { results, cond, then, els } => Stmt::If {
            results: results.clone(),
            cond: cond.map(f),
            then: map_block(then, f),
            els: map_block(els, f),
        },
        Stmt::Loop { results, params, init, body } => Stmt::Loop {
            results: results.clone(),
            params: params.clone(),
            init: map_atoms(init, f),
            body: map_block(body, f),
        },
        Stmt::Require { site, cond, args, span } => Stmt::Require {
            site: *site,
            cond: cond.map(f),
            args: args.map(|a| a.map(f)),
            span: *span,
        },
        Stmt::Call(call) => Stmt::Call(Call {
            results: call.results.clone(),
            func: call.func,
            args: map_atoms(&call.args, f),
            vectors: call.vectors.iter().map(|&v| f(v)).collect(),
            span: call.span,
        }),
    }
}
