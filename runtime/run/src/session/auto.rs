//! The engine `auto`: the GPU if it can be used, else the cores.
//!
//! Whether the GPU can be used is known only when it has been opened, and what is to be run is
//! compiled meanwhile.  If it then cannot, everything known so far moves to the cores, and a
//! warning tells why.

use super::build::Prepared;
use super::compiled::Compiled;
use super::direct::Concurrent;
use super::engine::{Answer, Context, Engine, Report, Trouble, Undone};
use super::{Call, Options};
use base::Diagnostic;
use device::{Cpu, Cuda};
use std::sync::Arc;
use types::Type;
use types::tree::{Form, Global, Program};

/// One of two engines.
pub(super) struct Auto {
    /// Choices for the cores, if it should come to that.
    options: Options,
    engine: Choice,
}

enum Choice {
    Gpu(Box<Compiled<Cuda>>),
    Cores(Box<Compiled<Cpu>>),
    /// While one becomes the other.
    Neither,
}

impl Auto {
    /// An engine that uses the GPU as long as nothing speaks against it.
    pub(super) fn new(gpu: Compiled<Cuda>, options: &Options) -> Auto {
        Auto { options: options.clone(), engine: Choice::Gpu(Box::new(gpu)) }
    }

    fn engine(&self) -> &dyn Engine {
        match &self.engine {
            Choice::Gpu(gpu) => &**gpu,
            Choice::Cores(cores) => &**cores,
            Choice::Neither => unreachable!("there is an engine"),
        }
    }
    fn engine_mut(&mut self) -> &mut dyn Engine {
        match &mut self.engine {
            Choice::Gpu(gpu) => &mut **gpu,
            Choice::Cores(cores) => &mut **cores,
            Choice::Neither => unreachable!("there is an engine"),
        }
    }

    /// Goes to the cores if it is known that the GPU cannot be used; tells whether it went.
    fn gives_up(&mut self) -> bool {
        let Choice::Gpu(gpu) = &mut self.engine else { return false };
        let Some(missing) = gpu.unusable() else { return false };
        let Choice::Gpu(gpu) = std::mem::replace(&mut self.engine, Choice::Neither) else {
            unreachable!("it was the GPU")
        };
        let mut cores = gpu.onto(Cpu::new(&self.options.cpu), &self.options);
        // Without a GPU nobody wonders.
        cores.warnings.extend(Cuda::is_there().then(|| cores_instead(missing)));
        self.engine = Choice::Cores(Box::new(cores));
        true
    }

    /// Does something that needs the device; on the cores, if the GPU turns out to be unusable.
    fn ready<E>(
        &mut self,
        mut work: impl FnMut(&mut dyn Engine) -> Result<(), E>,
    ) -> Result<(), E> {
        self.gives_up();
        match work(self.engine_mut()) {
            Err(_) if self.gives_up() => work(self.engine_mut()),
            done => done,
        }
    }
}

/// There is a GPU, but something is missing that it takes.
fn cores_instead(missing: Diagnostic) -> Diagnostic {
    let mut told = Diagnostic::new(missing.kind, "the GPU is not used, but the cores");
    told.notes.push(missing.message);
    told.notes.extend(missing.notes);
    told.help = missing.help;
    told
}

