//! The Parquet reader panics at some damaged files. Nobody is to see that: it is an error as any other.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use parquet::errors::ParquetError;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does the work; a panic in it is silent and an error. What the work has changed is not to be used then.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                loud(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(false);
    done.unwrap_or_else(|_| Err(ParquetError::General("it is damaged inside".into())))
}
