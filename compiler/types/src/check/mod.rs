//! The checker: forms in order, each against everything defined before.

mod again;
mod datatype;
mod effects;
mod function;
mod group;
mod library;
mod value;

use crate::errors;
use crate::graph::Poly;
use crate::infer::{Tables, is_declared};
use crate::names::{Found, View, operator_functions};
use crate::scope::{Meaning, Version};
use crate::suspects;
use crate::tree::{self, Definition, DefinitionKind, Global, Program};
use crate::ty::Type;
pub use again::Known;
use base::{Diagnostic, Span};
use effects::Unit;
use group::{Group, Moment};
use indexmap::IndexSet;
use prim::Widths;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{self, FormKind};

/// Turns forms into typed forms.
pub struct Checker {
    /// Everything defined so far.
    pub program: Program,
    tables: Tables,
    /// Groups that have begun, innermost last.
    groups: Vec<Group>,
    /// The forms of the library that have to be evaluated: its constants.
    library_values: Vec<tree::Form>,
    /// Waiting functions so far, to number them.
    waited: usize,
    /// Definitions to be replaced by [`Self::settle`].
    moves: Vec<(Global, Global)>,
    /// The number of moves before the present form.
    earlier_moves: usize,
    /// Definitions that were replaced, and by what before, for [`Self::rollback`].
    moved: Vec<(Global, Option<Global>)>,
    /// Warnings about forms without errors.
    warnings: Vec<Diagnostic>,
    /// Names that forms with errors were to define.
    missing: FxHashSet<String>,
    /// True if the checker keeps the result of each form.
    notes: bool,
    /// The result of the last form, if it has no error and waited for no other form.
    known: Option<Known>,
    /// Definitions whose effects may change, in order.
    units: Vec<Unit>,
    /// Definitions whose effects have changed, and their types before, for [`Self::rollback`].
    followed: Vec<(Global, Poly)>,
}

/// A moment to which a [`Checker`] can return.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    version: Version,
    /// Functions that had ended to wait.
    ended: usize,
    moves: Vec<(Global, Global)>,
    moved: usize,
    units: usize,
    followed: usize,
    /// The groups that had begun.
    groups: Vec<Moment>,
}

impl Checker {
    /// Checks the primitives and the library; all its files are one group.
    pub fn new(library: &[ast::Group]) -> Result<Checker, Vec<Diagnostic>> {
        Checker::of_widths(Widths::WIDE, library)
    }

    /// The same for programs of these widths.
    pub fn of_widths(widths: Widths, library: &[ast::Group]) -> Result<Checker, Vec<Diagnostic>> {
        let mut checker = Checker {
            program: Program { widths, ..Program::default() },
            tables: Tables::default(),
            groups: Vec::new(),
            library_values: Vec::new(),
            waited: 0,
            moves: Vec::new(),
            earlier_moves: 0,
            moved: Vec::new(),
            warnings: Vec::new(),
            missing: FxHashSet::default(),
            notes: false,
            known: None,
            units: Vec::new(),
            followed: Vec::new(),
        };
        checker.load_library(library)?;
        checker.warnings.clear();
        Ok(checker)
    }

    /// The bindings of the library, to be evaluated in this order before anything else.
    pub fn library_values(&self) -> &[tree::Form] {
        &self.library_values
    }

    /// Announces a group: which functions its later forms define (LANGUAGE 9.2).
    pub fn begin_group(&mut self, group: &ast::Group) {
        if self.groups.is_empty() {
            self.missing.clear();
        }
        self.groups.push(Group::new(group.forms.iter()));
    }
    /// Notes that these names are missing because forms that were to define them are wrong: that
    /// they are unknown is told without advice, as it is a consequence ([`crate::Missing`]).
    pub fn miss(&mut self, names: &[String]) {
        self.missing.extend(names.iter().cloned());
    }

    /// Checks the next form, when those before have been run; gives the typed forms that are
    /// complete now: none while a definition waits for later ones, several when others waited for
    /// this one.  Several errors come in the order of LANGUAGE 11.  Errors in functions that waited
    /// come at the end of the group.
    pub fn check(&mut self, form: &ast::Form) -> Result<Vec<tree::Form>, Vec<Diagnostic>> {
        self.settle();
        let result = self.check_ahead(form);
        if !matches!(form.kind, FormKind::Binding(..) | FormKind::Exp(_)) {
            self.settle();
        }
        result
    }

