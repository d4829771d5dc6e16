//! Inference: abstract syntax to typed tree (Damas and Milner, "Principal type-schemes for
//! functional programs", with classes of base types and with effects).
//!
//! Names and patterns were checked before ([`crate::names`]), so everything reported here is a type
//! or effect error.  After an error the types involved are left as they are, the expression has a
//! type that fits everything, and inference goes on, to find further ones: what is in error already
//! makes no others.  While it runs, types in the tree are placeholders for nodes of the graph;
//! [`finish`] replaces them.

mod apply;
mod each;
mod exp;
mod finish;
mod function;
mod origin;
mod pattern;
mod value;
mod written;

pub(crate) use function::{Defined, Source, functions};
pub(crate) use value::{Value, value};
pub(crate) use written::{declaration, fields, signature};

use crate::Base;
use crate::errors::grouping::Greedy;
use crate::errors::{self, Mismatch, Why};
use crate::graph::{Clash, DataInfo, Eff, Graph, Node, Origin, Poly, Ty, placed, placeholder};
use crate::scope::{Meaning, Scope, Version, Waiting};
use crate::show::show_scheme;
use crate::tree::{DefinitionKind, Exp, ExpKind, Global, Local, LocalInfo, Program};
use crate::ty::{Class, Data, Type};
use base::{Diagnostic, IdMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the checker knows of the names defined so far, besides the program.
#[derive(Default)]
pub(crate) struct Tables {
    /// The type of each global.
    pub(crate) polys: IdMap<Global, Poly>,
    /// Each datatype.
    pub(crate) datas: IdMap<Data, DataInfo>,
    /// The functions with optional parameters.
    pub(crate) optional: FxHashMap<Global, Optional>,
    /// The functions no call of which ends.
    pub(crate) endless: FxHashSet<Global>,
    /// The values and functions that give an int divided by an int.
    pub(crate) quotients: FxHashMap<Global, Quotient>,
    /// The names.
    pub(crate) scope: Scope,
}

/// The operands of a division: where each stands, and whether it is an int for sure.
pub(crate) type Quotient = [(Span, bool); 2];

/// The optional parameters of a function.
#[derive(Clone, Default, Debug)]
pub(crate) struct Optional {
    /// How many parameters come before them.
    pub(crate) required: usize,
    /// Their names, and the hidden functions that evaluate their defaults.
    pub(crate) params: Vec<(String, Global)>,
}

impl Tables {
    /// What a name means to a form of some version (LANGUAGE 4): an earlier definition, else a
    /// later one of the group.  A definition replaces its declaration.
    pub(crate) fn resolve(
        &self,
        program: &Program,
        name: &str,
        version: Version,
    ) -> Option<Meaning> {
        let later = || self.scope.later(name, version);
        match self.scope.lookup(name, version) {
            Some(Meaning::Global(g)) if is_declared(program, g) => {
                later().or(Some(Meaning::Global(g)))
            }
            Some(meaning) => Some(meaning),
            None => later(),
        }
    }
}

/// Whether a name is declared and not defined yet.
pub(crate) fn is_declared(program: &Program, global: Global) -> bool {
    matches!(program.globals[global].kind, DefinitionKind::Declared)
}

/// A function of the group that is being checked as one unit.
struct Member {
    name: String,
    waiting: Option<Waiting>,
    global: Global,
    ty: Ty,
    optional: Optional,
}

/// The definition or form at hand.
struct Body {
    version: Version,
    /// The function being defined: its place among the members.
    own: Option<usize>,
    locals: IdMap<Local, LocalInfo>,
    /// The meanings of each local name, innermost last.
    bound: FxHashMap<String, Vec<Local>>,
    entered: Vec<String>,
    type_variables: FxHashMap<String, Ty>,
    /// What the effects met here belong to.
    context: Eff,
    /// Each `[]` without a type, and its element type.
    empties: Vec<(Span, Ty)>,
    /// Names that were told not to fit each other as operands.
    apart: FxHashSet<[Local; 2]>,
    /// The locals that are a quotient.
    quotients: FxHashMap<Local, Quotient>,
}

/// Inference of one form or unit.
struct Infer<'a> {
    program: &'a Program,
    tables: &'a Tables,
    graph: Graph<'a>,
    members: Vec<Member>,
    at: Body,
    errors: Vec<Diagnostic>,
    /// What was reported to take the commas behind it: calls around it lack arguments.
    greedy: Option<Greedy>,
    /// Whether it was reported that `t` or `f` is no function.
    letters: bool,
    /// The operation whose operands are being fitted.
    operation: Option<Span>,
    /// The expressions that are a quotient, by their places.
    quotients: FxHashMap<Span, Quotient>,
}

