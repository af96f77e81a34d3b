//! Paper 001, sections 2 and 3: the chips, the space of patterns, and the nine micro-benchmarks of table 1.

use anyhow::Result;
use flashscope_bench::{Frame, MICROS, Micro, Scope};
use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::{Bytes, Nanos, PatternSource, Request, RequestSource};

use super::claim::ANY;
use super::devices::{MLC_SSD, SLC_SSD, rigs::MTRON};
use super::papers::UFLIP;
use super::session::{Session, greatest, median};
use super::stage::{Set, Work};
use super::{Claim, Found, Stage, Study};

const COUNT: &str = "a count: exactly";
const DATA_SHEET: &str =
    "a chip's data sheet says it, and a simulator is told it: nothing can be run to find it out";
/// Scaled down: what is counted is per block.
const SMALL: [Set<'static>; 1] = [("capacity", "256MiB")];

const fn count(name: &'static str, words: &'static str, figure: f64, unit: &'static str) -> Claim {
    Claim::figure(name, words, figure, unit).near(figure, figure, COUNT)
}

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-chips",
        paper: &UFLIP,
        place: "figure 1 and section 2",
        about: "What the paper says of chips and block managers, on a simulated SSD: programs \
                 for each erase under sequential writes, and how much random writes differ from \
                 one another.",
        claims: &[
            Claim::not_here(
                "page",
                "a flash page holds 2 KB of data and 64 bytes of bookkeeping",
                "2 KB, 64 B",
                DATA_SHEET,
            ),
            Claim::figure("block", "a flash block is erased as one, typically 64 flash pages", 64.0, "pages")
                .near(64.0, 64.0, "programs for each erase as the device is overwritten in order: exactly")
                .kind(16.0, 512.0),
            Claim::not_here(
                "wear",
                "a block takes 10^5 erases (MLC) or 10^6 (SLC)",
                "10^5, 10^6",
                DATA_SHEET,
            ),
            Claim::shape(
                "uneven",
                "the cost of writes is not homogeneous in time: some pay for reclaiming pages",
                "dear writes",
                "x",
            )
            .near(
                3.0,
                ANY,
                "the dearest of random writes, in median ones: beyond any noise of a bus",
            ),
            Claim::not_here(
                "density",
                "the density of NAND chips doubles every year",
                "x2 a year",
                "a forecast of the market in 2008",
            ),
            Claim::not_here(
                "inside",
                "the Memoright has an FPGA, 16 MB of RAM and a condenser; USB drives typically \
                 two chips",
                "a photograph",
                "needs the drive opened",
            ),
        ],
        run: chips,
    },
    Study {
        name: "uflip-patterns",
        paper: &UFLIP,
        place: "sections 3.1 and 3.2, table 1",
        about: "Builds the space of basic patterns and every point of the nine micro-benchmarks, \
                 and counts those that are valid and differ.",
        claims: &[
            count("basic", "3 x 1 x 4 x 2 basic patterns", 24.0, ""),
            Claim::figure(
                "times",
                "consecutive IOs begin as the last one ends, pause(p) p later, burst(p, b) p \
                 later after every b",
                0.0,
                "IOs off",
            )
            .near(0.0, 0.0, COUNT),
            Claim::figure(
                "places",
                "table 1's formulas of sequential, ordered and partitioned addresses",
                0.0,
                "IOs off",
            )
            .near(0.0, 0.0, COUNT),
            count("micro-benchmarks", "nine micro-benchmarks, the last of them bursts", 9.0, ""),
            count("mixes", "six combinations of two baselines", 6.0, ""),
            count("granularity", "IOSize: 2^0 to 2^9 sectors, four baselines", 40.0, "points"),
            count("alignment", "IOShift: 2^0 sectors to IOSize (2^6), four baselines", 28.0, "points"),
            count(
                "locality",
                "TargetSize: 2^0 to 2^16 IOs random, 2^0 to 2^8 sequential, both modes",
                52.0,
                "points",
            ),
            count("partitioning", "Partitions: 2^0 to 2^8, sequential patterns", 18.0, "points"),
            count("order", "Incr: -1, 0, 2^0 to 2^8, sequential patterns", 22.0, "points"),
            count("parallelism", "ParallelDegree: 2^0 to 2^4, four baselines", 20.0, "points"),
            count("mix", "Ratio: 2^0 to 2^6, six mixes", 42.0, "points"),
            count("pause", "Pause: 2^0 to 2^8 times 0.1 ms, four baselines", 36.0, "points"),
            count("burst", "Burst: 2^0 to 2^6 times 10 IOs, four baselines", 28.0, "points"),
        ],
        run: patterns,
    },
];

