//! The walk over the forms of a text that finds what each name stands for.

use super::{Names, Occurrence, Symbol, SymbolId, SymbolKind};
use base::{IdMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{
    CommandArg, Exp, ExpKind, Form, FormKind, Function, Generator, Group, Name, Pattern,
    PatternKind, Type, TypeKind,
};

/// What a form without a name binds; it is nobody's to rename.
const RESULT: &str = "it";

/// A walk in the order of scopes.
pub(super) struct Walk<'a, 'n> {
    text: &'a str,
    library: &'a dyn Fn(&str) -> bool,
    loaded: &'a dyn Fn(Span) -> Option<&'n Names>,
    names: Names,
    /// Top-level names of the text, those included that are still to come.
    globals: FxHashMap<String, SymbolId>,
    /// Those that were defined before the present form.
    defined: FxHashSet<String>,
    /// Functions that a form of the text defines.
    functions: FxHashSet<String>,
    /// Optional parameters, by function.
    optional: FxHashMap<(SymbolId, String), SymbolId>,
    /// The function whose form this is.
    own: Option<String>,
    /// Local names, innermost last.
    locals: Vec<(String, SymbolId)>,
}

impl<'a, 'n> Walk<'a, 'n> {
    /// Walks over all forms.
    pub(super) fn new(
        text: &'a str,
        group: &Group,
        library: &'a dyn Fn(&str) -> bool,
        loaded: &'a dyn Fn(Span) -> Option<&'n Names>,
    ) -> Walk<'a, 'n> {
        let defined = group.forms.iter().filter_map(|form| match &form.kind {
            FormKind::Function(function) => function.body.as_ref().map(|_| &function.name.text),
            _ => None,
        });
        let mut walk = Walk {
            text,
            library,
            loaded,
            names: Names { symbols: IdMap::new(), occurrences: Vec::new() },
            globals: FxHashMap::default(),
            defined: FxHashSet::default(),
            functions: defined.cloned().collect(),
            optional: FxHashMap::default(),
            own: None,
            locals: Vec::new(),
        };
        group.forms.iter().for_each(|form| walk.form(form));
        walk
    }
    /// What was found.
    pub(super) fn finish(self) -> Names {
        self.names
    }

    fn form(&mut self, form: &Form) {
        match &form.kind {
            FormKind::Function(function) => self.function(function, form.span),
            FormKind::Datatype(datatype) => {
                self.ty(&datatype.fields);
                self.define(&datatype.name.text, datatype.name.span, SymbolKind::Datatype);
            }
            FormKind::Binding(pattern, exp) => {
                self.exp(exp);
                self.define_all(pattern);
            }
            FormKind::Exp(exp) => self.exp(exp),
            FormKind::Command(word, arguments) if word.text == "describe" => {
                for argument in arguments {
                    if let CommandArg::Name(name) = argument {
                        self.name(&name.text, name.span);
                    }
                }
            }
            FormKind::Command(word, arguments) if word.text == "load" => {
                let names = arguments.first().and_then(|argument| (self.loaded)(argument.span()));
                names.iter().for_each(|names| self.load(names));
            }
            FormKind::Command(..) | FormKind::Error(_) => {}
        }
    }
    /// Another text defines names here.
    fn load(&mut self, loaded: &Names) {
        for symbol in loaded.symbols.values().filter(|symbol| !symbol.places.is_empty()) {
            let own = match (symbol.kind, symbol.function) {
                (SymbolKind::Function | SymbolKind::Value | SymbolKind::Datatype, _) => {
                    let id = self.global(&symbol.name, symbol.kind);
                    self.names.symbols[id].kind = symbol.kind;
                    self.defined.insert(symbol.name.clone());
                    id
                }
                (SymbolKind::Parameter, Some(function)) => {
                    let function = &loaded.symbols[function];
                    let function = self.global(&function.name, function.kind);
                    let id = self.parameter(function, &symbol.name);
                    self.names.symbols[id].scope = symbol.scope;
                    id
                }
                (SymbolKind::Parameter | SymbolKind::Let | SymbolKind::Element, _) => continue,
            };
            let places = &mut self.names.symbols[own].places;
            for place in &symbol.places {
                if !places.contains(place) {
                    places.push(*place);
                }
            }
        }
    }
    fn function(&mut self, function: &Function, form: Span) {
        let name = &function.name.text;
        let symbol = self.global(name, SymbolKind::Function);
        self.names.symbols[symbol].kind = SymbolKind::Function;
        self.place(symbol, function.name.span);
        self.own = Some(name.clone());
        function.optional.iter().for_each(|(_, default)| self.exp(default));
        if let Some((ty, _)) = &function.ty {
            self.ty(ty);
        }
        self.bind(&function.param, SymbolKind::Parameter, form);
        for (parameter, _) in &function.optional {
            let id = self.parameter(symbol, &parameter.text);
            self.names.symbols[id].scope = Some(form);
            self.place(id, parameter.span);
            self.locals.push((parameter.text.clone(), id));
        }
        function.body.iter().for_each(|body| self.exp(body));
        self.locals.clear();
        self.own = None;
        self.defined.insert(name.clone());
    }
    /// An optional parameter of a function, which calls may name before it is defined.
    fn parameter(&mut self, function: SymbolId, name: &str) -> SymbolId {
        let symbols = &mut self.names.symbols;
        let key = (function, name.to_owned());
        *self.optional.entry(key).or_insert_with(|| {
            symbols.push(Symbol {
                function: Some(function),
                ..symbol(name, SymbolKind::Parameter, None)
            })
        })
    }

    fn global(&mut self, name: &str, kind: SymbolKind) -> SymbolId {
        let symbols = &mut self.names.symbols;
        let new = || symbols.push(symbol(name, kind, None));
        *self.globals.entry(name.to_owned()).or_insert_with(new)
    }
    fn define(&mut self, name: &str, span: Span, kind: SymbolKind) {
        if name == RESULT {
            return;
        }
        let symbol = self.global(name, kind);
        self.names.symbols[symbol].kind = kind;
        self.place(symbol, span);
        self.defined.insert(name.to_owned());
    }
    fn define_all(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.define(name, self.exact(name, pattern.span), SymbolKind::Value);
            }
            PatternKind::Pair(a, b) => {
                self.define_all(a);
                self.define_all(b);
            }
            PatternKind::Construct(constructor, fields) => {
                self.name(&constructor.text, constructor.span);
                self.define_all(fields);
            }
            PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    /// A place where a symbol is defined.
    fn place(&mut self, symbol: SymbolId, span: Span) {
        let known = &mut self.names.symbols[symbol];
        known.places.push(span);
        let name = known.name.clone();
        self.names.occurrences.push(Occurrence { span, name, symbol: Some(symbol) });
    }
    /// Where the name stands in a span that may have parentheses around it, too.
    fn exact(&self, name: &str, span: Span) -> Span {
        let written = &self.text[span.start as usize..span.end as usize];
        let mut rest = written;
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '%' => rest[1..].split_once('%').map_or("", |(_, behind)| behind),
                '(' => &rest[1..],
                _ if first.is_ascii_whitespace() => &rest[1..],
                _ => break,
            };
        }
        let start = span.start + (written.len() - rest.len()) as u32;
        Span::new(span.file, start, start + name.len() as u32)
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Name(name) => self.name(&name.text, name.span),
            ExpKind::Pair(a, b) | ExpKind::Subscript(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Operator(_, parts) | ExpKind::Seq(parts) => {
                parts.iter().for_each(|part| self.exp(part));
            }
            ExpKind::Apply { function, argument, optional } => {
                self.exp(function);
                self.exp(argument);
                optional.iter().for_each(|(name, value)| self.named(function, name, value));
            }
            ExpKind::Empty(ty, _) => ty.iter().for_each(|ty| self.ty(ty)),
            ExpKind::Range { start, end, step } => {
                self.exp(start);
                self.exp(end);
                step.iter().for_each(|step| self.exp(step));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|part| self.exp(part)),
            ExpKind::Let(bindings, body) => {
                let mark = self.locals.len();
                for (pattern, value) in bindings {
                    self.exp(value);
                    let scope = Span { start: value.span.end, ..exp.span };
                    self.bind(pattern, SymbolKind::Let, scope);
                }
                self.exp(body);
                self.locals.truncate(mark);
            }
            ExpKind::Lambda(pattern, body) => {
                let mark = self.locals.len();
                self.bind(pattern, SymbolKind::Parameter, exp.span);
                self.exp(body);
                self.locals.truncate(mark);
            }
            ExpKind::Each { body, generators, test, .. } => {
                self.each(generators, [test, body].into_iter().flatten(), exp.span);
            }
            ExpKind::Int(_)
            | ExpKind::Float(_)
            | ExpKind::Bool(_)
            | ExpKind::Char(_)
            | ExpKind::Str(_)
            | ExpKind::Wildcard => {}
        }
    }
    fn each<'e>(
        &mut self,
        generators: &[Generator],
        inside: impl Iterator<Item = &'e Box<Exp>>,
        scope: Span,
    ) {
        generators.iter().for_each(|generator| self.exp(&generator.source));
        let mark = self.locals.len();
        for Generator { pattern, source } in generators {
            // `{v}` is `{v in v}`: one name that is written once.
            match &pattern.kind {
                PatternKind::Name(name) if pattern.span == source.span => {
                    let symbol = self.lookup(name);
                    self.locals.extend(symbol.map(|symbol| (name.clone(), symbol)));
                }
                _ => self.bind(pattern, SymbolKind::Element, scope),
            }
        }
        inside.for_each(|exp| self.exp(exp));
        self.locals.truncate(mark);
    }
    /// An argument given by name.
    fn named(&mut self, function: &Exp, name: &Name, value: &Exp) {
        self.exp(value);
        let function = match &function.kind {
            ExpKind::Name(function) => self.lookup(&function.text),
            _ => None,
        };
        let is_global = |id: &SymbolId| self.names.symbols[*id].scope.is_none();
        let symbol = function.filter(is_global).map(|id| self.parameter(id, &name.text));
        let occurrence = Occurrence { span: name.span, name: name.text.clone(), symbol };
        self.names.occurrences.push(occurrence);
    }

    fn bind(&mut self, pattern: &Pattern, kind: SymbolKind, scope: Span) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                let id = self.names.symbols.push(symbol(name, kind, Some(scope)));
                self.place(id, self.exact(name, pattern.span));
                self.locals.push((name.clone(), id));
            }
            PatternKind::Pair(a, b) => {
                self.bind(a, kind, scope);
                self.bind(b, kind, scope);
            }
            PatternKind::Construct(constructor, fields) => {
                self.name(&constructor.text, constructor.span);
                self.bind(fields, kind, scope);
            }
            PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    fn name(&mut self, name: &str, span: Span) {
        let symbol = self.lookup(name);
        self.names.occurrences.push(Occurrence { span, name: name.to_owned(), symbol });
    }
    /// What a name stands for, in the order of LANGUAGE 4.
    fn lookup(&mut self, name: &str) -> Option<SymbolId> {
        if let Some((_, symbol)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            return Some(*symbol);
        }
        let here = self.own.as_deref() == Some(name) || self.defined.contains(name);
        let later = || self.own.is_some() && self.functions.contains(name);
        if here || (!(self.library)(name) && later()) {
            return Some(self.global(name, SymbolKind::Function));
        }
        None
    }
    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Name(name, arguments) => {
                let symbol = self.globals.get(&name.text).copied();
                let is_type = |id: &SymbolId| {
                    self.names.symbols[*id].kind == SymbolKind::Datatype
                        && self.defined.contains(&name.text)
                };
                let symbol = symbol.filter(is_type);
                let occurrence = Occurrence { span: name.span, name: name.text.clone(), symbol };
                self.names.occurrences.extend(symbol.is_some().then_some(occurrence));
                arguments.iter().for_each(|ty| self.ty(ty));
            }
            TypeKind::Seq(ty) => self.ty(ty),
            TypeKind::Pair(a, b) | TypeKind::Function(a, b) => {
                self.ty(a);
                self.ty(b);
            }
        }
    }
}

/// A symbol that has no places yet.
fn symbol(name: &str, kind: SymbolKind, scope: Option<Span>) -> Symbol {
    Symbol { name: name.to_owned(), kind, places: Vec::new(), scope, function: None }
}
