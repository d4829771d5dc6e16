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

use crate::loaded::{Load, Loaded, Reader, Source};
use crate::names::{Names, SymbolId};
use crate::text::Text;
use crate::texts::OpenTexts;
use crate::uri;
use base::{Diagnostic, FileId, Id, Span};
use gen_lsp_types::{Location, Uri};
use std::path::PathBuf;
use syntax::ast::Group;
use syntax::{SyntaxToken, Tree};
use types::tree::{self, Definition, DefinitionKind, Exp, ExpKind, Global};
use types::{Checker, Missing, Scheme, Type};

/// How many definitions of texts that have changed since are kept.
const KEPT: usize = 100_000;

/// The library, against which texts are checked.
pub(crate) struct Library {
    checker: Checker,
    /// The file of the text that is checked.
    file: FileId,
    /// Definitions of the library.
    size: usize,
}

/// What is known of a text.
pub(crate) struct Analysis {
    /// The text.
    pub(crate) text: Text,
    /// The file that the spans name.
    pub(crate) file: FileId,
    /// Its tree.
    pub(crate) tree: Tree,
    /// Its forms.
    pub(crate) group: Group,
    /// Its names.
    pub(crate) names: Names,
    /// What is wrong, in the order of the text.
    pub(crate) errors: Vec<Diagnostic>,
    /// The definitions that are right, those of the texts that are loaded among them.
    pub(crate) definitions: Vec<Global>,
    /// The texts that are loaded.
    pub(crate) loaded: Vec<Loaded>,
    /// The files that were looked for, whether or not they are there.
    pub(crate) sought: Vec<PathBuf>,
    /// The types of expressions and of patterns.
    typed: Vec<Typed>,
}

/// An expression or pattern and its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    /// Where.
    pub(crate) span: Span,
    /// Over the variables of the scheme.
    pub(crate) ty: Type,
    /// The type of the definition around.
    pub(crate) scheme: Scheme,
    /// The top-level name that it is.
    pub(crate) global: Option<Global>,
    /// Whether it is a name.
    name: bool,
}

impl Library {
    /// Reads the library.
    pub(crate) fn new() -> Library {
        let parse = |(number, (_, text)): (usize, &(&str, &str))| {
            syntax::parse(Id::new(number), text.as_bytes())
        };
        let groups: Vec<Group> = stdlib::FILES.iter().enumerate().map(parse).collect();
        let checker = Checker::new(&groups)
            .unwrap_or_else(|errors| unreachable!("the library is wrong: {errors:?}"));
        let size = checker.program.globals.len();
        Library { checker, file: Id::new(groups.len()), size }
    }
    /// Whether so many texts were checked that it is to be made anew, and they are to be checked
    /// again.
    pub(crate) fn is_full(&self) -> bool {
        self.checker.program.globals.len() > self.size + KEPT
    }
    /// All definitions.
    pub(crate) fn program(&self) -> &tree::Program {
        &self.checker.program
    }
    /// A definition of the library.
    pub(crate) fn lookup(&self, name: &str) -> Option<Global> {
        self.checker.lookup(name)
    }
    /// The names of the library.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.checker.names()
    }

    /// Checks a text, which loads others.
    pub(crate) fn analyse(&mut self, uri: &Uri, text: String, texts: &OpenTexts) -> Analysis {
        let tree = syntax::parse_tree(self.file, text.as_bytes());
        let library = |name: &str| self.checker.lookup(name).is_some();
        let path = uri::path(&uri.0).unwrap_or_default();
        let mut reader = Reader::new(texts, &library, self.file, &path);
        let source = reader.read(&text);
        let (loaded, sought) = reader.finish();
        let text = Text::new(text);
        let mut checking = Checking {
            checker: &mut self.checker,
            file: self.file,
            text: &text,
            loaded: &loaded,
            missing: Missing::default(),
            typed: Vec::new(),
        };
        let (errors, definitions) = checking.check(&source);
        let typed = checking.typed;
        let Source { group, names, .. } = source;
        let file = self.file;
        Analysis { text, file, tree, group, names, errors, definitions, loaded, sought, typed }
    }
}

/// A text that is being checked.
struct Checking<'c> {
    checker: &'c mut Checker,
    file: FileId,
    text: &'c Text,
    loaded: &'c [Loaded],
    missing: Missing,
    typed: Vec<Typed>,
}

