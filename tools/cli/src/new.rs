//! `nesl new`: a program to begin with.

use crate::Status;
use crate::messages::Messages;
use crate::options::ErrorForm;
use base::{Code, Diagnostic, Files};
use std::fs;
use std::path::Path;
use value::whole::{self, Access, Folder, Names};

/// The program; `NAME` stands for its name.
const PROGRAM: &str = r#"% NAME: run it with `nesl run NAME/NAME.nesl`, or give a function data of yours:
  `nesl run NAME/NAME.nesl --entry mean 'numbers=[1.0, 2.0]'`; a file such as `numbers=data.npy`
  will do as well. %

function mean(numbers) : [float] -> float
  "The arithmetic mean."
  = sum(numbers) / float(#numbers);

rows = [[1.0, 2.0], [3.0], [4.0, 5.0, 9.0]];

% One mean for each row, all at once: any function may be applied to every element. %
{mean(row) : row in rows};
"#;

/// Makes a folder with a program.
pub(crate) fn new(name: &str, form: ErrorForm) -> Status {
    let mut messages = Messages::new(form);
    match make(name) {
        Ok(path) => {
            let told = format!("{path} is there; `nesl run {path}` runs it\n");
            if crate::output::print(told.as_bytes()).is_err() {
                messages.fail();
            }
        }
        Err(error) => messages.error(&error, &Files::new()),
    }
    messages.close();
    messages.status
}

fn make(name: &str) -> Result<String, Diagnostic> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        let message = format!("`{name}` is no name for a program");
        return Err(
            Diagnostic::of(Code::Input, message).help("a name has letters, digits, `-` and `_`")
        );
    }
    let failed = |error: std::io::Error| {
        Diagnostic::of(Code::File, format!("{name} cannot be made: {error}"))
    };
    let target = Path::new(name);
    if target.symlink_metadata().is_ok() {
        let message = format!("{name} is there already");
        return Err(Diagnostic::of(Code::File, message).help("give the program another name"));
    }
    let names = Names::beside(target.as_os_str());
    let here = Path::new(".");
    whole::remove_leftovers(here, &names);
    let folder = Folder::new(here, &names, Access::Usual).map_err(failed)?;
    let file = folder.path().join(format!("{name}.nesl"));
    fs::write(file, PROGRAM.replace("NAME", name)).map_err(failed)?;
    folder.keep_as(target).map_err(failed)?;
    Ok(format!("{name}/{name}.nesl"))
}
