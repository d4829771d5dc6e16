//! Commands: forms that talk to the system (LANGUAGE 14).

use super::{Described, Event, Flow, Session, Sink};
use base::{Code, Diagnostic, Loaded, Span};
use std::ops::ControlFlow;
use stdlib::{Doc, SYNTAX, Syntax, synonyms_of, syntax_of};
use syntax::ast;
use syntax::ast::{CommandArg, Exp, Name};
use types::tree::FormKind;
use types::{nearest, show_scheme};
use value::Disk;
use value::print::Style;

/// What `set` sets.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Longest sequence shown in full.
    pub(super) print_length: usize,
    /// Whether run-time checks are wanted; engines make them in any case.
    arg_check: bool,
    /// Whether definitions are shown.
    pub(super) verbose: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { print_length: 100, arg_check: true, verbose: true }
    }
}

impl Settings {
    /// How results are printed.
    pub(super) fn style(&self) -> Style {
        Style::shown(self.print_length)
    }

    fn show(&self) -> String {
        let word = |on: bool| if on { "on" } else { "off" };
        let Settings { print_length, arg_check, verbose } = self;
        let (arg_check, verbose) = (word(*arg_check), word(*verbose));
        format!("print_length {print_length}\narg_check {arg_check}\nverbose {verbose}")
    }
}

const SETTINGS: [&str; 3] = ["print_length", "arg_check", "verbose"];

/// The words that may follow these words of a command; none if anything may.
pub fn arguments_of(words: &[&str]) -> &'static [&'static str] {
    match words {
        ["set"] => &SETTINGS,
        ["set", "arg_check" | "verbose"] => &["on", "off"],
        ["show"] => &["settings", "names"],
        _ => &[],
    }
}

const HELP: &str = "\
help;                     this summary
describe name;            type, documentation, cost and examples of a name, a word or a sign
apropos word;             names with that word, or another word for it, in name or documentation
: value;                  type of a value, which is not evaluated
load \"file\";              processes a file as a group
set print_length n;       longest sequence that is shown in full
set arg_check on;         run-time checks: on, off
set verbose on;           show definitions: on, off
show settings;            current settings
show names;               names defined in this session
exit;                     leave";

/// What a command leads to.
type Said = Result<Option<String>, Diagnostic>;

impl Session {
    /// Obeys a command.
    pub(super) fn command(
        &mut self,
        word: &Name,
        arguments: &[CommandArg],
        sink: &mut Sink<'_>,
    ) -> Flow {
        let said = match (word.text.as_str(), arguments) {
            ("exit", []) => return ControlFlow::Break(()),
            ("help", []) => Ok(Some(HELP.to_owned())),
            ("describe", [argument]) => self.describe(argument),
            ("apropos", [argument]) => Ok(Some(self.apropos(&argument.text()))),
            (":", [CommandArg::Exp(exp)]) => match self.typed_text(exp) {
                Ok(ty) => Ok(Some(ty)),
                Err(errors) => {
                    sink(&self.files, Event::Failed(errors));
                    return ControlFlow::Continue(());
                }
            },
            ("load", [argument]) => match self.load(argument, sink) {
                Ok(ControlFlow::Break(())) => return ControlFlow::Break(()),
                Ok(ControlFlow::Continue(())) => Ok(None),
                Err(diagnostic) => Err(diagnostic),
            },
            ("set", [setting, value]) => self.set(setting, value),
            ("show", [topic]) => self.show_topic(topic),
            (word_text, _) => {
                let message = format!("`{word_text}` takes other arguments than these");
                Err(Diagnostic::of(Code::CommandArguments, message)
                    .label(word.span, "")
                    .help(format!("write {}", usage(word_text))))
            }
        };
        match said {
            Ok(Some(text)) => sink(&self.files, Event::Said(text)),
            Ok(None) => {}
            Err(diagnostic) => sink(&self.files, Event::Failed(vec![diagnostic])),
        }
        ControlFlow::Continue(())
    }

