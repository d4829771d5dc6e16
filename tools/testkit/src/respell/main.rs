//! Writes a program in other spellings.
//!
//! ```text
//! nesl-respell quicksort.nesl --call "quicksort([3, 1, 2])" --into spelt    a file for each
//! nesl-respell quicksort.nesl --call "quicksort([3, 1, 2])" --plans         figures of plans
//! ```
//!
//! Each spelling is checked: its forms have the values that those of the program have.

#![allow(clippy::print_stdout, reason = "a program prints its results")]

use clap::Parser;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use testkit::respell::{RULES, Respelling, spellings};
use testkit::respelled::{MACHINES, known, measure};

/// Makes spellings of a program by the rules of the language, and checks that they give the same.
#[derive(Parser, Debug)]
struct Arguments {
    /// The program: definitions, data, and expressions
    #[arg(required_unless_present = "rules")]
    file: Option<PathBuf>,
    /// An expression that is added at the end
    #[arg(long)]
    call: Option<String>,
    /// Applies two rules, too, one after the other
    #[arg(long)]
    pairs: bool,
    /// The folder to write the spellings to
    #[arg(long)]
    into: Option<PathBuf>,
    /// Shows figures of plans for the last form beside those of the program
    #[arg(long)]
    plans: bool,
    /// Lists the rules
    #[arg(long)]
    rules: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    if arguments.rules {
        RULES.iter().for_each(|rule| println!("{:18} {}", rule.name, rule.law));
    }
    let Some(file) = &arguments.file else { return Ok(()) };
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut program = fs::read_to_string(file).map_err(failed)?;
    if let Some(call) = &arguments.call {
        program = format!("{}\n{call};\n", program.trim_end());
    }
    let found = spellings(&program, arguments.pairs)?;
    if arguments.plans {
        return plans(&program, &found);
    }
    let Some(folder) = &arguments.into else {
        for Respelling { rules, text } in &found {
            println!("% {} %\n\n{text}", rules.join(", "));
        }
        return Ok(());
    };
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for Respelling { rules, text } in &found {
        let path = folder.join(rules.join("+")).with_extension("nesl");
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Prints figures of plans, and marks those that miss the best.
fn plans(program: &str, found: &[Respelling]) -> Result<(), String> {
    for machine in MACHINES {
        println!("on {machine}: launches, waits, touched, peak, calls");
        let mut rows = vec![("as it is".to_owned(), measure(machine, program)?.figures)];
        for Respelling { rules, text } in found {
            let name = rules.join(", ");
            let measured = measure(machine, text).map_err(|error| format!("{name}: {error}"))?;
            rows.push((name, measured.figures));
        }
        let best = known::best(&rows).map(|it| it.1).unwrap_or_default();
        rows.iter().for_each(|(name, figures)| println!("{}", known::line(name, figures, &best)));
    }
    Ok(())
}
