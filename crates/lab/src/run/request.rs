//! What a run is asked to do, and what of it is kept for a resumption.

use flashscope_bench::suite::Program;
use flashscope_bench::{
    Effort, Micros, OnError, Scope, Settings, State, Suite, SuiteRequest, Suites, WriteLimit,
};
use flashscope_core::{Bytes, Nanos};
use flashscope_device::{DataPattern, Engine, Intent};
use flashscope_store::Manifest;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Remedy, Result};
use crate::target::{OpenOptions, TargetSpec};
use crate::time::fresh_seed;

/// More runs of everything than anybody waits for.
const REPEATS_MAX: u32 = 1_000;
/// What is asked of a mean where nothing else is.
pub(crate) const PRECISION: f64 = 0.05;
/// No suite has a larger IO.
const SUITE_IO_MAX: u64 = 64 << 20;

/// What to characterise, and how thoroughly. The default reads only: a run that writes says so.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// What to characterise.
    pub target: TargetSpec,
    /// The suite; uFLIP unless another is named.
    pub suite: SuiteRequest,
    /// The suites that a name may be of: one's own can be added.
    pub suites: Suites,
    /// The micro-benchmarks of uFLIP: one's own can be added.
    pub micros: Micros,
    /// How much of it.
    pub scope: Scope,
    /// Only these micro-benchmarks of uFLIP, and the baselines.
    pub only: Option<Vec<String>>,
    /// The state that is enforced first; none: random where writing is allowed, else as it is.
    pub state: Option<State>,
    /// Half width of the 95 % interval of every mean, as a share of it; none: 0.05.
    pub precision: Option<f64>,
    /// The longest that everything may take.
    pub budget: Option<Nanos>,
    /// Bytes that everything may write at most; none: a small multiple of the estimate on a real target
    /// ([`flashscope_bench::WriteLimit::Estimate`]), as many as it takes on a virtual one.
    pub write_budget: Option<Bytes>,
    /// Runs of every experiment; none: as the suite says, 1 of a quick one.
    pub repeats: Option<u32>,
    /// Part of the target that is measured, from its start; none: as the scope says.
    pub size: Option<Bytes>,
    /// IO size of the baselines, or of the suite's writes; none: 32 KiB, or as the suite says.
    pub bs: Option<Bytes>,
    /// Whether the target may be written. Virtual ones always may.
    pub write: bool,
    /// Whether a file may be overwritten that flashscope did not make.
    pub overwrite_existing_data: bool,
    /// What becomes of IOs that fail.
    pub on_error: OnError,
    /// Seed of everything random; none: a new one.
    pub seed: Option<u64>,
    /// What writes contain.
    pub data: DataPattern,
    /// Engine for single IOs; none chooses.
    pub engine: Option<Engine>,
}

impl Default for RunRequest {
    fn default() -> RunRequest {
        RunRequest {
            target: TargetSpec::Rig("mtron".into()),
            suite: SuiteRequest::default(),
            suites: Suites::builtin(),
            micros: Micros::builtin(),
            scope: Scope::Table1,
            only: None,
            state: None,
            precision: None,
            budget: None,
            write_budget: None,
            repeats: None,
            size: None,
            bs: None,
            write: false,
            overwrite_existing_data: false,
            on_error: OnError::CONTINUE,
            seed: None,
            data: DataPattern::Random,
            engine: None,
        }
    }
}

/// What of those who run it a run must have leave for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leave {
    /// Writing to the target.
    pub write: bool,
    /// Overwriting a file that flashscope did not make.
    pub overwrite_existing_data: bool,
}

impl Leave {
    /// What a stored run must be given again, to be finished.
    pub fn of(manifest: &Manifest) -> Leave {
        let is_set = |key: &str| manifest.options[key] == true && !manifest.target.virtual_time;
        Leave { write: is_set("write"), overwrite_existing_data: is_set("overwrite_existing_data") }
    }
}

