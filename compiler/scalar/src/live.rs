//! Which variables of code are needed: for its yields, or for statements that must stay.

use crate::code::{Atom, Block, Code, Name, Stmt, Var};
use base::Id;

/// The variables that are needed.
pub(crate) struct Live {
    vars: Vec<bool>,
    /// Whether the statement with this first result must stay.
    effects: Vec<bool>,
}

impl Live {
    /// Marks backwards from the yields until nothing new is found; a loop's parameter may be
    /// needed only by the loop's next run, so one pass does not do.
    pub(crate) fn of<R: Name>(code: &Code<R>) -> Live {
        let none = vec![false; code.vars.len()];
        let mut live = Live { vars: none.clone(), effects: none };
        live.note_effects(code, &code.body);
        live.mark(&code.body.yields);
        loop {
            let before = live.count();
            live.block(code, &code.body);
            if live.count() == before {
                return live;
            }
        }
    }

    /// Whether the variable is needed.
    pub(crate) fn has(&self, var: Var) -> bool {
        self.vars[var.index()]
    }

    /// Whether the statement must stay.
    pub(crate) fn needs<R: Name>(&self, code: &Code<R>, stmt: &Stmt<R>) -> bool {
        let results = stmt.results();
        results.iter().any(|&v| self.has(v))
            || match results.first() {
                Some(first) => self.effects[first.index()],
                None => stmt.has_effect(&|atom| code.ty(atom)),
            }
    }

    /// Notes which statements of a block have effects; whether there are any.
    fn note_effects<R: Name>(&mut self, code: &Code<R>, block: &Block<R>) -> bool {
        let mut any = false;
        for stmt in &block.stmts {
            let effect = match stmt {
                Stmt::If { then, els, .. } => {
                    self.note_effects(code, then) | self.note_effects(code, els)
                }
                Stmt::Loop { body, .. } => self.note_effects(code, body),
                Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => {
                    stmt.has_effect(&|atom| code.ty(atom))
                }
            };
            if let Some(first) = stmt.results().first() {
                self.effects[first.index()] = effect;
            }
            any |= effect;
        }
        any
    }

    fn count(&self) -> usize {
        self.vars.iter().filter(|&&v| v).count()
    }

    fn mark<R: Name>(&mut self, atoms: &[Atom<R>]) {
        for atom in atoms {
            if let Atom::Var(v) = atom {
                self.vars[v.index()] = true;
            }
        }
    }

    /// Marks those atoms whose variable of the same number is needed.
    fn mark_where<R: Name>(&mut self, vars: &[Var], atoms: &[Atom<R>]) {
        for (&var, atom) in vars.iter().zip(atoms) {
            if self.has(var) {
                self.mark(std::slice::from_ref(atom));
            }
        }
    }

    fn block<R: Name>(&mut self, code: &Code<R>, block: &Block<R>) {
        for stmt in block.stmts.iter().rev() {
            if self.needs(code, stmt) {
                self.stmt(code, stmt);
            }
        }
    }

    fn stmt<R: Name>(&mut self, code: &Code<R>, stmt: &Stmt<R>) {
        match stmt {
            Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => self.mark(&stmt.atoms()),
            Stmt::If { results, cond, then, els } => {
                self.mark(std::slice::from_ref(cond));
                for arm in [then, els] {
                    self.mark_where(results, &arm.yields);
                    self.block(code, arm);
                }
            }
            Stmt::Loop { results, params, init, body } => {
                self.mark(&body.yields[..1]);
                self.mark_where(params, &body.yields[1..]);
                self.mark_where(results, &body.yields[1 + params.len()..]);
                self.block(code, body);
                self.mark_where(params, init);
            }
        }
    }
}
