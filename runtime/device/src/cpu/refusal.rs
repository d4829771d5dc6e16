//! Why a C compiler failed: our text, or its surroundings.
//!
//! An error at a place of our text is a bug of ours.  Everything else, such as a full disk, a
//! killed process or a missing linker, is a failure of the environment, and the error has advice
//! for the user.

use base::{Code, Diagnostic, Kind};
use std::process::ExitStatus;

/// Lines of the compiler's messages that are shown.
const SHOWN: usize = 8;

/// Causes by words in the system's or the compiler's messages, and advice.
const CAUSES: [(&[&str], &str); 5] = [
    (
        &["No space left", "Disk quota exceeded", "File too large"],
        "make room on the disk, or set NESL_CACHE_DIR and TMPDIR to folders that have room",
    ),
    (
        &["Resource temporarily unavailable", "Too many open files"],
        "the system starts no more processes: end some, or raise `ulimit -u` and `ulimit -n`",
    ),
    (
        &["Killed", "Cannot allocate memory", "out of memory", "signal: 9"],
        "the compiler needs more memory than there is: end other programs, or raise `ulimit -v`",
    ),
    (
        &["internal compiler error", "Segmentation fault", "PLEASE submit a bug report"],
        "this is a fault of the C compiler: try another one with NESL_CC",
    ),
    (
        &[".h: No such file", "cannot find -l", "crt1.o", "crti.o"],
        "install the headers and libraries of C, such as the package `libc6-dev`",
    ),
];

/// The advice for a failure with this message, if [`CAUSES`] has one.
pub(super) fn advice(told: &str) -> Option<&'static str> {
    let fits = |words: &[&str]| words.iter().any(|word| told.contains(word));
    CAUSES.iter().find(|(words, _)| fits(words)).map(|(_, advice)| *advice)
}

/// A failure of the environment; `told` is what the system or the compiler says.
pub(super) fn of_environment(message: String, told: &str) -> Diagnostic {
    let unknown = "see whether the C compiler makes a program of a small file, \
                   or set NESL_CC to another one";
    Diagnostic::of(Code::Compiler, message)
        .help(advice(told).unwrap_or(unknown))
        .help("`--engine interp` runs the program without a C compiler")
}

/// The failure of a compiler with this status and these messages.  `options` is true if the user
/// gave options, which may be the cause.
pub(super) fn of_compiler(status: ExitStatus, told: &str, options: bool) -> Diagnostic {
    let message = format!("the C compiler failed ({status})");
    let ours = told.lines().any(is_about_text);
    let diagnostic = match (ours, options) {
        (true, false) => Diagnostic::new(Kind::Bug, message),
        (true, true) => of_environment(message, "")
            .help("NESL_CC or CC gives it options: leave them out if they change the language"),
        (false, _) => of_environment(message, &format!("{status} {told}")),
    };
    told.lines().take(SHOWN).fold(diagnostic, Diagnostic::note)
}

/// Returns true for an error at a place of a unit: `unit0.c:7:3: error: ...`.  A *fatal* or
/// *internal* error there is about the machine.
fn is_about_text(line: &str) -> bool {
    let place = line.strip_prefix("unit").and_then(|rest| rest.split_once(": error: "));
    place.is_some_and(|(place, _)| place.contains(".c:"))
}

/// Returns true if a build in another folder may succeed: not after an error of our text or a lack
/// of memory.
pub(super) fn may_be_of_folder(diagnostic: &Diagnostic) -> bool {
    let memory = CAUSES[2].1;
    diagnostic.kind != Kind::Bug && !diagnostic.help.iter().any(|help| help == memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(told: &str, options: bool) -> (Kind, bool) {
        #[cfg(unix)]
        let status = std::os::unix::process::ExitStatusExt::from_raw(1 << 8);
        #[cfg(not(unix))]
        let status = ExitStatus::default();
        let diagnostic = of_compiler(status, told, options);
        (diagnostic.kind, diagnostic.help.iter().any(|help| help.contains("NESL_CC")))
    }

    #[test]
    fn only_refused_texts_are_bugs() {
        let bug = "unit12.c: In function 'k0':\nunit12.c:7:3: error: 'x' undeclared\n";
        assert_eq!(kind(bug, false), (Kind::Bug, false));
        assert_eq!(kind(bug, true).0, Kind::Input);
        for told in [
            "",
            "unit0.c:1:10: fatal error: math.h: No such file or directory",
            "unit0.c:9:1: internal compiler error: Segmentation fault",
            "unit0.c:9:1: fatal error: error writing to unit0.s: No space left on device",
            "cc1: fatal error: unit0.c: No such file or directory",
            "/usr/bin/ld: final link failed: No space left on device\n\
             collect2: error: ld returned 1 exit status",
            "gcc: fatal error: cannot execute 'cc1': vfork: Resource temporarily unavailable",
            "gcc: fatal error: Killed signal terminated program cc1",
        ] {
            assert_eq!(kind(told, false).0, Kind::Input, "{told}");
        }
    }

    #[test]
    fn advice_fits_the_cause() {
        let first = |told: &str| advice(told).and_then(|text| text.split_whitespace().nth(1));
        assert_eq!(first("write: No space left on device (os error 28)"), Some("room"));
        assert_eq!(first("vfork: Resource temporarily unavailable"), Some("system"));
        assert_eq!(first("fatal error: Killed signal terminated program cc1"), Some("compiler"));
        assert_eq!(first("exit status: 1"), None);
        let full = of_environment(String::new(), "No space left on device");
        let killed = of_environment(String::new(), "signal: 9 (SIGKILL)");
        assert!(may_be_of_folder(&full) && !may_be_of_folder(&killed));
    }
}
