//! `nesl run`: the forms of a file, or a call of one of its functions.

use crate::Status;
use crate::messages::{Messages, harmless, say};
use crate::options::{Engine, Run, Stats};
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::repl::interrupt;
use ::run::Session;
use ::run::session::{Answer, Call, EngineKind, Event, Options};
use base::{Code, Diagnostic, Files, Kind};
use device::{Cuda, Paper};
use emit::CudaText;
use shell::profile;
use shell::stats::{self, Times};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use value::disk::read_source;

/// Runs a file.
pub(crate) fn run(options: &Run) -> Status {
    if let Some(wrong) = contradiction(options) {
        say(&format!("error: {wrong}\n"));
        return Status::Usage;
    }
    let mut messages = Messages::new(options.errors.form);
    if let Err(error) = run_file(options, &mut messages) {
        messages.error(&error, &Files::new());
    }
    // Who asks for JSON reads the last line with a program.
    if options.stats != Some(Stats::Json) {
        messages.close();
    }
    messages.status
}

/// What is wrong with options that do not go together.
fn contradiction(options: &Run) -> Option<&'static str> {
    let interprets = options.engine == Engine::Interp;
    let dumps = |stage| options.dump.as_deref() == Some(stage);
    if options.dump.is_some() && interprets {
        Some("`--dump` shows what the compiler makes; `--engine interp` does not compile")
    } else if options.profile.is_some() && interprets {
        Some("`--profile` shows what compiled code does; `--engine interp` compiles none")
    } else if options.svg.is_some() && !dumps("plan") {
        Some("`--svg` draws plans; it needs `--dump plan`")
    } else if dumps("cuda") && options.kind() == EngineKind::Cpu {
        Some("`--dump cuda` shows code for GPUs; `--engine cpu` and `--threads` make none")
    } else if dumps("c") && options.kind() == EngineKind::Cuda {
        Some("`--dump c` shows code for the cores; `--engine cuda` makes none")
    } else {
        None
    }
}

/// Whether code for GPUs is to be shown where there is none: then it is printed and not run.
fn on_paper(options: &Run) -> bool {
    let dumps = options.dump.as_deref() == Some("cuda");
    dumps && options.engine == Engine::Auto && !Cuda::is_there()
}

/// A session with the engine that the options ask for.
fn session(options: &Run) -> Result<Session, Diagnostic> {
    let mut choices = choices(options);
    // Who stops a program wants to know where it was.
    interrupt::stops(&choices.interrupt, 0)?;
    choices.cpu.interrupt = Some(choices.interrupt.clone());
    let out = Box::new(Output::new());
    if on_paper(options) {
        choices.compile.units = 1;
        return Session::on(Paper::<CudaText>::default(), &choices, out);
    }
    Session::new(&choices, out)
}

/// Runs a file; errors that belong to no source text are given back.
fn run_file(options: &Run, messages: &mut Messages) -> Result<(), Diagnostic> {
    let (name, text) = source(&options.file)?;
    if let Some(path) = &options.output {
        value::output::check(path)?;
    }
    let mut session = session(options)?;
    let progress = Progress::start("running");
    // Of a file from which a function is called only errors are of interest.
    let mut shows = !options.quiet && options.entry.is_none();
    let flow = session.run(&name, &text, &mut |files, event| {
        progress.aside(|| {
            if let Err(error) = tell(files, event, shows, messages) {
                // What cannot be printed once cannot be printed at all.
                shows = false;
                messages.error(&error, files);
            }
        });
    });
    drop(progress);
    let mut times = Times { forms: session.report().runs.clone(), calls: Vec::new() };
    if let Some(function) = &options.entry
        && can_call(&session, function, flow, messages)?
    {
        call(&mut session, function, options, &mut times.calls, messages)?;
    }
    if options.dump.is_some() {
        print(session.report().dump.as_bytes())?;
    }
    if let Some(path) = &options.svg {
        let drawn = session.report().drawings.svg(&session.files);
        value::output::write_text(path, &drawn)?;
    }
    if options.timings {
        say(&stats::timings(session.report(), &times));
    }
    if let Some(path) = &options.profile {
        value::output::write_text(path, profile::trace(session.report(), &session.files))?;
    }
    match options.stats {
        Some(Stats::Text) => say(&stats::text(session.report(), &times, &session.files)),
        Some(Stats::Json) => say(&stats::json(session.report(), &times, &session.files)),
        None => {}
    }
    Ok(())
}

/// The choices of a session.
fn choices(options: &Run) -> Options {
    let mut choices = options.means.of_session(options.kind());
    choices.fast_math = options.fast_math;
    choices.dump.clone_from(&options.dump);
    choices.draw = options.svg.is_some();
    choices.compile.fusion = options.fusion.into();
    choices.time_kernels = options.stats.is_some();
    choices.trace = options.profile.is_some();
    choices.small_first = options.entry.is_some() && !looks_at_code(options);
    choices
}

/// Returns true if the options choose the way of compiling, or ask for facts about compiled code.
/// Everything is compiled then, however small it is.
fn looks_at_code(options: &Run) -> bool {
    options.kind() != EngineKind::Auto
        || options.repeat > 1
        || options.timings
        || options.fast_math
        || options.dump.is_some()
        || options.stats.is_some()
        || options.profile.is_some()
}

