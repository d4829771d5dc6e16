//! Checking a text: its forms, and those of the texts that it loads.
//!
//! A form that reads as it did when the text was checked last, and all whose names mean what they
//! meant, is not checked again (`types`, `check_again`).

use crate::analysis::{Analysis, Definitions, KnownFacts, KnownForm};
use crate::loaded::{LastParsed, Load, Loaded, Parsed, Reader, Source};
use crate::text::Text;
use crate::texts::OpenTexts;
use crate::typed::{Part, PartTree};
use crate::uri;
use base::{Diagnostic, FileId, Id, Span};
use gen_lsp_types::Uri;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use syntax::ast::{self, Group};
use types::tree::{self, DefinitionKind, Global};
use types::{Checker, Missing};

/// How many definitions are kept that no text has any more.
const KEPT: usize = 100_000;

/// The library, against which texts are checked.
pub(crate) struct Library {
    checker: Checker,
    /// The file of the text that is checked.
    file: FileId,
    /// Definitions of the library.
    size: usize,
}

impl Library {
    /// Reads the library.
    pub(crate) fn new() -> Library {
        let parse = |(number, (_, text)): (usize, &(&str, &str))| {
            syntax::parse(Id::new(number), text.as_bytes())
        };
        let groups: Vec<Group> = stdlib::FILES.iter().enumerate().map(parse).collect();
        let mut checker = Checker::new(&groups)
            .unwrap_or_else(|errors| unreachable!("the library is wrong: {errors:?}"));
        checker.take_notes();
        let size = checker.program.globals.len();
        Library { checker, file: Id::new(groups.len()), size }
    }
    /// Whether it is to be made anew, and texts with so many definitions are to be checked again,
    /// because too many definitions are no longer needed.
    pub(crate) fn is_full(&self, needed: usize) -> bool {
        self.checker.program.globals.len() > self.size + needed + KEPT
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

    /// Checks a text, which loads others; of its last version it may be known what is right.
    pub(crate) fn analyse(
        &mut self,
        uri: &Uri,
        text: String,
        texts: &OpenTexts,
        last: Option<Analysis>,
    ) -> Analysis {
        let library = |name: &str| self.checker.lookup(name).is_some();
        let path = uri::path(&uri.0).unwrap_or_default();
        let (last, parsed) = LastVersion::of(last, self.file);
        let mut reader = Reader::new(texts, &library, self.file, &path, parsed);
        let mut source = reader.read(&text);
        let (loaded, sought) = reader.finish();
        let text = Text::new(text, texts.encoding());
        let mut checking = Checking {
            checker: &mut self.checker,
            file: self.file,
            text: &text,
            loaded: &loaded,
            missing: Missing::default(),
            last: Last::of(&last),
            written: FxHashSet::default(),
            outdated: Vec::new(),
            replaced: None,
            known: Vec::new(),
            asleep: Vec::new(),
            parts: Vec::new(),
            definitions: Definitions::default(),
            warnings: Vec::new(),
            checked: 0,
        };
        let errors = checking.check(&source);
        if !errors.is_empty() {
            checking.keep_asleep(&last);
        }
        let Checking { known, asleep, mut parts, definitions, mut warnings, checked, .. } =
            checking;
        parts.sort_by_key(|part| part.now);
        let links = source.loads.iter();
        let links = links.filter_map(|load| Some((load.span, load.source.as_ref().ok()?.file)));
        let links = links.collect();
        let mut others = LastParsed::default();
        take_parsed(std::mem::take(&mut source.loads), &mut others);
        let Source { parsed: Parsed { tree, group, facts }, names, .. } = source;
        let forms = group.forms.iter().zip(&facts);
        let right = forms.filter(|(form, _)| !has_error(&errors, form.span));
        warnings.extend(right.flat_map(|(form, facts)| facts.warnings(form.span)));
        let place = |warning: &Diagnostic| warning.primary.as_ref().map(|label| label.span);
        warnings.retain(|warning| place(warning).is_some_and(|place| place.file == self.file));
        warnings.sort_by_key(|warning| (place(warning), warning.code));
        let file = self.file;
        Analysis {
            text,
            file,
            tree,
            group,
            facts,
            others,
            names,
            errors,
            warnings,
            definitions,
            loaded,
            links,
            sought,
            known,
            asleep,
            parts,
            checked,
        }
    }
}

/// Takes out of what a text loads what was read.
fn take_parsed(loads: Vec<Load>, into: &mut LastParsed) {
    for source in loads.into_iter().filter_map(|load| load.source.ok()) {
        into.insert(source.file, source.parsed);
        take_parsed(source.loads, into);
    }
}

/// Whether one of these errors, which are in the order of their places, is in a form.
fn has_error(errors: &[Diagnostic], form: Span) -> bool {
    let place = |error: &Diagnostic| error.primary.as_ref().map(|label| label.span);
    let start = |span: Span| (span.file, span.start);
    let before = |span: Span| start(span) < start(form);
    let first = errors.partition_point(|error| place(error).is_none_or(before));
    errors.get(first).and_then(place).is_some_and(|span| form.contains(span))
}

/// What is known of the last version of a text and of what it loads.
#[derive(Default)]
struct Last<'a> {
    /// By the texts of the forms, the last of several first to be removed from the end.
    forms: FxHashMap<&'a str, Vec<&'a Arc<KnownFacts>>>,
    /// By the name that they define, with the texts of their forms.
    definitions: FxHashMap<&'a str, Vec<(&'a str, Global)>>,
}

