//! The plan: which runs, where, in which order, and what they will cost. Made before anything is written.

mod place;
mod shares;
mod zoned;

use std::collections::HashSet;
use std::fmt;

use flashscope_core::{Bytes, Nanos, Pattern, Rw, TargetInfo};

use self::place::Point;
pub(crate) use self::shares::Shares;
use crate::error::BenchError;
use crate::goal::Effort;
use crate::interference;
use crate::micro::{Frame, Micro, Micros, Scope};
use crate::on_error::OnError;
use crate::state::{FLASH_BLOCK_BYTES, State};
use crate::step::{ASSUMED_WRITE, Cost, Length, Preparation, Step, assumed_ns, bytes_within};

/// What the person asked of a whole characterisation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many points.
    pub scope: Scope,
    /// The micro-benchmarks to choose from.
    pub micros: Micros,
    /// Those of them that are run, by name; none means those of the scope.
    pub only: Option<Vec<String>>,
    /// State to enforce first.
    pub state: State,
    /// Precision, confidence, first looks.
    pub effort: Effort,
    /// The longest that everything may take.
    pub budget: Option<Nanos>,
    /// What everything may write.
    pub write_limit: WriteLimit,
    /// The longest that a single run may take.
    pub run_max: Option<Nanos>,
    /// How long a single run may go on only to narrow its interval.
    pub patience: Option<Nanos>,
    /// Whether writing is allowed.
    pub write: bool,
    /// The target can discard what it holds.
    pub can_trim: bool,
    /// Rounds: runs of every experiment, in an order drawn anew for each round, which share the precision.
    pub repeats: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// What becomes of IOs that fail.
    pub on_error: OnError,
    /// Part of the target that is measured, from its start; none means as much as the scope takes.
    pub span: Option<Bytes>,
    /// IOSize of the baselines.
    pub bs: Bytes,
}

impl Default for Settings {
    /// Table 1 in five rounds, without leave to write, on the whole target as it is.
    fn default() -> Settings {
        Settings {
            scope: Scope::Table1,
            micros: Micros::builtin(),
            only: None,
            state: State::AsIs,
            effort: Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: 16_384 },
            budget: None,
            write_limit: WriteLimit::None,
            run_max: None,
            patience: None,
            write: false,
            can_trim: false,
            repeats: 5,
            seed: 1,
            on_error: OnError::Stop,
            span: None,
            bs: flashscope_core::pattern::BS_DEFAULT,
        }
    }
}

/// How many bytes a run may write. It never writes more: see [`flashscope_core::WriteBudget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteLimit {
    /// As many as it takes.
    #[default]
    None,
    /// [`crate::SHARE_FACTOR`] times what is expected of a device at which runs end when their mean is known,
    /// and of runs of a fixed time what passes at [`crate::ASSUMED_RATE`]; never less than the least.
    Estimate,
    /// So many.
    Bytes(Bytes),
}

/// All runs in order, and what they cost.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scale of the patterns.
    pub frame: Frame,
    /// The state that is enforced.
    pub state: State,
    /// The runs.
    pub steps: Vec<Step>,
    /// Times that the state is enforced.
    pub enforcements: u64,
    /// A pause between runs is learnt and kept (paper 001, section 4.3). Where not, the steps say themselves
    /// when the device is left alone.
    pub keeps_pause: bool,
    /// Bytes that will be written, about: never less than the least nor more than the most.
    pub written_bytes: u64,
    /// Bytes that will be written at least, if nothing ends the plan early: state, first looks, and twice the
    /// writes of the interference experiment.
    pub written_bytes_min: u64,
    /// Bytes that will be written at most: the bound, or without one every run to its limit of IOs or, at
    /// [`crate::ASSUMED_RATE_MAX`], of time. Without a bound a start-up or period that is longer than a
    /// quarter of the limit of IOs may take more.
    pub written_bytes_max: u64,
    /// Bytes that may be written: the bound that the run keeps, if there is one.
    pub write_bound: Option<Bytes>,
    /// What of it belongs to each step, and to the interference experiment.
    pub(crate) shares: Shares,
    /// Time that it will take, about: see [`crate::ASSUMED_READ`], [`crate::ASSUMED_WRITE`] and
    /// [`crate::ASSUMED_RATE`].
    pub duration: Nanos,
    /// What the plan leaves out, and why.
    pub notes: Vec<Note>,
}

