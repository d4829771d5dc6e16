//! Messages on standard error.

use crate::Status;
use crate::options::ErrorForm;
use base::{Class, Code, Diagnostic, Files};
use std::borrow::Cow;
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
        if error.code == Code::Interrupted && self.status == Status::Failed {
            self.status = Status::Interrupted;
        }
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
        if !matches!(self.status, Status::Bug | Status::Interrupted) {
            self.status = Status::Failed;
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&mut self, warning: &Diagnostic, files: &Files) {
        // One line, whatever the form: nothing is wrong with the program.
        say(&format!("{}\n", warning.short_warning(files)));
        let explained = warning.class() == Class::Limit || warning.code.is_warning();
        if explained && !self.codes.contains(&warning.code) {
            self.codes.push(warning.code);
        }
    }

    fn print(&mut self, error: &Diagnostic, files: &Files) {
        let plain = match self.form {
            ErrorForm::Short => format!("{} [{}]\n", error.short(files), error.code),
            ErrorForm::Pretty => error.render(files, false) + "\n\n",
        };
        // With colours, control sequences of the message and of its sources would look alike.
        let colour = self.colour && self.form == ErrorForm::Pretty && harmless(&plain) == plain;
        if colour { write(&(error.render(files, true) + "\n\n")) } else { say(&plain) }
    }
}

/// Whether colours are wanted there.
pub(crate) fn colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Text without control characters and without changes of the direction of writing.  Pictures
/// replace such characters, which names of files and typed texts may contain.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(|c| steers(c) || turns(c)) {
        return text.into();
    }
    let picture = |c: char| match c {
        '\0'..='\x1f' if steers(c) => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'),
        '\x7f' => '\u{2421}',
        c if steers(c) || turns(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(picture).collect()
}

/// Says something on standard error, harmlessly.
pub(crate) fn say(text: &str) {
    write(&harmless(text));
}

/// Writes to standard error; a failure cannot be reported.
pub(crate) fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(harmless("a\tb\n\u{e9}"), "a\tb\n\u{e9}");
        assert_eq!(harmless("\x1b[31m\r\x7f"), "\u{241b}[31m\u{240d}\u{2421}");
        assert_eq!(harmless("\u{9b}\u{202e}"), "\u{fffd}\u{fffd}");
    }
}
