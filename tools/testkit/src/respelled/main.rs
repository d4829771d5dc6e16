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
use testkit::respelled::{Family, MACHINES, Spelling, families, interpreted, known, measure};

/// Measures the spellings of the suite beside each other.
#[derive(Parser, Debug)]
struct Arguments {
    /// Families; all if none is named
    names: Vec<String>,
    /// Figures of plans in place of times
    #[arg(long)]
    plans: bool,
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
    plans(&all, arguments.bless)
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
                match measure(machine, &spelling.program) {
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
