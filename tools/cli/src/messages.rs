//! Messages on standard error.

use crate::Status;
use crate::options::ErrorForm;
use base::{Class, Code, Diagnostic, Files};
use std::env;
use std::io::{self, IsTerminal, Write};

/// Prints messages and remembers the worst.
pub(crate) struct Messages {
    form: ErrorForm,
    colour: bool,
    /// How the command would end now.
    pub(crate) status: Status,
    /// What was wrong, each code once.
    codes: Vec<Code>,
}

/// Of how many codes the last line speaks at most.
const EXPLAINED: usize = 3;

impl Messages {
    /// No messages yet.
    pub(crate) fn new(form: ErrorForm) -> Messages {
        Messages { form, colour: colours(&io::stderr()), status: Status::Done, codes: Vec::new() }
    }

    /// Prints an error.
    pub(crate) fn error(&mut self, error: &Diagnostic, files: &Files) {
        if error.class() == Class::Bug {
            self.status = Status::Bug;
        }
        self.fail();
        if !self.codes.contains(&error.code) {
            self.codes.push(error.code);
        }
        self.print(error, files);
    }

    /// Says at the end of a command where more is told about its errors; short messages are for
    /// programs, which do not ask.
    pub(crate) fn close(&self) {
        let explain = |code: &Code| format!("nesl explain {code}");
        let explained: Vec<String> = self.codes.iter().take(EXPLAINED).map(explain).collect();
        match (self.form, &self.codes[..]) {
            (ErrorForm::Short, _) | (_, [] | [Code::Interrupted]) => {}
            (_, [code]) => say(&format!("more about {code}: {}\n", explain(code))),
            _ => say(&format!("more about these errors: {}\n", explained.join("; "))),
        }
    }

    /// Says more for people; short messages are for programs.
    pub(crate) fn unless_short(&self, text: &str) {
        if self.form != ErrorForm::Short {
            say(text);
        }
    }

    /// The command fails, without a word.
    pub(crate) fn fail(&mut self) {
        if self.status != Status::Bug {
            self.status = Status::Failed;
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&mut self, warning: &Diagnostic, files: &Files) {
        // One line, whatever the form: nothing is wrong with the program.
        say(&format!("{}\n", warning.short_warning(files)));
        if warning.class() == Class::Limit && !self.codes.contains(&warning.code) {
            self.codes.push(warning.code);
        }
    }

    fn print(&mut self, error: &Diagnostic, files: &Files) {
        let text = match self.form {
            ErrorForm::Short => format!("{} [{}]", error.short(files), error.code),
            ErrorForm::Pretty => error.render(files, self.colour) + "\n",
        };
        say(&(text + "\n"));
    }
}

/// Whether colours are wanted there.
pub(crate) fn colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes to standard error; if it is closed, there is nobody to tell.
pub(crate) fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}
