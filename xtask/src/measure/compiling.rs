//! What compiling takes, with an empty cache: the examples, and programs of 2,000 bulk operations
//! as other programs write them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::page::time;
use super::{median, sections};
use crate::nesl::{self, Call};
use crate::random::bits;
use crate::root;

/// How to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often each program is compiled
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The command to measure
    #[arg(long, default_value = nesl::PLACE)]
    nesl: PathBuf,
    /// Show the table only
    #[arg(long)]
    dry: bool,
}

/// Bulk operations of a generated program.
const OPERATIONS: usize = 2000;

/// A program, and a call of it on little data.
struct Program {
    name: String,
    call: Call,
}

/// Measures, and writes the table.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let folder = root().join("data/compiling");
    fs::create_dir_all(&folder)?;
    let mut programs = examples()?;
    programs.extend(generated(&folder)?);
    let mut table = String::new();
    for program in &programs {
        let row = measure(program, options, &folder)?;
        print!("{row}");
        table += &row;
    }
    if options.dry {
        return Ok(());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    sections::put(
        "compiling",
        &format!(
            "## Compiling\n\n\
             Written by `cargo xtask measure compiling`, on {cores} cores: medians of {}, with an \
             empty cache. Passes are all that the compiler\ndoes itself; the rest is the C \
             compiler. The last programs are generated, of {OPERATIONS} bulk operations each: two \
             chains of which\neach operation takes what the one before gives, with numbers of \
             its own, and three in which what is done with which of\nthe last twelve vectors is \
             random. The aims are 150 ms for the passes of an example, and 3 s for a generated \
             program.\n\n\
             | program | kernels | passes, ms | in all, ms |\n|---|---|---|---|\n{table}",
            options.rounds
        ),
    )
}

/// One row of the table.
fn measure(program: &Program, options: &Options, folder: &Path) -> anyhow::Result<String> {
    let (mut passes, mut all, mut kernels) = (Vec::new(), Vec::new(), 0);
    for round in 0..options.rounds.max(1) {
        let cache = folder.join(format!("cache-{}-{round}", std::process::id()));
        let stats = Call { cache: Some(cache.clone()), ..program.call.clone() }.run(&options.nesl);
        if cache.exists() {
            fs::remove_dir_all(&cache)?;
        }
        match stats? {
            Ok(stats) => {
                passes.push(stats.passes);
                all.push(stats.compiling);
                kernels = stats.compiled;
            }
            Err(message) => bail!("{}: {message}", program.name),
        }
    }
    let of = |times| median(times).map_or_else(String::new, time);
    Ok(format!("| {} | {kernels} | {} | {} |\n", program.name, of(passes), of(all)))
}

/// A call of a function of a program.
fn call(program: PathBuf, entry: &str, arguments: Vec<String>) -> Call {
    Call {
        program,
        entry: entry.to_owned(),
        arguments,
        repeat: 1,
        output: None,
        cache: None,
        fusion: None,
        narrow: false,
    }
}

/// Each example with the first of its cases.
fn examples() -> anyhow::Result<Vec<Program>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("examples"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    folders.retain(|folder| folder.join("cases.txt").exists());
    folders.sort();
    let example = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cases = fs::read_to_string(folder.join("cases.txt"))?;
        let entry = cases.lines().find_map(|line| line.strip_prefix("entry: "));
        let mut words = entry.context("a case has an entry")?.split_whitespace();
        let function = words.next().unwrap_or_default();
        let argument = |word: &str| match word.split_once('=') {
            Some((name, value)) if folder.join(value).exists() => {
                format!("{name}={}", folder.join(value).display())
            }
            _ => word.to_owned(),
        };
        let program = folder.join(format!("{name}.nesl"));
        Ok(Program { name, call: call(program, function, words.map(argument).collect()) })
    };
    folders.iter().map(example).collect()
}

/// Programs of many operations.
fn generated(folder: &Path) -> anyhow::Result<Vec<Program>> {
    let random = |seed| (format!("random operations, {seed}"), random(seed));
    let chains = [("chain of scans, filters and maps", SCANS), ("chain of look-ups", LOOK_UPS)];
    let chains = chains.map(|(name, operations)| (name.to_owned(), chain(&operations)));
    let programs = chains.into_iter().chain([1, 2, 3].map(random)).enumerate();
    let written = |(number, (name, text)): (usize, (String, String))| {
        let program = folder.join(format!("generated{number}.nesl"));
        fs::write(&program, text)?;
        let numbers = (0..100).map(|i| (bits(i) % 1000).to_string()).collect::<Vec<_>>().join(",");
        Ok(Program { name, call: call(program, "steps", vec![format!("a=[{numbers}]")]) })
    };
    programs.map(written).collect()
}

/// An operation of a chain: what it does with the vector before it, by its own number.
type Operation = fn(&str, usize) -> String;

