//! The rules of scalar code.
//!
//! * Every variable is in the table of types and is defined once: as a parameter, as a result of
//!   a statement, or as a parameter of a loop.
//! * It is used only after its definition, in the same block or in one nested in it.
//! * An operation is defined on the types of its operands and its result has the type that
//!   follows; an index is an `i64`, a condition a `bool`; the ints of a `require` are `i64`.
//! * A constant is one of the program's widths.
//! * A read is from a vector, an outer operand is a scalar, both of the type stated.
//! * An `if` has a result for each yield of each arm, of its type.
//! * The body of a loop yields a `bool`, its next parameters, its results; the first values of the
//!   parameters have their types.
//! * A call gives a function what it takes and takes what it gives.
//! * A scalar function has no outer scalars; its yields have the types of its results.

use crate::code::{Atom, Block, Call, Code, Func, Function, Name, Op, Param, Stmt, Var};
use base::print::{Error, join};
use base::{Id, IdMap};
use prim::{Ty, Widths};

/// What may be named outside the code.
pub trait Scope<R> {
    /// The widths of numbers.
    fn widths(&self) -> Widths;
    /// The type of an outer scalar.
    fn outer(&self, name: R) -> Option<Ty>;
    /// The element type of a vector.
    fn vector(&self, name: R) -> Option<Ty>;
    /// A scalar function.
    fn function(&self, func: Func) -> Option<&Function>;
}

/// Checks code; gives all errors.
pub fn verify<R: Name>(code: &Code<R>, scope: &dyn Scope<R>) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    verify_code(code, scope, &mut 0, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks code whose first item has the number `item`, which is advanced to that after the last.
pub fn verify_code<R: Name>(
    code: &Code<R>,
    scope: &dyn Scope<R>,
    item: &mut usize,
    errors: &mut Vec<Error>,
) {
    let state = vec![State::Unseen; code.vars.len()];
    // Errors of parameters belong to the item before, the one that holds the code.
    let current = item.saturating_sub(1);
    let mut checker = Checker { code, scope, item: *item, current, errors, state };
    checker.define(&code.params);
    checker.block(&code.body);
    *item = checker.item;
}

/// Checks a scalar function against the others; `item` as in [`verify_code`].
pub fn verify_function(
    id: Func,
    widths: Widths,
    functions: &IdMap<Func, Function>,
    item: &mut usize,
    errors: &mut Vec<Error>,
) {
    let function = &functions[id];
    let header = *item;
    *item += 1;
    let scope = FunctionScope { widths, function, functions };
    verify_code(&function.code, &scope, item, errors);
    let yields = function.code.yield_tys();
    if yields != function.results {
        let (yields, results) = (join(&yields, ", "), join(&function.results, ", "));
        let message = format!("yields ({yields}), but its results are ({results})");
        errors.push(Error { item: header, entity: id.to_string(), message });
    }
}

/// What a scalar function may name.
struct FunctionScope<'a> {
    widths: Widths,
    function: &'a Function,
    functions: &'a IdMap<Func, Function>,
}

impl Scope<Param> for FunctionScope<'_> {
    fn widths(&self) -> Widths {
        self.widths
    }
    fn outer(&self, _: Param) -> Option<Ty> {
        None
    }
    fn vector(&self, name: Param) -> Option<Ty> {
        self.function.vectors.get(name.index()).copied()
    }
    fn function(&self, func: Func) -> Option<&Function> {
        self.functions.get(func)
    }
}

/// Where the walk stands with a variable.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    Visible,
    /// Defined in a block that has ended.
    Gone,
}

/// A walk over statements that checks them in order.
pub struct Checker<'a, R> {
    code: &'a Code<R>,
    scope: &'a dyn Scope<R>,
    /// The number of the next item.
    pub item: usize,
    /// The number of the statement or yields being checked.
    current: usize,
    errors: &'a mut Vec<Error>,
    state: Vec<State>,
}

impl<'a, R: Name> Checker<'a, R> {
    /// A walk over code with the variables of `code`, whose first item has this number.
    pub fn new(
        code: &'a Code<R>,
        scope: &'a dyn Scope<R>,
        item: usize,
        errors: &'a mut Vec<Error>,
    ) -> Self {
        let state = vec![State::Unseen; code.vars.len()];
        // Errors of parameters belong to the item before, the one that holds the code.
        Checker { code, scope, item, current: item.saturating_sub(1), errors, state }
    }
    /// Notes an error of the item being checked.
    pub fn error(&mut self, entity: impl Into<String>, message: String) {
        let item = self.current;
        self.errors.push(Error { item, entity: entity.into(), message });
    }

    /// Makes variables visible that are defined here.
    pub fn define(&mut self, vars: &[Var]) {
        for &var in vars {
            match self.state.get(var.index()) {
                None => self.error(var.to_string(), "has no type".into()),
                Some(State::Unseen) => self.state[var.index()] = State::Visible,
                Some(_) => self.error(var.to_string(), "is defined twice".into()),
            }
        }
    }

    /// The type of an operand; `None` after an error, or where it is unknown.
    fn operand(&mut self, user: &str, atom: Atom<R>) -> Option<Ty> {
        match atom {
            Atom::Var(v) if self.state.get(v.index()) != Some(&State::Visible) => {
                self.error(user, format!("{v} is not defined here"));
                None
            }
            Atom::Outer(name, ty) => {
                match self.scope.outer(name) {
                    None => self.error(user, format!("{name} is no scalar here")),
                    Some(is) if is != ty => {
                        self.error(user, format!("{name} has type {is}, not {ty}"));
                    }
                    Some(_) => {}
                }
                Some(ty)
            }
            Atom::Const(c) => {
                if let Some(message) = self.scope.widths().refuse(c) {
                    self.error(user, message);
                }
                Some(c.ty())
            }
            Atom::Var(_) => self.code.ty(atom),
        }
    }

