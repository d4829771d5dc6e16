//! Libraries: functions of a program as text that runs without us.
//!
//! Which types a polymorphic function is built for follows from the type that is asked for, or from
//! the arguments of an example.

use super::engine::Context;
use super::given::Given;
use super::parameter::has_optional;
use super::{Call, Session};
use base::timing::Timings;
use base::{Code, Diagnostic, Kind, Span};
use compile::Dump;
use emit::host::{self, Component, Entry, Example, Library, Standalone};
use lower::Lowered;
use prim::Ty;
use std::path::Path;
use types::tree::{Definition, DefinitionKind, ExpKind, FormKind, Global};
use types::{Scheme, Type, show_scheme, show_type};
use value::shape::substitute;
use value::{Columns, Shape, on_big_stack};

/// A function that callers want.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its type, where that does not follow from its definition.
    pub ty: Option<String>,
}

impl Wanted {
    /// `FUNCTION` or `FUNCTION : TYPE`; an error says how it is written.
    pub fn parse(text: &str) -> Result<Wanted, String> {
        let (name, ty) = match text.split_once(':') {
            Some((name, ty)) => (name.trim(), Some(ty.trim().to_owned())),
            None => (text.trim(), None),
        };
        if name.is_empty() || ty.as_ref().is_some_and(String::is_empty) {
            return Err("write FUNCTION or 'FUNCTION : TYPE'".to_owned());
        }
        Ok(Wanted { name: name.to_ascii_lowercase(), ty })
    }
}

/// What a library is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Platform {
    /// CPUs, by a C compiler.
    C,
    /// NVIDIA GPUs, by `nvcc`.
    Cuda,
}

/// What is to be built.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// What it is made for.
    pub platform: Platform,
    /// The functions; all of the file whose types are known if none is named.
    pub wanted: Vec<Wanted>,
    /// Whether there is to be a program that calls the first of them.
    pub main: bool,
    /// Its arguments; made up if there are none.
    pub given: Vec<Given>,
}

/// Functions as an engine has lowered them.
pub(super) struct Prepared {
    pub(super) lowered: Lowered,
    /// The values of the top level behind the parameters of each entry.
    pub(super) hidden: Vec<Vec<Columns>>,
    /// How many forms were evaluated before, on which random numbers depend.
    pub(super) forms: i64,
}

impl Session {
    /// Builds functions of a file that was run in this session.
    pub fn build(
        &mut self,
        file: &Path,
        options: &BuildOptions,
    ) -> Result<(Standalone, Vec<Diagnostic>), Vec<Diagnostic>> {
        on_big_stack(|| {
            self.settle();
            let mut notes = Vec::new();
            let mut functions = self.functions(file, options, &mut notes)?;
            let example = match (options.main, functions.first()) {
                (true, Some((global, _))) if !options.given.is_empty() => {
                    let name = self.checker.program.globals[*global].name.clone();
                    let call = self.whole_call(&name, &options.given)?;
                    let (global, types) = &mut functions[0];
                    if options.wanted.first().is_none_or(|first| first.ty.is_none()) {
                        // What the arguments are says what the variables of the type stand for.
                        types.clone_from(&call.types);
                    } else if *types != call.types {
                        return Err(vec![self.other_types(*global, types, &call.types)]);
                    }
                    Some(given(&call))
                }
                (true, Some((global, types))) => Some(self.made_up(*global, types)),
                _ => None,
            };
            self.print(file, options.platform, &functions, example.as_ref()).map(|it| (it, notes))
        })
    }

    /// The error of arguments, or of a default among them, that are not of the types for which a
    /// function is built.
    fn other_types(&self, global: Global, wanted: &[Type], given: &[Type]) -> Diagnostic {
        let program = &self.checker.program;
        let Definition { name, scheme, .. } = &program.globals[global];
        let [wanted, given] =
            [wanted, given].map(|types| show_type(program, &substitute(&scheme.ty, types)));
        let message = format!("`{name}` is built as {wanted}, but its arguments make it {given}");
        let error = Diagnostic::new(Kind::Input, message);
        error.help("give arguments of these types, also in place of defaults that have others")
    }

