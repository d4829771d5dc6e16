//! Applications.
//!
//! Function values and library functions are inlined, the latter so that an error in the library is
//! reported at the user's call.  A user's function, and a library function that calls itself,
//! becomes one function of nest for each instance: types, and functions among its arguments.

use crate::facts::Facts;
use crate::fast::Floats;
use crate::mono::{Job, Lower, Lowering, Request, dynamic, limit};
use crate::scope::{Abs, Closure, Code, Frame, Lambda, LibraryCall};
use crate::ty;
use base::Span;
use nest::{Op, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use types::Type;
use types::tree::{
    Definition, DefinitionKind, Exp, ExpKind, FormKind, Function, Global, Local, Pattern,
    PatternKind,
};

/// The types of an application, where its errors are reported, its site for random numbers, and how
/// exact it is if it is an operation on floats.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) param: Type,
    pub(crate) result: Type,
    pub(crate) span: Span,
    /// What the user calls there, if that is in the library.
    pub(crate) callee: Option<Global>,
    pub(crate) site: i64,
    pub(crate) floats: Floats,
}

impl Signature {
    /// The call by which the user comes to what is called here, if it is a function of the library.
    fn outside(&self, callee: Global, definition: &Definition) -> Option<LibraryCall> {
        let callee = self.callee.unwrap_or(callee);
        definition.library.then_some(LibraryCall { span: self.span, callee })
    }
}

