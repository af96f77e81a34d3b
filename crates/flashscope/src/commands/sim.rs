//! `flashscope sim`: simulated SSDs under a pattern or a trace, one or many side by side.

mod request;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use flashscope_core::Bytes;
use flashscope_lab::sweep::{Case, Entry, Save};
use flashscope_lab::{Error, PlannedSweep, SweepResult};
use flashscope_show::sweep::{Axis, Document, view};
use flashscope_sim::Ssd;
use flashscope_store::Product;
use flashscope_trace::{Columns, StatedUnits};

use crate::exit::{Done, Usage};
use crate::pages::leave;
use crate::pattern_args::PatternArgs;
use crate::progress::cases_bar;
use crate::screen::Screen;
use crate::signal;
use crate::traces::StageArg;
use crate::traces::pipeline::PipelineArgs;
use crate::traces::timing::TimingArg;
use request::{ignored, request};

/// What a simulated device holds at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InitialArg {
    /// Every page written once, in order
    Full,
    /// Nothing
    Empty,
    /// Full, then every page rewritten in random order
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
    /// Capacity that the host sees
    #[arg(long, value_delimiter = ',', value_name = "SIZE,...")]
    pub capacity: Vec<Bytes>,
    /// Over-provisioning, (physical - logical) / logical: 0.07 for 7 %
    #[arg(long, value_delimiter = ',', value_name = "SHARE,...")]
    pub over_provisioning: Vec<f64>,
    /// Change any setting, see `flashscope list settings`; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Initial content of the device [default: the profile's, else full]
    #[arg(long)]
    pub initial: Option<InitialArg>,
    /// Ignore flush commands
    #[arg(long)]
    pub ignore_flush: bool,
    /// Do not flush the write buffer at the end
    #[arg(long)]
    pub no_final_flush: bool,
    /// Simulate this trace
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The trace's format [default: detected]
    #[arg(long, visible_alias = "format", value_name = "NAME", requires = "trace")]
    pub from: Option<String>,
    /// Skip unreadable lines of the trace and count them
    #[arg(long, requires = "trace")]
    pub lenient: bool,
    /// Read any text table: columns with units, as in time=2:us,offset=5:sector,length=6:byte,op=3
    #[arg(long, value_name = "COLUMNS", requires = "trace", conflicts_with = "from")]
    pub columns: Option<Columns>,
    /// Units in place of the format's, as in time=us,offset=byte,length=sector,latency=ms
    #[arg(
        long,
        value_name = "UNITS",
        requires = "trace",
        conflicts_with = "columns",
        hide_short_help = true
    )]
    pub units: Option<StatedUnits>,
    /// Which events of a tracer are the requests [default: what reached the device]
    #[arg(long, value_name = "STAGE", requires = "trace", hide_short_help = true)]
    pub stage: Option<StageArg>,
    #[command(flatten)]
    /// What of the trace is simulated, and how it is fitted to the device.
    pub pipeline: PipelineArgs,
    /// When requests are submitted
    #[arg(long, default_value = "asap", requires = "trace")]
    pub timing: TimingArg,
    #[command(flatten)]
    /// The pattern.
    pub pattern: PatternArgs,
    /// Zipf-distributed random addresses with this skew
    #[arg(long, value_name = "A", conflicts_with_all = ["trace", "random"])]
    pub zipf: Option<f64>,
    /// Warm-up IOs that are not counted; pages they leave in the buffer are evicted in the counted part
    #[arg(long, value_name = "N")]
    pub warmup: Option<u64>,
    /// Start from a saved device instead of a new one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "profile", "ftl", "gc", "buffer", "buffer_size", "capacity", "over_provisioning", "set", "initial",
        "ignore_flush",
    ])]
    pub load_state: Option<PathBuf>,
    /// Save the device's state at the end; single devices only
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Parallel simulations [default: one a core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Seed of all randomness [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Store every IO in this result folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Plot throughput and erases against the sizes of the sweep
    #[arg(long, value_name = "FILE.svg")]
    pub figure: Option<PathBuf>,
    /// Print the results as a JSON list
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &SimArgs, screen: &Screen) -> Result<Done> {
    let interrupt = signal::interrupt();
    let request = request(args)?;
    let planned =
        screen.during("preparing", || PlannedSweep::new(&request, args.output.is_some(), interrupt))?;
    let devices = planned.cases().len();
    if args.save_state.is_some() && devices > 1 {
        return Err(Usage(format!("--save-state stores one device, but the lists make {devices}")).into());
    }
    notes(args, &planned, screen);
    let figure = args.figure.as_deref().map(|path| figure(path, planned.cases())).transpose()?;
    let product = args.save_state.as_deref().map(state).transpose()?;
    let save = |state: &[u8]| {
        let write = |product: &Product| {
            product.write(state).map_err(|error| Error::from(error).context("--save-state"))
        };
        product.as_ref().map_or(Ok(()), write)
    };
    let bar = cases_bar(screen, devices as u64);
    let save: Option<Save<'_>> = product.is_some().then_some(&save);
    let ran = planned.run(args.output.as_deref(), save, &mut |_| bar.inc(1), interrupt);
    bar.finish_and_clear();
    let SweepResult { entries, error } = ran;
    // What could not be kept or drawn takes nothing from what was simulated.
    let drawn = figure.map_or(Ok(()), |(axis, product)| match axis.draw(&entries) {
        Some(picture) => product.write(picture.as_bytes()),
        None => Ok(()),
    });
    if error.is_none() || entries.len() > 1 || entries.iter().any(|entry| entry.report().is_some()) {
        show(args, &entries, screen)?;
        if let Some(place) = &args.output {
            leave(place, screen);
        }
    }
    error.map_or(Ok(()), Err)?;
    drawn?;
    Ok(if entries.iter().all(Entry::is_complete) { Done::Well } else { Done::Interrupted })
}

/// What a person may not have meant.
fn notes(args: &SimArgs, planned: &PlannedSweep, screen: &Screen) {
    ignored(planned).for_each(|flag| screen.note(&format!("note: {flag}")));
    if args.trace.is_none() && args.pattern.given("rw").is_none() && !args.pattern.has_file() {
        screen.note("note: reads only; to write, add --rw randwrite --bs 4k, or --trace FILE");
    }
}

fn show(args: &SimArgs, entries: &[Entry], screen: &Screen) -> Result<()> {
    if args.json {
        return screen.print(&serde_json::to_string_pretty(&Document::from(entries))?);
    }
    screen.print(&view(entries, args.output.as_deref()))
}

/// The place of a saved device.
fn state(path: &Path) -> Result<Product> {
    Product::of(path, "a saved state", Ssd::is_state).context("--save-state")
}

/// The axis of the picture and its place, if it can be drawn and kept.
fn figure(path: &Path, cases: &[Case]) -> Result<(Axis, Product)> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        let problem = format!("--figure {}: use a name that ends in .svg", path.display());
        return Err(Usage(problem).into());
    }
    let product = Product::picture(path).context("--figure")?;
    let axis = Axis::of(cases).ok_or_else(|| {
        Usage(
            "--figure needs an axis: two or more values of --buffer-size, --capacity or --over-provisioning, \
             such as --buffer-size 1m,2m,4m"
                .into(),
        )
    })?;
    Ok((axis, product))
}
