//! When the requests of a trace go.

use clap::ValueEnum;
use flashscope_lab::Timing;

/// When the requests of a trace go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// When the trace says, counted from its first request: deadlines that do not drift
    OnTime,
    /// As soon as there is room among --iodepth, 1 unless given: total time is what counts (paper 002)
    Asap,
    /// As soon as no more are in flight than there were in the trace, by its latencies
    Depth,
}

impl From<TimingArg> for Timing {
    fn from(timing: TimingArg) -> Timing {
        match timing {
            TimingArg::OnTime => Timing::OnTime,
            TimingArg::Asap => Timing::Asap,
            TimingArg::Depth => Timing::Depth,
        }
    }
}
