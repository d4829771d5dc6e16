//! Types as written: annotations, declarations, datatypes (LANGUAGE 5.3, 6).

use super::{Infer, Tables};
use crate::errors::{self, Why};
use crate::graph::{DataInfo, Eff, Node, Poly, Ty};
use crate::names::BASE_NAMES;
use crate::tree::Program;
use crate::ty::{Base, Class, Data, Meet};
use base::{Diagnostic, Span};
use syntax::ast::{self, ClassBound, TypeKind};

/// The type of a forward declaration.
pub(crate) fn declaration(
    program: &Program,
    tables: &Tables,
    annotation: &(ast::Type, Vec<ClassBound>),
) -> Result<Poly, Vec<Diagnostic>> {
    let mut poly = signature_of(program, tables, annotation, Infer::function_type)?;
    poly.assume_calls();
    Ok(poly)
}

/// The type of a primitive.
pub(crate) fn signature(
    program: &Program,
    tables: &Tables,
    annotation: &(ast::Type, Vec<ClassBound>),
) -> Result<Poly, Vec<Diagnostic>> {
    signature_of(program, tables, annotation, Infer::written)
}

fn signature_of<'a>(
    program: &'a Program,
    tables: &'a Tables,
    annotation: &(ast::Type, Vec<ClassBound>),
    read: impl FnOnce(&mut Infer<'a>, &ast::Type) -> Ty,
) -> Result<Poly, Vec<Diagnostic>> {
    let mut infer = Infer::new(program, tables);
    infer.type_variables(&annotation.1);
    let ty = read(&mut infer, &annotation.0);
    infer.check_effects()?;
    let vars = infer.graph.variables(&[ty]);
    Ok(infer.graph.generalise(ty, &vars))
}

/// The fields and the constructor of the datatype that will be `data`.
pub(crate) fn fields(
    program: &Program,
    tables: &Tables,
    datatype: &ast::Datatype,
    data: Data,
) -> Result<DataInfo, Vec<Diagnostic>> {
    let mut infer = Infer::new(program, tables);
    let vars = infer.type_variables(&datatype.classes);
    let fields = infer.written(&datatype.fields);
    infer.check_effects()?;
    let effects = infer.graph.exposed_effects(fields);
    let mut contents = Contents::default();
    infer.contents(fields, &mut contents);
    let held = vars.iter().map(|&v| contents.vars.contains(&infer.graph.find(v))).collect();
    let whole = infer.graph.data(data, vars.clone(), effects);
    let make = infer.graph.effects.fresh();
    let ty = infer.graph.fun(fields, make, whole);
    let constructor = infer.graph.generalise(ty, &vars);
    let name = datatype.name.text.clone();
    Ok(DataInfo { name, functions: contents.functions, held, constructor })
}

/// What values of a type contain.
#[derive(Default)]
struct Contents {
    functions: bool,
    vars: Vec<Ty>,
}

