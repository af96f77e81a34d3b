//! Ctrl-C or SIGTERM: once finishes the IO in flight and keeps what there is, twice stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Listens from now on; the flag is set at the first signal.
pub fn listen() -> &'static AtomicBool {
    // A second handler in one process is refused; the first one serves as well.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}