    fn set(&mut self, setting: &CommandArg, value: &CommandArg) -> Said {
        let on = match value.text().as_str() {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        match (setting.text().as_str(), value, on) {
            ("print_length", CommandArg::Number(length, _), _) => {
                self.settings.print_length = usize::try_from(*length).unwrap_or(0);
            }
            ("arg_check", _, Some(on)) => self.settings.arg_check = on,
            ("verbose", _, Some(on)) => self.settings.verbose = on,
            (known, ..) if SETTINGS.contains(&known) => {
                let message = format!("`{known}` cannot be set to this");
                let values = match arguments_of(&["set", known]) {
                    [] => "a number",
                    _ => "`on` or `off`",
                };
                return Err(Diagnostic::of(Code::CommandArguments, message)
                    .label(value.span(), "")
                    .help(format!("its value is {values}")));
            }
            (unknown, ..) => {
                let error = undefined("setting", unknown, setting.span());
                return Err(one_of(error, unknown, setting.span(), &SETTINGS));
            }
        }
        Ok(None)
    }

    fn show_topic(&self, topic: &CommandArg) -> Said {
        match topic.text().as_str() {
            "settings" => Ok(Some(self.settings.show())),
            "names" => {
                let own = self.own_names().map(|described| described.signature());
                let shown = own.collect::<Vec<String>>().join("\n");
                Ok(Some(shown).filter(|shown| !shown.is_empty()))
            }
            unknown => {
                let message = format!("`show` has no topic `{unknown}`");
                let error = Diagnostic::of(Code::UnknownTopic, message).label(topic.span(), "");
                Err(one_of(error, unknown, topic.span(), arguments_of(&["show"])))
            }
        }
    }

    fn describe(&self, name: &CommandArg) -> Said {
        if let Some(text) = self.about(&name.text()) {
            return Ok(Some(text));
        }
        let error = undefined("name", &name.text(), name.span());
        Err(match self.nearest(&name.text()) {
            Some(near) => suggest(error, name.span(), near),
            None => error.help("`apropos word;` finds names by what is said of them"),
        })
    }

    /// The text of the command `describe` for a name, an operator, a word or a sign.
    pub fn about(&self, name: &str) -> Option<String> {
        let doc = |it: Described| {
            let doc = it.doc.as_ref().map(Doc::lines).unwrap_or_default();
            std::iter::once(it.signature()).chain(doc).collect::<Vec<String>>()
        };
        let described = self.described(name).map(doc);
        let row = syntax_of(name).map(Syntax::lines);
        let lines: Vec<String> = described.into_iter().chain(row).flatten().collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn apropos(&self, word: &str) -> String {
        let lower = word.to_lowercase();
        let meant = synonyms_of(&lower);
        let found = self.names_and_operators().filter_map(|name| self.described(name));
        let found = found.filter(|described| {
            let about = described.doc.as_ref().map(|doc| doc.text.to_lowercase());
            described.name.to_lowercase().contains(&lower)
                || about.is_some_and(|about| about.contains(&lower))
        });
        let names = found.filter(|described| !meant.contains(&described.name.as_str()));
        let rows = SYNTAX.iter().filter(|row| {
            let named = |names: &[&str]| row.names.iter().any(|name| names.contains(name));
            named(&meant) || named(&[lower.as_str()]) || row.meaning.contains(&lower)
        });
        let shown = |row: &Syntax| format!("{} : {}", row.names.join(" "), row.form);
        let first = meant.iter().filter_map(|name| self.described(name));
        let found: Vec<String> = first
            .map(|described| described.signature())
            .chain(rows.map(shown))
            .chain(names.map(|described| described.signature()))
            .collect();
        if found.is_empty() { format!("nothing is known about `{word}`") } else { found.join("\n") }
    }

    /// The type of a value, which is not evaluated, behind its text.
    fn typed_text(&mut self, exp: &Exp) -> Result<String, Vec<Diagnostic>> {
        let form = ast::Form {
            kind: ast::FormKind::Exp(exp.clone()),
            span: exp.span,
            defines: Vec::new(),
            ends: None,
            comment: None,
            meant: Vec::new(),
        };
        let before = self.checker.checkpoint();
        let checked = self.checker.check_ahead(&form);
        self.checker.rollback(&before);
        let scheme = checked?.into_iter().find_map(|form| match form.kind {
            FormKind::Evaluate { scheme, .. } => Some(scheme),
            FormKind::Defined(_) | FormKind::Command(..) => None,
        });
        let ty = scheme.map(|scheme| show_scheme(&self.checker.program, &scheme));
        let text = &self.files.file(exp.span.file).text;
        let text = text.get(exp.span.start as usize..exp.span.end as usize).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        Ok(format!("{text} : {}", ty.unwrap_or_default()))
    }

    /// Processes a file as a group.
    fn load(&mut self, argument: &CommandArg, sink: &mut Sink<'_>) -> Result<Flow, Diagnostic> {
        let Loaded { path, text } = self.open(argument)?;
        let flow = self.run_text(&path.display().to_string(), &text, sink);
        self.loading.end();
        Ok(flow)
    }

    /// Checks what a command loads.
    pub(super) fn check_loaded(
        &mut self,
        word: &Name,
        arguments: &[CommandArg],
        sink: &mut Sink<'_>,
    ) {
        let ("load", [argument]) = (word.text.as_str(), arguments) else { return };
        match self.open(argument) {
            Ok(Loaded { path, text }) => {
                self.check_text(&path.display().to_string(), &text, sink);
                self.loading.end();
            }
            Err(error) => sink(&self.files, Event::Failed(vec![error])),
        }
    }

    /// Begins with the file that `load` names.
    fn open(&mut self, argument: &CommandArg) -> Result<Loaded, Diagnostic> {
        let span = argument.span();
        let folder = self.files.folder(span.file);
        let name = self.texts.file(argument);
        let loaded = name.and_then(|name| self.loading.load(folder, &name, span, &Disk));
        if loaded.is_err() {
            self.missing.add_unknown();
        }
        loaded
    }
}

fn undefined(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::of(Code::UnknownTopic, format!("there is no {what} `{name}`")).label(span, "")
}

/// Tells which of these words was meant, or all of them.
fn one_of(error: Diagnostic, word: &str, span: Span, known: &[&str]) -> Diagnostic {
    match nearest(word, known.iter().copied()) {
        Some(near) => suggest(error, span, near),
        None => error.help(format!("there are {}", known.join(", "))),
    }
}

fn suggest(error: Diagnostic, span: Span, near: &str) -> Diagnostic {
    error.suggest(span, near, format!("did you mean `{near}`?"))
}

/// The ways to write a command, as its help lists them.
fn usage(word: &str) -> String {
    let lines = HELP.lines().filter(|line| line.split([' ', ';']).next() == Some(word));
    let ways = lines.filter_map(|line| line.split_once(';')).map(|(way, _)| format!("`{way};`"));
    ways.collect::<Vec<String>>().join(" or ")
}
