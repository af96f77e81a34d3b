//! What the data say about the unit of latencies.

use flashscope_core::number::{count, span};

use super::TimeUnit::{self, Microsecond, Millisecond, Nanosecond, Second};
use super::claim::Claim;
use super::evidence::Evidence;
use super::judge::{Against, Possible, Trust, Weighed, against, step, sum, weigh};

/// Probabilities of the unit of latencies: one possibility where the trace has none.
pub(super) fn latencies(claim: &Claim, evidence: &Evidence, trust: Trust) -> Vec<Weighed<Option<TimeUnit>>> {
    let own = evidence.units.latency;
    let mut units = vec![own];
    if own.is_some_and(|own| evidence.latency_s_p50(own) > 0.0) {
        let others = [Nanosecond, Microsecond, Millisecond, Second].map(Some);
        units.extend(others.into_iter().filter(|unit| *unit != own && claim.stated.latency.is_none()));
    }
    // A latency is seldom in doubt where times are not.
    let doubt = claim.time_basis.doubt(trust).min(LATENCY);
    let others = (units.len() - 1).max(1) as f64;
    let possible = |unit: Option<TimeUnit>| Possible {
        units: unit,
        before: if unit == own { 1.0 - doubt } else { doubt / others },
        against: unit.map_or(0.0, |unit| sum(&against_latency(evidence, unit))),
    };
    weigh(units.into_iter().map(possible).collect(), f64::INFINITY)
}

/// The most that a format's word leaves open beforehand.
const LATENCY: f64 = 0.02;

/// What speaks against this unit of latencies: times of no drive, or more in flight than queues hold.
pub(super) fn against_latency(evidence: &Evidence, unit: TimeUnit) -> Vec<Against> {
    let half_s = evidence.latency_s_p50(unit);
    if half_s <= 0.0 {
        return Vec::new();
    }
    let gap_s = evidence.duration_s(evidence.units.time) / evidence.requests.max(1) as f64;
    let in_flight = if gap_s > 0.0 { (half_s / gap_s).min(evidence.requests as f64) } else { 0.0 };
    let fast = if half_s < 1e-7 {
        4.0
    } else if half_s < 1e-6 {
        1.5
    } else {
        0.0
    };
    let all = [
        against(fast, format!("half of the requests would take {} or less", span(2.0 * half_s * 1e9))),
        against(step(half_s, &[(10.0, 1.0), (60.0, 2.0), (3600.0, 4.0)]), {
            format!("half of the requests would take {} or more", span(half_s * 1e9))
        }),
        against(step(in_flight, &[(32.0, 0.5), (100.0, 1.5), (1024.0, 2.5), (16_384.0, 4.0)]), {
            format!("{} requests would be in flight", count(in_flight as u64))
        }),
    ];
    all.into_iter().flatten().collect()
}
