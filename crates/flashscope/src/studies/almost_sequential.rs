//! Paper 004: write patterns that the disk access model holds for equal, and a page-mapped drive does not.
//!
//! One study, one picture: throughput against device capacities written. Every pattern begins on a drive that
//! holds nothing, as the paper's do ("as soon as we have written the device's capacity").

use anyhow::Result;
use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::{Bytes, Io, PatternSource, Request, RequestSource};
use flashscope_report::html::document::{Axis, Block, Scale};

use super::claim::ANY;
use super::papers::ALMOST_SEQUENTIAL;
use super::picture::lines;
use super::stage::{Set, over_all};
use super::work::Work;
use super::{Claim, Found, Stage, Study};

const CHUNK: Bytes = Bytes(64 << 10);
/// Device capacities that each pattern writes, and points of its curve for each.
const PASSES: u64 = 4;
const WINDOWS: u64 = 4;
/// The drive scaled down, fresh.
const FRESH: [Set<'static>; 2] = [("capacity", "1GiB"), ("initial", "empty")];

const SAME: &str = "\"pretty much identical\": within 5 %";
const CLIFF: &str = "a sharp drop: at least a fifth of the throughput";

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "almost-sequential",
    paper: &ALMOST_SEQUENTIAL,
    place: "both pictures and their text",
    about: "64 KiB chunks over a fresh drive, four times its capacity, in six orders: sequential, regular \
            and random gaps, one permutation again and again, a new one each time, independent places.",
    claims: &[
        Claim::figure("erase-unit", "the drive erases 512 KB at a time", 512.0, "KiB")
            .near(512.0, 512.0, "the profile's geometry, exactly")
            .kind(1.0, ANY),
        Claim::not_here(
            "capacity",
            "the drive has 160 GB",
            "160 GB",
            "a simulator is told its size, and what is shown does not depend on it: it is 1 GiB here",
        ),
        Claim::figure("regular-gaps", "sequential and regular gaps perform alike", 1.0, "x")
            .near(0.95, 1.05, SAME),
        Claim::figure(
            "model",
            "the disk access model would make sequential twice as fast as regular gaps",
            2.0,
            "x",
        )
        .near(2.0, 2.0, "chunks below 2 B move 2 blocks each with gaps, 1 without")
        .computed(),
        Claim::shape("model-random", "with random gaps somewhere in the middle", "x1 to 2", "x").near(
            1.05,
            1.95,
            "computed: blocks moved for each chunk, over those of sequential writes",
        ),
        Claim::shape("reads", "reading is faster than writing", "faster", "x").near(
            1.0,
            ANY,
            "sequential reads over sequential writes of 64 KiB, one at a time",
        ),
        Claim::shape("all-reads", "all reads are fast", "alike", "x").near(
            0.8,
            1.25,
            "random reads over sequential ones: within a factor of 1.25",
        ),
        Claim::shape("random-writes", "sequential writes are much faster than random ones", "faster", "x")
            .near(1.5, ANY, "once the drive is full: by half"),
        Claim::shape(
            "physical",
            "what repeats itself is in order in the physical space",
            "in \
                      order",
            "x",
        )
        .near(1.0, 1.02, "write amplification of the worst of sequential, gaps and repeated permutation")
        .kind(1.0, 1.2),
        Claim::shape("amplified", "with random gaps write amplification begins to show", "shows", "x").near(
            1.2,
            ANY,
            "over four capacities, the first of which needs no collection",
        ),
        Claim::shape(
            "random-gaps",
            "random gaps are slower than both, once the capacity is written",
            "a cliff",
            "%",
        )
        .near(20.0, 100.0, CLIFF),
        Claim::shape(
            "where",
            "the drop comes as soon as the capacity has been written",
            "the capacity",
            "capacities",
        )
        .near(0.9, 1.5, "random gaps leave a third out at first, so a pass reaches less")
        .kind(0.1, 2.5),
        Claim::shape("permutation", "a permutation that is repeated falls off no cliff", "no cliff", "%")
            .near(-5.0, 5.0, SAME),
        Claim::shape(
            "fresh-permutation",
            "writes that change a little between passes do: a new permutation",
            "drop",
            "%",
        )
        .near(20.0, 100.0, CLIFF),
        Claim::shape("uniform", "so do independent random places", "drop", "%").near(20.0, 100.0, CLIFF),
    ],
    run,
}];

