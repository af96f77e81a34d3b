//! Stopping what is at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Stops what is at work, from another thread or a signal handler: IOs in flight finish, what was measured is
/// kept. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Not set.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Stops all that listens. Returns whether it was set before.
    pub fn set(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, as the drive loop takes it.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// The flag itself, for who keeps it.
    pub fn shared(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// # Errors
    /// [`crate::ErrorKind::Interrupted`] once it is set.
    pub fn check(&self) -> Result<()> {
        if self.is_set() { Err(Error::interrupted()) } else { Ok(()) }
    }
}
