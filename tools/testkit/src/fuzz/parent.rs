//! The parent: starts workers, watches them, prints findings and a table.

use super::{Options, say, told};
use device::{Cuda, CudaOptions};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Error, Result};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use testkit::agree::Engine;

/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Each worker has a context of its own on a GPU, with stacks for all threads there: gigabytes.
const ON_A_GPU: u64 = 14;

/// What the workers say.
enum Message {
    Line(usize, String),
    Ended(usize),
}

/// A worker process.
struct Worker {
    child: Child,
    /// The seed of the program that it runs, or of the first of several.
    at: u64,
    /// When it said something last.
    heard: Instant,
    running: bool,
}

/// Runs all programs; tells whether all agree.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let mut count = thread::available_parallelism().map_or(1, usize::from) as u64;
    if options.engines.contains(&Engine::Cuda) {
        // Without a GPU it is told once, not by each worker.
        Cuda::new(&CudaOptions::default()).map_err(|missing| Error::other(told(&missing)))?;
        count = count.min(ON_A_GPU);
    }
    let count = options.workers.unwrap_or(count).max(1);
    let (sender, receiver) = channel();
    let mut workers = Vec::new();
    for first in 0..count {
        workers.push(start(options, first, count, workers.len(), &sender)?);
    }
    let mut counts = BTreeMap::<String, usize>::new();
    let mut agree = true;
    let patience = Duration::from_secs(options.patience);
    while workers.iter().any(|worker| worker.running) {
        match receiver.recv_timeout(LOOK) {
            Ok(Message::Line(n, line)) => {
                workers[n].heard = Instant::now();
                match line.split_once(' ') {
                    Some(("start", seed)) => workers[n].at = seed.parse().unwrap_or(0),
                    Some(("done", kind)) => *counts.entry(kind.to_owned()).or_default() += 1,
                    _ => say(&line)?,
                }
            }
            Ok(Message::Ended(n)) => {
                workers[n].running = false;
                let status = workers[n].child.wait()?;
                agree &= status.success();
                if status.code().is_none_or(|code| code > 1) {
                    say(&format!("crashed at seed {} or soon after: {status}", workers[n].at))?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let stuck = |worker: &&mut Worker| worker.running && worker.heard.elapsed() > patience;
        for worker in workers.iter_mut().filter(stuck) {
            say(&format!("no end at seed {} or soon after", worker.at))?;
            worker.heard = Instant::now();
            worker.child.kill()?;
        }
    }
    for (kind, count) in &counts {
        say(&format!("{count:7} {kind}"))?;
    }
    Ok(agree)
}

fn start(
    options: &Options,
    first: u64,
    stride: u64,
    number: usize,
    sender: &Sender<Message>,
) -> Result<Worker> {
    let engines: Vec<String> = options.engines.iter().map(ToString::to_string).collect();
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--worker", "--engines", &engines.join(",")]);
    let numbers = [
        ("--seed", options.seed + first),
        ("--count", options.count.saturating_sub(first)),
        ("--together", options.together),
        ("--stride", stride),
    ];
    command.arg("--int").arg(options.int.to_string());
    command.arg("--float").arg(options.float.to_string());
    command.arg("--fusion").arg(options.fusion.to_string());
    for (name, number) in numbers {
        command.arg(name).arg(number.to_string());
    }
    let flags = [
        ("--no-shrink", options.no_shrink),
        ("--optimise", options.optimise),
        ("--ends", options.ends),
    ];
    for (name, wanted) in flags {
        command.args(wanted.then_some(name));
    }
    if options.sanitize {
        sanitize(&mut command)?;
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let sender = sender.clone();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(Message::Line(number, line)).is_err() {
                    return;
                }
            }
            // Nobody listens any more when this fails.
            let _ = sender.send(Message::Ended(number));
        });
    }
    Ok(Worker { child, at: first, heard: Instant::now(), running: true })
}

/// Has a worker compile for the CPU under sanitizers.  What they find ends the worker.
fn sanitize(command: &mut Command) -> Result<()> {
    let folder = std::env::temp_dir().join("nesl-testkit");
    std::fs::create_dir_all(&folder)?;
    let compiler = folder.join("gcc-sanitize");
    // Signed overflow and alignment are left out: ints wrap, and vectors begin at any address.
    // Without optimisation a batch compiles in less than half the time, and programs run on
    // small data.
    // The compiler itself does not run under the sanitizer that the worker loads.
    let text = "#!/bin/sh\nunset LD_PRELOAD\nexec gcc \"$@\" -O0 -g1 \
                -fsanitize=address,bounds,shift,integer-divide-by-zero,float-cast-overflow \
                -fno-sanitize-recover=bounds,shift,integer-divide-by-zero,float-cast-overflow\n";
    // A file that is written anew cannot be started by another worker meanwhile.
    let own = folder.join(format!("gcc-sanitize-{}", std::process::id()));
    std::fs::write(&own, text)?;
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755))?;
    std::fs::rename(&own, &compiler)?;
    let found = Command::new("gcc").arg("-print-file-name=libasan.so").output()?;
    let library = String::from_utf8_lossy(&found.stdout);
    // The engine has a signal handler of its own, and takes a null pointer for a vector that is
    // too long.
    let choices = "detect_leaks=0:handle_segv=0:use_sigaltstack=0:allocator_may_return_null=1";
    command.env("ASAN_OPTIONS", choices);
    command.env("LD_PRELOAD", library.trim()).env("NESL_CC", compiler);
    Ok(())
}
