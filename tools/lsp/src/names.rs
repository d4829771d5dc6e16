//! What the names of a text stand for: which definition each use belongs to.
//!
//! Follows the scopes of LANGUAGE 4 on the abstract syntax, so it works for forms whose types are
//! wrong, too.  All definitions of one top-level name are one [`Symbol`], because a definition may
//! replace or complete an earlier one (LANGUAGE 9.3), also one in a text that is loaded; every
//! local binding is a symbol of its own.
//!
//! ```text
//! function f(x) = let y = x in g(y);      f 0   x 1   y 2   x 1   g 3   y 2
//! function g(x) = x;                      g 3   x 4   x 4
//! ```

mod form;
mod resolve;

pub(crate) use form::FormNames;

use base::{FileId, Id, IdMap, Span, define_id};
use resolve::Resolve;
use rustc_hash::FxHashMap;
use std::sync::Arc;

define_id!(SymbolId, "n", "What a name of the text stands for.");

/// Something that the text gives a name to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Symbol {
    /// In lower case.
    pub(crate) name: Arc<str>,
    /// What it is.
    pub(crate) kind: SymbolKind,
    /// Where it is defined, also in texts that the text loads.
    pub(crate) places: Vec<Span>,
    /// Where a local name can be used; none for a top-level name.
    pub(crate) scope: Option<Span>,
    /// The function whose optional parameter it is.
    pub(crate) function: Option<SymbolId>,
}

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolKind {
    /// A function.
    Function,
    /// A top-level value.
    Value,
    /// A datatype and its constructor.
    Datatype,
    /// A parameter of a function or function value.
    Parameter,
    /// A name bound by a `let`.
    Let,
    /// A name bound by a generator.
    Element,
}

/// A place where a name is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Occurrence {
    /// Where.
    pub(crate) span: Span,
    /// In lower case.
    pub(crate) name: Arc<str>,
    /// What it stands for; none if the text does not define it.
    pub(crate) symbol: Option<SymbolId>,
}

/// The names of a text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Names {
    /// All symbols.
    pub(crate) symbols: IdMap<SymbolId, Symbol>,
    /// All places of names of values, functions and datatypes, in the order of the text.
    pub(crate) occurrences: Vec<Occurrence>,
}

impl Names {
    /// The names of forms that stand at these places, of which the library knows some; `loaded`
    /// gives those of the text that is loaded at a place.
    pub(crate) fn of<'n, 'f>(
        forms: impl Iterator<Item = (&'f FormNames, Span)> + Clone,
        library: &dyn Fn(&str) -> bool,
        loaded: &dyn Fn(Span) -> Option<&'n Names>,
    ) -> Names {
        let mut names = Resolve::forms(forms, library, loaded);
        names.occurrences.sort_by_key(|occurrence| occurrence.span);
        names.occurrences.dedup();
        names
    }
    /// The name at a byte, or the one that ends there.
    pub(crate) fn at(&self, offset: u32) -> Option<&Occurrence> {
        let after = self.occurrences.partition_point(|it| it.span.start <= offset);
        self.occurrences[..after].last().filter(|occurrence| offset <= occurrence.span.end)
    }
    /// The name that stands at a span.
    pub(crate) fn at_span(&self, span: Span) -> Option<&Occurrence> {
        let at = self.occurrences.binary_search_by_key(&span, |occurrence| occurrence.span).ok()?;
        self.occurrences.get(at)
    }
    /// The places of a symbol in the text, definitions included.
    pub(crate) fn places(&self, symbol: SymbolId) -> impl Iterator<Item = Span> {
        let same = move |occurrence: &&Occurrence| occurrence.symbol == Some(symbol);
        self.occurrences.iter().filter(same).map(|occurrence| occurrence.span)
    }
    /// The symbols that can be named at a byte of a file: of several with one name, the innermost.
    pub(crate) fn visible(&self, file: FileId, offset: u32) -> Vec<SymbolId> {
        let around =
            |scope: Span| scope.file == file && scope.start <= offset && offset <= scope.end;
        let mut found: FxHashMap<&str, SymbolId> = FxHashMap::default();
        let mut order = Vec::new();
        for (id, symbol) in self.symbols.iter() {
            if symbol.places.is_empty() || !symbol.scope.is_none_or(around) {
                continue;
            }
            match found.insert(&symbol.name, id) {
                Some(outer) if self.width(outer) < self.width(id) => {
                    found.insert(&symbol.name, outer);
                }
                Some(_) => {}
                None => order.push(&*symbol.name),
            }
        }
        order.into_iter().map(|name| found[name]).collect()
    }
    fn width(&self, symbol: SymbolId) -> u32 {
        self.symbols[symbol].scope.map_or(u32::MAX, |scope| scope.end - scope.start)
    }
    /// What each place stands for, for comparison with another text.
    pub(crate) fn shape(&self) -> (usize, Vec<Option<usize>>) {
        let meaning = |occurrence: &Occurrence| occurrence.symbol.map(Id::index);
        (self.symbols.len(), self.occurrences.iter().map(meaning).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each name with the number of its symbol.
    fn check(text: &str, expected: &str) {
        let group = syntax::parse(Id::new(0), text.as_bytes());
        let of_forms: Vec<FormNames> =
            group.forms.iter().map(|form| FormNames::of(text, form)).collect();
        let places = group.forms.iter().map(|form| form.span);
        let forms = of_forms.iter().zip(places);
        let names = Names::of(forms, &|name| name == "sum", &|_| None);
        let shown: Vec<String> = names
            .occurrences
            .iter()
            .map(|occurrence| {
                let Occurrence { span, name, symbol } = occurrence;
                let written = &text[span.start as usize..span.end as usize];
                assert!(written.eq_ignore_ascii_case(name), "{written} {name}");
                let number = symbol.map_or("-".to_owned(), |id| id.index().to_string());
                format!("{name} {number}")
            })
            .collect();
        assert_eq!(shown.join(", "), expected);
    }

    #[test]
    fn locals_hide_what_is_around() {
        check("x = 1; let X = (x) in (x);", "x 0, x 1, x 0, x 1");
        check(
            "function h(x) = {x + y : x in x; y in x};",
            "h 0, x 1, x 2, y 3, x 2, x 1, y 3, x 1",
        );
        check("x = 1; (x => x)(x);", "x 0, x 1, x 1, x 0");
        check("s = [1]; {s};", "s 0, s 0");
        check("x = 1; ((% é x ( % x)) + 1;", "x 0, x 0");
    }

    #[test]
    fn functions_see_later_ones() {
        check(
            "function h(a) = g(h(a)); function g(a) = a;",
            "h 0, a 1, g 2, h 0, a 1, g 2, a 3, a 3",
        );
        check("g(1); function g(a) = a;", "g -, g 0, a 1, a 1");
    }

    #[test]
    fn definitions_of_one_name_are_one_symbol() {
        check("function h(a) : int -> int; function h(a) = a;", "h 0, a 1, h 0, a 2, a 2");
        check(
            "sum([1]); function sum(a) = sum(a); sum(2);",
            "sum -, sum 0, a 1, sum 0, a 1, sum 0",
        );
    }

    #[test]
    fn arguments_by_name_are_the_parameter() {
        check("function h(a, b := 1) = a + b; h(1, b := 2);", "h 0, a 1, b 2, a 1, b 2, h 0, b 2");
    }

    #[test]
    fn datatypes() {
        check(
            "datatype p(int, int); function x(p(a, b)) : p -> int = a; p(1, 2);",
            "p 0, x 1, p 0, a 2, b 3, p 0, a 2, p 0",
        );
    }
}
