//! When the requests of a trace go.

use clap::ValueEnum;
use flashscope_core::{Nanos, Pacing};

use super::pipeline::PipelineArgs;
use crate::exit::Usage;

/// When the requests of a trace go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Timing {
    /// When the trace says, counted from its first request: deadlines that do not drift
    OnTime,
    /// As soon as there is room among --iodepth, 1 unless given: total time is what counts (paper 002)
    Asap,
    /// As soon as no more are in flight than there were in the trace, by its latencies
    Depth,
}

impl Timing {
    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Timing::OnTime => "on-time",
            Timing::Asap => "asap",
            Timing::Depth => "depth",
        }
    }

    /// Refuses what does not go together.
    pub fn check(self, pipeline: &PipelineArgs) -> Result<(), Usage> {
        let scales = pipeline.time_scale.is_some() || pipeline.idle_max.is_some();
        if self == Timing::Depth && scales {
            let message = "--time-scale and --idle-max move requests and leave their latencies, so that \
                           --timing depth would find another depth than the trace had: leave out --timing \
                           depth, or them";
            return Err(Usage(message.into()));
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
