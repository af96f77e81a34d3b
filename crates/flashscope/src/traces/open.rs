//! Traces opened by their name on the command line.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use flashscope_lab::Error;
use flashscope_trace::{Records, Stop, TraceError, TraceFile};

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
}

impl ReadArgs {
    /// The trace of this name; `-` is standard input. Reading it ends at Ctrl-C.
    pub fn file(&self, path: &Path) -> TraceFile {
        TraceFile {
            format: self.from.clone(),
            lenient: self.lenient,
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
