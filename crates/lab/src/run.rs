//! A characterisation from end to end: planned, confirmed, begun in a result folder, measured.

mod plan_lines;
mod request;
mod result;

use std::path::Path;

use flashscope_analysis::{Context, Finished};
use flashscope_bench::plan::Note;
use flashscope_bench::{
    Broken, Campaign, Micros, OnError, Plan, Prior, Settings, State, Suites, run as run_plan,
};
use flashscope_core::{Bytes, Nanos};
use flashscope_device::Kind;
use flashscope_store::{ResultFolder, ResultKind, Stored};

use crate::error::{Error, Remedy, Result};
use crate::facts::{Facts, manifest};
use crate::interrupt::Interrupt;
use crate::journal::{FolderJournal, Listener, enforced_pieces, folder_path};
use crate::target::OpenTarget;
use request::Options;

pub use request::{Leave, RunRequest};
pub(crate) use request::{PRECISION, check_precision};
pub use result::{Conclusions, RunResult};

/// Characterises a target in a new result folder; with no name of its own, in one named after the target and
/// the day. The listener hears what happens; `confirmation` is the serial of a block device to be written.
///
/// # Errors
/// The request makes no sense, the guard refuses, the device is not confirmed, the folder cannot be made.
/// What happens once IOs go is in the result, beside all that was measured until then.
///
/// ```
/// use flashscope_lab::{Interrupt, RunRequest, Scope, characterise};
///
/// let folder = std::env::temp_dir().join(format!("flashscope-doc-{}", std::process::id()));
/// let only = Some(vec!["granularity".to_string()]);
/// let request = RunRequest { only, scope: Scope::Quick, seed: Some(1), ..RunRequest::default() };
/// let result = characterise(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new())?;
/// let found = result.conclusions().indicators;
/// println!("random writes: {:.1} ms", found.rw_ms.map_or(f64::NAN, |found| found.value));
/// # std::fs::remove_dir_all(&folder).unwrap();
/// result.error.map_or(Ok(()), Err)?;
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub fn characterise(
    request: &RunRequest,
    folder: Option<&Path>,
    confirmation: Option<&str>,
    listener: Listener<'_>,
    interrupt: &Interrupt,
) -> Result<RunResult> {
    let planned = PlannedRun::new(request, folder, false, interrupt)?;
    planned.target().confirm(confirmation)?;
    Ok(planned.begin()?.measure(listener, interrupt))
}

/// A run whose target is open and whose plan is made. Nothing has been written.
pub struct PlannedRun {
    options: Options,
    place: Place,
    target: OpenTarget,
    suites: Suites,
    settings: Settings,
    plan: Plan,
    lines: Vec<String>,
}

/// A folder to go on in, or one to be made.
enum Place {
    New(std::path::PathBuf),
    Old(ResultFolder, Box<Stored>),
}

/// What may be asked of a run that is resumed; everything else is as it was begun.
#[derive(Clone, Debug, Default)]
pub struct Resumption {
    /// The target, if it was named again: it must be the same.
    pub target: Option<String>,
    /// The suite, if it was named again: it must be the same.
    pub suite: Option<String>,
    /// The longest that the rest may take. A spent budget would stop it again at once.
    pub budget: Option<Nanos>,
    /// Bytes that the rest may write at most; none: as of a whole run.
    pub write_budget: Option<Bytes>,
    /// The suites and micro-benchmarks that the run knew; none: flashscope's own.
    pub known: Option<(Suites, Micros)>,
    /// Whether the target may be written.
    pub write: bool,
    /// Whether a file may be overwritten that flashscope did not make.
    pub overwrite_existing_data: bool,
    /// What becomes of IOs that fail; none: as it was begun.
    pub on_error: Option<OnError>,
}

impl PlannedRun {
    /// Opens the target and plans; with `only_plans` the target is not opened for writing.
    ///
    /// # Errors
    /// The request makes no sense; the target cannot be opened, or is refused.
    pub fn new(
        request: &RunRequest,
        folder: Option<&Path>,
        only_plans: bool,
        interrupt: &Interrupt,
    ) -> Result<PlannedRun> {
        let options = Options::of(request)?;
        let path = folder_path(folder, "", &request.target);
        let opening = options.opening(request.overwrite_existing_data, only_plans);
        let known = (request.suites.clone(), request.micros.clone());
        PlannedRun::plan_of(options, known, Place::New(path), opening, interrupt)
    }

