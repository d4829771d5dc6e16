//! Figures of a call on plans: launches, waits, elements touched, bytes at the peak, calls.

use crate::counting::{Cores, Counting, Gpu, Machine};
use base::Files;
use run::Session;
use run::session::{EngineKind, Event, Options};
use run::trace::EventKind;
use syntax::ast::FormKind;

/// The machines whose plans are measured.
pub const MACHINES: [&str; 2] = [Cores::NAME, Gpu::NAME];

/// The costs of a call on a plan.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Figures {
    /// Clusters, copies and fills.
    pub launches: u64,
    /// How often the host waited for what was launched.
    pub waits: u64,
    /// Elements read and written.
    pub touched: u64,
    /// The most bytes in use at once, beside the arguments.
    pub peak: u64,
    /// Calls of functions that the host made: where lanes share calls, one at each depth.
    pub calls: u64,
}

/// The value of a call as it is shown, and what it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// The whole value.
    pub value: String,
    /// Its figures.
    pub figures: Figures,
}

/// Runs a program, and measures its last form, which is an expression, on plans for a machine.
pub fn measure(machine: &str, program: &str) -> Result<Measured, String> {
    if machine == Cores::NAME { on::<Cores>(program) } else { on::<Gpu>(program) }
}

/// The value of the last form of a program by the interpreter, and its work by the cost model.
pub fn interpreted(program: &str) -> Result<(String, u64), String> {
    let (before, call) = split(program)?;
    let session = Session::new(&Options::new(EngineKind::Interp), Box::new(std::io::sink()));
    let mut session = session.map_err(|error| error.message)?;
    told(&mut session, before)?;
    session.reset_counts();
    let value = told(&mut session, call)?;
    Ok((value, session.report().cost.work))
}

fn on<M: Machine>(program: &str) -> Result<Measured, String> {
    let (before, call) = split(program)?;
    let mut options = Options::new(EngineKind::Cpu);
    options.trace = true;
    // Elements are then counted as they are touched.
    options.compile.count = true;
    let device = Counting::<M>::default();
    let session = Session::on(device.clone(), &options, Box::new(std::io::sink()));
    let mut session = session.map_err(|error| error.message)?;
    told(&mut session, before)?;
    session.reset_counts();
    device.reset();
    let calls = |session: &Session| {
        let events = session.report().trace.iter();
        events.filter(|event| event.kind == EventKind::Call).count() as u64
    };
    let calls_before = calls(&session);
    let value = told(&mut session, call)?;
    let report = session.report();
    let figures = Figures {
        launches: report.stats.traffic.launches,
        waits: report.stats.traffic.waits,
        touched: report.stats.elements_touched,
        peak: device.peak() as u64,
        calls: calls(&session) - calls_before,
    };
    Ok(Measured { value, figures })
}

/// Values are compared whole.
const SHOWN: &str = "set print_length 1000000;";

/// Runs a text; gives the last value that is shown, or the first failure.
pub(super) fn told(session: &mut Session, text: &str) -> Result<String, String> {
    let (mut last, mut failed) = (String::new(), None);
    let mut sink = |files: &Files, event| match event {
        Event::Shown { value, .. } => last = String::from_utf8_lossy(&value).into_owned(),
        Event::Failed(errors) => {
            failed = failed.take().or(errors.first().map(|error| error.short(files)));
        }
        Event::Warning(_) | Event::Said(_) => {}
    };
    let _ = session.run("settings", SHOWN.as_bytes(), &mut sink);
    let _ = session.run("program", text.as_bytes(), &mut sink);
    failed.map_or(Ok(last), Err)
}

/// The forms before the last one, which is an expression, and that one.
pub(super) fn split(program: &str) -> Result<(&str, &str), String> {
    let group = syntax::parse(Files::new().add("program", program), program.as_bytes());
    match group.forms.last() {
        Some(form) if matches!(form.kind, FormKind::Exp(_)) => {
            Ok(program.split_at(form.span.start as usize))
        }
        Some(_) => Err("the last form is no expression".to_owned()),
        None => Err("there is no form".to_owned()),
    }
}
