//! Traces opened by their name on the command line.

use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use flashscope_lab::Error;
use flashscope_trace::{Columns, Records, Stage, StatedUnits, Stop, TraceError, TraceFile};

use crate::signal;

/// What every command takes that reads a trace.
#[derive(Clone, Debug, Default, Args)]
pub struct ReadArgs {
    /// The trace's format [default: detected]
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Skip unreadable lines and count them
    #[arg(long)]
    pub lenient: bool,
    /// Read any text table: columns with units, as in time=2:us,offset=5:sector,length=6:byte,op=3
    #[arg(long, value_name = "COLUMNS", conflicts_with = "from")]
    pub columns: Option<Columns>,
    /// Units in place of the format's, as in time=us,offset=byte,length=sector,latency=ms
    #[arg(long, value_name = "UNITS", conflicts_with = "columns", hide_short_help = true)]
    pub units: Option<StatedUnits>,
    /// Which events of a tracer are the requests [default: what reached the device]
    #[arg(long, value_name = "STAGE")]
    pub stage: Option<StageArg>,
}

/// A stage of the block layer, as a flag names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageArg {
    /// As programs and file systems asked for them, before merging and splitting
    Queued,
    /// As they went to the device
    Issued,
    /// As the device completed them
    Completed,
}

impl ReadArgs {
    /// The trace of this name; `-` is standard input. Reading it ends at Ctrl-C.
    pub fn file(&self, path: &Path) -> TraceFile {
        TraceFile {
            format: self.from.clone(),
            lenient: self.lenient,
            columns: self.columns.clone(),
            units: self.units.unwrap_or_default(),
            stage: self.stage.map(|stage| match stage {
                StageArg::Queued => Stage::Queued,
                StageArg::Issued => Stage::Issued,
                StageArg::Completed => Stage::Completed,
            }),
            stop: Stop::when(signal::interrupt().shared()),
            ..TraceFile::new(path)
        }
    }
}

/// Opens the trace of this name.
pub fn open(path: &Path, read: &ReadArgs) -> Result<Box<dyn Records>> {
    read.file(path).open().map_err(|error| named(path, error))
}

/// An error of a trace, with its name.
pub fn named(path: &Path, error: TraceError) -> anyhow::Error {
    if error.is_interruption() {
        return Error::interrupted().into();
    }
    error.in_file(path).into()
}
