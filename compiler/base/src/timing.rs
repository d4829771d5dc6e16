//! Names and durations of passes.  The clock is handed in, because the compiler reads none.

/// How long one pass took.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// The pass.
    pub pass: &'static str,
    /// When it began, by the clock.
    pub start: f64,
    /// Seconds.
    pub seconds: f64,
}

/// A clock (seconds since any fixed moment) and what was measured with it.
pub struct Timings<'a> {
    clock: Option<&'a dyn Fn() -> f64>,
    rows: Vec<Timing>,
}

impl<'a> Timings<'a> {
    /// Measures with `clock`.
    pub fn new(clock: &'a dyn Fn() -> f64) -> Self {
        Timings { clock: Some(clock), rows: Vec::new() }
    }
    /// Measures nothing.
    pub fn off() -> Self {
        Timings { clock: None, rows: Vec::new() }
    }
    /// Runs `work` as the pass `pass`.
    pub fn time<T>(&mut self, pass: &'static str, work: impl FnOnce() -> T) -> T {
        let Some(clock) = self.clock else { return work() };
        let start = clock();
        let result = work();
        self.rows.push(Timing { pass, start, seconds: clock() - start });
        result
    }
    /// What was measured, in order.
    pub fn rows(&self) -> &[Timing] {
        &self.rows
    }
}
