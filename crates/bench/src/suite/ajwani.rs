//! The suite of paper 000: steady aligned patterns, bursts of random writes and what they leave behind,
//! misalignment, a long series of random writes, endurance (its chapter 3 and appendices A and C).
//!
//! Here is what is done; what it shows is in `ajwani/reading.rs`.

mod reading;

use std::borrow::Cow;

use flashscope_analysis::Cut;
use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Nanos, Pattern, Rw};

use super::program::{Act, FILL, Parameters, Probe, TIME_MIN, windows_within};
use super::{Program, Setting, Suite};
use crate::error::BenchError;
use crate::step::{Condition, Length, Preparation};

/// See the module.
pub(super) const SUITE: Suite = Suite {
    name: Cow::Borrowed("ajwani"),
    doc: "IO sizes from 512 B up to saturation, recovery from bursts, misalignment, long series",
    source: "Ajwani, Malinger, Meyer, Toledo: MPI-I-2008-1-001 (paper 000), appendix A",
    settings: &[
        Setting {
            name: "runtime",
            default: "30s",
            quick: "1200ms",
            help: "length of each run; bursts last 1/6, 1 and 2 times as long",
        },
        Setting {
            name: "phase",
            default: "4s",
            quick: "400ms",
            help: "length of each of the 30 phases after a burst",
        },
        Setting {
            name: "long",
            default: "20000",
            quick: "10000",
            help: "random writes of the long series (figure 3.2); 0 for none",
        },
        Setting { name: "endurance", default: "0", quick: "0", help: "measurements of the endurance loop" },
        Setting {
            name: "endurance_writes",
            default: "1000",
            quick: "10",
            help: "sequential fills before each of them",
        },
    ],
    parts: &[],
    bs: None,
    repeats: 3,
    program: Program::Acts(program),
    reading: reading::reading,
};

const ALIGNED: &str = "aligned";
const AFTER_BURST: &str = "after-burst";
const REWRITE: &str = "full-rewrite";
const MISALIGNED: &str = "misaligned";
const LONG: &str = "long-series";
const ENDURANCE: &str = "endurance";

/// The paper's sizes: doubled from here, in any case up to there.
const BS_MIN: u64 = 512;
const BS_PLAIN: u64 = 8 << 20;
/// Beyond, doubled while it pays, up to here: no device gains from larger single IOs.
const BS_MAX: u64 = 64 << 20;
/// Phases after a burst.
const PHASES: u64 = 30;
/// The small writes of bursts.
const BURST_BS: u64 = 2 << 10;
/// "write the entire device sequentially with a 2MB buffer size" (figure C.4), and table 3.1's larger size.
const LARGE_BS: u64 = 2 << 20;
/// Misalignments.
const SHIFTS: [u64; 3] = [2 << 10, 16 << 10, 32 << 10];
/// Writes of the long series: a number of 8 bytes becomes a page of the system's cache.
const LONG_BS: u64 = 4 << 10;
/// "a 8 GB file"
const LONG_SPACE: u64 = 8 << 30;
/// A run has so many IOs, however long they take: of fewer, its first ones are too large a share.
const STEADY_IOS: u64 = 32;
/// A phase has so many: of one or two its speed is a matter of chance.
const PHASE_IOS: u64 = 4;
/// Writes in a window of the long series.
const LONG_WINDOW: u64 = 50;

/// What is asked, with the paper's numbers resolved.
struct Plans<'a> {
    asked: &'a Parameters<'a>,
    runtime: Nanos,
    phase: Nanos,
    sizes: Vec<u64>,
}

fn program(asked: &Parameters<'_>) -> Result<Vec<Act>, BenchError> {
    let time = |name: &str| asked.time(name, TIME_MIN);
    let plans = Plans { asked, runtime: time("runtime")?, phase: time("phase")?, sizes: sizes(asked) };
    let mut acts = plans.aligned();
    acts.extend(plans.after_bursts());
    acts.extend(plans.rewrites());
    acts.extend(plans.misaligned());
    acts.extend(plans.long(asked.count("long", 0..=1 << 40)?));
    acts.extend(plans.endurance(
        asked.count("endurance", 0..=1000)?,
        asked.count("endurance_writes", 1..=1 << 20)? as u32,
    ));
    Ok(acts)
}

/// From the smallest IO on, doubled; of a quick run every other.
fn sizes(asked: &Parameters<'_>) -> Vec<u64> {
    let first = BS_MIN.max(asked.frame.sector.0);
    let most = (asked.frame.span.0 / 4).min(if asked.is_quick() { BS_PLAIN } else { BS_MAX });
    let step = if asked.is_quick() { 4 } else { 2 };
    std::iter::successors(Some(first), |bs| Some(bs * step)).take_while(|bs| *bs <= most).collect()
}

