//! Knowledge of the rules about the place that they rewrite, and the walk to all places.

use super::Types;
use super::names::{bound_by, map_parts};
use base::Files;
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::collections::{BTreeMap, BTreeSet};
use syntax::ast::*;

/// A place in a program.
pub(super) struct Context {
    /// Functions of the program by name, those that are defined once.
    pub(super) functions: BTreeMap<String, Function>,
    /// Their types.
    pub(super) types: Types,
    /// Functions that are declared before they are defined.
    pub(super) declared: BTreeSet<String>,
    /// Names that forms beside functions use.
    pub(super) outside: BTreeSet<String>,
    /// The function whose body this is.
    pub(super) current: String,
    /// Local names in scope, the innermost last.
    pub(super) locals: Vec<String>,
    /// New functions that belong before the current one.
    pub(super) before: Vec<Function>,
    /// The type that the current one has to be written with, as a declaration has it.
    pub(super) written: Option<(Type, Vec<ClassBound>)>,
    /// Names of functions that are defined.
    pub(super) defined: BTreeSet<String>,
    /// Names that stand anywhere.
    taken: BTreeSet<String>,
    /// Functions that a rule needs once, by what they are like.
    made: BTreeMap<&'static str, String>,
}

impl Context {
    pub(super) fn new(group: &Group, types: &Types) -> Context {
        let mut context = Context {
            functions: BTreeMap::new(),
            types: types.clone(),
            declared: BTreeSet::new(),
            outside: BTreeSet::new(),
            current: String::new(),
            locals: Vec::new(),
            before: Vec::new(),
            written: None,
            defined: BTreeSet::new(),
            taken: BTreeSet::new(),
            made: BTreeMap::new(),
        };
        for form in &group.forms {
            let mut names = Names::default();
            syntax::scopes::walk(form, &mut names);
            context.taken.extend(names.0.iter().cloned());
            context.taken.extend(form.defines.iter().cloned());
            match &form.kind {
                FormKind::Function(function) if function.body.is_some() => {
                    let name = &function.name.text;
                    if !context.defined.insert(name.clone()) {
                        context.functions.remove(name);
                        continue;
                    }
                    context.functions.insert(name.clone(), (**function).clone());
                }
                FormKind::Function(function) => {
                    context.declared.insert(function.name.text.clone());
                }
                _ => context.outside.extend(names.0),
            }
        }
        context
    }