/// What is wrong in a text or in what it loads.
struct Wrong<'l> {
    error: Diagnostic,
    /// What of the text loads the text that it is in.
    load: Option<&'l Load>,
}

impl Checking<'_> {
    /// Checks the text; gives what is wrong and what is defined.
    fn check(&mut self, source: &Source) -> (Vec<Diagnostic>, Vec<Global>) {
        let checkpoint = self.checker.checkpoint();
        let before = self.checker.program.globals.len();
        let wrong = self.source(source);
        self.checker.rollback(&checkpoint);
        let mut errors = self.told(&wrong);
        errors.sort_by_key(|error| error.primary.as_ref().map(|label| label.span));
        let mut definitions = Vec::new();
        for (global, definition) in self.checker.program.globals.iter().skip(before) {
            definitions.push(global);
            if definition.span.file == self.file {
                typed_function(definition, &mut self.typed);
            }
        }
        (errors, definitions)
    }
    /// Checks the forms of a text, and what they load.
    fn source<'l>(&mut self, source: &'l Source) -> Vec<Wrong<'l>> {
        self.checker.begin_group(&source.group);
        let mut loads = source.loads.iter().peekable();
        let mut wrong = Vec::new();
        for form in &source.group.forms {
            let checked = self.checker.check(form);
            self.missing.add(&self.checker.failed());
            match checked {
                Ok(forms) if form.span.file == self.file => {
                    forms.iter().for_each(|form| typed_form(form, &mut self.typed));
                }
                Ok(_) => {}
                Err(errors) => {
                    wrong.extend(self.causes(errors));
                    self.missing.add(&form.defines);
                    self.missing.add(&self.checker.waiting_for(&form.defines));
                }
            }
            let Some(load) = loads.next_if(|load| load.form == form.span) else { continue };
            match &load.source {
                Ok(source) => {
                    let inside = self.source(source).into_iter();
                    wrong.extend(inside.map(|wrong| Wrong { load: Some(load), ..wrong }));
                }
                Err(error) => {
                    self.missing.add_unknown();
                    wrong.push(Wrong { error: error.clone(), load: None });
                }
            }
        }
        let waited = self.checker.end_group();
        wrong.extend(self.causes(waited));
        wrong
    }
    /// The errors that are no consequences of earlier ones.
    fn causes<'l>(&self, errors: Vec<Diagnostic>) -> impl Iterator<Item = Wrong<'l>> + use<'l> {
        let text = |span: Span| {
            let loaded = self.loaded.iter().find(|loaded| loaded.file == span.file);
            match loaded.map(|loaded| &loaded.text) {
                Some(text) => text.at(span).as_bytes(),
                None if span.file == self.file => self.text.at(span).as_bytes(),
                None => &[],
            }
        };
        let errors = self.missing.without_consequences(errors, text);
        errors.into_iter().map(|error| Wrong { error, load: None })
    }
    /// The errors of the text itself, and one for each load of a text with errors.
    fn told(&self, wrong: &[Wrong]) -> Vec<Diagnostic> {
        let place = |wrong: &Wrong| wrong.load.map(|load| load.span);
        let parts = wrong.chunk_by(|a, b| place(a).is_some() && place(a) == place(b));
        parts
            .map(|part| match part {
                [Wrong { error, load: Some(load) }, ..] => self.summary(load, error, part.len()),
                _ => part[0].error.clone(),
            })
            .collect()
    }
    /// So many errors are in a text that is loaded, of which this is the first.
    fn summary(&self, load: &Load, first: &Diagnostic, count: usize) -> Diagnostic {
        let place = first.primary.as_ref().and_then(|label| {
            let loaded = self.loaded.iter().find(|loaded| loaded.file == label.span.file)?;
            let line = loaded.text.position(label.span.start).line + 1;
            Some((label.span, format!("{}:{line}", loaded.shown)))
        });
        let at = place.as_ref().map(|(_, at)| format!(" at {at}")).unwrap_or_default();
        let (name, message) = (&load.name, &first.message);
        let text = match count {
            1 => format!("`{name}` has an error{at}: {message}"),
            count => format!("`{name}` has {count} errors, the first{at}: {message}"),
        };
        let error = Diagnostic::new(first.kind, text).code(first.code).label(load.span, "");
        match place {
            Some((span, _)) => error.also(span, message.clone()),
            None => error,
        }
    }
}