    /// Checks that operands have these types; `what` names them in the message.
    pub fn operands(&mut self, user: &str, what: &str, atoms: &[Atom<R>], expected: &[Ty]) {
        let found: Vec<Option<Ty>> = atoms.iter().map(|&a| self.operand(user, a)).collect();
        let fits = |(f, e): (&Option<Ty>, &Ty)| f.is_none_or(|f| f == *e);
        if found.len() != expected.len() || !found.iter().zip(expected).all(fits) {
            let found = join(found.iter().map(|f| f.map_or("?", Ty::name)), ", ");
            let expected = join(expected, ", ");
            self.error(user, format!("{what}: expected ({expected}), found ({found})"));
        }
    }

    fn tys(&self, vars: &[Var]) -> Vec<Ty> {
        vars.iter().map(|&v| self.code.var_ty(v)).collect()
    }

    /// Goes on to the next item; gives its number.
    pub fn next_item(&mut self) -> usize {
        self.current = self.item;
        self.item += 1;
        self.current
    }

    /// Checks the statements of a block and what its yields refer to.
    fn block(&mut self, block: &Block<R>) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.next_item();
        for &atom in &block.yields {
            self.operand("yield", atom);
        }
    }

    /// Checks a nested block, whose yields must have these types.
    fn nested(&mut self, block: &Block<R>, params: &[Var], yields: &[Ty]) {
        let before = self.mark();
        self.define(params);
        self.block(block);
        let tys: Vec<Ty> = block.yields.iter().map(|&a| self.code.atom_ty(a)).collect();
        if tys != yields {
            let (yields, tys) = (join(yields, ", "), join(tys, ", "));
            self.error("yield", format!("expected ({yields}), found ({tys})"));
        }
        self.release(&before);
    }

    /// What is visible now, to be handed to [`Checker::release`] at the end of a nested block.
    pub fn mark(&self) -> Vec<bool> {
        self.state.iter().map(|s| *s == State::Visible).collect()
    }

    /// Makes what was not visible before gone.
    pub fn release(&mut self, before: &[bool]) {
        for (state, &visible) in self.state.iter_mut().zip(before) {
            if *state == State::Visible && !visible {
                *state = State::Gone;
            }
        }
    }

    /// Checks a statement as the next item and makes its results visible.
    pub fn stmt(&mut self, stmt: &Stmt<R>) {
        let item = self.next_item();
        self.kinds(stmt);
        self.current = item;
        self.define(stmt.results());
    }

    fn kinds(&mut self, stmt: &Stmt<R>) {
        match stmt {
            Stmt::Let(var, op) => self.let_(*var, op),
            Stmt::If { results, cond, then, els } => {
                self.operands("if", "condition", &[*cond], &[Ty::Bool]);
                let tys = self.tys(results);
                self.nested(then, &[], &tys);
                self.nested(els, &[], &tys);
            }
            Stmt::Loop { results, params, init, body } => {
                let param_tys = self.tys(params);
                self.operands("loop", "first values", init, &param_tys);
                let yields = [vec![Ty::Bool], param_tys, self.tys(results)].concat();
                self.nested(body, params, &yields);
            }
            Stmt::Require { cond, args, .. } => {
                let operands = [*cond, args[0], args[1]];
                self.operands("require", "operands", &operands, &[Ty::Bool, Ty::I64, Ty::I64]);
            }
            Stmt::Call(call) => self.call(call),
        }
    }

    fn let_(&mut self, var: Var, op: &Op<R>) {
        let user = var.to_string();
        let ty = self.code.var_ty(var);
        match op {
            Op::Scalar(op, args, _) => {
                let tys: Vec<Option<Ty>> = args.iter().map(|&a| self.operand(&user, a)).collect();
                let Some(tys) = tys.into_iter().collect::<Option<Vec<Ty>>>() else { return };
                match op.result(&tys) {
                    None => {
                        self.error(user, format!("{op} is not defined on ({})", join(tys, ", ")));
                    }
                    Some(is) if is != ty => {
                        self.error(user, format!("the result of {op} is {is}, not {ty}"));
                    }
                    Some(_) => {}
                }
            }
            Op::Read(vector, index) => {
                self.operands(&user, "index", &[*index], &[Ty::I64]);
                match self.scope.vector(*vector) {
                    None => self.error(user, format!("{vector} is no vector here")),
                    Some(is) if is != ty => {
                        self.error(user, format!("the elements of {vector} are {is}, not {ty}"));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn call(&mut self, call: &Call<R>) {
        let user = call.func.to_string();
        let Some(function) = self.scope.function(call.func) else {
            return self.error(user, "there is no such function".into());
        };
        let params: Vec<Ty> =
            function.code.params.iter().map(|&p| function.code.var_ty(p)).collect();
        let (vectors, results) = (function.vectors.clone(), function.results.clone());
        self.operands(&user, "arguments", &call.args, &params);
        let given: Vec<Option<Ty>> = call.vectors.iter().map(|&v| self.scope.vector(v)).collect();
        if given != vectors.iter().map(|&t| Some(t)).collect::<Vec<_>>() {
            let given = join(given.iter().map(|t| t.map_or("?", Ty::name)), ", ");
            let vectors = join(vectors, ", ");
            self.error(&user, format!("vectors: expected ({vectors}), found ({given})"));
        }
        let tys = self.tys(&call.results);
        if tys != results {
            let (results, tys) = (join(results, ", "), join(tys, ", "));
            self.error(user, format!("gives ({results}), taken as ({tys})"));
        }
    }
}
