//! What is known of one text: its tree, its names, and what the checker says about it.
//!
//! ```text
//! text --parse--> tree, forms --names--> symbols and their places
//!                             --check--> errors; types of the forms that are right
//! ```
//!
//! A form that is wrong does not keep the others from being checked.  What a wrong form would have
//! defined is missing then; uses of it are no errors of their own.

use crate::names::{Names, SymbolId};
use crate::text::Text;
use base::{Diagnostic, FileId, Id, Span};
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
    /// The definitions that are right.
    pub(crate) definitions: Vec<Global>,
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

    /// Checks a text.
    pub(crate) fn analyse(&mut self, text: String) -> Analysis {
        let tree = syntax::parse_tree(self.file, text.as_bytes());
        let group = syntax::parse(self.file, text.as_bytes());
        let names = Names::of(&text, &group, &|name| self.checker.lookup(name).is_some());
        let mut analysis = Analysis {
            text: Text::new(text),
            file: self.file,
            tree,
            group,
            names,
            errors: Vec::new(),
            definitions: Vec::new(),
            typed: Vec::new(),
        };
        self.check(&mut analysis);
        analysis
    }
    fn check(&mut self, analysis: &mut Analysis) {
        let checkpoint = self.checker.checkpoint();
        let before = self.checker.program.globals.len();
        let mut missing = Missing::default();
        self.checker.begin_group(&analysis.group);
        for form in &analysis.group.forms {
            match self.checker.check(form) {
                Ok(forms) => forms.iter().for_each(|form| typed_form(form, &mut analysis.typed)),
                Err(errors) => {
                    analysis.errors.extend(errors);
                    missing.add(&form.defines);
                    missing.add(&self.checker.waiting_for(&form.defines));
                }
            }
            missing.add(&self.checker.failed());
        }
        analysis.errors.extend(self.checker.end_group());
        self.checker.rollback(&checkpoint);
        let text = |span| analysis.text.at(span).as_bytes();
        let errors = std::mem::take(&mut analysis.errors);
        analysis.errors = missing.without_consequences(errors, text);
        analysis.errors.sort_by_key(|error| error.primary.as_ref().map(|label| label.span));
        for (global, definition) in self.checker.program.globals.iter().skip(before) {
            analysis.definitions.push(global);
            typed_function(definition, &mut analysis.typed);
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
            definition.name == *name && span.start <= place.start && place.end <= span.end
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
