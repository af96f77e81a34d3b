//! `flashscope run`: characterise a device from end to end.

use std::path::{Path, PathBuf};

use anyhow::Result;
use flashscope_analysis::{
    Context, Finished, Stop, Warning, advice, hints, indicators, points, suite_warnings, warnings,
};
use flashscope_bench::{
    Broken, Campaign, Effort, Micros, Outcome, Plan, Prior, Scope, Settings, State, SuiteRequest, Suites,
    run as run_plan,
};
use flashscope_core::number::counted;
use flashscope_core::pattern::BS_DEFAULT;
use flashscope_core::{Bytes, Nanos, TargetInfo};
use flashscope_device::{DataPattern, Engine, Intent, Kind};
use flashscope_show::{Findings, OfSuite, result_view, run_json};
use flashscope_store::{ResultFolder, StoreError, Stored};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cli::{RunArgs, StateArg};
use crate::confirm::confirm;
use crate::exit::{Done, Usage, not_zero};
use crate::figures;
use crate::journal::{FolderJournal, enforced_pieces, folder_path, fresh_seed};
use crate::manifest::{Facts, manifest};
use crate::pages;
use crate::plan_view::plan_lines;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::shell::resume;
use crate::signal;
use crate::simulate::StoredSweep;
use crate::target::{Bench, Named, Opening};
use crate::{remedy, suites};

/// More runs of everything than anybody waits for.
const REPEATS_MAX: u32 = 1_000;
/// What is asked of a mean where nothing else is.
const PRECISION: f64 = 0.05;
/// No suite has a larger IO.
const SUITE_IO_MAX: u64 = 64 << 20;

/// What a run was asked to do: stored in the manifest, so that it can be resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    target: String,
    scope: String,
    only: Option<Vec<String>>,
    state: State,
    precision: f64,
    budget: Option<Nanos>,
    repeats: u32,
    size: Option<Bytes>,
    bs: Bytes,
    write: bool,
    seed: u64,
    data: DataPattern,
    engine: Option<Engine>,
    #[serde(default)]
    suite: SuiteRequest,
}

impl Options {
    fn from_args(args: &RunArgs) -> Result<Options> {
        let (request, suite) = suites::requested(args)?;
        let scope = if args.quick {
            "quick"
        } else if args.full {
            "full"
        } else {
            "table-1"
        };
        let target = args.target.clone().unwrap_or_else(|| "rig:mtron".into());
        let named = Named::parse(&target);
        if named == Named::Null {
            let problem = "null: has no character to find; what flashscope itself costs is told by: \
                           flashscope measure null: --rw randread --bs 4k";
            return Err(Usage(problem.into()).into());
        }
        named.must_heed(&target, args.lab.engine, args.lab.data)?;
        let write = args.writing.write || named.is_virtual();
        let state = match args.state {
            Some(StateArg::Random) => State::Random,
            Some(StateArg::Sequential) => State::Sequential,
            None if write && request.is_uflip() => State::Random,
            Some(StateArg::AsIs) | None => State::AsIs,
        };
        if state != State::AsIs && !write {
            return Err(Usage(
                "--state writes the whole target space: add --write, or leave it as it is".into(),
            )
            .into());
        }
        let repeats_orders = |only: &Vec<String>| only.iter().any(|name| name == "repetition");
        if !args.full && args.only.as_ref().is_some_and(repeats_orders) {
            return Err(Usage("--only repetition is measured by a full run alone: add --full".into()).into());
        }
        if args.precision.is_some_and(|precision| precision.0 <= 0.0) {
            return Err(Usage("--precision must be more than 0".into()).into());
        }
        if args.repeats.is_some_and(|repeats| !(1..=REPEATS_MAX).contains(&repeats)) {
            return Err(Usage(format!("--repeats must be more than 0, and at most {REPEATS_MAX}")).into());
        }
        Ok(Options {
            target,
            scope: scope.into(),
            only: args.only.clone(),
            state,
            precision: args.precision.map_or(PRECISION, |precision| precision.0),
            budget: args.budget,
            repeats: args.repeats.unwrap_or(if args.quick { 1 } else { suite.repeats }),
            size: args.size,
            bs: args.bs.or(suite.bs).unwrap_or(BS_DEFAULT),
            write,
            seed: args.lab.seed.unwrap_or_else(fresh_seed),
            data: args.lab.data,
            engine: args.lab.engine,
            suite: request,
        })
    }