const SCANS: [Operation; 4] = [
    |v, _| format!("plus_scan({v})"),
    |v, n| format!("{{x + {n} : x in {v}}}"),
    |v, n| format!("{{x in {v} | x /= {n}}}"),
    |v, n| format!("{{max(x, {n}) * 3 : x in {v}}}"),
];

const LOOK_UPS: [Operation; 4] = [
    |v, n| format!("{{{v}[rem(x + {n}, #{v})] : x in {v}}}"),
    |v, _| format!("plus_scan({v})"),
    |v, _| format!("{{rem(abs(x), 1009) : x in {v}}}"),
    |v, n| format!("{{if x > {n} then x - {n} else x + 1 : x in {v}}}"),
];

/// A program in which each operation takes what the one before gives.
fn chain(operations: &[Operation]) -> String {
    let mut text = "function steps(a) : [int] -> [int] =\n  let v0 = a".to_owned();
    for n in 0..OPERATIONS {
        let operation = operations[n % operations.len()](&format!("v{n}"), n);
        // Writing to a string cannot fail.
        let _ = write!(text, ";\n      v{} = {operation}", n + 1);
    }
    text + &format!("\n  in v{OPERATIONS};\n")
}

/// A program whose operations take some of the last twelve vectors, and sums of others.
fn random(seed: u64) -> String {
    let mut dice = Dice { seed: bits(seed), thrown: 0 };
    let mut text = "function steps(a) : [int] -> ([int], [int], [int]) =\n  let ".to_owned();
    let (mut vectors, mut sums) = (vec!["a".to_owned()], vec!["#a".to_owned()]);
    for n in 0..OPERATIONS {
        let (v, w) = (dice.late(&vectors, 12), dice.late(&vectors, 12));
        let sum = dice.late(&sums, 8);
        let kind = dice.throw(8);
        let operation = match kind {
            0..=2 => format!("{{{} : x in {v}; y in {w}}}", dice.value(&["x", "y"], 0)),
            3 => format!("plus_scan({v})"),
            4 => format!("max_scan({v})"),
            5 => format!("reverse({v})"),
            6 => {
                let value = dice.value(&["x"], 0);
                format!("sum({{{value} : x in {v} | x > {}}})", dice.throw(1000))
            }
            _ => format!("{{{} + {sum} : x in {v}}}", dice.value(&["x"], 0)),
        };
        let _ = writeln!(text, "v{n} = {operation};");
        (if kind == 6 { &mut sums } else { &mut vectors }).push(format!("v{n}"));
    }
    let last = &vectors[vectors.len() - 2..];
    text + &format!("sums = [{}]\n  in ({}, sums);\n", sums.join(", "), last.join(", "))
}

/// Random choices that depend on a seed only.
struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    /// One of so many numbers from 0 on.
    fn throw(&mut self, sides: u64) -> u64 {
        self.thrown += 1;
        bits(self.seed ^ self.thrown) % sides
    }
    /// One of the last few.
    fn late(&mut self, all: &[String], few: usize) -> String {
        let last = &all[all.len().saturating_sub(few)..];
        last[self.throw(last.len() as u64) as usize].clone()
    }
    /// An expression of an int.
    fn value(&mut self, names: &[&str], depth: usize) -> String {
        let kind = self.throw(if depth < 2 { 7 } else { 3 });
        let (a, b) = match kind {
            3.. => (self.value(names, depth + 1), self.value(names, depth + 1)),
            _ => Default::default(),
        };
        match kind {
            0 | 1 => names[self.throw(names.len() as u64) as usize].to_owned(),
            2 => self.throw(1000).to_string(),
            3 | 4 => format!("({a} {} {b})", ["+", "-", "*"][self.throw(3) as usize]),
            5 => format!("{}({a}, {b})", ["max", "min"][self.throw(2) as usize]),
            _ => {
                let (c, d) = (self.value(names, depth + 1), self.value(names, depth + 1));
                format!("(if {a} > {b} then {c} else {d})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_programs_have_so_many_operations() {
        for text in [chain(&SCANS), chain(&LOOK_UPS), random(1)] {
            // A scan is one, and so is what has a generator.
            let operation = |line: &&str| {
                line.contains(" in ") && line.contains('{')
                    || line.contains("reverse(")
                    || line.contains("_scan(")
            };
            assert_eq!(text.lines().filter(operation).count(), OPERATIONS, "{text}");
        }
        assert_ne!(random(1), random(2));
    }

    #[test]
    fn examples_are_called_as_in_their_first_case() {
        let examples = examples().unwrap();
        let primes = examples.iter().find(|example| example.name == "primes").unwrap();
        assert_eq!(
            (primes.call.entry.as_str(), primes.call.arguments.as_slice()),
            ("primes", &["n=100".to_owned()][..])
        );
        let sort = examples.iter().find(|example| example.name == "quicksort").unwrap();
        assert!(sort.call.arguments[0].ends_with("examples/quicksort/a.txt"));
    }
}
