//! The programs of `examples/` with their small inputs, on every engine, and with fast math.

use libtest_mimic::{Arguments, Failed, Trial};
use run::session::{EngineKind, Options};
use std::path::Path;
use testkit::{Verdict, example};

fn main() -> std::io::Result<()> {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut trials = Vec::new();
    for example in example::read(&folder)? {
        let choices = [
            ("interp", options(EngineKind::Interp)),
            ("cpu", options(EngineKind::Cpu)),
            ("fast", Options { fast_math: true, ..options(EngineKind::Cpu) }),
        ];
        for (name, options) in choices {
            let example = example.clone();
            trials.push(Trial::test(format!("{name}/{}", example.name), move || {
                match example.judge(&options) {
                    Verdict::Passed => Ok(()),
                    Verdict::Failed(reason) | Verdict::NotYet(reason) => Err(Failed::from(reason)),
                }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit()
}

/// Compiled programs are kept among the target files, and made quickly.
fn options(engine: EngineKind) -> Options {
    let mut options = Options::new(engine);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    options
}
