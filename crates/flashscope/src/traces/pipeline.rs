//! What is changed of a trace, as flags.

use std::str::FromStr;

use anyhow::Result;
use clap::{Args, ValueEnum};
use flashscope_core::{Bytes, Nanos, Op, ParseError, Share};
use flashscope_trace::Pipeline;
use flashscope_trace::transform::{Across, Factor, FitMode, Origin};

use crate::exit::Usage;

/// Flags that change a trace on its way.
#[derive(Clone, Debug, Args)]
pub struct PipelineArgs {
    /// Keep only these devices of the trace
    #[arg(long, value_name = "NAME")]
    pub device: Vec<String>,
    /// Drop requests earlier than this, counted from the first request
    #[arg(long, value_name = "TIME")]
    pub from_time: Option<Nanos>,
    /// Drop requests at or after this time, counted from the first request
    #[arg(long, value_name = "TIME")]
    pub to_time: Option<Nanos>,
    /// Take --from-time and --to-time as timestamps of the trace, not as offsets from its first request
    #[arg(long)]
    pub absolute_times: bool,
    /// Keep only these operations
    #[arg(long, value_delimiter = ',', value_name = "OP,...")]
    pub op: Vec<OpArg>,
    /// Keep only these addresses, such as 0..1GiB, 1GiB.. or ..512MiB
    #[arg(long, value_name = "FROM..TO")]
    pub range: Option<AddressRange>,
    /// How to treat a request that lies partly in --range
    #[arg(long, value_name = "HOW", default_value = "clip", requires = "range")]
    pub across: AcrossArg,
    /// Keep this share of the addresses, chosen by hash (SHARDS)
    #[arg(long, value_name = "RATE")]
    pub sample: Option<Share>,
    /// Unit of --sample: addresses kept or dropped together
    #[arg(long, value_name = "SIZE", default_value = "64KiB", requires = "sample")]
    pub sample_unit: Bytes,
    /// Repeat the trace this many times
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: u64,
    /// Multiply the time between requests by this: 0.5 is twice as fast
    #[arg(long, value_name = "X")]
    pub time_scale: Option<Factor>,
    /// Shorten idle gaps between requests to at most this
    #[arg(long, value_name = "TIME")]
    pub idle_max: Option<Nanos>,
    /// Round requests outwards to whole blocks of this size
    #[arg(long, value_name = "SIZE")]
    pub align: Option<Bytes>,
    /// How to fit the addresses to the size of the target
    #[arg(long, value_name = "HOW")]
    pub fit: Option<FitArg>,
    /// Concatenate the devices of the trace to one device before fitting
    #[arg(long, requires = "fit")]
    pub concatenate: bool,
    /// Unit of --fit compact
    #[arg(long, value_name = "SIZE", default_value = "4KiB", requires = "fit")]
    pub chunk: Bytes,
    /// Split requests at multiples of this size
    #[arg(long, value_name = "SIZE")]
    pub split: Option<Bytes>,
}

/// An operation, as a flag names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpArg {
    /// Reads
    Read,
    /// Writes
    Write,
    /// Flushes
    Flush,
    /// Trims
    Trim,
}

/// What becomes of a request across an end of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AcrossArg {
    /// Keep the part inside
    #[default]
    Clip,
    /// Drop it
    Drop,
}

/// How addresses are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FitArg {
    /// Address modulo size; addresses a multiple of the size apart collide
    Modulo,
    /// Untouched addresses are squeezed out; the file is read twice
    Compact,
    /// Start addresses times size / span; the file is read twice
    Linear,
}

/// Addresses from one (included) to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    from_bytes: u64,
    to_bytes: u64,
}

impl std::fmt::Display for AddressRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to_bytes {
            u64::MAX => write!(f, "{}..", self.from_bytes),
            to_bytes => write!(f, "{}..{to_bytes}", self.from_bytes),
        }
    }
}

impl FromStr for AddressRange {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<AddressRange, ParseError> {
        let (from, to) =
            text.split_once("..").ok_or_else(|| ParseError::invalid(text, "not a range", "0..1GiB"))?;
        let size = |text: &str, none: u64| match text.trim() {
            "" => Ok(none),
            text => text.parse::<Bytes>().map(|bytes| bytes.0),
        };
        let range = AddressRange { from_bytes: size(from, 0)?, to_bytes: size(to, u64::MAX)? };
        match range.from_bytes < range.to_bytes {
            true => Ok(range),
            false => Err(ParseError::invalid(text, "empty", "the lower address first")),
        }
    }
}

impl PipelineArgs {
    /// Whether anything is to be changed.
    pub fn is_given(&self) -> bool {
        let PipelineArgs { device, op, from_time, to_time, range, sample, repeat, time_scale, .. } = self;
        let selects = !device.is_empty() || !op.is_empty() || range.is_some() || sample.is_some();
        let times = from_time.is_some() || to_time.is_some() || time_scale.is_some();
        let moves = self.idle_max.is_some() || self.align.is_some() || self.fit.is_some();
        selects || times || moves || self.absolute_times || *repeat != 1 || self.split.is_some()
    }

    /// What the flags ask for.
    pub fn pipeline(&self) -> Result<Pipeline, Usage> {
        if self.absolute_times && self.from_time.is_none() && self.to_time.is_none() {
            return Err(Usage("--absolute-times needs --from-time or --to-time".into()));
        }
        Ok(Pipeline {
            devices: self.device.clone(),
            from: self.from_time,
            to: self.to_time,
            origin: if self.absolute_times { Origin::Trace } else { Origin::FirstRecord },
            ops: self.op.iter().map(|op| Op::ALL[*op as usize]).collect(),
            range: self.range.map(|range| range.from_bytes..range.to_bytes),
            across: match self.across {
                AcrossArg::Clip => Across::Clip,
                AcrossArg::Drop => Across::Drop,
            },
            sample: self.sample,
            sample_unit: self.sample_unit,
            repeat: self.repeat,
            time_scale: self.time_scale,
            idle_max: self.idle_max,
            align: self.align,
            fit: self.fit.map(|fit| match fit {
                FitArg::Modulo => FitMode::Modulo,
                FitArg::Compact => FitMode::Compact,
                FitArg::Linear => FitMode::Linear,
            }),
            concatenate: self.concatenate,
            chunk: self.chunk,
            split: self.split,
            ..Pipeline::default()
        })
    }
}
