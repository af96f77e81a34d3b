//! What a characterisation says in the end: indicators, hints, warnings. The shapes only; how they are found
//! is in `indicators`, `hints` and `warnings`.

use serde::{Deserialize, Serialize};

use crate::conclusion::{Indicator, Support};
use crate::remedy::Remedy;

/// The key characteristics: paper 001's table 3, and what alignment and granularity show. None means that
/// there is no effect, or that it was not measured (then a warning says so).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Indicators {
    /// Sequential reads of the baseline size.
    pub sr_ms: Option<Indicator>,
    /// Random reads.
    pub rr_ms: Option<Indicator>,
    /// Sequential writes.
    pub sw_ms: Option<Indicator>,
    /// Random writes.
    pub rw_ms: Option<Indicator>,
    /// The shortest pause with which random writes cost as little as sequential ones.
    pub pause_ms: Option<Indicator>,
    /// The largest area in which random writes stay cheap.
    pub locality_mib: Option<Indicator>,
    /// The dearest random write inside that area over a sequential write.
    pub locality_factor: Option<Indicator>,
    /// Sequential streams that may be written side by side.
    pub partitions: Option<Indicator>,
    /// A write to one of them over a write to a single stream.
    pub partitions_factor: Option<Indicator>,
    /// Reverse writes over sequential writes.
    pub reverse_factor: Option<Indicator>,
    /// In-place writes over sequential writes.
    pub in_place_factor: Option<Indicator>,
    /// Writes with steps of 1 MiB to 8 MiB over random writes.
    pub large_increment_factor: Option<Indicator>,
    /// The smallest write that is not wasteful: below it, smaller random writes cost (nearly) the same.
    pub granularity_bytes: Option<Indicator>,
    /// Alignment that random writes need.
    pub alignment_bytes: Option<Indicator>,
    /// A misaligned random write over an aligned one.
    pub alignment_factor: Option<Indicator>,
}

/// One of the numbers that a storage engine is built around.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// `block size`, `alignment` or `write streams`.
    pub question: &'static str,
    /// A value, or that any will do, or that it was not measured.
    pub answer: String,
    /// Why, in plain words.
    pub because: String,
    /// The experiments behind it.
    pub experiments: Vec<String>,
    /// How well they carry it.
    pub state: Support,
}

/// A design hint derived from this device's data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// What to do, in plain words.
    pub text: String,
    /// The measurements that say so, and which of paper 001's hints it confirms or contradicts.
    pub evidence: String,
    /// Where that is seen: names of micro-benchmarks, such as `locality`, and ids of experiments, such as
    /// `baseline/RW/32KiB`.
    #[serde(default)]
    pub seen_in: Vec<String>,
    /// How well they carry it.
    pub state: Support,
}

/// What was seen that weakens the result, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What was seen.
    pub seen: String,
    /// What to do.
    pub remedy: Remedy,
}
