//! Where the target comes from: the seam between the method and whoever opens devices.

use flashscope_analysis::{Disturbance, Finished};
use flashscope_core::{Target, TargetError};

use crate::error::Cause;

/// Opens the target once more, on the thread of the stream of this number, which alone uses it. All that are
/// opened have one clock.
pub type Opener<'a, T> = Box<dyn Fn(u16) -> Result<T, TargetError> + Sync + 'a>;

/// Nanoseconds that the thread that calls it has spent on a processor.
pub type CpuClock = fn() -> u64;

/// Watches what else goes on during a run.
pub trait Surroundings {
    /// The run begins.
    fn begin(&mut self);

    /// It is over, and has read and written so many bytes.
    fn end(&mut self, read_bytes: u64, written_bytes: u64) -> Disturbance;
}

/// Gives the target in the form that a run needs: one IO at a time, or many in flight.
pub trait Lab {
    /// What serves the requests.
    type Target: Target;

    /// The target, able to hold `depth` IOs in flight.
    ///
    /// # Errors
    /// When there is no such form of it.
    fn target(&mut self, depth: u32) -> Result<&mut Self::Target, TargetError>;

    /// Opens the target once more for each of `jobs` threads that drive a stream of their own, with `depth`
    /// IOs in flight on each. None where one loop must do, as in virtual time.
    fn opener(&self, jobs: u32, depth: u32) -> Option<Opener<'_, Self::Target>> {
        let _ = (jobs, depth);
        None
    }

    /// A run begins: its time counts from here.
    fn begin(&mut self) {}

    /// Reads the processor time of the calling thread; none where nobody looks at a clock.
    fn cpu_clock(&self) -> Option<CpuClock> {
        None
    }

    /// Looks beside a run; none in virtual time.
    fn surroundings(&self) -> Option<Box<dyn Surroundings>> {
        None
    }

    /// The run that began last is over and kept.
    ///
    /// # Errors
    /// What the lab wanted to keep of it beside its IOs cannot be kept.
    fn end(&mut self, finished: &Finished) -> Result<(), Cause> {
        let _ = finished;
        Ok(())
    }
}

/// A single target, whatever it is, with all the IOs in flight that it takes.
#[derive(Debug)]
pub struct Alone<T>(pub T);

impl<T: Target> Lab for Alone<T> {
    type Target = T;

    fn target(&mut self, _depth: u32) -> Result<&mut T, TargetError> {
        Ok(&mut self.0)
    }
}
