//! The parameters of a function that is called from outside, and which values are whose.
//!
//! Optional parameters that are not given are filled as in a program (LANGUAGE 9.4): what is called
//! is a function that leaves them out, which is checked and compiled like any other.
//!
//! ```text
//! function scaled(x, by := 2) = x * by;      of this, with x=3 alone, is called
//! function scaled_call(p) = scaled(p);
//! ```

use super::Session;
use super::given::Given;
use base::{Diagnostic, Id, Kind};
use types::tree::{FormKind, Global, Program};
use types::{Type, show_type_within};

/// A parameter as the user sees it.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// None if it is a pattern, or one of a function that is not written in NESL.
    pub(super) name: Option<String>,
    /// Over the variables of the function's type.
    pub(super) ty: Type,
    /// The function of its default, if it may be left out.
    default: Option<Global>,
}

impl Parameter {
    /// True if it must be given.
    pub(super) fn is_needed(&self) -> bool {
        self.default.is_none()
    }
    /// The name that messages give it, as one of several.
    pub(super) fn called(&self, place: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("parameter {}", place + 1))
    }
}

/// A function and its arguments.
pub(super) struct Called {
    pub(super) function: Global,
    /// The type and the value of each parameter.
    pub(super) arguments: Vec<(Type, Given)>,
    /// What defaults have to do with types, for errors in arguments.
    pub(super) notes: Vec<String>,
}

impl Session {
    /// Finds out what is to be called with which arguments.
    pub(super) fn called(
        &mut self,
        function: Global,
        given: &[Given],
    ) -> Result<Called, Vec<Diagnostic>> {
        let program = &self.checker.program;
        let parameters = parameters(program, function);
        let matched = matched(program, function, &parameters, given)?;
        if matched.iter().all(Option::is_some) {
            let types = parameters.into_iter().map(|parameter| parameter.ty);
            let arguments = types.zip(matched.into_iter().flatten()).collect();
            return Ok(Called { function, arguments, notes: Vec::new() });
        }
        self.filled(function, &parameters, &matched)
    }

    /// A function that leaves out what is not given, with the rest.
    fn filled(
        &mut self,
        function: Global,
        parameters: &[Parameter],
        given: &[Option<Given>],
    ) -> Result<Called, Vec<Diagnostic>> {
        let there: Vec<bool> = given.iter().map(Option::is_some).collect();
        let filling = self.filling(function, parameters, &there)?;
        let program = &self.checker.program;
        let types = lower::parameters(program, filling).into_iter().map(|(_, ty)| ty);
        let arguments: Vec<(Type, Given)> = types.zip(given.iter().flatten().cloned()).collect();
        let (there, left_out): (Vec<_>, Vec<_>) =
            parameters.iter().zip(given).partition(|(_, given)| given.is_some());
        let alike = there.iter().zip(&arguments).all(|((own, _), (ty, _))| own.ty == *ty);
        let notes = left_out.iter().filter_map(|(parameter, _)| {
            let default = &program.globals[parameter.default?].scheme;
            let Type::Fun(_, ty) = &default.ty else { return None };
            let ty = show_type_within(program, default, ty);
            Some(format!("`{}` is not given, and its default is {ty}", parameter.name.as_ref()?))
        });
        let notes = if alike { Vec::new() } else { notes.collect() };
        Ok(Called { function: filling, arguments, notes })
    }

    /// Defines the function that leaves out what is not given.
    pub(super) fn filling(
        &mut self,
        function: Global,
        parameters: &[Parameter],
        given: &[bool],
    ) -> Result<Global, Vec<Diagnostic>> {
        let definition = &self.checker.program.globals[function];
        let (name, span) = (definition.name.clone(), definition.span);
        let mut own = format!("{name}_call");
        while self.checker.lookup(&own).is_some() {
            own.push('_');
        }
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        for (n, parameter) in parameters.iter().enumerate().filter(|&(n, _)| given[n]) {
            let variable = format!("{own}{n}");
            inner.push(match (&parameter.default, &parameter.name) {
                (Some(_), Some(name)) => format!("{name} := {variable}"),
                _ => variable.clone(),
            });
            outer.push(variable);
        }
        let text = format!("function {own}({}) = {name}({});", outer.join(", "), inner.join(", "));
        let group = syntax::parse(self.files.add_library(&name, text.clone()), text.as_bytes());
        let [form] = group.forms.as_slice() else { unreachable!("{text} is one form") };
        // Its name is forgotten at once, the function is not.
        let before = self.checker.checkpoint();
        let checked = self.checker.check_ahead(form);
        self.checker.rollback(&before);
        let defined = checked?.into_iter().find_map(|form| match form.kind {
            FormKind::Defined(globals) => globals.first().copied(),
            FormKind::Evaluate { .. } | FormKind::Command(..) => None,
        });
        let Some(global) = defined else { unreachable!("{text} waits for nothing") };
        // To users it is no text of theirs, but the function itself.
        let filling = &mut self.checker.program.globals[global];
        (filling.name, filling.span, filling.library) = (name, span, true);
        Ok(global)
    }
}

