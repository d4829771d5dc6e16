//! Effects of earlier definitions after the replacement of one that they use (LANGUAGE 9.3).
//!
//! A function uses the latest definition of a name, so its effects are those of that definition.
//! The types stay; the effects are a least fixed point: every definition that depends on the
//! replaced one begins without effects, and is checked again until nothing changes.
//!
//! ```text
//! function late(a) = 0;      function user(a) = late(a);                   no effects
//! function late(a) = let _ = print_string("hi ") in a + 1;                 `user` prints, too
//! ```

use super::Checker;
use crate::errors;
use crate::graph::Poly;
use crate::infer::{self, Source};
use crate::scope::{Meaning, Version, Waiting};
use crate::tree::{Binding, DefinitionKind, Exp, ExpKind, Global};
use base::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use syntax::ast;

/// Definitions that were checked together, and all that is needed to check them again.
pub(super) struct Unit {
    text: Text,
    /// In the order in which a check gives them.
    pub(super) globals: Vec<Global>,
    /// The top-level names that they use.
    uses: FxHashSet<(Global, Binding)>,
}

/// The source of the definitions.
enum Text {
    Functions(Vec<Function>),
    /// A value with functions in it, and how it sees the names around it.
    Value(Option<ast::Pattern>, ast::Exp, Version),
}

/// A function as written, and how it sees the names around it.
struct Function {
    function: Arc<ast::Function>,
    span: Span,
    version: Version,
    waiting: Option<Waiting>,
}

/// The moment before a definition.
pub(super) struct Before {
    version: Version,
    ended: usize,
    moves: usize,
    units: usize,
}

impl Checker {
    /// A checkpoint before a definition that may have errors.
    pub(super) fn before(&self) -> Before {
        let scope = &self.tables.scope;
        let (version, ended) = (scope.version(), scope.ended());
        Before { version, ended, moves: self.moves.len(), units: self.units.len() }
    }

    /// Keeps functions that became these globals.
    pub(super) fn keep_functions(&mut self, sources: &[Source], globals: Vec<Global>) {
        if self.tables.scope.in_library() {
            return;
        }
        let kept = sources.iter().map(|source| Function {
            function: source.function.clone(),
            span: source.span,
            version: source.version,
            waiting: source.waiting,
        });
        let mut uses = FxHashSet::default();
        for &global in &globals {
            if let DefinitionKind::Function(function) = &self.program.globals[global].kind {
                add_uses(&function.body, &mut uses);
            }
        }
        self.units.push(Unit { text: Text::Functions(kept.collect()), globals, uses });
    }

    /// Keeps a value that became these globals, if it has functions in it.
    pub(super) fn keep_value(
        &mut self,
        pattern: Option<&ast::Pattern>,
        exp: (&ast::Exp, &Exp),
        version: Version,
        globals: Vec<Global>,
    ) {
        let functions = globals.iter().any(|&global| self.tables.polys[global].has_effects());
        if functions && !self.tables.scope.in_library() {
            let (written, typed) = exp;
            let mut uses = FxHashSet::default();
            add_uses(typed, &mut uses);
            let text = Text::Value(pattern.cloned(), written.clone(), version);
            self.units.push(Unit { text, globals, uses });
        }
    }

    /// Follows the effects of definitions of the present form, those since a moment among them,
    /// that are to take the place of earlier ones. If one is not allowed where it then arises, the
    /// definitions since that moment are forgotten.
    pub(super) fn follow_effects(&mut self, before: &Before) -> Result<(), Vec<Diagnostic>> {
        let polys = &self.tables.polys;
        let matters =
            |&&(old, new): &&(Global, Global)| polys[old].any_effect() || polys[new].any_effect();
        // Of earlier forms, what matters has taken effect.
        let own = self.moves.get(self.earlier_moves..).unwrap_or_default();
        let replaced: Vec<(Global, Global)> = own.iter().filter(matters).copied().collect();
        if replaced.is_empty() {
            return Ok(());
        }
        // As if the form of the new definitions had been run.
        let settled =
            replaced.iter().map(|&(old, new)| (old, self.program.globals[old].moved.replace(new)));
        let settled: Vec<(Global, Option<Global>)> = settled.collect();
        let followed = self.followed.len();
        let done = self.settle_effects(&replaced);
        for (old, moved) in settled.into_iter().rev() {
            self.program.globals[old].moved = moved;
        }
        if done.is_err() {
            self.forget_effects(followed);
            self.moves.truncate(before.moves);
            self.units.truncate(before.units);
            self.tables.scope.back(before.version, before.ended);
        }
        done
    }

    /// Restores the effects that definitions had after the first `followed` changes.
    pub(super) fn forget_effects(&mut self, followed: usize) {
        for (global, poly) in self.followed.drain(followed..).rev() {
            self.program.globals[global].effect = poly.effectful();
            self.tables.polys[global] = poly;
        }
    }

