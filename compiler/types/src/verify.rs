//! Checks that a typed form is what its types say: what the checker promises to those behind it.
//!
//! For debug builds and tests.  A complaint is a bug of the checker.

use crate::tree::{
    DefinitionKind, Each, Exp, ExpKind, Form, FormKind, Function, Local, LocalInfo, Pattern,
    PatternKind, Program,
};
use crate::ty::{Base, Class, Scheme, Type};
use base::{Id, IdMap};
use std::sync::Arc;

/// The first thing wrong with a form, if any.
pub fn verify(program: &Program, form: &Form) -> Result<(), String> {
    match &form.kind {
        FormKind::Command(..) => Ok(()),
        FormKind::Defined(globals) => globals.iter().try_for_each(|&global| {
            let definition = &program.globals[global];
            match &definition.kind {
                DefinitionKind::Function(function) => {
                    verify_function(program, &definition.scheme, function)
                        .map_err(|e| format!("{}: {e}", definition.name))
                }
                _ => Ok(()),
            }
        }),
        FormKind::Evaluate { exp, locals, pattern, binds, scheme } => {
            let verifier = Verifier { program, locals, classes: &scheme.classes };
            verifier.exp(exp)?;
            verifier.pattern(pattern)?;
            same("the value", &exp.ty, &scheme.ty)?;
            same("the pattern", &pattern.ty, &exp.ty)?;
            for (local, global) in binds {
                let ty = &program.globals[*global].scheme.ty;
                same("a bound name", &locals[*local].ty, ty)?;
            }
            Ok(())
        }
    }
}

fn verify_function(program: &Program, scheme: &Scheme, function: &Function) -> Result<(), String> {
    let verifier = Verifier { program, locals: &function.locals, classes: &scheme.classes };
    verifier.pattern(&function.param)?;
    verifier.exp(&function.body)?;
    same("the function", &scheme.ty, &arrow(&function.param.ty, &function.body.ty))
}

struct Verifier<'a> {
    program: &'a Program,
    locals: &'a IdMap<Local, LocalInfo>,
    /// The classes of the variables in scope.
    classes: &'a [Class],
}