    /// The functions and what the variables of their types stand for.
    fn functions(
        &mut self,
        file: &Path,
        options: &BuildOptions,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Vec<(Global, Vec<Type>)>, Vec<Diagnostic>> {
        if options.wanted.is_empty() {
            return self.all_functions(file, notes);
        }
        let mut functions = Vec::new();
        for (n, wanted) in options.wanted.iter().enumerate() {
            let global = self.function(&wanted.name).map_err(|error| vec![error])?;
            if options.wanted[..n].iter().any(|earlier| earlier.name == wanted.name) {
                return Err(vec![named_twice(wanted)]);
            }
            let definition = &self.checker.program.globals[global];
            if takes_functions(&definition.scheme.ty) {
                return Err(vec![self.with_functions(global)]);
            }
            let from_arguments = n == 0 && !options.given.is_empty();
            let types = match &wanted.ty {
                Some(ty) => self.instance(&wanted.name, ty)?,
                None if definition.scheme.classes.is_empty() || from_arguments => Vec::new(),
                None => return Err(vec![self.polymorphic(global)]),
            };
            functions.push((global, types));
        }
        Ok(functions)
    }

    /// All functions of a file whose types are known.
    fn all_functions(
        &self,
        file: &Path,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Vec<(Global, Vec<Type>)>, Vec<Diagnostic>> {
        let name = file.display().to_string();
        let program = &self.checker.program;
        let mut functions = Vec::new();
        for (global, definition) in program.globals.iter() {
            let here = self.files.file(definition.span.file).name == name;
            let function = matches!(definition.kind, DefinitionKind::Function(_));
            let current = self.checker.lookup(&definition.name) == Some(global);
            if !(here && function && current && !definition.library) {
                continue;
            }
            let reason = if takes_functions(&definition.scheme.ty) {
                "it takes or gives functions".to_owned()
            } else if definition.effect {
                "it has effects".to_owned()
            } else if !definition.scheme.classes.is_empty() {
                let example = self.instance_of_ints(global);
                format!("it is of many types; --entry '{example}' builds it for one")
            } else {
                functions.push((global, Vec::new()));
                continue;
            };
            let message = format!("`{}` is left out: {reason}", definition.name);
            notes.push(Diagnostic::at(Kind::Input, definition.span, message));
        }
        if functions.is_empty() {
            let message = format!("{name} has no function that can be built");
            notes.push(Diagnostic::new(Kind::Input, message));
            return Err(std::mem::take(notes));
        }
        Ok(functions)
    }

    /// What to say of a function that has another type than the one that is asked for.
    fn not_of_type(&self, global: Global, ty: &str) -> Diagnostic {
        let Definition { name, scheme, .. } = &self.checker.program.globals[global];
        let own = show_scheme(&self.checker.program, scheme);
        let error = Diagnostic::new(Kind::Input, format!("`{name}` cannot be built as {ty}"));
        self.at_definition(global, error.note(format!("`{name}` has type {own}")))
    }

    /// What to do about a function of functions.
    fn with_functions(&self, global: Global) -> Diagnostic {
        let Definition { name, scheme, .. } = &self.checker.program.globals[global];
        let ty = show_scheme(&self.checker.program, scheme);
        let message = format!("`{name}` cannot be built: it takes or gives functions");
        let help = "build a function that calls it with functions of its own";
        let error = Diagnostic::new(Kind::Limit, message).note(format!("`{name}` has type {ty}"));
        self.at_definition(global, error.help(help))
    }

    /// A message about a function with the place of its definition, which in the library is none
    /// of the user's.
    fn at_definition(&self, global: Global, error: Diagnostic) -> Diagnostic {
        let definition = &self.checker.program.globals[global];
        if definition.library { error } else { error.label(definition.span, "") }
    }

    /// What to do about a function of many types.
    fn polymorphic(&self, global: Global) -> Diagnostic {
        let program = &self.checker.program;
        let definition = &program.globals[global];
        let (name, ty) = (&definition.name, show_scheme(program, &definition.scheme));
        let message = format!("`{name}` is of many types: {ty}");
        let example = self.instance_of_ints(global);
        let help = format!("say which one is to be built, such as --entry '{example}'");
        self.at_definition(global, Diagnostic::of(Code::ManyTypes, message).help(help))
    }

    /// `f : [int] -> int`.
    fn instance_of_ints(&self, global: Global) -> String {
        let program = &self.checker.program;
        let definition = &program.globals[global];
        let ints = vec![Type::Base(Ty::I64); definition.scheme.classes.len()];
        let instance = substitute(&definition.scheme.ty, &ints);
        format!("{} : {}", definition.name, show_type(program, &instance))
    }

    /// What the variables of a function's type stand for where it is of this type.
    fn instance(&mut self, name: &str, ty: &str) -> Result<Vec<Type>, Vec<Diagnostic>> {
        let global = self.function(name).map_err(|error| vec![error])?;
        let call = match has_optional(&self.checker.program, global) {
            // As a value it takes all parameters.
            true => format!("let entry_f_ = {name} in entry_f_(x_)"),
            false => format!("{name}(x_)"),
        };
        let before_type = "function entry_(x_) : ";
        let text = format!("{before_type}{ty} = {call};");
        let file = self.files.add_library("--entry", text.as_str());
        let group = syntax::parse(file, text.as_bytes());
        let wrong = || {
            let message = format!("`{ty}` is no type of a function");
            vec![Diagnostic::new(Kind::Input, message).help("write it like `[int] -> int`")]
        };
        let [form] = group.forms.as_slice() else { return Err(wrong()) };
        let before = self.checker.checkpoint();
        let checked = self.checker.check_ahead(form);
        let found = checked.map(|forms| {
            let mut types = None;
            for form in &forms {
                let FormKind::Defined(globals) = &form.kind else { continue };
                for probe in globals {
                    let DefinitionKind::Function(f) = &self.checker.program.globals[*probe].kind
                    else {
                        continue;
                    };
                    f.body.walk(&mut |exp| {
                        if let ExpKind::Global(used, _, at) = &exp.kind
                            && *used == global
                        {
                            types = Some(at.to_vec());
                        }
                    });
                }
            }
            types
        });
        self.checker.rollback(&before);
        let found = found.map_err(|errors| {
            if errors.iter().any(|error| error.kind == Kind::Parse) {
                return wrong();
            }
            let start = before_type.len() as u32;
            let annotation = Span::new(file, start, start + ty.len() as u32);
            if !errors.iter().all(|error| error.is_inside(annotation)) {
                return vec![self.not_of_type(global, ty)];
            }
            // The user has written the type behind the name.
            let own = format!("{name} : ");
            let option = self.files.add("--entry", format!("{own}{ty}"));
            let annotation_of_user =
                Span::new(option, own.len() as u32, (own.len() + ty.len()) as u32);
            errors.into_iter().map(|error| error.moved(annotation, annotation_of_user)).collect()
        });
        match found? {
            Some(types) if !types.iter().any(has_variables) => Ok(types),
            Some(_) => Err(vec![self.polymorphic(global)]),
            None => Err(wrong()),
        }
    }

    /// Arguments for a program that shows how a function is called.
    fn made_up(&self, global: Global, types: &[Type]) -> Example {
        let program = &self.checker.program;
        let mut arguments = Vec::new();
        for (_, ty) in lower::parameters(program, global) {
            let ty = substitute(&ty, types);
            make_up(&Shape::of(&ty, &[], &program.datas), &mut arguments);
        }
        Example { arguments }
    }

    /// The errors of functions that are to be built; those of the library show no texts.
    fn not_lowered(
        &self,
        functions: &[(Global, Vec<Type>)],
        errors: Vec<Diagnostic>,
    ) -> Vec<Diagnostic> {
        let told = |error: Diagnostic| {
            let at = error.primary.as_ref().map(|label| label.span);
            let mut globals = functions.iter().map(|(global, _)| *global);
            let blamed = globals.find(|f| at == Some(self.checker.program.globals[*f].span));
            match blamed.or(functions.first().map(|(global, _)| *global)) {
                Some(function) => error.called(self.name_of(function), &self.files),
                None => error,
            }
        };
        errors.into_iter().map(told).collect()
    }

    fn print(
        &mut self,
        file: &Path,
        platform: Platform,
        functions: &[(Global, Vec<Type>)],
        example: Option<&Example>,
    ) -> Result<Standalone, Vec<Diagnostic>> {
        let context = Context { program: &self.checker.program, files: &self.files };
        let prepared = self.engine.lower(&context, functions);
        let prepared = prepared.map_err(|errors| self.not_lowered(functions, errors))?;
        let datas = &self.checker.program.datas;
        let shape = |ty: &Type| plain(&Shape::of(ty, &[], datas));
        let entry = |(n, (global, types)): (usize, &(Global, Vec<Type>))| {
            let definition = &self.checker.program.globals[*global];
            let lowered = &prepared.lowered.entries[n];
            let ty = substitute(&definition.scheme.ty, types);
            let scheme = Scheme { classes: Vec::new(), ty };
            let mut hidden = Vec::new();
            prepared.hidden[n].iter().for_each(|columns| components(columns, &mut hidden));
            Entry {
                name: definition.name.clone(),
                ty: show_scheme(&self.checker.program, &scheme),
                params: lowered.params.iter().map(|(n, ty)| (n.clone(), shape(ty))).collect(),
                hidden,
                key: lowered.key.then_some(prepared.forms),
                result: shape(&lowered.result),
            }
        };
        let entries: Vec<Entry> = functions.iter().enumerate().map(entry).collect();
        let stem = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let source = file.file_name().map_or_else(String::new, |s| s.to_string_lossy().into());
        let name = host::identifier(&stem);
        let (nest, files) = (&prepared.lowered.program, Some(&self.files));
        let options = compile::Options { units: 1, ..compile::Options::default() };
        let (mut timings, mut dump) = (Timings::off(), Dump::default());
        let library = |plan, kernels| Library {
            name: &name,
            source: &source,
            files: &self.files,
            plan,
            kernels,
            entries: &entries,
            example,
        };
        Ok(match platform {
            Platform::C => {
                let made: compile::Compiled<emit::CText> =
                    compile::compile(nest, options, files, &mut timings, &mut dump);
                host::c(&library(&made.plan, &made.kernels))
            }
            Platform::Cuda => {
                let made: compile::Compiled<emit::CudaText> =
                    compile::compile(nest, options, files, &mut timings, &mut dump);
                host::cuda(&library(&made.plan, &made.kernels))
            }
        })
    }
}

/// That two functions of a library would have one name.
fn named_twice(Wanted { name, ty }: &Wanted) -> Diagnostic {
    let ty = ty.as_deref().unwrap_or("[int] -> [int]");
    let wrapper = format!("function {name}2(x) : {ty} = {name}(x);");
    let advice = format!("for another type build another function, such as `{wrapper}`");
    let message = format!("`{name}` is named twice, but a library has one function of a name");
    Diagnostic::new(Kind::Input, message).help(advice)
}

/// The arguments of a call, column by column.
fn given(call: &Call) -> Example {
    let mut arguments = Vec::new();
    call.arguments.iter().for_each(|argument| components(&argument.columns, &mut arguments));
    Example { arguments }
}

/// The columns of a value in one lane, as arguments of a plan.
fn components(value: &Columns, out: &mut Vec<Component>) {
    match value {
        Columns::Scalar(column) => out.push(Component::Scalar(column.get(0))),
        Columns::Tuple(parts) => parts.iter().for_each(|part| components(part, out)),
        Columns::Seq { offsets, elements } => {
            let len = offsets.ints().last().copied().unwrap_or(0);
            out.push(Component::Scalar(prim::Const::I64(len)));
            pool(elements, out);
        }
    }
}

fn pool(elements: &Columns, out: &mut Vec<Component>) {
    let vector = |column: &value::Column| {
        let consts = (0..column.len).map(|i| column.get(i)).collect();
        Component::Vector(column.ty, consts)
    };
    match elements {
        Columns::Scalar(column) => out.push(vector(column)),
        Columns::Tuple(parts) => parts.iter().for_each(|part| pool(part, out)),
        Columns::Seq { offsets, elements } => {
            out.push(vector(offsets));
            pool(elements, out);
        }
    }
}

/// A shape in the words of the printer.
fn plain(shape: &Shape) -> host::Shape {
    match shape {
        Shape::Scalar(ty) => host::Shape::Scalar(*ty),
        Shape::Seq(element) => host::Shape::Seq(Box::new(plain(element))),
        Shape::Tuple(parts) => host::Shape::Tuple(parts.iter().map(plain).collect()),
        Shape::Data { name, fields } => {
            host::Shape::Data(name.to_string(), Box::new(plain(fields)))
        }
        Shape::Function => unreachable!("no entry takes or gives a function"),
    }
}

/// Sequences that are made up have so many elements.
const MADE_UP: i64 = 4;

/// A value of some shape: small numbers.
fn make_up(shape: &Shape, out: &mut Vec<Component>) {
    match shape {
        Shape::Scalar(ty) => out.push(Component::Scalar(number(*ty, 3))),
        Shape::Tuple(parts) => parts.iter().for_each(|part| make_up(part, out)),
        Shape::Data { fields, .. } => make_up(fields, out),
        Shape::Seq(element) => {
            out.push(Component::Scalar(prim::Const::I64(MADE_UP)));
            make_up_pool(element, MADE_UP, out);
        }
        Shape::Function => unreachable!("no entry takes a function"),
    }
}

fn make_up_pool(shape: &Shape, count: i64, out: &mut Vec<Component>) {
    match shape {
        Shape::Scalar(ty) => {
            let consts = (1..=count).map(|i| number(*ty, i)).collect();
            out.push(Component::Vector(*ty, consts));
        }
        Shape::Tuple(parts) => parts.iter().for_each(|part| make_up_pool(part, count, out)),
        Shape::Data { fields, .. } => make_up_pool(fields, count, out),
        Shape::Seq(element) => {
            let offsets = (0..=count).map(|i| prim::Const::I64(MADE_UP * i)).collect();
            out.push(Component::Vector(Ty::I64, offsets));
            make_up_pool(element, MADE_UP * count, out);
        }
        Shape::Function => unreachable!("no entry takes a function"),
    }
}

fn number(ty: Ty, i: i64) -> prim::Const {
    match ty {
        Ty::I64 => prim::Const::I64(i),
        Ty::F64 => prim::Const::F64(i as f64 / 2.0),
        Ty::Bool => prim::Const::Bool(i % 2 == 1),
        Ty::Char => prim::Const::Char(b'a' + (i % 26) as u8),
    }
}

/// Whether functions go in or come out.
fn takes_functions(ty: &Type) -> bool {
    fn inside(ty: &Type) -> bool {
        match ty {
            Type::Fun(..) => true,
            Type::Seq(element) => inside(element),
            Type::Pair(a, b) => inside(a) || inside(b),
            Type::Data(_, args) => args.iter().any(inside),
            Type::Base(_) | Type::Var(_) => false,
        }
    }
    match ty {
        Type::Fun(param, result) => inside(param) || inside(result),
        _ => true,
    }
}

fn has_variables(ty: &Type) -> bool {
    match ty {
        Type::Var(_) => true,
        Type::Base(_) => false,
        Type::Seq(element) => has_variables(element),
        Type::Pair(a, b) | Type::Fun(a, b) => has_variables(a) || has_variables(b),
        Type::Data(_, args) => args.iter().any(has_variables),
    }
}