    /// Finds the effects of everything that uses one of the new definitions.
    fn settle_effects(&mut self, replaced: &[(Global, Global)]) -> Result<(), Vec<Diagnostic>> {
        let affected = self.affected(replaced);
        for &unit in &affected {
            for global in self.units[unit].globals.clone() {
                let without = self.tables.polys[global].without_effects();
                let poly = std::mem::replace(&mut self.tables.polys[global], without);
                self.followed.push((global, poly));
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &unit in &affected {
                let checked = self.recheck(&self.units[unit]);
                let polys = checked.map_err(|errors| self.too_late(errors, replaced))?;
                for (global, poly) in self.units[unit].globals.clone().into_iter().zip(polys) {
                    changed |= self.tables.polys[global].take_effects(poly);
                    self.program.globals[global].effect = self.tables.polys[global].effectful();
                }
            }
        }
        Ok(())
    }

    /// The units that can still be used and that use one of the new definitions, directly or
    /// through others.
    fn affected(&self, replaced: &[(Global, Global)]) -> Vec<usize> {
        let mut changed: FxHashSet<Global> = replaced.iter().map(|&(_, new)| new).collect();
        let usable = self.usable();
        let mut affected = vec![false; self.units.len()];
        let mut grows = true;
        while grows {
            grows = false;
            for (place, unit) in self.units.iter().enumerate() {
                if !affected[place]
                    && usable[place]
                    && self.used(unit).any(|g| changed.contains(&g))
                {
                    affected[place] = true;
                    changed.extend(&unit.globals);
                    grows = true;
                }
            }
        }
        (0..affected.len()).filter(|&place| affected[place]).collect()
    }

    /// The units that a later form can use, directly or through others.
    fn usable(&self) -> Vec<bool> {
        let mut owners = FxHashMap::default();
        for (place, unit) in self.units.iter().enumerate() {
            owners.extend(unit.globals.iter().map(|&global| (global, place)));
        }
        let scope = &self.tables.scope;
        let visible = |&global: &Global| {
            let name = &self.program.globals[global].name;
            scope.lookup(name, scope.version()) == Some(Meaning::Global(global))
        };
        let mut usable = vec![false; self.units.len()];
        let mut open: Vec<usize> = (0..usable.len())
            .filter(|&unit| self.units[unit].globals.iter().any(visible))
            .collect();
        while let Some(unit) = open.pop() {
            if !std::mem::replace(&mut usable[unit], true) {
                open.extend(self.used(&self.units[unit]).filter_map(|g| owners.get(&g).copied()));
            }
        }
        usable
    }

    /// The present meanings of the names that a unit uses.
    fn used(&self, unit: &Unit) -> impl Iterator<Item = Global> {
        unit.uses.iter().map(|&(global, binding)| self.program.meaning(global, binding))
    }

    /// The types of a unit with the effects that are known now.
    fn recheck(&self, unit: &Unit) -> Result<Vec<Poly>, Vec<Diagnostic>> {
        match &unit.text {
            Text::Functions(functions) => {
                let sources: Vec<Source> = functions
                    .iter()
                    .map(|kept| Source {
                        function: &kept.function,
                        span: kept.span,
                        comment: None,
                        version: kept.version,
                        waiting: kept.waiting,
                    })
                    .collect();
                let defined = infer::functions(&self.program, &self.tables, &sources)?;
                Ok(defined.into_iter().map(|defined| defined.poly).collect())
            }
            Text::Value(pattern, exp, version) => {
                let pattern = pattern.as_ref();
                let value =
                    infer::value(&self.program, &self.tables, pattern, exp, Some(*version))?;
                Ok(value.names.into_iter().map(|(_, _, poly)| poly).collect())
            }
        }
    }

    /// Errors in earlier definitions, with the new definition that has the effect.
    fn too_late(&self, errors: Vec<Diagnostic>, replaced: &[(Global, Global)]) -> Vec<Diagnostic> {
        let effectful = |&&(_, new): &&(Global, Global)| self.tables.polys[new].any_effect();
        let Some(&(_, new)) = replaced.iter().find(effectful) else { return errors };
        let definition = &self.program.globals[new];
        let late = |error| errors::late_effect(error, &definition.name, definition.span);
        errors.into_iter().filter(|error| error.code == Code::Effect).map(late).collect()
    }
}

/// Adds the top-level names in an expression.
fn add_uses(exp: &Exp, uses: &mut FxHashSet<(Global, Binding)>) {
    exp.walk(&mut |part| {
        if let ExpKind::Global(global, binding, _) = part.kind {
            uses.insert((global, binding));
        }
    });
}
