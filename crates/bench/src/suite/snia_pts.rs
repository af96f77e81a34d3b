//! SNIA's Solid State Storage Performance Test Specification, 2.0: IOPS, throughput, latency, write
//! saturation, host idle recovery and cross stimulus recovery.
//!
//! All its times are multiples of the minute of a round, so that a quick run is the same test with a shorter
//! one. Here is what is done; the criterion is in `analysis`, what is read from it in `snia_pts/reading.rs`.
//!
//! A mix of reads and writes is an exact ratio here, so 65:35 is 2:1 and 35:65 is 1:2; its reads use one half
//! of the space and its writes the other.

mod reading;

use std::borrow::Cow;

use flashscope_analysis::{Cut, STEADY_ROUNDS};
use flashscope_core::{Bytes, Mix, Nanos, Pattern, Rw};

use super::program::{ALL_PARTS, Act, Parameters, Probe, TIME_MIN, windows_within};
use super::{Part, Program, Setting, Suite};
use crate::error::BenchError;
use crate::step::{Condition, Length, Preparation};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("snia-pts"),
    doc: "IOPS, throughput, latency, write saturation, recovery; rounds until steady state",
    source: "SNIA Solid State Storage Performance Test Specification 2.0",
    settings: &[
        Setting {
            name: "tests",
            default: ALL_PARTS,
            quick: ALL_PARTS,
            help: "parts to run, from the list below, in this order",
        },
        Setting {
            name: "round",
            default: "1min",
            quick: "200ms",
            help: "length of the specification's minute",
        },
        Setting { name: "rounds", default: "25", quick: "12", help: "maximum rounds" },
        Setting {
            name: "cycles",
            default: "360",
            quick: "6",
            help: "bursts for each idle time of host idle recovery",
        },
        Setting {
            name: "jobs",
            default: "2",
            quick: "2",
            help: "processes of the IOPS and throughput tests",
        },
        Setting { name: "depth", default: "16", quick: "16", help: "queue depth of each process" },
    ],
    parts: TESTS,
    bs: None,
    repeats: 1,
    program: Program::Acts(program),
    reading: reading::reading,
};

const IOPS: &str = "pts-iops";
const THROUGHPUT: &str = "pts-throughput";
const LATENCY: &str = "pts-latency";
const WSAT: &str = "pts-wsat";
const HIR: &str = "pts-hir";
const XSR: &str = "pts-xsr";
/// All tests, in the order of the specification.
const TESTS: &[Part] = &[
    Part::new(
        "iops",
        "random mixes and sizes, rounds until steady state",
        |asked| Ok(Pts::of(asked)?.iops()),
    ),
    Part::new("throughput", "sequential reads and writes, rounds until steady state", |asked| {
        Ok(Pts::of(asked)?.throughput())
    }),
    Part::new("latency", "single random IOs, rounds until steady state", |asked| {
        Ok(Pts::of(asked)?.latency())
    }),
    Part::new("wsat", "write saturation: random writes until four capacities are written", |asked| {
        Ok(Pts::of(asked)?.wsat())
    }),
    Part::new("hir", "host idle recovery: bursts with idle time between them", |asked| {
        Ok(Pts::of(asked)?.hir())
    }),
    Part::new("xsr", "cross stimulus recovery: sequential writes, random ones, sequential ones", |asked| {
        Ok(Pts::of(asked)?.xsr())
    }),
];

/// Reads to writes, the first by the name that the specification gives them.
const MIXES: [&str; 7] = ["100/0", "95/5", "65/35", "50/50", "35/65", "5/95", "0/100"];
/// From the largest on, as the specification orders them.
const SIZES: [u64; 8] = [1 << 20, 128 << 10, 64 << 10, 32 << 10, 16 << 10, 8 << 10, 4 << 10, 512];
const LATENCY_SIZES: [u64; 3] = [8 << 10, 4 << 10, 512];
const LATENCY_MIXES: [&str; 3] = ["100/0", "65/35", "0/100"];
const THROUGHPUT_SIZES: [u64; 2] = [1 << 20, 128 << 10];
/// The size whose writes are tracked.
const TRACKED: u64 = 4 << 10;
/// Idle times of host idle recovery, as parts of a round: 5, 10, 15, 25 and 50 s of a minute.
const IDLES: [(u64, &str); 5] = [(5, "5/60"), (10, "10/60"), (15, "15/60"), (25, "25/60"), (50, "50/60")];
/// Capacities that write saturation writes at most.
const WSAT_CAPACITIES: u64 = 4;
/// Windows of a long run.
const WINDOWS: usize = 1024;

