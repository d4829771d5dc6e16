//! `nesl dev`: passes of the compiler on the text of an intermediate program.
//!
//! ```text
//! nesl run --quiet --dump nest a.nesl | nesl dev nest - flatten pull_maps
//! ```
//!
//! The text is read, verified, run through the passes that are named, and printed after the last.

use crate::messages::say;
use crate::options::{Dev, Station, Target};
use crate::{Status, output, run};
use base::Error;
use emit::{COptions, CudaOptions};
use fuse::Fusion;

/// A program at a station.
enum Ir {
    Nest(nest::Program),
    Flat(flat::Program),
    Plan(plan::Program),
    Kernel(kernel::Program),
    Text(String),
}

/// Why there is no program.
enum Trouble {
    /// The text is no program of the station.
    Wrong(String),
    /// A pass does not take such programs.
    Usage(String),
    /// A pass made a wrong program.
    Bug(String),
}

/// Runs passes on a text.
pub(crate) fn dev(options: &Dev) -> Status {
    let (name, text) = match run::source(&options.file) {
        Ok(source) => source,
        Err(error) => {
            say(&format!("error: {}\n", error.message));
            return Status::Failed;
        }
    };
    match transform(options, &String::from_utf8_lossy(&text)) {
        Ok(result) => match output::print(result.as_bytes()) {
            Ok(()) => Status::Done,
            Err(_) => Status::Failed,
        },
        Err(Trouble::Wrong(message)) => {
            say(&format!("{name}: {message}\n"));
            Status::Failed
        }
        Err(Trouble::Usage(message)) => {
            say(&format!("error: {message}\n"));
            Status::Usage
        }
        Err(Trouble::Bug(message)) => {
            say(&format!("nesl: bug: {message}\n"));
            Status::Bug
        }
    }
}

fn transform(options: &Dev, text: &str) -> Result<String, Trouble> {
    let mut ir = Ir::read(options.station, text).map_err(Trouble::Wrong)?;
    ir.verify().map_err(Trouble::Wrong)?;
    for pass in &options.passes {
        ir = ir.after(pass, options.target)?;
        ir.verify().map_err(|errors| Trouble::Bug(format!("after {pass}:\n{errors}")))?;
    }
    Ok(ir.print())
}

impl Ir {
    fn read(station: Station, text: &str) -> Result<Ir, String> {
        let ir = match station {
            Station::Nest => nest::read(text).map(Ir::Nest),
            Station::Flat => flat::read(text).map(Ir::Flat),
            Station::Plan => plan::read(text).map(Ir::Plan),
            Station::Kernel => kernel::read(text).map(Ir::Kernel),
        };
        ir.map_err(|error| error.to_string())
    }

    /// The program with its errors, if it breaks a rule of its station.
    fn verify(&self) -> Result<(), String> {
        fn shown<P>(
            program: &P,
            verify: impl Fn(&P) -> Result<(), Vec<Error>>,
            print: impl Fn(&P, &[Error]) -> String,
        ) -> Result<(), String> {
            verify(program).map_err(|errors| print(program, &errors))
        }
        match self {
            Ir::Nest(program) => shown(program, nest::verify, nest::print_with_errors),
            Ir::Flat(program) => shown(program, flat::verify, flat::print_with_errors),
            Ir::Plan(program) => shown(program, plan::verify, plan::print_with_errors),
            Ir::Kernel(program) => shown(program, kernel::verify, kernel::print_with_errors),
            Ir::Text(_) => Ok(()),
        }
    }

    fn print(&self) -> String {
        match self {
            Ir::Nest(program) => program.to_string(),
            Ir::Flat(program) => flat::shapes::show::show(program),
            Ir::Plan(program) => program.to_string(),
            Ir::Kernel(program) => program.to_string(),
            Ir::Text(text) => text.clone(),
        }
    }

    fn station(&self) -> &'static str {
        match self {
            Ir::Nest(_) => "nest",
            Ir::Flat(_) => "flat",
            Ir::Plan(_) => "plan",
            Ir::Kernel(_) => "kernel",
            Ir::Text(_) => "text",
        }
    }

    /// What a pass makes of it.
    fn after(self, pass: &str, target: Target) -> Result<Ir, Trouble> {
        let machine = match target {
            Target::Cpu => schedule::Target::CPU,
            Target::Gpu => schedule::Target::GPU,
        };
        Ok(match (self, pass) {
            (Ir::Nest(nest), "flatten") => Ir::Flat(flatten::flatten(&nest)),
            (Ir::Flat(mut flat), name) if let Some(pass) = flat_pass(name) => {
                flat::passes::run(name, pass, &mut flat);
                Ir::Flat(flat)
            }
            (Ir::Flat(flat), "fuse") => Ir::Plan(fuse::fuse(&flat, Fusion::Optimal)),
            (Ir::Plan(mut plan), name) if let Some(pass) = plan_pass(name) => {
                pass(&mut plan, &machine);
                Ir::Plan(plan)
            }
            (Ir::Plan(plan), "schedule") => Ir::Kernel(schedule::schedule(&plan, &machine)),
            (Ir::Kernel(kernels), "emit") => Ir::Text(printed(&kernels, target)),
            (ir, pass) => {
                let station = ir.station();
                let known = compile::PASSES.iter().any(|known| known.name == pass);
                let message = if known {
                    format!("the pass {pass} does not take a program of {station}")
                } else {
                    format!("there is no pass {pass}; see `nesl help passes`")
                };
                return Err(Trouble::Usage(message));
            }
        })
    }
}

/// Kernels as program text.
fn printed(kernels: &kernel::Program, target: Target) -> String {
    let units = compile::Options::default().units;
    let units = match target {
        Target::Cpu => emit::c(kernels, &COptions { units, ..Default::default() }).units,
        Target::Gpu => emit::cuda(kernels, &CudaOptions::default()).units,
    };
    units.join("\n")
}

/// A pass that stays inside plan.
fn plan_pass(name: &str) -> Option<schedule::Pass> {
    schedule::PASSES.iter().find(|(known, _)| *known == name).map(|(_, pass)| *pass)
}

/// A pass that stays inside flat.
fn flat_pass(name: &str) -> Option<flat::passes::Pass> {
    flat::passes::ALL.iter().find(|(known, _)| *known == name).map(|(_, pass)| *pass)
}
