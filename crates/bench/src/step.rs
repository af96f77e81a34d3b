//! One run of a plan: what is done to the device before it, how long it is, and what is kept of it.

use std::fmt;

use flashscope_analysis::{Cut, Experiment};
use flashscope_core::{Bytes, Nanos, Pattern};

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
}

impl Step {
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

    /// IOs in flight in it, those of its load too.
    pub fn in_flight(&self) -> u32 {
        self.patterns().map(Pattern::in_flight).sum()
    }
}

/// When a step is measured at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The last doubling of the parameter on the same curve was worth it: see [`crate::GAIN_MIN`].
    Growing,
    /// This curve of the same group, whose parameter counts rounds, is not steady yet in IOs a second:
    /// see [`flashscope_analysis::steady_window`].
    Unsteady(String),
}

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
/// Bytes a second that no single device takes, for the most that a plan may write.
pub const ASSUMED_RATE_MAX: u64 = 16 << 30;

/// Bytes that something writes, and the time it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub about_bytes: u64,
    pub min_bytes: u64,
    pub max_bytes: u64,
    pub nanos: u64,
}

impl Cost {
    pub(crate) fn add(&mut self, other: Cost) {
        self.about_bytes = self.about_bytes.saturating_add(other.about_bytes);
        self.min_bytes = self.min_bytes.saturating_add(other.min_bytes);
        self.max_bytes = self.max_bytes.saturating_add(other.max_bytes);
        self.nanos = self.nanos.saturating_add(other.nanos);
    }

    /// Exactly so many bytes, in writes of `bs`.
    fn exactly(bytes: u64, bs: u64) -> Cost {
        let passes_ns = (bytes as f64 * 1e9 / ASSUMED_RATE as f64) as u64;
        let nanos = (bytes / bs.max(1)).saturating_mul(ASSUMED_WRITE.0).max(passes_ns);
        Cost { about_bytes: bytes, min_bytes: bytes, max_bytes: bytes, nanos }
    }

    /// A pattern for a fixed length, of at least so many IOs.
    fn of_length(length: Length, ios_min: u64, pattern: &Pattern) -> Cost {
        let share = pattern.write_share();
        let bytes = |ios: f64| (ios * share * pattern.bs.0 as f64) as u64;
        let each_ns = assumed_ns(pattern);
        match length {
            Length::Precise => Cost::default(),
            Length::Time(span) => {
                let asked_ns = pattern.rate_iops.map_or(each_ns, |rate| each_ns.max(1e9 / rate));
                let ios = (span.0 as f64 / asked_ns).max(ios_min as f64);
                let most = if share > 0.0 { bytes_within(span) } else { 0 };
                let min_bytes = bytes(ios_min as f64);
                let nanos = span.0.max((ios * asked_ns) as u64);
                Cost { about_bytes: bytes(ios), min_bytes, max_bytes: most.max(min_bytes), nanos }
            }
            Length::Ios(_) | Length::Bytes(_) => {
                let jobs = u64::from(pattern.numjobs);
                let ios = length.counted(pattern.clone()).number_ios.unwrap_or(0).saturating_mul(jobs);
                let written = bytes(ios as f64);
                let nanos = (ios as f64 * each_ns) as u64;
                Cost { about_bytes: written, min_bytes: written, max_bytes: written, nanos }
            }
        }
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

    /// A step of fixed length with its preparations. One that may be left out costs nothing at least.
    pub(crate) fn of_step(step: &Step, span: Bytes) -> Cost {
        let mut cost = Cost::of_length(step.length, step.ios_min, &step.experiment.pattern);
        if let Some(load) = &step.experiment.beside {
            cost.add(Cost { nanos: 0, ..Cost::of_length(step.length, 0, load) });
        }
        step.before.iter().for_each(|before| cost.add(Cost::of_preparation(before, span)));
        let min_bytes = if step.only_if.is_some() { 0 } else { cost.min_bytes };
        Cost { min_bytes, ..cost }
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