/// Whether a function has optional parameters.
pub(super) fn has_optional(program: &Program, function: Global) -> bool {
    parameters(program, function).iter().any(|parameter| parameter.default.is_some())
}

/// The parameters of a function.
pub(super) fn parameters(program: &Program, function: Global) -> Vec<Parameter> {
    let function_name = &program.globals[function].name;
    let list = lower::parameters(program, function);
    let default = |name: &str, ahead: usize| {
        // The functions of the defaults come right behind it.
        let global = Global::new(function.index() + 1 + ahead);
        let hidden = program.globals.get(global)?;
        (hidden.name == format!("{function_name}.{name}")).then_some(global)
    };
    // All names behind the first optional one are optional.
    let first = list.iter().position(|(name, _)| default(name, 0).is_some());
    let first = first.unwrap_or(list.len());
    let parameters = list.into_iter().enumerate().map(|(n, (name, ty))| Parameter {
        default: n.checked_sub(first).and_then(|ahead| default(&name, ahead)),
        name: (name != format!("_{n}")).then_some(name),
        ty,
    });
    parameters.collect()
}

/// The value given for each parameter, under the name that errors in it are told with; none for
/// an optional one that is not given.  A value without a name is that of the first parameter that
/// is neither optional nor given by name.
fn matched(
    program: &Program,
    function: Global,
    parameters: &[Parameter],
    given: &[Given],
) -> Result<Vec<Option<Given>>, Vec<Diagnostic>> {
    let function_name = &program.globals[function].name;
    let mut errors = Vec::new();
    let mut error = |message: String| {
        let told = told(program, function, parameters);
        errors.push(Diagnostic::new(Kind::Input, message).note(told));
    };
    let is = |parameter: &Parameter, one: &Given| {
        !one.name.is_empty() && parameter.name.as_ref() == Some(&one.name)
    };
    for (place, one) in given.iter().enumerate().filter(|(_, one)| !one.name.is_empty()) {
        if !parameters.iter().any(|parameter| is(parameter, one)) {
            error(format!("`{function_name}` has no parameter `{}`", one.name));
        } else if given[..place].iter().any(|earlier| earlier.name == one.name) {
            error(format!("the parameter `{}` is given twice", one.name));
        }
    }
    let mut nameless = given.iter().filter(|one| one.name.is_empty());
    let mut ordered = Vec::new();
    for (n, parameter) in parameters.iter().enumerate() {
        let named = given.iter().find(|one| is(parameter, one));
        let optional = parameter.default.is_some();
        let one = named.or_else(|| if optional { None } else { nameless.next() });
        if one.is_none() && !optional {
            error(match &parameter.name {
                Some(name) => format!("the parameter `{name}` is not given: write {name}=VALUE"),
                None => format!(
                    "parameter {} of `{function_name}`, which has no name, is not given: write \
                     VALUE alone",
                    n + 1
                ),
            });
        }
        ordered
            .push(one.map(|one| Given { name: parameter.called(n), source: one.source.clone() }));
    }
    for Given { source, .. } in nameless {
        error(format!("`{function_name}` has no parameter for the value {source}"));
    }
    if errors.is_empty() { Ok(ordered) } else { Err(errors) }
}

/// What the parameters of a function are called.
fn told(program: &Program, function: Global, parameters: &[Parameter]) -> String {
    let definition = &program.globals[function];
    let called = |parameter: &Parameter| match (&parameter.name, parameter.default) {
        (Some(name), None) => name.clone(),
        (Some(name), Some(_)) => format!("{name} (optional)"),
        (None, _) => {
            let ty = show_type_within(program, &definition.scheme, &parameter.ty);
            match parameter.ty {
                Type::Pair(..) => format!("one without a name, of type ({ty})"),
                _ => format!("one without a name, of type {ty}"),
            }
        }
    };
    let list: Vec<String> = parameters.iter().map(called).collect();
    let named = parameters.iter().all(|parameter| parameter.name.is_some());
    let list = list.join(if named { ", " } else { "; " });
    format!("the parameters of `{}` are: {list}", definition.name)
}