struct Pts<'a> {
    asked: &'a Parameters<'a>,
    round: Nanos,
    rounds: u64,
    cycles: u64,
    jobs: u32,
    depth: u32,
}

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let acts: Result<Vec<_>, _> = asked.parts("tests")?.iter().map(|test| (test.acts)(asked)).collect();
    Ok(acts?.concat())
}

/// How a mix of `bs` is called in a curve.
fn cell(mix: &str, bs: u64) -> String {
    format!("{mix} {}", Bytes(bs))
}

impl<'a> Pts<'a> {
    fn of(asked: &'a Parameters<'a>) -> Result<Pts<'a>, BenchError> {
        let most = u64::from(asked.frame.queue_depth_max);
        let jobs = asked.count("jobs", 1..=4096)?.min(most);
        let depth = asked.count("depth", 1..=65_536)?.min(most / jobs);
        Ok(Pts {
            asked,
            round: asked.time("round", TIME_MIN)?,
            rounds: asked.count("rounds", 5..=1000)?,
            cycles: asked.count("cycles", 1..=1000)?,
            jobs: jobs as u32,
            depth: depth.max(1) as u32,
        })
    }
}

impl Pts<'_> {
    /// Purge, and what is written before: twice everything in order, 128 KiB at a time.
    fn ready(&self, is_filled: bool) -> Vec<Act> {
        let fill = Preparation::Fill { bs: Bytes(128 << 10), times: 2 };
        let purge = Act::Prepare(self.asked.fresh());
        if is_filled { vec![purge, Act::Prepare(fill)] } else { vec![purge] }
    }

    fn times(&self, rounds: u64) -> Nanos {
        Nanos(self.round.0.saturating_mul(rounds))
    }

    fn fits(&self, bs: u64) -> bool {
        bs >= self.asked.frame.sector.0 && bs * u64::from(self.jobs) * 4 <= self.asked.frame.span.0
    }

    /// The sizes that the target takes; of a quick run the outer ones and the tracked one.
    fn sizes(&self, all: &[u64]) -> Vec<u64> {
        let is_quick = self.asked.is_quick();
        let is_kept = |bs: &u64| !is_quick || [1 << 20, 64 << 10, TRACKED].contains(bs) || all.len() < 4;
        all.iter().copied().filter(|bs| self.fits(*bs) && is_kept(bs)).collect()
    }

    /// Random IOs, so many reads to so many writes.
    fn mixed(&self, mix: &str, bs: u64) -> Pattern {
        let of = |rw, other: Option<(Rw, u32)>| Pattern {
            mix: other.map(|(rw, ratio)| Mix::ratio(rw, ratio)),
            ..self.asked.baseline(rw, Bytes(bs))
        };
        match mix {
            "100/0" => of(Rw::RandRead, None),
            "95/5" => of(Rw::RandRead, Some((Rw::RandWrite, 19))),
            "65/35" => of(Rw::RandRead, Some((Rw::RandWrite, 2))),
            "50/50" => of(Rw::RandRead, Some((Rw::RandWrite, 1))),
            "35/65" => of(Rw::RandWrite, Some((Rw::RandRead, 2))),
            "5/95" => of(Rw::RandWrite, Some((Rw::RandRead, 19))),
            _ => of(Rw::RandWrite, None),
        }
    }

    fn loaded(&self, pattern: Pattern) -> Pattern {
        let slots = pattern.size.0 / pattern.bs.0 / u64::from(self.jobs);
        let size = Bytes(slots * u64::from(self.jobs) * pattern.bs.0);
        Pattern { numjobs: self.jobs, iodepth: self.depth, size, ..pattern }
    }

    /// Cells measured for a round each, in rounds until the tracked one is steady.
    fn until_steady(&self, micro: &str, tracked: &str, cells: &[(String, Pattern)]) -> Vec<Act> {
        let mut acts = self.ready(true);
        for round in 1..=self.rounds {
            // Before there are as many rounds as it looks at, nothing is steady.
            let may_end = round > STEADY_ROUNDS as u64;
            let only_if = may_end.then(|| Condition::Unsteady(tracked.into()));
            for (curve, pattern) in cells {
                let probe = Probe::new(micro, curve, pattern.clone(), Length::Time(self.round));
                let probe = probe.at(round as f64, format!("round {round}"));
                acts.push(probe.only_if(only_if.clone()).act());
            }
        }
        acts
    }

    fn tracked(&self) -> u64 {
        TRACKED.max(self.asked.frame.sector.0)
    }

    fn iops(&self) -> Vec<Act> {
        let mixes: Vec<&str> = match self.asked.is_quick() {
            true => vec!["100/0", "65/35", "0/100"],
            false => MIXES.to_vec(),
        };
        let sizes = self.sizes(&SIZES);
        let pattern = |mix: &str, bs: u64| (cell(mix, bs), self.loaded(self.mixed(mix, bs)));
        let cells: Vec<_> = mixes.iter().flat_map(|mix| sizes.iter().map(|bs| pattern(mix, *bs))).collect();
        self.until_steady(IOPS, &cell("0/100", self.tracked()), &cells)
    }

    fn throughput(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for bs in self.sizes(&THROUGHPUT_SIZES) {
            let pattern = |rw: Rw| self.loaded(self.asked.baseline(rw, Bytes(bs)));
            let cells = [Rw::Read, Rw::Write].map(|rw| (cell(rw.short_name(), bs), pattern(rw)));
            acts.extend(self.until_steady(THROUGHPUT, &cell("SW", bs), &cells));
        }
        acts
    }

    fn latency(&self) -> Vec<Act> {
        let sizes = self.sizes(&LATENCY_SIZES);
        let pattern = |mix: &str, bs: u64| (cell(mix, bs), self.mixed(mix, bs));
        let cells: Vec<_> =
            LATENCY_MIXES.iter().flat_map(|mix| sizes.iter().map(|bs| pattern(mix, *bs))).collect();
        self.until_steady(LATENCY, &cell("0/100", self.tracked()), &cells)
    }

    fn random_writes(&self, bs: u64) -> Pattern {
        self.loaded(self.asked.baseline(Rw::RandWrite, Bytes(bs.max(self.asked.frame.sector.0))))
    }

    fn windowed(&self, micro: &str, curve: &str, pattern: Pattern, length: Length) -> Probe {
        let most = match length {
            Length::Time(time) => windows_within(time, self.round).min(WINDOWS),
            _ => WINDOWS,
        };
        Probe::new(micro, curve, pattern, length).windows(Cut::Time(self.round), most)
    }

    /// Random 4 KiB writes from a purged device on, until four capacities are written.
    fn wsat(&self) -> Vec<Act> {
        let pattern = self.random_writes(TRACKED);
        let length = Length::Bytes(pattern.size.0.saturating_mul(WSAT_CAPACITIES));
        let mut acts = self.ready(false);
        acts.push(self.windowed(WSAT, "0/100", pattern, length).act());
        acts
    }

    /// Random 4 KiB writes to steady state; then bursts of 5 s with idle times between, then writes without.
    fn hir(&self) -> Vec<Act> {
        let pattern = self.random_writes(TRACKED);
        let cells = [("to steady state".to_string(), pattern.clone())];
        let mut acts = self.until_steady(HIR, &cells[0].0, &cells);
        let part = |of_60: u64| Nanos(self.round.0 / 60 * of_60);
        for (idle, name) in IDLES {
            for cycle in 1..=self.cycles {
                let burst = Probe::new(
                    HIR,
                    &format!("burst after idle {name}"),
                    pattern.clone(),
                    Length::Time(part(5)),
                );
                acts.push(Act::Prepare(Preparation::Idle(part(idle))));
                acts.push(burst.at(cycle as f64, format!("cycle {cycle}")).act());
            }
            let curve = format!("without idle, after {name}");
            acts.push(self.windowed(HIR, &curve, pattern.clone(), Length::Time(self.times(30))).act());
        }
        acts
    }

    /// Sequential 1 MiB writes for 8 h, random 8 KiB writes for 6 h, sequential ones for 8 h again.
    fn xsr(&self) -> Vec<Act> {
        let size = if self.fits(1 << 20) { 1 << 20 } else { self.tracked() };
        let sequential = self.loaded(self.asked.baseline(Rw::Write, Bytes(size)));
        let random = self.random_writes(8 << 10);
        let hours = |hours: u64| Length::Time(self.times(60 * hours));
        let mut acts = self.ready(false);
        acts.push(self.windowed(XSR, "1 sequential", sequential.clone(), hours(8)).act());
        acts.push(self.windowed(XSR, "2 random", random, hours(6)).act());
        acts.push(self.windowed(XSR, "3 sequential again", sequential, hours(8)).act());
        acts
    }
}
