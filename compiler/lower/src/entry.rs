//! The door: entries, what the host has to know to call them, and [`lower`] itself.

use crate::call::Signature;
use crate::facts::Facts;
use crate::fast::Floats;
use crate::mono::{Lower, Lowering, limit};
use crate::scope::{Abs, Frame, LibraryCall};
use crate::ty;
use base::{Diagnostic, IdMap, Span};
use nest::{Func, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use types::Type;
use types::tree::{
    Binding, DefinitionKind, Exp, Form, FormKind, Global, Local, LocalInfo, Pattern, PatternKind,
    Program,
};

/// The form that defines each top-level value.  Values with functions are compiled from here,
/// because functions are no values of the host.
pub type Forms<'a> = FxHashMap<Global, &'a Form>;

/// Something that the host wants to call.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// The value of the expression of a form ([`FormKind::Evaluate`]).
    Form(&'a Form),
    /// A function at these instance types.
    Function(Global, Vec<Type>),
    /// An expression in a form or function, which the host evaluates around it.
    Part(Part<'a>),
}

/// An expression by itself: its free names are parameters.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The expression.
    pub exp: &'a Exp,
    /// Names bound in the definition around it.
    pub locals: &'a IdMap<Local, LocalInfo>,
    /// The instances of the type variables of that definition.
    pub types: Vec<Type>,
    /// The byte at which the body of the form, function or function value starts.  Sites of random
    /// numbers count from it, and add to the key that the host passes.
    pub origin: u32,
    /// Its free names.
    pub free: Vec<(Local, Free)>,
}

/// The binding of a free name of a [`Part`].
#[derive(Clone, Debug)]
pub enum Free {
    /// A value of this type without functions, which the host passes.
    Value(Type),
    /// This function at these types.
    Function(Global, Vec<Type>),
}

/// A program of nest, and how to call it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: nest::Program,
    /// For each entry asked for, in order.
    pub entries: Vec<LoweredEntry>,
}

/// How to call an entry: with `params`, then `inputs`, then the key.
#[derive(Clone, Debug)]
pub struct LoweredEntry {
    /// The function.
    pub func: Func,
    /// Names and types of the parameters as the user sees them; `_0`, `_1`, ... without a name.
    pub params: Vec<(String, Type)>,
    /// Top-level values that are passed behind them.
    pub inputs: Vec<Global>,
    /// Whether an int comes last: the key of random numbers, `mix(seed, number of the form)`.
    pub key: bool,
    /// The type of the result.
    pub result: Type,
}

