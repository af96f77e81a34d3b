//! How much is asked of each run: precision, first look, and what is known from the baselines.

use flashscope_analysis::{Bounds, Finished, Goal};
use flashscope_core::{Pattern, Rw};

/// What the person asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Half width of the interval as a share of the mean.
    pub precision: f64,
    /// Confidence of the interval.
    pub confidence: f64,
    /// Factor on the first look of the baselines: 1 is 256 reads and 1,024 writes.
    pub explore_factor: u64,
    /// The most IOs of a run.
    pub ios_max: u64,
}

/// A first look is stretched by the queue depth up to this.
const DEPTH_MAX: u64 = 32;
/// IOs that every slot of a queue serves before the start-up of the queue itself is over.
const QUEUE_ROUNDS: u64 = 16;

impl Effort {
    /// The goal of a run of which nothing is known yet.
    pub fn exploring(&self, pattern: &Pattern) -> Goal {
        let first = if pattern.writes() { Goal::writes() } else { Goal::reads() };
        // IOs in flight together tell about one moment, and a queue has to fill first.
        let depth = u64::from(pattern.iodepth) * u64::from(pattern.numjobs);
        let explore_ios = first.explore_ios * self.explore_factor * depth.min(DEPTH_MAX);
        let ios_max = self.ios_max.max(2 * explore_ios);
        Goal { precision: self.precision, confidence: self.confidence, explore_ios, ios_max, known: None }
    }

    /// The goal of a run whose baselines are known; it explores itself if they are not.
    pub fn knowing(&self, pattern: &Pattern, known: &Known) -> Goal {
        let exploring = self.exploring(pattern);
        if !known.covers(pattern) {
            return exploring;
        }
        let depth = u64::from(pattern.iodepth) * u64::from(pattern.numjobs);
        let mut bounds = known.bounds(pattern);
        if depth > 1 {
            bounds.startup_ios += QUEUE_ROUNDS * depth;
        }
        let ios_max = exploring.ios_max.max(4 * (bounds.startup_ios + 8 * bounds.period_ios));
        Goal { known: Some(bounds), ios_max, ..exploring }
    }
}

impl Effort {
    /// The fewest and the most IOs of a run that nothing but its goal ends, before anything is known:
    /// `explores` says whether it is a baseline. A start-up or period longer than a quarter of the most may
    /// take more.
    pub(crate) fn ios_range(&self, pattern: &Pattern, explores: bool) -> (u64, u64) {
        let goal =
            if explores { self.exploring(pattern) } else { self.knowing(pattern, &Known::nothing_seen()) };
        (goal.first_ios(), goal.ios_max)
    }
}

/// Upper bounds on start-up and period of each baseline, from its runs (paper 001, section 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// In the order of [`Rw`].
    bounds: [Option<Baseline>; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Baseline {
    startup_ios: u64,
    startup_bytes: u64,
    period_ios: u64,
    /// 0 if there is no period.
    period_bytes: u64,
}

/// A device that works off deferred writes in a pause takes longer until it is behind: a start-up is looked
/// for in this many times the IOs, so that a pause that hides 7/8 of the work is not taken to hide all of it.
const IDLE_FACTOR: u64 = 8;

impl Known {
    /// Learns from the baselines among `finished` that reached their running phase.
    pub fn from(finished: &[Finished]) -> Known {
        let mut known = Known::default();
        let is_sure = |entry: &&Finished| entry.run.outcome.stationary;
        let baselines = finished.iter().filter(|entry| entry.experiment.micro == "baseline");
        for entry in baselines.filter(is_sure) {
            let (phases, pattern) = (&entry.run.outcome.phases, &entry.experiment.pattern);
            let period_ios = phases.period.map_or(0, |period| period.ios_high);
            let bounds = known.bounds[pattern.rw as usize].get_or_insert_default();
            bounds.startup_ios = bounds.startup_ios.max(phases.startup_ios_high);
            bounds.startup_bytes = bounds.startup_bytes.max(phases.startup_ios_high * pattern.bs.0);
            bounds.period_ios = bounds.period_ios.max(period_ios);
            bounds.period_bytes = bounds.period_bytes.max(period_ios * pattern.bs.0);
        }
        known
    }

    /// Of a device that has neither start-up nor period.
    fn nothing_seen() -> Known {
        Known { bounds: [Some(Baseline::default()); 4] }
    }

    /// Whether the baselines of a pattern were seen in their running phase.
    fn covers(&self, pattern: &Pattern) -> bool {
        let is_known = |rw: Rw| self.bounds[rw as usize].is_some();
        is_known(pattern.rw) && pattern.mix.is_none_or(|mix| is_known(mix.rw))
    }

    /// IOs of a random write's start-up.
    pub(crate) fn random_write_startup_ios(&self) -> u64 {
        self.bounds[Rw::RandWrite as usize].map_or(0, |baseline| baseline.startup_ios)
    }

    /// The bounds for one pattern. Any write may turn out to behave like a random one, so writes take the
    /// larger bounds of both; in a mix they are stretched by the share of the pattern that they belong to
    /// (paper 001, section 5.1: "automatically scaled ... when considering mixed workloads").
    fn bounds(&self, pattern: &Pattern) -> Bounds {
        let idle_factor = if pattern.thinktime.0 > 0 && pattern.writes() { IDLE_FACTOR } else { 1 };
        let of = |rw: Rw| {
            let bounds = self.for_baseline(rw, pattern.bs.0);
            Bounds { startup_ios: bounds.startup_ios * idle_factor, ..bounds }
        };
        match pattern.mix {
            None => of(pattern.rw),
            Some(mix) => {
                let cycle = u64::from(mix.ratio) + 1;
                let (first, second) = (of(pattern.rw), of(mix.rw));
                let stretched = |ios: u64| ios.saturating_mul(cycle);
                Bounds {
                    startup_ios: (first.startup_ios * cycle)
                        .div_ceil(cycle - 1)
                        .max(stretched(second.startup_ios)),
                    period_ios: (first.period_ios * cycle)
                        .div_ceil(cycle - 1)
                        .max(stretched(second.period_ios)),
                }
            }
        }
    }

    fn for_baseline(&self, rw: Rw, bs_bytes: u64) -> Bounds {
        let kin = if rw.is_write() { [Rw::Write, Rw::RandWrite] } else { [rw, rw] };
        let mut bounds = Bounds { startup_ios: 0, period_ios: 1 };
        for baseline in kin.iter().filter_map(|kin| self.bounds[*kin as usize]) {
            // A cache fills and a block is full after so many bytes, a table after so many IOs: the longer of
            // both is a bound.
            let startup_ios = baseline.startup_bytes.div_ceil(bs_bytes).max(baseline.startup_ios);
            let period_ios = baseline.period_bytes.div_ceil(bs_bytes).max(baseline.period_ios);
            bounds.startup_ios = bounds.startup_ios.max(startup_ios);
            bounds.period_ios = bounds.period_ios.max(period_ios);
        }
        bounds
    }
}
