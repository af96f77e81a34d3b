//! Paper 001, sections 2 and 3: the chips, the space of patterns, and the nine micro-benchmarks of table 1.

use flashscope_bench::{Frame, Micro, Micros, Scope, State};
use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::{Bytes, Nanos, PatternSource, Request, RequestSource};
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::claim::{ANY, CHIP_DATA, EXACTLY};
use crate::devices::{MLC_SSD, SLC_SSD, rigs::MTRON};
use crate::papers::UFLIP;
use crate::session::{Session, greatest, median};
use crate::stage::{Set, Stage};
use crate::study::{Found, Study};
use crate::work::Work;

/// Scaled down: what is counted is per block.
const SPACE: Bytes = Bytes(256 << 20);
const SMALL: [Set<'static>; 1] = [("capacity", "256MiB")];

const fn count(name: &'static str, words: &'static str, figure: f64, unit: &'static str) -> Claim {
    Claim::figure(name, words, figure, unit).near(figure, figure, EXACTLY).computed()
}

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-chips",
        paper: &UFLIP,
        place: "figure 1, sections 2, 3.2 and 5.2",
        about: "What the paper says of chips and block managers, on simulated SSDs: programs for each erase \
                under sequential writes; how much random writes differ from one another, on drives of two \
                sizes and with more spare; random reads where the map is in RAM and where it is not (dftl).",
        claims: &[
            Claim::not_here(
                "page",
                "a flash page holds 2 KB of data and 64 bytes of bookkeeping",
                "2 KB, 64 B",
                CHIP_DATA,
            )
            .at("section 2"),
            Claim::figure("block", "a flash block is erased as one, typically 64 flash pages", 64.0, "pages")
                .near(64.0, 64.0, "programs for each erase as the device is overwritten in order: exactly")
                .at("section 2")
                .set(),
            Claim::not_here(
                "wear",
                "a block takes 10^5 erases (MLC) or 10^6 (SLC); MLC, of 2 or more bits a cell, is \
                 slower than SLC and lives shorter; chips have two planes, and are written in order \
                 within a block",
                "10^5, 10^6",
                CHIP_DATA,
            )
            .at("section 2"),
            Claim::shape(
                "uneven",
                "the cost of writes is not homogeneous in time: some pay for reclaiming pages",
                "slow writes",
                "x",
            )
            .near(3.0, ANY, "the slowest random write over the median one: beyond any noise of a bus")
            .at("section 2"),
            Claim::shape(
                "map-in-ram",
                "a direct map in RAM speeds reads up: the slowest random read over the median one",
                "alike",
                "x",
            )
            .near(1.0, 1.05, "nothing but the link and the flash")
            .at("section 2"),
            Claim::shape(
                "map-in-flash",
                "where it does not fit in RAM, the cost of reads becomes non-uniform, too",
                "non-uniform",
                "x",
            )
            .near(1.3, ANY, "beyond any noise; the read of a map's page before the data's")
            .because(
                "with a thirtieth of the map in RAM nearly every read pays for the rest, so that they cost \
                 twice as much and are alike again; with half of it the slowest takes 1.6 medians",
            )
            .at("section 2"),
            Claim::shape(
                "capacity",
                "more capacity has no direct impact on the distribution of expensive writes: their share at \
                 four times the capacity, in that",
                "none",
                "x",
            )
            .near(0.8, 1.25, "equal within 25 %; more than three medians is expensive")
            .at("section 2"),
            Claim::shape(
                "spare",
                "more space for bookkeeping mitigates the need to reclaim pages: erases with 28 % of it in \
                 those with 7",
                "fewer",
                "x",
            )
            .near(0.0, 0.8, "fewer by a fifth at least")
            .at("section 2"),
            Claim::not_here(
                "density",
                "the density of NAND chips doubles every year",
                "x2 a year",
                "a market forecast of 2008",
            )
            .at("section 2"),
            Claim::not_here(
                "inside",
                "the Memoright has an FPGA, 16 MB of RAM and a condenser; USB drives typically two chips",
                "a photograph",
                "needs the drive opened",
            )
            .at("figure 1, sections 3.2 and 5.2"),
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
            count("basic", "3 x 1 x 4 x 2 basic patterns", 24.0, "").at("section 3.1"),
            Claim::figure(
                "times",
                "consecutive IOs begin as the last one ends, pause(p) p later, burst(p, b) p later \
                 after every b, as section 3.1 says; table 1's (i mod Burst) x Pause would pause after \
                 nearly every IO",
                0.0,
                "IOs off",
            )
            .near(0.0, 0.0, EXACTLY)
            .at("section 3.1")
            .computed(),
            Claim::figure(
                "places",
                "the formulas of sequential, random, shifted, ordered, partitioned and parallel \
                 addresses; Incr = -1 goes on at the space's end, which table 1 leaves",
                0.0,
                "IOs off",
            )
            .near(0.0, 0.0, EXACTLY)
            .at("table 1")
            .computed(),
            count("micro-benchmarks", "nine micro-benchmarks, the last of them bursts", 9.0, "")
                .at("section 3.2"),
            count("mixes", "six combinations of two baselines", 6.0, "").at("section 3.2"),
            count("granularity", "IOSize: 2^0 to 2^9 sectors, four baselines", 40.0, "points"),
            count(
                "non-powers",
                "plus some non-powers of 2: eight more of each in a full run",
                72.0,
                "points",
            ),
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
            count(
                "burst",
                "Burst: 2^0 to 2^6 times 10 IOs at a pause of 100 ms, four baselines",
                28.0,
                "points",
            ),
        ],
        run: patterns,
    },
];

