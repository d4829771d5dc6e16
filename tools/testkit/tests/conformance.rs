//! Conformance cases, cases that outsiders found, and whole programs, on every engine.
//!
//! A test is named `engine/topic/number` or `engine/programs/name`.  The reasons of all that do not
//! pass are written to `conformance.txt` among the target files, too.

#![allow(clippy::print_stdout, reason = "a test prints its table")]

use comfy_table::{Table, presets};
use libtest_mimic::{Arguments, Failed, Trial};
use prim::Widths;
use run::session::{EngineKind, Options};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use testkit::{Told, Verdict, case, corpus, on_session, program};

const ENGINES: [(&str, EngineKind); 2] = [("interp", EngineKind::Interp), ("cpu", EngineKind::Cpu)];

/// What came of the tests that were run.
type Results = Arc<Mutex<BTreeMap<Key, Verdict>>>;

/// Which test: place and name of the topic, engine, name within the topic.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    place: usize,
    topic: String,
    engine: &'static str,
    name: String,
}

/// Judges what was told.
type Judge = Arc<dyn Fn(&[Told]) -> Verdict + Send + Sync>;

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let results = Results::default();
    let mut trials = Vec::new();
    let mut topics: Vec<String> = Vec::new();
    let folders = folders()?;
    let cases = ["conformance", "outside"].map(|folder| case::read(&corpus(folder)));
    for case in cases.into_iter().collect::<std::io::Result<Vec<_>>>()?.concat() {
        if topics.last() != Some(&case.topic) {
            topics.push(case.topic.clone());
        }
        let (topic, name) = (case.topic.clone(), format!("{:03}", case.number));
        let place = topics.len();
        let texts = folders.each_ref().map(|folder| case.text_in(folder).into_bytes());
        let widths = case.widths.unwrap_or_default();
        let judge: Judge = Arc::new(move |told| case.judge(told));
        let key = |engine| Key { place, topic: topic.clone(), engine, name: name.clone() };
        trials.extend(on_engines(&key, widths, texts, &judge, &results));
    }
    for program in program::read(&corpus("programs"))? {
        let (name, texts) = (program.name.clone(), ENGINES.map(|_| program.text.clone()));
        let judge: Judge = Arc::new(move |told| program.judge(told));
        let (place, topic) = (usize::MAX, "programs".to_owned());
        let key = |engine| Key { place, topic: topic.clone(), engine, name: name.clone() };
        trials.extend(on_engines(&key, Widths::WIDE, texts, &judge, &results));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let results = results.lock().unwrap_or_else(PoisonError::into_inner);
    if !results.is_empty() {
        println!("{}", table(&results));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance.txt");
        fs::write(&path, reasons(&results))?;
        println!("reasons: {}\n", path.display());
    }
    conclusion.exit()
}

/// Folders for the files that cases write, one for each engine.
fn folders() -> std::io::Result<[PathBuf; ENGINES.len()]> {
    let folders = ENGINES.map(|(engine, _)| {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-{engine}"))
    });
    for folder in &folders {
        // What an earlier run left would hide that a case writes nothing.
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir(folder)?;
    }
    Ok(folders)
}

/// The tests of a case or program, one for each engine with its text.
fn on_engines(
    key: &dyn Fn(&'static str) -> Key,
    widths: Widths,
    texts: [Vec<u8>; ENGINES.len()],
    judge: &Judge,
    results: &Results,
) -> Vec<Trial> {
    let trial = |((engine, kind), text): ((&'static str, EngineKind), Vec<u8>)| {
        let key = key(engine);
        let (judge, results) = (Arc::clone(judge), Arc::clone(results));
        Trial::test(format!("{engine}/{}/{}", key.topic, key.name), move || {
            let verdict = match on_session(&Options { widths, ..options(kind) }, &text) {
                Ok(told) => judge(&told),
                Err(panic) => Verdict::Failed(panic),
            };
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(key, verdict.clone());
            match verdict {
                Verdict::Failed(reason) | Verdict::NotYet(reason) => {
                    Err(Failed::from(format!("{}\n{reason}", String::from_utf8_lossy(&text))))
                }
                Verdict::Passed => Ok(()),
            }
        })
    };
    ENGINES.into_iter().zip(texts).map(trial).collect()
}

/// Compiled programs are kept among the target files, and made quickly.
fn options(engine: EngineKind) -> Options {
    let mut options = Options::new(engine);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    options.cpu.threads = Some(2);
    options
}

/// For each topic and engine how many passed, failed, or are not possible yet.
fn table(results: &BTreeMap<Key, Verdict>) -> Table {
    let mut rows: BTreeMap<(usize, &str), [[usize; 3]; 2]> = BTreeMap::new();
    for (key, verdict) in results {
        let engine = usize::from(key.engine != ENGINES[0].0);
        let column = match verdict {
            Verdict::Passed => 0,
            Verdict::Failed(_) => 1,
            Verdict::NotYet(_) => 2,
        };
        let row = rows.entry((key.place, &key.topic)).or_default();
        row[engine][column] += 1;
    }
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let columns = ["passed", "failed", "not yet"];
    let heads = ENGINES.iter().flat_map(|(engine, _)| columns.map(|c| format!("{engine} {c}")));
    table.set_header(std::iter::once("topic".to_owned()).chain(heads));
    let mut sums = [[0; 3]; 2];
    for ((_, topic), row) in &rows {
        table.add_row(line(topic, row));
        for (sum, count) in sums.iter_mut().flatten().zip(row.iter().flatten()) {
            *sum += count;
        }
    }
    table.add_row(line("all", &sums));
    table
}

fn line(topic: &str, counts: &[[usize; 3]; 2]) -> Vec<String> {
    let counts = counts.iter().flatten().map(usize::to_string);
    std::iter::once(topic.to_owned()).chain(counts).collect()
}

/// A line for each test that did not pass.
fn reasons(results: &BTreeMap<Key, Verdict>) -> String {
    let mut text = String::new();
    for (Key { topic, engine, name, .. }, verdict) in results {
        let (word, reason) = match verdict {
            Verdict::Passed => continue,
            Verdict::Failed(reason) => ("failed", reason),
            Verdict::NotYet(reason) => ("not yet", reason),
        };
        let reason = reason.replace('\n', " ");
        let _ = writeln!(text, "{engine}/{topic}/{name}: {word}: {reason}");
    }
    text
}
