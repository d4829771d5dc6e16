//! Expressions: LANGUAGE section 7.

use crate::account::Owner;
use crate::endless::Chain;
use crate::failure::{Failure, Fault};
use crate::function::{Frame, Function, Lambda};
use crate::machine::Machine;
use crate::primitive::needs_types;
use crate::range::is_range;
use base::{Code, Diagnostic, Span, Trail};
use prim::{Meaning, Prim, Primitive};
use std::sync::Arc;
use types::Type;
use types::tree::{self, Definition, DefinitionKind, Exp, ExpKind, Global, Pattern, PatternKind};
use value::shape::substitute;
use value::{SeqBuilder, Value, stack};

/// What an application applies.
enum Callee<'p> {
    /// A function of the program.
    Function(Instance<'p>),
    /// The function of the library that `[s:e:d]` stands for.
    Range(Instance<'p>),
    /// A constructor.
    Constructor,
    /// A primitive.
    Primitive(Prim, Arc<[Type]>),
    /// A function value with its own code.
    Value(Arc<Function>),
}

/// A function of the program, at types without variables.
pub(crate) struct Instance<'p> {
    global: Global,
    definition: &'p Definition,
    function: &'p tree::Function,
    types: Arc<[Type]>,
}

impl<'p> Machine<'p> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, exp: &Exp, frame: &mut Frame) -> Result<Value, Fault> {
        self.check_stack(exp.span, frame)?;
        self.check_work(exp.span, frame)?;
        if self.may_be_helped(exp, frame)
            && let Some(result) = self.helped(exp, frame)
        {
            return result;
        }
        self.cost().step();
        match &exp.kind {
            ExpKind::Const(scalar) => Ok((*scalar).into()),
            ExpKind::Str(text) => Ok(Value::string(text.clone())),
            ExpKind::Local(local) => Ok(frame.get(*local).clone()),
            ExpKind::Global(global, binding, types) => {
                let global = self.program.meaning(*global, *binding);
                self.global(global, types, exp.span, frame)
            }
            ExpKind::Pair(first, rest) => {
                let first = self.eval(first, frame)?;
                Ok(Value::pair(first, self.eval(rest, frame)?))
            }
            ExpKind::Seq(items) => self.sequence(items, exp.span, frame),
            ExpKind::Apply(function, argument) => {
                let value = self.apply(function, argument, exp.span, frame)?;
                self.follow_seed(frame, exp.span);
                Ok(value)
            }
            ExpKind::Lambda(param, body) => Ok(Lambda::value(param, body, exp.span.start, frame)),
            ExpKind::If(condition, then, other) => {
                let arm = if self.eval(condition, frame)?.bool() { then } else { other };
                self.eval(arm, frame)
            }
            ExpKind::Let(bindings, body) => {
                self.bindings(bindings, frame)?;
                self.eval(body, frame)
            }
            ExpKind::Each(each) => {
                let value = self.each(each, exp.span, frame)?;
                self.follow_seed(frame, exp.span);
                Ok(value)
            }
        }
    }

    #[inline(never)]
    fn sequence(&mut self, items: &[Exp], span: Span, frame: &mut Frame) -> Result<Value, Fault> {
        let mut builder = SeqBuilder::with_capacity(items.len());
        for item in items {
            builder.push(self.eval(item, frame)?);
        }
        let value = Value::Seq(builder.finish());
        self.at(span, frame);
        self.cost().add(value.size(), 0);
        Ok(value)
    }

    fn bindings(&mut self, bindings: &[(Pattern, Exp)], frame: &mut Frame) -> Result<(), Fault> {
        for (pattern, exp) in bindings {
            let value = self.eval(exp, frame)?;
            self.bind(pattern, value, frame);
        }
        Ok(())
    }

    /// Binds the names of a pattern to the parts of a value.
    pub(crate) fn bind(&self, pattern: &Pattern, value: Value, frame: &mut Frame) {
        match &pattern.kind {
            PatternKind::Local(local) => frame.set(*local, value),
            PatternKind::Wildcard => {}
            PatternKind::Pair(first, rest) => {
                let (head, tail) = value.parts();
                self.bind(first, head.clone(), frame);
                self.bind(rest, tail.clone(), frame);
            }
            PatternKind::Construct(_, fields) => self.bind(fields, value.fields().clone(), frame),
        }
    }

    /// The body of a function in its frame.  Calls in tail position take the place of the frame,
    /// so that loops written as recursion need no stack.
    fn run(&mut self, body: &Exp, frame: Frame) -> Result<Value, Fault> {
        let mut made = Trail::default();
        let result = self.run_tail(body, frame, &mut made);
        if result.is_err() {
            self.trail.push_made(made);
        }
        result
    }

    /// The same; `made` are the calls in tail position so far.
    fn run_tail(
        &mut self,
        body: &Exp,
        mut frame: Frame,
        made: &mut Trail<Option<Global>>,
    ) -> Result<Value, Fault> {
        self.calls += 1;
        let mut exp = body;
        let mut chain = Chain::default();
        let value = loop {
            self.at(exp.span, &frame);
            if self.may_be_helped(exp, &frame)
                && let Some(result) = self.helped(exp, &mut frame)
            {
                break result?;
            }
            match &exp.kind {
                ExpKind::If(condition, then, other) => {
                    self.cost().step();
                    let holds = self.eval(condition, &mut frame)?.bool();
                    exp = if holds { then } else { other };
                }
                ExpKind::Let(bindings, body) => {
                    self.cost().step();
                    self.bindings(bindings, &mut frame)?;
                    exp = body;
                }
                ExpKind::Apply(function, argument) => {
                    self.cost().step();
                    match self.callee(function, &mut frame)? {
                        Callee::Function(code) => {
                            let value = self.eval(argument, &mut frame)?;
                            if !code.definition.library {
                                made.push(self.called(Some(code.global), exp.span, &frame));
                            }
                            if chain.comes_back(code.global, &value, self.effects) {
                                return Err(self.fault(Failure::endless(), exp.span, &frame));
                            }
                            frame = self.enter(&code, value, exp.span, &frame)?;
                            exp = &code.function.body;
                        }
                        callee => break self.call(callee, argument, exp.span, &mut frame)?,
                    }
                }
                _ => break self.eval(exp, &mut frame)?,
            }
        };
        self.calls -= 1;
        Ok(value)
    }

    /// `f x`.
    fn apply(
        &mut self,
        function: &Exp,
        argument: &Exp,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        let callee = self.callee(function, frame)?;
        self.call(callee, argument, span, frame)
    }

    /// What stands in function position; its types only where they are needed.
    fn callee(&mut self, function: &Exp, frame: &mut Frame) -> Result<Callee<'p>, Fault> {
        let value = match &function.kind {
            ExpKind::Global(global, binding, types) => {
                let id = self.program.meaning(*global, *binding);
                let definition = &self.program.globals[id];
                let range = is_range(definition);
                // A range is one expression, of which the function is no part.
                if !range {
                    self.cost().step();
                }
                match &definition.kind {
                    DefinitionKind::Function(function) => {
                        let types = self.instantiate(types, frame);
                        let code = Instance { global: id, definition, function, types };
                        return Ok(match range {
                            true => Callee::Range(code),
                            false => Callee::Function(code),
                        });
                    }
                    DefinitionKind::Constructor(_) => return Ok(Callee::Constructor),
                    DefinitionKind::Primitive(prim) => {
                        let needed = needs_types(Primitive::of(*prim).meaning);
                        let types = self.instantiate(if needed { types } else { &[] }, frame);
                        return Ok(Callee::Primitive(*prim, types));
                    }
                    _ => self.global(id, types, function.span, frame)?,
                }
            }
            _ => self.eval(function, frame)?,
        };
        self.callee_of(&value, function.span, frame)
    }

    /// What is behind a function value.
    fn callee_of(&self, value: &Value, span: Span, frame: &Frame) -> Result<Callee<'p>, Fault> {
        let inside = Function::of(value);
        let Function::Global(global, types) = &*inside else {
            return Ok(Callee::Value(inside));
        };
        let global = *global;
        let definition = &self.program.globals[global];
        match &definition.kind {
            DefinitionKind::Function(function) => {
                let types = Arc::clone(types);
                Ok(Callee::Function(Instance { global, definition, function, types }))
            }
            DefinitionKind::Constructor(_) => Ok(Callee::Constructor),
            DefinitionKind::Primitive(prim) => Ok(Callee::Primitive(*prim, Arc::clone(types))),
            _ => Err(self.undefined(definition, span, frame)),
        }
    }

    fn call(
        &mut self,
        callee: Callee<'p>,
        argument: &Exp,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        match callee {
            Callee::Primitive(prim, types) => {
                self.primitive_call(prim, &types, argument, span, frame)
            }
            Callee::Range(code) => self.range(code, argument, span, frame),
            callee => {
                let argument = self.eval(argument, frame)?;
                self.call_with(callee, argument, span, frame)
            }
        }
    }

    /// Applies a function of the program to a value.
    pub(crate) fn call_function(
        &mut self,
        code: Instance<'p>,
        argument: Value,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        self.call_with(Callee::Function(code), argument, span, frame)
    }

    /// Applies a function value to a value.
    pub(crate) fn apply_value(
        &mut self,
        function: &Value,
        argument: Value,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        let callee = self.callee_of(function, span, frame)?;
        self.call_with(callee, argument, span, frame)
    }

    fn call_with(
        &mut self,
        callee: Callee<'p>,
        argument: Value,
        span: Span,
        frame: &mut Frame,
    ) -> Result<Value, Fault> {
        match callee {
            Callee::Function(code) | Callee::Range(code) => {
                let depth = self.calls;
                if self.pending.comes_back(depth, code.global, &argument, self.effects) {
                    return Err(self.fault(Failure::endless(), span, frame));
                }
                self.begin();
                let inner = self.enter(&code, argument, span, frame)?;
                let result = self.run(&code.function.body, inner);
                // Calls inside the library mean nothing to the user.
                if result.is_err() && !code.definition.library {
                    self.trail.push(self.called(Some(code.global), span, frame));
                }
                self.pending.returned(depth);
                self.end();
                result
            }
            Callee::Constructor => Ok(Value::Data(Arc::new(argument))),
            Callee::Primitive(prim, types) => {
                self.primitive_value(prim, &types, &argument, span, frame)
            }
            Callee::Value(inside) => match &*inside {
                Function::Lambda(lambda) => self.call_lambda(lambda, argument, span, frame),
                Function::Global(..) => unreachable!("a global is looked up before"),
            },
        }
    }

    /// The frame of a function that is called at `span`.
    fn enter(
        &mut self,
        code: &Instance,
        argument: Value,
        span: Span,
        frame: &Frame,
    ) -> Result<Frame, Fault> {
        let key = frame.key.in_call(span, code.function.body.span.start);
        let names = code.function.locals.len();
        let mut inner = Frame::new(names, Arc::clone(&code.types), key, frame.seeds);
        if code.definition.library {
            inner.caller = Some(frame.caller.unwrap_or(span));
        }
        if code.definition.library && frame.caller.is_some() {
            inner.owner = frame.owner;
        } else {
            inner.owner = Owner::Function(code.global);
            self.enters(inner.owner);
        }
        self.allocate(inner.size()).map_err(|failure| self.fault(failure, span, frame))?;
        self.bind(&code.function.param, argument, &mut inner);
        Ok(inner)
    }

    #[inline(never)]
    fn call_lambda(
        &mut self,
        lambda: &Lambda,
        argument: Value,
        span: Span,
        frame: &Frame,
    ) -> Result<Value, Fault> {
        let mut inner = lambda.frame.clone();
        inner.key = frame.key.in_call(span, lambda.origin);
        inner.seeds = frame.seeds;
        self.allocate(inner.size()).map_err(|failure| self.fault(failure, span, frame))?;
        self.bind(&lambda.param, argument, &mut inner);
        self.begin();
        // A function value of the library is part of what it does.
        let told = lambda.frame.caller.is_none();
        let result = self.run(&lambda.body, inner);
        if result.is_err() && told {
            self.trail.push(self.called(None, span, frame));
        }
        self.end();
        result
    }

    /// A top-level name as a value.
    fn global(
        &mut self,
        global: Global,
        types: &[Type],
        span: Span,
        frame: &Frame,
    ) -> Result<Value, Fault> {
        let program = self.program;
        let definition = &program.globals[global];
        let types = self.instantiate(types, frame);
        match &definition.kind {
            DefinitionKind::Function(_) | DefinitionKind::Constructor(_) => {
                Ok(Function::Global(global, types).value())
            }
            DefinitionKind::Primitive(prim) => match Primitive::of(*prim).meaning {
                Meaning::Const(scalar) => Ok(self.program.widths.constant(scalar).into()),
                _ => Ok(Function::Global(global, types).value()),
            },
            DefinitionKind::Value => {
                let value = self.bound(global, &types);
                let value = value.or_else(|| self.bound_elsewhere(global, &types));
                value.ok_or_else(|| self.undefined(definition, span, frame))
            }
            DefinitionKind::Declared => Err(self.undefined(definition, span, frame)),
        }
    }

    /// Types of this frame's definition without its variables.
    fn instantiate(&self, types: &[Type], frame: &Frame) -> Arc<[Type]> {
        if types.is_empty() {
            return Arc::clone(&self.no_types);
        }
        types.iter().map(|ty| substitute(ty, &frame.types)).collect()
    }

    fn undefined(&self, definition: &Definition, span: Span, frame: &Frame) -> Fault {
        let span = frame.caller.unwrap_or(span);
        Box::new(match definition.kind {
            DefinitionKind::Declared => types::only_declared(&definition.name, span),
            _ => {
                let message = format!("`{}` is used before it is defined", definition.name);
                Diagnostic::of(Code::Incomplete, message).label(span, "")
            }
        })
    }

    /// Ends a recursion that is about to run out of stack.
    fn check_stack(&self, span: Span, frame: &Frame) -> Result<(), Fault> {
        if stack::remaining() != Some(0) {
            return Ok(());
        }
        Err(self.fault(Failure::recursion(self.calls), span, frame))
    }
}
