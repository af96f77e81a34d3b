//! Every IO of an experiment in little room: all of them while they fit, columns of many IOs beyond.
//!
//! A [`Trace`] is words and marks; the IOs themselves are in its blob: the arrays that `arrays` lists, one
//! after the other, then gzip, then base64. An array of `planes` bytes a value is stored as that many planes
//! (all lowest bytes, all second bytes, ..), because equal bytes side by side shrink well. With `is_delta`
//! each value is the zigzag-coded difference (0, -1, 1, -2, ..) from the one before it, the first from 0.

mod blob;
mod columns;
mod exact;
mod order;
mod pack;

use flashscope_core::Op;
use serde::Serialize;

pub(super) use pack::pack;

/// The IOs of one experiment, and what was found in them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// For links and for overlaying.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// IOs of the experiment.
    pub ios: u64,
    /// IOs of a column; 1 if every IO is there.
    pub column_ios: u64,
    /// Names of the operations, by their number.
    pub ops: Vec<&'static str>,
    /// Bytes of a unit of `offset` and of `length`.
    pub unit_bytes: u64,
    /// The file in the result folder that has every IO.
    pub file: String,
    /// What the analysis found.
    pub marks: Marks,
    /// Traces and charts of one group share their zoom along time; none stands alone.
    pub group: Option<String>,
    /// What the blob holds.
    pub arrays: Vec<ArraySpec>,
    /// Key of the blob.
    pub blob: String,
}

/// What the analysis found in a trace. IO numbers count from 0 in the order of submission.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Marks {
    /// IOs before the running phase.
    pub startup_ios: u64,
    /// Fewest and most warm-up IOs that the data allow.
    pub startup_range_ios: [u64; 2],
    /// First IO and mean response time (ns) of each regime.
    pub regimes: Vec<(u64, f64)>,
    /// Length of the oscillation.
    pub period_ios: Option<u64>,
    /// Mean of the running phase and the ends of its interval (ns).
    pub mean_ns: Option<[f64; 3]>,
}

/// One array of a blob.
///
/// With every IO (`column_ios` 1): `submit_ns`, `response_ns`, `offset`, `length` (in `unit_bytes`), `op`,
/// `stream`, an entry for each IO in the order of submission.
///
/// With columns: `submit_ns` (of the first IO), `mean_ns`, `min_ns`, `min_at`, `max_ns`, `max_at` (which IO
/// of the column), and of the slowest IO `max_submit_ns`, `max_offset`, `max_length`, `max_op`, an entry for
/// each column; `cells` (used rows of each column), and then for each used row of each column in order `row`
/// and `count`. Row `r` holds response times from `2^(r/16)` to `2^((r+1)/16)` ns. Besides,
/// `head_response_ns` holds the first IOs one by one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArraySpec {
    /// Which.
    pub name: &'static str,
    /// How many values.
    pub length: u64,
    /// Bytes of a value.
    pub planes: u8,
    /// Differences are stored.
    pub is_delta: bool,
}

impl Trace {
    /// The IOs in `file`, relative to the result folder: still to be read, see [`super::Bundle::fill`].
    pub fn unread(id: String, title: String, file: String) -> Trace {
        Trace {
            id,
            title,
            caption: String::new(),
            ios: 0,
            column_ios: 1,
            ops: Op::ALL.iter().map(|op| op.name()).collect(),
            unit_bytes: 1,
            file,
            marks: Marks::default(),
            group: None,
            arrays: Vec::new(),
            blob: String::new(),
        }
    }
}
