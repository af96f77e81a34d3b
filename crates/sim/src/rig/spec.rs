//! The rules of a rig as plain data, read from TOML. `docs/rigs.md` explains each key to the people who write
//! rigs; what values can be is checked in `validate.rs`.

use serde::{Deserialize, Serialize};

use flashscope_core::{Bytes, Nanos, Share};

use super::curve::Curve;

/// A whole rig. Every table but `latency` may be left out: then its rule does not exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigSpec {
    /// The name it was asked for by; not part of the text.
    #[serde(skip)]
    pub name: String,
    /// Usable size.
    pub size: Bytes,
    /// Smallest unit of an IO: a power of two from 512 bytes.
    #[serde(default = "default_sector")]
    pub sector: Bytes,
    /// After this much idle time the device knows nothing any more of streams, runs and places.
    #[serde(default = "default_forget_after")]
    pub forget_after: Nanos,
    /// Cost by operation and size.
    pub latency: Latency,
    /// How many sequential streams it follows.
    #[serde(default)]
    pub streams: Streams,
    /// Other orders than sequential.
    #[serde(default)]
    pub order: Order,
    /// Random writes within a small area.
    pub locality: Option<Locality>,
    /// Work that random writes leave behind.
    pub background: Option<Background>,
    /// Cycles of cheap and dear IOs.
    #[serde(default)]
    pub cycle: Cycles,
    /// Levels along the bytes written.
    pub regimes: Option<Regimes>,
    /// Reads that suffer after random writes.
    pub lingering: Option<Lingering>,
    /// IOs that do not fit the device's unit.
    pub alignment: Option<Alignment>,
    /// IOs served at once.
    #[serde(default)]
    pub parallel: Parallel,
    /// Randomness.
    #[serde(default)]
    pub noise: Noise,
}

fn default_sector() -> Bytes {
    Bytes(512)
}

fn default_forget_after() -> Nanos {
    Nanos::from_ms(500)
}

/// Mean cost of an IO by its size, one curve for each of uFLIP's four baselines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// Sequential reads.
    pub sequential_read: Curve,
    /// Random reads; as sequential ones if left out.
    pub random_read: Option<Curve>,
    /// Sequential writes.
    pub sequential_write: Curve,
    /// Random writes in the long run; as sequential ones if left out.
    pub random_write: Option<Curve>,
}

impl Latency {
    /// The curve of random reads.
    pub fn random_read(&self) -> &Curve {
        self.random_read.as_ref().unwrap_or(&self.sequential_read)
    }

    /// The curve of random writes.
    pub fn random_write(&self) -> &Curve {
        self.random_write.as_ref().unwrap_or(&self.sequential_write)
    }
}

/// Sequential streams that the device can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Streams {
    /// Streams followed at once, 1 to 64; the least recently used one is given up for a new one.
    pub limit: u32,
    /// Cost of a write that continues another stream than the last one did, relative to staying in one.
    pub factor: f64,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams { limit: 16, factor: 1.0 }
    }
}

/// Orders that are neither sequential nor random (paper 001, Table 1, Incr).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Order {
    /// Cost of rewriting one place again and again, relative to sequential writes.
    pub in_place: f64,
    /// Cost of descending addresses, relative to sequential writes.
    pub reverse: f64,
    /// Cost of a constant large stride, relative to random writes.
    pub large_increment: f64,
    /// The smallest stride that counts as large.
    pub large_increment_from: Bytes,
    /// The largest one.
    pub large_increment_to: Bytes,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            in_place: 1.0,
            reverse: 1.0,
            large_increment: 1.0,
            large_increment_from: Bytes(1 << 20),
            large_increment_to: Bytes(8 << 20),
        }
    }
}

/// Random writes that stay within a small area are cheap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locality {
    /// The last 32 writes, this one included, lie within an area of this size.
    pub area: Bytes,
    /// Their cost relative to sequential writes.
    pub factor: f64,
}

/// Random writes cost as sequential ones at once; the rest of their cost is put off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// The device puts off the work of this many random writes of 32 KiB.
    pub startup: u32,
    /// After that, each `period`-th random write pays for `period` of them.
    pub period: u32,
    /// Whether idle time does the work that was put off, a second in a second.
    #[serde(default)]
    pub drains_while_idle: bool,
}

/// Cycles, by baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cycles {
    /// Of sequential reads.
    pub sequential_read: Option<Cycle>,
    /// Of random reads.
    pub random_read: Option<Cycle>,
    /// Of sequential writes.
    pub sequential_write: Option<Cycle>,
    /// Of random writes and large increments.
    pub random_write: Option<Cycle>,
}

/// Costs that repeat; their mean is the curve's. Either cheap IOs followed by dear ones, or a sawtooth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// IOs in a cycle, at least 2.
    pub period: u32,
    /// How many of them, the last ones, are dear.
    pub dear: Option<u32>,
    /// Cost of a cheap one relative to the mean, below 1; the dear ones make up for it.
    pub cheap_factor: Option<f64>,
    /// A straight rise from this much below the mean to as much above it, instead of `dear`.
    pub sawtooth: Option<Share>,
}

/// Levels of the cost of writes along the bytes written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regimes {
    /// Idle time after which the bytes are counted anew; never if left out.
    pub reset_after_idle: Option<Nanos>,
    /// The levels, in order.
    pub steps: Vec<Step>,
}

/// One level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// It holds from this many bytes written on.
    pub from: Bytes,
    /// Cost of all writes, relative to `latency`.
    pub factor: f64,
}

/// An after-effect of random writes on reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lingering {
    /// It is over after this many reads.
    pub reads: u64,
    /// It is over after this time, too.
    pub time: Nanos,
    /// Cost of a read while it lasts, relative to `latency`.
    pub factor: f64,
}

/// The four baselines, where a rule must say which it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// Reads that continue a stream.
    SequentialRead,
    /// All other reads.
    RandomRead,
    /// Sequential, in-place, reverse and local random writes: those priced by the sequential curve.
    SequentialWrite,
    /// Random writes and large increments: those priced by the random curve.
    RandomWrite,
}

/// The price of IOs whose offset or length is no multiple of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alignment {
    /// The unit, a power of two.
    pub unit: Bytes,
    /// Cost relative to aligned IOs.
    pub factor: f64,
    /// Which IOs suffer; all if left out.
    #[serde(default = "all_baselines")]
    pub concerns: Vec<Baseline>,
}

fn all_baselines() -> Vec<Baseline> {
    use Baseline::{RandomRead, RandomWrite, SequentialRead, SequentialWrite};
    vec![SequentialRead, RandomRead, SequentialWrite, RandomWrite]
}

/// IOs served at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parallel {
    /// How many, 1 to 256; the others wait in order of submission.
    pub channels: u32,
}

impl Default for Parallel {
    fn default() -> Parallel {
        Parallel { channels: 1 }
    }
}

/// Randomness of response times. Its mean effect is nil, but for spikes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Noise {
    /// Standard deviation relative to the cost, 0 to 0.25.
    pub spread: Share,
    /// Correlation between one IO's noise and the next one's, below 1.
    pub correlation: f64,
    /// Rare extra costs.
    pub spikes: Option<Spikes>,
}

/// Rare extra costs; they raise the mean by `cost / one_in`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spikes {
    /// One IO in this many, at random.
    pub one_in: u64,
    /// What it costs on top.
    pub cost: Nanos,
}
