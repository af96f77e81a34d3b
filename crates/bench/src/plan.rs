//! The plan: which runs, where, in which order, and what they will cost. Made before anything is written.

use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Nanos, Pattern, Rw, TargetInfo};

use crate::error::BenchError;
use crate::goal::Effort;
use crate::interference;
use crate::micro::{Draft, Frame, MICROS, Micro, Scope};
use crate::state::{FLASH_BLOCK_BYTES, State};
use crate::step::{ASSUMED_READ, ASSUMED_WRITE, Cost, Length, Preparation, Step, bytes_within};
use flashscope_analysis::Experiment;

/// What the person asked of a whole characterisation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many points.
    pub scope: Scope,
    /// Micro-benchmarks by name; none means those of the scope.
    pub only: Option<Vec<String>>,
    /// State to enforce first.
    pub state: State,
    /// Precision, confidence, first looks.
    pub effort: Effort,
    /// The longest that everything may take.
    pub budget: Option<Nanos>,
    /// The longest that a single run may take.
    pub run_max: Option<Nanos>,
    /// How long a single run may go on only to narrow its interval.
    pub patience: Option<Nanos>,
    /// Whether writing is allowed.
    pub write: bool,
    /// Runs of every experiment.
    pub repeats: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Part of the target that is measured, from its start; none means as much as the scope takes.
    pub span: Option<Bytes>,
    /// IOSize of the baselines.
    pub bs: Bytes,
}

impl Default for Settings {
    /// Table 1 with three repeats, without leave to write, on the whole target as it is.
    fn default() -> Settings {
        Settings {
            scope: Scope::Table1,
            only: None,
            state: State::AsIs,
            effort: Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: 16_384 },
            budget: None,
            run_max: None,
            patience: None,
            write: false,
            repeats: 3,
            seed: 1,
            span: None,
            bs: flashscope_core::pattern::BS_DEFAULT,
        }
    }
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
    /// Bytes that will be written, about.
    pub written_bytes: u64,
    /// Bytes that will be written at least, if nothing ends the plan early: state, first looks, and twice the
    /// writes of the interference experiment.
    pub written_bytes_min: u64,
    /// Bytes that will be written at most: every run to its limit of IOs or, at
    /// [`crate::ASSUMED_RATE_MAX`], of time. A start-up or period that is longer than a quarter of the
    /// limit of IOs may take more.
    pub written_bytes_max: u64,
    /// Time that it will take, about: see [`crate::ASSUMED_READ`] and [`crate::ASSUMED_WRITE`].
    pub duration: Nanos,
    /// Why the plan leaves something out, for the person.
    pub notes: Vec<String>,
}

/// The pause between runs in that estimate.
const ASSUMED_PAUSE: Nanos = Nanos::from_s(1);
/// Full drive writes that a drive is rated for, where nothing better is known: 0.3 a day for five years.
pub const RATED_DRIVE_WRITES: f64 = 0.3 * 365.0 * 5.0;

