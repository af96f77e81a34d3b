//! When the requests of a trace go.

use flashscope_core::{Nanos, Pacing};
use flashscope_trace::Pipeline;

use crate::error::{Error, Remedy, Result};

/// When the requests of a trace go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// When the trace says, counted from its first request: deadlines that do not drift.
    #[default]
    OnTime,
    /// As soon as there is room among those in flight: total time is what counts (paper 002).
    Asap,
    /// As soon as no more are in flight than there were in the trace, by its latencies.
    Depth,
}

impl Timing {
    /// Its name in results: `on-time`, `asap` or `depth`.
    pub fn name(self) -> &'static str {
        match self {
            Timing::OnTime => "on-time",
            Timing::Asap => "asap",
            Timing::Depth => "depth",
        }
    }

    /// Refuses what does not go together.
    pub(crate) fn check(self, pipeline: &Pipeline) -> Result<()> {
        let setting = match (pipeline.time_scale, pipeline.idle_max) {
            (Some(_), _) => "time_scale",
            (None, Some(_)) => "idle_max",
            (None, None) => return Ok(()),
        };
        if self == Timing::Depth {
            let problem = "excludes timing depth: it moves requests but not their latencies";
            return Err(Error::setting(setting, problem).with(Remedy::LeaveOut(setting)));
        }
        Ok(())
    }

    /// The same for the drive loop.
    pub fn pacing(self, iodepth: u32) -> Pacing {
        match self {
            Timing::OnTime => Pacing::Due { iodepth },
            Timing::Asap => Pacing::Closed { iodepth, pause: Nanos::ZERO, burst: 1 },
            Timing::Depth => Pacing::Traced { iodepth },
        }
    }
}
