//! The meanings of the names in the forms of a text, in the order of the forms.

use super::form::{Event, FormNames};
use super::{Names, Occurrence, Symbol, SymbolId, SymbolKind};
use base::{IdMap, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A top-level name.
#[derive(Default)]
struct Top {
    symbol: Option<SymbolId>,
    /// True if it was defined before the present form.
    is_defined: bool,
    /// True if a form of the text defines a function of this name.
    is_function: bool,
}

/// The forms that have been gone through.
pub(super) struct Resolve<'a, 'n> {
    library: &'a dyn Fn(&str) -> bool,
    loaded: &'a dyn Fn(Span) -> Option<&'n Names>,
    names: Names,
    /// Top-level names of the text, those included that are still to come.
    tops: FxHashMap<Arc<str>, Top>,
    /// Optional parameters, by function.
    optional: FxHashMap<(SymbolId, Arc<str>), SymbolId>,
}

impl<'a, 'n> Resolve<'a, 'n> {
    /// Goes through all forms, which stand at these places now.
    pub(super) fn forms<'f>(
        forms: impl Iterator<Item = (&'f FormNames, Span)> + Clone,
        library: &'a dyn Fn(&str) -> bool,
        loaded: &'a dyn Fn(Span) -> Option<&'n Names>,
    ) -> Names {
        let names = Names { symbols: IdMap::new(), occurrences: Vec::new() };
        let (tops, optional) = (FxHashMap::default(), FxHashMap::default());
        let mut resolve = Resolve { library, loaded, names, tops, optional };
        for (form, _) in forms.clone().filter(|(form, _)| form.has_body) {
            form.function.iter().for_each(|(name, _)| resolve.top(name).is_function = true);
        }
        forms.for_each(|(form, now)| resolve.form(form, now));
        resolve.names
    }

    fn form(&mut self, form: &FormNames, now: Span) {
        let by = i64::from(now.start) - i64::from(form.form.start);
        let moved = |span: Span| span.moved(by);
        let own = form.function.as_ref().map(|(name, _)| name);
        let mut function = None;
        if let Some((name, span)) = &form.function {
            let symbol = self.global(name, SymbolKind::Function);
            self.names.symbols[symbol].kind = SymbolKind::Function;
            self.place(symbol, moved(*span));
            function = Some(symbol);
        }
        let mut locals: Vec<SymbolId> = Vec::new();
        for event in &form.events {
            match event {
                Event::Bind { name, kind, span, scope } => {
                    let new = symbol(name, *kind, Some(moved(*scope)));
                    let id = self.names.symbols.push(new);
                    self.place(id, moved(*span));
                    locals.push(id);
                }
                Event::Optional { name, span } => {
                    let Some(function) = function else { continue };
                    let id = self.parameter(function, name);
                    self.names.symbols[id].scope = Some(now);
                    self.place(id, moved(*span));
                    locals.push(id);
                }
                Event::Local { local, span } => {
                    let symbol = locals[*local as usize];
                    let name = self.names.symbols[symbol].name.clone();
                    self.occurs(&name, moved(*span), Some(symbol));
                }
                Event::Free { name, span } => {
                    let symbol = self.lookup(name, own);
                    self.occurs(name, moved(*span), symbol);
                }
                Event::Named { function, name, span } => {
                    let function = function.as_ref().and_then(|name| self.lookup(name, own));
                    let symbol = function.map(|function| self.parameter(function, name));
                    self.occurs(name, moved(*span), symbol);
                }
                Event::Type { name, span } => {
                    let datatype = self.datatype(name);
                    if datatype.is_some() {
                        self.occurs(name, moved(*span), datatype);
                    }
                }
                Event::Define { name, kind, span } => {
                    let symbol = self.global(name, *kind);
                    self.names.symbols[symbol].kind = *kind;
                    self.place(symbol, moved(*span));
                    self.top(name).is_defined = true;
                }
                Event::Load { span } => {
                    let names = (self.loaded)(moved(*span));
                    names.iter().for_each(|names| self.load(names));
                }
            }
        }
        own.into_iter().for_each(|name| self.top(name).is_defined = true);
    }
    /// Another text defines names here.
    fn load(&mut self, loaded: &Names) {
        for symbol in loaded.symbols.values().filter(|symbol| !symbol.places.is_empty()) {
            let own = match (symbol.kind, symbol.function) {
                (SymbolKind::Function | SymbolKind::Value | SymbolKind::Datatype, _) => {
                    let id = self.global(&symbol.name, symbol.kind);
                    self.names.symbols[id].kind = symbol.kind;
                    self.top(&symbol.name).is_defined = true;
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

    fn top(&mut self, name: &Arc<str>) -> &mut Top {
        self.tops.entry(name.clone()).or_default()
    }
    fn global(&mut self, name: &Arc<str>, kind: SymbolKind) -> SymbolId {
        if let Some(symbol) = self.tops.get(name).and_then(|top| top.symbol) {
            return symbol;
        }
        let id = self.names.symbols.push(symbol(name, kind, None));
        self.top(name).symbol = Some(id);
        id
    }
    /// An optional parameter of a function, which calls may name before it is defined.
    fn parameter(&mut self, function: SymbolId, name: &Arc<str>) -> SymbolId {
        let symbols = &mut self.names.symbols;
        *self.optional.entry((function, name.clone())).or_insert_with(|| {
            symbols.push(Symbol {
                function: Some(function),
                ..symbol(name, SymbolKind::Parameter, None)
            })
        })
    }
    /// The meaning of a name that is not local, in the order of LANGUAGE 4.
    fn lookup(&mut self, name: &Arc<str>, own: Option<&Arc<str>>) -> Option<SymbolId> {
        let top = self.tops.get(name)?;
        let here = own == Some(name) || top.is_defined;
        let later = own.is_some() && top.is_function;
        if here || (later && !(self.library)(name)) {
            return Some(self.global(name, SymbolKind::Function));
        }
        None
    }
    /// The datatype of a name.
    fn datatype(&self, name: &Arc<str>) -> Option<SymbolId> {
        let top = self.tops.get(name).filter(|top| top.is_defined)?;
        top.symbol.filter(|id| self.names.symbols[*id].kind == SymbolKind::Datatype)
    }
    /// A place where a symbol is defined.
    fn place(&mut self, symbol: SymbolId, span: Span) {
        let known = &mut self.names.symbols[symbol];
        known.places.push(span);
        let name = known.name.clone();
        self.occurs(&name, span, Some(symbol));
    }
    fn occurs(&mut self, name: &Arc<str>, span: Span, symbol: Option<SymbolId>) {
        self.names.occurrences.push(Occurrence { span, name: name.clone(), symbol });
    }
}

/// A symbol that has no places yet.
fn symbol(name: &Arc<str>, kind: SymbolKind, scope: Option<Span>) -> Symbol {
    Symbol { name: name.clone(), kind, places: Vec::new(), scope, function: None }
}