impl Verifier<'_> {
    fn exp(&self, exp: &Exp) -> Result<(), String> {
        self.well_formed(&exp.ty)?;
        let ty = match &exp.kind {
            ExpKind::Const(value) => Type::Base(value.ty()),
            ExpKind::Str(_) => seq(&Type::Base(Base::Char)),
            ExpKind::Local(local) => self.locals[*local].ty.clone(),
            ExpKind::Global(global, _, types) => {
                let scheme = &self.program.globals[*global].scheme;
                self.instance(scheme, types)?
            }
            ExpKind::Pair(a, b) => {
                self.exp(a)?;
                self.exp(b)?;
                Type::Pair(Arc::new(a.ty.clone()), Arc::new(b.ty.clone()))
            }
            ExpKind::Seq(elements) => return self.sequence(elements, &exp.ty),
            ExpKind::Apply(f, x) => {
                self.exp(f)?;
                self.exp(x)?;
                return same("an application", &f.ty, &arrow(&x.ty, &exp.ty));
            }
            ExpKind::Lambda(pattern, body) => {
                self.pattern(pattern)?;
                self.exp(body)?;
                arrow(&pattern.ty, &body.ty)
            }
            ExpKind::If(c, a, b) => {
                [c, a, b].into_iter().try_for_each(|e| self.exp(e))?;
                same("a condition", &c.ty, &Type::Base(Base::Bool))?;
                same("a branch", &b.ty, &a.ty)?;
                a.ty.clone()
            }
            ExpKind::Let(bindings, body) => {
                for (pattern, value) in bindings {
                    self.pattern(pattern)?;
                    self.exp(value)?;
                    same("a binding", &pattern.ty, &value.ty)?;
                }
                self.exp(body)?;
                body.ty.clone()
            }
            ExpKind::Each(each) => self.each(each)?,
        };
        same("an expression", &exp.ty, &ty)
    }
    fn sequence(&self, elements: &[Exp], ty: &Type) -> Result<(), String> {
        for element in elements {
            self.exp(element)?;
            same("an element", &seq(&element.ty), ty)?;
        }
        if matches!(ty, Type::Seq(_)) { Ok(()) } else { Err(format!("sequence of type {ty:?}")) }
    }
    fn each(&self, each: &Each) -> Result<Type, String> {
        for (pattern, source) in &each.generators {
            self.pattern(pattern)?;
            self.exp(source)?;
            same("a source", &source.ty, &seq(&pattern.ty))?;
        }
        if let Some(test) = &each.test {
            self.exp(test)?;
            same("a test", &test.ty, &Type::Base(Base::Bool))?;
        }
        self.exp(&each.body)?;
        Ok(seq(&each.body.ty))
    }
    fn pattern(&self, pattern: &Pattern) -> Result<(), String> {
        self.well_formed(&pattern.ty)?;
        match &pattern.kind {
            PatternKind::Wildcard => Ok(()),
            PatternKind::Local(local) => same("a local", &self.locals[*local].ty, &pattern.ty),
            PatternKind::Pair(a, b) => {
                self.pattern(a)?;
                self.pattern(b)?;
                let parts = Type::Pair(Arc::new(a.ty.clone()), Arc::new(b.ty.clone()));
                same("a pair pattern", &pattern.ty, &parts)
            }
            PatternKind::Construct(data, fields) => {
                self.pattern(fields)?;
                let Type::Data(of, args) = &pattern.ty else {
                    return Err(format!("constructor pattern of type {:?}", pattern.ty));
                };
                let whole =
                    self.program.datas[*data].fields.substitute(&|v| args[v.index()].clone());
                if of != data {
                    return Err(format!("pattern of {data} for {of}"));
                }
                same("the fields", &fields.ty, &whole)
            }
        }
    }

    /// A scheme at some types, each of which has to be in the class of its variable.
    fn instance(&self, scheme: &Scheme, types: &[Type]) -> Result<Type, String> {
        if scheme.classes.len() != types.len() {
            return Err(format!("{} types for {} variables", types.len(), scheme.classes.len()));
        }
        for (ty, class) in types.iter().zip(&scheme.classes) {
            if !self.belongs(ty, *class) {
                return Err(format!("{ty:?} is not in {class:?}"));
            }
        }
        Ok(scheme.ty.substitute(&|v| types[v.index()].clone()))
    }
    fn belongs(&self, ty: &Type, class: Class) -> bool {
        match (class, ty) {
            (Class::Any, _) => true,
            (_, Type::Var(v)) => self.classes.get(v.index()).is_some_and(|c| c.within(class)),
            (_, Type::Base(base)) => class.contains(*base),
            (Class::Data, Type::Pair(a, b)) => self.belongs(a, class) && self.belongs(b, class),
            (Class::Data, Type::Seq(_)) => true,
            (Class::Data, Type::Data(data, args)) => {
                let fields = &self.program.datas[*data].fields;
                self.belongs(&fields.substitute(&|v| args[v.index()].clone()), class)
            }
            _ => false,
        }
    }
    /// Variables are in scope, and elements contain no functions.
    fn well_formed(&self, ty: &Type) -> Result<(), String> {
        match ty {
            Type::Base(_) => Ok(()),
            Type::Seq(t) if self.belongs(t, Class::Data) => self.well_formed(t),
            Type::Seq(t) => Err(format!("a sequence of {t:?}")),
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.well_formed(a)?;
                self.well_formed(b)
            }
            Type::Data(_, args) => args.iter().try_for_each(|t| self.well_formed(t)),
            Type::Var(v) if v.index() < self.classes.len() => Ok(()),
            Type::Var(v) => Err(format!("the variable {v} is not in scope")),
        }
    }
}

fn seq(element: &Type) -> Type {
    Type::Seq(Arc::new(element.clone()))
}

fn arrow(a: &Type, r: &Type) -> Type {
    Type::Fun(Arc::new(a.clone()), Arc::new(r.clone()))
}

fn same(what: &str, found: &Type, expected: &Type) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:?}, not {expected:?}")) }
}
