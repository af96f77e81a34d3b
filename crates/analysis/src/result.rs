//! What has been measured, as data: one entry for every finished run of an experiment. The result folder
//! stores these entries one a line, and everything shown is computed from them again.

use std::collections::BTreeMap;

use flashscope_core::{Pattern, TargetInfo};
use serde::{Deserialize, Serialize};

use crate::compare::pool;
use crate::estimate::Estimate;
use crate::judge::Outcome;
use crate::lingering::Lingering;
use crate::windows::Window;

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
}

/// What one run of an experiment gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// IOs issued, also those that are left out of the mean or were in flight when it was settled: as many as
    /// `records` has rows.
    pub ios: u64,
    /// Bytes read, by a load beside it too.
    pub read_bytes: u64,
    /// Bytes written, by a load beside it too.
    pub written_bytes: u64,
    /// From the first submission to the last completion.
    pub elapsed_ns: u64,
    /// Phases, mean, quantiles and why it stopped.
    pub outcome: Outcome,
    /// The file with every IO's times, relative to the result folder.
    pub records: Option<String>,
    /// The run in equal pieces, where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// Its single IOs were not asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary_only: bool,
    /// Time that this program's processors worked for it, where a real device was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
}

impl Run {
    /// Whether what it was to leave behind is there: its single IOs, where they were asked for.
    pub fn is_kept(&self) -> bool {
        self.records.is_some() || self.summary_only
    }

    /// Whether it has a mean, came to its own end, and its running phase was reached and level.
    pub fn is_sound(&self) -> bool {
        let came_to_its_end = !self.outcome.stopped_because.is_early();
        came_to_its_end && self.outcome.stationary && self.outcome.estimate.is_some()
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
    /// device. None where no time passed.
    pub fn iops(&self) -> Option<f64> {
        let run = &self.run;
        let overall = (run.elapsed_ns > 0).then(|| run.ios as f64 / run.elapsed_ns as f64 * 1e9)?;
        let pattern = &self.experiment.pattern;
        let Some(estimate) = run.outcome.estimate.filter(|_| overall > 0.0 && pattern.rate_iops.is_none())
        else {
            return Some(overall);
        };
        let flight = f64::from(pattern.numjobs) * f64::from(pattern.iodepth);
        let gap_ns =
            pattern.thinktime.0 as f64 * f64::from(pattern.iodepth) / pattern.thinktime_blocks.max(1) as f64;
        let each_ns = estimate.mean_ns + gap_ns;
        (each_ns > 0.0).then(|| flight * 1e9 / each_ns)
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
    /// Whether the mean rests on sound runs alone. If not, it may belong to the start-up.
    pub fn is_sound(&self) -> bool {
        self.estimate.is_some() && self.runs.iter().any(|run| run.is_sound())
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
        let means = |runs: &[&Run]| runs.iter().filter_map(|run| run.outcome.estimate).collect::<Vec<_>>();
        let sound: Vec<&Run> = point.runs.iter().copied().filter(|run| run.is_sound()).collect();
        let (all, sound) = (means(&point.runs), means(&sound));
        let counting = if sound.is_empty() { &all } else { &sound };
        point.estimate = pool(counting).ok();
        point.left_out = all.len() - counting.len();
    }
    points
}