    /// Opens what an interrupted run measured, and plans what is left of it.
    ///
    /// # Errors
    /// The folder holds no run; what is asked of it contradicts it; it writes, and that was not allowed.
    pub fn resume(folder: &Path, resumption: &Resumption, interrupt: &Interrupt) -> Result<PlannedRun> {
        let opened = ResultFolder::open(folder)?;
        let stored = Stored::read(folder)?;
        let options = stored_options(folder, &stored, resumption)?;
        let opening = options.opening(resumption.overwrite_existing_data, false);
        let known = resumption.known.clone().unwrap_or_else(|| (Suites::builtin(), Micros::builtin()));
        PlannedRun::plan_of(options, known, Place::Old(opened, Box::new(stored)), opening, interrupt)
    }

    fn plan_of(
        options: Options,
        (suites, micros): (Suites, Micros),
        place: Place,
        opening: crate::target::OpenOptions,
        interrupt: &Interrupt,
    ) -> Result<PlannedRun> {
        let mut target = OpenTarget::open(&options.target(), opening, interrupt)?;
        let settings = options.settings(&micros, target.can_trim());
        let plan = options.suite.plan(&suites, target.info(), &settings)?;
        for pattern in plan.steps.iter().map(|step| &step.experiment.pattern) {
            target.check_atomic(pattern)?;
            if pattern.priorities.is_some() && target.handle().is_none() {
                let name = &target.info().name;
                return Err(Error::usage(format!("IOs have no priorities on {name}: {pattern}")));
            }
        }
        target.limit_ios(plan.io_bytes_max_in_flight().min(1 << 30) as u32);
        let depth = if target.opens_again() { plan.loop_depth_max() } else { plan.depth_max() };
        target.name_engines(1..=depth);
        let is_drive = target.handle().is_none_or(|handle| handle.identity().kind != Kind::File);
        let lines = plan_lines::plan_lines(&plan, &settings, target.info(), is_drive);
        Ok(PlannedRun { options, place, target, suites, settings, plan, lines })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the plan leaves out, and why.
    pub fn notes(&self) -> &[Note] {
        &self.plan.notes
    }

    /// The plan and its cost, in a few lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// What it will be run on.
    pub fn target(&self) -> &OpenTarget {
        &self.target
    }

    /// Makes the result folder, or checks that the one to go on in belongs to this target.
    ///
    /// # Errors
    /// The target is a block device to be written that was not confirmed ([`OpenTarget::confirm`]); the
    /// folder cannot be made, or holds something else; the target is not the one of before.
    pub fn begin(self) -> Result<BegunRun> {
        let PlannedRun { options, place, mut target, suites, settings, plan, mut lines } = self;
        target.must_be_confirmed()?;
        lines.extend(plan.notes.iter().map(|note| format!("note: {note}")));
        let mut facts = Facts::of(&target, &options.data, options.seed);
        let (folder, prior) = match place {
            Place::Old(folder, stored) => {
                facts.must_match(&stored.manifest)?;
                let is_virtual = stored.manifest.target.virtual_time;
                let prior = prior(&folder, *stored, is_virtual);
                (folder, prior)
            }
            Place::New(path) => {
                let options = serde_json::to_value(&options)?;
                let manifest = manifest(&facts, plan.state.name(), &lines, options);
                let folder = ResultFolder::create(&path, &manifest).map_err(|error| {
                    let resume = error.holds_result().then(|| Error::usage(error.problem()));
                    resume.map_or_else(|| error.into(), |error| error.with(Remedy::ResumeOrOtherFolder))
                })?;
                (folder, Prior::default())
            }
        };
        facts.look_at_place(&target, folder.path());
        let state = state_words(&options, &plan);
        let precision = options.suite.is_uflip().then_some(options.precision);
        let context = Context {
            interference: prior.interference,
            preparation_errors: prior.preparation_errors.clone(),
            precision,
            ..facts.context(state)
        };
        // Before the first run: then what a kill leaves behind can be shown.
        folder.write_context(&context)?;
        target.keep_inside(folder.path());
        Ok(BegunRun { options, target, suites, settings, plan, facts, folder, prior, context })
    }
}

/// A run whose result folder is there and whose IOs may go.
pub struct BegunRun {
    options: Options,
    target: OpenTarget,
    suites: Suites,
    settings: Settings,
    plan: Plan,
    facts: Facts,
    folder: ResultFolder,
    prior: Prior,
    context: Context,
}

impl BegunRun {
    /// What is known of target and machine before the first IO.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What is known of the whole run before it.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Runs that were finished before an interruption.
    pub fn finished(&self) -> &[Finished] {
        &self.prior.finished
    }

