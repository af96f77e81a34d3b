//! What has been measured, as data: one entry for every finished run of an experiment. The result folder
//! stores these entries one a line, and everything shown is computed from them again.

use std::collections::BTreeMap;

use flashscope_core::{Op, Pattern, TargetInfo};
use serde::{Deserialize, Serialize};

use crate::compare::pool;
use crate::conclusion::{Indicator, ROUNDS_MIN, Support};
use crate::disturbance::Disturbance;
use crate::estimate::Estimate;
use crate::gaps::Gaps;
use crate::io_errors::IoErrors;
use crate::judge::Outcome;
use crate::lingering::Lingering;
use crate::percentiles::Percentile;
use crate::standstills::{SHARE_MAX, Standstills};
use crate::windows::Window;

/// Rounds within less than this are of one moment. Runs of one file with itself whose rounds lay within 8 s
/// differed in up to 11 of 14 experiments; by how much more time it takes nobody has measured.
const MOMENT_S: f64 = 60.0;

/// One point of a micro-benchmark: a pattern, and where it stands among its like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The micro-benchmark's name: `baseline`, `granularity`, ...
    pub micro: String,
    /// Which of its curves: `SR`, `RR`, `SW`, `RW`, or a mix such as `SR/RW`.
    pub curve: String,
    /// Value of the varying parameter, in the unit that the micro-benchmark names.
    pub parameter: f64,
    /// That value as a person reads it: `32KiB`, `-1`, `12.8ms`.
    pub label: String,
    /// What is done.
    pub pattern: Pattern,
    /// What runs at the same time and is not measured: a load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Pattern>,
}

impl Experiment {
    /// Its unique name within a plan.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.micro, self.curve, self.label)
    }

    /// IOs a second of its streams in a closed loop, where an IO takes `mean_ns` (Little 1961). None where no
    /// time passes.
    pub fn iops_of(&self, mean_ns: f64) -> Option<f64> {
        let pattern = &self.pattern;
        let depth = f64::from(pattern.iodepth);
        let gap_ns = pattern.thinktime.0 as f64 * depth / pattern.thinktime_blocks.max(1) as f64;
        let each_ns = mean_ns + gap_ns;
        (each_ns > 0.0).then(|| f64::from(pattern.numjobs) * depth * 1e9 / each_ns)
    }

    /// Whether the other one has the same name: then both are rounds of one experiment, wherever each lies.
    pub fn is_round_of(&self, other: &Experiment) -> bool {
        (&self.micro, &self.curve, &self.label) == (&other.micro, &other.curve, &other.label)
    }
}

/// The response times of one kind of IO in a run: reads, writes, flushes and discards each have their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Responses {
    /// Which kind.
    pub op: Op,
    /// IOs of it behind the start-up.
    pub ios: u64,
    /// Their mean; none if there are too few.
    pub estimate: Option<Estimate>,
    /// Their percentiles, as far as so many IOs tell them.
    pub percentiles: Vec<Percentile>,
}

/// What one run of an experiment gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// IOs done, also those that are left out of the mean or were in flight when it was settled: as many as
    /// `records` has rows. Those that failed are in `errors` alone.
    pub ios: u64,
    /// Bytes read, by a load beside it too.
    pub read_bytes: u64,
    /// Bytes written, by a load beside it too.
    pub written_bytes: u64,
    /// From the first submission to the last completion.
    pub elapsed_ns: u64,
    /// Phases, mean, quantiles and why it stopped.
    pub outcome: Outcome,
    /// Each kind of IO in it, in the order of their codes; none in what older versions stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Responses>,
    /// Between its IOs, where one follows the other without a pause; none elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Gaps>,
    /// The file with every IO's times, relative to the result folder.
    pub records: Option<String>,
    /// The run in equal pieces, where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// Its single IOs were not asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary_only: bool,
    /// Processor time of the thread that drove it, where a real device was measured; of several, the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// When it began, in seconds since 1970; none in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_s: Option<f64>,
    /// What it did not have to itself; none in virtual time, and where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
    /// Threads that drove it, where each of several processes had its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Its IOs waited for those of others that went on with it: its rate is no property of the device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_turns: bool,
    /// IOs that failed, of a load beside it too.
    #[serde(default, skip_serializing_if = "IoErrors::is_empty")]
    pub errors: IoErrors,
    /// When the measuring process stood still; none where it always ran, and in virtual time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstills: Option<Standstills>,
}

impl Run {
    /// Whether what it was to leave behind is there: its single IOs, where they were asked for.
    pub fn is_kept(&self) -> bool {
        self.records.is_some() || self.summary_only
    }

