//! The worklist of instances: each function of nest is made once, when something has called it.

use crate::Forms;
use crate::derive::Derived;
use crate::facts::{Facts, Graph};
use crate::fast::Floats;
use crate::random::RandomKey;
use crate::scope::{Abs, Key};
use crate::ty;
use base::{Code, Diagnostic, FileId, IdMap, Span};
use nest::{Builder, Func, Function, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use types::Type;
use types::tree::{DefinitionKind, Global, Program};

/// How many calls may be inlined and instances made for one program.
const EXPANSIONS: usize = 1_000_000;

/// What lowering gives: a value, or why the program is refused.
pub(crate) type Lowering<T> = Result<T, Box<Diagnostic>>;

/// A refusal.
pub(crate) fn limit(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    refuse(Code::Limit, span, message)
}

/// A refusal of functions that are not known before the program runs.
pub(crate) fn dynamic(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    refuse(Code::DynamicFunction, span, message)
}

fn refuse(code: Code, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::of(code, message).label(span, "");
    Box::new(diagnostic.help("the interpreter can run it: `nesl run`"))
}

/// What an instance is made for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Request {
    pub(crate) global: Global,
    pub(crate) types: Rc<[Type]>,
    /// The functions among its arguments.
    pub(crate) key: Key,
}

/// A function of nest to be made.
pub(crate) enum Job<'a> {
    /// An instance of a source function, at types, for arguments like `arg`.
    Instance { func: Func, global: Global, types: Rc<[Type]>, arg: Abs<'a>, param: Type },
    /// A function that the compiler writes.
    Derived { func: Func, derived: Derived, span: Span },
}

/// The state of the road.
pub(crate) struct Lower<'a> {
    pub(crate) program: &'a Program,
    pub(crate) forms: &'a Forms<'a>,
    pub(crate) graph: Graph<'a>,
    /// The function being made.
    pub(crate) b: Builder,
    /// Its parameters for top-level values.
    pub(crate) inputs: FxHashMap<Global, Value>,
    /// Its random key at this place.
    pub(crate) key: Option<RandomKey>,
    pub(crate) instances: FxHashMap<Request, Func>,
    pub(crate) derived: FxHashMap<Derived, Func>,
    pub(crate) jobs: VecDeque<Job<'a>>,
    /// How exactly the program's own operations on floats are done.
    pub(crate) floats: Floats,
    /// The factors of products that a sum may take instead; of the function being made.
    pub(crate) products: FxHashMap<Value, [Value; 2]>,
    /// The texts of the library.
    pub(crate) library_files: FxHashSet<FileId>,
    funcs: IdMap<Func, Option<Function>>,
    library: FxHashMap<&'a str, Global>,
    expansions: usize,
}

impl<'a> Lower<'a> {
    pub(crate) fn new(program: &'a Program, forms: &'a Forms<'a>, floats: Floats) -> Self {
        let nowhere = Span::new(base::Id::new(0), 0, 0);
        let functions = || {
            program.globals.iter().filter(|(_, definition)| {
                definition.library && matches!(definition.kind, DefinitionKind::Function(_))
            })
        };
        Lower {
            program,
            forms,
            graph: Graph::new(program, forms),
            b: Builder::new(program.widths, nowhere),
            inputs: FxHashMap::default(),
            key: None,
            instances: FxHashMap::default(),
            derived: FxHashMap::default(),
            jobs: VecDeque::new(),
            floats,
            products: FxHashMap::default(),
            library_files: functions().map(|(_, definition)| definition.span.file).collect(),
            funcs: IdMap::new(),
            library: functions().map(|(global, d)| (d.name.as_str(), global)).collect(),
            expansions: 0,
        }
    }

    /// The library function of this name.
    pub(crate) fn library(&self, name: &str) -> Global {
        match self.library.get(name) {
            Some(&global) => global,
            None => unreachable!("the library has no `{name}`"),
        }
    }

    /// Counts a call inlined or an instance made, so that doubling upon doubling ends.
    pub(crate) fn spend(&mut self, span: Span) -> Lowering<()> {
        self.expansions += 1;
        if self.expansions > EXPANSIONS {
            return Err(refuse(
                Code::LongText,
                span,
                "inlining the calls of this program makes it too long",
            ));
        }
        Ok(())
    }

    /// Names a function that is made later.
    pub(crate) fn reserve(&mut self) -> Func {
        self.funcs.push(None)
    }

    /// Starts a function.
    pub(crate) fn start(&mut self, span: Span) {
        self.b = Builder::new(self.program.widths, span);
        self.inputs.clear();
        self.products.clear();
        self.key = None;
    }

    /// Adds parameters for top-level values and the random key.
    pub(crate) fn hidden_parameters(&mut self, facts: &Facts, params: &mut Vec<Value>) {
        for &global in &facts.inputs {
            let ty = ty::nest(self.program, &self.program.globals[global].scheme.ty);
            let param = self.b.fresh(ty);
            self.inputs.insert(global, param);
            params.push(param);
        }
        if facts.random {
            let param = self.b.fresh(nest::Type::Scalar(prim::Ty::I64));
            self.key = Some(RandomKey::new(param));
            params.push(param);
        }
    }

    /// Ends the function.
    pub(crate) fn finish(
        &mut self,
        func: Func,
        name: &str,
        params: Vec<Value>,
        result: Value,
        span: Span,
    ) {
        let builder = std::mem::replace(&mut self.b, Builder::new(self.program.widths, span));
        self.funcs[func] = Some(builder.finish(name, params, result, span));
    }

    /// Makes all functions that were called.
    pub(crate) fn run_jobs(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        while let Some(job) = self.jobs.pop_front() {
            let result = match job {
                Job::Instance { func, global, types, arg, param } => {
                    self.make_instance(func, global, &types, &arg, &param)
                }
                Job::Derived { func, derived, span } => self.derive(func, &derived, span),
            };
            if let Err(diagnostic) = result {
                diagnostics.push(*diagnostic);
            }
        }
    }

    fn make_instance(
        &mut self,
        func: Func,
        global: Global,
        types: &Rc<[Type]>,
        arg: &Abs<'a>,
        param: &Type,
    ) -> Lowering<()> {
        let definition = &self.program.globals[global];
        let DefinitionKind::Function(function) = &definition.kind else {
            unreachable!("only functions have instances")
        };
        self.start(definition.span);
        let facts = self.instance_facts(global, arg);
        let mut params = Vec::new();
        let arg = self.parameters(Some(arg), param, &mut params)?;
        self.hidden_parameters(&facts, &mut params);
        let abs = self.inline(function, types, arg, None)?;
        self.b.at(function.body.span);
        let result = ty::instantiate(&function.body.ty, types);
        let result = self.reify(&abs, &result);
        self.finish(func, &definition.name, params, result, definition.span);
        Ok(())
    }

    /// All functions made.
    pub(crate) fn into_funcs(self) -> IdMap<Func, Function> {
        let made = |func: Option<Function>| {
            func.unwrap_or_else(|| unreachable!("every reserved function is made"))
        };
        let ids = self.funcs.ids();
        let mut funcs = self.funcs;
        ids.map(|id| made(funcs[id].take())).collect()
    }
}