impl<'a> Last<'a> {
    fn of(version: &'a LastVersion) -> Last<'a> {
        let mut last = Last::default();
        let count = version.known.len() + version.asleep.len();
        last.forms.reserve(count);
        last.definitions.reserve(count);
        let mut note = |written: &'a str, facts: &'a Arc<KnownFacts>| {
            last.forms.entry(written).or_default().push(facts);
            for (name, global) in facts.names.iter().zip(facts.known.defines()) {
                last.definitions.entry(name).or_default().push((written, global));
            }
        };
        version.asleep.iter().for_each(|(written, facts)| note(written, facts));
        for KnownForm { span, facts } in version.known.iter().rev() {
            note(version.written(*span), facts);
        }
        last
    }
}

/// The last version of a text, as far as the next one needs it.
#[derive(Default)]
struct LastVersion {
    text: Option<Text>,
    loaded: Vec<Loaded>,
    known: Vec<KnownForm>,
    asleep: Vec<(String, Arc<KnownFacts>)>,
}

impl LastVersion {
    /// The same of an analysis, and the texts that were read, that of this file among them.
    fn of(last: Option<Analysis>, file: FileId) -> (LastVersion, LastParsed) {
        let Some(last) = last else { return Default::default() };
        let Analysis { text, loaded, known, asleep, tree, group, facts, mut others, .. } = last;
        others.insert(file, Parsed { tree, group, facts });
        (LastVersion { text: Some(text), loaded, known, asleep }, others)
    }
    /// The text of a place.
    fn written(&self, span: Span) -> &str {
        let loaded = self.loaded.iter().find(|loaded| loaded.file == span.file);
        let text = loaded.map(|loaded| &loaded.text).or(self.text.as_ref());
        text.map_or("", |text| text.at(span))
    }
}

/// A text that is being checked.
struct Checking<'c> {
    checker: &'c mut Checker,
    file: FileId,
    text: &'c Text,
    loaded: &'c [Loaded],
    missing: Missing,
    last: Last<'c>,
    /// The texts of all forms.
    written: FxHashSet<&'c str>,
    /// What the form that is checked defined in the last version, if it reads as it did.
    outdated: Vec<Global>,
    /// Its facts in that version.
    replaced: Option<Arc<KnownFacts>>,
    /// What is known for the next version.
    known: Vec<KnownForm>,
    /// What will be known again when what is wrong now is mended.
    asleep: Vec<(String, Arc<KnownFacts>)>,
    parts: Vec<Part>,
    definitions: Definitions,
    /// Warnings.
    warnings: Vec<Diagnostic>,
    /// How many forms were checked.
    checked: usize,
}

/// What is wrong in a text or in what it loads.
struct Wrong<'l> {
    error: Diagnostic,
    /// What of the text loads the text that it is in.
    load: Option<&'l Load>,
}

