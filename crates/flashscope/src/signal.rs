//! Ctrl-C or SIGTERM: once finishes the IO in flight and keeps what there is, twice stops at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use crate::exit::Interrupted;

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static AGAIN: AtomicBool = AtomicBool::new(false);
/// The second signal stops nothing at once either, for something must be cleaned up; the third does.
static IS_PATIENT: AtomicBool = AtomicBool::new(false);

/// Listens from now on; the flag is set at the first signal.
pub fn listen() -> &'static AtomicBool {
    // A second handler in one process is refused; the first one serves as well.
    let _ = ctrlc::set_handler(|| {
        let is_first = !INTERRUPTED.swap(true, Ordering::Relaxed);
        let may_go_on = IS_PATIENT.load(Ordering::Relaxed) && !AGAIN.swap(!is_first, Ordering::Relaxed);
        if !is_first && !may_go_on {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}

/// [`Interrupted`] once the flag is set.
pub fn must_go_on(interrupted: &AtomicBool) -> Result<(), Interrupted> {
    if interrupted.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
}

/// The flag that [`listen`] listens for; not set as long as nobody listens.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// The same, to be kept by whoever reads a trace.
pub fn shared_flag() -> Arc<AtomicBool> {
    INTERRUPTED.clone()
}

/// Listens from now on; the flags are set at the first and at the second signal.
pub fn listen_twice() -> (&'static AtomicBool, &'static AtomicBool) {
    IS_PATIENT.store(true, Ordering::Relaxed);
    (listen(), &AGAIN)
}