    /// What pauses of the measuring process add to the mean, as a share of it; 0 without a mean.
    pub fn standstill_share(&self) -> f64 {
        let (Some(pauses), Some(mean)) = (self.standstills, self.outcome.estimate) else { return 0.0 };
        let total_ns = mean.mean_ns * mean.ios as f64;
        if total_ns > 0.0 { pauses.added_ns as f64 / total_ns } else { 0.0 }
    }

    /// IOs before the first that its numbers rest on: what the mean left out, or the start-up where there is
    /// no mean.
    pub fn ios_ignored(&self) -> u64 {
        let startup_ios = self.outcome.phases.startup_ios_high;
        self.outcome.estimate.map_or(startup_ios, |estimate| estimate.ios_ignored)
    }

    /// Whether others, or a quota, had too large a part in it for its numbers to be the drive's.
    pub fn is_disturbed(&self) -> bool {
        self.disturbance.is_some_and(|disturbance| disturbance.excesses().next().is_some())
    }

    /// Whether pauses of the measuring process are too large a part of its mean.
    pub fn is_held_up(&self) -> bool {
        self.standstill_share() > SHARE_MAX
    }

    /// Whether it has a mean that no pause of the measuring process carries and nobody else had a part in,
    /// came to its own end without a failed IO, and its running phase was reached and level.
    pub fn is_sound(&self) -> bool {
        let came_to_its_end = !self.outcome.stopped_because.is_early() && self.errors.is_empty();
        came_to_its_end
            && !self.is_held_up()
            && !self.is_disturbed()
            && self.outcome.stationary
            && self.outcome.estimate.is_some()
    }
}

/// A run that is done: the unit of storage, resume and display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finished {
    /// What was run.
    pub experiment: Experiment,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// What it gave.
    pub run: Run,
}

impl Finished {
    /// IOs a second in the running phase. The streams of a closed loop spend their time in IOs and in the
    /// pauses that the pattern asks for; what flashscope itself does between IOs is no property of the
    /// device. None of a single IO, and where no time passed.
    pub fn iops(&self) -> Option<f64> {
        let run = &self.run;
        let overall =
            (run.ios > 1 && run.elapsed_ns > 0).then(|| run.ios as f64 / run.elapsed_ns as f64 * 1e9)?;
        let pattern = &self.experiment.pattern;
        // Flushes take their time but are no IOs of the pattern.
        let flushes = run.kinds.iter().find(|kind| kind.op == Op::Flush).map_or(0, |kind| kind.ios);
        let overall = overall * (run.ios - flushes.min(run.ios)) as f64 / run.ios.max(1) as f64;
        let is_closed = pattern.rate_iops.is_none() && flushes == 0 && !run.takes_turns;
        let Some(estimate) = run.outcome.estimate.filter(|_| overall > 0.0 && is_closed) else {
            return Some(overall);
        };
        self.experiment.iops_of(estimate.mean_ns)
    }

    /// Those that each of the threads that drove it did: what the harness's own limit is held against.
    pub fn iops_per_thread(&self) -> Option<f64> {
        self.iops().map(|iops| iops / f64::from(self.run.threads.unwrap_or(1).max(1)))
    }
}

/// The interference experiment (paper 001, section 4.3) and the pause kept between runs because of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interference {
    /// How long random writes disturbed the reads after them; none if writing is not allowed.
    pub lingering: Option<Lingering>,
    /// The pause kept between runs.
    pub pause_ns: u64,
    /// What random writes followed by that pause still did to reads: none affected if it is long enough. None
    /// if that was not looked at.
    #[serde(default)]
    pub after_pause: Option<Lingering>,
}

/// Facts about a whole run that are not in its single entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// What was measured.
    pub target: TargetInfo,
    /// The state it was in: `random, enforced`, `as-is`, ...
    pub state: String,
    /// What flashscope itself could do at most, IOs a second, measured on `null:` beside the run.
    pub generator_iops_max: Option<f64>,
    /// Pause between runs.
    pub interference: Option<Interference>,
    /// False after an interruption or an error: the entries are a part of the plan.
    pub complete: bool,
    /// What the device says that its smallest efficient unit is, if it says so.
    pub physical_block_bytes: Option<u32>,
    /// Half width of the interval that was asked of every mean, as a share of it; none if none was.
    #[serde(default)]
    pub precision: Option<f64>,
    /// IOs that failed outside the experiments: while a state was enforced, in preparations, in the
    /// interference experiment.
    #[serde(default, skip_serializing_if = "IoErrors::is_empty")]
    pub preparation_errors: IoErrors,
}