/// The six orders of the study.
const ORDERS: [(&str, Rw, Location); 6] = [
    ("sequential", Rw::Write, Location::Sequential),
    ("regular gaps", Rw::Write, Location::RegularGaps { gap: CHUNK }),
    ("random gaps", Rw::Write, Location::RandomGaps { gap: CHUNK }),
    ("repeated permutation", Rw::RandWrite, Location::RepeatedPermutation),
    ("new permutation", Rw::RandWrite, Location::Permutation),
    ("uniform random", Rw::RandWrite, Location::Random),
];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let [sequential, regular, random, repeated, fresh, uniform] =
        ORDERS.map(|(_, rw, location)| curve(stage, rw, location));
    let (sequential, regular, random) = (sequential?, regular?, random?);
    let (repeated, fresh, uniform) = (repeated?, fresh?, uniform?);
    let untold = Some("only a simulated SSD tells what it does inside");
    let mut found = Found { untold, ..Found::default() };
    if stage.heeds_settings() {
        found.measured("erase-unit", erase_unit_kib(stage)?);
        let repeating = [ORDERS[0], ORDERS[1], ORDERS[3]].map(|order| amplification(stage, order));
        let mut worst: f64 = 0.0;
        for amplification in repeating {
            worst = worst.max(amplification?);
        }
        found.measured("physical", worst);
        found.measured("amplified", amplification(stage, ORDERS[2])?);
    }
    let (reads, random_reads) = (reads(stage, Rw::Read)?, reads(stage, Rw::RandRead)?);
    found.measured("reads", reads / last(&sequential));
    found.measured("all-reads", random_reads / reads);
    found.measured("random-writes", last(&sequential) / last(&uniform));
    let random_gaps = Location::RandomGaps { gap: CHUNK };
    found.measured("model-random", transfers(random_gaps) / transfers(Location::Sequential));
    found.measured("regular-gaps", last(&regular) / last(&sequential));
    found
        .measured("model", transfers(Location::RegularGaps { gap: CHUNK }) / transfers(Location::Sequential));
    found.measured("random-gaps", lost_percent(&random, last(&sequential).min(last(&regular))));
    found.measured("where", cliff_capacities(&random));
    // Beside sequential writes, which pay the same erases.
    let steady = last(&sequential);
    found.measured("permutation", lost_percent(&repeated, steady));
    found.measured("fresh-permutation", lost_percent(&fresh, steady));
    found.measured("uniform", lost_percent(&uniform, steady));
    found.blocks.push(picture(&[sequential, regular, random, repeated, fresh, uniform]));
    Ok(found)
}

/// MB/s of each window of a capacity's WINDOWS-th part.
fn curve(stage: &Stage<'_>, rw: Rw, location: Location) -> Result<Vec<f64>> {
    let mut bench = stage.device("sim:x25m-2009", &FRESH)?;
    let size_bytes = bench.info().size_bytes / CHUNK.0 * CHUNK.0;
    let chunks = size_bytes / CHUNK.0;
    let pattern = Pattern {
        bs: CHUNK,
        location,
        number_ios: Some(chunks * PASSES),
        ..Pattern::baseline(rw, Bytes(0), Bytes(size_bytes))
    };
    let window_ios = (chunks / WINDOWS).max(1);
    let mut windows: Vec<(u64, u64)> = Vec::new();
    stage.every_io(&mut bench, &pattern, &mut |io: &Io| {
        if io.index.is_multiple_of(window_ios) {
            windows.push((0, 0));
        }
        let window = windows.last_mut().expect("the first IO begins one");
        window.0 += u64::from(io.length_bytes);
        window.1 += io.response.0;
    })?;
    Ok(windows.into_iter().map(|(bytes, nanos)| bytes as f64 * 1e3 / nanos as f64).collect())
}

