//! Threads: one function, called from several at once, while others compile.

use nesl::{Error, Options, Session};
use std::thread;

pub(crate) fn main() -> Result<(), Error> {
    let session = Session::new(&Options::default())?;
    let program = session.compile("function norm(a) = sqrt(sum({x * x : x in a}));")?;
    let norm = program.get::<fn(&[f64]) -> f64>("norm")?;
    thread::scope(|scope| {
        let callers: Vec<_> = (1..=8)
            .map(|n| {
                let norm = &norm;
                scope.spawn(move || norm.call(&vec![f64::from(n); 10_000]))
            })
            .collect();
        // Handles of a session are clones, and may be used anywhere.
        let other = session.clone();
        let compiler = scope.spawn(move || {
            let program = other.compile("function next(a) = {x + 1 : x in a};")?;
            program.get::<fn(&[i64]) -> Vec<i64>>("next")?.call(&[1, 2])
        });
        for (n, caller) in callers.into_iter().enumerate() {
            let norm = caller.join().expect("no thread panics")?;
            assert_eq!(norm, (n + 1) as f64 * 100.0);
        }
        assert_eq!(compiler.join().expect("no thread panics")?, [2, 3]);
        Ok(())
    })
}
