//! A single pattern, measured until its mean is known well enough.

use std::path::{Path, PathBuf};

use flashscope_analysis::{Context, Experiment, Finished, Goal, Stop, Warning};
use flashscope_bench::{
    Effort, Event, Journal, Lab, MeasuredRun, Measurement, State, measure as measure_pattern, self_scaling,
};
use flashscope_core::{Bytes, Nanos, Pattern, TargetInfo};
use flashscope_device::{DataPattern, Engine, Intent};
use flashscope_store::ResultFolder;
use serde_json::json;

use crate::error::{Error, Remedy, Result};
use crate::facts::{Facts, manifest};
use crate::interrupt::Interrupt;
use crate::journal::{FolderJournal, Listener, folder_path};
use crate::run::{PRECISION, check_precision};
use crate::target::{OpenOptions, OpenTarget, TargetSpec};
use crate::time::fresh_seed;

/// Bytes that the first look at writes spans where time is virtual and IOs are cheap: more than a volatile
/// cache holds, whose writes say nothing about the medium behind it.
const VIRTUAL_FIRST_BYTES: u64 = 64 << 20;
/// The most IOs in flight: as many streams as a drive can tell apart, of one each.
const IN_FLIGHT_MAX: u32 = 1 << 16;
/// The most IOs that are spent on a precision.
const IOS_MAX: u64 = 1 << 24;
/// The longest that a real device is measured for a precision, unless a budget says otherwise.
pub const BUDGET: Nanos = Nanos::from_s(600);

/// What to measure, and how long. The default reads only.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureRequest {
    /// What to measure.
    pub target: TargetSpec,
    /// The pattern; a size of 0 is the rest of the target.
    pub pattern: Pattern,
    /// Find the block size from which on a larger one brings no more throughput; the pattern's own is not
    /// used.
    pub scales_bs: bool,
    /// Half width of the 95 % interval of the mean, as a share of it; none: 0.05.
    pub precision: Option<f64>,
    /// Measure for this long instead.
    pub runtime: Option<Nanos>,
    /// Look at least at this many IOs before believing that no later regime comes.
    pub explore_ios: Option<u64>,
    /// Give up on the precision after this long; none: 10 min on a real device.
    pub budget: Option<Nanos>,
    /// Whether the target may be written. Virtual ones always may.
    pub write: bool,
    /// Whether a file may be overwritten that flashscope did not make.
    pub overwrite_existing_data: bool,
    /// Seed of everything random; none: a new one.
    pub seed: Option<u64>,
    /// What writes contain.
    pub data: DataPattern,
    /// Engine for single IOs; none chooses.
    pub engine: Option<Engine>,
}

impl MeasureRequest {
    /// This pattern on this target.
    pub fn new(target: TargetSpec, pattern: Pattern) -> MeasureRequest {
        MeasureRequest {
            target,
            pattern,
            scales_bs: false,
            precision: None,
            runtime: None,
            explore_ios: None,
            budget: None,
            write: false,
            overwrite_existing_data: false,
            seed: None,
            data: DataPattern::Random,
            engine: None,
        }
    }

    fn check(&self) -> Result<()> {
        let MeasureRequest { target, pattern, .. } = self;
        check_precision(self.precision)?;
        for (setting, time) in [("runtime", self.runtime), ("budget", self.budget)] {
            if time == Some(Nanos::ZERO) {
                return Err(Error::setting(setting, "must be more than 0"));
            }
        }
        if pattern.in_flight() > IN_FLIGHT_MAX {
            let most = IN_FLIGHT_MAX;
            return Err(Error::usage(format!("{} IOs in flight; at most {most}", pattern.in_flight())));
        }
        if pattern.writes() && !self.write && !target.is_virtual() {
            let problem = format!("{} writes to {target}", pattern.rw);
            return Err(Error::usage(problem).with(Remedy::AllowWriting));
        }
        if self.engine == Some(Engine::Sync) && pattern.in_flight() > 1 {
            let problem =
                "the sync engine has one IO in flight: leave out the engine, or iodepth and numjobs";
            return Err(Error::usage(problem));
        }
        target.refuse_ignored(self.engine, self.data)
    }

    fn opening(&self) -> OpenOptions {
        let pattern = &self.pattern;
        let span_bytes = if pattern.size.0 == 0 { 0 } else { pattern.end_bytes() };
        let intent = Intent {
            write: pattern.writes(),
            span_bytes,
            // Pattern::validate checks sizes against the sector, with the setting's name.
            io_unit_bytes: 0,
            overwrite_existing_data: self.overwrite_existing_data,
        };
        let io_bytes_max = if self.scales_bs { 8 << 20 } else { pattern.bs.0.clamp(512, 1 << 30) as u32 };
        OpenOptions {
            intent,
            engine: self.engine,
            data: self.data,
            io_bytes_max,
            depth_max: pattern.in_flight().max(1),
            seed: self.seed.unwrap_or_else(fresh_seed),
        }
    }

