//! The registry of design hints: one file and one line each.
//!
//! A hint is derived from this device's data, names the measurements behind it, and says whether it
//! confirms or contradicts one of paper 001's seven (section 5.3). It is given only if it is sure and
//! matters: the interval of what it rests on leaves out [`MATERIAL`]. Nothing here computes an indicator.

mod advice;
mod alignment;
mod focus;
mod granularity;
mod in_place;
mod io_size;
mod large_steps;
mod mixes;
mod oscillation;
mod parallelism;
mod pause;
mod queue_depth;
mod random_writes;
mod repetition;
mod reverse;
mod startup;
mod streams;
mod throughput;
pub(crate) mod words;

use crate::compare::{Comparison, ratio};
use crate::conclusion::{Indicator, Support};
use crate::estimate::Estimate;
use crate::findings::{Advice, Hint, Indicators};
use crate::indicators::curve::{At, baseline, curve};
use crate::result::{Context, Point};

/// A hint, and the micro-benchmarks that show what it says.
type Rule = (fn(&Scene<'_>) -> Option<Hint>, &'static [&'static str]);

/// In the order in which they are shown: what to write first, then how much at once, then what to expect.
const HINTS: &[Rule] = &[
    (io_size::hint, &["granularity"]),
    (granularity::hint, &["granularity"]),
    (alignment::hint, &["alignment"]),
    (random_writes::hint, &["baseline"]),
    (focus::hint, &["locality", "baseline"]),
    (streams::hint, &["partitioning"]),
    (reverse::hint, &["order"]),
    (in_place::hint, &["order"]),
    (large_steps::hint, &["order", "baseline"]),
    (repetition::hint, &["repetition"]),
    (mixes::hint, &["mix", "baseline"]),
    (queue_depth::hint, &["queue-depth"]),
    (parallelism::hint, &["parallelism"]),
    (pause::hint, &["pause", "baseline"]),
    (startup::hint, &["baseline"]),
    (oscillation::hint, &["baseline"]),
];

/// A cost that differs by less than this factor changes nobody's design.
const MATERIAL: f64 = 1.1;

/// The findings, in the order in which they are shown. Missing points give fewer.
pub fn hints(context: &Context, indicators: &Indicators, points: &[Point<'_>]) -> Vec<Hint> {
    let scene = Scene { context, indicators, points };
    let found = HINTS.iter().filter_map(|(hint, micros)| Some((hint(&scene)?, micros)));
    found.map(|(hint, micros)| hint.seen_also_in(micros).weighed(&scene)).collect()
}

/// How large, where, and in how many streams to write: always three answers.
pub fn advice(context: &Context, indicators: &Indicators, points: &[Point<'_>]) -> Vec<Advice> {
    let scene = Scene { context, indicators, points };
    let of = |advice: Advice| {
        let state = advice.state.min(scene.support(&advice.experiments));
        let behind = points.iter().filter(|point| advice.experiments.contains(&point.experiment.id()));
        let because = match behind.flat_map(|point| &point.runs).map(|run| run.errors.count).sum() {
            0 => advice.because,
            failed => format!("{}; {} behind this failed", advice.because, words::counted(failed, "IO")),
        };
        Advice { state, because, ..advice }
    };
    advice::advice(&scene).into_iter().map(of).collect()
}

/// What a hint is made from.
struct Scene<'a> {
    context: &'a Context,
    indicators: &'a Indicators,
    points: &'a [Point<'a>],
}

impl<'a> Scene<'a> {
    fn curve(&self, micro: &str, name: &str) -> Vec<At<'a>> {
        curve(self.points, micro, name)
    }

    fn baseline(&self, name: &str) -> Option<Estimate> {
        baseline(self.points, name)
    }

    /// How well the points of these names, of micro-benchmarks and of experiments, carry what is said of
    /// them.
    fn support(&self, names: &[String]) -> Support {
        let is_named = |point: &&Point<'_>| {
            let id = point.experiment.id();
            names.iter().any(|name| *name == point.experiment.micro || *name == id)
        };
        Support::of(self.points.iter().filter(is_named))
    }

    /// One baseline over another.
    fn baselines(&self, above: &str, below: &str) -> Option<Comparison> {
        ratio(&self.baseline(above)?, &self.baseline(below)?).ok()
    }

    /// `rand write 9.27 ms (9.10 to 9.44)` for each of the baselines that there is.
    fn baselines_text(&self, names: &[&str]) -> String {
        let text =
            |name: &&str| Some(format!("{} {}", words::short(name), words::mean(&self.baseline(name)?)));
        format!("baseline {}", names.iter().filter_map(text).collect::<Vec<_>>().join(", "))
    }
}

fn says(text: String, evidence: String) -> Option<Hint> {
    Some(Hint { text, evidence, seen_in: Vec::new(), state: Support::Unknown })
}

impl Hint {
    /// With the experiment that shows it best.
    fn seen_in(self, point: &Point<'_>) -> Hint {
        Hint { seen_in: vec![point.experiment.id()], ..self }
    }

    fn weighed(self, scene: &Scene<'_>) -> Hint {
        Hint { state: scene.support(&self.seen_in), ..self }
    }

    fn seen_also_in(mut self, micros: &[&str]) -> Hint {
        self.seen_in.extend(micros.iter().map(|micro| (*micro).to_string()));
        self
    }
}

/// Surely above, and by enough to matter.
fn is_more(factor: &Comparison) -> bool {
    factor.ci_low > MATERIAL
}

/// Surely below, and by enough to matter.
fn is_less(factor: &Comparison) -> bool {
    factor.ci_high < 1.0 / MATERIAL
}

/// Surely not more by enough to matter.
fn is_no_more(factor: &Comparison) -> bool {
    factor.ci_high < MATERIAL
}

impl From<Indicator> for Comparison {
    fn from(Indicator { value, ci_low, ci_high }: Indicator) -> Self {
        Self { value, ci_low, ci_high }
    }
}
