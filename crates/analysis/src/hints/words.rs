//! What was measured, as a person reads it: numbers with their units and intervals.

use flashscope_core::number::{Among, among, span_among};
pub(crate) use flashscope_core::number::{
    counted, digits, exact_span, list, percent, plain, size, some, span, throughput,
};

use crate::compare::Comparison;
use crate::estimate::Estimate;
use crate::indicators::curve::At;

/// `9.27 ms (9.10–9.44)`.
pub(crate) fn mean(estimate: &Estimate) -> String {
    with_interval(span_among(estimate.mean_ns, (estimate.ci_low_ns, estimate.ci_high_ns)))
}

/// `x4.60 (4.40–4.80)`.
pub(crate) fn factor(of: &Comparison) -> String {
    with_interval(among(of.value, (of.ci_low, of.ci_high), "x"))
}

fn with_interval(Among { value, interval }: Among) -> String {
    if interval.is_empty() { value } else { format!("{value} ({interval})") }
}

/// `locality/RW 8MiB: 800 µs (780–820)`.
pub(crate) fn point(at: &At<'_>) -> String {
    format!("{} {}", at.point.experiment.id(), mean(&at.estimate))
}

/// `SR` as a heading has it.
pub(crate) fn short(pattern: &str) -> &str {
    match pattern {
        "SR" => "seq read",
        "RR" => "rand read",
        "SW" => "seq write",
        "RW" => "rand write",
        other => other,
    }
}

/// `SR` in a sentence.
pub(crate) fn pattern(curve: &str) -> &str {
    match curve {
        "SR" => "sequential reads",
        "RR" => "random reads",
        "SW" => "sequential writes",
        "RW" => "random writes",
        other => other,
    }
}
