//! Times of spellings beside each other, on cores.

use super::family::Family;
use super::figures::split;
use run::Session;
use run::session::{EngineKind, Event, Options};

/// Seconds of the calls of all spellings, each the median of so many rounds, in which they take
/// turns; an error says why one has no time.
pub fn times(family: &Family, rounds: usize) -> Vec<(String, Result<f64, String>)> {
    let mut runners: Vec<(String, Result<Runner<'_>, String>)> = Vec::new();
    for spelling in &family.spellings {
        // The first call compiles, and finds no memory that was used before.
        let runner = Runner::new(&spelling.large).and_then(|mut runner| {
            runner.call()?;
            runner.seconds.clear();
            Ok(runner)
        });
        runners.push((spelling.name.clone(), runner));
    }
    for _ in 0..rounds.max(1) {
        for (_, runner) in &mut runners {
            if let Ok(ready) = runner
                && let Err(error) = ready.call()
            {
                *runner = Err(error);
            }
        }
    }
    runners.into_iter().map(|(name, runner)| (name, runner.map(|it| it.median()))).collect()
}

/// A session that has the definitions and data of a program, and its call.
struct Runner<'a> {
    session: Session,
    call: &'a str,
    seconds: Vec<f64>,
}

impl<'a> Runner<'a> {
    fn new(program: &'a str) -> Result<Runner<'a>, String> {
        let (before, call) = split(program)?;
        let session = Session::new(&Options::new(EngineKind::Cpu), Box::new(std::io::sink()));
        let mut session = session.map_err(|error| error.message)?;
        run(&mut session, before)?;
        Ok(Runner { session, call, seconds: Vec::new() })
    }

    fn call(&mut self) -> Result<(), String> {
        self.session.reset_counts();
        run(&mut self.session, self.call)?;
        // Without compiling and loading.
        self.seconds.extend(&self.session.report().runs);
        Ok(())
    }

    fn median(mut self) -> f64 {
        self.seconds.sort_by(f64::total_cmp);
        self.seconds.get(self.seconds.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

fn run(session: &mut Session, text: &str) -> Result<(), String> {
    let mut failed = None;
    let _ = session.run("program", text.as_bytes(), &mut |files, event| {
        if let Event::Failed(errors) = event {
            failed = failed.take().or(errors.first().map(|error| error.short(files)));
        }
    });
    failed.map_or(Ok(()), Err)
}
