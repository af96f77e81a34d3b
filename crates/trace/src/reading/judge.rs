//! How certain a reading is: the one place where that is computed.
//!
//! By Bayes' rule: what the format's word is worth before any data ([`super::Basis`]), times how well the
//! data fit each set of units. Likelihoods are powers of ten, set by hand after what drives and programs do.
//! Nothing is proved beforehand: a program's own syntax, a heading, the end of a file's name are evidence,
//! and data that contradict them outweigh them. Space, time and latency are judged apart.

use super::claim::Claim;
use super::evidence::Evidence;
use super::latency::{against_latency, latencies};
use super::space::{against_space, spaces};
use super::time::{against_time, times};
use super::{Outcome, SpaceUnit, TimeUnit, Units};

/// The most that data may weigh, as a power of ten: more than any word of a format or a heading is worth.
const CAP: f64 = 6.0;

/// What came of holding a claim against the data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) certainty: f64,
    pub(crate) doubts: Vec<String>,
    /// The reading that was claimed, and the likeliest of the others.
    pub(crate) outcomes: [Option<Outcome>; 2],
}

impl Judgement {
    /// Where nothing needs to be judged.
    pub(crate) fn certain() -> Judgement {
        Judgement { certainty: 1.0, doubts: Vec::new(), outcomes: [None; 2] }
    }
}

/// How sure a person has made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The format was recognised.
    Recognised,
    /// The format was recognised, and the file's name ends as that of one.
    Suggested,
    /// The format was named.
    Named,
    /// The units were stated.
    Stated,
}

/// Something that speaks against units, as a power of ten.
pub(super) struct Against {
    pub(super) weight: f64,
    doubt: String,
}

pub(super) fn against(weight: f64, doubt: impl Into<String>) -> Option<Against> {
    (weight > 0.0).then(|| Against { weight, doubt: doubt.into() })
}

/// Units and their probability.
pub(super) struct Weighed<U> {
    units: U,
    probability: f64,
}

/// How certain the units are in which the evidence was read.
pub(crate) fn judge(claim: &Claim, evidence: &Evidence, trust: Trust) -> Judgement {
    let units = evidence.units;
    let spaces = spaces(claim, evidence, trust);
    let times = times(claim, evidence, trust);
    let latencies = latencies(claim, evidence, trust);
    let own_space = probability(&spaces, |all| *all == (units.address, units.length));
    let own_time = probability(&times, |time| *time == units.time);
    let own_latency = probability(&latencies, |latency| *latency == units.latency);
    let space = against_space(claim, evidence, units.address, units.length);
    let time = against_time(claim, evidence, units.time, claim.clock);
    let latency = units.latency.map_or(Vec::new(), |unit| against_latency(evidence, unit));
    let told = space.into_iter().chain(time).chain(latency).filter(|against| against.weight >= 1.0);
    let mut doubts: Vec<String> = told.map(|against| against.doubt).collect();
    if matches!(trust, Trust::Recognised | Trust::Suggested) {
        let open = |own: f64, what: &str| {
            (own < super::CERTAINTY_MIN).then(|| format!("the file does not tell the unit of {what}"))
        };
        doubts.extend(open(own_space, "addresses and lengths"));
        doubts.extend(open(own_time, "times"));
        doubts.extend(open(own_latency, "latencies"));
    }
    let probability = own_space * own_time * own_latency;
    let certainty = if trust == Trust::Stated { 1.0 } else { probability };
    let other = other(&spaces, &times, &latencies, &units);
    let other = other.map(|(units, probability)| outcome(evidence, units, probability));
    Judgement { certainty, doubts, outcomes: [Some(outcome(evidence, units, probability)), other] }
}

/// What the trace would be in these units.
fn outcome(evidence: &Evidence, units: Units, probability: f64) -> Outcome {
    Outcome {
        units,
        length_bytes_p50: evidence.length_p50() * units.length.bytes() as f64,
        end_bytes: evidence.end(units.address, units.length),
        duration_s: evidence.duration_s(units.time),
        latency_s_p50: units.latency.map_or(0.0, |unit| evidence.latency_s_p50(unit)),
        probability,
    }
}

fn probability<U>(all: &[Weighed<U>], of: impl Fn(&U) -> bool) -> f64 {
    all.iter().filter(|one| of(&one.units)).map(|one| one.probability).sum()
}

/// The likeliest other reading.
fn other(
    spaces: &[Weighed<(SpaceUnit, SpaceUnit)>],
    times: &[Weighed<TimeUnit>],
    latencies: &[Weighed<Option<TimeUnit>>],
    own: &Units,
) -> Option<(Units, f64)> {
    let places = spaces.iter().flat_map(|space| times.iter().map(move |time| (space, time)));
    let all = places.flat_map(|(space, time)| {
        latencies.iter().map(move |latency| {
            let (address, length) = space.units;
            let units = Units { time: time.units, address, length, latency: latency.units };
            (units, space.probability * time.probability * latency.probability)
        })
    });
    all.filter(|(units, _)| units != own).max_by(|one, other| one.1.total_cmp(&other.1))
}

/// One of several possibilities: what it is worth beforehand, and what speaks against it.
pub(super) struct Possible<U> {
    pub(super) units: U,
    pub(super) before: f64,
    pub(super) against: f64,
}

/// Probabilities of all that is possible; data weigh no more than `most`.
pub(super) fn weigh<U>(all: Vec<Possible<U>>, most: f64) -> Vec<Weighed<U>> {
    let least = all.iter().map(|one| one.against).fold(f64::INFINITY, f64::min);
    let weight = |one: &Possible<U>| one.before * 10_f64.powf(-(one.against - least).min(most.min(CAP)));
    let sum: f64 = all.iter().map(weight).sum();
    let weighed = |one: Possible<U>| Weighed { probability: weight(&one) / sum, units: one.units };
    all.into_iter().map(weighed).collect()
}

pub(super) fn sum(all: &[Against]) -> f64 {
    all.iter().map(|against| against.weight).sum()
}

/// The weight of the last step that is reached.
pub(super) fn step(value: f64, steps: &[(f64, f64)]) -> f64 {
    steps.iter().rev().find(|(from, _)| value >= *from).map_or(0.0, |(_, weight)| *weight)
}