impl<'a> Infer<'a> {
    fn new(program: &'a Program, tables: &'a Tables) -> Infer<'a> {
        let mut graph = Graph::new(&tables.datas);
        let context = graph.effects.fresh();
        let at = Body::new(tables.scope.version(), None, context);
        Infer {
            program,
            tables,
            graph,
            members: Vec::new(),
            at,
            errors: Vec::new(),
            greedy: None,
            letters: false,
            operation: None,
            quotients: FxHashMap::default(),
        }
    }

    /// Makes the type of `found` the expected one, or reports why not.
    /// Says whether it could.
    fn expect(&mut self, found: &Exp, expected: Ty, why: &Why) -> bool {
        let origin = origin(found);
        let origin = Origin { whole: self.operation.unwrap_or(origin.whole), ..origin };
        let result = self.graph.fit(origin, expected);
        if let Err(clash) = result {
            self.mismatch(&origin, expected, clash, why, Some(found));
        }
        result.is_ok()
    }
    /// The same for a type without an expression.
    fn equate(&mut self, span: Span, found: Ty, expected: Ty, why: &Why) -> bool {
        let whole = match why {
            Why::Parameter(annotation) => *annotation,
            _ => span,
        };
        let origin = Origin { span, whole, ty: found, local: None };
        let result = match why {
            // What made it so stands in the calls, or in the body.
            Why::Calls => self.graph.unify(found, expected),
            _ => self.graph.fit(origin, expected),
        };
        if let Err(clash) = result {
            self.mismatch(&origin, expected, clash, why, None);
        }
        result.is_ok()
    }
    fn mismatch(
        &mut self,
        &Origin { span, ty, local, .. }: &Origin,
        expected: Ty,
        clash: Clash,
        why: &Why,
        found: Option<&Exp>,
    ) {
        let types = [ty, expected];
        let callee = match why {
            Why::Argument(global) => global.map(|g| self.callee(g, None)),
            Why::Operand(name, global, _) => Some(self.callee(*global, Some(*name))),
            _ => None,
        };
        let other = match why {
            Why::Operand(_, _, Some((_, ty))) => Some(self.shown_alone(*ty)),
            _ => None,
        };
        let optional = match why {
            Why::Argument(Some(global)) => self.optional_of(*global).first().cloned(),
            _ => None,
        };
        let quotient = self.quotient_behind(span, ty, why);
        let classes = self.graph.restricted(types);
        let shown = self.graph.show(types);
        let [found_type, expected] = self.graph.sample(types);
        let mut error = errors::mismatch(&Mismatch {
            clash,
            span,
            found: found_type,
            expected,
            classes,
            shown,
            why,
            callee,
            other,
            optional,
            literal: found.and_then(literal).as_deref(),
            literals: found.map(literals).unwrap_or_default(),
            quotient,
            length: found.is_some_and(|found| self.is_length(found)),
        });
        if clash != Clash::Infinite {
            self.show_origins(&mut error, ty, local, why);
        }
        self.errors.push(error);
    }
    /// The division that made an int of what is, or should be, a float.
    fn quotient_behind(&mut self, span: Span, ty: Ty, why: &Why) -> Option<Quotient> {
        let is_int = |infer: &mut Self, ty| matches!(infer.graph.view(ty), Node::Base(Base::I64));
        if is_int(self, ty) {
            return self.quotients.get(&span).copied();
        }
        match why {
            Why::Operand(_, _, Some((other, ty))) if is_int(self, *ty) => {
                self.quotients.get(other).copied()
            }
            Why::Argument(Some(function)) => self.tables.quotients.get(function).copied(),
            _ => None,
        }
    }
    /// Whether an expression is the length of something.
    fn is_length(&self, exp: &Exp) -> bool {
        self.calls(exp, "#")
    }
    /// Whether this is a call of the library's function of this name.
    fn calls(&self, exp: &Exp, name: &str) -> bool {
        let ExpKind::Apply(function, _) = &exp.kind else { return false };
        let ExpKind::Global(global, ..) = function.kind else { return false };
        let called = self.program.globals.get(global);
        called.is_some_and(|global| global.library && global.name == name)
    }
    /// A type in words: a variable that stands for a few types is shown as these.
    fn shown_alone(&mut self, ty: Ty) -> String {
        let classes = self.graph.restricted([ty, ty]);
        let [shown] = self.graph.show([ty]);
        let [ty] = self.graph.sample([ty]);
        errors::in_words(&ty, &shown, &classes)
    }
    /// The name and type of a global, for a message.
    fn callee(&mut self, global: Global, shown_as: Option<&str>) -> (String, String) {
        let member = self.members.iter().find(|m| m.global == global);
        let (name, ty) = match member.map(|m| (m.name.clone(), m.ty)) {
            Some((name, ty)) => {
                let [ty] = self.graph.show([ty]);
                (name, ty)
            }
            None => {
                let definition = &self.program.globals[global];
                (definition.name.clone(), show_scheme(self.program, &definition.scheme))
            }
        };
        (shown_as.map_or(name, str::to_string), ty)
    }

    /// `[t]`, or an error if `t` contains functions.
    fn seq(&mut self, element: Ty, span: Span) -> Ty {
        self.graph.seq(element).unwrap_or_else(|_| {
            let [shown] = self.graph.show([element]);
            self.errors.push(errors::sequence_of_functions(span, &shown));
            self.graph.error()
        })
    }

    /// A new local of a type, not visible under its name yet.
    fn local(&mut self, name: &str, ty: Ty) -> Local {
        self.at.locals.push(LocalInfo { name: name.to_string(), ty: placeholder(ty) })
    }
    /// Makes a local visible.
    fn enter(&mut self, local: Local) {
        let name = self.at.locals[local].name.clone();
        self.at.bound.entry(name.clone()).or_default().push(local);
        self.at.entered.push(name);
    }
    /// Hides the locals entered since a mark.
    fn leave(&mut self, mark: usize) {
        for name in self.at.entered.drain(mark..) {
            self.at.bound.entry(name).and_modify(|locals| {
                locals.pop();
            });
        }
    }
    fn mark(&self) -> usize {
        self.at.entered.len()
    }
    /// A local by name.
    fn visible(&self, name: &str) -> Option<Local> {
        self.at.bound.get(name)?.last().copied()
    }
    fn local_exp(&self, local: Local, span: Span) -> Exp {
        Exp { kind: ExpKind::Local(local), ty: self.at.locals[local].ty.clone(), span }
    }

    /// Reports every `[]` whose element type has a variable that is not quantified.
    fn check_empties(&mut self, quantified: &[Ty]) {
        let mut empties = std::mem::take(&mut self.at.empties);
        let mut open = Vec::new();
        empties.retain(|(_, ty)| {
            let before = open.len();
            let vars = self.graph.variables(&[*ty]);
            open.extend(vars.into_iter().filter(|var| !quantified.contains(var)));
            open.len() > before
        });
        // What is suggested makes them ints, and is right for all of them together.
        let int = self.graph.base(Base::I64);
        for var in open {
            let _ = self.graph.unify(var, int);
        }
        for (span, ty) in empties {
            let [element] = self.graph.show([ty]);
            self.errors.push(errors::undetermined_element(span, &element));
        }
    }
    /// The errors found so far, or those of effects if there are none.
    fn check_effects(&mut self) -> Result<(), Vec<Diagnostic>> {
        if self.errors.is_empty() {
            self.errors = self.graph.effects.solve().iter().map(errors::effect).collect();
        }
        if self.errors.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.errors)) }
    }
}

