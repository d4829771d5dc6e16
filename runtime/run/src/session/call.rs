//! Calls of a function from outside, with arguments from memory, files and literals.

use super::Session;
use super::definitions::Callable;
use super::engine::{Answer, Context, Undone};
use super::given::{Given, Source, misfit};
use super::parameter::Called;
use super::uses;
use base::{Code, Diagnostic, Id, Kind, Site};
use interp::Interp;
use interp::helper::Helper;
use prim::Widths;
use types::tree::{FormKind, Global, Program};
use types::{Base, Class, Scheme, Type, show_scheme};
use value::print::Style;
use value::shape::substitute;
use value::{Budget, Charge, Columns, OutOfMemory, Shape, Typed, Value, input, on_big_stack};

/// A call that can be made, any number of times.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it was read from.
    pub(super) asked: Asked,
    pub(super) function: Global,
    /// What the variables of its type stand for.
    pub(super) types: Vec<Type>,
    /// The arguments, in the order of the parameters.
    pub(super) arguments: Vec<Argument>,
    /// What the result looks like.
    pub shape: Shape,
    /// The type of the result as shown.
    pub ty: String,
}

/// The function to be called, and its arguments.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// A function by its name.
    Named(String, Vec<Given>),
    /// A function of [definitions](super::Definitions).
    Defined(Callable, Vec<Source>),
}

impl Asked {
    fn can_be_read_again(&self) -> bool {
        match self {
            Asked::Named(_, given) => given.iter().all(|given| given.source.can_be_read_again()),
            Asked::Defined(_, sources) => sources.iter().all(Source::can_be_read_again),
        }
    }
}

/// An argument that fits its parameter.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) columns: Columns,
    /// True if it is the sequence of the rows that were given.
    pub(super) is_sequence_of_rows: bool,
}

impl Call {
    /// Bytes of all arguments.
    pub(super) fn size(&self) -> u64 {
        self.arguments.iter().map(|argument| argument.columns.size() as u64).sum()
    }
    /// The result that the interpreter computes.
    pub(super) fn interpreted(
        &self,
        interp: &mut Interp,
        program: &Program,
    ) -> Result<Value, Diagnostic> {
        let _charge = self.charge(interp, program)?;
        interp.call(program, self.function, &self.types, self.argument_value())
    }
    /// The same with a helper for what has no effects.
    pub(super) fn helped(
        &self,
        interp: &mut Interp,
        program: &Program,
        helper: &mut dyn Helper,
    ) -> Result<Value, Diagnostic> {
        let _charge = self.charge(interp, program)?;
        let function = (self.function, self.types.as_slice());
        interp.call_helped(program, function, self.argument_value(), helper)
    }
    /// Charges the arguments as the interpreter takes them.
    fn charge(&self, interp: &Interp, program: &Program) -> Result<Charge, Diagnostic> {
        let span = program.globals[self.function].span;
        let nested = self.arguments.iter().map(|argument| argument.columns.nested_size()).sum();
        interp.budget().charge(nested).map_err(|error: OutOfMemory| {
            Diagnostic::at(Kind::Runtime(Site::Memory), span, error.to_string())
                .help("`--memory SIZE` allows more or less")
        })
    }
    /// All arguments as one nested value.
    fn argument_value(&self) -> Value {
        let values = self.arguments.iter().rev().map(|a| a.columns.value(&a.shape, 0));
        let argument = values.reduce(|rest, first| Value::pair(first, rest));
        argument.unwrap_or_else(|| unreachable!("a function has a parameter"))
    }
}

impl Session {
    /// Makes ready to call a function: reads its arguments, and compiles it for their types.
    pub fn prepare_call(
        &mut self,
        function: &str,
        given: &[Given],
    ) -> Result<Call, Vec<Diagnostic>> {
        on_big_stack(|| {
            let call = self.read_call(function, given)?;
            self.prepare(&call)?;
            Ok(call)
        })
    }

    /// Compiles what is to be called.
    pub(super) fn prepare(&mut self, call: &Call) -> Result<(), Vec<Diagnostic>> {
        let context = Context { program: &self.checker.program, files: &self.files };
        let prepared = self.engine.prepare_call(&context, call);
        prepared.map_err(|errors| self.called_from_outside(call.function, errors))
    }