impl Plans<'_> {
    /// Sequential IOs begin at a random multiple of their size, in the lower half.
    fn sequential(&self, rw: Rw, bs: u64) -> Pattern {
        let slots = self.asked.frame.span.0 / bs;
        let mut random = Random::new(derive(self.asked.seed, bs));
        let first = random.below((slots / 2).max(1));
        Pattern { bs: Bytes(bs), ..Pattern::baseline(rw, Bytes(first * bs), Bytes((slots - first) * bs)) }
    }

    fn pattern(&self, rw: Rw, bs: u64) -> Pattern {
        if rw.is_random() { self.asked.permuted(rw, Bytes(bs)) } else { self.sequential(rw, bs) }
    }

    /// A pattern for the time of a run.
    fn steady(&self, micro: &str, curve: &str, pattern: Pattern) -> Probe {
        Probe::new(micro, curve, pattern, Length::Time(self.runtime)).at_least(STEADY_IOS)
    }

    /// "sequential reads ..., then random reads, then sequential writes, and finally random writes", each
    /// three times, after everything was written in order.
    fn aligned(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for &bs in &self.sizes {
            acts.push(Act::Prepare(FILL));
            for rw in Rw::ALL {
                let probe = self.steady(ALIGNED, rw.short_name(), self.pattern(rw, bs));
                let only_if = (bs > BS_PLAIN).then_some(Condition::Growing);
                acts.push(probe.repeated(self.asked.repeats).only_if(only_if).act());
            }
        }
        acts
    }

    /// The paper's 5, 30 and 60 s.
    fn bursts(&self) -> [Nanos; 3] {
        let sixth_ms = (self.runtime.0 / 6_000_000).max(1);
        [Nanos::from_ms(sixth_ms), self.runtime, Nanos(self.runtime.0 * 2)]
    }

    fn burst(&self, bs: u64, length: Nanos) -> Preparation {
        let bs = bs.max(self.asked.frame.sector.0);
        let pattern = Box::new(self.asked.permuted(Rw::RandWrite, Bytes(bs)));
        Preparation::Burst { pattern, length: Length::Time(length) }
    }

    /// Random writes of 2 KB and of the same size, then sequential writes in 30 phases.
    fn after_bursts(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        let time = Nanos(self.phase.0 * PHASES);
        for &bs in self.sizes.iter().filter(|bs| **bs <= BS_PLAIN) {
            for length in self.bursts() {
                for (kind, burst_bs) in [("2KiB", BURST_BS), ("the same size", bs)] {
                    acts.extend([FILL, self.burst(burst_bs, length)].map(Act::Prepare));
                    let curve = format!("{length} of {kind}");
                    let probe =
                        Probe::new(AFTER_BURST, &curve, self.sequential(Rw::Write, bs), Length::Time(time));
                    let probe = probe.at_least(PHASES * PHASE_IOS);
                    acts.push(probe.windows(Cut::Time(self.phase), windows_within(time, self.phase)).act());
                }
            }
        }
        acts
    }

    /// How long it takes to write everything in order, after nothing and after each burst (figure C.4).
    fn rewrites(&self) -> Vec<Act> {
        let bs = LARGE_BS.min(self.asked.frame.span.0 / 4);
        let pattern = self.asked.baseline(Rw::Write, Bytes(bs));
        let probe = |label: String, seconds: f64| {
            let length = Length::Bytes(pattern.size.0);
            let windows = Cut::Bytes((pattern.size.0 / 64).max(bs));
            Probe::new(REWRITE, "SW", pattern.clone(), length).at(seconds, label).windows(windows, 66).act()
        };
        let mut acts = vec![Act::Prepare(FILL), probe("nothing".into(), 0.0)];
        for length in self.bursts() {
            acts.extend([FILL, self.burst(BURST_BS, length)].map(Act::Prepare));
            acts.push(probe(length.to_string(), length.as_s()));
        }
        acts
    }

    /// Random writes beside the multiples of their size.
    fn misaligned(&self) -> Vec<Act> {
        let sector = self.asked.frame.sector.0;
        let mut acts = Vec::new();
        for &bs in self.sizes.iter().filter(|bs| **bs <= BS_PLAIN) {
            let shifts: Vec<u64> =
                SHIFTS.into_iter().filter(|s| s.is_multiple_of(sector) && !s.is_multiple_of(bs)).collect();
            if !shifts.is_empty() {
                acts.push(Act::Prepare(FILL));
            }
            for shift in shifts {
                let room = self.asked.frame.span.0 - shift;
                let pattern = self.asked.permuted(Rw::RandWrite, Bytes(bs));
                let pattern = Pattern { shift: Bytes(shift), size: Bytes(room / bs * bs), ..pattern };
                let curve = Bytes(shift).to_string();
                let probe = self.steady(MISALIGNED, &curve, pattern);
                acts.push(probe.repeated(self.asked.repeats).act());
            }
        }
        acts
    }

    /// Figure 3.2.
    fn long(&self, writes: u64) -> Vec<Act> {
        if writes == 0 {
            return Vec::new();
        }
        let bs = LONG_BS.max(self.asked.frame.sector.0);
        let pattern = self.asked.baseline(Rw::RandWrite, Bytes(bs));
        let pattern = Pattern { size: Bytes(pattern.size.0.min(LONG_SPACE)), ..pattern };
        let most = (writes / LONG_WINDOW + 2).min(16_384) as usize;
        let probe = Probe::new(LONG, "RW", pattern, Length::Ios(writes)).windows(Cut::Ios(LONG_WINDOW), most);
        vec![Act::Prepare(FILL), probe.act()]
    }

    /// "we alternate between 1000 sequential writes of the entire logical address space and detailed
    /// performance tests"
    fn endurance(&self, looks: u64, writes: u32) -> Vec<Act> {
        let mut acts = Vec::new();
        for look in 1..=looks {
            acts.push(Act::Prepare(Preparation::Fill { bs: Bytes(1 << 20), times: writes }));
            let written = look * u64::from(writes);
            for &bs in self.sizes.iter().filter(|bs| **bs <= BS_PLAIN) {
                for rw in Rw::ALL {
                    let curve = format!("{} {}", rw.short_name(), Bytes(bs));
                    let probe = self.steady(ENDURANCE, &curve, self.pattern(rw, bs));
                    let probe = probe.at(written as f64, format!("{written} writes"));
                    acts.push(probe.repeated(self.asked.repeats).act());
                }
            }
        }
        acts
    }
}
