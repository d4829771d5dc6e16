//! Measures the respelling suite.
//!
//! ```text
//! nesl-respelled quicksort          times of its spellings on cores, by turns
//! nesl-respelled --plans quicksort  figures of their plans, and what misses the best
//! nesl-respelled --bless            writes the table of figures that are known
//! ```

#![allow(clippy::print_stdout, reason = "a program prints its table")]

use clap::Parser;
use std::fs;
use std::process::ExitCode;
use testkit::respelled::{Family, MACHINES, Spelling, families, interpreted, known, times};

/// Measures the spellings of the suite beside each other.
#[derive(Parser, Debug)]
struct Arguments {
    /// Families; all if none is named
    names: Vec<String>,
    /// Figures of plans in place of times
    #[arg(long)]
    plans: bool,
    /// How often spellings take turns for times
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Writes the figures of plans to the table of what is known
    #[arg(long)]
    bless: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut all = families().map_err(|error| error.to_string())?;
    all.retain(|family| arguments.names.is_empty() || arguments.names.contains(&family.name));
    if arguments.plans || arguments.bless {
        return plans(&all, arguments.bless);
    }
    let shown: Vec<bool> = all.iter().map(|family| shown(family, arguments.rounds)).collect();
    Ok(!shown.contains(&false))
}

/// Prints times of a family on cores; tells whether all spellings have one.
fn shown(family: &Family, rounds: usize) -> bool {
    let times = times(family, rounds);
    let found = times.iter().filter_map(|it| it.1.as_ref().ok());
    let best = found.copied().fold(f64::INFINITY, f64::min);
    println!("{} on cores: median of {rounds}, and beside the best", family.name);
    for (name, time) in &times {
        match time {
            Ok(time) => println!("  {name:20}{:10.2} ms {:8.2}", time * 1e3, time / best),
            Err(error) => println!("  {name:20}{error}"),
        }
    }
    times.iter().all(|it| it.1.is_ok())
}

/// Prints the work of each spelling beside the least.
fn works(family: &Family) {
    let work = |spelling: &Spelling| interpreted(&spelling.program).map_or(0, |it| it.1);
    let works: Vec<u64> = family.spellings.iter().map(work).collect();
    let least = works.iter().copied().min().unwrap_or(0).max(1);
    let shown = family.spellings.iter().zip(&works);
    let shown = shown.map(|(it, &work)| format!("{} {:.2}", it.name, work as f64 / least as f64));
    println!("{}: work {}", family.name, shown.collect::<Vec<_>>().join(", "));
}

/// Prints figures of plans; tells whether they are as good as those that are known.
fn plans(families: &[Family], bless: bool) -> Result<bool, String> {
    let mut table = match known::Known::read() {
        Err(error) if !bless => return Err(error.to_string()),
        table => table.unwrap_or_default(),
    };
    let mut good = true;
    for family in families {
        works(family);
        for machine in MACHINES {
            println!("{} on {machine}: launches, waits, touched, peak, calls", family.name);
            let mut found = Vec::new();
            for spelling in &family.spellings {
                match spelling.measure(machine) {
                    Ok(measured) => found.push((spelling.name.clone(), measured.figures)),
                    Err(error) => {
                        println!("  {}: {error}", spelling.name);
                        good = false;
                    }
                }
            }
            let best = known::best(&found).map(|it| it.1).unwrap_or_default();
            found.iter().for_each(|(name, it)| println!("{}", known::line(name, it, &best)));
            if bless {
                table.learn(&family.name, machine, &found);
                continue;
            }
            for (name, figures) in &found {
                for complaint in table.judge((&family.name, machine), name, figures) {
                    println!("  {complaint}");
                    good = false;
                }
            }
        }
    }
    if bless {
        fs::write(known::file(), table.show()).map_err(|error| error.to_string())?;
    }
    Ok(good)
}
