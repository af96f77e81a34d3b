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

pub use open::{ReadArgs, named};

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
    /// Name the format of a trace and say how sure that is
    Sniff(sniff::SniffArgs),
    /// Say what a trace is like: mix, footprint, sizes, sequentiality, times, re-use
    Stats(stats::StatsArgs),
    /// Write a trace in another format; say what that cannot hold
    Convert(convert::ConvertArgs),
    /// Write a part of a trace, or all of it at another pace, place or size
    Cut(Box<cut::CutArgs>),
    /// Write several traces as one, in the order of time
    Merge(merge::MergeArgs),
    /// Make up a trace: synthetic workloads, and models of those of paper 002
    Generate(generate::GenerateArgs),
    /// Record what a block device does while a command runs, for a time, or until Ctrl-C
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