    /// True if a name stands anywhere.
    pub(super) fn names(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// A name that stands nowhere yet.
    pub(super) fn fresh(&mut self, like: &str) -> String {
        let free = |name: &String| !self.taken.contains(name) && !syntax_word(name);
        let numbered = (1..).map(|n| format!("{like}{n}"));
        let mut names = std::iter::once(like.to_owned()).chain(numbered);
        let name = names.find(free).unwrap_or_else(|| unreachable!("names do not end"));
        self.taken.insert(name.clone());
        name
    }

    /// The name of a function that is the same wherever a rule needs it, and whether it is new.
    pub(super) fn once(&mut self, like: &'static str) -> (bool, String) {
        if let Some(name) = self.made.get(like) {
            return (false, name.clone());
        }
        let name = self.fresh(like);
        self.made.insert(like, name.clone());
        (true, name)
    }

    /// The function of the program that a name stands for here.
    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name).filter(|_| !self.locals.iter().any(|local| local == name))
    }

    /// The function of the program that an expression calls, and its argument.
    pub(super) fn call<'a>(&self, exp: &'a Exp) -> Option<(&'a str, &'a Exp)> {
        let ExpKind::Apply { function, argument, optional } = &exp.kind else { return None };
        let ExpKind::Name(name) = &function.kind else { return None };
        let known = optional.is_empty() && self.function(&name.text).is_some();
        known.then_some((name.text.as_str(), argument))
    }

    /// The local ones of some names, the outermost first.
    pub(super) fn local(&self, names: &[String]) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let local = self.locals.iter().filter(|local| names.contains(local));
        local.filter(|local| seen.insert(*local)).cloned().collect()
    }

    /// Rewrites the expressions of all bodies, the innermost first; nothing if none changes.
    pub(super) fn everywhere(
        &mut self,
        functions: Vec<Function>,
        rewrite: fn(&Exp, &mut Context) -> Option<Exp>,
    ) -> Option<Vec<Function>> {
        let (mut all, mut changed) = (Vec::new(), false);
        for mut function in functions {
            self.current.clone_from(&function.name.text);
            self.locals = bound_by(&function.param);
            self.locals.extend(function.optional.iter().map(|it| it.0.text.clone()));
            if let Some(body) = &function.body {
                let mut rewrite = |exp: &Exp, context: &mut Context| {
                    let new = rewrite(exp, context);
                    changed |= new.is_some();
                    new
                };
                function.body = Some(self.inside(body, &mut rewrite));
            }
            function.ty = self.written.take().or(function.ty);
            all.append(&mut self.before);
            all.push(function);
        }
        changed.then_some(all)
    }

    fn inside(
        &mut self,
        exp: &Exp,
        rewrite: &mut dyn FnMut(&Exp, &mut Context) -> Option<Exp>,
    ) -> Exp {
        let mark = self.locals.len();
        let kind = match &exp.kind {
            ExpKind::Let(bindings, body) => {
                let mut all = Vec::new();
                for (pattern, value) in bindings {
                    all.push((pattern.clone(), self.inside(value, rewrite)));
                    self.locals.extend(bound_by(pattern));
                }
                ExpKind::Let(all, Box::new(self.inside(body, rewrite)))
            }
            ExpKind::Lambda(pattern, body) => {
                self.locals.extend(bound_by(pattern));
                ExpKind::Lambda(pattern.clone(), Box::new(self.inside(body, rewrite)))
            }
            ExpKind::Each { serial, body, generators, test } => {
                let mut all = Vec::new();
                for Generator { pattern, source } in generators {
                    let source = self.inside(source, rewrite);
                    all.push(Generator { pattern: pattern.clone(), source });
                }
                self.locals.extend(generators.iter().flat_map(|it| bound_by(&it.pattern)));
                let [test, body] = [test, body]
                    .map(|part| part.as_ref().map(|part| Box::new(self.inside(part, rewrite))));
                ExpKind::Each { serial: *serial, body, generators: all, test }
            }
            _ => map_parts(exp, &mut |part| self.inside(part, rewrite)).kind,
        };
        self.locals.truncate(mark);
        let new = Exp { kind, span: exp.span };
        rewrite(&new, self).unwrap_or(new)
    }
}

/// Words that are no names.
fn syntax_word(name: &str) -> bool {
    matches!(name, "t" | "f" | "in" | "if" | "then" | "else" | "let" | "or" | "and")
}

/// All names of a form.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'a> syntax::scopes::Visitor<'a> for Names {
    fn bound(&mut self, name: &'a str, _: base::Span, _: &syntax::scopes::Binding) {
        self.0.insert(name.to_owned());
    }
    fn left(&mut self, _: usize) {}
    fn used(&mut self, name: &'a Name) {
        self.0.insert(name.text.clone());
    }
    fn constructor(&mut self, name: &'a Name) {
        self.0.insert(name.text.clone());
    }
}

/// The values that the forms of a program have by the interpreter, by name, and the types of its
/// functions; an error says how a form fails.
pub(super) fn outcome(program: &str) -> Result<(Vec<(String, String)>, Types), String> {
    let session = Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()));
    let mut session = session.map_err(|error| error.message)?;
    let (mut values, mut types, mut failed) = (Vec::new(), Types::new(), None);
    let mut sink = |files: &Files, event| match event {
        Event::Shown { name, value, ty, .. } => match syntax::parse_type(no_file(), &ty) {
            Ok(parsed) if matches!(parsed.0.kind, TypeKind::Function(..)) => {
                types.insert(name, parsed);
            }
            _ => values.push((name, String::from_utf8_lossy(&value).into_owned())),
        },
        Event::Failed(errors) => {
            failed = failed.take().or(errors.first().map(|error| error.short(files)));
        }
        Event::Warning(_) | Event::Said(_) => {}
    };
    let _ = session.run("settings", b"set print_length 1000000;", &mut sink);
    let _ = session.run("program", program.as_bytes(), &mut sink);
    failed.map_or(Ok((values, types)), Err)
}

fn no_file() -> base::FileId {
    base::Id::new(0)
}
