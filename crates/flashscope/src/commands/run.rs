//! `flashscope run`: characterise a device from end to end.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_analysis::{RunThreshold, Stop};
use flashscope_bench::{Broken, Plan, Scope, State, SuiteRequest, Suites};
use flashscope_core::number::counted;
use flashscope_core::{Bytes, Share};
use flashscope_lab::{
    BegunRun, OnError, PlannedRun, Resumption, RunRequest, RunResult, TargetSpec, override_pair, suite,
};
use flashscope_show::headline::answers;
use flashscope_show::{RunToShow, figures, run_text};
use flashscope_store::SCHEMA_VERSION;
use serde_json::json;

use crate::args::{LabArgs, StateArg, WriteArgs};
use crate::budget::{Budget, budgets};
use crate::confirm::confirm;
use crate::exit::{Done, Usage};
use crate::facts::forewarn;
use crate::progress::Progress;
use crate::screen::{EXAMINING, OPENING, Screen};
use crate::shell::{quoted, resume};
use crate::{pages, remedy, signal};

/// `flashscope run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Target to characterise [default: rig:mtron]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: Option<String>,
    /// Suite, by name (`flashscope list suites`) or as a file [default: uflip]
    #[arg(long, value_name = "NAME|FILE")]
    pub suite: Option<String>,
    /// Change a setting of the suite, see `flashscope list suites`
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Only the points that the indicators need: minutes on a real file; in other suites fewer and shorter
    /// runs
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// All of uFLIP's table 1, sizes between powers of two, and later micro-benchmarks, over the whole target
    #[arg(long)]
    pub full: bool,
    /// Run only these micro-benchmarks and the baselines, see `flashscope list micro`
    #[arg(long, value_delimiter = ',', value_name = "MICRO,...")]
    pub only: Option<Vec<String>>,
    /// Preconditioning before the measurement [default: random with --write, else as-is]
    #[arg(long)]
    pub state: Option<StateArg>,
    /// Target precision: half width of every mean's 95 % CI [default: 5%]
    #[arg(long, value_name = "SHARE")]
    pub precision: Option<Share>,
    /// Limits of the whole run: its time, the bytes that it writes, or both (`1h,20GiB`) [default: no limit
    /// of time; on a real target 4 times the bytes that it is expected to write]
    #[arg(long, value_delimiter = ',', value_name = "TIME|SIZE")]
    pub budget: Vec<Budget>,
    /// Rounds: repeats of every experiment [default: 5, or the suite's; 1 with --quick and a suite]
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    /// Measure only this much of the target, from its start
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// IO size of the baselines, or of the suite's writes [default: 32KiB, or the suite's]
    #[arg(long, value_name = "SIZE")]
    pub bs: Option<Bytes>,
    /// Resume an interrupted run
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "output", "dry_run", "quick", "full", "only", "state", "precision", "repeats", "size", "bs", "seed",
        "engine", "data", "set",
    ])]
    pub resume: Option<PathBuf>,
    /// Exit with status 5 if this holds, with 6 if its interval does not tell: mean, p50 to p99.99, iops or
    /// mb_s of the four baselines, such as 'random read p99 > 2ms'
    #[arg(long, value_name = "CONDITION", conflicts_with = "dry_run")]
    pub fail_if: Vec<RunThreshold>,
    /// Print all of the result, not its first screen alone
    #[arg(long)]
    pub details: bool,
    /// Print the plan with its bytes written, time and share of endurance, and exit
    #[arg(long)]
    pub dry_run: bool,
    /// What a failed IO does: stop, or continue up to a share of failed IOs, 1% unless another is given
    /// [default: continue]
    #[arg(long, value_name = "stop|continue[=SHARE]")]
    pub on_error: Option<OnError>,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    #[command(flatten)]
    /// Engine and output.
    pub lab: LabArgs,
}

/// Runs the command.
pub fn run(args: &RunArgs, screen: &Screen) -> Result<Done> {
    let interrupt = signal::interrupt();
    let planned = screen.during(OPENING, || match &args.resume {
        Some(folder) => Ok(PlannedRun::resume(folder, &resumption(args)?, interrupt)?),
        None => {
            anyhow::Ok(PlannedRun::new(&request(args)?, args.lab.output.as_deref(), args.dry_run, interrupt)?)
        }
    })?;
    if args.resume.is_none() {
        can_be_judged(args, planned.plan())?;
    }
    let lines = lines(&planned);
    if args.dry_run {
        return show_plan(&planned, &lines, args.lab.json, screen);
    }
    lines.iter().for_each(|line| screen.note(&format!("  {line}")));
    confirm(planned.target(), args.writing.confirm.as_deref(), &lines.join("\n  "))?;
    let begun = screen.during(EXAMINING, || planned.begin())?;
    forewarn(begun.facts(), screen);
    note_broken(&begun.broken_chains(), screen);
    let result = measure(begun, screen);
    let drawn = screen.during("drawing the charts", || draw(&result));
    if let Err(error) = drawn {
        screen.note(&format!("The charts could not be drawn: {}", error.message()));
    }
    pages::put(result.folder.path(), screen);
    let resume = resume(result.folder.path(), result.leave);
    let RunResult { context, finished, suite, .. } = &result;
    let folder = result.folder.path();
    let reading = format!("reading {}", folder.display());
    let answers = screen.during(&reading, || answers(&args.fail_if, context, finished, folder));
    let run = RunToShow { context, finished, suite, folder, resume: &resume, answers: &answers };
    let form = pages::form(args.lab.json, args.details, screen);
    let (text, warnings) = screen.during(&reading, || run_text(&run, result.warnings.clone(), &form))?;
    screen.print(&text)?;
    if !args.lab.json {
        answers.iter().try_for_each(|answered| screen.print(&format!("  fail if {answered}")))?;
    }
    if !(args.lab.json || args.details) {
        screen.note(&format!("  more: flashscope show {} --details", quoted(folder)));
    }
    let done = conclude(result, warnings, args.lab.strict, &resume, screen)?;
    Ok(done.with(&answers))
}