impl Analysis {
    /// The innermost expression or pattern around a span.
    pub(crate) fn typed_at(&self, span: Span) -> Option<&Typed> {
        self.typed_around(span).min_by_key(|typed| typed.span.end - typed.span.start)
    }
    /// The name at a span, perhaps in parentheses.
    pub(crate) fn typed_name(&self, span: Span) -> Option<&Typed> {
        let names = self.typed_around(span).filter(|typed| typed.name);
        names.min_by_key(|typed| typed.span.end - typed.span.start)
    }
    fn typed_around(&self, span: Span) -> impl Iterator<Item = &Typed> {
        let around = move |typed: &&Typed| {
            typed.span.file == span.file
                && typed.span.start <= span.start
                && span.end <= typed.span.end
        };
        self.typed.iter().filter(around)
    }
    /// What is defined at a place of a symbol.
    pub(crate) fn defined_at<'p>(
        &self,
        program: &'p tree::Program,
        symbol: SymbolId,
        place: Span,
    ) -> Option<&'p Definition> {
        let name = &self.names.symbols[symbol].name;
        let mut definitions = self.definitions.iter().map(|global| &program.globals[*global]);
        let here = |definition: &&Definition| {
            let span = definition.span;
            definition.name == *name
                && span.file == place.file
                && span.start <= place.start
                && place.end <= span.end
        };
        definitions.rfind(here)
    }
    /// The last definition of a top-level name of the text.
    pub(crate) fn definition<'p>(
        &self,
        program: &'p tree::Program,
        symbol: SymbolId,
    ) -> Option<&'p Definition> {
        let places = self.names.symbols[symbol].places.iter().rev();
        places.filter_map(|place| self.defined_at(program, symbol, *place)).next()
    }
    /// Where a place is for the editor; nowhere if it is in the library.
    pub(crate) fn location(&self, uri: &Uri, place: Span) -> Option<Location> {
        if place.file == self.file {
            return Some(Location { uri: uri.clone(), range: self.text.range(place) });
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

/// The types in a form that is evaluated.
fn typed_form(form: &tree::Form, typed: &mut Vec<Typed>) {
    if let tree::FormKind::Evaluate { exp, pattern, scheme, .. } = &form.kind {
        typed_pattern(pattern, scheme, typed);
        typed_exp(exp, scheme, typed);
    }
}

fn typed_function(definition: &Definition, typed: &mut Vec<Typed>) {
    if let DefinitionKind::Function(function) = &definition.kind {
        typed_pattern(&function.param, &definition.scheme, typed);
        typed_exp(&function.body, &definition.scheme, typed);
    }
}

fn typed_exp(exp: &Exp, scheme: &Scheme, typed: &mut Vec<Typed>) {
    exp.walk(&mut |exp| {
        let global = match &exp.kind {
            ExpKind::Global(global, ..) => Some(*global),
            _ => None,
        };
        let (ty, scheme) = (exp.ty.clone(), scheme.clone());
        let name = matches!(exp.kind, ExpKind::Global(..) | ExpKind::Local(_));
        typed.push(Typed { span: exp.span, ty, scheme: scheme.clone(), global, name });
        match &exp.kind {
            ExpKind::Lambda(pattern, _) => typed_pattern(pattern, &scheme, typed),
            ExpKind::Let(bindings, _) => {
                bindings.iter().for_each(|(pattern, _)| typed_pattern(pattern, &scheme, typed));
            }
            ExpKind::Each(each) => {
                let patterns = each.generators.iter().map(|(pattern, _)| pattern);
                patterns.for_each(|pattern| typed_pattern(pattern, &scheme, typed));
            }
            _ => {}
        }
    });
}

fn typed_pattern(pattern: &tree::Pattern, scheme: &Scheme, typed: &mut Vec<Typed>) {
    let (ty, scheme_here) = (pattern.ty.clone(), scheme.clone());
    let name = matches!(pattern.kind, tree::PatternKind::Local(_));
    typed.push(Typed { span: pattern.span, ty, scheme: scheme_here, global: None, name });
    match &pattern.kind {
        tree::PatternKind::Local(_) | tree::PatternKind::Wildcard => {}
        tree::PatternKind::Pair(a, b) => {
            typed_pattern(a, scheme, typed);
            typed_pattern(b, scheme, typed);
        }
        tree::PatternKind::Construct(_, fields) => typed_pattern(fields, scheme, typed),
    }
}
