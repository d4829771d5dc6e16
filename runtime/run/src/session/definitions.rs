//! Definitions for a host program: texts whose functions it calls again and again.
//!
//! Each text sees the library and what [`Session::run`] has defined, but not what other definitions
//! define, nor do they see it: names are forgotten when the text has been processed, and functions
//! are called by handles.  With [`Options::keep_calls`](super::Options::keep_calls), what was
//! compiled for the types of a call is there when the function is called at the same types again.

use super::call::Asked;
use super::direct::{self, Direct};
use super::engine::Answer;
use super::given::{Given, Source};
use super::parameter::{Called, parameters};
use super::{Event, Session};
use base::{Diagnostic, Kind, Site};
use std::collections::BTreeMap;
use std::sync::Arc;
use types::Type;
use types::tree::Global;
use value::{OutOfMemory, Shape, Typed, on_big_stack};

/// The functions that a text defines, by name.
#[derive(Clone, Debug)]
pub struct Definitions {
    functions: BTreeMap<String, Callable>,
    /// Warnings about the text, which has no error.
    pub warnings: Vec<Diagnostic>,
}

/// A function that can be called as long as its session is there, whatever its name means by then.
#[derive(Clone, Debug)]
pub struct Callable {
    /// With all parameters.
    whole: Global,
    /// The function that leaves out all optional parameters, if there are any.
    short: Option<Global>,
    name: String,
    parameters: Vec<String>,
    types: Vec<Type>,
}

/// The result of a function.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The value.
    pub answer: Answer,
    /// The shape of the value.
    pub shape: Arc<Shape>,
    /// Its type as shown.
    pub ty: Arc<str>,
}

impl Definitions {
    /// A function by its name, of which case is ignored.
    pub fn function(&self, name: &str) -> Option<&Callable> {
        self.functions.get(&name.to_ascii_lowercase())
    }
    /// All functions in the order of their names.
    pub fn functions(&self) -> impl Iterator<Item = &Callable> {
        self.functions.values()
    }
}

impl Callable {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The names of its parameters, the optional ones last; `parameter 2` is one without a name.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }
    /// The types of its parameters, over the variables of its type.
    pub fn types(&self) -> &[Type] {
        &self.types
    }
}