    /// Checks the next form, whether or not those before have been run: uses of what it replaces
    /// stay as they are until [`Self::settle`] says that it has been run.
    pub fn check_ahead(&mut self, form: &ast::Form) -> Result<Vec<tree::Form>, Vec<Diagnostic>> {
        self.known = None;
        self.earlier_moves = self.moves.len();
        let result = match &form.kind {
            FormKind::Function(function) => self.function(function, form),
            FormKind::Datatype(datatype) => self.datatype(datatype, form).map(|f| vec![f]),
            FormKind::Binding(pattern, exp) => {
                self.value(Some(pattern), exp, form).map(|f| vec![f])
            }
            FormKind::Exp(exp) => self.value(None, exp, form).map(|f| vec![f]),
            FormKind::Command(word, args) => Ok(vec![tree::Form {
                shown: word.text.clone(),
                kind: tree::FormKind::Command(word.clone(), args.clone()),
                span: form.span,
            }]),
            FormKind::Error(errors) => {
                self.look_into(&form.meant);
                Err(errors.clone())
            }
        };
        let is_library = |name: &str| self.is_library(name);
        let warnings = match &result {
            Ok(_) => suspects::warnings(form, &is_library),
            Err(_) => Vec::new(),
        };
        let result = result.map_err(|errors| {
            let mut errors = sorted(errors);
            suspects::explain(&mut errors, form, &is_library);
            errors::of_form(errors, form.span, form.ends)
        });
        self.warnings.extend(warnings);
        result
    }
    /// Returns true if a name means a function of the library to the next form.
    fn is_library(&self, name: &str) -> bool {
        let global = self.lookup(name).map(|global| &self.program.globals[global]);
        global.is_some_and(|it| it.library && matches!(it.scheme.ty, Type::Fun(..)))
    }

    /// Takes the warnings about the forms checked since the last call.
    pub fn take_warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    /// Ends the innermost group; gives the errors of functions that waited in vain, and of those
    /// that turned out wrong when what they waited for was there.
    pub fn end_group(&mut self) -> Vec<Diagnostic> {
        let Some(group) = self.groups.pop() else { return Vec::new() };
        sorted(self.abandon(group))
    }

    /// Lets forms checked before use the definitions that have replaced those of the same type
    /// since (LANGUAGE 9.3).
    pub fn settle(&mut self) {
        for (old, new) in std::mem::take(&mut self.moves) {
            let before = self.program.globals[old].moved.replace(new);
            self.moved.push((old, before));
        }
    }
    /// What [`Self::settle`] would replace: old and new definitions.
    pub fn unsettled(&self) -> &[(Global, Global)] {
        &self.moves
    }

