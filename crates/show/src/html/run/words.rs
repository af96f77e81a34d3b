//! Micro-benchmarks and their curves in words, with the names that the uFLIP paper gives them.

use super::hints::capital;
use crate::headline::FOUR;

/// Name in results, in words, and in the paper.
const MICROS: [(&str, &str, &str); 12] = [
    ("baseline", "Four patterns", "uFLIP: SR, RR, SW, RW"),
    ("granularity", "IO size", "uFLIP: Granularity (IOSize)"),
    ("alignment", "Alignment", "uFLIP: Alignment (IOShift)"),
    ("locality", "Working set", "uFLIP: Locality (TargetSize)"),
    ("partitioning", "Concurrent streams", "uFLIP: Partitioning (Partitions)"),
    ("order", "Stride", "uFLIP: Order (Incr)"),
    ("parallelism", "Parallel jobs", "uFLIP: Parallelism (ParallelDegree)"),
    ("mix", "Mixed patterns", "uFLIP: Mix (Ratio)"),
    ("pause", "Pause between IOs", "uFLIP: Pause (Pause)"),
    ("burst", "Bursts", "uFLIP: Bursts (Burst)"),
    ("queue-depth", "Queue depth", ""),
    ("repetition", "Repetition", ""),
];

/// A micro-benchmark in words, and the paper's name of it. Of one that is not known here its own name.
pub(super) fn micro(name: &str) -> (String, &'static str) {
    match MICROS.iter().find(|(own, ..)| *own == name) {
        Some((_, words, term)) => ((*words).into(), term),
        None => (capital(&name.replace('-', " ")), ""),
    }
}

/// `SR/RW` as `Sequential read + random write`; what is none of the four as it is.
pub(crate) fn curve(term: &str) -> String {
    let one = |part| FOUR.iter().find(|(_, own)| *own == part).map_or(part, |(words, _)| *words);
    let parts: Vec<&str> = term.split('/').map(one).collect();
    if parts.concat() == term.replace('/', "") { term.into() } else { capital(&parts.join(" + ")) }
}