    /// Whether a function is there and uses nothing that a form which failed was to define.
    pub fn is_whole(&self, function: &str) -> bool {
        let Some(global) = self.checker.lookup(&function.to_ascii_lowercase()) else {
            return false;
        };
        let program = &self.checker.program;
        let names = uses::parts(program, global).into_iter().map(|it| &program.globals[it].name);
        names.into_iter().all(|name| !self.missing.contains(name))
    }

    /// Reads the arguments of a call, and finds out what the variables of the function's type stand
    /// for.
    pub(super) fn read_call(
        &mut self,
        function: &str,
        given: &[Given],
    ) -> Result<Call, Vec<Diagnostic>> {
        self.settle();
        let global = self.function(function).map_err(|error| vec![error])?;
        let called = self.called(global, given)?;
        let own = !self.checker.program.globals[global].library;
        self.read_arguments(&called, own, Asked::Named(function.to_owned(), given.to_vec()))
    }

    /// Reads what was asked for once more.
    fn read_again(&mut self, asked: &Asked) -> Result<Call, Vec<Diagnostic>> {
        match asked {
            Asked::Named(function, given) => self.read_call(function, given),
            Asked::Defined(function, sources) => self.read_defined(function, sources.clone()),
        }
    }

    /// Reads the arguments of a function, which the user has written or not, and finds out what the
    /// variables of its type stand for.
    pub(super) fn read_arguments(
        &mut self,
        called: &Called,
        own: bool,
        asked: Asked,
    ) -> Result<Call, Vec<Diagnostic>> {
        let own_types: Vec<Own> =
            called.arguments.iter().map(|(_, given)| self.own_type(given)).collect();
        let program = &self.checker.program;
        let scheme = &program.globals[called.function].scheme;
        let types = vec![None; scheme.classes.len()];
        let budget = &self.budget;
        let mut reader = Reader { program, scheme, types, own, budget };
        // What is only assumed of one argument another may determine.
        for assumed in [false, true] {
            for ((ty, _), known) in called.arguments.iter().zip(&own_types) {
                match known {
                    Own::Of { ty: own, assumed: is } if *is == assumed => {
                        reader.determine(ty, own);
                    }
                    Own::Rows(row) if !assumed => {
                        let own = reader.of_rows(ty, row);
                        reader.determine(ty, &own);
                    }
                    _ => {}
                }
            }
        }
        let mut arguments = Vec::new();
        for (ty, given) in &called.arguments {
            arguments.push(reader.read(ty, given).map_err(|mut error| {
                error.notes.extend(called.notes.iter().cloned());
                vec![error]
            })?);
        }
        let types: Vec<Type> =
            reader.types.into_iter().map(|ty| ty.unwrap_or(Type::Base(Base::I64))).collect();
        let Type::Fun(_, result) = substitute(&scheme.ty, &types) else {
            unreachable!("`{}` is a function", self.name_of(called.function))
        };
        let shape = Shape::of(&result, &[], &program.datas);
        let ty = types::show_type(program, &result);
        Ok(Call { asked, function: called.function, types, arguments, shape, ty })
    }

    /// Makes the call that was made ready last for its own sake: its result is let go, on the
    /// device, and its kernels are not timed.
    pub fn rehearse(&mut self, call: &Call) -> Result<(), Diagnostic> {
        let rehearsed = on_big_stack(|| self.engine.rehearse(&self.checker.program, call));
        rehearsed.map_err(|error| self.call_failed(call, error))
    }

    /// Makes the call that was made ready last.
    pub fn call(&mut self, call: &Call) -> Result<Answer, Diagnostic> {
        let answer = on_big_stack(|| self.engine.call(&self.checker.program, call));
        answer.map_err(|error| self.call_failed(call, error))
    }

    /// Makes the call that was made ready last, and not again: its arguments are let go, so that
    /// what they take in memory is used for other vectors.  Values that came from memory are not
    /// overwritten.  If it fails, they are read once more to
    /// tell by which calls it came to that, or why at all.
    pub fn call_last(&mut self, call: &mut Call) -> Result<Answer, Vec<Diagnostic>> {
        let asked = call.asked.clone();
        if !asked.can_be_read_again() {
            return self.call(call).map_err(|error| vec![error]);
        }
        let done = on_big_stack(|| self.engine.call_last(&self.checker.program, call));
        let error = match done {
            Ok(answer) => return Ok(answer),
            Err(Undone::Failed(error)) => error,
            Err(Undone::Traceable(error)) => on_big_stack(|| match self.read_again(&asked) {
                Ok(again) if again.types == call.types => {
                    self.engine.retrace(&self.checker.program, &again, error)
                }
                _ => error,
            }),
            Err(Undone::Spent) => {
                self.give_again(call, &asked)?;
                return self.call(call).map_err(|error| vec![error]);
            }
        };
        Err(vec![self.call_failed(call, error)])
    }

