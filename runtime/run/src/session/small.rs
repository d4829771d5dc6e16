//! Forms and calls on small data by the interpreter, others by an engine that compiles.
//!
//! Compiling takes a tenth of a second or more, too long for `1 + 1` and for most of what is tried
//! out by hand.  How much work a form is cannot be seen before it has run.  So every form is begun
//! in the interpreter, which counts the work by the cost model of the language:
//!
//! ```text
//! sum(a)                  100 numbers          interpreted: 0.1 ms
//! sum({x * x : x in a})   10,000,000 numbers   begun, given up, compiled
//! ```
//!
//! A form that needs more than [`WORK`] is given up and compiled, as if it had not been begun.
//! That is possible because a form that is begun has no effects: those with effects are
//! interpreted from beginning to end by every engine.  What `print_debug` writes is held back until
//! the form has ended.  Random numbers depend on the number of the form and not on the engine, so
//! both give the same.
//!
//! Without a compiler, and for what the compiler cannot do, the interpreter goes on.

use super::Call;
use super::build::Prepared;
use super::engine::{Answer, Context, Engine, Report, Trouble, Undone};
use base::Diagnostic;
use types::Type;
use types::tree::{Form, Global, Program};
use value::Interrupt;

/// The work that the interpreter may do before a form is compiled: some 25 milliseconds.
pub(super) const WORK: u64 = 500_000;

/// An engine that is asked only for what is large.
pub(super) struct Small {
    engine: Box<dyn Engine + Send>,
    interrupt: Interrupt,
    next: Next,
    /// The result of the call that is ready, if it was small.
    called: Option<Result<Answer, Diagnostic>>,
    /// Whether that call is small.
    calls_interpreter: bool,
    warnings: Vec<Diagnostic>,
    /// Why the engine could not be used the last time.
    told: Option<Diagnostic>,
}

/// What becomes of the form that is ready.
enum Next {
    /// It has been evaluated.
    Done(Result<Answer, Diagnostic>),
    /// The engine evaluates it as usual.
    Engine,
    /// It is interpreted, however long that takes.
    Interpreter,
}

impl Small {
    /// Stands before an engine that this interrupt stops.
    pub(super) fn new(engine: Box<dyn Engine + Send>, interrupt: Interrupt) -> Small {
        Small {
            engine,
            interrupt,
            next: Next::Engine,
            called: None,
            calls_interpreter: false,
            warnings: Vec::new(),
            told: None,
        }
    }

    /// Tells why nothing is compiled, once.
    fn tell(&mut self, why: Diagnostic) {
        if self.told.as_ref() == Some(&why) {
            return;
        }
        self.told = Some(why.clone());
        let message = "nothing is compiled, everything is interpreted";
        let mut warning = Diagnostic::new(why.kind, message).note(why.message);
        warning.notes.extend(why.notes);
        warning.help = why.help;
        self.warnings.push(warning);
    }
}

impl Engine for Small {
    fn looks_ahead(&self) -> bool {
        false
    }

