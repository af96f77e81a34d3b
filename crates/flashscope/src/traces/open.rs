//! Traces opened by their name on the command line, with errors that name the file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_trace::{Records, TraceError};

use crate::exit::Usage;

/// What every command takes that reads a trace.
#[derive(Clone, Debug, Args)]
pub struct ReadArgs {
    /// The trace's format [default: found out]
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Leave out bad lines and count them
    #[arg(long)]
    pub lenient: bool,
}

/// Opens the trace of this name; `-` is standard input.
pub fn open(path: &Path, format: Option<&str>, lenient: bool) -> Result<Box<dyn Records>> {
    let reader = flashscope_trace::open(input(path)?, format, lenient);
    Ok(Box::new(reader.map_err(|error| named(path, error))?))
}

/// The bytes of the file of this name; `-` is standard input.
pub fn input(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let unreadable = |cause: String| Usage(format!("cannot read the trace {}: {cause}", path.display()));
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(unreadable("it is a folder; name a file in it".into()).into());
    }
    Ok(Box::new(file))
}

/// An error of a trace in the words of the command line, with the trace's name.
pub fn message(path: &Path, error: &TraceError) -> String {
    let name = if path == Path::new("-") { PathBuf::from("standard input") } else { path.to_path_buf() };
    format!("{}: {error}", name.display()).replace("read leniently", "add --lenient")
}

/// An error of a trace, with its name. One that a flag could have avoided is the caller's.
pub fn named(path: &Path, error: TraceError) -> anyhow::Error {
    let text = message(path, &error);
    match error {
        TraceError::UnknownFormat { .. } | TraceError::UnwrittenFormat { .. } | TraceError::Empty => {
            Usage(text).into()
        }
        _ => anyhow::anyhow!(text),
    }
}
