//! How much is asked of each run: precision, first look, and what is known from the baselines.

use flashscope_analysis::{Bounds, Experiment, Finished, Goal};
use flashscope_core::{Pattern, Rate, Rw, Turns};

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
    /// What is asked of one of so many rounds: together their mean is as precise as was asked of one run.
    pub(crate) fn of_a_round(&self, rounds: u32) -> Effort {
        Effort { precision: self.precision * f64::from(rounds.max(1)).sqrt(), ..*self }
    }

    /// The goal of a run of which nothing is known yet.
    pub fn exploring(&self, pattern: &Pattern) -> Goal {
        let first = if pattern.writes() { Goal::writes() } else { Goal::reads() };
        // IOs in flight together tell about one moment, and a queue has to fill first.
        let depth = u64::from(pattern.iodepth) * u64::from(pattern.numjobs);
        let explore_ios = first.explore_ios * self.explore_factor * depth.min(DEPTH_MAX);
        let ios_max = self.ios_max.max(2 * explore_ios);
        let Effort { precision, confidence, .. } = *self;
        Goal { precision, confidence, explore_ios, explore_ns: 0, ios_max, known: None }
    }

    /// The goal of a run whose baselines are known; it explores itself if they are not. A start-up of reads
    /// is waited for but not left out: reads change nothing, so it is the device's state of that moment, or
    /// noise, and may not come again.
    pub fn knowing(&self, pattern: &Pattern, known: &Known) -> Goal {
        let exploring = self.exploring(pattern);
        if !known.covers(pattern) {
            return exploring;
        }
        let depth = u64::from(pattern.iodepth) * u64::from(pattern.numjobs);
        let mut bounds = known.bounds(pattern);
        let is_left_out = pattern.writes() || bounds.startup_ios == 0;
        if depth > 1 {
            bounds.startup_ios += QUEUE_ROUNDS * depth;
        }
        let ios_max = exploring.ios_max.max(4 * (bounds.startup_ios + 8 * bounds.period_ios));
        let goal = Goal { known: Some(bounds), ios_max, ..exploring };
        let explore_ios = exploring.explore_ios.max(goal.first_ios());
        if is_left_out { goal } else { Goal { known: None, explore_ios, ..goal } }
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
    bounds: [Option<Baseline>; Rw::EVERY.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Baseline {
    startup_ios: u64,
    startup_bytes: u64,
    period_ios: u64,
    /// 0 if there is no period.
    period_bytes: u64,
    /// Upper end of the interval of its mean.
    mean_ns: f64,
}

impl Baseline {
    /// Of the rounds of one baseline.
    fn of(rounds: &[&Finished]) -> Option<Baseline> {
        let startup = |entry: &Finished| entry.run.outcome.phases.startup_ios_high;
        let period = |entry: &Finished| entry.run.outcome.phases.period.map_or(0, |period| period.ios_high);
        let largest =
            |of: &dyn Fn(&Finished) -> u64| recurring(rounds.iter().map(|entry| of(entry)).collect());
        let bytes = |entry: &Finished| entry.experiment.pattern.bs.0;
        let upper_ns = |entry: &&Finished| entry.run.outcome.estimate.map_or(0.0, |mean| mean.ci_high_ns);
        (!rounds.is_empty()).then(|| Baseline {
            startup_ios: largest(&startup),
            startup_bytes: largest(&|entry| startup(entry) * bytes(entry)),
            period_ios: largest(&period),
            period_bytes: largest(&|entry| period(entry) * bytes(entry)),
            mean_ns: rounds.iter().map(upper_ns).fold(0.0, f64::max),
        })
    }
}

/// The largest value that most rounds come near: no more than twice their median. What the device does comes
/// again; what a neighbour did in one round would stretch each run that follows. Two rounds have no majority.
fn recurring(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    let median = match values.len() {
        0..3 => values.last(),
        rounds => values.get((rounds - 1) / 2),
    };
    let most = median.map_or(0, |median| median.saturating_mul(2));
    values.into_iter().filter(|value| *value <= most).max().unwrap_or(0)
}

/// A device that works off deferred writes in a pause takes longer until it is behind: a start-up is looked
/// for in this many times the IOs, so that a pause that hides 7/8 of the work is not taken to hide all of it.
const IDLE_FACTOR: u64 = 8;
/// Idle time of so many writes hides the work of one, whatever it is, if idle work is no slower than this.
const IDLE_WRITES: f64 = 8.0;

impl Known {
    /// Learns from the baselines among `finished` that reached their running phase.
    pub fn from(finished: &[Finished]) -> Known {
        let mut known = Known::default();
        for rw in Rw::EVERY {
            let is_sure = |entry: &&Finished| {
                let Experiment { micro, pattern, .. } = &entry.experiment;
                micro == "baseline" && pattern.rw == rw && entry.run.outcome.stationary
            };
            let baselines: Vec<_> = finished.iter().filter(is_sure).collect();
            known.bounds[rw as usize] = Baseline::of(&baselines);
        }
        known
    }

    /// Of a device that has neither start-up nor period.
    fn nothing_seen() -> Known {
        Known { bounds: [Some(Baseline::default()); Rw::EVERY.len()] }
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
        let idle_factor = if self.falls_behind_slowly(pattern) { IDLE_FACTOR } else { 1 };
        let of = |rw: Rw| {
            let bounds = self.for_baseline(rw, pattern.bs.0);
            Bounds { startup_ios: bounds.startup_ios * idle_factor, ..bounds }
        };
        match pattern.mix {
            None => of(pattern.rw),
            Some(mix) => {
                let (first, second) = (of(pattern.rw), of(mix.rw));
                let stretched = |ios: (u64, u64)| {
                    let (of_first, of_second) = turns_of(pattern, mix.turns);
                    let stretch = |ios: u64, turns: u64| {
                        if turns > 0 { ios.saturating_mul(of_first + of_second).div_ceil(turns) } else { 0 }
                    };
                    stretch(ios.0, of_first).max(stretch(ios.1, of_second))
                };
                Bounds {
                    startup_ios: stretched((first.startup_ios, second.startup_ios)),
                    period_ios: stretched((first.period_ios, second.period_ios)),
                }
            }
        }
    }

    /// Whether pauses may hide a part of the work that writes leave behind. Longer ones hide all of it, and
    /// then there is nothing to fall behind with.
    fn falls_behind_slowly(&self, pattern: &Pattern) -> bool {
        let idle_ns = pattern.thinktime.0 as f64 / pattern.thinktime_blocks as f64;
        let writes = [Rw::Write, Rw::RandWrite].iter().filter_map(|rw| self.bounds[*rw as usize]);
        let dearest_ns = writes.map(|baseline| baseline.mean_ns).fold(0.0, f64::max);
        pattern.writes() && idle_ns > 0.0 && idle_ns < IDLE_WRITES * dearest_ns
    }

    fn for_baseline(&self, rw: Rw, bs_bytes: u64) -> Bounds {
        let kin = if rw.is_write() { [Rw::Write, Rw::RandWrite] } else { [rw, rw] };
        let mut bounds = Bounds { startup_ios: 0, period_ios: 1 };
        for baseline in kin.iter().filter_map(|kin| self.bounds[*kin as usize]) {
            // A cache fills and a block is full after so many bytes, a table after so many IOs: the longer of
            // both is a bound. Reads fill nothing.
            let startup_bytes = if rw.is_write() { baseline.startup_bytes } else { 0 };
            let startup_ios = startup_bytes.div_ceil(bs_bytes).max(baseline.startup_ios);
            let period_ios = baseline.period_bytes.div_ceil(bs_bytes).max(baseline.period_ios);
            bounds.startup_ios = bounds.startup_ios.max(startup_ios);
            bounds.period_ios = bounds.period_ios.max(period_ios);
        }
        bounds
    }
}

/// IOs of the first and of the second pattern of a mix, on average, in as few as show their shares.
fn turns_of(pattern: &Pattern, turns: Turns) -> (u64, u64) {
    if let Some(Rate::Each { reads, writes }) = pattern.rate_iops {
        let of = |rate: f64| (rate / reads.min(writes)).round() as u64;
        return (of(reads), of(writes));
    }
    match turns {
        Turns::Ratio(ratio) => (ratio.into(), 1),
        Turns::Chance(percent) => (u64::from(100 - percent.min(100)), percent.into()),
        Turns::SameAddress => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::{Bytes, Nanos};

    /// Writes of 1 ms with a start-up of 128 and a period of 32, at 32 KiB; reads without either.
    fn known() -> Known {
        let of_32_kib = |ios: u64| ios * (32 << 10);
        let write = Baseline {
            startup_ios: 128,
            startup_bytes: of_32_kib(128),
            period_ios: 32,
            period_bytes: of_32_kib(32),
            mean_ns: 1e6,
        };
        let read = Baseline { mean_ns: 1e5, ..Baseline::default() };
        Known {
            bounds: [Rw::Read, Rw::Write, Rw::RandRead, Rw::RandWrite, Rw::Trim, Rw::RandTrim]
                .map(|rw| Some(if rw.is_write() { write } else { read })),
        }
    }

    fn bounds(pattern: Pattern) -> (u64, u64) {
        let Bounds { startup_ios, period_ios } = known().bounds(&pattern);
        (startup_ios, period_ios)
    }

    fn writes() -> Pattern {
        Pattern { bs: Bytes(32 << 10), ..Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30)) }
    }

    #[test]
    fn what_one_round_of_many_shows_bounds_nothing() {
        assert_eq!(recurring(vec![]), 0);
        assert_eq!(recurring(vec![777]), 777);
        assert_eq!(recurring(vec![0, 777]), 777, "of two rounds nobody knows which is right");
        assert_eq!(recurring(vec![0, 777, 0]), 0);
        assert_eq!(recurring(vec![128, 2_000, 117, 140, 131]), 140, "the device's own varies a little");
        assert_eq!(recurring(vec![435, 0, 109, 117]), 117);
        assert_eq!(recurring(vec![0, 0, 140, 212]), 0, "half of the rounds are no majority");
    }

    #[test]
    fn bounds_hold_for_what_is_counted_in_ios_and_for_what_is_counted_in_bytes() {
        let of_size = |bs| bounds(Pattern { bs: Bytes(bs), ..writes() });
        assert_eq!(of_size(32 << 10), (128, 32));
        assert_eq!(of_size(512), (128 * 64, 32 * 64));
        assert_eq!(of_size(256 << 10), (128, 32));
        let reads = Pattern { rw: Rw::Read, bs: Bytes(512), ..writes() };
        assert_eq!(bounds(reads), (0, 1), "no period stays no period at any size");
    }

    /// Noise that looked like a start-up of 2,000 reads of 32 KiB.
    #[test]
    fn a_start_up_of_reads_is_counted_in_ios_and_never_left_out() {
        let mut known = known();
        let read = known.bounds[Rw::Read as usize].as_mut().expect("seen");
        (read.startup_ios, read.startup_bytes) = (2_000, 2_000 * (32 << 10));
        let effort = Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: 1 << 20 };
        let goal = |rw, bs| effort.knowing(&Pattern { rw, bs: Bytes(bs), ..writes() }, &known);
        for bs in [512, 32 << 10, 512 << 10] {
            let reads = goal(Rw::Read, bs);
            assert_eq!((reads.known, reads.first_ios()), (None, 2_666), "{bs}");
            let others = goal(Rw::RandRead, bs).known.expect("without a start-up");
            assert_eq!(others.startup_ios, 0, "{bs}");
        }
        assert_eq!(goal(Rw::Write, 512).known.expect("a bound").startup_ios, 128 * 64);
    }

    #[test]
    fn a_start_up_is_looked_for_longer_where_pauses_may_hide_a_part_of_the_work_but_not_all() {
        let paused = |us, burst| {
            bounds(Pattern { thinktime: Nanos::from_us(us), thinktime_blocks: burst, ..writes() }).0
        };
        assert_eq!((paused(0, 1), paused(100, 1), paused(7_900, 1)), (128, 8 * 128, 8 * 128));
        assert_eq!((paused(8_000, 1), paused(25_600, 1)), (128, 128));
        assert_eq!((paused(100_000, 10), paused(100_000, 20)), (128, 8 * 128), "of a burst, each has a part");
    }
}