/// Less than this is no target: a partitioned pattern could not be told from a random one.
const SPAN_MIN: Bytes = Bytes(16 << 20);

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
        let mut drafts: Vec<(&Micro, Draft)> = micros
            .iter()
            .flat_map(|micro| (micro.points)(&frame).into_iter().map(move |draft| (*micro, draft)))
            .filter(|(_, draft)| settings.write || !draft.pattern.writes())
            .collect();
        if !settings.write {
            notes.push("only reads: nothing writes without --write".into());
        }
        drafts.sort_by_key(|(micro, draft)| rank(micro, &draft.pattern, &frame));
        let steps = place(&drafts, &frame, settings, &mut notes);
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
            duration: Nanos::ZERO,
            notes: Vec::new(),
        }
    }

    /// The plan with what it costs, once all its patterns are found to fit.
    pub(crate) fn priced(mut self, target: &TargetInfo, settings: &Settings) -> Result<Plan, BenchError> {
        for step in &self.steps {
            for pattern in step.patterns().chain(step.bursts()) {
                pattern.validate(target)?;
            }
        }
        let before = self.steps.iter().flat_map(|step| &step.before);
        let again = before.filter(|before| matches!(before, Preparation::Enforce(_))).count() as u64;
        self.enforcements = again + u64::from(self.state != State::AsIs);
        self.estimate(settings);
        (self.written_bytes_min, self.written_bytes_max) = self.written_range(settings);
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

    /// The share of a typical drive's rated endurance that the plan uses up.
    pub fn endurance_share(&self, target: &TargetInfo) -> f64 {
        self.written_bytes as f64 / (target.size_bytes as f64 * RATED_DRIVE_WRITES)
    }

    fn estimate(&mut self, settings: &Settings) {
        let Cost { about_bytes: mut written_bytes, mut nanos, .. } = self.fixed_cost();
        for step in self.steps.iter().filter(|step| step.length == Length::Precise) {
            let pattern = &step.experiment.pattern;
            let first = settings.effort.exploring(pattern).explore_ios;
            let ios = if step.experiment.micro == "baseline" { first } else { (first / 4).max(64) };
            let writes = (ios as f64 * pattern.write_share()) as u64;
            written_bytes += writes * pattern.bs.0;
            nanos += writes * ASSUMED_WRITE.0 + (ios - writes) * ASSUMED_READ.0 + ASSUMED_PAUSE.0;
            nanos += ios / pattern.thinktime_blocks * pattern.thinktime.0;
        }
        self.written_bytes = written_bytes;
        self.duration = Nanos(nanos);
        if let Some(budget) = settings.budget {
            self.duration = self.duration.min(budget);
        }
    }
}

impl Plan {
    /// What is known beforehand: the state, what is done before the runs, and the runs of fixed length.
    fn fixed_cost(&self) -> Cost {
        let mut cost = Cost::of_preparation(&Preparation::Enforce(self.state), self.frame.span);
        self.steps.iter().for_each(|step| cost.add(Cost::of_step(step, self.frame.span)));
        cost
    }

    /// The least and the most bytes that it writes.
    fn written_range(&self, settings: &Settings) -> (u64, u64) {
        let fixed = self.fixed_cost();
        let precise = self.steps.iter().filter(|step| step.length == Length::Precise);
        let runs: Vec<(u64, u64)> = precise.map(|step| run_range(step, settings)).collect();
        let sum =
            |first: u64, of: fn(&(u64, u64)) -> u64| runs.iter().map(of).fold(first, u64::saturating_add);
        let (interfering_min, interfering_max) = self.interfering_range(settings);
        let min = sum(fixed.min_bytes, |run| run.0).saturating_add(interfering_min);
        let max = sum(fixed.max_bytes, |run| run.1).saturating_add(interfering_max);
        (min, max)
    }

    /// The random writes of the interference experiment: a start-up may be as long as a baseline.
    fn interfering_range(&self, settings: &Settings) -> (u64, u64) {
        let is_done = self.steps.iter().any(|step| step.experiment.micro != "baseline");
        if !settings.write || !is_done || !self.keeps_pause {
            return (0, 0);
        }
        let random = Pattern::baseline(Rw::RandWrite, Bytes(0), self.frame.span);
        let (_, startup_ios_max) = settings.effort.ios_range(&random, true);
        let (least, most) = (interference::ROUNDS_MIN, interference::rounds_max(settings));
        let bytes = |rounds: u64, ios: u64| rounds.saturating_mul(ios).saturating_mul(self.frame.bs.0);
        (bytes(least, interference::WRITES), bytes(most, interference::WRITES + startup_ios_max))
    }
}

/// The least and the most bytes that a run writes.
fn run_range(step: &Step, settings: &Settings) -> (u64, u64) {
    let pattern = &step.experiment.pattern;
    let (min, max) = settings.effort.ios_range(pattern, step.experiment.micro == "baseline");
    let bytes = |ios: u64| (ios as f64 * pattern.write_share() * pattern.bs.0 as f64) as u64;
    let in_time = settings.run_max.filter(|_| pattern.writes()).map_or(u64::MAX, bytes_within);
    (bytes(min).min(in_time), bytes(max).min(in_time))
}