    /// Whether a command that goes on with it has to say `--write`.
    fn needs_leave(&self) -> bool {
        self.write && !Named::parse(&self.target).is_virtual()
    }

    fn settings(&self) -> Settings {
        let scope = match self.scope.as_str() {
            "quick" => Scope::Quick,
            "full" => Scope::Full,
            _ => Scope::Table1,
        };
        // A real device is given time, a virtual one IOs: its time costs nothing.
        let is_real = !matches!(Named::parse(&self.target), Named::Rig(_) | Named::Sim(_));
        let (ios_max, patience, run_max, explore_factor) = match scope {
            Scope::Quick => (4_096, Nanos::from_s(1), Nanos::from_s(30), 1),
            Scope::Table1 => (16_384, Nanos::from_s(20), Nanos::from_s(600), 1),
            Scope::Full => (131_072, Nanos::from_s(120), Nanos::from_s(3600), 4),
        };
        let ios_max = if is_real { ios_max * 64 } else { ios_max };
        let effort = Effort { precision: self.precision, confidence: 0.95, explore_factor, ios_max };
        Settings {
            scope,
            micros: Micros::builtin(),
            only: self.only.clone(),
            state: self.state,
            effort,
            budget: self.budget,
            run_max: is_real.then_some(run_max),
            patience: is_real.then_some(patience),
            write: self.write,
            can_trim: false,
            repeats: self.repeats,
            seed: self.seed,
            span: self.size,
            bs: self.bs,
        }
    }

    /// The largest IO that a plan may hold.
    fn io_bytes_max(&self) -> u64 {
        match self.suite.is_uflip() {
            // The largest pattern doubles the baseline's IO.
            true => self.bs.0.saturating_mul(2).max(512 << 10),
            false => self.bs.0.saturating_mul(8).max(SUITE_IO_MAX),
        }
    }

    fn opening(&self, args: &RunArgs) -> Opening {
        let intent = Intent {
            write: self.write && !args.dry_run,
            span_bytes: self.size.map_or(0, |size| size.0),
            io_unit_bytes: 0,
            overwrite_existing_data: args.writing.overwrite_existing_data,
        };
        Opening {
            intent,
            engine: self.engine,
            data: self.data,
            io_bytes_max: self.io_bytes_max().min(1 << 30) as u32,
            depth_max: if self.scope == "full" || !self.suite.is_uflip() { 128 } else { 32 },
            seed: self.seed,
        }
    }
}

/// A folder to go on in, or one to be made.
enum Place {
    New(PathBuf),
    Old(ResultFolder, Box<Stored>),
}

/// What is asked for, by the flags or by the folder to go on in.
fn asked(args: &RunArgs) -> Result<(Options, Place)> {
    Ok(match &args.resume {
        Some(dir) => {
            let folder = ResultFolder::open(dir)?;
            let stored = Stored::read(dir)?;
            if StoredSweep::read(dir)?.is_some() {
                let problem = "holds simulations, which are not resumed: simulate again";
                return Err(Usage(format!("{} {problem}", dir.display())).into());
            }
            if !stored.manifest.options["pattern"].is_null() {
                let problem = "holds a single measurement, which is not resumed: measure again";
                return Err(Usage(format!("{} {problem}", dir.display())).into());
            }
            let mut options: Options = serde_json::from_value(stored.manifest.options.clone())
                .map_err(|error| Usage(format!("{}: not the folder of a run: {error}", dir.display())))?;
            if let Some(named) = args.target.as_ref().filter(|named| **named != options.target) {
                let (dir, measured) = (dir.display(), &options.target);
                return Err(Usage(format!(
                    "{dir} was measured on {measured}, not on {named}; leave the target out"
                ))
                .into());
            }
            let suite = &options.suite.name;
            if let Some(named) = args.suite.as_ref().filter(|named| *named != suite) {
                let dir = dir.display();
                return Err(Usage(format!(
                    "{dir} holds a run of the suite {suite}, not of {named}; leave --suite out to finish it, \
                     or leave --resume out to begin {named}"
                ))
                .into());
            }
            // A spent budget would stop it again at once.
            options.budget = args.budget;
            if options.needs_leave() && !args.writing.write {
                return Err(Usage("the interrupted run writes: add --write to go on".into()).into());
            }
            (options, Place::Old(folder, Box::new(stored)))
        }
        None => {
            let options = Options::from_args(args)?;
            let path = folder_path(args.lab.output.as_ref(), "", &Named::parse(&options.target));
            (options, Place::New(path))
        }
    })
}

