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
/// TARGET is a block device or file, `rig:NAME` or `rig:FILE.toml` (a virtual device of known truth),
/// `sim:PROFILE` (a simulated SSD or disk), or `null:` (no device at all). Reading is the default: nothing
/// writes without --write.
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
    /// Characterise a device: uFLIP's micro-benchmarks, indicators, design hints
    Run(RunArgs),
    /// Measure one IO pattern until its mean is known well enough
    Measure(MeasureArgs),
    /// Simulate SSDs under a pattern or a trace: FTLs, victim policies and write buffers side by side
    Sim(Box<SimArgs>),
    /// Replay a block trace on a real or simulated target, and say how late it was
    Replay(Box<ReplayArgs>),
    /// Block traces: recognise, describe, convert, transform, generate and capture them
    Trace(TraceArgs),
    /// Say what a target is and whether it may be written; changes nothing
    Check(CheckArgs),
    /// Say what would make the numbers wrong, and the command that mends it; changes nothing
    Doctor(DoctorArgs),
    /// Create a file to measure, fully written with data that no layer can shrink
    Create(CreateArgs),
    /// Run what the five papers say again, and put published and measured side by side
    Reproduce(ReproduceArgs),
    /// Show a stored result again
    Show(ShowArgs),
    /// Put two stored results side by side, with intervals
    Compare(CompareArgs),
    /// Make one page of stored results, to be opened in any browser: charts, every IO, differences
    Report(ReportArgs),
    /// Make a site of many results: a table to sort and filter, their reports, any two compared
    Site(SiteArgs),
    /// Pack a result into one file that can be sent, without what says whose it is
    Pack(PackArgs),
    /// Write stored results in another program's format
    Export(ExportArgs),
    /// Turn a job of fio into a pattern, and print the command that measures it
    Import(ImportArgs),
    /// List micro-benchmarks, virtual devices and the settings of a pattern
    List(ListArgs),
    /// Print the script with which a shell completes commands, flags and names
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands
    Man(ManArgs),
}
