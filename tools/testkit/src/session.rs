//! Sessions for tests: one for each thread and engine, emptied between cases.

use base::{Diagnostic, Files, Kind};
use prim::Widths;
use run::Session;
use run::session::{EngineKind, Event, Options};
use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// What a session told about one form.
#[derive(Clone, Debug)]
pub enum Told {
    /// `name = value : type`, and what was printed before.
    Shown {
        /// The name.
        name: String,
        /// The value as printed.
        value: String,
        /// The type as printed.
        ty: String,
        /// What the form printed.
        printed: Vec<u8>,
    },
    /// The form failed; there is at least one diagnostic.
    Failed {
        /// Why.
        errors: Vec<Diagnostic>,
        /// The same, for people.
        text: String,
    },
    /// What a command said.
    Said(String),
}

/// Where programs print to.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
        Ok(text.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session and what its programs print.
struct Bench {
    engine: EngineKind,
    widths: Widths,
    session: Session,
    output: Output,
}

thread_local! {
    static BENCHES: RefCell<Vec<Bench>> = const { RefCell::new(Vec::new()) };
}

/// Processes a text as one group in a session where only the library is known.  A panic is an
/// error, with its message.
pub fn on_session(options: &Options, text: &[u8]) -> Result<Vec<Told>, String> {
    let mut bench = match take(options) {
        Some(bench) => bench,
        None => {
            let output = Output::default();
            let session = Session::new(options, Box::new(output.clone()));
            let session = session.map_err(|error| error.message)?;
            Bench { engine: options.engine, widths: options.widths, session, output }
        }
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut told = Vec::new();
        let output = bench.output.clone();
        let _ = bench.session.run("case", text, &mut |files, event| {
            told.extend(tell(files, event, output.take()));
        });
        bench.session.reset();
        told
    }));
    match result {
        Ok(told) => {
            BENCHES.with_borrow_mut(|benches| benches.push(bench));
            Ok(told)
        }
        Err(panic) => Err(panic_message(&*panic)),
    }
}

fn take(options: &Options) -> Option<Bench> {
    BENCHES.with_borrow_mut(|benches| {
        let wanted = (options.engine, options.widths);
        let place = benches.iter().position(|bench| (bench.engine, bench.widths) == wanted)?;
        Some(benches.swap_remove(place))
    })
}

fn tell(files: &Files, event: Event, printed: Vec<u8>) -> Option<Told> {
    match event {
        Event::Shown { name, value, ty, .. } => {
            let value = String::from_utf8_lossy(&value).into_owned();
            Some(Told::Shown { name, value, ty, printed })
        }
        Event::Failed(errors) => {
            let text: Vec<String> = errors.iter().map(|error| error.short(files)).collect();
            Some(Told::Failed { errors, text: text.join("; ") })
        }
        Event::Said(text) => Some(Told::Said(text)),
        // The engine to be tried would not be the one that answers.
        Event::Warning(warning) if warning.kind == Kind::Limit => {
            let text = warning.short_warning(files);
            Some(Told::Failed { errors: vec![warning], text })
        }
        Event::Warning(_) => None,
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let first = text.and_then(|text| text.lines().next()).unwrap_or("no message");
    format!("panic: {first}")
}
