//! The programs of `examples/`, called as their `cases.txt` say (`examples/README.md`).

use crate::Verdict;
use crate::case::unexpected;
use crate::compare::same_value;
use crate::library;
use base::{Diagnostic, Files};
use emit::host::Standalone;
use run::Session;
use run::session::{BuildOptions, Call, Event, Given, Options, Platform, Wanted};
use std::path::{Path, PathBuf};
use std::{fs, io};
use value::print::Style;

/// A call of a function of a program.
#[derive(Clone, Debug)]
pub struct Example {
    /// The program's name, and the number of the case.
    pub name: String,
    program: PathBuf,
    function: String,
    given: Vec<Given>,
    out: String,
}

/// All cases of all examples, in order.
pub fn read(folder: &Path) -> io::Result<Vec<Example>> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        folders.push(entry?.path());
    }
    folders.retain(|path| path.join("cases.txt").is_file());
    folders.sort();
    let mut examples = Vec::new();
    for folder in folders {
        let text = fs::read_to_string(folder.join("cases.txt"))?;
        for (number, block) in text.split("\n\n").enumerate() {
            examples.extend(parse(&folder, number + 1, block));
        }
    }
    Ok(examples)
}

fn parse(folder: &Path, number: usize, block: &str) -> Option<Example> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    let program = folder.file_name()?.to_string_lossy().into_owned();
    let mut words = field("entry: ")?.split_whitespace();
    let function = words.next()?.to_owned();
    let given = words.filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        let path = folder.join(value);
        Some(if path.is_file() { Given::file(name, path) } else { Given::literal(name, value) })
    });
    Some(Example {
        given: given.collect(),
        function,
        out: field("out: ")?.to_owned(),
        name: format!("{program}/{number}"),
        program: folder.join(program).with_extension("nesl"),
    })
}

impl Example {
    /// The program's own name.
    pub fn stem(&self) -> String {
        self.program.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
    }

    /// The library of the function, with a program that makes the call.
    pub fn library(&self, platform: Platform) -> Result<Standalone, String> {
        let wanted = vec![Wanted { name: self.function.clone(), ty: None }];
        let given = self.given.clone();
        library::build(&self.program, &BuildOptions { platform, wanted, main: true, given })
    }

    /// Whether this is what comes out.
    pub fn expects(&self, found: &str) -> Result<(), String> {
        if same_value(found, &self.out) {
            Ok(())
        } else {
            Err(format!("{found} instead of {}", self.out))
        }
    }

    /// Makes the call and compares the result.
    pub fn judge(&self, options: &Options) -> Verdict {
        match self.call(options) {
            Ok(found) if same_value(&found, &self.out) => Verdict::Passed,
            Ok(found) => Verdict::Failed(format!("{found} instead of {}", self.out)),
            Err((errors, files)) => {
                let text: Vec<String> = errors.iter().map(|e| e.short(&files)).collect();
                unexpected(&errors, &text.join("; "))
            }
        }
    }

    /// The result at full length.
    fn call(&self, options: &Options) -> Result<String, (Vec<Diagnostic>, Files)> {
        let session = Session::new(options, Box::new(io::sink()));
        let mut session = session.map_err(|error| (vec![error], Files::new()))?;
        let answer = self
            .prepare(&mut session)
            .and_then(|call| Ok((session.call(&call).map_err(|error| vec![error])?, call.shape)));
        match answer {
            Ok((answer, shape)) => {
                Ok(String::from_utf8_lossy(&answer.show(&shape, Style::FULL)).into_owned())
            }
            Err(errors) => Err((errors, session.files)),
        }
    }

    /// Makes the call ready in a session where only the library is known.
    pub fn prepare(&self, session: &mut Session) -> Result<Call, Vec<Diagnostic>> {
        let name = self.program.display().to_string();
        let text = fs::read(&self.program).map_err(|error| {
            vec![Diagnostic::new(base::Kind::Input, format!("{name}: {error}"))]
        })?;
        let mut errors = Vec::new();
        let _ = session.run(&name, &text, &mut |_, event| {
            if let Event::Failed(reasons) = event {
                errors.extend(reasons);
            }
        });
        if errors.is_empty() {
            session.prepare_call(&self.function, &self.given)
        } else {
            Err(errors)
        }
    }
}
