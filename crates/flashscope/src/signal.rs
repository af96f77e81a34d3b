//! Ctrl-C or SIGTERM: once finishes the IO in flight and keeps what there is, twice stops at once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_lab::Interrupt;

static INTERRUPT: LazyLock<Interrupt> = LazyLock::new(Interrupt::new);
static AGAIN: AtomicBool = AtomicBool::new(false);
/// The second signal stops nothing at once either, for something must be cleaned up; the third does.
static IS_PATIENT: AtomicBool = AtomicBool::new(false);

/// Listens from now on; set at the first signal.
pub fn interrupt() -> &'static Interrupt {
    // A second handler in one process is refused; the first one serves as well.
    let _ = ctrlc::set_handler(|| {
        let is_first = !INTERRUPT.set();
        let may_go_on = IS_PATIENT.load(Ordering::Relaxed) && !AGAIN.swap(!is_first, Ordering::Relaxed);
        if !is_first && !may_go_on {
            flashscope_store::remove_unfinished();
            std::process::exit(130);
        }
    });
    &INTERRUPT
}

/// The flag of [`interrupt`].
pub fn listen() -> &'static AtomicBool {
    interrupt().flag()
}

/// The flag that [`listen`] listens for; not set as long as nobody listens.
pub fn flag() -> &'static AtomicBool {
    INTERRUPT.flag()
}

/// Listens from now on; the flags are set at the first and at the second signal.
pub fn listen_twice() -> (&'static AtomicBool, &'static AtomicBool) {
    IS_PATIENT.store(true, Ordering::Relaxed);
    (listen(), &AGAIN)
}