impl Session {
    /// Processes a text; gives its functions if nothing in it fails.  `name` is what messages call
    /// the text.
    pub fn define(&mut self, name: &str, text: &[u8]) -> Result<Definitions, Vec<Diagnostic>> {
        self.settle();
        let before = self.checker.checkpoint();
        let known: Vec<Global> =
            self.checker.names().filter_map(|name| self.checker.lookup(name)).collect();
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        let flow = self.run(name, text, &mut |_, event| match event {
            Event::Failed(list) => errors.extend(list),
            Event::Warning(warning) => warnings.push(warning),
            Event::Shown { .. } | Event::Said(_) => {}
        });
        if flow.is_break() && errors.is_empty() {
            errors.push(Diagnostic::new(Kind::Input, "the text leaves the session"));
        }
        let functions = on_big_stack(|| self.callables(&known));
        self.checker.rollback(&before);
        // The next binding of a name replaces nothing that can still be called.
        self.bound = super::Bound::default();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Definitions { functions: functions?, warnings })
    }

    /// The functions that have names now and are not among those that are known.
    fn callables(
        &mut self,
        known: &[Global],
    ) -> Result<BTreeMap<String, Callable>, Vec<Diagnostic>> {
        let mut functions = BTreeMap::new();
        let names: Vec<String> = self.checker.names().map(str::to_owned).collect();
        for name in names {
            let Some(whole) = self.checker.lookup(&name) else { continue };
            let program = &self.checker.program;
            let is_function = matches!(program.globals[whole].scheme.ty, Type::Fun(..));
            if known.contains(&whole) || program.globals[whole].library || !is_function {
                continue;
            }
            let list = parameters(program, whole);
            let needed: Vec<bool> = list.iter().map(|parameter| parameter.is_needed()).collect();
            let short = match needed.iter().all(|&needed| needed) {
                true => None,
                // Without any argument there is nothing to call it with.
                false if !needed.contains(&true) => None,
                false => Some(self.filling(whole, &list, &needed)?),
            };
            let parameters = list.iter().enumerate().map(|(n, it)| it.called(n)).collect();
            let types = list.iter().map(|it| it.ty.clone()).collect();
            functions.insert(name.clone(), Callable { whole, short, name, parameters, types });
        }
        Ok(functions)
    }

    /// Calls a function with all of its parameters, or with all that are not optional, in order.
    /// Arguments in memory are let go before this returns, except for what the result shares with
    /// them.
    pub fn invoke(
        &mut self,
        function: &Callable,
        arguments: Vec<Source>,
    ) -> Result<Returned, Vec<Diagnostic>> {
        self.invoke_first(function, arguments).map(|(returned, _)| returned)
    }

    /// The same; gives besides how later calls at the same types are made without the session, if
    /// there is a way.
    pub fn invoke_first(
        &mut self,
        function: &Callable,
        arguments: Vec<Source>,
    ) -> Result<(Returned, Option<Direct>), Vec<Diagnostic>> {
        on_big_stack(|| {
            let forms = direct::forms(&arguments);
            let mut call = self.read_defined(function, arguments)?;
            self.prepare(&call)?;
            let (shape, ty) = (Arc::new(call.shape.clone()), Arc::from(call.ty.as_str()));
            let calls = self.engine.direct().zip(forms);
            let direct = calls.and_then(|(calls, forms)| {
                Direct::new(calls, &call, forms, (Arc::clone(&shape), Arc::clone(&ty)))
            });
            let answer = self.call_last(&mut call)?;
            Ok((Returned { answer, shape, ty }, direct))
        })
    }

    /// Compiles a function for arguments of these types, of which datatypes are no part, and a
    /// result of this type; calls nothing.  Gives how calls at these types are made without the
    /// session, if there is a way.
    pub fn instantiate(
        &mut self,
        function: &Callable,
        types: &[Type],
        result: &Type,
    ) -> Result<Option<Direct>, Vec<Diagnostic>> {
        on_big_stack(|| {
            let no_memory = |error: OutOfMemory| {
                vec![Diagnostic::new(Kind::Runtime(Site::Memory), error.to_string())]
            };
            let widths = self.checker.program.widths;
            let sample = |ty: &Type| Typed::sample(ty, widths).map(Source::Memory);
            let samples: Vec<Source> =
                types.iter().map(sample).collect::<Result<_, _>>().map_err(no_memory)?;
            let forms = direct::forms(&samples);
            let call = self.read_defined(function, samples)?;
            let wanted = types::show_type(&self.checker.program, result);
            if call.ty != wanted {
                let (name, found) = (&function.name, &call.ty);
                let message = format!("`{name}` gives {found}, and {wanted} is wanted of it");
                return Err(vec![Diagnostic::new(Kind::Type, message)]);
            }
            self.prepare(&call)?;
            let told = (Arc::new(call.shape.clone()), Arc::from(call.ty.as_str()));
            let calls = self.engine.direct().zip(forms);
            Ok(calls.and_then(|(calls, forms)| Direct::new(calls, &call, forms, told)))
        })
    }

    /// Reads the arguments of a call.
    pub(super) fn read_defined(
        &mut self,
        function: &Callable,
        sources: Vec<Source>,
    ) -> Result<super::Call, Vec<Diagnostic>> {
        self.settle();
        let called = self.called_in_order(function, &sources).map_err(|error| vec![error])?;
        self.read_arguments(&called, true, Asked::Defined(function.clone(), sources))
    }

    fn called_in_order(
        &self,
        function: &Callable,
        sources: &[Source],
    ) -> Result<Called, Diagnostic> {
        let program = &self.checker.program;
        let own = |global| lower::parameters(program, global);
        let choices = [Some(function.whole), function.short].into_iter().flatten();
        let chosen =
            choices.map(|global| (global, own(global))).find(|(_, l)| l.len() == sources.len());
        let Some((global, list)) = chosen else {
            let (name, given) = (&function.name, sources.len());
            let most = function.parameters.len();
            let takes = match function.short {
                Some(short) => {
                    format!("{} arguments, or {most} with optional ones", own(short).len())
                }
                None => format!("{most} arguments"),
            };
            let message = format!("`{name}` takes {takes}, and is given {given}");
            let names = function.parameters.join(", ");
            return Err(Diagnostic::new(Kind::Input, message).note(format!("they are: {names}")));
        };
        let names = function.parameters.iter().cloned();
        let given = names.zip(sources).map(|(name, source)| Given { name, source: source.clone() });
        let arguments = list.into_iter().map(|(_, ty)| ty).zip(given).collect();
        Ok(Called { function: global, arguments, notes: Vec::new() })
    }
}