    fn prepare(&mut self, context: &Context<'_>, forms: &[&Form]) -> Result<(), Trouble> {
        if let [form] = forms
            && let Some(done) = self.engine.attempt(context.program, form, WORK)
        {
            self.next = Next::Done(done);
            return Ok(());
        }
        self.next = match self.engine.prepare(context, forms) {
            Ok(()) => Next::Engine,
            Err(Trouble::Refused(_)) => Next::Interpreter,
            Err(trouble @ Trouble::Broken(_)) if self.interrupt.is_raised() => return Err(trouble),
            Err(Trouble::Broken(why)) => {
                self.tell(why);
                Next::Interpreter
            }
        };
        Ok(())
    }

    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        match std::mem::replace(&mut self.next, Next::Engine) {
            Next::Done(done) => done,
            Next::Engine => self.engine.evaluate(program, form),
            Next::Interpreter => self.engine.interpret(program, form),
        }
    }

    fn interpret(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        self.engine.interpret(program, form)
    }
    fn attempt(
        &mut self,
        program: &Program,
        form: &Form,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        self.engine.attempt(program, form, most_work)
    }
    fn attempt_call(
        &mut self,
        program: &Program,
        call: &Call,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        self.engine.attempt_call(program, call, most_work)
    }
    fn interpret_call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        self.engine.interpret_call(program, call)
    }
    fn prepare_call(&mut self, context: &Context<'_>, call: &Call) -> Result<(), Vec<Diagnostic>> {
        self.called = self.engine.attempt_call(context.program, call, WORK);
        self.calls_interpreter = self.called.is_some();
        if self.calls_interpreter {
            return Ok(());
        }
        self.engine.prepare_call(context, call)
    }
    fn lower(
        &mut self,
        context: &Context<'_>,
        functions: &[(Global, Vec<Type>)],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        self.engine.lower(context, functions)
    }
    fn rehearse(&mut self, program: &Program, call: &Call) -> Result<(), Diagnostic> {
        if self.calls_interpreter {
            return self.call(program, call).map(drop);
        }
        self.engine.rehearse(program, call)
    }
    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        match self.called.take() {
            Some(done) => done,
            None if self.calls_interpreter => self.engine.interpret_call(program, call),
            None => self.engine.call(program, call),
        }
    }
    fn call_last(&mut self, program: &Program, call: &mut Call) -> Result<Answer, Undone> {
        if self.calls_interpreter {
            return self.call(program, call).map_err(Undone::Failed);
        }
        self.engine.call_last(program, call)
    }
    fn give(&mut self, call: &Call) -> Result<(), Vec<Diagnostic>> {
        if self.calls_interpreter { Ok(()) } else { self.engine.give(call) }
    }
    fn retrace(&mut self, program: &Program, call: &Call, error: Diagnostic) -> Diagnostic {
        self.engine.retrace(program, call, error)
    }
    fn forget(&mut self, global: Global) {
        self.engine.forget(global);
    }
    #[cfg(test)]
    fn holds(&self, global: Global) -> bool {
        self.engine.holds(global)
    }
    fn reset(&mut self, library: &[Form]) {
        self.engine.reset(library);
    }
    fn warnings(&mut self) -> Vec<Diagnostic> {
        let mut warnings = self.engine.warnings();
        warnings.append(&mut self.warnings);
        warnings
    }
    fn report(&self) -> &Report {
        self.engine.report()
    }
    fn reset_counts(&mut self) {
        self.engine.reset_counts();
    }
}

