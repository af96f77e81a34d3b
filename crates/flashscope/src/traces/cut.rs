//! `flashscope trace cut`: a part of a trace, changed to fit another place or pace.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use flashscope_core::{Bytes, ParseError};
use flashscope_trace::{LayoutCache, Pipeline, TraceError};

use super::convert::{WriteFormat, output_format, summary, write_trace};
use super::open::{ReadArgs, named};
use super::pipeline::PipelineArgs;
use crate::exit::Done;
use crate::screen::Screen;

/// `flashscope trace cut`.
///
/// Flags are applied in this order, whatever the order they are given in: time window, devices, operations,
/// address range, sample; repeat; time scale, idle gaps; align, shift; fit; split.
#[derive(Debug, Args)]
pub struct CutArgs {
    /// The trace; - is standard input
    pub input: PathBuf,
    /// What to write, compressed if its name ends in .gz, .zst or .xz; - is standard output
    pub output: PathBuf,
    #[command(flatten)]
    /// What is changed.
    pub pipeline: PipelineArgs,
    /// Bytes of the device that --fit fits to [default for compact: what is read or written]
    #[arg(long, value_name = "SIZE", requires = "fit")]
    pub size: Option<Bytes>,
    /// Move all addresses by so many bytes, up or (-4096) down
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    pub shift: Option<Distance>,
    #[command(flatten)]
    /// How it is read.
    pub read: ReadArgs,
    #[command(flatten)]
    /// How it is written.
    pub write: WriteFormat,
}

/// A number of bytes, up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance(i128);

impl FromStr for Distance {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Distance, ParseError> {
        let (sign, size) = match text.strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let bytes: Bytes = size.parse()?;
        Ok(Distance(sign * i128::from(bytes.0)))
    }
}

/// Runs the command.
pub fn run(args: &CutArgs, screen: &Screen) -> Result<Done> {
    let format = output_format(&args.output, args.write.to.as_deref())?;
    let shift_bytes = args.shift.map_or(0, |distance| distance.0);
    let pipeline = Pipeline { size: args.size, shift_bytes, ..args.pipeline.pipeline()? };
    let file = Arc::new(args.read.file(&args.input));
    let (trace, written) = screen.during(&format!("cutting {}", args.input.display()), || {
        let mut trace = pipeline.apply_to(file, &LayoutCache::default()).map_err(|error| match error {
            TraceError::Pipeline(_) => error.into(),
            error => named(&args.input, error),
        })?;
        let written = write_trace(&mut trace, &args.input, &args.output, format)?;
        anyhow::Ok((trace, written))
    })?;
    screen.note(&summary(&written, &*trace, &args.output, format));
    Ok(if written.complete { Done::Well } else { Done::Interrupted })
}