/// Block transfers of the disk access model for each chunk, with blocks of two chunks and memory for one.
fn transfers(location: Location) -> f64 {
    let block_bytes = 2 * CHUNK.0;
    let size = Bytes(4096 * CHUNK.0);
    let pattern = Pattern { bs: CHUNK, location, ..Pattern::baseline(Rw::Write, Bytes(0), size) };
    let mut requests = [Request::default(); 1024];
    let count = PatternSource::new(&pattern, 0, 1).fill(&mut requests);
    let blocks = requests[..count].iter().map(|request| request.offset_bytes / block_bytes);
    let (mut held, mut transfers) = (None, 0);
    for block in blocks {
        transfers += u32::from(held != Some(block));
        held = Some(block);
    }
    f64::from(transfers) / count as f64
}

/// The mean of the last capacity.
fn last(curve: &[f64]) -> f64 {
    let tail = &curve[curve.len() - WINDOWS as usize..];
    tail.iter().sum::<f64>() / tail.len() as f64
}

/// How much of `before` is lost in the last capacity.
fn lost_percent(curve: &[f64], before: f64) -> f64 {
    100.0 * (1.0 - last(curve) / before)
}

/// Capacities written when the curve has lost half of what it loses.
fn cliff_capacities(curve: &[f64]) -> f64 {
    let middle = (curve[0] + last(curve)) / 2.0;
    let fallen = curve.iter().position(|&mb_s| mb_s < middle).unwrap_or(curve.len());
    fallen as f64 / WINDOWS as f64
}

/// MB/s of reads of a full drive.
fn reads(stage: &Stage<'_>, rw: Rw) -> Result<f64> {
    let mut bench = stage.device("sim:x25m-2009", &FRESH[..1])?;
    let reads = Pattern { number_ios: Some(4096), ..over_all(&bench, rw, CHUNK.0) };
    Ok(stage.timed(&mut bench, &reads, stage.cap())?.mb_s())
}

/// Bytes programmed for each that an order writes.
fn amplification(stage: &Stage<'_>, (_, rw, location): (&str, Rw, Location)) -> Result<f64> {
    let size = Bytes(1 << 30);
    let chunks = size.0 / CHUNK.0;
    let order = Pattern { bs: CHUNK, location, ..Pattern::baseline(rw, Bytes(0), size) };
    let work = Work::Pattern(Pattern { number_ios: Some(chunks * PASSES), ..order });
    let simulated = stage.simulate("sim:x25m-2009", &FRESH, &work)?;
    Ok(simulated.device.write_amplification.unwrap_or(f64::NAN))
}

/// What the profile erases at a time.
fn erase_unit_kib(stage: &Stage<'_>) -> Result<f64> {
    let one = Pattern { bs: CHUNK, number_ios: Some(1), ..Pattern::baseline(Rw::Write, Bytes(0), CHUNK) };
    let simulated = stage.simulate("sim:x25m-2009", &FRESH, &Work::Pattern(one))?;
    Ok(simulated.erase_unit_bytes as f64 / 1024.0)
}

fn picture(curves: &[Vec<f64>]) -> Block {
    let point = |(number, mb_s): (usize, &f64)| ((number as f64 + 0.5) / WINDOWS as f64, *mb_s);
    let line = |((name, ..), curve): (&(&str, Rw, Location), &Vec<f64>)| {
        (name.to_string(), curve.iter().enumerate().map(point).collect())
    };
    let axes = [("written", "capacities"), ("throughput", "MB/s")]
        .map(|(label, unit)| Axis::of(label, unit, Scale::Linear));
    let title = "Throughput against device capacities written";
    lines("almost-sequential", title, axes, ORDERS.iter().zip(curves).map(line).collect())
}