    /// What ends a run of `pattern`.
    fn goal(&self, pattern: &Pattern, is_virtual: bool) -> Option<Goal> {
        if self.runtime.is_some() || pattern.number_ios.is_some() {
            return None;
        }
        let precision = self.precision.unwrap_or(PRECISION);
        let effort = Effort { precision, confidence: 0.95, explore_factor: 1, ios_max: IOS_MAX };
        let goal = effort.exploring(pattern);
        let first_ios = if is_virtual { virtual_first_ios(pattern) } else { 0 };
        let explore_ios = self.explore_ios.unwrap_or(goal.explore_ios.max(first_ios));
        let explore_ios = explore_ios.max(pattern.ignore_ios);
        Some(Goal { explore_ios, ..goal })
    }

    /// What ends it at the latest.
    fn latest(&self, pattern: &Pattern, is_virtual: bool) -> Option<(Nanos, Stop)> {
        match (self.runtime, self.budget) {
            (Some(runtime), _) => Some((runtime, Stop::Runtime)),
            (None, Some(budget)) => Some((budget, Stop::Budget)),
            // A real device that never settles must not be written for ever.
            (None, None) if is_virtual => None,
            (None, None) => self.goal(pattern, is_virtual).map(|_| (BUDGET, Stop::Budget)),
        }
    }
}

/// IOs of the first look at a virtual target; 0 for reads, which fill no cache.
fn virtual_first_ios(pattern: &Pattern) -> u64 {
    let bytes_each = pattern.write_share() * pattern.bs.0 as f64;
    if bytes_each > 0.0 { (VIRTUAL_FIRST_BYTES as f64 / bytes_each).ceil() as u64 } else { 0 }
}

/// The pattern with the whole rest of the target where no size was given.
fn fitted(pattern: &Pattern, info: &TargetInfo) -> Pattern {
    let mut fitted = pattern.clone();
    if fitted.size.0 == 0 && fitted.bs.0 > 0 {
        let rest = info.size_bytes.saturating_sub(fitted.offset.0.saturating_add(fitted.shift.0));
        fitted.size = Bytes(rest / fitted.bs.0 * fitted.bs.0);
    }
    fitted
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
        let mut target = OpenTarget::open(&request.target, request.opening(), interrupt)?;
        let depth = request.pattern.in_flight();
        target.name_engines(depth..=depth);
        let info = target.info();
        let mut pattern = request.pattern.clone();
        if pattern.rw.is_trim() && target.handle().is_none() && !target.can_trim() {
            return Err(Error::usage(format!(
                "{} does not support discards; choose another operation, or a simulated SSD",
                info.name
            )));
        }
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
        let facts = Facts::of(&target, &request.data, seed);
        let path = folder_path(folder, "measure-", &request.target);
        let options = json!({ "target": request.target.to_string(), "pattern": pattern, "seed": seed });
        let state = State::AsIs.name();
        let manifest = manifest(&facts, state, &[pattern.to_string()], options);
        let folder = ResultFolder::create(&path, &manifest)?;
        let context = facts.context(state.into());
        target.keep_inside(folder.path());
        // Before the first IO: then what a kill or a full disk leaves behind can be shown.
        folder.write_context(&context)?;
        Ok(BegunMeasurement { request, target, pattern, facts, folder, context })
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
    /// What guard and doctor noticed before the first IO.
    pub warnings: Vec<Warning>,
    /// The error that ended it.
    pub error: Option<Error>,
}

impl BegunMeasurement<'_> {
    /// What is known of target and machine before the first IO.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Measures. All that was measured is stored and returned, whatever ended it.
    pub fn measure(mut self, listener: Listener<'_>, interrupt: &Interrupt) -> MeasureResult {
        let mut finished = Vec::new();
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
            let pattern = self.pattern.clone();
            self.one(&pattern, listener, interrupt, &mut finished).map(|()| None)
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
            pattern,
            beside: None,
            goal: self.request.goal(pattern, is_virtual),
            runtime: self.request.latest(pattern, is_virtual),
            enough: None,
            patience: None,
            windows: None,
            seed: self.target.seed(),
            interrupted: interrupt.flag(),
        };
        let experiment = Experiment {
            micro: "measure".into(),
            curve: pattern.rw.short_name().into(),
            parameter: 0.0,
            label: pattern.bs.to_string(),
            pattern: pattern.clone(),
            beside: None,
        };
        let (name, seed) = (self.context.target.name.clone(), self.target.seed());
        let mut journal = FolderJournal { listener, target: name, seed, folder: &mut self.folder };
        journal.hear(&Event::Started { number: 1, of: 1, experiment: &experiment, repeat: 0 });
        let mut recording = journal.begin(&experiment, 0, request.sources()).map_err(Error::of_cause)?;
        self.target.begin();
        let target = self.target.target(pattern.in_flight())?;
        let mut look = |ios, estimate, why| journal.hear(&Event::Look { ios, estimate, why });
        let MeasuredRun { run, error } = measure_pattern(target, &request, &mut recording, &mut look);
        let kept = journal.finish(recording, Finished { experiment, repeat: 0, run });
        let finished = kept.map_err(Error::of_cause)?;
        let ended = self.target.end(&finished).map_err(Error::of_cause);
        self.context.complete =
            !matches!(finished.run.outcome.stopped_because, Stop::Interrupted | Stop::Failed);
        all.push(finished);
        ended?;
        self.folder.write_context(&self.context)?;
        error.map_or(Ok(()), |error| Err(error.into()))
    }
}
