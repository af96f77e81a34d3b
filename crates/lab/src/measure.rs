//! A single pattern, measured until its mean is known well enough.

mod depth;
mod jobs;
mod request;

use std::path::{Path, PathBuf};

use flashscope_analysis::{Context, Experiment, Finished, Stop, Warning};
use flashscope_bench::{
    Event, Journal, Lab, MeasuredRun, Measurement, Place, State, measure_on, self_scaling,
};
use flashscope_core::{Bytes, JobSpace, Pattern, TargetInfo, WriteBudget};
use flashscope_store::ResultFolder;
use serde_json::json;

use crate::error::{Error, Result};
use crate::facts::{Facts, manifest};
use crate::interrupt::Interrupt;
use crate::journal::{FolderJournal, Listener, folder_path};
use crate::target::OpenTarget;

pub use jobs::{BegunJobs, JobRequest, JobSpec, OpenJobs};
pub use request::{BUDGET, HORIZON, MeasureRequest, Reach};

/// The pattern with the whole rest of the target where no size was given.
fn fitted(pattern: &Pattern, info: &TargetInfo) -> Pattern {
    let mut fitted = pattern.clone();
    if fitted.size.0 == 0 && fitted.bs.0 > 0 {
        let is_apart = matches!(fitted.job_space, JobSpace::Apart(_));
        let before = fitted.offset.0.saturating_add(fitted.shift.0);
        let before = before.saturating_add(if is_apart { fitted.last_distance_bytes() } else { 0 });
        let rest = info.size_bytes.saturating_sub(before);
        fitted.size = Bytes(rest / fitted.bs.0 * fitted.bs.0);
    }
    fitted
}

/// What a run of this pattern is called.
fn experiment(pattern: &Pattern) -> Experiment {
    Experiment {
        micro: "measure".into(),
        curve: pattern.short_name(),
        parameter: 0.0,
        label: pattern.sizes.as_ref().map_or(pattern.bs.to_string(), ToString::to_string),
        pattern: pattern.clone(),
        beside: None,
    }
}

/// Measures one pattern in a new result folder. The listener hears what happens; `confirmation` is the serial
/// of a block device to be written.
///
/// # Errors
/// The request makes no sense, the guard refuses, the device is not confirmed, the folder cannot be made.
/// What happens once IOs go is in the result, beside what was measured until then.
///
/// ```
/// use flashscope_lab::{Interrupt, MeasureRequest, measure};
///
/// let folder = std::env::temp_dir().join(format!("flashscope-measure-{}", std::process::id()));
/// let pattern = "rw=randread bs=32k size=1g".parse()?;
/// let request = MeasureRequest { seed: Some(1), ..MeasureRequest::new("rig:mtron".into(), pattern) };
/// let result = measure(&request, Some(&folder), None, &mut |_| {}, &Interrupt::new())?;
/// let mean = result.finished[0].run.outcome.estimate.expect("a rig settles");
/// assert!(mean.ci_low_ns <= mean.mean_ns && mean.mean_ns <= mean.ci_high_ns);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub fn measure(
    request: &MeasureRequest,
    folder: Option<&Path>,
    confirmation: Option<&str>,
    listener: Listener<'_>,
    interrupt: &Interrupt,
) -> Result<MeasureResult> {
    let opened = OpenMeasurement::new(request, interrupt)?;
    opened.target().confirm(confirmation)?;
    Ok(opened.begin(folder)?.measure(listener, interrupt))
}

/// A measurement whose target is open and whose pattern fits it. Nothing has been written.
pub struct OpenMeasurement<'a> {
    request: &'a MeasureRequest,
    target: OpenTarget,
    pattern: Pattern,
}