    /// Makes a call ready whose arguments have been let go.
    fn give_again(&mut self, call: &mut Call, asked: &Asked) -> Result<(), Vec<Diagnostic>> {
        let again = on_big_stack(|| self.read_again(asked))?;
        // A file may have become another.
        if again.types == call.types {
            self.engine.give(&again)?;
        } else {
            on_big_stack(|| self.prepare(&again))?;
        }
        *call = again;
        Ok(())
    }

    fn call_failed(&self, call: &Call, error: Diagnostic) -> Diagnostic {
        self.with_advice(error).called(self.name_of(call.function), &self.files)
    }

    pub(super) fn name_of(&self, global: Global) -> &str {
        &self.checker.program.globals[global].name
    }

    /// Errors of a function that no text calls.
    pub(super) fn called_from_outside(
        &self,
        function: Global,
        errors: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let name = self.name_of(function);
        errors.into_iter().map(|error| error.called(name, &self.files)).collect()
    }

    /// Warnings of the engine since the last time.
    pub fn warnings(&mut self) -> Vec<Diagnostic> {
        self.engine.warnings()
    }

    /// How values are shown.
    pub(super) fn style(&self) -> Style {
        self.settings.style().of_widths(self.checker.program.widths)
    }

    /// The text of an answer as results are shown.
    pub fn show(&self, answer: &Answer, shape: &Shape) -> Vec<u8> {
        answer.show(shape, self.style())
    }

    /// The type of an argument as it tells by itself.  Elements of a `[]` in a literal that nothing
    /// determines are taken for ints, as the error about it suggests.
    fn own_type(&mut self, given: &Given) -> Own {
        let mut text = match &given.source {
            Source::File(_) => return Own::Unknown,
            Source::Memory(value) => return Own::Of { ty: value.ty().clone(), assumed: false },
            Source::Rows(rows) => return Own::Rows(rows.ty().clone()),
            Source::Literal(text) => text.clone(),
        };
        match self.type_of(&given.name, &text) {
            Ok(Some(ty)) => Own::Of { ty, assumed: false },
            Ok(None) => Own::Unknown,
            Err(errors) => {
                let mut edits: Vec<_> = errors
                    .into_iter()
                    .filter(|error| error.code == Code::Undetermined)
                    .flat_map(|error| error.suggestions)
                    .flat_map(|suggestion| suggestion.edits)
                    .collect();
                edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
                for edit in edits {
                    text.replace_range(
                        edit.span.start as usize..edit.span.end as usize,
                        &edit.text,
                    );
                }
                match self.type_of(&given.name, &text) {
                    Ok(Some(ty)) => Own::Of { ty, assumed: true },
                    _ => Own::Unknown,
                }
            }
        }
    }

    /// The type of an expression, if the text is one.
    fn type_of(&mut self, name: &str, text: &str) -> Result<Option<Type>, Vec<Diagnostic>> {
        let text = format!("{text}\n;");
        let group = syntax::parse(self.files.add(name, text.as_str()), text.as_bytes());
        let [form] = group.forms.as_slice() else { return Ok(None) };
        let before = self.checker.checkpoint();
        let checked = self.checker.check_ahead(form);
        self.checker.rollback(&before);
        Ok(match checked?.first().map(|form| &form.kind) {
            Some(FormKind::Evaluate { exp, .. }) => Some(exp.ty.clone()),
            _ => None,
        })
    }

