//! One run of a plan: what is done to the device before it, how long it is, and what is kept of it.

use std::borrow::Cow;
use std::fmt;

use flashscope_analysis::{Cut, Experiment, Finished};
use flashscope_core::{Bytes, Nanos, Pattern, Rate};

use crate::offered::Offered;
use crate::state::{State, state_bytes};

/// One run of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What. Of a length in IOs or bytes, its pattern counts them.
    pub experiment: Experiment,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Seed of its addresses.
    pub seed: u64,
    /// What is done to the device before it, in order.
    pub before: Vec<Preparation>,
    /// It rests on what the steps before it left behind, from the last one on that does not: none of them is
    /// measured again alone.
    pub follows: bool,
    /// When it is over.
    pub length: Length,
    /// Of a length in time, it goes on until it has so many IOs.
    pub ios_min: u64,
    /// Into which windows it is cut, and how many of them there are at most.
    pub windows: Option<(Cut, usize)>,
    /// Skipped if earlier runs show that it would add no information.
    pub only_if: Option<Condition>,
    /// Its single IOs are kept.
    pub keeps_ios: bool,
    /// What decides the arrivals of its pattern; until then those of the pattern are an assumption.
    pub offered: Option<Offered>,
    /// The same of its load.
    pub offered_beside: Option<Offered>,
}

impl Step {
    /// The step with the arrivals that `finished` runs decide; none while those are missing.
    pub(crate) fn with_arrivals(&self, finished: &[Finished]) -> Option<Cow<'_, Step>> {
        if self.offered.is_none() && self.offered_beside.is_none() {
            return Some(Cow::Borrowed(self));
        }
        let mut step = self.clone();
        let Experiment { pattern, beside, .. } = &mut step.experiment;
        if let Some(offered) = &self.offered {
            pattern.rate_iops = Some(Rate::Total(offered.rate_iops(finished)?));
        }
        if let (Some(load), Some(offered)) = (beside, &self.offered_beside) {
            load.rate_iops = Some(Rate::Total(offered.rate_iops(finished)?));
        }
        Some(Cow::Owned(step))
    }

    /// The patterns that run at the same time in it: the one that is measured, and its load.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let Experiment { pattern, beside, .. } = &self.experiment;
        std::iter::once(pattern).chain(beside)
    }

    /// The patterns of the bursts before it.
    pub fn bursts(&self) -> impl Iterator<Item = &Pattern> {
        self.before.iter().filter_map(|before| match before {
            Preparation::Burst { pattern, .. } => Some(&**pattern),
            _ => None,
        })
    }

    /// When it and the bursts before it are over.
    pub fn lengths(&self) -> impl Iterator<Item = Length> {
        let bursts = self.before.iter().filter_map(|before| match before {
            Preparation::Burst { length, .. } => Some(*length),
            _ => None,
        });
        bursts.chain([self.length])
    }

    /// Whether it belongs to a round that is added only where the precision asks for it.
    pub fn is_added(&self) -> bool {
        matches!(self.only_if, Some(Condition::Imprecise(_)))
    }

    /// IOs in flight in it, those of its load too.
    pub fn in_flight(&self) -> u32 {
        self.patterns().map(Pattern::in_flight).sum()
    }

    /// IOs in flight in one of its loops, where each of several processes has a loop of its own.
    pub(crate) fn in_flight_of_loop(&self) -> u32 {
        let pattern = &self.experiment.pattern;
        let has_lanes = pattern.numjobs > 1 && self.experiment.beside.is_none();
        if has_lanes { pattern.iodepth } else { self.in_flight() }
    }
}

/// When a step is measured at all.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The last doubling of the parameter on the same curve was worth it: see [`crate::GAIN_MIN`].
    Growing,
    /// This curve of the same group, whose parameter counts rounds, is not steady yet in IOs a second:
    /// see [`flashscope_analysis::steady_window`].
    Unsteady(String),
    /// The rounds before it left the mean of this experiment less precise than this: a round is added.
    Imprecise(f64),
    /// The suite's own reading of the earlier runs asks for it. Not part of a plan's estimate.
    Wanted(Wanted),
}

/// Whether earlier runs leave a question that an experiment would answer.
#[derive(Clone, Copy, Debug)]
pub struct Wanted(pub fn(&[Finished], &Experiment) -> bool);

impl PartialEq for Wanted {
    fn eq(&self, other: &Wanted) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Wanted {}

/// Done before a run, not recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Preparation {
    /// The whole span is brought into a state (paper 001, section 4.1).
    Enforce(State),
    /// The whole span is written sequentially, so many times (paper 000, appendix A).
    Fill {
        /// Size of one write.
        bs: Bytes,
        /// Passes over the span.
        times: u32,
    },
    /// The whole span is discarded, where the target can.
    Trim,
    /// A pattern runs, such as random writes.
    Burst {
        /// What.
        pattern: Box<Pattern>,
        /// How long; never [`Length::Precise`].
        length: Length,
    },
    /// The device is left alone.
    Idle(Nanos),
}