/// Runs the command.
pub fn run(args: &RunArgs, screen: &Screen) -> Result<Done> {
    let interrupted = signal::listen();
    not_zero("--budget", args.budget)?;
    let (options, place) = asked(args)?;
    let named = Named::parse(&options.target);
    let mut bench = Bench::open(&named, options.opening(args))?;
    let settings = Settings { can_trim: bench.can_trim(), ..options.settings() };
    let plan = options.suite.plan(&Suites::builtin(), bench.info(), &settings)?;
    bench.limit_ios(plan.io_bytes_max_in_flight().min(1 << 30) as u32);
    bench.will_serve(1..=plan.depth_max());
    let info = bench.info().clone();
    let is_drive = bench.handle().is_none_or(|handle| handle.identity().kind != Kind::File);
    let lines = plan_lines(&plan, &settings, &info, is_drive);
    if args.dry_run {
        return show_plan(&plan, &info, &lines, args.lab.json, screen);
    }
    lines.iter().for_each(|line| screen.note(&format!("  {line}")));
    if let Some(handle) = bench.handle().filter(|_| options.write) {
        confirm(handle.identity(), args.writing.confirm.as_deref(), &lines.join("\n  "))?;
    }
    let facts = Facts::of(&bench, &options.data, options.seed);
    facts.forewarn(screen);
    let (mut folder, prior) = settle(place, &facts, &plan, &lines, &options, screen)?;
    let mut context = Context {
        target: info.clone(),
        state: state_words(&options, &plan),
        generator_iops_max: Some(facts.overhead_iops_max),
        interference: prior.interference,
        complete: false,
        physical_block_bytes: bench.handle().map(|handle| handle.identity().physical_block_bytes),
    };
    // Before the first run: then what a kill leaves behind can be shown.
    folder.write_context(&context)?;
    bench.keep_inside(folder.path());
    let mut journal = FolderJournal {
        progress: Progress::new(screen),
        target: info.name.clone(),
        seed: options.seed,
        folder: &mut folder,
    };
    let campaign = Campaign { settings: &settings, plan: &plan, interrupted };
    let outcome = run_plan(&campaign, &mut bench, &mut journal, prior);
    journal.progress.finish();
    context.interference = outcome.interference.or(context.interference);
    context.complete = outcome.stopped.is_none();
    let kept = folder.write_context(&context);
    let finished = &outcome.finished;
    draw(&folder, &context, finished, screen);
    let resume = resume(folder.path(), options.needs_leave());
    let suite = &options.suite;
    let shown = Shown { context: &context, finished, suite, folder: folder.path(), resume: &resume };
    let warnings = show_result(&shown, facts.warnings, args.lab.json, screen)?;
    let done = conclude(outcome, &plan, warnings, args.lab.strict, &resume, screen)?;
    kept?;
    Ok(done)
}

/// Draws the pictures and the page; without them the result is still worth showing.
fn draw(folder: &ResultFolder, context: &Context, finished: &[Finished], screen: &Screen) {
    if let Err(error) = figures::draw(folder, &context.target.name, finished) {
        screen.note(&format!("The pictures could not be drawn: {error:#}"));
    }
    pages::put(folder.path(), screen);
}

/// The folder that the result goes to, and what is in it already.
fn settle(
    place: Place,
    facts: &Facts,
    plan: &Plan,
    lines: &[String],
    options: &Options,
    screen: &Screen,
) -> Result<(ResultFolder, Prior)> {
    match place {
        Place::Old(folder, stored) => {
            facts.must_match(&stored.manifest)?;
            let is_virtual = stored.manifest.target.virtual_time;
            let prior = prior(&folder, *stored, is_virtual);
            note_broken(plan, &prior.finished, screen);
            Ok((folder, prior))
        }
        Place::New(path) => {
            let manifest = manifest(facts, plan.state.name(), lines, serde_json::to_value(options)?);
            let folder = ResultFolder::create(&path, &manifest).map_err(StoreError::resumable)?;
            Ok((folder, Prior::default()))
        }
    }
}

