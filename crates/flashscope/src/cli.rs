//! The commands and their flags. Settings of a pattern come from their own table, see `pattern_args`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use flashscope_core::{Bytes, Nanos, Share};
use flashscope_device::{DataPattern, Engine};

use crate::commands::reproduce::ReproduceArgs;
use crate::pattern_args::PatternArgs;
use crate::replay::ReplayArgs;
use crate::traces::TraceArgs;
use crate::traces::pipeline::PipelineArgs;
use crate::traces::timing::TimingArg;

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

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// No progress, no remarks: only the result and errors
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
    /// More detail on standard error
    #[arg(long, short, global = true, display_order = 900)]
    pub verbose: bool,
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

/// What a run enforces first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StateArg {
    /// Random writes of random size over the whole space: stable (uFLIP's choice)
    Random,
    /// One sequential pass: faster to reach, sooner lost
    Sequential,
    /// Whatever state the device is in
    AsIs,
}

/// Leave to write, and its proof.
#[derive(Debug, Args)]
pub struct WriteArgs {
    /// Allow writing: destroys what is on the target
    #[arg(long)]
    pub write: bool,
    /// Confirm a block device by its serial, as `flashscope check` shows it
    #[arg(long, value_name = "SERIAL")]
    pub confirm: Option<String>,
    /// Allow writing to a regular file that flashscope did not create
    #[arg(long)]
    pub overwrite_existing_data: bool,
}

/// How the target is driven and where the result goes.
#[derive(Debug, Args)]
pub struct LabArgs {
    /// Engine on real targets: sync or io_uring [default: sync, io_uring where IOs overlap]
    #[arg(long)]
    pub engine: Option<Engine>,
    /// What writes contain: random, zeros, counter, age or numbered
    #[arg(long, default_value = "random", value_name = "PATTERN")]
    pub data: DataPattern,
    /// Seed of everything random [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Result folder [default: ./flashscope-TARGET-DATE]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if a part of the result is not reliable; what surrounds the target is judged by
    /// flashscope doctor --strict
    #[arg(long)]
    pub strict: bool,
}

/// `flashscope run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What to characterise [default: rig:mtron]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: Option<String>,
    /// What to run: a suite of `flashscope list suites`, or a file that says what [default: uflip]
    #[arg(long, value_name = "NAME|FILE")]
    pub suite: Option<String>,
    /// A setting of the suite, see `flashscope list suites`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// A few minutes on a real file: the points that the indicators need; of a suite fewer and shorter runs
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Table 1 of uFLIP, its non-powers of two, and what came after uFLIP, over the whole target
    #[arg(long)]
    pub full: bool,
    /// Only these micro-benchmarks (and the baselines), see `flashscope list`
    #[arg(long, value_delimiter = ',', value_name = "MICRO,...")]
    pub only: Option<Vec<String>>,
    /// State to enforce before anything is measured [default: random with --write, else as-is]
    #[arg(long)]
    pub state: Option<StateArg>,
    /// Half width of the 95 % interval of every mean, as a share of it [default: 5%]
    #[arg(long, value_name = "SHARE")]
    pub precision: Option<Share>,
    /// The longest that everything may take
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Runs of every experiment [default: 3, or as the suite says; 1 with --quick]
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    /// Part of the target that is measured, from its start
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// IOSize of the baselines, or of the suite's writes [default: 32KiB, or as the suite says]
    #[arg(long, value_name = "SIZE")]
    pub bs: Option<Bytes>,
    /// Finish an interrupted run
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "output", "dry_run", "quick", "full", "only", "state", "precision", "repeats", "size", "bs", "seed",
        "engine", "data", "set",
    ])]
    pub resume: Option<PathBuf>,
    /// Print the plan, with its bytes, time and share of endurance, and stop
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    #[command(flatten)]
    /// Engine and output.
    pub lab: LabArgs,
}

/// `flashscope measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// What to measure
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    #[command(flatten)]
    /// The pattern.
    pub pattern: PatternArgs,
    /// Half width of the 95 % interval of the mean, as a share of it [default: 5%]
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["number_ios", "runtime"])]
    pub precision: Option<Share>,
    /// Measure for this long
    #[arg(long, value_name = "TIME")]
    pub runtime: Option<Nanos>,
    /// Look at least at this many IOs before believing that no later regime comes
    #[arg(
        long, value_name = "N", conflicts_with_all = ["number_ios", "runtime"],
    )]
    pub explore_ios: Option<u64>,
    /// Give up on the precision after this long
    #[arg(long, value_name = "TIME", conflicts_with = "runtime")]
    pub budget: Option<Nanos>,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    #[command(flatten)]
    /// Engine and output.
    pub lab: LabArgs,
}

/// What a simulated device holds at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InitialArg {
    /// Every page written once, in order
    Full,
    /// Nothing
    Empty,
    /// Full, and every page written once more in random order
    Random,
}