impl Engine for Auto {
    fn looks_ahead(&self) -> bool {
        self.engine().looks_ahead()
    }
    fn prepare(&mut self, context: &Context<'_>, forms: &[&Form]) -> Result<(), Trouble> {
        self.ready(|engine| engine.prepare(context, forms))
    }
    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        self.engine_mut().evaluate(program, form)
    }
    fn interpret(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        self.engine_mut().interpret(program, form)
    }
    fn attempt(
        &mut self,
        program: &Program,
        form: &Form,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        self.engine_mut().attempt(program, form, most_work)
    }
    fn attempt_call(
        &mut self,
        program: &Program,
        call: &Call,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        self.engine_mut().attempt_call(program, call, most_work)
    }
    fn interpret_call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        self.engine_mut().interpret_call(program, call)
    }
    fn prepare_call(&mut self, context: &Context<'_>, call: &Call) -> Result<(), Vec<Diagnostic>> {
        self.ready(|engine| engine.prepare_call(context, call))
    }
    fn lower(
        &mut self,
        context: &Context<'_>,
        functions: &[(Global, Vec<Type>)],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        self.engine_mut().lower(context, functions)
    }
    fn direct(&self) -> Option<Arc<dyn Concurrent>> {
        self.engine().direct()
    }
    fn rehearse(&mut self, program: &Program, call: &Call) -> Result<(), Diagnostic> {
        self.engine_mut().rehearse(program, call)
    }
    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        self.engine_mut().call(program, call)
    }
    fn call_last(&mut self, program: &Program, call: &mut Call) -> Result<Answer, Undone> {
        self.engine_mut().call_last(program, call)
    }
    fn give(&mut self, call: &Call) -> Result<(), Vec<Diagnostic>> {
        self.engine_mut().give(call)
    }
    fn retrace(&mut self, program: &Program, call: &Call, error: Diagnostic) -> Diagnostic {
        self.engine_mut().retrace(program, call, error)
    }
    fn forget(&mut self, global: Global) {
        self.engine_mut().forget(global);
    }
    #[cfg(test)]
    fn holds(&self, global: Global) -> bool {
        self.engine().holds(global)
    }
    fn reset(&mut self, library: &[Form]) {
        self.engine_mut().reset(library);
    }
    fn warnings(&mut self) -> Vec<Diagnostic> {
        self.engine_mut().warnings()
    }
    fn report(&self) -> &Report {
        self.engine().report()
    }
    fn reset_counts(&mut self) {
        self.engine_mut().reset_counts();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::session::late::Late;
    use crate::session::{EngineKind, Event};
    use base::Kind;
    use std::time::Duration;

    /// A session whose GPU turns out to be unusable after a while.
    fn without_gpu(after: Duration) -> Session {
        let options = Options::new(EngineKind::Auto);
        let gpu = Late::start(move || {
            std::thread::sleep(after);
            Err(Diagnostic::new(Kind::Input, "GPU 0 cannot be used"))
        });
        let engine = |interp, library: &[Form]| -> Box<dyn Engine + Send> {
            Box::new(Auto::new(Compiled::new(gpu, interp, &options, library), &options))
        };
        Session::with(&options, Box::new(std::io::sink()), engine)
            .unwrap_or_else(|error| panic!("{}", error.message))
    }

    /// What a session shows of a text.
    fn shown(session: &mut Session, text: &str) -> Vec<String> {
        let mut shown = Vec::new();
        let flow = session.run("test", text.as_bytes(), &mut |_, event| match event {
            Event::Shown { value, .. } => shown.push(String::from_utf8_lossy(&value).into_owned()),
            Event::Failed(errors) => panic!("{errors:?}"),
            Event::Warning(_) | Event::Said(_) => {}
        });
        assert!(flow.is_continue());
        shown
    }

    #[test]
    fn without_a_gpu_the_cores_go_on() {
        // Known before anything is compiled, known only when it is to be loaded.
        for after in [Duration::ZERO, Duration::from_millis(300)] {
            let mut session = without_gpu(after);
            let text = "function next(x) = x + 1; a = {next(x) : x in [1, 2]}; sum(a);";
            assert_eq!(shown(&mut session, text), ["fn", "[2, 3]", "5"]);
            assert_eq!(shown(&mut session, "sum({next(x) : x in a});"), ["7"]);
            assert!(session.report().device.contains("threads"), "{}", session.report().device);
        }
    }

    /// Nobody asks for the GPU before something is large.
    #[test]
    fn small_forms_need_no_gpu() {
        let (asked, was_asked) = std::sync::mpsc::channel();
        let gpu = Late::when_asked(move || {
            let _ = asked.send(());
            Err(Diagnostic::new(Kind::Input, "GPU 0 cannot be used"))
        });
        let mut options = Options::new(EngineKind::Auto);
        options.small_first = true;
        let engine = |interp, library: &[Form]| -> Box<dyn Engine + Send> {
            Box::new(Auto::new(Compiled::new(gpu, interp, &options, library), &options))
        };
        let mut session = Session::with(&options, Box::new(std::io::sink()), engine)
            .unwrap_or_else(|error| panic!("{}", error.message));
        assert_eq!(shown(&mut session, "a = [1, 2]; sum(a);"), ["[1, 2]", "3"]);
        assert!(was_asked.try_recv().is_err());
        let large = "sum({x / 2 : x in [0:1000000]}) + sum(a);";
        assert_eq!(shown(&mut session, large), ["249999500003"]);
        assert!(was_asked.try_recv().is_ok());
    }

    #[test]
    fn why_the_gpu_is_not_used() {
        let missing =
            Diagnostic::new(Kind::Input, "NVRTC was not found").note("in /lib").help("install it");
        let told = cores_instead(missing);
        assert_eq!(told.message, "the GPU is not used, but the cores");
        assert_eq!(told.notes, ["NVRTC was not found", "in /lib"]);
        assert_eq!(told.help, ["install it"]);
    }
}