/// Lowers what the entries need; gives limit diagnostics where a function is not known at compile
/// time, or an effect would have to happen.  Floats of the entries and of what they call are
/// computed as said, those of the library exactly.
pub fn lower(
    program: &Program,
    forms: &Forms<'_>,
    entries: &[Entry<'_>],
    floats: Floats,
) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lower = Lower::new(program, forms, floats);
    let funcs: Vec<Func> = entries.iter().map(|_| lower.reserve()).collect();
    let mut lowered = Vec::new();
    let mut diagnostics = Vec::new();
    for (entry, &func) in entries.iter().zip(&funcs) {
        let made = match entry {
            Entry::Form(form) => lower.form_entry(func, form),
            Entry::Function(global, types) => lower.function_entry(func, *global, types),
            Entry::Part(part) => lower.part_entry(func, part),
        };
        match made {
            Ok(entry) => lowered.push(entry),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    lower.run_jobs(&mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let program =
        nest::Program { widths: program.widths, funcs: lower.into_funcs(), entries: funcs };
    Ok(Lowered { program, entries: lowered })
}

/// Names and types of the parameters of a function as the user sees them, over the variables of its
/// type; `_0`, `_1`, ... without a name.
pub fn parameters(program: &Program, function: Global) -> Vec<(String, Type)> {
    let definition = &program.globals[function];
    let Type::Fun(param, _) = &definition.scheme.ty else {
        unreachable!("`{}` is no function", definition.name)
    };
    let pattern = match &definition.kind {
        DefinitionKind::Function(function) => Some((&function.param, &function.locals)),
        _ => None,
    };
    explicit(pattern, param)
}

impl<'a> Lower<'a> {
    fn form_entry(&mut self, func: Func, form: &'a Form) -> Lowering<LoweredEntry> {
        let FormKind::Evaluate { exp, locals, .. } = &form.kind else {
            unreachable!("only forms with a value are entries")
        };
        self.start(form.span);
        let facts = self.graph.of_exp(exp);
        let mut params = Vec::new();
        self.hidden_parameters(&facts, &mut params);
        let mut frame = Frame {
            locals,
            types: [].into(),
            vars: FxHashMap::default(),
            outside: None,
            origin: form.span.start,
        };
        let result = ty::instantiate(&exp.ty, &[]);
        self.check_result(&result, form.span)?;
        let value = self.exp_value(&mut frame, exp)?;
        self.finish(func, &form.shown, params, value, form.span);
        Ok(entry(func, Vec::new(), &facts, result))
    }

    fn part_entry(&mut self, func: Func, part: &Part<'a>) -> Lowering<LoweredEntry> {
        let (exp, span) = (part.exp, part.exp.span);
        self.start(span);
        let mut facts = Facts::clone(&self.graph.of_exp(exp));
        let (mut named, mut params, mut vars) = (Vec::new(), Vec::new(), FxHashMap::default());
        for (local, free) in &part.free {
            let abs = match free {
                Free::Value(ty) => {
                    named.push((part.locals[*local].name.clone(), ty.clone()));
                    let param = self.b.fresh(ty::nest(self.program, ty));
                    params.push(param);
                    Abs::Value(param)
                }
                Free::Function(global, types) => {
                    facts.include(&self.graph.of(*global));
                    Abs::global(*global, types.as_slice().into())
                }
            };
            vars.insert(*local, abs);
        }
        self.hidden_parameters(&facts, &mut params);
        let types: Rc<[Type]> = part.types.as_slice().into();
        let result = ty::instantiate(&exp.ty, &types);
        self.check_result(&result, span)?;
        let mut frame =
            Frame { locals: part.locals, types, vars, outside: None, origin: part.origin };
        let value = self.exp_value(&mut frame, exp)?;
        self.finish(func, "part", params, value, span);
        Ok(entry(func, named, &facts, result))
    }

    /// A function that calls itself is called; another one is the entry itself.
    fn function_entry(
        &mut self,
        func: Func,
        global: Global,
        types: &[Type],
    ) -> Lowering<LoweredEntry> {
        let global = self.program.meaning(global, Binding::Latest);
        let definition = &self.program.globals[global];
        let span = definition.span;
        let Type::Fun(param, result) = ty::instantiate(&definition.scheme.ty, types) else {
            unreachable!("`{}` is no function", definition.name)
        };
        self.check_result(&result, span)?;
        if ty::has_functions(self.program, &param) {
            return Err(limit(span, format!("`{}` takes a function", definition.name)));
        }
        self.start(span);
        let facts = self.graph.of(global);
        let pattern = match &definition.kind {
            DefinitionKind::Function(function) => Some((&function.param, &function.locals)),
            _ => None,
        };
        let named = explicit(pattern, &param);
        let mut params = Vec::new();
        let arg = self.explicit_parameters(&named, &mut params);
        self.hidden_parameters(&facts, &mut params);
        let types: Rc<[Type]> = types.into();
        // The host calls from no place in the text: what is drawn depends on the body alone.
        let site = 0;
        let abs = match &definition.kind {
            DefinitionKind::Function(function) if !facts.recursive => {
                let call = LibraryCall { span, callee: global };
                let outside = definition.library.then_some(call);
                self.inside_call(site, |lower| lower.inline(function, &types, arg, outside))?
            }
            _ => {
                let (param, result) = (Type::clone(&param), Type::clone(&result));
                let floats = self.floats_at(span);
                let at = Signature { param, result, span, callee: None, site, floats };
                self.call(global, &types, arg, &at)?
            }
        };
        self.b.at(span);
        let value = self.reify(&abs, &result);
        self.finish(func, &definition.name, params, value, span);
        Ok(entry(func, named, &facts, Type::clone(&result)))
    }

    fn check_result(&self, ty: &Type, span: Span) -> Lowering<()> {
        if ty::has_functions(self.program, ty) {
            return Err(limit(span, "the result contains a function"));
        }
        Ok(())
    }

    /// One parameter of nest for each that the user sees.
    fn explicit_parameters(
        &mut self,
        named: &[(String, Type)],
        params: &mut Vec<Value>,
    ) -> Abs<'a> {
        for (_, ty) in named {
            let ty = ty::nest(self.program, ty);
            params.push(self.b.fresh(ty));
        }
        let values = params.iter().rev().map(|&param| Abs::Value(param));
        let arg = values.reduce(|rest, first| Abs::pair(first, rest));
        arg.unwrap_or_else(|| unreachable!("a function has a parameter"))
    }
}

fn entry(func: Func, params: Vec<(String, Type)>, facts: &Facts, result: Type) -> LoweredEntry {
    let inputs = facts.inputs.iter().copied().collect();
    LoweredEntry { func, params, inputs, key: facts.random, result }
}

/// The components of a parameter pattern, with names; without a pattern, those of its type.
fn explicit(
    pattern: Option<(&Pattern, &IdMap<Local, LocalInfo>)>,
    param: &Type,
) -> Vec<(String, Type)> {
    let mut named = Vec::new();
    let mut pattern = pattern;
    let mut ty = param;
    loop {
        let number = named.len();
        let position = || format!("_{number}");
        match (pattern.map(|(p, locals)| (&p.kind, locals)), ty) {
            (Some((PatternKind::Pair(p, q), locals)), Type::Pair(a, b)) => {
                let name = match &p.kind {
                    PatternKind::Local(local) => locals[*local].name.clone(),
                    _ => position(),
                };
                named.push((name, Type::clone(a)));
                pattern = Some((q, locals));
                ty = b;
            }
            (None, Type::Pair(a, b)) => {
                named.push((position(), Type::clone(a)));
                ty = b;
            }
            (Some((PatternKind::Local(local), locals)), _) => {
                named.push((locals[*local].name.clone(), ty.clone()));
                return named;
            }
            _ => {
                named.push((position(), ty.clone()));
                return named;
            }
        }
    }
}