/// Why a plan leaves something out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// All that writes, because writing is not allowed.
    OnlyReads,
    /// What lies behind so many bytes of the target.
    OnlyFirst(Bytes),
    /// Fresh space for every sequential write, because no state is enforced.
    SpaceReused,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::OnlyReads => f.write_str("reads only, because writing is not allowed"),
            Note::OnlyFirst(span) => write!(f, "only the first {} are measured", spaced(&span.to_string())),
            Note::SpaceReused => f.write_str(
                "sequential writes reuse their target space, because the device is not preconditioned",
            ),
        }
    }
}

/// Longer than anybody waits: up to here, times and bytes are exact sums.
const LONGEST: Nanos = Nanos::from_s(30 * 365 * 86_400);
/// The pause between runs in that estimate: the least that is kept, and what a run takes besides.
fn assumed_pause(scope: Scope) -> Nanos {
    if scope == Scope::Quick { Nanos::from_ms(200) } else { Nanos::from_s(1) }
}

/// Full drive writes that a drive is rated for, where nothing better is known: 0.3 a day for five years.
pub const RATED_DRIVE_WRITES: f64 = 0.3 * 365.0 * 5.0;

/// Smallest target: below this a partitioned pattern could not be distinguished from a random one.
const SPAN_MIN: Bytes = Bytes(16 << 20);
/// Nor is what has no room for so many IOs: a room of a sequential pattern holds them.
const SPAN_MIN_IOS: u64 = 64;

impl Plan {
    /// Plans a characterisation of `target`. The same settings and target give the same plan.
    ///
    /// # Errors
    /// An unknown micro-benchmark; a target that is too small.
    pub fn new(target: &TargetInfo, settings: &Settings) -> Result<Plan, BenchError> {
        Pattern { bs: settings.bs, size: settings.bs, ..Pattern::default() }.validate(target)?;
        let mut notes = Vec::new();
        let frame = frame(target, settings, &mut notes)?;
        let micros = chosen(settings)?;
        let mut points: Vec<Point> = micros
            .iter()
            .flat_map(|micro| (micro.points)(&frame).into_iter().map(move |draft| (*micro, draft)))
            .filter(|(_, draft)| settings.write || !draft.pattern.writes())
            .collect();
        if !settings.write {
            notes.push(Note::OnlyReads);
        }
        place::sort(&mut points, &frame);
        let steps = place::place(&points, &frame, settings, &mut notes);
        let state = if settings.write { settings.state } else { State::AsIs };
        let plan = Plan { notes, keeps_pause: true, ..Plan::bare(frame, state, steps) };
        plan.priced(target, settings)
    }

    /// Steps without a price.
    pub(crate) fn bare(frame: Frame, state: State, steps: Vec<Step>) -> Plan {
        Plan {
            frame,
            state,
            steps,
            enforcements: 0,
            keeps_pause: false,
            written_bytes: 0,
            written_bytes_min: 0,
            written_bytes_max: 0,
            write_bound: None,
            shares: Shares::default(),
            duration: Nanos::ZERO,
            notes: Vec::new(),
        }
    }