    pub(super) fn function(&self, name: &str) -> Result<Global, Diagnostic> {
        let fail = |kind, message| Diagnostic::new(kind, message);
        let name = name.to_ascii_lowercase();
        let Some(global) = self.checker.lookup(&name) else {
            let error = fail(Kind::Undefined, format!("there is no function `{name}`"));
            if let Some((function, value)) = name.split_once('=') {
                let way = format!("`--entry {function}` and then arguments, such as `x={value}`");
                return Err(error.help(format!("write {way}")));
            }
            return Err(match self.nearest(&name) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let definition = &self.checker.program.globals[global];
        match &definition.scheme.ty {
            Type::Fun(..) => Ok(global),
            _ => {
                let ty = show_scheme(&self.checker.program, &definition.scheme);
                Err(fail(Kind::Input, format!("`{name}` is no function, but of type {ty}")))
            }
        }
    }
}

/// What an argument says of its type by itself.
enum Own {
    /// It is of this type, or of another if that is assumed in part.
    Of { ty: Type, assumed: bool },
    /// It is rows of this type: a sequence of them, or the only one.
    Rows(Type),
    /// It is a file, or a literal that is wrong.
    Unknown,
}

/// Reads arguments, and finds out on the way what type variables stand for.
struct Reader<'a> {
    program: &'a Program,
    scheme: &'a Scheme,
    types: Vec<Option<Type>>,
    /// Whether the user has written the function.
    own: bool,
    /// The budget to which arguments are charged.
    budget: &'a Budget,
}

impl Reader<'_> {
    /// The type that rows have for a parameter of a type: they are a sequence, except for a
    /// parameter that can be none, which the only row is for.
    fn of_rows(&self, ty: &Type, row: &Type) -> Type {
        let is_sequence = match ty {
            Type::Seq(_) => true,
            Type::Var(var) => matches!(self.scheme.classes[var.index()], Class::Any | Class::Data),
            Type::Base(_) | Type::Pair(..) | Type::Fun(..) | Type::Data(..) => false,
        };
        if is_sequence { Type::Seq(row.clone().into()) } else { row.clone() }
    }

    /// Lets variables stand for what they are in the type of an argument, as far as they may.
    fn determine(&mut self, ty: &Type, argument: &Type) {
        match (ty, argument) {
            (Type::Var(var), _) => {
                let var = var.index();
                if self.types[var].is_none() && fits(self.scheme.classes[var], argument) {
                    self.types[var] = Some(argument.clone());
                }
            }
            (Type::Seq(a), Type::Seq(b)) => self.determine(a, b),
            (Type::Pair(a, b), Type::Pair(c, d)) => {
                self.determine(a, c);
                self.determine(b, d);
            }
            (Type::Data(a, of), Type::Data(b, to)) if a == b => {
                of.iter().zip(to).for_each(|(ty, argument)| self.determine(ty, argument));
            }
            // In memory a datatype is its fields.
            (Type::Data(data, args), Type::Pair(..) | Type::Base(_) | Type::Seq(_)) => {
                let fields = substitute(&self.program.datas[*data].fields, args);
                self.determine(&fields, argument);
            }
            // It will not fit; reading it tells how.
            _ => {}
        }
    }

    /// Takes a value from memory, whose type must be that of the parameter.
    fn take(&self, ty: &Type, name: &str, value: &Typed) -> Result<Argument, Diagnostic> {
        let Reader { program, scheme, .. } = self;
        let wrong = |message: String| {
            let given = types::show_type(program, value.ty());
            let wanted = types::show_type_within(program, scheme, ty);
            let note = format!("`{name}` has type {wanted}, and is given as {given}");
            Diagnostic::new(Kind::Input, message).note(note)
        };
        if let Some(misfit) = misfit(program, scheme, &self.types, ty, value.ty()) {
            return Err(wrong(format!("`{name}{}`: {}", misfit.path, misfit.reason)));
        }
        let lanes = value.columns().lanes();
        if lanes != 1 {
            return Err(wrong(format!("`{name}`: there are {lanes} rows, and one is needed")));
        }
        let (own, wanted) = (value.columns().widths(), program.widths);
        if own != wanted {
            let told = |widths: Widths| {
                format!("ints of {} and floats of {} bits", widths.int.bits(), widths.float.bits())
            };
            let message =
                format!("`{name}`: {} are given where the session has {}", told(own), told(wanted));
            return Err(wrong(message));
        }
        let int = Type::Base(Base::I64);
        let types: Vec<Type> =
            self.types.iter().map(|ty| ty.clone().unwrap_or_else(|| int.clone())).collect();
        let shape = Shape::of(&substitute(ty, &types), &[], &program.datas);
        let (name, columns) = (name.to_owned(), value.columns().clone());
        Ok(Argument { name, shape, columns, is_sequence_of_rows: false })
    }

