//! Panics of the compiler as data: a bug in it is a finding, not the end of the run.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Once;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What the work gives, or the place and message of its panic.
pub(super) fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        set_hook(Box::new(|info| LAST.set(info.to_string())));
    });
    // What broke is thrown away, so no broken state is seen.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST.take())
}