    /// The plan with what it costs, once all its patterns are found to fit.
    pub(crate) fn priced(mut self, target: &TargetInfo, settings: &Settings) -> Result<Plan, BenchError> {
        check_experiments(&self.steps)?;
        zoned::check(&self, target)?;
        for step in &self.steps {
            for pattern in step.patterns().chain(step.bursts()) {
                pattern.validate(target)?;
                if pattern.end_bytes() > self.frame.span.0 {
                    let id = step.experiment.id();
                    return Err(BenchError::Beyond {
                        id,
                        pattern: Box::new(pattern.clone()),
                        span: self.frame.span,
                    });
                }
            }
        }
        let before = self.steps.iter().filter(|step| !step.is_added()).flat_map(|step| &step.before);
        let again = before.filter(|before| matches!(before, Preparation::Enforce(_))).count() as u64;
        self.enforcements = again + u64::from(self.state != State::AsIs);
        let (cost, shares) = self.cost(settings);
        self.shares = shares;
        if cost.nanos > LONGEST.0 {
            return Err(BenchError::TooLong);
        }
        self.written_bytes = cost.about_bytes;
        self.write_bound = match settings.write_limit {
            WriteLimit::None => None,
            WriteLimit::Estimate => Some(Bytes(cost.share_bytes)),
            WriteLimit::Bytes(bytes) => Some(bytes),
        };
        let bound = self.write_bound.map_or(u64::MAX, |bound| bound.0);
        (self.written_bytes_min, self.written_bytes_max) = (cost.min_bytes, cost.max_bytes.min(bound));
        let whole = Nanos(cost.nanos);
        self.duration = settings.budget.map_or(whole, |budget| whole.min(budget));
        Ok(self)
    }

    /// The largest IO of the plan.
    pub fn io_bytes_max(&self) -> u64 {
        let sizes = self.steps.iter().flat_map(|step| {
            let fills = step.before.iter().filter_map(|before| match before {
                Preparation::Fill { bs, .. } => Some(bs.0),
                _ => None,
            });
            step.patterns().chain(step.bursts()).map(Pattern::data_bytes).chain(fills)
        });
        sizes.fold(FLASH_BLOCK_BYTES, u64::max)
    }

    /// The largest IO of those that have others in flight beside them.
    pub fn io_bytes_max_in_flight(&self) -> u64 {
        let many = self.steps.iter().flat_map(|step| {
            let together = step.patterns().filter(|_| step.in_flight() > 1);
            together.chain(step.bursts().filter(|burst| burst.in_flight() > 1))
        });
        many.map(Pattern::data_bytes).max().unwrap_or(FLASH_BLOCK_BYTES)
    }

    /// The most IOs in flight.
    pub fn depth_max(&self) -> u32 {
        let before = self.steps.iter().flat_map(Step::bursts).map(Pattern::in_flight);
        self.steps.iter().map(Step::in_flight).chain(before).fold(1, u32::max)
    }

    /// The most IOs in flight in one loop, where each of several processes has a loop of its own.
    pub fn loop_depth_max(&self) -> u32 {
        let before = self.steps.iter().flat_map(Step::bursts).map(Pattern::in_flight);
        self.steps.iter().map(Step::in_flight_of_loop).chain(before).fold(1, u32::max)
    }

    /// The share of a typical drive's rated endurance that the plan uses up.
    pub fn endurance_share(&self, target: &TargetInfo) -> f64 {
        self.written_bytes as f64 / (target.size_bytes as f64 * RATED_DRIVE_WRITES)
    }

    /// The state, what is done before the runs, the runs, and the interference experiment.
    fn cost(&self, settings: &Settings) -> (Cost, Shares) {
        let state = Cost::of_preparation(&Preparation::Enforce(self.state), self.frame.span);
        let of_steps: Vec<Cost> = self.steps.iter().map(|step| self.cost_of(step, settings)).collect();
        let interference = self.cost_of_interference(settings);
        let mut cost = state;
        of_steps.iter().chain([&interference]).for_each(|part| cost.add(*part));
        (cost, Shares::new(&of_steps, interference, cost.share_bytes))
    }

    /// A round is added where the measured noise asks for it: no part of what is planned.
    fn cost_of(&self, step: &Step, settings: &Settings) -> Cost {
        let mut cost = Cost::of_step(step, self.frame.span);
        if step.length == Length::Precise {
            cost.add(cost_of_look(step, settings));
        }
        if step.is_added() {
            return Cost { max_bytes: cost.max_bytes, ..Cost::default() };
        }
        cost
    }

