//! When the requests of a trace go.

use clap::ValueEnum;
use flashscope_lab::Timing;

/// When the requests of a trace go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingArg {
    /// At the time recorded in the trace, without drift
    OnTime,
    /// As fast as possible with --iodepth IOs in flight, 1 by default (paper 002)
    Asap,
    /// At the queue depth that the trace's latencies imply
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
