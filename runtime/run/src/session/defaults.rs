//! Calls in which every parameter has a value: defaults are evaluated when the call is read.
//!
//! Who calls a function of a library gives all arguments.  What is to stand for those that are left
//! out is found in the function that leaves them out (see [`super::parameter`]):
//!
//! ```text
//! function scaled_call(p) = scaled(p, scaled.by(0));     p is given, scaled.by(0) is evaluated
//! ```

use super::call::Argument;
use super::given::Given;
use super::{Call, Session};
use base::{Diagnostic, IdMap, Kind, Site, Trail};
use types::tree::{
    DefinitionKind, Exp, ExpKind, Form, FormKind, Global, Pattern, PatternKind, Program,
};
use types::{Scheme, Type};
use value::Shape;
use value::shape::substitute;

impl Session {
    /// Reads the arguments of a call, and evaluates the defaults of those that are left out.
    pub(super) fn whole_call(
        &mut self,
        function: &str,
        given: &[Given],
    ) -> Result<Call, Vec<Diagnostic>> {
        let call = self.read_call(function, given)?;
        let global = self.function(function).map_err(|error| vec![error])?;
        if call.function == global {
            return Ok(call);
        }
        let names = lower::parameters(&self.checker.program, global);
        let (types, parts) = parts(&self.checker.program, call.function, names.len());
        let types = types.iter().map(|ty| substitute(ty, &call.types)).collect();
        let mut there = call.arguments.into_iter();
        let mut arguments = Vec::new();
        for ((name, _), part) in names.into_iter().zip(parts) {
            let argument = match part.kind {
                ExpKind::Local(_) => there.next(),
                _ => None,
            };
            arguments.push(match argument {
                Some(argument) => argument,
                None => self.default(name, &part, &call.types).map_err(|error| vec![error])?,
            });
        }
        Ok(Call { function: global, types, arguments, ..call })
    }

    /// The value of a default, in which the variables stand for these types.
    fn default(
        &mut self,
        name: String,
        part: &Exp,
        types: &[Type],
    ) -> Result<Argument, Diagnostic> {
        let exp = instance(part, types);
        let (ty, span) = (exp.ty.clone(), exp.span);
        let program = &self.checker.program;
        let form = Form {
            shown: name.clone(),
            kind: FormKind::Evaluate {
                exp,
                locals: IdMap::new(),
                pattern: Pattern { kind: PatternKind::Wildcard, ty: ty.clone(), span },
                binds: Vec::new(),
                scheme: Scheme { classes: Vec::new(), ty: ty.clone() },
            },
            span,
        };
        let value = self.engine.interpret(program, &form).map_err(|error| {
            // The function of a default is none of the user's.
            Diagnostic { calls: Trail::default(), ..error }
        })?;
        let shape = Shape::of(&ty, &[], &program.datas);
        let columns = value.columns(&shape, program.widths).map_err(|error| {
            Diagnostic::at(Kind::Runtime(Site::Memory), span, error.to_string())
        })?;
        Ok(Argument { name, shape, columns, is_sequence_of_rows: false })
    }
}

/// The types at which a function that leaves out arguments calls the one with all of them, and
/// these.
fn parts(program: &Program, filling: Global, count: usize) -> (Vec<Type>, Vec<Exp>) {
    let DefinitionKind::Function(function) = &program.globals[filling].kind else {
        unreachable!("{filling} is defined")
    };
    let ExpKind::Apply(called, argument) = &function.body.kind else {
        unreachable!("{filling} calls a function")
    };
    let ExpKind::Global(_, _, types) = &called.kind else {
        unreachable!("{filling} calls a function by its name")
    };
    let (mut parts, mut rest) = (Vec::new(), &**argument);
    while parts.len() + 1 < count
        && let ExpKind::Pair(first, others) = &rest.kind
    {
        parts.push((**first).clone());
        rest = others;
    }
    parts.push(rest.clone());
    (types.clone(), parts)
}

/// The call of the function of a default where variables stand for these types.
fn instance(part: &Exp, types: &[Type]) -> Exp {
    let kind = match &part.kind {
        ExpKind::Apply(function, ignored) => {
            ExpKind::Apply(instance(function, types).into(), ignored.clone())
        }
        ExpKind::Global(global, binding, at) => {
            let at = at.iter().map(|ty| substitute(ty, types)).collect();
            ExpKind::Global(*global, *binding, at)
        }
        other => unreachable!("a default is a function without parameters, not {other:?}"),
    };
    Exp { kind, ty: substitute(&part.ty, types), span: part.span }
}
