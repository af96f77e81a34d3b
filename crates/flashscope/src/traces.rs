//! What the `trace` command does, one file for each of its own commands, and traces opened for all commands.

mod capture;
mod convert;
mod cut;
mod generate;
mod merge;
pub mod open;
pub mod pipeline;
mod sniff;
mod stats;
pub mod timing;

use clap::{Args, Subcommand};

pub use open::{ReadArgs, StageArg, named};

/// `flashscope trace`.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// The commands on traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Detect the format of a trace, with a confidence
    Sniff(sniff::SniffArgs),
    /// Describe a trace: mix, footprint, sizes, sequentiality, times, re-use
    Stats(stats::StatsArgs),
    /// Convert a trace to another format; report what that cannot hold
    Convert(convert::ConvertArgs),
    /// Cut, scale, move or fit a trace
    Cut(Box<cut::CutArgs>),
    /// Merge several traces in time order
    Merge(merge::MergeArgs),
    /// Generate a trace: synthetic workloads, and models of paper 002's workloads
    Generate(generate::GenerateArgs),
    /// Record the requests of a block device while a command runs, for a time, or until Ctrl-C
    Capture(capture::CaptureArgs),
}

impl TraceCommand {
    /// Runs it.
    pub fn run(&self, screen: &crate::screen::Screen) -> anyhow::Result<crate::exit::Done> {
        match self {
            TraceCommand::Sniff(args) => sniff::run(args, screen),
            TraceCommand::Stats(args) => stats::run(args, screen),
            TraceCommand::Convert(args) => convert::run(args, screen),
            TraceCommand::Cut(args) => cut::run(args, screen),
            TraceCommand::Merge(args) => merge::run(args, screen),
            TraceCommand::Generate(args) => generate::run(args, screen),
            TraceCommand::Capture(args) => capture::run(args, screen),
        }
    }
}
