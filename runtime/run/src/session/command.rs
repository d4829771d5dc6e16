//! Commands: forms that talk to the system (LANGUAGE 14).

use super::{Event, Flow, Session, Sink};
use base::{Code, Diagnostic, Loaded, Span};
use std::ops::ControlFlow;
use stdlib::Doc;
use syntax::ast::{CommandArg, Name};
use types::nearest;
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
describe name;            type, documentation, cost and examples of a name
apropos word;             names whose name or documentation contains word
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
        let Some(described) = self.described(&name.text()) else {
            let error = undefined("name", &name.text(), name.span());
            return Err(match self.nearest(&name.text()) {
                Some(near) => suggest(error, name.span(), near),
                None => error.help("`apropos word;` finds names by what is said of them"),
            });
        };
        let doc = described.doc.as_ref().map(Doc::lines).unwrap_or_default();
        let lines = std::iter::once(described.signature()).chain(doc);
        Ok(Some(lines.collect::<Vec<String>>().join("\n")))
    }

    fn apropos(&self, word: &str) -> String {
        let lower = word.to_lowercase();
        let found = self.names_and_operators().filter_map(|name| self.described(name));
        let found = found.filter(|described| {
            let about = described.doc.as_ref().map(|doc| doc.text.to_lowercase());
            described.name.to_lowercase().contains(&lower)
                || about.is_some_and(|about| about.contains(&lower))
        });
        let found: Vec<String> = found.map(|described| described.signature()).collect();
        if found.is_empty() { format!("nothing is known about `{word}`") } else { found.join("\n") }
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
        let (name, span) = (argument.text(), argument.span());
        let folder = self.files.folder(span.file);
        let loaded = self.loading.load(folder, &name, span, &Disk);
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