impl Preparation {
    /// Whether nothing that was written before matters afterwards.
    pub fn resets(&self) -> bool {
        matches!(self, Preparation::Enforce(_) | Preparation::Fill { .. } | Preparation::Trim)
    }

    /// Whether it changes what the device holds.
    pub fn writes(&self) -> bool {
        match self {
            Preparation::Idle(_) => false,
            Preparation::Burst { pattern, .. } => pattern.writes(),
            _ => true,
        }
    }
}

impl fmt::Display for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Preparation::Enforce(state) => write!(f, "preconditioning: {}", state.name()),
            Preparation::Fill { bs, times: 1 } => write!(f, "sequential fill with IOs of {bs}"),
            Preparation::Fill { bs, times } => {
                write!(f, "{times} sequential fills with IOs of {bs}")
            }
            Preparation::Trim => write!(f, "discarding everything"),
            Preparation::Burst { pattern, length } => {
                write!(f, "{length} of {} writes of {}", order(pattern), pattern.bs)
            }
            Preparation::Idle(span) => write!(f, "idle for {span}"),
        }
    }
}

fn order(pattern: &Pattern) -> &'static str {
    if pattern.rw.is_random() { "random" } else { "sequential" }
}

/// When a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// When its mean is known well enough.
    Precise,
    /// After so much time.
    Time(Nanos),
    /// After so many IOs over all processes.
    Ios(u64),
    /// After so many bytes over all processes.
    Bytes(u64),
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Precise => write!(f, "until precise enough"),
            Length::Time(span) => write!(f, "{span}"),
            Length::Ios(ios) => write!(f, "{ios} IOs"),
            Length::Bytes(bytes) => write!(f, "{}", Bytes(*bytes)),
        }
    }
}

impl Length {
    /// The pattern with its count of IOs for each process, where the length says how many.
    pub(crate) fn counted(self, pattern: Pattern) -> Pattern {
        let jobs = u64::from(pattern.numjobs.max(1));
        let ios = match self {
            Length::Ios(ios) => ios,
            Length::Bytes(bytes) => bytes.div_ceil(pattern.bs.0.max(1)),
            Length::Precise | Length::Time(_) => return pattern,
        };
        Pattern { number_ios: Some(ios.div_ceil(jobs).max(1)), ..pattern }
    }

    /// The time after which it is over.
    pub(crate) fn runtime(self) -> Option<Nanos> {
        if let Length::Time(span) = self { Some(span) } else { None }
    }
}

/// A read is taken to last this long when a plan's time is estimated before anything is known.
pub const ASSUMED_READ: Nanos = Nanos::from_us(200);
/// The same for a write.
pub const ASSUMED_WRITE: Nanos = Nanos::from_ms(1);
/// However many and large IOs are in flight, this many bytes a second pass in that estimate.
pub const ASSUMED_RATE: u64 = 1 << 30;
/// A plan may write so many times what it is expected to, unless its settings say otherwise.
pub const SHARE_FACTOR: u64 = 4;
/// Bytes a second that no single device takes, for the most that a plan could write without a bound.
pub const ASSUMED_RATE_MAX: u64 = 16 << 30;

/// Bytes that something writes, and the time it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub about_bytes: u64,
    pub min_bytes: u64,
    pub max_bytes: u64,
    /// Its share of what a plan may write: [`SHARE_FACTOR`] times what is expected.
    pub share_bytes: u64,
    pub nanos: u64,
}

impl Cost {
    pub(crate) fn add(&mut self, other: Cost) {
        self.about_bytes = self.about_bytes.saturating_add(other.about_bytes);
        self.min_bytes = self.min_bytes.saturating_add(other.min_bytes);
        self.max_bytes = self.max_bytes.saturating_add(other.max_bytes);
        self.share_bytes = self.share_bytes.saturating_add(other.share_bytes);
        self.nanos = self.nanos.saturating_add(other.nanos);
    }

    /// Exactly so many bytes, in writes of `bs`.
    fn exactly(bytes: u64, bs: u64) -> Cost {
        let passes_ns = (bytes as f64 * 1e9 / ASSUMED_RATE as f64) as u64;
        let nanos = (bytes / bs.max(1)).saturating_mul(ASSUMED_WRITE.0).max(passes_ns);
        Cost { about_bytes: bytes, min_bytes: bytes, max_bytes: bytes, share_bytes: bytes, nanos }
    }

    /// The same with a share of what it may write: never less than the least nor more than the most.
    pub(crate) fn with_share(self, expected_bytes: u64) -> Cost {
        let share_bytes = expected_bytes.saturating_mul(SHARE_FACTOR).clamp(self.min_bytes, self.max_bytes);
        Cost { share_bytes, ..self }
    }

