//! Editing of what is typed: the line editor, and what it asks us.

use crate::highlight;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Helper, Result};
use shell::{completion, whole};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

const PROMPT: &str = "nesl> ";
/// So many texts are kept from one session to the next.
const KEPT: usize = 10_000;

/// A line editor with its history.
pub(super) struct Editor {
    editor: rustyline::Editor<Language, FileHistory>,
    history: Option<PathBuf>,
}

/// What a user typed.
pub(super) enum Typed {
    /// Whole forms.
    Text(String),
    /// Nothing that is to be run.
    Nothing,
    /// The wish to leave.
    End,
}

impl Editor {
    /// An editor that keeps its history in this file.
    pub(super) fn new(history: Option<PathBuf>, colour: bool) -> Result<Editor> {
        let config = Config::builder()
            .max_history_size(KEPT)?
            .history_ignore_dups(true)?
            .completion_type(CompletionType::List)
            .build();
        let mut editor = rustyline::Editor::with_config(config)?;
        editor.set_helper(Some(Language { names: BTreeSet::new(), colour }));
        if let Some(history) = &history {
            // There is none at first.
            let _ = editor.load_history(history);
        }
        Ok(Editor { editor, history })
    }

    /// Takes notice of the names that have a meaning now.
    pub(super) fn learn<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        if let Some(language) = self.editor.helper_mut() {
            language.names = names.map(str::to_owned).collect();
        }
    }

    /// Reads until the text is whole.
    pub(super) fn read(&mut self) -> Result<Typed> {
        let text = match self.editor.readline(PROMPT) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => return Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => return Ok(Typed::End),
            Err(error) => return Err(error),
        };
        if text.trim().is_empty() {
            return Ok(Typed::Nothing);
        }
        let new = self.editor.add_history_entry(text.trim_end())?;
        if let Some(history) = self.history.as_ref().filter(|_| new) {
            // Work goes on where nothing can be kept.
            let _ = self.editor.append_history(history);
        }
        Ok(Typed::Text(text))
    }
}

/// What the line editor asks about the language.
struct Language {
    names: BTreeSet<String>,
    colour: bool,
}

impl Helper for Language {}

impl Validator for Language {
    fn validate(&self, context: &mut ValidationContext<'_>) -> Result<ValidationResult> {
        let complete = whole::is_complete(context.input());
        Ok(if complete { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Completer for Language {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> Result<(usize, Vec<String>)> {
        Ok(completion::complete(&line[..at], &self.names))
    }
}

/// What a text lacks.
struct Lacking;

impl Hint for Lacking {
    fn display(&self) -> &'static str {
        "; ends the form"
    }
    fn completion(&self) -> Option<&str> {
        Some(";")
    }
}

impl Hinter for Language {
    type Hint = Lacking;

    /// Who has gone to a new line may have forgotten the terminator.
    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<Lacking> {
        let waits = at == line.len() && line.ends_with('\n');
        (waits && whole::lacks_terminator(line)).then_some(Lacking)
    }
}

impl Highlighter for Language {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.colour { highlight::highlight(line).into() } else { line.into() }
    }
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.colour { highlight::bold(prompt).into() } else { prompt.into() }
    }
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.colour { highlight::faint(hint).into() } else { hint.into() }
    }
    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.colour && kind != CmdKind::MoveCursor
    }
}
