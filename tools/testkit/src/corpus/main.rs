//! Runs the cases of all corpora on one engine, and tells which do not pass.
//!
//! ```text
//! nesl-corpus --engine cuda --root . --together 8
//! ```
//!
//! What is expected is what numbers of 64 bits give: with others, cases are compared with the
//! interpreter, and examples of calls are left out.
//!
//! Needs no Rust on the machine: what it runs is read from the folders of the repository.  Topics
//! run in processes of their own, so that one whose device breaks leaves the others alone.

#![allow(clippy::print_stdout, reason = "a program prints its table")]

use clap::{Parser, ValueEnum};
use prim::{Width, Widths};
use run::session::{EngineKind, Options};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use testkit::{Verdict, agreement, case, example, on_session, program};

/// Runs the cases of all corpora on one engine.
#[derive(Parser, Debug)]
struct Arguments {
    /// What evaluates
    #[arg(long, value_enum, default_value_t = Engine::Cuda)]
    engine: Engine,
    /// Bits of an int
    #[arg(long, default_value_t = Width::W64)]
    int: Width,
    /// Bits of a float
    #[arg(long, default_value_t = Width::W64)]
    float: Width,
    /// Where the repository is
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// How many topics run at once
    #[arg(long, default_value_t = 8)]
    together: usize,
    /// Run this topic alone, here
    #[arg(long)]
    topic: Option<String>,
}

/// What evaluates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Engine {
    /// The reference.
    Interp,
    /// The cores of this machine.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// Cases by topic: the name of each, and how it is judged.
type Topics = BTreeMap<String, Vec<(String, Judge)>>;
type Judge = Box<dyn Fn(&Options) -> Verdict>;

impl Arguments {
    fn widths(&self) -> Widths {
        Widths { int: self.int, float: self.float }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.topic {
        Some(topic) => one(&arguments, topic),
        None => all(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Cases that compare a sum with a number to more digits than narrow floats have: what they say
/// depends on how the sum was associated.
const FINE: [(&str, usize); 1] = [("floats", 27)];

fn topics(root: &Path) -> io::Result<Topics> {
    let mut topics = Topics::new();
    let cases = ["tests/conformance", "tests/outside"].map(|folder| case::read(&root.join(folder)));
    for case in cases.into_iter().collect::<io::Result<Vec<_>>>()?.concat() {
        let (topic, name) = (case.topic.clone(), format!("{:03}", case.number));
        let text = case.text().into_bytes();
        let fine = FINE.contains(&(topic.as_str(), case.number));
        let judge: Judge = Box::new(move |options| match (options.widths, case.widths) {
            (Widths::WIDE, Some(widths)) => {
                told_on(&Options { widths, ..options.clone() }, &text, |told| case.judge(told))
            }
            (Widths { float: Width::W32, .. }, _) if fine => {
                Verdict::NotYet("its floats are of 64 bits".to_owned())
            }
            _ => on_text(options, &text, |told| case.judge(told)),
        });
        topics.entry(topic).or_default().push((name, judge));
    }
    for program in program::read(&root.join("tests/programs"))? {
        let (name, text) = (program.name.clone(), program.text.clone());
        let judge: Judge =
            Box::new(move |options| on_text(options, &text, |told| program.judge(told)));
        topics.entry(format!("program-{name}")).or_default().push((name, judge));
    }
    for example in example::read(&root.join("examples"))? {
        let name = example.name.clone();
        let topic = format!("example-{}", name.split('/').next().unwrap_or_default());
        let judge: Judge = Box::new(move |options| match options.widths {
            Widths::WIDE => example.judge(options),
            _ => Verdict::NotYet("its files are of 64 bits".to_owned()),
        });
        topics.entry(topic).or_default().push((name, judge));
    }
    Ok(topics)
}

fn on_text(options: &Options, text: &[u8], judge: impl Fn(&[testkit::Told]) -> Verdict) -> Verdict {
    if options.widths != Widths::WIDE {
        return agreement(options, text);
    }
    told_on(options, text, judge)
}

fn told_on(options: &Options, text: &[u8], judge: impl Fn(&[testkit::Told]) -> Verdict) -> Verdict {
    match on_session(options, text) {
        Ok(told) => judge(&told),
        Err(panic) => Verdict::Failed(panic),
    }
}

/// Runs a topic and prints a line for each case that does not pass, then the counts.
fn one(arguments: &Arguments, topic: &str) -> io::Result<bool> {
    let mut options = Options::new(match arguments.engine {
        Engine::Interp => EngineKind::Interp,
        Engine::Cpu => EngineKind::Cpu,
        Engine::Cuda => EngineKind::Cuda,
    });
    options.widths = arguments.widths();
    options.cuda.tiny = true;
    options.cpu.tiny = true;
    let mut counts = [0; 3];
    for (name, judge) in topics(&arguments.root)?.remove(topic).unwrap_or_default() {
        let (column, reason) = match judge(&options) {
            Verdict::Passed => (0, None),
            Verdict::Failed(reason) => (1, Some(("failed", reason))),
            Verdict::NotYet(reason) => (2, Some(("not yet", reason))),
        };
        counts[column] += 1;
        if let Some((word, reason)) = reason {
            println!("{topic}/{name}: {word}: {}", reason.replace('\n', " | "));
        }
    }
    println!("counts {} {} {}", counts[0], counts[1], counts[2]);
    Ok(counts[1] == 0)
}

/// Runs all topics in processes of their own.
fn all(arguments: &Arguments) -> io::Result<bool> {
    let mut waiting: Vec<String> = topics(&arguments.root)?.into_keys().rev().collect();
    let mut running: Vec<(String, Child)> = Vec::new();
    let (mut sums, mut rows, mut reasons) = ([0_usize; 3], Vec::new(), String::new());
    while !(waiting.is_empty() && running.is_empty()) {
        while running.len() < arguments.together.max(1)
            && let Some(topic) = waiting.pop()
        {
            let child = start(arguments, &topic)?;
            running.push((topic, child));
        }
        let (topic, child) = running.remove(0);
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut counts = None;
        for line in text.lines() {
            match line.strip_prefix("counts ") {
                Some(list) => {
                    let numbers = list.split(' ').filter_map(|n| n.parse().ok());
                    counts = Some(numbers.collect::<Vec<usize>>());
                }
                None => reasons += &format!("{line}\n"),
            }
        }
        let counts = counts.unwrap_or_else(|| {
            reasons += &format!("{topic}: the process ended with {}\n", output.status);
            vec![0, 1, 0]
        });
        sums.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
        rows.push((topic, counts));
    }
    print!("{reasons}");
    for (topic, counts) in rows {
        println!(
            "{topic:24} {:5} passed {:3} failed {:3} not yet",
            counts[0], counts[1], counts[2]
        );
    }
    println!("{:24} {:5} passed {:3} failed {:3} not yet", "all", sums[0], sums[1], sums[2]);
    Ok(sums[1] == 0)
}

fn start(arguments: &Arguments, topic: &str) -> io::Result<Child> {
    let engine = arguments.engine.to_possible_value();
    let engine = engine.map_or(String::new(), |value| value.get_name().to_owned());
    Command::new(std::env::current_exe()?)
        .args(["--engine", &engine, "--topic", topic, "--root"])
        .arg(&arguments.root)
        .args(["--int", &arguments.int.to_string(), "--float", &arguments.float.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