impl<'a> OpenMeasurement<'a> {
    /// Opens the target.
    ///
    /// # Errors
    /// The request makes no sense; the target cannot be opened, or is refused; the pattern does not fit it.
    pub fn new(request: &'a MeasureRequest, interrupt: &Interrupt) -> Result<OpenMeasurement<'a>> {
        request.check()?;
        let target = OpenTarget::open(&request.target, request.opening(), interrupt)?;
        OpenMeasurement::on(request, target)
    }

    /// On a target that was opened as the request asks.
    fn on(request: &'a MeasureRequest, mut target: OpenTarget) -> Result<OpenMeasurement<'a>> {
        let Pattern { numjobs, iodepth, .. } = request.pattern;
        let depth = if numjobs > 1 && target.opens_again() { iodepth } else { request.pattern.in_flight() };
        let least = if request.latency_target.is_some() { 1 } else { depth };
        target.name_engines(least..=depth);
        let info = target.info();
        let mut pattern = request.pattern.clone();
        if pattern.trims() && target.handle().is_none() && !target.can_trim() {
            return Err(Error::usage(format!(
                "{} does not support discards; choose another operation, or a simulated SSD",
                info.name
            )));
        }
        target.check_atomic(&pattern)?;
        if request.scales_bs {
            pattern.bs = Bytes(u64::from(info.logical_block_bytes));
        }
        let pattern = fitted(&pattern, info);
        pattern.validate(info)?;
        Ok(OpenMeasurement { request, target, pattern })
    }

    /// What it will be measured on.
    pub fn target(&self) -> &OpenTarget {
        &self.target
    }

    /// The pattern as it fits the target.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Makes the result folder.
    ///
    /// # Errors
    /// The target is a block device to be written that was not confirmed ([`OpenTarget::confirm`]); the
    /// folder cannot be made, or holds something.
    pub fn begin(self, folder: Option<&Path>) -> Result<BegunMeasurement<'a>> {
        let OpenMeasurement { request, mut target, pattern } = self;
        target.must_be_confirmed()?;
        let seed = target.seed();
        let mut facts = Facts::of(&target, &request.data, seed);
        let path = folder_path(folder, "measure-", &request.target);
        let mut options = json!({ "target": request.target.to_string(), "pattern": pattern, "seed": seed,
            "buffered": request.buffered });
        if let Some(target) = &request.latency_target {
            options["latency_target"] = json!({ "latency_ns": target.latency.0, "share": target.share,
                "window_ns": target.window.0 });
        }
        let state = State::AsIs.name();
        let manifest = manifest(&facts, state, &[pattern.to_string()], options);
        let folder = ResultFolder::create(&path, &manifest)?;
        facts.look_at_place(&target, folder.path());
        let context = facts.context(state.into());
        target.keep_inside(folder.path());
        // Before the first IO: then what a kill or a full disk leaves behind can be shown.
        folder.write_context(&context)?;
        let writes = request.write_budget.map(|budget| WriteBudget::new(budget.0));
        Ok(BegunMeasurement { request, target, pattern, facts, folder, context, writes, place: None })
    }
}

/// A measurement whose result folder is there and whose IOs may go.
pub struct BegunMeasurement<'a> {
    request: &'a MeasureRequest,
    target: OpenTarget,
    pattern: Pattern,
    facts: Facts,
    folder: ResultFolder,
    context: Context,
    /// Bytes that may still be written, by all sizes that are tried.
    writes: Option<WriteBudget>,
    /// Its place among others at the same time.
    place: Option<&'a Place<'a>>,
}

/// What came of a measurement, whatever ended it. It is stored as well.
#[derive(Debug)]
pub struct MeasureResult {
    /// The result folder.
    pub folder: PathBuf,
    /// Facts about the whole run.
    pub context: Context,
    /// The run, or all that were tried to find a block size, the chosen one among them.
    pub finished: Vec<Finished>,
    /// The block size that was found, if one was asked for and the search came to its end.
    pub chosen_bs: Option<Bytes>,
    /// The queue depth that met the latency target and was measured, if one was asked for.
    pub chosen_iodepth: Option<u32>,
    /// What guard and doctor noticed before the first IO.
    pub warnings: Vec<Warning>,
    /// The error that ended it.
    pub error: Option<Error>,
}