/// How much of the target is measured, and in which portions.
pub(crate) fn frame(
    target: &TargetInfo,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<Frame, BenchError> {
    let bs = settings.bs;
    if bs.0 == 0 {
        return Err(BenchError::Suite("--bs 0: an IO has at least one byte".into()));
    }
    let most = match settings.scope {
        Scope::Quick => Bytes(1 << 30),
        Scope::Table1 => Bytes(16 << 30),
        Scope::Full => Bytes(u64::MAX),
    };
    let span = settings.span.unwrap_or(most).0.min(target.size_bytes) / bs.0 * bs.0;
    if span < SPAN_MIN.0 {
        let name = target.name.clone();
        return Err(BenchError::TooSmall { name, size_bytes: span, need_bytes: SPAN_MIN.0 });
    }
    if span + bs.0 <= target.size_bytes {
        let [part, whole] = [span, target.size_bytes].map(|bytes| Bytes(bytes).to_string());
        notes.push(format!("only the first {} of {} are measured", spaced(&part), spaced(&whole)));
    }
    let room_max = if settings.scope == Scope::Quick { 16 << 20 } else { 64 << 20 };
    // A whole number of IOs of every size in table 1, and of 256 partitions where there is room for them.
    let grain = (256 * bs.0).clamp(512 << 10, 1 << 20);
    let room = (span / 8).min(room_max) / grain * grain;
    Ok(Frame {
        span: Bytes(span),
        bs,
        sector: Bytes(u64::from(target.logical_block_bytes)),
        room: Bytes(room.max(bs.0 * 64)),
        queue_depth_max: target.queue_depth_max,
        scope: settings.scope,
    })
}

/// `4GiB` as a person writes it: `4 GiB`.
fn spaced(size: &str) -> String {
    let (number, unit) = size.split_at(size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len()));
    format!("{number} {unit}")
}

/// The micro-benchmarks asked for, the baselines always among them.
fn chosen(settings: &Settings) -> Result<Vec<&'static Micro>, BenchError> {
    let Some(only) = &settings.only else {
        let in_scope = |micro: &&Micro| match settings.scope {
            Scope::Quick => micro.name != "burst" && micro.name != "repetition",
            Scope::Table1 => micro.is_uflip || micro.name == "baseline" || micro.name == "queue-depth",
            Scope::Full => true,
        };
        return Ok(MICROS.iter().filter(in_scope).collect());
    };
    for name in only {
        if !MICROS.iter().any(|micro| micro.name == name) {
            let known = MICROS.iter().map(|micro| micro.name).collect::<Vec<_>>().join(", ");
            return Err(BenchError::UnknownMicro { name: name.clone(), known });
        }
    }
    Ok(MICROS.iter().filter(|m| m.name == "baseline" || only.iter().any(|name| name == m.name)).collect())
}

/// FlashIO's order: what disturbs the state least comes first, and what leaves traces in the rooms of others
/// last. Sequential writes come together behind all else (paper 001, section 4.2).
fn rank(micro: &Micro, pattern: &Pattern, frame: &Frame) -> u32 {
    match micro.name {
        "baseline" => 0,
        _ if !pattern.writes() => 1,
        _ if !pattern.has(Rw::Write) => 2,
        "mix" if pattern.size > frame.room => 8,
        "order" if pattern.size > frame.room => 9,
        "mix" => 4,
        "partitioning" => 5,
        "parallelism" => 6,
        "order" => 7,
        _ => 3,
    }
}

