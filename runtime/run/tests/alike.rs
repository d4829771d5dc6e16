//! Programs of many steps that look alike: their kernels are printed once, and each does what its
//! own step says, and tells of its own mistakes.

use compile::Text;
use device::Paper;
use emit::{CText, CudaText};
use run::Session;
use run::session::{EngineKind, Event, Given, Options};
use std::fmt::Write;
use std::path::Path;

/// So many times a scan, a filter and a look-up, each with numbers of its own.
const TIMES: usize = 40;

/// A function of many steps.  `wrong`: the look-up that is out of range.
fn program(wrong: Option<usize>) -> String {
    let mut text = "function steps(a) : [int] -> [int] =\n  let\n    v0 = a".to_owned();
    for i in 0..TIMES {
        let at = if wrong == Some(i) { "x - x - 1" } else { "rem(abs(x), 3)" };
        let _ = write!(
            text,
            ";\n    s{i} = plus_scan({{x + {i} : x in v{i}}});\n    \
             k{i} = {{min(x, {}) - {i} : x in s{i} | x /= {}}} ++ [1, 2, 3];\n    \
             v{} = {{k{i}[{at}] * {} : x in k{i}}}",
            1000 + i,
            3 * i,
            i + 1,
            i + 3,
        );
    }
    let _ = write!(text, "\n  in v{TIMES};");
    text
}

/// What is shown, or the mistake, with its place.
fn run(engine: EngineKind, text: &str) -> String {
    let mut options = Options::new(engine);
    options.cpu.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    options.cpu.quick = true;
    let mut session = Session::new(&options, Box::new(std::io::sink())).unwrap();
    let mut told = String::new();
    for group in [text, "steps([7, 0, 3, 5, 5]);"] {
        let _ = session.run("test", group.as_bytes(), &mut |files, event| match event {
            Event::Shown { value, .. } => told = String::from_utf8(value).unwrap(),
            Event::Failed(errors) => {
                let found = errors.iter().map(|error| {
                    let place = &error.primary;
                    format!("{} {place:?}", error.short(files))
                });
                told = found.collect::<Vec<_>>().join("\n");
            }
            Event::Warning(_) | Event::Said(_) => {}
        });
    }
    told
}

#[test]
fn each_does_what_it_says() {
    let text = program(None);
    let expected = run(EngineKind::Interp, &text);
    assert!(expected.starts_with('['), "{expected}");
    assert_eq!(run(EngineKind::Cpu, &text), expected);
}

#[test]
fn each_tells_of_its_own_mistakes() {
    for wrong in [0, 1, 17, TIMES - 1] {
        let text = program(Some(wrong));
        let expected = run(EngineKind::Interp, &text);
        assert!(expected.contains("index -1 is outside"), "{expected}");
        assert_eq!(run(EngineKind::Cpu, &text), expected);
    }
}

/// The kernels that are printed, by what each begins with.
fn printed<T: Text + Clone + Send + Sync + 'static>(begin: &str) -> usize {
    let mut options = Options::new(EngineKind::Cuda);
    options.dump = Some(T::NAME.to_owned());
    let mut session =
        Session::on(Paper::<T>::default(), &options, Box::new(std::io::sink())).unwrap();
    let _ = session.run("test", program(None).as_bytes(), &mut |_, _| {});
    let given = Given::literal("a", "[1, 2]");
    session.prepare_call("steps", &[given]).unwrap();
    session.report().dump.matches(begin).count()
}

#[test]
fn what_looks_alike_is_printed_once() {
    assert_eq!(printed::<CText>("/* ---- k"), 5);
    assert_eq!(printed::<CudaText>("/* ---- k"), 5);
}