impl<'c> Checking<'c> {
    /// Checks the text; gives what is wrong.
    fn check(&mut self, source: &Source) -> Vec<Diagnostic> {
        self.note_written(source);
        let checkpoint = self.checker.checkpoint();
        let wrong = self.source(source);
        self.checker.rollback(&checkpoint);
        let mut errors = self.told(&wrong);
        errors.sort_by_key(|error| error.primary.as_ref().map(|label| label.span));
        errors
    }
    fn note_written(&mut self, source: &Source) {
        for form in &source.parsed.group.forms {
            let written = self.written(form.span);
            self.written.insert(written);
        }
        source.loads.iter().flat_map(|load| &load.source).for_each(|it| self.note_written(it));
    }
    /// The text of a place.
    fn written(&self, span: Span) -> &'c str {
        let loaded = self.loaded.iter().find(|loaded| loaded.file == span.file);
        match loaded.map(|loaded| &loaded.text) {
            Some(text) => text.at(span),
            None if span.file == self.file => self.text.at(span),
            None => "",
        }
    }
    /// Checks the forms of a text, and what they load.
    fn source<'l>(&mut self, source: &'l Source) -> Vec<Wrong<'l>> {
        self.checker.begin_group(&source.parsed.group);
        let mut loads = source.loads.iter().peekable();
        let mut wrong = Vec::new();
        for form in &source.parsed.group.forms {
            if !self.again(form)
                && let Err(errors) = self.form(form)
            {
                let failed = self.checker.failed();
                self.miss(&failed);
                wrong.extend(self.causes(errors));
                self.miss(&form.defines);
                let waiting = self.checker.waiting_for(&form.defines);
                self.miss(&waiting);
                let asleep = self.replaced.take();
                self.asleep.extend(asleep.map(|facts| (self.written(form.span).to_owned(), facts)));
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
        let failed = self.checker.failed();
        self.miss(&failed);
        let waited = self.checker.end_group();
        wrong.extend(self.causes(waited));
        wrong
    }
    /// These names remain without a definition.
    fn miss(&mut self, names: &[String]) {
        self.missing.add(names);
        self.checker.miss(names);
    }
    /// Takes a form as it was in the last version, if that is right; tells whether it is.
    fn again(&mut self, form: &ast::Form) -> bool {
        let written = self.written(form.span);
        let known = self.last.forms.get_mut(written).and_then(Vec::pop);
        self.replaced = known.cloned();
        self.outdated = known.map(|facts| facts.known.defines()).unwrap_or_default();
        let Some(facts) = known else { return false };
        let Some(others) = self.checker.check_again(form, &facts.known) else { return false };
        self.complete(facts.known.form(), form.span);
        let (then, now) = (facts.known.span(), form.span);
        let warnings = facts.warnings.iter().map(|warning| warning.clone().moved(then, now));
        self.warnings.extend(warnings);
        // Errors of functions that waited for this form.
        self.warnings.extend(self.checker.take_warnings());
        self.keep(form, facts.clone());
        others.iter().for_each(|other| self.complete(other, other.span));
        true
    }
    /// Checks a form.
    fn form(&mut self, form: &ast::Form) -> Result<(), Vec<Diagnostic>> {
        self.checked += 1;
        let forms = self.checker.check(form);
        let warnings = self.checker.take_warnings();
        self.warnings.extend(warnings.iter().cloned());
        let forms = forms?;
        self.take_places(form);
        let known = self.checker.known().map(Arc::new);
        let own = known.as_ref().map(|known| known.form());
        let others = forms.iter().filter(|it| own.is_none_or(|own| own.span != it.span));
        own.into_iter().chain(others).for_each(|form| self.complete(form, form.span));
        if let Some(known) = known {
            let own = warnings.into_iter().filter(|warning| warning.is_inside(form.span));
            let warnings = own.collect();
            let name = |global| self.checker.program.globals[global].name.clone();
            let names = known.defines().into_iter().map(name).collect();
            self.keep(form, Arc::new(KnownFacts { names, known, warnings }));
        }
        Ok(())
    }
    /// Lets definitions take the places of those of the last version that are gone.
    fn take_places(&mut self, form: &ast::Form) {
        for name in &form.defines {
            let Some(new) = self.checker.lookup(name) else { continue };
            if let Some(old) = self.outdated(name).filter(|old| *old != new) {
                self.checker.take_place(new, old);
            }
        }
    }
    /// A definition of this name that the last version had, and no form of the text has any more.
    fn outdated(&mut self, name: &str) -> Option<Global> {
        let is_named = |global: &Global| self.checker.program.globals[*global].name == name;
        if let Some(place) = self.outdated.iter().position(is_named) {
            return Some(self.outdated.remove(place));
        }
        let old = self.last.definitions.get_mut(name)?;
        let gone = old.iter().rposition(|(written, _)| !self.written.contains(written))?;
        Some(old.remove(gone).1)
    }
    /// Notes what is known of a form for the next version.
    fn keep(&mut self, form: &ast::Form, facts: Arc<KnownFacts>) {
        if let tree::FormKind::Evaluate { .. } = &facts.known.form().kind {
            let tree = PartTree::Form(facts.known.clone());
            self.parts.push(Part { now: form.span, then: facts.known.span(), tree });
        }
        self.known.push(KnownForm { span: form.span, facts });
    }
    /// Notes what was known of forms of the last version that are gone, and whose names nothing
    /// defines now: they are being edited, and those that use them will read as before.
    fn keep_asleep(&mut self, last: &LastVersion) {
        let known = last.known.iter().map(|form| (last.written(form.span), &form.facts));
        let asleep = last.asleep.iter().map(|(written, facts)| (written.as_str(), facts));
        for (written, facts) in asleep.chain(known) {
            let is_gone = |name: &String| self.definitions.named(name).is_empty();
            let mut names = facts.names.iter().peekable();
            if names.peek().is_some() && !self.written.contains(written) && names.all(is_gone) {
                self.asleep.push((written.to_owned(), facts.clone()));
            }
        }
    }
    /// Notes what a form defines, which stands at a place.
    fn complete(&mut self, form: &tree::Form, now: Span) {
        let globals: Vec<Global> = match &form.kind {
            tree::FormKind::Defined(globals) => globals.clone(),
            tree::FormKind::Evaluate { binds, .. } => binds.iter().map(|bind| bind.1).collect(),
            tree::FormKind::Command(..) => Vec::new(),
        };
        for global in globals {
            let definition = &self.checker.program.globals[global];
            if let DefinitionKind::Function(_) = definition.kind {
                let mut functions = vec![global];
                functions.extend(self.checker.hidden(global));
                let tree = PartTree::Functions(functions);
                self.parts.push(Part { now, then: form.span, tree });
            }
            self.definitions.add(&definition.name, global);
        }
    }
    /// The errors that are no consequences of earlier ones.
    fn causes<'l>(&self, errors: Vec<Diagnostic>) -> impl Iterator<Item = Wrong<'l>> + use<'l> {
        let text = |span: Span| self.written(span).as_bytes();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Encoding;

    /// Checks versions of a text; gives how many forms of each were checked, with its errors.
    fn versions(texts: &[&str]) -> Vec<(usize, usize)> {
        value::on_big_stack(|| {
            let mut library = Library::new();
            let (uri, open) = (Uri::from("file:///a.nesl"), OpenTexts::new(Encoding::Utf16));
            let mut last: Option<Analysis> = None;
            let mut counts = Vec::new();
            for text in texts {
                let now = library.analyse(&uri, (*text).to_owned(), &open, last);
                let fresh = Library::new().analyse(&uri, (*text).to_owned(), &open, None);
                // What is taken as it was is as if it had been checked.
                assert_eq!(now.errors, fresh.errors, "{text}");
                assert_eq!(now.warnings, fresh.warnings, "{text}");
                assert_eq!(now.names, fresh.names, "{text}");
                let places = |analysis: &Analysis| -> Vec<Span> {
                    analysis.parts.iter().map(|part| part.now).collect()
                };
                assert_eq!(places(&now), places(&fresh), "{text}");
                counts.push((now.checked, now.errors.len()));
                last = Some(now);
            }
            counts
        })
    }

    /// A text of functions, each of which uses the one before it.
    fn chain(count: usize, first: &str) -> String {
        let next = |n: usize| format!("function f{n}(x) = let y = f{}(x) in y + {n};\n", n - 1);
        (1..count).fold(format!("function f0(x) = {first};\n"), |text, n| text + &next(n))
    }

    #[test]
    fn a_change_checks_only_what_it_matters_for() {
        let texts =
            [chain(300, "x"), chain(300, "x + 2 - 2"), chain(300, "x * 1"), chain(300, "x")];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // The second function is checked if the type of the first changes; its own type stays.
        assert_eq!(versions(&texts), [(300, 0), (2, 0), (1, 0), (2, 0)]);
    }

    #[test]
    fn texts_may_move_and_forms_come_and_go() {
        let text = "function g(x) = x + 1; v = g(1); function h(x, d := 2) = g(x) * d; h(v);";
        let moved = format!("% moved %\n{text}");
        let more = format!("{moved} g(3);");
        let twice = format!("{more} g(3); v = g(1);");
        let counts = versions(&[text, &moved, &more, &twice, text]);
        assert_eq!(counts, [(4, 0), (0, 0), (1, 0), (2, 0), (0, 0)]);
    }

    #[test]
    fn what_uses_a_wrong_form_is_not_checked_again_when_that_is_mended() {
        let texts = ["x", "x + ", "x + unknown", "x", "x + ", "x + 0", "x = ", "1.0", "x + 0"];
        let texts = texts.map(|body| chain(300, body));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let counts = versions(&texts);
        let wrong = [counts[1].1, counts[2].1, counts[4].1, counts[6].1, counts[7].1];
        assert_eq!(wrong, [1; 5]);
        let checked: Vec<usize> =
            counts.iter().filter(|count| count.1 == 0).map(|count| count.0).collect();
        // The second function is checked where the type of the first is another one.
        assert_eq!(checked, [300, 0, 2, 2]);
    }

    #[test]
    fn wrong_forms_are_checked_until_they_are_right() {
        let wrong = "function g(x) = x + `a; function h(x) = g(x); h(1); v = 1;";
        let right = wrong.replace("`a", "1");
        assert_eq!(versions(&[wrong, wrong, &right, &right]), [(4, 1), (3, 1), (3, 0), (0, 0)]);
    }
}