/// Gives every run its place. Sequential writes never share a target space: only they disturb the state
/// (paper 001, section 4.1), so when the span is used up the state is enforced again.
fn place(
    drafts: &[(&Micro, Draft)],
    frame: &Frame,
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut written_to, mut read_to, mut is_reused) = (0, 0, false);
    for repeat in 0..settings.repeats {
        for (micro, draft) in drafts {
            let mut pattern = draft.pattern.clone();
            let needed = pattern.size.0 + pattern.shift.0;
            let mut before = Vec::new();
            if needed <= frame.room.0 + frame.bs.0 {
                let next = if pattern.writes() { &mut written_to } else { &mut read_to };
                if *next + needed > frame.span.0 {
                    *next = 0;
                    if pattern.writes() && settings.state != State::AsIs {
                        before.push(Preparation::Enforce(settings.state));
                    }
                    is_reused |= pattern.writes() && settings.state == State::AsIs;
                }
                pattern.offset = Bytes(*next);
                *next += needed.div_ceil(frame.bs.0) * frame.bs.0;
            }
            let experiment = Experiment {
                micro: micro.name.into(),
                curve: draft.curve.clone(),
                parameter: draft.parameter,
                label: draft.label.clone(),
                pattern,
                beside: None,
            };
            let seed = derive(settings.seed, steps.len() as u64);
            steps.push(Step {
                experiment,
                repeat,
                seed,
                before,
                follows: false,
                length: Length::Precise,
                windows: None,
                only_if: None,
                keeps_ios: true,
            });
        }
    }
    if is_reused {
        notes.push("sequential writes reuse their target space, because no state is enforced".into());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings { state: State::Random, write: true, ..Settings::default() }
    }

    fn target(size_bytes: u64) -> TargetInfo {
        TargetInfo {
            name: "test".into(),
            size_bytes,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 128,
        }
    }

    #[test]
    fn sequential_writes_never_share_a_space_between_resets() {
        for size in [256 << 20, 4u64 << 30] {
            let plan = Plan::new(&target(size), &settings()).unwrap();
            let mut used: Vec<(u64, u64)> = Vec::new();
            for step in &plan.steps {
                let pattern = &step.experiment.pattern;
                if !step.before.is_empty() {
                    used.clear();
                }
                if !pattern.writes() || pattern.size.0 > plan.frame.room.0 {
                    continue;
                }
                let (start, end) = (pattern.offset.0, pattern.end_bytes());
                let is_free = used.iter().all(|&(s, e)| end <= s || e <= start);
                assert!(is_free, "{} overlaps", step.experiment.id());
                used.push((start, end));
            }
            assert!(plan.steps.iter().any(|step| !step.before.is_empty()));
        }
    }

    #[test]
    fn what_goes_over_the_rooms_of_others_in_order_comes_last() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        let has_room = |step: &&Step| step.experiment.pattern.size <= plan.frame.room;
        let roams = |step: &&Step| {
            let Experiment { micro, pattern, .. } = &step.experiment;
            ["mix", "order"].contains(&micro.as_str()) && pattern.has(Rw::Write) && !has_room(step)
        };
        for repeat in 0..3 {
            let steps: Vec<&Step> = plan.steps.iter().filter(|step| step.repeat == repeat).collect();
            let first = steps.iter().position(roams).expect("some do");
            assert!(steps[first..].iter().all(roams), "repeat {repeat}: {first} of {}", steps.len());
            assert_eq!(steps.len() - first, 2 * 7 + 8, "two mixes and the steps above one");
        }
    }

    /// Paper 001, section 4.2: what "involves sequential writes" is "delayed and grouped together".
    #[test]
    fn sequential_writes_come_together_behind_all_else() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        for repeat in 0..3 {
            let of_pass = plan.steps.iter().filter(|step| step.repeat == repeat);
            let after = of_pass.map(|step| &step.experiment).filter(|after| after.micro != "baseline");
            assert!(after.is_sorted_by_key(|after| after.pattern.has(Rw::Write)), "repeat {repeat}");
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
    fn reads_come_before_writes_and_nothing_writes_unasked() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        let kinds: Vec<bool> =
            plan.steps[4..].iter().take(150).map(|s| s.experiment.pattern.writes()).collect();
        assert!(kinds.is_sorted());
        let plan = Plan::new(&target(4 << 30), &Settings { write: false, ..settings() }).unwrap();
        assert!(plan.steps.iter().all(|step| !step.experiment.pattern.writes()));
        let written = (plan.written_bytes, plan.written_bytes_min, plan.written_bytes_max);
        assert_eq!((written, plan.enforcements), ((0, 0, 0), 0));
    }

    #[test]
    fn unknown_micro_benchmarks_and_tiny_targets_are_refused_with_the_way_out() {
        let only = Some(vec!["granulrity".to_string()]);
        let error = Plan::new(&target(1 << 30), &Settings { only, ..settings() }).unwrap_err();
        assert!(error.to_string().contains("granularity, alignment"));
        assert!(
            Plan::new(&target(1 << 20), &settings())
                .unwrap_err()
                .to_string()
                .contains("larger part or target")
        );
    }
}