/// What the flags ask for.
fn request(args: &RunArgs) -> Result<RunRequest> {
    let suite = match &args.suite {
        Some(name) => SuiteRequest {
            values: args.set.iter().map(|pair| override_pair(pair)).collect::<Result<_, _>>()?,
            ..suite(name, &Suites::builtin())?
        },
        None if args.set.is_empty() => SuiteRequest::default(),
        None => {
            return Err(Usage("--set needs a suite: add --suite NAME".into()).into());
        }
    };
    let scope = match (args.quick, args.full) {
        (true, _) => Scope::Quick,
        (_, true) => Scope::Full,
        _ => Scope::Table1,
    };
    let state = args.state.map(|state| match state {
        StateArg::Random => State::Random,
        StateArg::Sequential => State::Sequential,
        StateArg::AsIs => State::AsIs,
    });
    let default = RunRequest::default();
    let (budget, write_budget) = budgets(&args.budget)?;
    Ok(RunRequest {
        target: args.target.as_deref().map_or(default.target.clone(), TargetSpec::from),
        suite,
        scope,
        only: args.only.clone(),
        state,
        precision: args.precision.map(|precision| precision.0),
        budget,
        write_budget,
        repeats: args.repeats,
        size: args.size,
        bs: args.bs,
        write: args.writing.write,
        overwrite_existing_data: args.writing.overwrite_existing_data,
        on_error: args.on_error.unwrap_or(default.on_error),
        seed: args.lab.seed,
        data: args.lab.data,
        engine: args.lab.engine,
        ..default
    })
}

/// What the flags ask of an interrupted run.
fn resumption(args: &RunArgs) -> Result<Resumption> {
    let (budget, write_budget) = budgets(&args.budget)?;
    Ok(Resumption {
        target: args.target.clone(),
        suite: args.suite.clone(),
        budget,
        write_budget,
        write: args.writing.write,
        overwrite_existing_data: args.writing.overwrite_existing_data,
        on_error: args.on_error,
        ..Resumption::default()
    })
}

fn measure(begun: BegunRun, screen: &Screen) -> RunResult {
    let mut progress = Progress::with_four(screen, begun.context(), begun.finished());
    let result = begun.measure(&mut |event| progress.hear(event), signal::interrupt());
    progress.finish();
    result
}

/// Refuses conditions on a suite that does not measure the four numbers.
fn can_be_judged(args: &RunArgs, plan: &Plan) -> Result<(), Usage> {
    if args.fail_if.is_empty() || plan.steps.iter().any(|step| step.experiment.micro == "baseline") {
        return Ok(());
    }
    let problem = "--fail-if is about the baselines, which this suite does not measure; leave out --suite, \
                   or judge one pattern with flashscope measure --fail-if";
    Err(Usage(problem.into()))
}

/// Draws the pictures; without them the result is still worth showing.
fn draw(result: &RunResult) -> flashscope_lab::Result<()> {
    figures::draw(&result.folder, &result.context.target.name, &result.finished)
}

/// The plan, its cost and its notes.
fn lines(planned: &PlannedRun) -> Vec<String> {
    let notes = planned.notes().iter().map(|note| format!("note: {}", remedy::bench::note(note)));
    planned.lines().iter().cloned().chain(notes).collect()
}

/// Prints a plan that is not to be run.
fn show_plan(planned: &PlannedRun, lines: &[String], as_json: bool, screen: &Screen) -> Result<Done> {
    let (plan, info) = (planned.plan(), planned.target().info());
    let text = if as_json {
        serde_json::to_string_pretty(&json!({
            "schema_version": SCHEMA_VERSION,
            "target": info.name,
            "runs": plan.steps.len(),
            "written_bytes": plan.written_bytes,
            "written_bytes_min": plan.written_bytes_min,
            "written_bytes_max": plan.written_bytes_max,
            "duration_s": plan.duration.as_s(),
            "endurance_share": plan.endurance_share(info),
            "plan": lines,
        }))?
    } else {
        lines.join("\n")
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

/// Says what an interruption costs beside the run that it broke off.
fn note_broken(broken: &[Broken], screen: &Screen) {
    for Broken { micro, again } in broken {
        let again = counted(*again as u64, "run");
        let are = if again.starts_with("1 ") { "is" } else { "are" };
        screen.note(&format!(
            "The runs of {micro} depend on each other and start again: {again} already finished {are} \
             repeated"
        ));
    }
}

/// How the command ends after its result is shown.
fn conclude(result: RunResult, warnings: usize, strict: bool, resume: &str, screen: &Screen) -> Result<Done> {
    let resume = format!("resume it with: {resume}");
    note_broken(&result.broken_chains, screen);
    if let Some(error) = result.error {
        screen.note(&format!("Finished measurements are stored; fix the cause, then {resume}"));
        return Err(error.into());
    }
    match result.stopped {
        Some(Stop::Interrupted) => {
            screen.note(&format!("Interrupted; finished measurements are stored; {resume}"));
            Ok(Done::Interrupted)
        }
        Some(_) => {
            screen.note(&format!("The budget is used up; {resume}"));
            Ok(if strict { Done::Unreliable } else { Done::Well })
        }
        None => Ok(if strict && warnings > 0 { Done::Unreliable } else { Done::Well }),
    }
}
