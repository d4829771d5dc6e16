//! The book: `docs/`, whose chapters `SUMMARY.md` lists, and the README.  Each block does what it
//! shows.  The word behind the fence says what it is:
//!
//! | block | what is done |
//! |---|---|
//! | `nesl` | a program; it runs without an error |
//! | `nesl-session` | forms behind `nesl> `, each with what is printed then, which is compared |
//! | `console` | commands behind `$ `, each with its output, which is compared |
//! | `c NAME`, `nesl NAME`, `python NAME`, `rust NAME` | a file that a later command uses |
//! | `text` | a picture, or a text that is not run; never what a command or a session prints |
//! | `nesl-example` | examples of the library, in `docs/library/`; `doc.rs` runs them |
//! | anything else | stands in [`NOT_RUN`] |
//!
//! The programs and sessions of a page are one session of the interpreter.  Its files and commands
//! have a folder of their own, from which `examples` is seen.
//!
//! `UPDATE_EXPECT=1` writes what is printed into the pages.  Pages of error codes have conventions
//! of their own (`explain.rs`).

#![expect(clippy::print_stdout, reason = "a test says what it leaves out")]

mod pages;

use ::run::Session;
use ::run::session::{EngineKind, Event, Options};
use pages::{Block, blocks, command, expect, folder, root};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Why a block is not run.
#[derive(Clone, Copy)]
enum Why {
    /// Names stand for what users have; the subcommands and options exist.
    Synopsis,
    /// It is tested elsewhere, or cannot be.
    Because(&'static str),
}

use Why::{Because, Synopsis};

/// Sessions and functions of Python, which need its package.
const PYTHON: Why = Because("embed/python/tests/test_docs.py runs it");

/// Blocks that are not run: page, first line, reason.
const NOT_RUN: &[(&str, &str, Why)] = &[
    ("README.md", "git clone", Because("installs a package")),
    ("README.md", ">>> import", PYTHON),
    ("README.md", "@nesl.function", PYTHON),
    ("README.md", ">>> smxv", PYTHON),
    ("README.md", "cargo build --release", Because("what users do first; tests build otherwise")),
    ("README.md", "nesl run FILE --entry f NAME=VALUE …", Synopsis),
    ("README.md", "cargo test --workspace", Because("this test is part of it")),
    ("docs/README.md", "cargo install mdbook", Because("installs a program")),
    ("docs/build.md", "nesl build linear.nesl --entry norms", Synopsis),
    ("docs/build.md", "cc -O2 -fopenmp -c linear.c", Because("nvcc needs CUDA; see testkit")),
    ("docs/build.md", "include(out/linear.cmake)", Because("CMake reads it")),
    ("docs/cost.md", "nesl cost FILE", Synopsis),
    ("docs/doc.md", "nesl doc ", Synopsis),
    ("docs/editors.md", "vim.filetype.add(", Because("settings of an editor")),
    ("docs/editors.md", "[language-server.nesl]", Because("settings of an editor")),
    ("docs/editors.md", "cd PATH/editors/tree-sitter-nesl", Because("writes into settings")),
    ("docs/editors.md", "vim.api.nvim_create_autocmd", Because("settings of an editor")),
    ("docs/editors.md", "[[grammar]]", Because("settings of an editor")),
    ("docs/rust.md", "use nesl::{Nested", Because("embed/nesl/src/lib.rs has it run by rustdoc")),
    ("docs/rust.md", "use ndarray::", Because("embed/nesl/src/lib.rs has it run by rustdoc")),
    ("docs/rust.md", "use arrow_array::", Because("embed/nesl/src/lib.rs has it run by rustdoc")),
    ("docs/rust.md", "[dependencies]", Because("cargo reads it")),
    (
        "docs/rust.md",
        "fn main() -> Result<(), nesl_b",
        Because("embed/build/tests/programs.rs runs it"),
    ),
    ("docs/rust.md", "use nesl_data::", Because("embed/build/tests/programs.rs runs it")),
    ("docs/embedding.md", "$ cc -Iembed", Because("embed/capi/tests/c.rs compiles and runs it")),
    ("docs/embedding.md", "nesl_fill zeros", Because("embed/capi/tests/forms.c calls it so")),
    ("docs/fmt.md", "nesl fmt FILE…", Synopsis),
    ("docs/jupyter.md", "pip install 'nesl[jupyter]'", Because("installs packages")),
    ("docs/jupyter.md", "%load_ext", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/jupyter.md", "%%nesl", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/jupyter.md", "assert sums(", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/jupyter.md", "import nesl.jupyter", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/jupyter.md", "import nesl\n", Because("embed/python/tests/test_pages.py runs it")),
    (
        "docs/jupyter.md",
        "program = nesl.compile(",
        Because("embed/python/tests/test_pages.py runs it"),
    ),
    ("docs/partitions.md", "import dask", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/partitions.md", "import pyarrow", Because("embed/python/tests/test_pages.py runs it")),
    ("docs/numbers.md", "nesl run --int 32 --float 32 FILE", Synopsis),
    ("docs/numbers.md", "nesl run --fast-math FILE", Synopsis),
    ("docs/python-functions.md", "import nesl", PYTHON),
    ("docs/python-functions.md", ">>> smxv", PYTHON),
    ("docs/python-functions.md", ">>> print", PYTHON),
    ("docs/python-functions.md", "@nesl.function\ndef norm", PYTHON),
    ("docs/python-functions.md", ">>> norm", PYTHON),
    ("docs/python-functions.md", "import math", PYTHON),
    ("docs/python-functions.md", ">>> primes", PYTHON),
    ("docs/python-functions.md", "@nesl.function\ndef pick", PYTHON),
    ("docs/python-functions.md", ">>> pick", PYTHON),
    ("docs/python-functions.md", "@nesl.function\ndef factorial", PYTHON),
    ("docs/python-functions.md", ">>> factorial", PYTHON),
    ("docs/python-functions.md", "@nesl.function\ndef collect", PYTHON),
    ("docs/python-functions.md", ">>> try", PYTHON),
    ("docs/python.md", "git clone", Because("installs a package")),
    ("docs/python.md", ">>> import nesl", PYTHON),
    ("docs/python.md", ">>> m.smxv", PYTHON),
    ("docs/python.md", ">>> p ", PYTHON),
    ("docs/python.md", ">>> p.id([", PYTHON),
    ("docs/python.md", ">>> y ", PYTHON),
    ("docs/python.md", ">>> import numpy", PYTHON),
    ("docs/python.md", ">>> a ", PYTHON),
    ("docs/python.md", ">>> s ", PYTHON),
    ("docs/python.md", ">>> v ", PYTHON),
    ("docs/python.md", ">>> p.id(pa", PYTHON),
    ("docs/python.md", ">>> firsts", PYTHON),
    ("docs/python.md", ">>> try", PYTHON),
    ("docs/python.md", ">>> import pickle", PYTHON),
    ("docs/python.md", "python embed", Because("takes minutes")),
    ("docs/quality.md", "cargo test -p nesl-testkit --test c", Because("other tests")),
    ("docs/quality.md", "cargo xtask original", Because("needs the sources of the original")),
    ("docs/quality.md", "cargo xtask fuzz", Because("takes an hour")),
    ("docs/quality.md", "cargo test -p nesl-testkit --test a", Because("other tests")),
    ("docs/quality.md", "cargo test -p nesl-testkit --test r", Because("other tests")),
    ("docs/quality.md", "cargo +nightly fuzz", Because("takes ten minutes")),
    ("docs/quality.md", "cargo test -p nesl-run", Because("other tests")),
    ("docs/quality.md", "cargo test -p nesl-cli", Because("other tests")),
    ("docs/repl.md", "error[N0801]", Because("somebody presses Ctrl-C; see repl.rs")),
    ("docs/how-it-works/fusion.md", "nesl run --dump plan --svg plan.svg FILE", Synopsis),
    ("docs/tour/running.md", "nesl run FILE --engine cuda", Because("needs a GPU")),
];

/// Programs that a command may need and a machine may lack.
const OPTIONAL: [&str; 2] = ["python3", "rustc"];

/// What is told of a block that is wrong.
fn at(name: &str, block: &Block<'_>) -> String {
    let first = block.text.lines().next().unwrap_or("");
    format!("{name}, under `{}`, the block that begins with `{first}`", block.heading)
}

/// The chapters of the book, from the root.
fn chapters() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let links = summary.lines().filter_map(|line| line.split_once("](")?.1.split_once(')'));
    links.map(|(target, _)| format!("docs/{target}")).collect()
}

/// Files of Markdown below a folder of the root.
fn documents(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if root().join(&path).is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|it| it == "md") {
            found.push(path.to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn every_document_is_a_chapter_once() {
    let mut found = Vec::new();
    documents(Path::new("docs"), &mut found);
    let chapters = chapters();
    for path in found.iter().filter(|path| *path != "docs/SUMMARY.md") {
        let count = chapters.iter().filter(|chapter| *chapter == path).count();
        assert_eq!(count, 1, "lines of docs/SUMMARY.md for {path}");
    }
    for path in chapters {
        assert!(found.contains(&path), "there is no {path}");
    }
}

/// The text outside of blocks, without line ends.
fn prose(page: &str) -> String {
    let mut inside = false;
    let lines = page.lines().filter(|line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.map(|line| format!("{line} ")).collect()
}

#[test]
fn links_of_the_book_stay_in_the_book() {
    let chapters = chapters();
    for name in &chapters {
        let page = fs::read_to_string(root().join(name)).unwrap();
        let text = prose(&page);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|it| !it.contains("://") && !it.starts_with('#')) {
            let path = root().join(name).parent().unwrap().join(target.split('#').next().unwrap());
            let path = path.canonicalize().unwrap_or_else(|_| panic!("{name}: no {target}"));
            let inside = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            let shown = inside.ends_with(".svg") || chapters.contains(&inside);
            assert!(shown, "{name}: {target} is no chapter");
        }
    }
}

#[test]
fn the_page_of_a_folder_has_both_its_names() {
    let settings = fs::read_to_string(root().join("docs/book.toml")).unwrap();
    for page in chapters().iter().filter_map(|it| it.strip_suffix("README.md")) {
        let page = page.strip_prefix("docs").unwrap();
        let redirect = format!("\"{page}README.html\" = \"index.html\"");
        assert!(settings.contains(&redirect), "docs/book.toml lacks {redirect}");
    }
}

/// What `nesl help` says, by subcommand.
#[derive(Default)]
struct Help(BTreeMap<String, String>);

impl Help {
    /// Whether a command line names a subcommand and options that exist; what is wrong, if not.
    fn complaint(&mut self, line: &str) -> Option<String> {
        let line = line.split(" #").next().unwrap().split('|').next().unwrap();
        let mut words = line.split_whitespace().skip_while(|word| *word != "nesl").skip(1);
        let subcommand = words.next().filter(|it| it.starts_with(char::is_alphanumeric))?;
        let help = self.0.entry(subcommand.to_owned()).or_insert_with(|| {
            let output = command(&root(), "nesl", &["help", subcommand]).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        if !help.contains(&format!("nesl {subcommand}")) {
            return Some(format!("`{line}`: there is no `nesl {subcommand}`"));
        }
        let options = words.filter(|word| word.starts_with("--"));
        let mut names = options.map(|word| word.split('=').next().unwrap_or(word));
        let known = |name: &str| {
            help.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name)
        };
        let unknown = names.find(|name| name.len() > 2 && !known(name))?;
        Some(format!("`{line}`: `nesl {subcommand}` has no `{unknown}`"))
    }
}

#[test]
fn commands_in_the_text_exist() {
    let mut help = Help::default();
    let mut complaints = Vec::new();
    let mut seen = 0;
    // The roadmap names commands that are not there yet.
    let present = |name: &&str| *name != "docs/roadmap.md";
    for name in chapters().iter().map(String::as_str).chain(["README.md"]).filter(present) {
        let page = fs::read_to_string(root().join(name)).unwrap();
        let text = prose(&page);
        let spans = text.split('`').skip(1).step_by(2).filter(|span| span.starts_with("nesl "));
        let not_run = blocks(&page).into_iter().filter(|block| {
            let listed = listed(name, block).map(|(_, _, why)| why);
            matches!(listed, Some(Synopsis))
        });
        let lines = not_run.flat_map(|block| block.text.lines());
        for line in spans.chain(lines) {
            seen += 1;
            complaints.extend(help.complaint(line).map(|said| format!("{name}: {said}")));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(seen > 50, "{seen}");
}

/// The entry of a block among those that are not run.
fn listed(name: &str, block: &Block<'_>) -> Option<&'static (&'static str, &'static str, Why)> {
    NOT_RUN.iter().find(|(page, first, _)| *page == name && block.text.starts_with(first))
}

#[test]
fn what_is_not_run_is_there() {
    for (name, first, why) in NOT_RUN {
        let page = fs::read_to_string(root().join(name)).unwrap();
        let mut found = blocks(&page);
        found.retain(|block| block.text.starts_with(first));
        assert_eq!(found.len(), 1, "{name}: blocks that begin with `{first}`");
        let info = found[0].info;
        let (needed, reason) = match why {
            Synopsis => (info == "sh", "it is a synopsis"),
            Because(reason) => (
                ["sh", "lua", "toml", "cmake", "c", "rust", "rust,ignore", "python", "ipython"]
                    .contains(&info)
                    || shows_output(found[0].text),
                *reason,
            ),
        };
        assert!(needed, "{name}: `{first}` can be run, and is not, because {reason}");
    }
}

/// Whether a text looks like commands, a session, or messages.
fn shows_output(text: &str) -> bool {
    let marks = ["$ ", "nesl> ", "error[N", "limit[N"];
    text.lines().any(|line| marks.iter().any(|mark| line.starts_with(mark)))
}

/// What programs print.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The session of a page.
struct Interpreter {
    session: Session,
    printed: Printed,
    /// How many texts it was given.
    inputs: usize,
}

impl Interpreter {
    fn new() -> Interpreter {
        let printed = Printed::default();
        let session = Session::new(&Options::new(EngineKind::Interp), Box::new(printed.clone()));
        let Ok(session) = session else { panic!("no session") };
        Interpreter { session, printed, inputs: 0 }
    }

    /// What a text prints as a group of its own, and whether all its forms succeeded.
    fn run(&mut self, text: &str) -> (String, bool) {
        self.inputs += 1;
        let printed = self.printed.clone();
        let mut right = true;
        let _ = self.session.run(
            &format!("<input {}>", self.inputs),
            text.as_bytes(),
            &mut |files, event| {
                let line = match event {
                    Event::Shown { name, value, ty, .. } => {
                        format!("{name} = {} : {ty}\n", String::from_utf8(value).unwrap())
                    }
                    Event::Said(text) => text + "\n",
                    Event::Warning(warning) => warning.short(files) + "\n",
                    Event::Failed(errors) => {
                        right = false;
                        errors.iter().map(|error| error.render(files, false) + "\n\n").collect()
                    }
                };
                printed.clone().write_all(line.as_bytes()).unwrap();
            },
        );
        let all = std::mem::take(&mut *self.printed.0.lock().unwrap());
        (String::from_utf8(all).unwrap(), right)
    }

    /// Types the forms of a block; gives it with what they print.
    fn session(&mut self, block: &str) -> String {
        let start = block.strip_prefix("nesl> ").expect("a session begins with `nesl> `");
        let mut shown = String::new();
        for input in start.split("\nnesl> ") {
            let lines: Vec<&str> = input.lines().collect();
            let more = lines.iter().skip(1).take_while(|line| line.starts_with("  ")).count();
            let typed = lines[..=more].join("\n");
            let (printed, _) = self.run(&typed);
            shown += &format!("nesl> {typed}\n{}", plain(&printed));
        }
        shown
    }
}

/// Text without blanks at the ends of its lines, and without empty lines at its end.
fn plain(text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let bare = lines.trim_end();
    if bare.is_empty() { String::new() } else { format!("{bare}\n") }
}

/// Runs the commands of a block; gives it with their output.
fn console(folder: &Path, block: &str, what: &str) -> String {
    let start = block.strip_prefix("$ ").unwrap_or_else(|| panic!("{what} has no `$ `"));
    let mut shown = String::new();
    for part in start.trim_end().split("\n$ ") {
        let mut lines = part.lines();
        let mut line = lines.next().unwrap_or("").to_owned();
        while line.ends_with('\\') {
            line += "\n";
            line += lines.next().unwrap_or_else(|| panic!("{what} ends too early"));
        }
        let expected: String = lines.map(|line| format!("{line}\n")).collect();
        let lacking = OPTIONAL.iter().find(|it| line.contains(**it) && !exists(folder, it));
        let output = match lacking {
            Some(program) => {
                println!("{what} is not run: there is no {program}");
                expected
            }
            None => {
                let script = format!("exec 2>&1\n{line}");
                let output = command(folder, "sh", &["-c", &script]).output().unwrap();
                let text = plain(&String::from_utf8(output.stdout).unwrap());
                let told = text.contains("error[N") || text.contains("limit[N");
                assert!(output.status.success() != told, "{what}: `{line}`:\n{text}");
                text
            }
        };
        shown += &format!("$ {line}\n{output}");
    }
    shown
}

fn exists(folder: &Path, program: &str) -> bool {
    command(folder, program, &["--version"]).output().is_ok()
}

/// Runs the blocks of a page; gives the page with what they print.
fn checked(name: &str, page: &str, folder: &Path) -> String {
    let (mut updated, mut behind) = (String::new(), 0);
    let mut session: Option<Interpreter> = None;
    let all = blocks(page);
    for (n, block) in all.iter().enumerate() {
        let what = at(name, block);
        if listed(name, block).is_some() {
            continue;
        }
        let (language, file) = block.info.split_once(' ').unwrap_or((block.info, ""));
        if !file.is_empty() {
            let uses = |later: &Block<'_>| later.info == "console" && later.text.contains(file);
            assert!(all[n..].iter().any(uses), "{what}: no command uses {file}");
            fs::write(folder.join(file), block.text).unwrap();
        }
        let shown = match (language, file) {
            ("nesl", _) => {
                let (printed, right) = session.get_or_insert_with(Interpreter::new).run(block.text);
                assert!(right, "{what}:\n{printed}");
                continue;
            }
            ("nesl-session", "") => {
                session.get_or_insert_with(Interpreter::new).session(block.text)
            }
            ("console", "") => console(folder, block.text, &what),
            ("nesl-example", "") if name.starts_with("docs/library/") => continue,
            ("c" | "python" | "rust", file) if !file.is_empty() => continue,
            ("text", "") => {
                assert!(!shows_output(block.text), "{what} shows what is not compared");
                continue;
            }
            _ => panic!("{what} has the language `{}` and is not listed", block.info),
        };
        updated += &page[behind..block.place.start];
        updated += &shown;
        behind = block.place.end;
    }
    updated + &page[behind..]
}

#[test]
fn blocks_show_what_happens() {
    let book = chapters();
    let own = |name: &&str| !name.starts_with("docs/errors/N");
    let mut count = 0;
    for name in book.iter().map(String::as_str).chain(["README.md"]).filter(own) {
        let file: PathBuf = root().join(name);
        let page = fs::read_to_string(&file).unwrap();
        count += blocks(&page).len();
        let folder = folder(&name.replace('/', "-"));
        #[cfg(unix)]
        std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).unwrap();
        expect(&file, &page, &checked(name, &page, &folder));
    }
    assert!(count > 60, "{count}");
}