impl Body {
    fn new(version: Version, own: Option<usize>, context: Eff) -> Body {
        Body {
            version,
            own,
            locals: IdMap::new(),
            bound: FxHashMap::default(),
            entered: Vec::new(),
            type_variables: FxHashMap::default(),
            context,
            empties: Vec::new(),
            apart: FxHashSet::default(),
            quotients: FxHashMap::default(),
        }
    }
}

/// An expression as what a variable comes from.
fn origin(exp: &Exp) -> Origin {
    let local = match exp.kind {
        ExpKind::Local(local) => Some(local),
        _ => None,
    };
    Origin { span: exp.span, whole: exp.span, ty: placed(&exp.ty), local }
}

/// The digits of an int literal, or of a float literal without a fraction.
fn literal(exp: &Exp) -> Option<String> {
    match &exp.kind {
        ExpKind::Const(prim::Const::I64(n)) => Some(n.to_string()),
        ExpKind::Const(prim::Const::F64(x)) if x.fract() == 0.0 && x.abs() < 1e15 => {
            Some(format!("{x:.0}"))
        }
        _ => None,
    }
}

/// The places of the int literals of a sequence, if it is made of nothing else.
fn literals(exp: &Exp) -> Vec<Span> {
    let ExpKind::Seq(elements) = &exp.kind else { return Vec::new() };
    let int = |exp: &Exp| matches!(exp.kind, ExpKind::Const(prim::Const::I64(_)));
    if elements.iter().all(int) {
        return elements.iter().map(|element| element.span).collect();
    }
    let inner: Vec<Vec<Span>> = elements.iter().map(literals).collect();
    if inner.iter().any(Vec::is_empty) { Vec::new() } else { inner.concat() }
}

/// An expression whose type is a node.
fn typed(kind: ExpKind, ty: Ty, span: Span) -> Exp {
    Exp { kind, ty: placeholder(ty), span }
}

impl Graph<'_> {
    /// The class of a type that is a variable.
    fn class(&mut self, ty: Ty) -> Option<Class> {
        match self.view(ty) {
            Node::Var(class) => Some(class),
            _ => None,
        }
    }
    /// The variables with classes of their own, named as [`Graph::show`] does.
    fn restricted(&mut self, types: [Ty; 2]) -> Vec<(String, Class)> {
        let vars = self.variables(&types);
        let named = vars.into_iter().enumerate().filter_map(|(i, var)| {
            let class = self.class(var)?;
            let restricts = !matches!(class, Class::Any | Class::Data);
            restricts.then(|| (crate::show::variable_name(i), class))
        });
        named.collect()
    }
    /// The types as they are known now, variables numbered in common.
    fn sample<const N: usize>(&mut self, types: [Ty; N]) -> [Type; N] {
        let vars = self.variables(&types);
        let mut resolver = crate::graph::Resolver::new(self, &vars);
        types.map(|t| resolver.resolve(t))
    }
}