impl Infer<'_> {
    /// Enters the variables of an annotation; gives them in order.
    pub(super) fn type_variables(&mut self, bounds: &[ClassBound]) -> Vec<Ty> {
        let mut order = Vec::new();
        for bound in bounds {
            // An unknown class was reported with the names.
            let class = Class::parse(&bound.class.text).unwrap_or(Class::Any);
            let known = self.at.type_variables.get(&bound.var.text).copied();
            let var = match known.map(|var| (var, self.graph.class(var))) {
                None => self.graph.var(class),
                Some((var, before)) => match before.unwrap_or(Class::Any).meet(class) {
                    Meet::Class(both) => self.narrowed(var, both),
                    Meet::Base(base) => self.graph.base(base),
                },
            };
            self.at.type_variables.insert(bound.var.text.clone(), var);
            if known.is_none() {
                order.push(var);
            }
        }
        order
    }
    fn narrowed(&mut self, var: Ty, class: Class) -> Ty {
        let narrow = self.graph.var(class);
        self.graph.unify(var, narrow).ok();
        var
    }

    /// The type after the `:` of a function: one with an arrow.
    pub(super) fn function_type(&mut self, ty: &ast::Type) -> Ty {
        let written = self.written(ty);
        if !matches!(self.graph.view(written), Node::Fun(..) | Node::Error) {
            let [shown] = self.graph.show([written]);
            self.errors.push(errors::annotation_not_a_function(ty, &shown));
        }
        written
    }

    pub(super) fn written(&mut self, ty: &ast::Type) -> Ty {
        match &ty.kind {
            TypeKind::Name(name, argument) => self.written_name(name, argument.as_deref()),
            TypeKind::Seq(element) => {
                let element_type = self.written(element);
                self.seq(element_type, element.span)
            }
            TypeKind::Pair(a, b) => {
                let a = self.written(a);
                let b = self.written(b);
                self.graph.pair(a, b)
            }
            TypeKind::Function(a, r) => {
                let a = self.written(a);
                let effect = self.graph.effects.fresh();
                let r = self.written(r);
                self.graph.fun(a, effect, r)
            }
        }
    }
    fn written_name(&mut self, name: &ast::Name, argument: Option<&ast::Type>) -> Ty {
        let base = BASE_NAMES.iter().position(|b| *b == name.text).map(|i| Base::ALL[i]);
        let simple = match base {
            Some(base) => Some(self.graph.base(base)),
            None => self.at.type_variables.get(&name.text).copied(),
        };
        if let Some(simple) = simple {
            if argument.is_some() {
                self.errors.push(errors::type_arguments(name, 0));
            }
            return simple;
        }
        match self.tables.scope.data(&name.text, self.at.version) {
            Some(data) => self.written_data(name, data, argument),
            // Reported with the names.
            None => self.graph.error(),
        }
    }
    /// A datatype at its arguments, which have to be in the classes of its parameters.
    fn written_data(&mut self, name: &ast::Name, data: Data, argument: Option<&ast::Type>) -> Ty {
        let tables = self.tables;
        let constructor = &tables.datas[data].constructor;
        let instance = self.graph.instantiate(constructor, &name.text, name.span);
        let arguments = match argument {
            Some(argument) => self.written_arguments(argument, instance.vars.len()),
            None => Vec::new(),
        };
        if arguments.len() != instance.vars.len() {
            self.errors.push(errors::type_arguments(name, instance.vars.len()));
        }
        for (&var, &(argument, span)) in instance.vars.iter().zip(&arguments) {
            self.equate(span, argument, var, &Why::TypeArgument(name.text.clone()));
        }
        match self.graph.view(instance.ty) {
            Node::Fun(_, _, whole) => whole,
            _ => self.graph.error(),
        }
    }
    /// The arguments of a type with `count` parameters; what is left over belongs to the last.
    fn written_arguments(&mut self, mut argument: &ast::Type, count: usize) -> Vec<(Ty, Span)> {
        let mut arguments = Vec::new();
        while arguments.len() + 1 < count {
            let TypeKind::Pair(a, b) = &argument.kind else { break };
            arguments.push((self.written(a), a.span));
            argument = b;
        }
        arguments.push((self.written(argument), argument.span));
        arguments
    }

    /// Whether values of a type contain functions, and values of which variables.
    fn contents(&mut self, ty: Ty, found: &mut Contents) {
        match self.graph.view(ty) {
            Node::Base(_) | Node::Error | Node::Link(_) => {}
            Node::Var(_) => found.vars.push(self.graph.find(ty)),
            Node::Seq(t) => self.contents(t, found),
            Node::Pair(a, b) => {
                self.contents(a, found);
                self.contents(b, found);
            }
            Node::Fun(..) => found.functions = true,
            Node::Data(data, args, _) => {
                let tables = self.tables;
                let info = &tables.datas[data];
                found.functions |= info.functions;
                for (&arg, _) in args.iter().zip(&info.held).filter(|(_, held)| **held) {
                    self.contents(arg, found);
                }
            }
        }
    }
}

impl crate::graph::Graph<'_> {
    /// The effects of all function types in a type, in order.
    fn exposed_effects(&mut self, ty: Ty) -> Vec<Eff> {
        match self.view(ty) {
            Node::Base(_) | Node::Error | Node::Link(_) | Node::Var(_) => Vec::new(),
            Node::Seq(t) => self.exposed_effects(t),
            Node::Pair(a, b) => {
                let mut effects = self.exposed_effects(a);
                effects.extend(self.exposed_effects(b));
                effects
            }
            Node::Fun(a, effect, r) => {
                let mut effects = self.exposed_effects(a);
                effects.push(effect);
                effects.extend(self.exposed_effects(r));
                effects
            }
            Node::Data(_, args, own) => {
                let mut effects: Vec<Eff> =
                    args.iter().flat_map(|&t| self.exposed_effects(t)).collect();
                effects.extend(own.iter());
                effects
            }
        }
    }
}
