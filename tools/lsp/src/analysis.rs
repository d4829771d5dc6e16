//! What is known of one text: its tree, its names, and what the checker says about it.
//!
//! ```text
//! text --parse--> tree, forms --names--> symbols and their places
//!                             --check--> errors; types of the forms that are right
//! ```
//!
//! A form that is wrong does not keep the others from being checked.  What a wrong form would have
//! defined is missing then; uses of it are no errors of their own.  Texts that the text loads are
//! checked where they are loaded; what is wrong in them is one error there.

use crate::features::library_text;
use crate::form::FormFacts;
use crate::loaded::{LastParsed, Loaded};
use crate::names::{Names, SymbolId};
use crate::text::Text;
use crate::typed::{Part, Typed, Wanted};
use base::{Diagnostic, FileId, Span};
use gen_lsp_types::{DiagnosticSeverity, Location, Uri};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::path::PathBuf;
use std::sync::Arc;
use syntax::ast::Group;
use syntax::{SyntaxToken, Tree};
use types::Known;
use types::tree::{Definition, Global, Program};

/// What is known of a text.
pub(crate) struct Analysis {
    /// The text.
    pub(crate) text: Text,
    /// The file that the spans name; those of the library come before it.
    pub(crate) file: FileId,
    /// Its tree.
    pub(crate) tree: Tree,
    /// Its forms.
    pub(crate) group: Group,
    /// The facts of each form by itself.
    pub(crate) facts: Vec<FormFacts>,
    /// The texts that it loads, as they were read, for the next version.
    pub(crate) others: LastParsed,
    /// Its names.
    pub(crate) names: Names,
    /// What is wrong, in the order of the text.
    pub(crate) errors: Vec<Diagnostic>,
    /// What may be wrong, in the order of the text.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The definitions that are right, those of the texts that are loaded among them.
    pub(crate) definitions: Definitions,
    /// The texts that are loaded.
    pub(crate) loaded: Vec<Loaded>,
    /// The paths that load texts, and these.
    pub(crate) links: Vec<(Span, FileId)>,
    /// The files that were looked for, whether or not they are there.
    pub(crate) sought: Vec<PathBuf>,
    /// The forms that need not be checked again while they and what they use stay as they are.
    pub(crate) known: Vec<KnownForm>,
    /// The same of forms that are gone or wrong because of others, with their texts.
    pub(crate) asleep: Vec<(String, Arc<KnownFacts>)>,
    /// Forms with types, in the order of the text.
    pub(crate) parts: Vec<Part>,
    /// How many forms were checked, and not taken as they were in the last version.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests count what a change costs"))]
    pub(crate) checked: usize,
}

/// A form that may be taken as it is in the next version of a text.
pub(crate) struct KnownForm {
    /// Where it stands.
    pub(crate) span: Span,
    /// The facts.
    pub(crate) facts: Arc<KnownFacts>,
}

/// The facts of a form that was checked.
pub(crate) struct KnownFacts {
    /// The names that it defines.
    pub(crate) names: Vec<String>,
    /// The checker's result.
    pub(crate) known: Arc<Known>,
    /// Its warnings, where it stood when it was checked.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Definitions by their names.
#[derive(Default)]
pub(crate) struct Definitions {
    names: FxHashMap<String, SmallVec<[Global; 1]>>,
}

impl Definitions {
    /// Adds a definition behind the others of its name.
    pub(crate) fn add(&mut self, name: &str, global: Global) {
        match self.names.get_mut(name) {
            Some(globals) => globals.push(global),
            None => drop(self.names.insert(name.to_owned(), smallvec![global])),
        }
    }
    /// The definitions of a name, in their order.
    pub(crate) fn named(&self, name: &str) -> &[Global] {
        self.names.get(name).map_or(&[], SmallVec::as_slice)
    }
    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}

impl Analysis {
    /// Errors, and then warnings, with their severities.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (DiagnosticSeverity, &Diagnostic)> {
        let errors = self.errors.iter().map(|error| (DiagnosticSeverity::Error, error));
        let warnings = self.warnings.iter();
        errors.chain(warnings.map(|warning| (DiagnosticSeverity::Warning, warning)))
    }
    /// The innermost expression or pattern around a span.
    pub(crate) fn typed_at(&self, program: &Program, span: Span) -> Option<Typed> {
        self.typed(program, span, Wanted::Any)
    }
    /// The name at a span, perhaps in parentheses.
    pub(crate) fn typed_name(&self, program: &Program, span: Span) -> Option<Typed> {
        self.typed(program, span, Wanted::Name)
    }
    fn typed(&self, program: &Program, span: Span, wanted: Wanted) -> Option<Typed> {
        let after = self
            .parts
            .partition_point(|part| (part.now.file, part.now.start) <= (span.file, span.start));
        let part = self.parts[..after].last()?;
        part.now.contains(span).then(|| part.typed(program, span, wanted))?
    }
    /// The number of the form at a place.
    pub(crate) fn form_at(&self, place: Span) -> Option<usize> {
        let forms = &self.group.forms;
        let after = forms.partition_point(|form| form.span.start <= place.start);
        let at = after.checked_sub(1)?;
        forms[at].span.contains(place).then_some(at)
    }
    /// What is defined at a place of a symbol.
    pub(crate) fn defined_at<'p>(
        &self,
        program: &'p Program,
        symbol: SymbolId,
        place: Span,
    ) -> Option<&'p Definition> {
        let globals = self.definitions.named(&self.names.symbols[symbol].name);
        let definitions = globals.iter().map(|global| &program.globals[*global]);
        definitions.rev().find(|definition| definition.span.contains(place))
    }
    /// The last definition of a top-level name of the text.
    pub(crate) fn definition<'p>(
        &self,
        program: &'p Program,
        symbol: SymbolId,
    ) -> Option<&'p Definition> {
        let places = self.names.symbols[symbol].places.iter().rev();
        places.filter_map(|place| self.defined_at(program, symbol, *place)).next()
    }
    /// Where a place is for the editor.
    pub(crate) fn location(&self, uri: &Uri, place: Span) -> Option<Location> {
        if place.file == self.file {
            return Some(Location { uri: uri.clone(), range: self.text.range(place) });
        }
        if place.file < self.file {
            return library_text::location(place, self.text.encoding());
        }
        let loaded = self.loaded_from(place)?;
        Some(Location { uri: loaded.uri.clone(), range: loaded.text.range(place) })
    }
    /// The text of a place, if it is one that is loaded.
    pub(crate) fn loaded_from(&self, place: Span) -> Option<&Loaded> {
        self.loaded.iter().find(|loaded| loaded.file == place.file)
    }
    /// The token at a byte, or the one that ends there.
    pub(crate) fn token_at(&self, offset: u32) -> Option<SyntaxToken> {
        let tokens = self.tree.root().token_at_offset(offset.into());
        tokens.max_by_key(|token| !token.kind().is_trivia())
    }
    /// The span of a token.
    pub(crate) fn span(&self, token: &SyntaxToken) -> Span {
        let range = token.text_range();
        Span::new(self.file, range.start().into(), range.end().into())
    }
}
