//! Latency under load: requests arrive whether or not the device keeps up, at shares of the throughput that
//! it was just seen to reach, and their response times count from their arrival. Random reads, random writes,
//! and reads beside writes at set rates.
//!
//! An open loop with Poisson arrivals: many independent users, who do not wait for one another. In a closed
//! loop a slow IO holds back those behind it, which hides most of the wait.
//!
//! Here is what is done; what is read from it is in `load/reading.rs`.

mod reading;

use std::borrow::Cow;

use flashscope_core::{Arrivals, Bytes, Pattern, Rw};

use super::program::{ALL_PARTS, Act, FILL, Number, Parameters, Probe, TIME_MIN, refused};
use super::{Part, Program, Setting, Suite};
use crate::error::BenchError;
use crate::offered::Offered;
use crate::step::{Condition, Length, Preparation, assumed_ns};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("load"),
    doc: "latency under load: percentiles of random reads, random writes, and reads beside writes, at shares \
        of the measured maximum throughput",
    source: "open-loop arrivals, as in Schroeder, Wierman, Harchol-Balter (NSDI 2006)",
    settings: &[
        Setting {
            name: "parts",
            default: ALL_PARTS,
            quick: ALL_PARTS,
            help: "parts to run, from the list below",
        },
        Setting {
            name: "loads",
            default: "10,20,30,40,50,60,70,80,90,100",
            quick: "10,30,50,70,90",
            help: "arrivals in % of the maximum throughput, the lowest of which is the reference",
        },
        Setting { name: "time", default: "3s", quick: "200ms", help: "least length of a run" },
        Setting {
            name: "ios",
            default: "2000",
            quick: "500",
            help: "least number of IOs in a run, which is longer on a slow device",
        },
        Setting {
            name: "writes",
            default: "20,50",
            quick: "50",
            help: "writes beside reads in % of the maximum throughput of random writes",
        },
    ],
    parts: PARTS,
    bs: Some(Bytes(4 << 10)),
    repeats: 5,
    program: Program::Acts(program),
    reading: reading::reading,
};

/// Closed loops that look for the maximum, and open ones.
const MAXIMUM: &str = "load-max";
const LOAD: &str = "load";
/// IOs in flight at most: what arrives beyond waits in the host, and that time counts.
const DEPTH_MAX: u32 = 1024;
/// IOs for each one in flight, in the search for the maximum.
const IOS_EACH: u64 = 50;
/// In flight while random writes use up what a fill left free.
const BUSY_DEPTH: u32 = 32;

const PARTS: &[Part] = &[
    Part::new("reads", "random reads", |asked| Load::of(asked)?.alone(Rw::RandRead)),
    Part::new("writes", "random writes", |asked| Load::of(asked)?.alone(Rw::RandWrite)),
    Part::new("mixed", "random reads beside random writes at set rates", |asked| Load::of(asked)?.mixed()),
];

struct Load<'a> {
    asked: &'a Parameters<'a>,
    length: Length,
    ios_min: u64,
    /// In %, rising.
    loads: Vec<f64>,
    depth_max: u32,
}

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let load = Load::of(asked)?;
    let parts = asked.parts("parts")?;
    let has = |names: &[&str]| parts.iter().any(|part| names.contains(&part.name));
    // Reads come first: random writes change what they meet.
    let mut acts = vec![Act::Prepare(FILL)];
    for (name, rw) in [("reads", Rw::RandRead), ("writes", Rw::RandWrite)] {
        if has(&[name, "mixed"]) {
            acts.extend(load.maximum(rw));
        }
        for part in parts.iter().filter(|part| part.name == name) {
            acts.extend((part.acts)(asked)?);
        }
    }
    for part in parts.iter().filter(|part| part.name == "mixed") {
        acts.extend((part.acts)(asked)?);
    }
    Ok(acts)
}