impl<'a> BegunMeasurement<'a> {
    /// Beside others: it begins when they do.
    fn beside<'b>(self, place: &'b Place<'b>) -> BegunMeasurement<'b>
    where
        'a: 'b,
    {
        BegunMeasurement { place: Some(place), ..self }
    }
}

impl BegunMeasurement<'_> {
    /// What is known of target and machine before the first IO.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Measures. All that was measured is stored and returned, whatever ended it.
    pub fn measure(mut self, listener: Listener<'_>, interrupt: &Interrupt) -> MeasureResult {
        let mut finished = Vec::new();
        let mut chosen_iodepth = None;
        let ended = if self.request.scales_bs {
            let least = self.pattern.bs;
            let size = Bytes(self.context.target.size_bytes);
            let found = self_scaling(least, size, |bs| {
                let pattern = fitted(&Pattern { bs, ..self.request.pattern.clone() }, &self.context.target);
                self.one(&pattern, &mut *listener, interrupt, &mut finished)?;
                Ok::<_, Error>(finished.last().expect("it was just kept").run.clone())
            });
            // A search that was cut short has found nothing.
            found.map(|found| self.context.complete.then_some(found.bs))
        } else {
            self.iodepth(&mut *listener, interrupt).and_then(|iodepth| {
                let pattern = Pattern { iodepth, ..self.pattern.clone() };
                self.one(&pattern, listener, interrupt, &mut finished)?;
                chosen_iodepth = self.request.latency_target.map(|_| iodepth);
                Ok(None)
            })
        };
        let (chosen_bs, error) = match ended {
            Ok(chosen_bs) => (chosen_bs, None),
            Err(error) => (None, Some(error)),
        };
        let folder = self.folder.path().to_path_buf();
        MeasureResult {
            folder,
            context: self.context,
            finished,
            chosen_bs,
            chosen_iodepth,
            warnings: self.facts.warnings,
            error,
        }
    }

    /// Measures one pattern and stores it; what was measured before an error is kept as well.
    fn one(
        &mut self,
        pattern: &Pattern,
        listener: Listener<'_>,
        interrupt: &Interrupt,
        all: &mut Vec<Finished>,
    ) -> Result<()> {
        pattern.validate(self.target.info())?;
        let is_virtual = self.context.target.virtual_time;
        let request = Measurement {
            goal: self.request.goal(pattern, is_virtual),
            runtime: self.request.latest(pattern, is_virtual),
            writes: self.writes.as_ref(),
            on_error: self.request.on_error,
            place: self.place,
            seed: self.target.seed(),
            ..Measurement::new(pattern, interrupt.flag())
        };
        let experiment = experiment(pattern);
        let (name, seed) = (self.context.target.name.clone(), self.target.seed());
        let mut journal = FolderJournal { listener, target: name, seed, folder: &mut self.folder };
        journal.hear(&Event::Started { number: 1, of: 1, experiment: &experiment, repeat: 0 });
        let mut recording = journal.begin(&experiment, 0, request.sources()).map_err(Error::of_cause)?;
        self.target.begin();
        let mut look = |ios, estimate, why| journal.hear(&Event::Look { ios, estimate, why });
        let MeasuredRun { run, error } = measure_on(&mut self.target, &request, &mut recording, &mut look)?;
        let finished = Finished { experiment, repeat: 0, run };
        let runs = journal.folder.runs();
        let finished = journal.finish(recording, finished.clone()).map_err(|cause| {
            // The summary alone.
            all.extend((journal.folder.runs() > runs).then_some(finished));
            Error::of_cause(cause)
        })?;
        let ended = self.target.end(&finished).map_err(Error::of_cause);
        self.context.complete =
            !matches!(finished.run.outcome.stopped_because, Stop::Interrupted | Stop::Failed);
        all.push(finished);
        ended?;
        self.folder.write_context(&self.context)?;
        error.map_or(Ok(()), |error| Err(error.into()))
    }
}