/// Prints what happened.
pub(crate) fn tell(
    files: &Files,
    event: Event,
    shows: bool,
    messages: &mut Messages,
) -> Result<(), Diagnostic> {
    match event {
        Event::Shown { name, value, ty, .. } if shows => return print(&line(&name, &value, &ty)),
        Event::Said(text) if shows => return print(format!("{}\n", harmless(&text)).as_bytes()),
        Event::Shown { .. } | Event::Said(_) => {}
        Event::Warning(warning) => messages.warning(&warning, files),
        Event::Failed(errors) => errors.iter().for_each(|error| messages.error(error, files)),
    }
    Ok(())
}

/// `name = value : type`.
fn line(name: &str, value: &[u8], ty: &str) -> Vec<u8> {
    [name.as_bytes(), b" = ", value, b" : ", ty.as_bytes(), b"\n"].concat()
}

/// Returns true if a function can be called after the forms of its file: it uses nothing of the
/// forms that failed.  A file that exits before the call is an error.
pub(crate) fn can_call(
    session: &Session,
    function: &str,
    flow: ControlFlow<()>,
    messages: &mut Messages,
) -> Result<bool, Diagnostic> {
    if messages.status != Status::Done {
        let runs = messages.status == Status::Failed && session.is_whole(function);
        let told = match runs {
            true => format!("`{function}` is called, as it uses nothing of what failed\n"),
            false => format!("`{function}` is not called, as a form that it needs failed\n"),
        };
        messages.unless_short(&told);
        if !runs {
            return Ok(false);
        }
    }
    match flow {
        ControlFlow::Continue(()) => Ok(true),
        ControlFlow::Break(()) => {
            let message = format!("`exit;` ends the program before `{function}` is called");
            let help = "all forms of the file are evaluated before the call: leave `exit;` out";
            Err(Diagnostic::new(Kind::Input, message).help(help))
        }
    }
}

/// Calls a function, as often as wanted, and prints or writes the result.
fn call(
    session: &mut Session,
    function: &str,
    options: &Run,
    times: &mut Vec<f64>,
    messages: &mut Messages,
) -> Result<(), Diagnostic> {
    let progress = Progress::start("reading and compiling");
    let mut call = match session.prepare_call(function, &options.given) {
        Ok(call) => call,
        Err(errors) => {
            progress.aside(|| errors.iter().for_each(|e| messages.error(e, &session.files)));
            return Ok(());
        }
    };
    for warning in session.warnings() {
        progress.aside(|| messages.warning(&warning, &session.files));
    }
    drop(progress);
    if on_paper(options) {
        messages.unless_short(&format!("there is no GPU: `{function}` is compiled, not called\n"));
        return Ok(());
    }
    let progress = Progress::start("running");
    let answer = match repeat(session, &mut call, options.repeat, times) {
        Ok(answer) => answer,
        Err(errors) => {
            progress.aside(|| errors.iter().for_each(|e| messages.error(e, &session.files)));
            return Ok(());
        }
    };
    drop(progress);
    match &options.output {
        Some(path) => {
            let full = |error: value::OutOfMemory| {
                Diagnostic::new(Kind::Runtime(base::Site::Memory), error.to_string())
            };
            let columns = answer.columns(&call.shape, options.means.widths.of()).map_err(full)?;
            value::output::write(path, &columns, &call.shape)?;
        }
        None if options.quiet => {}
        None => print(&line("it", &session.show(&answer, &call.shape), &call.ty))?,
    }
    Ok(())
}

/// Makes a call several times.  The counts of the report are those of the last time, and only then
/// kernels are timed, which takes time itself.  A call that is made once uses the memory of its
/// arguments; of several all are alike.
fn repeat(
    session: &mut Session,
    call: &mut Call,
    count: u32,
    times: &mut Vec<f64>,
) -> Result<Answer, Vec<Diagnostic>> {
    let one = |error| vec![error];
    for _ in 1..count {
        session.reset_counts();
        session.rehearse(call).map_err(one)?;
        times.extend(&session.report().runs);
    }
    session.reset_counts();
    let answer = if count > 1 { session.call(call).map_err(one) } else { session.call_last(call) };
    times.extend(&session.report().runs);
    answer
}

/// Name and text of a program.
pub(crate) fn source(file: &Path) -> Result<(String, Vec<u8>), Diagnostic> {
    let failed = |error: io::Error| {
        let code = match error.kind() {
            io::ErrorKind::OutOfMemory => Code::Memory,
            _ => Code::File,
        };
        Diagnostic::of(code, format!("{} cannot be read: {error}", file.display()))
    };
    if file.as_os_str() == "-" {
        let text = read_source(&mut io::stdin().lock()).map_err(failed)?;
        return Ok(("<stdin>".to_owned(), text));
    }
    let text = File::open(file).and_then(|mut file| read_source(&mut file)).map_err(failed)?;
    Ok((file.display().to_string(), text))
}

/// Prints on standard output.
pub(crate) fn print(text: &[u8]) -> Result<(), Diagnostic> {
    output::print(text).map_err(|error| {
        Diagnostic::of(Code::File, format!("standard output cannot be written: {error}"))
    })
}
