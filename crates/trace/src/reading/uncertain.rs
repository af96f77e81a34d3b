//! A reading that is refused.

use super::Outcome;

/// Units that are not certain enough, and what else they may be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "the units are not certain ({certainty:.2}): {}; as format {format} says: {}; or: {}",
    self.doubts.join(", "),
    self.outcomes[0],
    self.outcomes[1]
)]
pub struct Uncertain {
    /// The format that was read.
    pub format: &'static str,
    /// How certain its units are.
    pub certainty: f64,
    /// What speaks against them.
    pub doubts: Vec<String>,
    /// What the format says, and the likeliest of the others.
    pub outcomes: [Outcome; 2],
    /// The columns that state the one and the other; empty where the trace is no table.
    pub columns: [String; 2],
}

impl Eq for Uncertain {}