    /// What an interruption costs: chains of runs that begin again.
    pub fn broken_chains(&self) -> Vec<Broken> {
        self.plan.broken_chains(&self.prior.finished)
    }

    /// Measures what the plan says, until it is done, or something ends it. All that was measured is stored
    /// and returned, whatever ended it.
    pub fn measure(self, listener: Listener<'_>, interrupt: &Interrupt) -> RunResult {
        let BegunRun { options, mut target, suites, settings, plan, facts, mut folder, prior, mut context } =
            self;
        let mut journal = FolderJournal {
            listener,
            target: target.info().name.clone(),
            seed: options.seed,
            folder: &mut folder,
        };
        let campaign = Campaign { settings: &settings, plan: &plan, interrupted: interrupt.flag() };
        let outcome = run_plan(&campaign, &mut target, &mut journal, prior);
        context.interference = outcome.interference.or(context.interference);
        context.preparation_errors = outcome.preparation_errors;
        context.complete = outcome.stopped.is_none();
        let kept = folder.write_context(&context).map_err(Error::from);
        let broken =
            if outcome.stopped.is_some() { plan.broken_chains(&outcome.finished) } else { Vec::new() };
        RunResult {
            folder,
            context,
            finished: outcome.finished,
            suite: options.suite.clone(),
            suites,
            warnings: facts.warnings,
            leave: options.leave(),
            broken_chains: broken,
            stopped: outcome.stopped,
            error: outcome.error.map(Error::from).or(kept.err()),
        }
    }
}

/// What the folder of an interrupted run asks for, and what may be asked of it again.
fn stored_options(folder: &Path, stored: &Stored, resumption: &Resumption) -> Result<Options> {
    let dir = folder.display();
    if ResultKind::of(folder) == ResultKind::Sweep {
        return Err(Error::usage(format!(
            "{dir} holds simulations, which cannot be resumed; simulate again"
        )));
    }
    if !stored.manifest.options["pattern"].is_null() {
        let problem = "holds a single measurement, which cannot be resumed; measure again";
        return Err(Error::usage(format!("{dir} {problem}")));
    }
    let mut options: Options = serde_json::from_value(stored.manifest.options.clone())
        .map_err(|error| Error::usage(format!("{dir} is not the folder of a run: {error}")))?;
    if let Some(named) = resumption.target.as_ref().filter(|named| **named != options.target) {
        let measured = &options.target;
        return Err(Error::usage(format!("{dir} was measured on {measured}, not on {named}"))
            .with(Remedy::LeaveOut("target")));
    }
    let suite = &options.suite.name;
    if let Some(named) = resumption.suite.as_ref().filter(|named| *named != suite) {
        return Err(Error::usage(format!("{dir} holds a run of the suite {suite}, not of {named}"))
            .with(Remedy::FinishOrBegin));
    }
    (options.budget, options.write_budget) = (resumption.budget, resumption.write_budget);
    options.overwrite_existing_data |= resumption.overwrite_existing_data;
    options.on_error = resumption.on_error.unwrap_or(options.on_error);
    if options.leave().write && !resumption.write {
        return Err(Error::usage("the interrupted run writes").with(Remedy::AllowWriting));
    }
    Ok(options)
}

/// What the interrupted run left behind. A virtual device begins anew with each process, so its state has to
/// be enforced again. A run whose IOs could not be kept, because the disk was full, is measured again.
fn prior(folder: &ResultFolder, stored: Stored, is_virtual: bool) -> Prior {
    let (interference, preparation_errors, is_complete) =
        stored.context.map_or_else(Default::default, |found| {
            (found.interference, found.preparation_errors, found.complete)
        });
    Prior {
        is_complete,
        finished: stored.finished.into_iter().filter(|finished| finished.run.is_kept()).collect(),
        enforced_pieces: if is_virtual { 0 } else { enforced_pieces(folder) },
        interference,
        preparation_errors,
    }
}

/// The state in words, for reports.
fn state_words(options: &Options, plan: &Plan) -> String {
    match options.state {
        State::AsIs if plan.steps.iter().any(|step| !step.before.is_empty()) => {
            "prepared by the suite".into()
        }
        State::AsIs => State::AsIs.name().into(),
        state => format!("{}, enforced", state.name()),
    }
}