/// Of runs that were stored before it could be chosen.
fn on_error() -> OnError {
    OnError::CONTINUE
}

/// The same with everything decided: stored in the manifest, so that the run can be resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Options {
    pub(super) target: String,
    scope: String,
    only: Option<Vec<String>>,
    pub(super) state: State,
    pub(super) precision: f64,
    pub(super) budget: Option<Nanos>,
    #[serde(default)]
    pub(super) write_budget: Option<Bytes>,
    repeats: u32,
    size: Option<Bytes>,
    bs: Bytes,
    pub(super) write: bool,
    /// Was needed to begin it, so it is needed to finish it.
    #[serde(default)]
    pub(super) overwrite_existing_data: bool,
    #[serde(default = "on_error")]
    pub(super) on_error: OnError,
    pub(super) seed: u64,
    pub(super) data: DataPattern,
    engine: Option<Engine>,
    #[serde(default)]
    pub(super) suite: SuiteRequest,
}

impl Options {
    /// Decides what the request leaves open.
    pub(super) fn of(request: &RunRequest) -> Result<Options> {
        let RunRequest { target, suite, .. } = request;
        if *target == TargetSpec::Null {
            let problem = "null: has no characteristics to measure";
            return Err(Error::usage(problem).with(Remedy::MeasureInstead));
        }
        target.check_name()?;
        target.refuse_ignored(request.engine, request.data)?;
        let found = suite.suite(&request.suites).map_err(flashscope_bench::BenchError::from)?;
        refuse_ignored(&found, request)?;
        let write = request.write || target.is_virtual();
        let state = match request.state {
            Some(state) => state,
            None if write && suite.is_uflip() => State::Random,
            None => State::AsIs,
        };
        if state != State::AsIs && !write {
            let problem = "writes the whole target";
            return Err(Error::setting("state", problem).with(Remedy::AllowWriting));
        }
        let has_repetition = |only: &Vec<String>| only.iter().any(|name| name == "repetition");
        if request.scope != Scope::Full && request.only.as_ref().is_some_and(has_repetition) {
            let problem = "repetition is measured by a full run alone";
            return Err(Error::setting("only", problem).with(Remedy::Give("full")));
        }
        check_precision(request.precision)?;
        if request.repeats.is_some_and(|repeats| !(1..=REPEATS_MAX).contains(&repeats)) {
            return Err(Error::setting("repeats", format!("must be more than 0, and at most {REPEATS_MAX}")));
        }
        let asked = Settings::of(&found, request.scope);
        Ok(Options {
            target: target.to_string(),
            scope: scope_name(request.scope).into(),
            only: request.only.clone(),
            state,
            precision: request.precision.unwrap_or(PRECISION),
            budget: request.budget,
            write_budget: request.write_budget,
            repeats: request.repeats.unwrap_or(asked.repeats),
            size: request.size,
            bs: request.bs.unwrap_or(asked.bs),
            write,
            overwrite_existing_data: request.overwrite_existing_data,
            on_error: request.on_error,
            seed: request.seed.unwrap_or_else(fresh_seed),
            data: request.data,
            engine: request.engine,
            suite: suite.clone(),
        })
    }

    pub(super) fn target(&self) -> TargetSpec {
        self.target.as_str().into()
    }

    /// What it may do to the target, where that is real.
    pub(super) fn leave(&self) -> Leave {
        let write = self.write && !self.target().is_virtual();
        Leave { write, overwrite_existing_data: write && self.overwrite_existing_data }
    }

    fn scope(&self) -> Scope {
        match self.scope.as_str() {
            "quick" => Scope::Quick,
            "full" => Scope::Full,
            _ => Scope::Table1,
        }
    }

