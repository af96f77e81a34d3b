//! The commands. The flags of each stand in its own file, those that several share in `args`; settings of a
//! pattern come from their own table, see `pattern_args`.

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::Global;
use crate::commands::check::CheckArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::create::CreateArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::export::ExportArgs;
use crate::commands::import::ImportArgs;
use crate::commands::list::ListArgs;
use crate::commands::man::ManArgs;
use crate::commands::measure::MeasureArgs;
use crate::commands::pack::PackArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::report::ReportArgs;
use crate::commands::reproduce::ReproduceArgs;
use crate::commands::run::RunArgs;
use crate::commands::show::ShowArgs;
use crate::commands::sim::SimArgs;
use crate::commands::site::SiteArgs;
use crate::traces::TraceArgs;

/// Measure, simulate and explain flash storage.
///
/// TARGET is a block device or file, `rig:NAME` or `rig:FILE.toml` (a virtual device with known
/// characteristics), `sim:PROFILE` (a simulated SSD or disk), or `null:` (no device at all). Commands only
/// read unless --write is given.
#[derive(Debug, Parser)]
#[command(name = "flashscope", version, max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
}

/// The command line. What follows a flag and looks like a negative number is its value, which it refuses in
/// its own words; clap would take it for a flag that nobody knows.
pub fn command() -> clap::Command {
    with_negative_values(Cli::command())
}

fn with_negative_values(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(with_negative_values)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Characterise a device: uFLIP's micro-benchmarks, indicators, findings, recommendations
    Run(RunArgs),
    /// Measure one IO pattern to a target precision
    Measure(MeasureArgs),
    /// Simulate SSDs under a pattern or a trace: compare FTLs, victim policies and write buffers
    Sim(Box<SimArgs>),
    /// Replay a block trace on a real or simulated target, and report its lateness
    Replay(Box<ReplayArgs>),
    /// Recognise, describe, convert, transform, generate and capture block traces
    Trace(TraceArgs),
    /// Identify a target and report whether it may be written; read-only
    Check(CheckArgs),
    /// Find what would distort a measurement, with the command that fixes it; read-only
    Doctor(DoctorArgs),
    /// Create a test file, fully written with incompressible data
    Create(CreateArgs),
    /// Reproduce the claims of five papers: published and measured values side by side
    Reproduce(ReproduceArgs),
    /// Show a stored result
    Show(ShowArgs),
    /// Compare two stored results, with confidence intervals
    Compare(CompareArgs),
    /// Make one HTML page of stored results: charts, every IO, differences
    Report(ReportArgs),
    /// Make a static site of many results: a sortable table, their reports, pairwise comparison
    Site(SiteArgs),
    /// Pack a result into one file, with identifying details removed
    Pack(PackArgs),
    /// Export stored results in another program's format
    Export(ExportArgs),
    /// Convert a fio job to a pattern, and print the command that measures it
    Import(ImportArgs),
    /// List suites, devices, settings, trace formats, studies and JSON Schemas
    List(ListArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder
    Man(ManArgs),
}