    /// A pattern for a fixed length, of at least so many IOs.
    fn of_length(length: Length, ios_min: u64, pattern: &Pattern) -> Cost {
        let share = pattern.write_share();
        let bytes = |ios: f64| (ios * share * pattern.bs_mean()) as u64;
        let each_ns = assumed_ns(pattern);
        match length {
            Length::Precise => Cost::default(),
            Length::Time(span) => {
                let asked_ns = pattern.rate_iops.map_or(each_ns, |rate| each_ns.max(1e9 / rate.total_iops()));
                let ios = (span.0 as f64 / asked_ns).max(ios_min as f64);
                let most = if share > 0.0 { bytes_within(span) } else { 0 };
                let min_bytes = bytes(ios_min as f64);
                let nanos = span.0.max((ios * asked_ns) as u64);
                let cost = Cost {
                    about_bytes: bytes(ios),
                    min_bytes,
                    max_bytes: most.max(min_bytes),
                    nanos,
                    ..Cost::default()
                };
                // Nobody knows how fast the device is, and the time is what was asked for.
                let passes = if share > 0.0 { (span.as_s() * ASSUMED_RATE as f64) as u64 } else { 0 };
                cost.with_share(passes.max(cost.about_bytes))
            }
            Length::Ios(_) | Length::Bytes(_) => {
                let jobs = u64::from(pattern.numjobs);
                let ios = length.counted(pattern.clone()).number_ios.unwrap_or(0).saturating_mul(jobs);
                let written = bytes(ios as f64);
                let nanos = (ios as f64 * each_ns) as u64;
                let share_bytes = written;
                Cost { about_bytes: written, min_bytes: written, max_bytes: written, share_bytes, nanos }
            }
        }
    }

    /// Of what a device takes at most, only a share arrives.
    fn share(self, share: f64) -> Cost {
        let of =
            |bytes: u64| ((bytes as f64 * share).ceil() as u64).max(self.about_bytes).max(self.min_bytes);
        Cost { max_bytes: of(self.max_bytes), share_bytes: of(self.share_bytes), ..self }
    }

    pub(crate) fn of_preparation(preparation: &Preparation, span: Bytes) -> Cost {
        match preparation {
            Preparation::Enforce(state) => Cost::exactly(state_bytes(*state, span), 48 << 10),
            Preparation::Fill { bs, times } => Cost::exactly(span.0.saturating_mul(u64::from(*times)), bs.0),
            Preparation::Trim => Cost::default(),
            Preparation::Burst { pattern, length } => Cost::of_length(*length, 0, pattern),
            Preparation::Idle(span) => Cost { nanos: span.0, ..Cost::default() },
        }
    }

    /// A step of fixed length with its preparations. One that may be left out costs nothing at least, and one
    /// that a suite seldom asks for nothing but at most.
    pub(crate) fn of_step(step: &Step, span: Bytes) -> Cost {
        let of =
            |offered: &Option<Offered>, cost: Cost| cost.share(offered.as_ref().map_or(1.0, |of| of.share));
        let cost = Cost::of_length(step.length, step.ios_min, &step.experiment.pattern);
        let mut cost = of(&step.offered, cost);
        if let Some(load) = &step.experiment.beside {
            let load = of(&step.offered_beside, Cost::of_length(step.length, 0, load));
            cost.add(Cost { nanos: 0, ..load });
        }
        step.before.iter().for_each(|before| cost.add(Cost::of_preparation(before, span)));
        match step.only_if {
            None => cost,
            Some(Condition::Wanted(_)) => Cost { max_bytes: cost.max_bytes, ..Cost::default() },
            Some(_) => Cost { min_bytes: 0, ..cost },
        }
    }
}

/// From one completion of a pattern to the next, as it is assumed.
pub(crate) fn assumed_ns(pattern: &Pattern) -> f64 {
    let share = pattern.write_share();
    let each_ns = share * ASSUMED_WRITE.0 as f64 + (1.0 - share) * ASSUMED_READ.0 as f64;
    let depth = f64::from(pattern.numjobs) * f64::from(pattern.iodepth);
    let thinks_ns = pattern.thinktime.0 as f64 / pattern.thinktime_blocks.max(1) as f64;
    let thinks_ns = thinks_ns / f64::from(pattern.numjobs);
    let passes_ns = pattern.data_bytes() as f64 * 1e9 / ASSUMED_RATE as f64;
    (each_ns / depth).max(passes_ns) + thinks_ns
}

/// The most that any device writes in that time.
pub(crate) fn bytes_within(span: Nanos) -> u64 {
    (span.as_s() * ASSUMED_RATE_MAX as f64) as u64
}