    /// Reads an argument for a parameter of this type.  Its variables stand for the first types
    /// at which the argument can be read.
    fn read(&mut self, ty: &Type, given: &Given) -> Result<Argument, Diagnostic> {
        match &given.source {
            Source::Memory(value) => return self.take(ty, &given.name, value),
            Source::Rows(rows) => {
                let own = self.of_rows(ty, rows.ty());
                if own == *rows.ty() {
                    return self.take(ty, &given.name, rows);
                }
                let value = rows.sequence().map_err(|error| no_room(&given.name, error))?;
                let taken = self.take(ty, &given.name, &value)?;
                return Ok(Argument { is_sequence_of_rows: true, ..taken });
            }
            Source::File(_) | Source::Literal(_) => {}
        }
        let mut open = Vec::new();
        free(ty, &mut |var| {
            if self.types[var].is_none() && !open.contains(&var) {
                open.push(var);
            }
        });
        let mut first: Option<Diagnostic> = None;
        // What is told at every type alike does not depend on the type.
        let mut alike = true;
        for choice in choices(open.len()) {
            for (&var, candidate) in open.iter().zip(&choice) {
                self.types[var] = Some(candidate.clone());
            }
            if !open.iter().zip(&choice).all(|(&var, ty)| fits(self.scheme.classes[var], ty)) {
                continue;
            }
            let types: Vec<Type> =
                self.types.iter().map(|ty| ty.clone().unwrap_or(Type::Base(Base::I64))).collect();
            let shape = Shape::of(&substitute(ty, &types), &[], &self.program.datas);
            match read_value(given, &shape, self.program.widths, self.budget) {
                Ok(columns) => {
                    let name = given.name.clone();
                    return Ok(Argument { name, shape, columns, is_sequence_of_rows: false });
                }
                // No type makes a file smaller.
                Err(error) if error.code == Code::Memory => return Err(error),
                Err(error) => {
                    alike &= first.as_ref().is_none_or(|first| first.message == error.message);
                    first = first.or(Some(error));
                }
            }
        }
        let mut error = first.unwrap_or_else(|| unreachable!("a class has types"));
        if open.is_empty() {
            return Err(error);
        }
        if alike {
            error.notes.clear();
            return Err(error);
        }
        let shown = types::show_type(self.program, ty);
        error.notes.push(format!("no type fits for the variables in {shown}"));
        if self.own {
            error.help.push("write the type of the function in its definition".to_owned());
        }
        Err(error)
    }
}

/// The variables of a type.
fn free(ty: &Type, visit: &mut impl FnMut(usize)) {
    match ty {
        Type::Base(_) => {}
        Type::Var(var) => visit(var.index()),
        Type::Seq(element) => free(element, visit),
        Type::Pair(a, b) | Type::Fun(a, b) => {
            free(a, visit);
            free(b, visit);
        }
        Type::Data(_, args) => args.iter().for_each(|arg| free(arg, visit)),
    }
}

/// Ways to choose this many types, simple ones first.
fn choices(count: usize) -> Vec<Vec<Type>> {
    let bases = [Base::I64, Base::F64, Base::Bool, Base::Char].map(Type::Base);
    let once = bases.clone().map(|ty| Type::Seq(ty.into()));
    let twice = once.clone().map(|ty| Type::Seq(ty.into()));
    let candidates: Vec<Type> = bases.into_iter().chain(once).chain(twice).collect();
    let mut choices = vec![Vec::new()];
    // Of many variables only the first few are tried at all types.
    for place in 0..count {
        let tried = if place < 3 { candidates.len() } else { 1 };
        choices = choices
            .iter()
            .flat_map(|choice: &Vec<Type>| {
                candidates[..tried].iter().map(|ty| {
                    let mut longer = choice.clone();
                    longer.push(ty.clone());
                    longer
                })
            })
            .collect();
    }
    choices
}

fn fits(class: Class, ty: &Type) -> bool {
    match ty {
        Type::Base(base) => class.contains(*base),
        _ => matches!(class, Class::Any | Class::Data),
    }
}

/// Reads a file, or a literal.
fn read_value(
    given: &Given,
    shape: &Shape,
    widths: Widths,
    budget: &Budget,
) -> Result<Columns, Diagnostic> {
    let name = &given.name;
    match &given.source {
        Source::File(path) => input::read(path, shape, widths, name, budget),
        Source::Literal(text) => input::read_literal(text.as_bytes(), shape, widths, name, budget),
        Source::Memory(_) | Source::Rows(_) => unreachable!("values are taken as they are"),
    }
}

fn no_room(name: &str, error: OutOfMemory) -> Diagnostic {
    Diagnostic::new(Kind::Runtime(Site::Memory), format!("`{name}`: {error}"))
}