    /// The random writes of the interference experiment: a start-up may be as long as a baseline.
    fn cost_of_interference(&self, settings: &Settings) -> Cost {
        let is_done = self.steps.iter().any(|step| step.experiment.micro != "baseline");
        if !settings.write || !is_done || !self.keeps_pause {
            return Cost::default();
        }
        let random = Pattern::baseline(Rw::RandWrite, Bytes(0), self.frame.span);
        let (_, startup_ios_max) = settings.effort.ios_range(&random, true);
        let (least, most) =
            (interference::ROUNDS_MIN, interference::rounds_max(settings.scope, settings.patience));
        let bytes = |rounds: u64, ios: u64| rounds.saturating_mul(ios).saturating_mul(self.frame.bs.0);
        let min_bytes = bytes(least, interference::WRITES);
        let max_bytes = bytes(most, interference::WRITES + startup_ios_max);
        let nanos = least * interference::WRITES * ASSUMED_WRITE.0;
        Cost { about_bytes: min_bytes, min_bytes, max_bytes, nanos, ..Cost::default() }.with_share(min_bytes)
    }
}

/// A run that ends when its mean is known: about a first look.
fn cost_of_look(step: &Step, settings: &Settings) -> Cost {
    let pattern = &step.experiment.pattern;
    let is_baseline = step.experiment.micro == "baseline";
    let (min, max) = settings.effort.ios_range(pattern, is_baseline);
    let first = settings.effort.exploring(pattern).explore_ios;
    let about = if is_baseline { first } else { (first / 4).max(64) };
    let about = about.clamp(min, max);
    let in_time = settings.run_max.filter(|_| pattern.writes()).map_or(u64::MAX, bytes_within);
    let bytes = |ios: u64| ((ios as f64 * pattern.write_share() * pattern.bs_mean()) as u64).min(in_time);
    let cost = Cost {
        about_bytes: bytes(about),
        min_bytes: bytes(min),
        max_bytes: bytes(max),
        nanos: (about as f64 * assumed_ns(pattern)) as u64 + assumed_pause(settings.scope).0,
        ..Cost::default()
    };
    cost.with_share(cost.about_bytes)
}

/// How much of the target is measured, and in which portions.
pub(crate) fn frame(
    target: &TargetInfo,
    settings: &Settings,
    notes: &mut Vec<Note>,
) -> Result<Frame, BenchError> {
    let bs = settings.bs;
    if bs.0 == 0 {
        return Err(BenchError::NoBlockSize);
    }
    let most = match settings.scope {
        Scope::Quick => Bytes(1 << 30),
        Scope::Table1 => Bytes(16 << 30),
        Scope::Full => Bytes(u64::MAX),
    };
    let need = SPAN_MIN.0.div_ceil(bs.0).max(SPAN_MIN_IOS).saturating_mul(bs.0);
    let part = settings.span.unwrap_or(most.max(Bytes(need))).0.min(target.size_bytes);
    let span = part / bs.0 * bs.0;
    if span < need {
        let (size, need) = (Bytes(part), Bytes(need));
        let fits = (part / SPAN_MIN_IOS).checked_ilog2().filter(|_| part >= SPAN_MIN.0);
        let io_bytes_max = fits.map(|power| Bytes(1 << power));
        return Err(BenchError::TooSmall { name: target.name.clone(), size, need, io_bytes_max });
    }
    if span + bs.0 <= target.size_bytes {
        notes.push(Note::OnlyFirst(Bytes(span)));
    }
    let room_max = if settings.scope == Scope::Quick { 16 << 20 } else { 64 << 20 };
    // A whole number of IOs of every size in table 1, and of 256 partitions where there is room for them.
    let grain = (256 * bs.0).clamp(512 << 10, 1 << 20);
    let room = (span / 8).min(room_max) / grain * grain;
    Ok(Frame {
        span: Bytes(span),
        bs,
        sector: Bytes(u64::from(target.logical_block_bytes)),
        room: Bytes(room.max(bs.0 * SPAN_MIN_IOS)),
        queue_depth_max: target.queue_depth_max,
        scope: settings.scope,
    })
}