/// All runs of one experiment together.
#[derive(Debug, Clone)]
pub struct Point<'a> {
    /// What was run.
    pub experiment: &'a Experiment,
    /// Its runs in order.
    pub runs: Vec<&'a Run>,
    /// The mean over the runs that count; none if no run reached one.
    pub estimate: Option<Estimate>,
    /// Runs with a mean that do not count, because others of the same experiment are sound: see
    /// [`Run::is_sound`].
    pub left_out: usize,
}

impl Point<'_> {
    /// Runs that the mean rests on.
    pub fn rounds(&self) -> u32 {
        let with_mean = self.runs.iter().filter(|run| run.outcome.estimate.is_some()).count();
        (with_mean - self.left_out.min(with_mean)) as u32
    }

    /// Whether the mean rests on sound runs alone. If not, it may belong to the start-up.
    pub fn is_sound(&self) -> bool {
        self.estimate.is_some() && self.runs.iter().any(|run| run.is_sound())
    }

    /// Whether its rounds lie so close together that what varies over longer is not in their spread: then
    /// nobody knows how much the same drive would differ a minute later. Not in virtual time.
    pub fn is_of_one_moment(&self) -> bool {
        let begins = || self.counting().filter_map(|run| run.began_s);
        let (first, last) = (begins().fold(f64::MAX, f64::min), begins().fold(f64::MIN, f64::max));
        begins().next().is_some() && last - first < MOMENT_S
    }

    /// The runs that the mean rests on: the sound ones, or all that have a mean if none is.
    pub fn counting(&self) -> impl Iterator<Item = &Run> {
        let has_mean = |run: &&&Run| run.outcome.estimate.is_some();
        let is_any_sound = self.runs.iter().filter(has_mean).any(|run| run.is_sound());
        self.runs.iter().filter(has_mean).filter(move |run| !is_any_sound || run.is_sound()).copied()
    }

    /// IOs a second in a closed loop, with the interval of the mean. None without a mean.
    pub fn iops(&self) -> Option<Indicator> {
        let of = |ns: f64| self.experiment.iops_of(ns);
        let mean = self.estimate.filter(|_| !self.runs.iter().any(|run| run.takes_turns))?;
        let ci_high = of(mean.ci_low_ns).unwrap_or(f64::INFINITY);
        Some(Indicator { value: of(mean.mean_ns)?, ci_low: of(mean.ci_high_ns)?, ci_high })
    }

    /// How sure the mean is: weak, too, if its interval is wider than was asked (a share of the mean).
    pub fn confidence(&self, precision: Option<f64>) -> Support {
        let Some(estimate) = self.estimate else { return Support::Unknown };
        let is_wide = precision.is_some_and(|asked| estimate.relative_half_width() > asked);
        Support::of([self]).min(if is_wide { Support::Weak } else { Support::Supported })
    }
}

impl Support {
    /// How well runs carry what is said of them; that the effect is clear of chance and matters is for
    /// whoever says it to see.
    pub(crate) fn of<'p, 'a: 'p>(points: impl IntoIterator<Item = &'p Point<'a>>) -> Support {
        let runs = points.into_iter().map(|point| (point.rounds(), point.is_sound()));
        let least = runs.reduce(|(rounds, is_sound), next| (rounds.min(next.0), is_sound && next.1));
        match least {
            None | Some((0, _)) => Support::Unknown,
            Some((ROUNDS_MIN.., true)) => Support::Supported,
            Some(_) => Support::Weak,
        }
    }
}

/// Gathers finished runs into points, in the order in which the experiments first appear. A run that was done
/// again, after an interruption, counts once: the later one. The mean rests on the sound runs; where there
/// are none, on those that there are.
pub fn points(finished: &[Finished]) -> Vec<Point<'_>> {
    let mut latest = BTreeMap::new();
    for (place, entry) in finished.iter().enumerate() {
        latest.insert((entry.experiment.id(), entry.repeat), place);
    }
    let mut points: Vec<Point<'_>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (place, Finished { experiment, repeat, run }) in finished.iter().enumerate() {
        let id = experiment.id();
        if latest.get(&(id.clone(), *repeat)) != Some(&place) {
            continue;
        }
        match places.get(&id) {
            Some(&at) => points[at].runs.push(run),
            None => {
                places.insert(id, points.len());
                points.push(Point { experiment, runs: vec![run], estimate: None, left_out: 0 });
            }
        }
    }
    for point in &mut points {
        let means: Vec<_> = point.counting().filter_map(|run| run.outcome.estimate).collect();
        point.left_out = point.runs.iter().filter(|run| run.outcome.estimate.is_some()).count() - means.len();
        point.estimate = pool(&means).ok();
    }
    points
}
