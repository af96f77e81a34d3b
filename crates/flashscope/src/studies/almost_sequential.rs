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
use super::stage::Set;
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
    devices: &["sim:x25m-2009"],
    claims: &[
        Claim::figure("erase-unit", "the drive erases 512 KB at a time", 512.0, "KiB")
            .near(512.0, 512.0, "the profile's geometry, exactly")
            .kind(1.0, ANY),
        Claim::figure("regular-gaps", "sequential and regular gaps perform alike", 1.0, "x")
            .near(0.95, 1.05, SAME),
        Claim::figure(
            "model",
            "the disk access model would make sequential twice as fast as regular gaps",
            2.0,
            "x",
        )
        .near(2.0, 2.0, "computed: chunks below 2 B move 2 blocks each with gaps, 1 without"),
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
    let mut found = Found::default();
    found.measured("erase-unit", erase_unit_kib(stage)?);
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
