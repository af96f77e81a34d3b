//! Where the target comes from: the seam between the method and whoever opens devices.

use flashscope_analysis::Finished;
use flashscope_core::{Nanos, Target, TargetError};

use crate::error::Cause;

/// Opens the target once more, on the thread of the stream of this number, which alone uses it. All that are
/// opened have one clock.
pub type Opener<'a, T> = Box<dyn Fn(u16) -> Result<T, TargetError> + Sync + 'a>;

/// Clocks of processor time, which are read at both ends of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    /// Nanoseconds that the thread that calls it has spent on a processor; none where nobody looks.
    pub own: Option<fn() -> u64>,
    /// Notes what other programs have had of the processors by now, and gives their share of these in the
    /// last so many nanoseconds at least, if that can be told. None where nobody looks, and where one of them
    /// serves the target.
    pub others: Option<fn(Nanos) -> Option<f64>>,
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

    /// What tells the drive's time from the machine's; nothing in virtual time.
    fn clocks(&self) -> Clocks {
        Clocks::default()
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