/// `flashscope sim`. Lists with commas make a sweep: every combination is simulated.
#[derive(Debug, Args)]
pub struct SimArgs {
    /// A profile, `PROFILE?key=value&key=value`, or FILE.toml; see `flashscope list profiles`
    #[arg(default_value = "bplru-board")]
    pub profile: String,
    /// Flash translation layers
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub ftl: Vec<String>,
    /// Victim policies of the page FTL
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub gc: Vec<String>,
    /// Write buffers
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub buffer: Vec<String>,
    /// RAM of the write buffer
    #[arg(long, value_delimiter = ',', value_name = "SIZE,...")]
    pub buffer_size: Vec<Bytes>,
    /// Bytes that the host sees
    #[arg(long, value_delimiter = ',', value_name = "SIZE,...")]
    pub capacity: Vec<Bytes>,
    /// (physical - logical) / logical: 0.07 for 7 %
    #[arg(long, value_delimiter = ',', value_name = "SHARE,...")]
    pub over_provisioning: Vec<f64>,
    /// Any setting, see `flashscope list settings`; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What the device holds at first [default: as the profile says, else full]
    #[arg(long)]
    pub initial: Option<InitialArg>,
    /// Flush commands do nothing
    #[arg(long)]
    pub ignore_flush: bool,
    /// Leave the write buffer as it is at the end
    #[arg(long)]
    pub no_final_flush: bool,
    /// Simulate the requests of a trace
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The trace's format [default: found out]
    #[arg(long, visible_alias = "from", value_name = "NAME", requires = "trace")]
    pub format: Option<String>,
    /// Leave out bad lines of the trace and count them
    #[arg(long, requires = "trace")]
    pub lenient: bool,
    #[command(flatten)]
    /// What of the trace is simulated, and how it is fitted to the device.
    pub pipeline: PipelineArgs,
    /// When the requests of the trace go
    #[arg(long, default_value = "asap", requires = "trace")]
    pub timing: TimingArg,
    #[command(flatten)]
    /// The pattern.
    pub pattern: PatternArgs,
    /// Random addresses after Zipf's law with this skew
    #[arg(long, value_name = "A", conflicts_with_all = ["trace", "random"])]
    pub zipf: Option<f64>,
    /// IOs before the counts begin; what they left in the buffer is evicted in the counted part
    #[arg(long, value_name = "N")]
    pub warmup: Option<u64>,
    /// Begin with a device that was saved, instead of making one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "profile", "ftl", "gc", "buffer", "buffer_size", "capacity", "over_provisioning", "set", "initial",
        "ignore_flush",
    ])]
    pub load_state: Option<PathBuf>,
    /// Save the device as it is at the end; for one device, not for a sweep
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Simulations at the same time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Seed of everything random [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep every IO in this result folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Draw throughput and erases over the sizes of the sweep
    #[arg(long, value_name = "FILE.svg")]
    pub figure: Option<PathBuf>,
    /// Print the list of results as JSON
    #[arg(long)]
    pub json: bool,
}

/// `flashscope check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What to check
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    /// Print the verdict as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `flashscope doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// What is to be measured [default: the machine alone]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: Option<String>,
    /// Print the findings as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if there is anything to heed
    #[arg(long)]
    pub strict: bool,
}

/// `flashscope create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The file to create
    pub file: PathBuf,
    /// Its size
    #[arg(allow_negative_numbers = true)]
    pub size: Bytes,
}

/// `flashscope show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A result folder or pack
    pub dir: PathBuf,
    /// Print it as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `flashscope compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A result folder or pack
    pub a: PathBuf,
    /// Another
    pub b: PathBuf,
    /// Print the comparison as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `flashscope report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Result folders or packs; several are laid over one another
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Where the page goes; - is standard output [default: DIR/report.html, of several ./report.html]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write over a file that is no report of flashscope
    #[arg(long, short)]
    pub force: bool,
    /// Print what was made as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `flashscope site`.
#[derive(Debug, Args)]
pub struct SiteArgs {
    /// A folder that holds result folders and packs, also one level deeper
    pub dir: PathBuf,
    /// The site's folder; an old site is replaced
    #[arg(long, short, value_name = "SITE", default_value = "site")]
    pub output: PathBuf,
}

/// `flashscope pack`.
#[derive(Debug, Args)]
pub struct PackArgs {
    /// A result folder
    pub dir: PathBuf,
    /// The pack [default: ./DIR.flashscope]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep what says whose device and machine it was: serial, names, paths
    #[arg(long)]
    pub identify: bool,
}

/// `flashscope export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Result folders or packs; several go into one export
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// fio (JSON and logs, as fio-plot finds them), uflip or csv
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// New folder for it [default: ./DIR-FORMAT]
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// With --to csv: every IO too
    #[arg(long)]
    pub ios: bool,
}

/// `flashscope import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A job file of fio; - is standard input
    #[arg(value_name = "JOB.fio")]
    pub file: PathBuf,
    /// Only the job of this name
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,
    /// Write the pattern to a file for `measure --pattern`
    #[arg(long, short, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
}

/// `flashscope list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// micro, suites, rigs, pattern, profiles, simulation, settings, formats, generators or studies
    /// [default: all]
    pub what: Option<String>,
}

/// `flashscope completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `flashscope man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