fn chips(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let whole =
        Pattern { number_ios: Some((1 << 30) / (32 << 10)), ..Pattern::baseline(Rw::Write, Bytes(0), SPACE) };
    let device = stage.simulate(SLC_SSD, &SMALL, &Work::Pattern(whole))?.device;
    found.measured("block", device.page_programs as f64 / device.block_erases as f64);
    let writes = random_writes(stage, &SMALL)?;
    found.measured("uneven", greatest(writes.iter().copied()) / median(&writes));
    let large = [("capacity", "1GiB")];
    found.measured("capacity", expensive(&random_writes(stage, &large)?) / expensive(&writes));
    let erases = |spare| {
        let pattern =
            Pattern { number_ios: Some(32_768), ..Pattern::baseline(Rw::RandWrite, Bytes(0), SPACE) };
        let settings = [SMALL[0], ("over_provisioning", spare)];
        Ok::<f64, flashscope_lab::Error>(
            stage.simulate(MLC_SSD, &settings, &Work::Pattern(pattern))?.erases(),
        )
    };
    found.measured("spare", erases("0.28")? / erases("0.07")?);
    for (claim, ftl) in [("map-in-ram", "page"), ("map-in-flash", "dftl")] {
        let settings = [SMALL[0], ("ftl", ftl), ("dftl.cached_entries", "4096")];
        let mut session = Session::fresh(stage, SLC_SSD, &settings)?;
        let reads = session.times_ms(&session.baseline(Rw::RandRead, 4096))?;
        found.measured(claim, greatest(reads.iter().copied()) / median(&reads));
    }
    Ok(found)
}

/// The share of writes that cost more than three median ones.
fn expensive(times_ms: &[f64]) -> f64 {
    let median = median(times_ms);
    times_ms.iter().filter(|ms| **ms > 3.0 * median).count() as f64 / times_ms.len() as f64
}

/// What random writes take on a page-mapped drive with these settings, in ms.
fn random_writes(stage: &Stage<'_>, settings: &[Set<'_>]) -> Result<Vec<f64>> {
    let mut session = Session::fresh(stage, MLC_SSD, settings)?;
    session.enforce(State::Random)?;
    session.times_ms(&session.baseline(Rw::RandWrite, 8192))
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
    let all = Micros::builtin();
    let micros: Vec<&Micro> = all.iter().filter(|micro| micro.is_uflip).collect();
    found.measured("micro-benchmarks", micros.len() as f64);
    for micro in micros {
        let points = (micro.points)(&frame);
        found.measured(micro.name, points.len() as f64);
        if micro.name == "granularity" {
            let full = Frame { scope: Scope::Full, ..frame };
            found.measured("non-powers", (micro.points)(&full).len() as f64);
        }
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
    let slots = 1 << 10;
    // More IOs than the space holds, so that those that begin anew are seen.
    let formulas: [(Location, u64, Slot); 5] = [
        (Location::Sequential, 1500, |i, slots| i % slots),
        (Location::Ordered { stride: 0 }, 256, |_, _| 0),
        (Location::Ordered { stride: 2 }, 256, |i, _| 2 * i),
        (Location::Ordered { stride: -1 }, 256, |i, slots| (slots - i) % slots),
        (Location::Partitioned { partitions: 4 }, 1500, |i, slots| i % 4 * (slots / 4) + i / 4 % (slots / 4)),
    ];
    let off = |(location, ios, formula): &(Location, u64, Slot)| {
        [0, 8 << 10].map(|shift| {
            let pattern = Pattern { location: *location, shift: Bytes(shift), ..in_order(slots) };
            let places = places(&pattern, 0, *ios);
            let wrong = |i: &u64| places[*i as usize] != OFFSET + shift + formula(*i, slots) * BS;
            (0..*ios).filter(wrong).count()
        })
    };
    formulas.iter().flat_map(off).sum::<usize>() + random_off(slots) + parallel_off(slots)
}

const BS: u64 = 32 << 10;
const OFFSET: u64 = 1 << 20;

fn in_order(slots: u64) -> Pattern {
    Pattern::baseline(Rw::Write, Bytes(OFFSET), Bytes(slots * BS))
}

/// Where the requests of a process go.
fn places(pattern: &Pattern, process: u32, ios: u64) -> Vec<u64> {
    let mut requests = vec![Request::default(); ios as usize];
    let filled = PatternSource::new(pattern, process, 1).fill(&mut requests);
    requests[..filled].iter().map(|request| request.offset_bytes).collect()
}

/// Random requests outside the space or between its slots, and slots that are never reached.
fn random_off(slots: u64) -> usize {
    let pattern = Pattern { rw: Rw::RandWrite, location: Location::Random, ..in_order(slots) };
    let places = places(&pattern, 0, 20 * slots);
    let slot = |place: &u64| {
        let inside = place.checked_sub(OFFSET).filter(|inside| inside.is_multiple_of(BS))?;
        Some(inside / BS).filter(|slot| *slot < slots)
    };
    let reached: std::collections::BTreeSet<u64> = places.iter().filter_map(slot).collect();
    let outside = places.iter().filter(|place| slot(place).is_none()).count();
    outside + slots as usize - reached.len()
}

/// Requests of four processes that are not in a part of their own.
fn parallel_off(slots: u64) -> usize {
    let pattern = Pattern { numjobs: 4, ..in_order(slots) };
    let wrong = |process: u32| {
        let start = OFFSET + u64::from(process) * slots / 4 * BS;
        let places = places(&pattern, process, 256).into_iter().enumerate();
        places.filter(|(i, place)| *place != start + *i as u64 * BS).count()
    };
    (0..4).map(wrong).sum()
}