/// `4GiB` as a person writes it: `4 GiB`.
fn spaced(size: &str) -> String {
    let (number, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
    format!("{number} {unit}")
}

/// Bytes that the name of an experiment may have: it is part of a file's.
const ID_BYTES_MAX: usize = 160;

/// Refuses experiments that a result could not keep. They may come from outside.
fn check_experiments(steps: &[Step]) -> Result<(), BenchError> {
    let mut places = HashSet::new();
    for Step { experiment, repeat, .. } in steps {
        let id = experiment.id();
        let problem = if !experiment.parameter.is_finite() {
            "its parameter is not a finite number"
        } else if id.len() > ID_BYTES_MAX {
            "its name is too long"
        } else if !places.insert((id.clone(), *repeat)) {
            "another one has the same name"
        } else {
            continue;
        };
        return Err(BenchError::Unstorable { id, problem });
    }
    Ok(())
}

/// The micro-benchmarks asked for, the baselines always among them.
fn chosen(settings: &Settings) -> Result<Vec<&Micro>, BenchError> {
    let micros = &settings.micros;
    let Some(only) = &settings.only else {
        let in_scope = |micro: &&Micro| match settings.scope {
            Scope::Quick => micro.name != "burst" && micro.name != "repetition",
            Scope::Table1 => micro.is_uflip || micro.name == "baseline" || micro.name == "queue-depth",
            Scope::Full => true,
        };
        return Ok(micros.iter().filter(in_scope).collect());
    };
    for name in only {
        if !micros.iter().any(|micro| micro.name == name) {
            let known = micros.iter().map(|micro| micro.name).collect();
            return Err(BenchError::UnknownMicro { name: name.clone(), known });
        }
    }
    Ok(micros.iter().filter(|m| m.name == "baseline" || only.iter().any(|name| name == m.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn settings() -> Settings {
        Settings { state: State::Random, write: true, ..Settings::default() }
    }

    pub(super) fn target(size_bytes: u64) -> TargetInfo {
        TargetInfo {
            name: "test".into(),
            size_bytes,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 128,
            placements: 1,
            zones: None,
        }
    }

    #[test]
    fn every_run_fits_the_target() {
        for size in [16 << 20, 64 << 20, (1 << 30) + 512, 1 << 40] {
            let target = target(size);
            for scope in [Scope::Quick, Scope::Table1, Scope::Full] {
                let plan = Plan::new(&target, &Settings { scope, ..settings() }).unwrap();
                for step in &plan.steps {
                    let pattern = &step.experiment.pattern;
                    pattern
                        .validate(&target)
                        .unwrap_or_else(|e| panic!("{size} {}: {e}", step.experiment.id()));
                    assert!(pattern.end_bytes() <= plan.frame.span.0, "{}", step.experiment.id());
                }
            }
        }
    }

    #[test]
    fn unknown_micro_benchmarks_and_tiny_targets_are_refused_with_the_way_out() {
        let only = Some(vec!["granulrity".to_string()]);
        let error = Plan::new(&target(1 << 30), &Settings { only, ..settings() }).unwrap_err();
        assert!(error.to_string().contains("granularity, alignment"));
        let error = Plan::new(&target(8 << 20), &settings()).unwrap_err().to_string();
        assert!(error.contains("8MiB of test") && error.contains("at least 16MiB"), "{error}");
    }

    /// What the refusal of a smaller target names is enough.
    #[test]
    fn the_least_size_that_is_named_is_enough_for_ios_of_any_size() {
        for bs in [512, 4 << 10, 48 << 10, 1 << 20, 4 << 20, 32 << 20] {
            for scope in [Scope::Quick, Scope::Table1, Scope::Full] {
                let settings = Settings { bs: Bytes(bs), scope, repeats: 1, ..settings() };
                let Err(BenchError::TooSmall { need, .. }) = Plan::new(&target(bs), &settings) else {
                    panic!("one IO of {bs} has room enough");
                };
                let plan = Plan::new(&target(need.0), &settings);
                assert!(plan.is_ok(), "{bs} {scope:?} in {need}: {:?}", plan.err());
            }
        }
    }
}