fn chips(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let whole = Pattern {
        number_ios: Some((1 << 30) / (32 << 10)),
        ..Pattern::baseline(Rw::Write, Bytes(0), Bytes(256 << 20))
    };
    let device = stage.simulate(SLC_SSD, &SMALL, &Work::Pattern(whole))?.device;
    found.measured("block", device.page_programs as f64 / device.block_erases as f64);
    let mut session = Session::fresh(stage, MLC_SSD, &SMALL)?;
    let writes = session.times_ms(&session.baseline(Rw::RandWrite, 8192))?;
    found.measured("uneven", greatest(writes.iter().copied()) / median(&writes));
    Ok(found)
}

fn patterns(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut session = Session::fresh(stage, MTRON, &[])?;
    found.measured("basic", distinct_basic_patterns(&session) as f64);
    let mut off = 0;
    for timing in TIMINGS {
        off += times_off(&mut session, timing)?;
    }
    found.measured("times", off as f64);
    found.measured("places", places_off() as f64);
    let frame = Frame {
        span: session.size(),
        bs: Bytes(32 << 10),
        sector: Bytes(512),
        room: Bytes(64 << 20),
        queue_depth_max: 16,
        scope: Scope::Table1,
    };
    let micros: Vec<&Micro> = MICROS.iter().filter(|micro| micro.is_uflip).collect();
    found.measured("micro-benchmarks", micros.len() as f64);
    for micro in micros {
        let points = (micro.points)(&frame);
        found.measured(micro.name, points.len() as f64);
        if micro.name == "mix" {
            let curves: std::collections::BTreeSet<_> = points.iter().map(|point| &point.curve).collect();
            found.measured("mixes", curves.len() as f64);
        }
    }
    Ok(found)
}

/// The functions of time: a pause, and after how many IOs.
const TIMINGS: [(Nanos, u64); 3] = [(Nanos::ZERO, 1), (Nanos::from_ms(2), 1), (Nanos::from_ms(100), 10)];
/// The functions of place.
const LOCATIONS: [Location; 4] = [
    Location::Sequential,
    Location::Random,
    Location::Ordered { stride: -1 },
    Location::Partitioned { partitions: 4 },
];

/// Basic patterns that can be run, and differ from all others.
fn distinct_basic_patterns(session: &Session<'_>) -> usize {
    let mut patterns: Vec<Pattern> = Vec::new();
    for (thinktime, thinktime_blocks) in TIMINGS {
        for location in LOCATIONS {
            for mode in [Rw::Read, Rw::Write] {
                let random = if mode.is_write() { Rw::RandWrite } else { Rw::RandRead };
                let rw = if location == Location::Random { random } else { mode };
                let pattern = Pattern { thinktime, thinktime_blocks, location, ..session.baseline(rw, 8) };
                if session.can_run(&pattern) && !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
        }
    }
    patterns.len()
}

/// IOs that do not begin when section 3.1 says.
fn times_off(session: &mut Session<'_>, (pause, burst): (Nanos, u64)) -> Result<usize> {
    let pattern =
        Pattern { thinktime: pause, thinktime_blocks: burst, ..session.baseline(Rw::RandRead, 200) };
    let ios = session.ios(&pattern)?;
    let is_off = |pair: &&[flashscope_core::Io]| {
        let gap = pair[1].submitted.since(pair[0].submitted + pair[0].response);
        gap != if pair[1].index.is_multiple_of(burst) { pause } else { Nanos::ZERO }
    };
    Ok(ios.windows(2).filter(is_off).count())
}

/// The slot of the i-th IO, of so many slots.
type Slot = fn(u64, u64) -> u64;

/// Requests that are not where table 1 puts them.
fn places_off() -> usize {
    const IOS: u64 = 256;
    let bs = 32 << 10;
    let slots = 1 << 10;
    let formulas: [(Location, Slot); 5] = [
        (Location::Sequential, |i, _| i),
        (Location::Ordered { stride: 0 }, |_, _| 0),
        (Location::Ordered { stride: 2 }, |i, _| 2 * i),
        (Location::Ordered { stride: -1 }, |i, slots| (slots - i) % slots),
        (Location::Partitioned { partitions: 4 }, |i, slots| i % 4 * (slots / 4) + i / 4),
    ];
    let offset = 1 << 20;
    let off = |(location, formula): &(Location, Slot)| {
        let size = Bytes(slots * bs);
        let pattern = Pattern { location: *location, ..Pattern::baseline(Rw::Write, Bytes(offset), size) };
        let mut requests = [Request::default(); IOS as usize];
        let count = PatternSource::new(&pattern, 0, 1).fill(&mut requests) as u64;
        let wrong = |i: &u64| requests[*i as usize].offset_bytes != offset + formula(*i, slots) * bs;
        (IOS - count) as usize + (0..count).filter(wrong).count()
    };
    formulas.iter().map(off).sum()
}
