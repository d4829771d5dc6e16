//! Measures and what is demanded of them.

use run::Session;
use run::session::{EngineKind, Event, Options};
use std::path::Path;

/// What one evaluation took, and gave.
#[derive(Debug)]
pub(crate) struct Measure {
    /// The value as printed.
    pub(crate) value: String,
    /// Elements read and written by compiled code.
    pub(crate) touched: u64,
    /// How often the host had kernels run.
    pub(crate) launches: u64,
    /// The most bytes of device memory in use at once, since the session began.
    pub(crate) peak: u64,
}

pub(crate) fn session(engine: EngineKind, count: bool) -> Session {
    let mut options = Options::new(engine);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    options.compile.count = count;
    Session::new(&options, Box::new(std::io::sink())).unwrap()
}

/// Binds `n`, then makes these definitions.
pub(crate) fn prepare(session: &mut Session, n: usize, definitions: &str) {
    run(session, &format!("n = {n};"));
    run(session, definitions);
    session.reset_counts();
}

/// Runs a group; gives what is shown last.
pub(crate) fn run(session: &mut Session, text: &str) -> String {
    let mut last = String::new();
    let _ = session.run("test", text.as_bytes(), &mut |files, event| match event {
        Event::Shown { value, .. } => last = String::from_utf8(value).unwrap(),
        Event::Failed(errors) => panic!("{}", errors[0].short(files)),
        Event::Warning(_) | Event::Said(_) => {}
    });
    last
}

/// What an expression takes on the CPU, after definitions that may use `n`.
pub(crate) fn measure(n: usize, definitions: &str, expression: &str) -> Measure {
    let mut session = session(EngineKind::Cpu, true);
    prepare(&mut session, n, definitions);
    let value = run(&mut session, &format!("{expression};"));
    let report = session.report();
    let (touched, launches) = (report.stats.elements_touched, report.stats.kernels_run);
    Measure { value, touched, launches, peak: report.memory.peak as u64 }
}

/// What an expression costs by the cost model.
pub(crate) fn cost(n: usize, definitions: &str, expression: &str) -> u64 {
    let mut session = session(EngineKind::Interp, false);
    prepare(&mut session, n, definitions);
    run(&mut session, &format!("{expression};"));
    session.report().cost.work
}

/// The expression touches elements, but no more of them when `n` grows by 16, and then at most as
/// many as are given.
#[track_caller]
pub(crate) fn check_constant(definitions: &str, expression: &str, most: u64) {
    let [small, large] = [1 << 10, 1 << 14].map(|n| measure(n, definitions, expression).touched);
    assert!(small > 0, "{expression} touches nothing: nothing is counted");
    assert_eq!(small, large, "{expression} touches more elements when n grows");
    assert!(large <= most, "{expression} touches {large} elements");
}

/// Elements touched for each unit of work by the cost model: at most so many, and hardly more when
/// the input grows from the first size to the second.
#[track_caller]
pub(crate) fn check_work(definitions: &str, expression: &str, sizes: [usize; 2], most: f64) {
    const SLACK: f64 = 1.15;
    let [small, large] = sizes.map(|n| {
        let touched = measure(n, definitions, expression).touched;
        touched as f64 / cost(n, definitions, expression) as f64
    });
    assert!(large <= small * SLACK, "{expression}: {small} elements for a unit, then {large}");
    assert!(small.max(large) <= most, "{expression}: {small} elements for a unit, then {large}");
}

/// Ints from 0 to bound - 1, without order.
pub(crate) const NOISE: &str = "function noise(i, bound) =
    let a = i * 2654435761 + 12345; b = (a xor rshift(a, 15)) * 2246822519
    in mod(b xor rshift(b, 13), bound);
";

pub(crate) fn with_noise(definitions: &str) -> String {
    format!("{NOISE}{definitions}")
}

/// 30 rows of n elements.
pub(crate) const ROWS: &str = "rows = {{i * k : i in [0:n]} : k in [0:30]};
    ps = {rem(k, 2) == 0 : k in [0:30]};";

/// An expression by the cost model and in compiled code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Both {
    /// Work by the cost model.
    pub(crate) work: f64,
    /// The longest chain of steps by the cost model.
    pub(crate) depth: f64,
    /// Elements read and written by compiled code.
    pub(crate) touched: f64,
}

/// Sessions of the interpreter and of the CPU with the same definitions, for expressions that are
/// measured one after the other.
pub(crate) struct Bench {
    interp: Session,
    cpu: Session,
}

impl Bench {
    pub(crate) fn new(n: usize, definitions: &str) -> Bench {
        let [interp, cpu] =
            [(EngineKind::Interp, false), (EngineKind::Cpu, true)].map(|(engine, count)| {
                let mut session = session(engine, count);
                prepare(&mut session, n, definitions);
                session
            });
        Bench { interp, cpu }
    }

    /// Measures an expression; both engines must give the same.
    pub(crate) fn measure(&mut self, expression: &str) -> Both {
        let [given, compiled] = [&mut self.interp, &mut self.cpu].map(|session| {
            session.reset_counts();
            run(session, &format!("{expression};"))
        });
        assert_eq!(given, compiled, "{expression}");
        let cost = self.interp.report().cost;
        let touched = self.cpu.report().stats.elements_touched as f64;
        Both { work: cost.work as f64, depth: cost.depth as f64, touched }
    }
}