impl<'a> Load<'a> {
    fn of(asked: &'a Parameters<'a>) -> Result<Load<'a>, BenchError> {
        Ok(Load {
            asked,
            length: Length::Time(asked.time("time", TIME_MIN)?),
            ios_min: asked.count("ios", 1..=1_000_000_000)?,
            loads: shares(asked, "loads", 2)?,
            depth_max: DEPTH_MAX.min(asked.frame.queue_depth_max),
        })
    }

    fn random(&self, rw: Rw, iodepth: u32) -> Pattern {
        Pattern { iodepth, ..self.asked.baseline(rw, self.asked.frame.bs) }
    }

    /// Closed loops, twice as many in flight each time, until that brings nothing.
    fn maximum(&self, rw: Rw) -> Vec<Act> {
        let depths = (0..).map(|power| 1u32 << power).take_while(|depth| *depth <= self.depth_max);
        let probe = |depth: u32| {
            let pattern = self.random(rw, depth);
            let probe =
                Probe::new(MAXIMUM, rw.short_name(), pattern, self.length).at(f64::from(depth), depth);
            let probe = probe.at_least(IOS_EACH * u64::from(depth));
            probe.only_if((depth > 2).then_some(Condition::Growing)).act()
        };
        // What a fresh fill leaves free is used up, or the first writes are faster than those that follow.
        let used = (rw == Rw::RandWrite).then(|| {
            let iodepth = BUSY_DEPTH.min(self.asked.frame.queue_depth_max);
            let pattern = Pattern { iodepth, ..self.asked.permuted(rw, self.asked.frame.bs) };
            let length = Length::Bytes(pattern.size.0);
            Act::Prepare(Preparation::Burst { pattern: Box::new(pattern), length })
        });
        used.into_iter().chain(depths.map(probe)).collect()
    }

    /// Arrivals at a share of what the closed loops reach. Until that is known, a plan assumes a rate.
    fn arriving(&self, rw: Rw, percent: f64, iodepth: u32) -> (Pattern, Offered) {
        let share = percent / 100.0;
        let closed = self.random(rw, iodepth);
        let rate_iops = share * 1e9 / assumed_ns(&Pattern { iodepth: self.depth_max, ..closed.clone() });
        let offered = Offered { micro: MAXIMUM.into(), curve: rw.short_name().into(), share };
        (Pattern { rate_iops: Some(rate_iops.into()), arrivals: Arrivals::Poisson, ..closed }, offered)
    }

    fn probe(&self, curve: &str, rw: Rw, percent: f64, iodepth: u32) -> Probe {
        let (pattern, offered) = self.arriving(rw, percent, iodepth);
        let probe = Probe::new(LOAD, curve, pattern, self.length).at(percent, format!("{percent}%"));
        probe.at_least(self.ios_min).offered(offered)
    }

    fn rounds(&self, probe: impl Fn(f64) -> Probe) -> Act {
        let probes = self.loads.iter().map(|percent| probe(*percent)).collect();
        Act::Rounds { rounds: self.asked.repeats, probes }
    }

    fn alone(&self, rw: Rw) -> Result<Vec<Act>, BenchError> {
        Ok(vec![self.rounds(|percent| self.probe(rw.short_name(), rw, percent, self.depth_max))])
    }

    /// Reads at all loads, while writes arrive at a share of their maximum.
    fn mixed(&self) -> Result<Vec<Act>, BenchError> {
        let half = (self.depth_max / 2).max(1);
        let beside = |percent: f64| {
            let curve = format!("RR beside RW at {percent}%");
            self.rounds(|load| {
                let (writes, offered) = self.arriving(Rw::RandWrite, percent, half);
                self.probe(&curve, Rw::RandRead, load, half).beside(writes).offered_beside(offered)
            })
        };
        Ok(shares(self.asked, "writes", 1)?.into_iter().map(beside).collect())
    }
}

/// Rising shares in %, of which there are several.
fn shares(asked: &Parameters<'_>, name: &str, least: usize) -> Result<Vec<f64>, BenchError> {
    let mut shares: Vec<f64> = asked.list(name)?.into_iter().map(|Number(percent)| percent).collect();
    if let Some(percent) = shares.iter().find(|percent| !(0.1..=100.0).contains(*percent)) {
        return Err(refused(name, percent, "write % of the maximum, from 0.1 to 100"));
    }
    if shares.len() < least {
        let given = shares.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        return Err(refused(name, given, format!("write at least {least} values")));
    }
    shares.sort_by(f64::total_cmp);
    Ok(shares)
}