/// Prints a plan that is not to be run.
fn show_plan(
    plan: &Plan,
    info: &TargetInfo,
    lines: &[String],
    as_json: bool,
    screen: &Screen,
) -> Result<Done> {
    let text = if as_json {
        serde_json::to_string_pretty(&json!({
            "schema_version": 1,
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

/// What the interrupted run left behind. A virtual device begins anew with each process, so its state has to
/// be enforced again. A run whose IOs could not be kept, because the disk was full, is measured again.
fn prior(folder: &ResultFolder, stored: Stored, is_virtual: bool) -> Prior {
    Prior {
        finished: stored.finished.into_iter().filter(|finished| finished.run.is_kept()).collect(),
        enforced_pieces: if is_virtual { 0 } else { enforced_pieces(folder) },
        interference: stored.context.and_then(|context| context.interference),
    }
}

/// The state in words, for reports.
fn state_words(options: &Options, plan: &Plan) -> String {
    match options.state {
        State::AsIs if plan.steps.iter().any(|step| !step.before.is_empty()) => {
            "as the suite makes it".into()
        }
        State::AsIs => State::AsIs.name().into(),
        state => format!("{}, enforced", state.name()),
    }
}

/// Says what an interruption costs beside the run that it broke off.
fn note_broken(plan: &Plan, finished: &[Finished], screen: &Screen) {
    for Broken { micro, again } in plan.broken_chains(finished) {
        let again = counted(again as u64, "run");
        let are = if again.starts_with("1 ") { "is" } else { "are" };
        screen.note(&format!(
            "The chain of {micro} must be run without a break, so it begins again: {again} of it that had \
             been done {are} measured again"
        ));
    }
}

/// How the command ends after its result is shown.
fn conclude(
    outcome: Outcome,
    plan: &Plan,
    warnings: usize,
    strict: bool,
    resume: &str,
    screen: &Screen,
) -> Result<Done> {
    let resume = format!("finish it with: {resume}");
    if outcome.stopped.is_some() {
        note_broken(plan, &outcome.finished, screen);
    }
    if let Some(error) = outcome.error {
        screen.note(&format!("What was measured is kept; once the cause is mended, {resume}"));
        return Err(error.into());
    }
    match outcome.stopped {
        Some(Stop::Interrupted) => {
            screen.note(&format!("Interrupted; what was measured is kept; {resume}"));
            Ok(Done::Interrupted)
        }
        Some(_) => {
            screen.note(&format!("The budget is spent; {resume}"));
            Ok(if strict { Done::Unreliable } else { Done::Well })
        }
        None => Ok(if strict && warnings > 0 { Done::Unreliable } else { Done::Well }),
    }
}

/// The result of a run, fresh or stored.
pub struct Shown<'a> {
    /// Facts about the whole run.
    pub context: &'a Context,
    /// Its single runs.
    pub finished: &'a [Finished],
    /// The suite that was run.
    pub suite: &'a SuiteRequest,
    /// Where it is.
    pub folder: &'a Path,
    /// The command that finishes it.
    pub resume: &'a str,
}

/// Prints a result. `more` are warnings of what is around it. Returns the number of the others, of the result
/// itself.
pub fn show_result(shown: &Shown<'_>, more: Vec<Warning>, as_json: bool, screen: &Screen) -> Result<usize> {
    let Shown { context, finished, suite, folder, resume } = *shown;
    let reading = suites::reading(suite, context, finished);
    let points = points(finished);
    let indicators = indicators(&points);
    let advice = advice(context, &indicators, &points);
    let hints = hints(context, &indicators, &points);
    let mut warnings = match reading {
        Some(_) => suite_warnings(context, &points),
        None => warnings(context, &indicators, &points),
    };
    for warning in &mut warnings {
        warning.remedy = remedy::analysis::worded(&warning.remedy, resume).into();
    }
    let own = warnings.len();
    warnings.extend(more);
    let findings = Findings {
        context,
        finished,
        indicators: &indicators,
        advice: &advice,
        hints: &hints,
        suite: reading.as_ref().map(|reading| OfSuite { name: &suite.name, reading }),
        warnings: &warnings,
        folder: Some(folder),
        page_bytes: std::fs::metadata(folder.join(pages::REPORT)).ok().map(|page| page.len()),
    };
    let text = if as_json {
        serde_json::to_string_pretty(&run_json(&findings))?
    } else {
        result_view(&findings, screen.style())
    };
    screen.print(&text)?;
    Ok(own)
}
