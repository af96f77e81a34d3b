//! The flags of `flashscope replay`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_device::Engine;

use crate::cli::WriteArgs;
use crate::traces::ReadArgs;
use crate::traces::pipeline::PipelineArgs;
use crate::traces::timing::TimingArg;

/// `flashscope replay`. A real target is written only with --write; with --read-only the trace's reads alone
/// are replayed. A trace is changed in this order, whatever the order of the flags: time window, devices,
/// operations, address range, sample; repeat; time scale, idle gaps; align; fit; split.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The trace
    pub trace: PathBuf,
    /// Where it is replayed
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    /// When the requests go
    #[arg(long, default_value = "on-time")]
    pub timing: TimingArg,
    /// IOs in flight at most [default: 1 with --timing asap, else 128]
    #[arg(long, value_name = "N")]
    pub iodepth: Option<u32>,
    /// Leave out writes, flushes and trims
    #[arg(long, conflicts_with_all = ["write", "verify"])]
    pub read_only: bool,
    /// Read back at the end all that was written, and prove that each block holds its last write
    #[arg(long)]
    pub verify: bool,
    /// Trim the whole target first
    #[arg(long)]
    pub discard: bool,
    /// Do not flush the target at the end
    #[arg(long)]
    pub no_final_flush: bool,
    #[command(flatten)]
    /// How the trace is read.
    pub read: ReadArgs,
    #[command(flatten)]
    /// What of it is replayed, and how it is fitted to the target.
    pub pipeline: PipelineArgs,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    /// Engine on real targets: sync or io_uring [default: sync for one IO in flight, else io_uring]
    #[arg(long)]
    pub engine: Option<Engine>,
    /// Seed of everything random [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep every IO in this result folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if less than 95 % of the requests went within 50 µs of their time
    #[arg(long)]
    pub strict: bool,
}