impl<'a> Lower<'a> {
    /// Applies a function.
    pub(crate) fn apply(
        &mut self,
        function: &Abs<'a>,
        arg: Abs<'a>,
        at: &Signature,
    ) -> Lowering<Abs<'a>> {
        match function {
            Abs::Fun(closure) => match &closure.code {
                Code::Global(global) => self.call(*global, &closure.types, arg, at),
                Code::Lambda(lambda) => self.apply_lambda(closure, lambda, arg, at),
            },
            Abs::Choice(choice) => self.branch(choice.condition, &at.result, |lower, side| {
                let chosen = if side { &choice.then } else { &choice.otherwise };
                lower.b.at(at.span);
                lower.apply(chosen, arg.clone(), at)
            }),
            _ => unreachable!("{function:?} is no function"),
        }
    }

    fn apply_lambda(
        &mut self,
        closure: &Closure<'a>,
        lambda: &Lambda<'a>,
        arg: Abs<'a>,
        at: &Signature,
    ) -> Lowering<Abs<'a>> {
        self.spend(at.span)?;
        let mut frame = Frame {
            locals: lambda.locals,
            types: closure.types.clone(),
            vars: lambda.captured.iter().cloned().collect(),
            outside: lambda.outside,
            origin: lambda.origin,
        };
        self.bind(&mut frame, lambda.param, arg);
        self.inside_call(at.site, |lower| lower.exp(&mut frame, lambda.body))
    }

    /// Calls a top-level function.
    pub(crate) fn call(
        &mut self,
        global: Global,
        types: &Rc<[Type]>,
        arg: Abs<'a>,
        at: &Signature,
    ) -> Lowering<Abs<'a>> {
        let definition = &self.program.globals[global];
        match &definition.kind {
            DefinitionKind::Function(function) => {
                let recursive = self.graph.of(global).recursive;
                let escapes = ty::has_functions(self.program, &at.result);
                if recursive && escapes {
                    let name = &definition.name;
                    let message = format!("`{name}` calls itself and returns a function");
                    return Err(limit(at.span, message));
                }
                if !recursive && (definition.library || escapes) {
                    self.spend(at.span)?;
                    let outside = at.outside(global, definition);
                    return self
                        .inside_call(at.site, |lower| lower.inline(function, types, arg, outside));
                }
                self.instance(global, types, &arg, at)
            }
            DefinitionKind::Constructor(_) => Ok(arg),
            DefinitionKind::Primitive(prim) => self.primitive(*prim, &arg, at),
            DefinitionKind::Value => {
                let function = self.value(global, types, at.span)?;
                self.apply(&function, arg, at)
            }
            DefinitionKind::Declared => {
                Err(Box::new(types::only_declared(&definition.name, at.span)))
            }
        }
    }

    /// The body of a function in place of its call.
    pub(crate) fn inline(
        &mut self,
        function: &'a Function,
        types: &Rc<[Type]>,
        arg: Abs<'a>,
        outside: Option<LibraryCall>,
    ) -> Lowering<Abs<'a>> {
        let mut frame = Frame {
            locals: &function.locals,
            types: types.clone(),
            vars: FxHashMap::default(),
            outside,
            origin: function.body.span.start,
        };
        self.bind(&mut frame, &function.param, arg);
        self.exp(&mut frame, &function.body)
    }

    /// A call of the function of nest for this instance, which is made when first called.
    pub(crate) fn instance(
        &mut self,
        global: Global,
        types: &Rc<[Type]>,
        arg: &Abs<'a>,
        at: &Signature,
    ) -> Lowering<Abs<'a>> {
        let key = self.key(arg, &at.param, at.span)?;
        let facts = self.instance_facts(global, arg);
        let request = Request { global, types: types.clone(), key };
        let func = match self.instances.get(&request) {
            Some(&func) => func,
            None => {
                self.spend(at.span)?;
                let func = self.reserve();
                self.instances.insert(request, func);
                let (types, arg, param) = (types.clone(), arg.clone(), at.param.clone());
                self.jobs.push_back(Job::Instance { func, global, types, arg, param });
                func
            }
        };
        let mut args = Vec::new();
        self.b.at(at.span);
        self.leaves(arg, &at.param, &mut args);
        self.hidden_arguments(&facts, at.site, &mut args);
        let ty = ty::nest(self.program, &at.result);
        Ok(Abs::Value(self.call_func(func, args, ty)))
    }

    /// What an instance does that its caller has to provide for.
    pub(crate) fn instance_facts(&mut self, global: Global, arg: &Abs<'a>) -> Facts {
        let mut facts = Facts::default();
        facts.include(&self.graph.of(global));
        self.include_facts(arg, &mut facts);
        facts
    }

    /// Top-level values and the random key, behind the arguments that the source shows.
    fn hidden_arguments(&mut self, facts: &Facts, site: i64, args: &mut Vec<Value>) {
        args.extend(facts.inputs.iter().map(|global| self.inputs[global]));
        if facts.random {
            args.push(self.draw(site));
        }
    }

    /// The value of a top-level name that is no function definition.  One with functions is
    /// evaluated again where it is used, which must not cost anything.
    pub(crate) fn value(
        &mut self,
        global: Global,
        types: &Rc<[Type]>,
        span: Span,
    ) -> Lowering<Abs<'a>> {
        if let Some(&input) = self.inputs.get(&global) {
            return Ok(Abs::Value(input));
        }
        let definition = &self.program.globals[global];
        let refused = || {
            let name = &definition.name;
            dynamic(span, format!("which function `{name}` stands for is known only at run time"))
        };
        let Some(FormKind::Evaluate { exp, locals, pattern, binds, .. }) =
            self.forms.get(&global).map(|form| &form.kind)
        else {
            return Err(refused());
        };
        let bound = binds.iter().find(|(_, g)| *g == global).map(|(local, _)| *local);
        let Some(local) = bound else { unreachable!("{global} is bound by its form") };
        let Some((pattern, part)) = part_of(pattern, exp, local) else {
            unreachable!("the pattern of a form binds its names")
        };
        let mut frame = Frame {
            locals,
            types: types.clone(),
            vars: FxHashMap::default(),
            outside: definition.library.then_some(LibraryCall { span, callee: global }),
            origin: self.forms[&global].span.start,
        };
        let position = self.b.position();
        let abs = self.exp(&mut frame, part)?;
        self.bind(&mut frame, pattern, abs);
        let free = self.b.since(position).iter().all(|stmt| matches!(stmt.op, Op::Const(_)));
        match frame.vars.remove(&local) {
            Some(abs) if free || definition.library => Ok(abs),
            _ => Err(refused()),
        }
    }
}

/// The part of a pattern and of an expression of the same form that binds a name.
fn part_of<'a>(pattern: &'a Pattern, exp: &'a Exp, local: Local) -> Option<(&'a Pattern, &'a Exp)> {
    match (&pattern.kind, &exp.kind) {
        (PatternKind::Pair(p, q), ExpKind::Pair(a, b)) => {
            part_of(p, a, local).or_else(|| part_of(q, b, local))
        }
        _ => pattern_binds(pattern, local).then_some((pattern, exp)),
    }
}

fn pattern_binds(pattern: &Pattern, local: Local) -> bool {
    match &pattern.kind {
        PatternKind::Local(bound) => *bound == local,
        PatternKind::Wildcard => false,
        PatternKind::Pair(a, b) => pattern_binds(a, local) || pattern_binds(b, local),
        PatternKind::Construct(_, fields) => pattern_binds(fields, local),
    }
}
