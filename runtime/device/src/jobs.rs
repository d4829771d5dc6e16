//! Compiling several translation units at once.

use std::cmp::Reverse;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Bytes of stack of a thread that compiles: compilers recurse as deeply as texts nest.
const STACK: usize = 64 << 20;

/// Compiles each unit by its number, `jobs` at once: the longest first, another whenever one is
/// done.  So all jobs end at about the same time.
pub(crate) fn side_by_side<E: Send>(
    units: &[impl AsRef<str> + Sync],
    jobs: usize,
    compile: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|&i| Reverse(units[i].as_ref().len()));
    let next = AtomicUsize::new(0);
    let job = || {
        let take = || order.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take).try_for_each(|&i| compile(i))
    };
    thread::scope(|scope| {
        let count = jobs.min(units.len()).saturating_sub(1);
        let start = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, job);
        // Where no further thread can be had, those that there are do the work.
        let others: Vec<_> = (0..count).map_while(|_| start().ok()).collect();
        let own = job();
        others.into_iter().fold(own, |result, other| {
            let other = other.join().unwrap_or_else(|panic| resume_unwind(panic));
            result.and(other)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::side_by_side;
    use std::convert::Infallible;
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    const UNITS: [&str; 3] = ["a", "ccc", "bb"];

    #[test]
    fn the_longest_unit_is_compiled_first() {
        let order = Mutex::new(Vec::new());
        let compile = |i| {
            order.lock().unwrap().push(i);
            Ok(())
        };
        let Ok(()): Result<(), Infallible> = side_by_side(&UNITS, 1, compile);
        assert_eq!(order.into_inner().unwrap(), [1, 2, 0]);
    }

    /// The longest unit waits here until the others are done.
    #[test]
    fn a_free_job_takes_the_next_unit() {
        let (done, others) = mpsc::channel();
        let others = Mutex::new(others);
        let compile = |i| {
            if i == 1 {
                let others = others.lock().unwrap();
                for _ in 0..2 {
                    others.recv_timeout(Duration::from_secs(60)).unwrap();
                }
            } else {
                done.send(()).unwrap();
            }
            Ok(())
        };
        let Ok(()): Result<(), Infallible> = side_by_side(&UNITS, 2, compile);
    }
}