    pub(super) fn settings(&self, micros: &Micros, can_trim: bool) -> Settings {
        let scope = self.scope();
        // A real device is given time, a virtual one IOs: its time costs nothing.
        let is_real = !matches!(self.target(), TargetSpec::Rig(_) | TargetSpec::Sim(_));
        let (ios_max, patience, run_max, explore_factor) = match scope {
            Scope::Quick => (4_096, Nanos::from_s(1), Nanos::from_s(30), 1),
            Scope::Table1 => (16_384, Nanos::from_s(20), Nanos::from_s(600), 1),
            Scope::Full => (131_072, Nanos::from_s(120), Nanos::from_s(3600), 4),
        };
        let ios_max = if is_real { ios_max * 64 } else { ios_max };
        let effort = Effort { precision: self.precision, confidence: 0.95, explore_factor, ios_max };
        Settings {
            scope,
            micros: micros.clone(),
            only: self.only.clone(),
            state: self.state,
            effort,
            budget: self.budget,
            write_limit: match self.write_budget {
                Some(bytes) => WriteLimit::Bytes(bytes),
                None if is_real => WriteLimit::Estimate,
                None => WriteLimit::None,
            },
            run_max: is_real.then_some(run_max),
            patience: is_real.then_some(patience),
            write: self.write,
            can_trim,
            repeats: self.repeats,
            seed: self.seed,
            on_error: self.on_error,
            span: self.size,
            bs: self.bs,
        }
    }

    /// The largest IO in bytes that a plan may hold.
    fn io_bytes_max(&self) -> u64 {
        match self.suite.is_uflip() {
            // The largest pattern doubles the baseline's IO.
            true => self.bs.0.saturating_mul(2).max(512 << 10),
            false => self.bs.0.saturating_mul(8).max(SUITE_IO_MAX),
        }
    }

    /// How the target is opened; to plan only, for reading.
    pub(super) fn opening(&self, overwrite_existing_data: bool, only_plans: bool) -> OpenOptions {
        let intent = Intent {
            buffered: false,
            write: self.write && !only_plans,
            span_bytes: self.size.map_or(0, |size| size.0),
            io_unit_bytes: 0,
            overwrite_existing_data,
        };
        OpenOptions {
            intent,
            engine: self.engine,
            data: self.data,
            io_bytes_max: self.io_bytes_max().min(1 << 30) as u32,
            depth_max: if self.scope() == Scope::Full || !self.suite.is_uflip() { 128 } else { 32 },
            seed: self.seed,
        }
    }
}

/// Refuses a precision that cannot be reached.
pub(crate) fn check_precision(precision: Option<f64>) -> Result<()> {
    match precision {
        Some(precision) if !precision.is_finite() || precision <= 0.0 => {
            Err(Error::setting("precision", "must be a number of more than 0"))
        }
        _ => Ok(()),
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Quick => "quick",
        Scope::Table1 => "table-1",
        Scope::Full => "full",
    }
}

/// Refuses settings of a run that would have no effect on the suite.
fn refuse_ignored(suite: &Suite, run: &RunRequest) -> Result<()> {
    let is_file = match suite.program {
        Program::Uflip => return Ok(()),
        Program::Script(_) => true,
        Program::Acts(_) => false,
    };
    let ignored = [
        ("only", run.only.is_some(), "it has no micro-benchmarks"),
        ("full", run.scope == Scope::Full, "it uses the whole target unless a size is given"),
        ("state", run.state.is_some(), "it defines its own preconditioning"),
        ("bs", run.bs.is_some() && suite.bs.is_none(), "it has fixed IO sizes"),
        ("precision", run.precision.is_some() && !is_file, "it defines the length of its runs"),
        ("repeats", run.repeats.is_some() && is_file, "write repeats=N on its lines"),
        ("set", !run.suite.values.is_empty() && is_file, "write it on its lines"),
    ];
    match ignored.iter().find(|(_, is_given, _)| *is_given) {
        Some((setting, _, why)) => {
            let problem = format!("has no effect on the suite {}: {why}", suite.name);
            Err(Error::setting(setting, problem).with(Remedy::LeaveOut(setting)))
        }
        None => Ok(()),
    }
}