#[cfg(test)]
mod tests {
    use super::Interrupt;
    use crate::Session;
    use crate::session::{EngineKind, Event, Options};
    use std::io::Write;
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex, PoisonError};

    /// What programs print.
    #[derive(Clone, Default)]
    struct Printed(Arc<Mutex<Vec<u8>>>);

    impl Write for Printed {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn options(small_first: bool) -> Options {
        let mut options = Options::new(EngineKind::Cpu);
        options.cpu.quick = true;
        options.small_first = small_first;
        options
    }

    /// What each of these texts leads to, one group after the other, what programs print, and how
    /// many kernels were compiled.
    fn transcript(options: &Options, texts: &[&str]) -> (String, usize) {
        let printed = Printed::default();
        let mut session = Session::new(options, Box::new(printed.clone()))
            .unwrap_or_else(|error| panic!("{}", error.message));
        let mut told = String::new();
        for text in texts {
            let flow = session.run("test", text.as_bytes(), &mut |files, event| match event {
                Event::Shown { name, value, ty, .. } => {
                    let value = String::from_utf8_lossy(&value);
                    told += &format!("{name} = {value} : {ty}\n");
                }
                Event::Failed(errors) => {
                    errors.iter().for_each(|error| told += &format!("{}\n", error.short(files)));
                }
                Event::Warning(warning) => told += &format!("{}\n", warning.short(files)),
                Event::Said(text) => told += &format!("{text}\n"),
            });
            assert!(flow.is_continue(), "{told}");
        }
        let printed = printed.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        told += &String::from_utf8_lossy(&printed);
        (told, session.report().kernels)
    }

    /// Small or large, a session says the same as one that compiles all; gives how many kernels
    /// were compiled.
    #[track_caller]
    fn same(texts: &[&str]) -> usize {
        let (small, kernels) = transcript(&options(true), texts);
        let (compiled, _) = transcript(&options(false), texts);
        assert_eq!(small, compiled);
        kernels
    }

    #[test]
    fn small_data_is_not_compiled() {
        let texts = ["function sq(x) = x * x;", "a = {sq(x) : x in [1, 2, 3]};", "sum(a) + #it;"];
        assert_eq!(same(&texts), 0);
    }

    #[test]
    fn what_is_large_is_compiled_and_comes_back() {
        let texts = [
            "few = [1, 2, 3];",
            "many = {x * x : x in [0:300000]};",
            "sum(many) + sum(few);",
            "few = take(many, 3);",
            "function g(x) = x + few[1];",
            "sum({g(x) : x in few});",
        ];
        assert!(same(&texts) > 0);
    }

    #[test]
    fn one_operation_may_be_too_large() {
        assert!(same(&["sum([0:2000000]);"]) > 0);
    }

    #[test]
    fn random_numbers_do_not_depend_on_the_engine() {
        let texts = [
            "rand(1000);",
            "sum({rand(1000) : i in [0:300000]});",
            "{rand(1000) : i in [0:3]};",
            "rand_seed(7);",
            "sum({rand(i + 1) : i in [0:200000]});",
            "rand(1000);",
        ];
        assert!(same(&texts) > 0);
    }

    #[test]
    fn errors_are_the_same() {
        let texts = ["a = [1, 2];", "a[2];", "a = 1 / 0; a;", "[0:300000][300000];", "#a;"];
        same(&texts);
    }

    #[test]
    fn narrow_numbers_are_the_same() {
        let texts = [
            "a = {1.0 / float(i + 1) : i in [0:10]};",
            "2000000000 + 2000000000;",
            "{float(x) / 3.0 + a[0] : x in take([0:300000], 3)};",
            "max_val({rand(x + 1) : x in [0:300000]});",
        ];
        let [small, compiled] = [true, false].map(|small_first| {
            let options = Options { widths: prim::Widths::NARROW, ..options(small_first) };
            transcript(&options, &texts)
        });
        assert_eq!(small.0, compiled.0);
        assert!(small.1 > 0);
    }

    /// Such output is held back until it is known that the form is small.
    #[test]
    fn nothing_is_printed_twice() {
        let text = "sum({x * x : x in [0:print_debug(\"n = \", 300000)]});";
        let (told, _) = transcript(&options(true), &[text]);
        assert_eq!(told.matches("n = ").count(), 1, "{told}");
        let (told, kernels) = transcript(&options(true), &["print_debug(\"n = \", 3);"]);
        assert_eq!((told.as_str(), kernels), ("it = 3 : int\nn = 3\n", 0));
    }

    #[test]
    fn without_a_compiler_the_interpreter_goes_on() {
        let mut options = options(true);
        options.cpu.compiler = Some(PathBuf::from("/no/such/compiler"));
        let texts = ["1 + 1;", "sum({x : x in [0:300000]});", "#[0:600000]; 2;"];
        let (told, _) = transcript(&options, &texts);
        let expected = "it = 2 : int\n\
             nesl: input: nothing is compiled, everything is interpreted\n\
             it = 44999850000 : int\n\
             it = 600000 : int\n\
             it = 2 : int\n";
        assert_eq!(told, expected);
    }

    /// The wish is raised before the form begins.
    #[test]
    fn an_interrupt_ends_a_form_and_what_follows() {
        for small_first in [true, false] {
            let options = options(small_first);
            let mut session = Session::new(&options, Box::new(std::io::sink()))
                .unwrap_or_else(|error| panic!("{}", error.message));
            let mut told = Vec::new();
            let mut run = |text: &str| {
                let flow = session.run("test", text.as_bytes(), &mut |files, event| {
                    told.push(match event {
                        Event::Shown { name, value, .. } => {
                            format!("{name} = {}", String::from_utf8_lossy(&value))
                        }
                        Event::Failed(errors) => errors[0].short(files),
                        Event::Warning(event) => event.message,
                        Event::Said(text) => text,
                    });
                });
                assert!(flow.is_continue());
            };
            run("a = 1;");
            options.interrupt.raise();
            run("a = 2; b = 3;");
            options.interrupt.clear();
            run("a;");
            let stopped = "nesl: interrupted: the program was interrupted";
            assert_eq!(told, ["a = 1", stopped, "it = 1"]);
        }
    }

    /// Wishes that what prints should stop.
    struct Stops(Interrupt);

    impl Write for Stops {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            self.0.raise();
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_endless_program_is_interrupted() {
        let options = options(true);
        let out = Box::new(Stops(options.interrupt.clone()));
        let mut session =
            Session::new(&options, out).unwrap_or_else(|error| panic!("{}", error.message));
        let mut told = Vec::new();
        let text = "function up(n) = let said = print_char(`x) in if n < 0 then n else up(n + 1);\n\
             up(0);\n5;";
        let flow = session.run("test", text.as_bytes(), &mut |files, event| match event {
            Event::Shown { name, .. } => told.push(name),
            Event::Failed(errors) => {
                told.push(errors[0].short(files));
            }
            Event::Warning(_) | Event::Said(_) => {}
        });
        assert!(flow.is_continue());
        let [up, stopped] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(up, "up");
        assert!(stopped.ends_with(": interrupted: the program was interrupted"), "{stopped}");
    }
}