    /// The present moment, to return to when a form fails at run time and so defines nothing.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            version: self.tables.scope.version(),
            ended: self.tables.scope.ended(),
            moves: self.moves.clone(),
            moved: self.moved.len(),
            units: self.units.len(),
            followed: self.followed.len(),
            groups: self.groups.iter().map(Group::moment).collect(),
        }
    }
    /// Forgets what was checked since a checkpoint, which was taken in this group or in one around
    /// it.
    pub fn rollback(&mut self, checkpoint: &Checkpoint) {
        self.moves.clone_from(&checkpoint.moves);
        self.tables.scope.back(checkpoint.version, checkpoint.ended);
        for (global, before) in self.moved.drain(checkpoint.moved..).rev() {
            self.program.globals[global].moved = before;
        }
        self.units.truncate(checkpoint.units);
        self.forget_effects(checkpoint.followed);
        self.groups.truncate(checkpoint.groups.len());
        for (group, moment) in self.groups.iter_mut().zip(&checkpoint.groups) {
            group.back(moment);
        }
    }

    /// The functions of the innermost group that turned out wrong while a form behind them was
    /// checked, and those that wait for one of them.  Their errors come at the end of the group.
    pub fn failed(&self) -> Vec<String> {
        let failed = self.groups.last().map_or(&[][..], |group| &group.failed);
        [failed, &self.waiting_for(failed)].concat()
    }
    /// The functions that wait for one of these names, or for a function that does.
    pub fn waiting_for(&self, names: &[String]) -> Vec<String> {
        if names.is_empty() {
            return Vec::new();
        }
        let mut users: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for waiting in self.groups.iter().flat_map(|group| group.waiting.values()) {
            for name in &waiting.needs {
                users.entry(&name.text).or_default().push(&waiting.function.name.text);
            }
        }
        let mut found: IndexSet<&str> = names.iter().map(String::as_str).collect();
        let (given, mut next) = (found.len(), 0);
        while let Some(&name) = found.get_index(next) {
            found.extend(users.get(name).into_iter().flatten());
            next += 1;
        }
        found.into_iter().skip(given).map(str::to_owned).collect()
    }

    /// What a name, or an operator, means to the next form.
    pub fn lookup(&self, name: &str) -> Option<Global> {
        let scope = &self.tables.scope;
        let operator = || match operator_functions(name) {
            // What it is applied to is what the last of them, which comes first, is applied to.
            [.., function] => scope.library_function(function),
            [] => None,
        };
        let meaning = scope.lookup(name, scope.version()).or_else(operator);
        match meaning {
            Some(Meaning::Global(global)) => Some(global),
            _ => None,
        }
    }
    /// The names that the next form can use, in the order of their definition.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.scope.names(self.tables.scope.version())
    }

    /// Walks over a form with the names of the present moment.
    fn names_of(&self, walk: impl FnOnce(&View) -> Found) -> Result<Found, Vec<Diagnostic>> {
        let later = |name: &str| self.groups.last().is_some_and(|g| g.defines_later(name));
        let scope = &self.tables.scope;
        let missing = &self.missing;
        let found = walk(&View { scope, version: scope.version(), later: &later, missing });
        if found.errors.is_empty() { Ok(found) } else { Err(found.errors) }
    }

    /// The documentation of a definition: its string, or else the comment above it.  Comments of
    /// the library are about its text and document nothing.
    fn documentation(&self, string: Option<&[u8]>, comment: Option<&str>) -> Option<String> {
        let comment = || comment.filter(|_| !self.tables.scope.in_library()).map(str::to_owned);
        string.map(|string| String::from_utf8_lossy(string).into_owned()).or_else(comment)
    }
    /// Adds a global without a name in scope.
    fn push(&mut self, name: &str, poly: Poly, kind: DefinitionKind, span: Span) -> Global {
        let definition = Definition {
            name: name.to_string(),
            scheme: poly.scheme.clone(),
            doc: None,
            span,
            library: self.tables.scope.in_library(),
            effect: poly.effectful(),
            kind,
            moved: None,
        };
        self.tables.polys.push(poly);
        self.program.globals.push(definition)
    }
    /// Puts a global in scope.
    fn define(&mut self, global: Global, internal: bool) {
        let name = self.program.globals[global].name.clone();
        self.tables.scope.add(&name, Meaning::Global(global), internal);
        self.groups.last_mut().into_iter().for_each(|group| group.touch(&name));
        self.replace(global);
    }
    /// Notes that forms checked before are to use the new definition if it has the same type
    /// (LANGUAGE 9.3), and so those that use a declaration of it: once the form of the new one has
    /// been run, since that form may use the old one.
    fn replace(&mut self, global: Global) {
        let new = &self.program.globals[global];
        if matches!(new.kind, DefinitionKind::Declared) {
            return;
        }
        for old in self.tables.scope.before(&new.name, global) {
            let known = &self.program.globals[old];
            let same = self.tables.polys[global].same_type(&self.tables.polys[old]);
            if !known.library && same {
                self.moves.push((old, global));
            }
            if !is_declared(&self.program, old) {
                break;
            }
        }
    }
}

/// In the order of the table of LANGUAGE 11, then of the text.
fn sorted(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(|e| (e.kind, e.primary.as_ref().map(|label| label.span)));
    errors
}
