//! Paper 004: write patterns that the disk access model holds for equal, and a page-mapped drive does not.
//!
//! One study, one picture: throughput against device capacities written. Every pattern begins on a drive that
//! holds nothing, as the paper's do ("as soon as we have written the device's capacity").

use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Io, Pacing, PatternSource, Request, RequestSource, Stream};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block};

use crate::claim::Claim;
use crate::claim::{ANY, LOST_PICTURES};
use crate::devices::MLC_SSD as DRIVE;
use crate::papers::ALMOST_SEQUENTIAL;
use crate::picture::lines;
use crate::session::{greatest, least, mean};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use crate::work::Work;

const CHUNK: Bytes = Bytes(64 << 10);
/// Device capacities that each pattern writes, and points of its curve for each.
const PASSES: u64 = 4;
const WINDOWS: u64 = 4;
/// The drive scaled down, fresh.
const FRESH: [Set<'static>; 2] = [("capacity", "1GiB"), ("initial", "empty")];

const SAME: &str = "\"pretty much identical\": within 5 %";
const CLIFF: &str = "a sharp drop: at least a fifth of the throughput";

const PICTURE_1: &str = "part 2 and picture 1";
const PICTURE_2: &str = "part 3 and picture 2";

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "almost-sequential",
    paper: &ALMOST_SEQUENTIAL,
    place: "parts 1, 2 and 3; pictures 1 and 2",
    about: "Part 2 of the post is \"Almost-sequential writes\", part 3 \"What's going on?\". 64 KiB chunks \
            over a fresh drive, four times its capacity: in order, with regular and with random gaps, in \
            one permutation again and again and in the same with a part exchanged each time; beside them a \
            new permutation each time, and independent places. The drive was made for this paper: what its \
            collections move has a block of its own. From a fresh drive a repeated permutation needs no such \
            block: with one open block for all it loses nothing either, and exchanging 20 % of it is enough \
            for the drop. On a drive that is full before, it loses nothing with the second block and nearly \
            half without.",
    claims: &[
        Claim::shape("reads", "reading is faster than writing", "faster", "x")
            .near(1.2, ANY, "64 KiB one at a time, the less of in order and at random: by a fifth")
            .at("part 1"),
        Claim::shape("all-reads", "all reads are fast", "alike", "x")
            .near(0.8, 1.25, "random reads over sequential ones: within a factor of 1.25")
            .at("part 1")
            .set(),
        Claim::shape("random-writes", "sequential writes are much faster than random ones", "faster", "x")
            .near(1.5, ANY, "once the drive is full: by half")
            .at("part 1"),
        Claim::shape(
            "batching",
            "batching writes is more important than batching reads: what is gained by 512 KiB over 4 KiB, \
             writes over reads",
            "more",
            "x",
        )
        .near(1.2, ANY, "at random on a full drive, one at a time: by a fifth; the paper gives no value")
        .at("part 1"),
        Claim::figure("erase-unit", "the drive, of 160 GB, erases 512 KB at a time", 512.0, "KiB")
            .near(512.0, 512.0, "the profile's geometry, exactly; it is scaled down to 1 GiB")
            .set()
            .at("part 2"),
        Claim::figure("regular-gaps", "sequential and regular gaps perform alike", 1.0, "x")
            .near(0.95, 1.05, SAME)
            .at(PICTURE_1),
        Claim::shape(
            "model",
            "by the disk access model, which holds them for equal up to a constant, sequential is twice as \
             fast as regular gaps for b < 2B",
            "x2 at all",
            "of 3 sizes",
        )
        .near(3.0, 3.0, "with blocks B of b, 2 b and 4 b: twice the transfers for each chunk, exactly")
        .because("where a chunk is a block of its own, B = b, it moves one block with gaps and without")
        .computed()
        .at("part 2"),
        Claim::shape("model-random", "with random gaps somewhere in the middle", "x1 to 2", "x")
            .near(1.05, 1.95, "blocks of 2 b: blocks moved for each chunk, over those of sequential writes")
            .computed()
            .at("part 2"),
        Claim::shape(
            "random-gaps",
            "random gaps are slower than both, once the capacity is written",
            "a cliff",
            "%",
        )
        .near(20.0, 100.0, CLIFF)
        .at(PICTURE_1),
        Claim::shape(
            "where",
            "the drop comes as soon as the capacity has been written",
            "the capacity",
            "capacities",
        )
        .near(0.9, 1.5, "random gaps leave a third out at first, so a pass reaches less")
        .kind(0.7, 1.8)
        .at("part 3 and picture 1"),
        Claim::shape("permutation", "a permutation that is repeated falls off no cliff", "no cliff", "%")
            .near(-5.0, 5.0, SAME)
            .at(PICTURE_2),
        Claim::shape("permutation-itself", "nor beside its own first capacity", "no cliff", "%")
            .near(-5.0, 5.0, SAME)
            .kind(-5.0, 20.0)
            .because("a fresh drive erases nothing: from the second capacity on each block is erased first")
            .at(PICTURE_2),
        Claim::shape("physical", "what repeats itself is in order in the physical space", "in order", "x")
            .near(1.0, 1.02, "by write amplification: the worst of sequential, gaps, repeated permutation")
            .kind(1.0, 1.2)
            .at("part 3"),
        Claim::shape(
            "little",
            "if writes are randomised even a little between passes, there is a sharp drop: the part of a \
             permutation that is exchanged",
            "a little",
            "%",
        )
        .near(0.1, 10.0, "of 5, 10, 20 and 50 %, the least that loses a fifth of the throughput; or 100")
        .kind(0.1, 30.0)
        .because(
            "a chunk that comes at another place keeps one eighth of an erase unit in use until it comes, \
             and many of them fit into the 7 % that are spare; with one open block for all \
             (page.frontiers=1) 20 % are enough. Random gaps, the post's own example, leave another third of \
             all chunks out in each pass",
        )
        .at("part 3"),
        Claim::shape("amplified", "with random gaps write amplification begins to show", "shows", "x")
            .near(1.2, ANY, "over four capacities, the first of which needs no collection")
            .at("part 3"),
        Claim::not_here("values", "the throughputs of both pictures", "curves", LOST_PICTURES)
            .at("pictures 1 and 2"),
    ],
    run,
}];

/// Orders that are patterns.
const ORDERS: [(&str, Rw, Location); 6] = [
    ("sequential", Rw::Write, Location::Sequential),
    ("regular gaps", Rw::Write, Location::RegularGaps { gap: CHUNK }),
    ("random gaps", Rw::Write, Location::RandomGaps { gap: CHUNK }),
    ("repeated permutation", Rw::RandWrite, Location::RepeatedPermutation),
    ("fresh permutation", Rw::RandWrite, Location::Permutation),
    ("uniform random", Rw::RandWrite, Location::Random),
];
/// Others: a permutation of which so many per cent are exchanged after each pass.
const EXCHANGED: [(&str, u64); 4] =
    [("5 % exchanged", 5), ("10 % exchanged", 10), ("20 % exchanged", 20), ("50 % exchanged", 50)];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let curves = ORDERS.iter().map(|order| curve(stage, |size| pattern(order, size)));
    let curves = curves.collect::<Result<Vec<_>>>()?;
    let [sequential, regular, random, repeated, _, uniform] = &curves[..] else { unreachable!("six orders") };
    let of_exchanged = |&(_, percent): &(&str, u64)| {
        curve(stage, |size| nearly_repeated(size / CHUNK.0, percent, stage.seed))
    };
    let exchanged = EXCHANGED.iter().map(of_exchanged).collect::<Result<Vec<_>>>()?;
    let unknown = Some("only a simulated SSD reports its internals");
    let mut found = Found { unknown, ..Found::default() };
    if stage.takes_settings() {
        found.measured("erase-unit", erase_unit_kib(stage)?);
        let repeating = [0, 1, 3].map(|number| amplification(stage, &ORDERS[number]));
        found.measured("physical", greatest(repeating.into_iter().collect::<Result<Vec<_>>>()?));
        found.measured("amplified", amplification(stage, &ORDERS[2])?);
    }
    // Beside sequential writes, which pay the same erases.
    let steady = last(sequential);
    let (reads, random_reads) = (at_random(stage, Rw::Read, CHUNK)?, at_random(stage, Rw::RandRead, CHUNK)?);
    found.measured("reads", least([reads / steady, random_reads / last(uniform)]));
    found.measured("all-reads", random_reads / reads);
    found.measured("random-writes", steady / last(uniform));
    found.measured("batching", gain(stage, Rw::RandWrite)? / gain(stage, Rw::RandRead)?);
    found.measured("model", [1, 2, 4].iter().filter(|chunks| is_twice(**chunks)).count() as f64);
    let random_gaps = Location::RandomGaps { gap: CHUNK };
    found.measured("model-random", transfers(random_gaps, 2) / transfers(Location::Sequential, 2));
    found.measured("regular-gaps", last(regular) / steady);
    found.measured("random-gaps", lost_percent(random, steady.min(last(regular))));
    found.measured("where", cliff_capacities(random));
    found.measured("permutation", lost_percent(repeated, steady));
    found.measured("permutation-itself", lost_percent(repeated, mean(&repeated[..WINDOWS as usize])));
    let falls = |(_, curve): &(_, &Vec<f64>)| lost_percent(curve, steady) >= 20.0;
    let least_exchanged = EXCHANGED.iter().zip(&exchanged).find(falls);
    found.measured("little", least_exchanged.map_or(100.0, |((_, percent), _)| *percent as f64));
    let of_orders = ORDERS.map(|order| order.0);
    found.blocks.push(picture(
        "almost-sequential",
        "Throughput against device capacities written",
        of_orders.into_iter().zip(&curves),
    ));
    let of_exchanged = EXCHANGED.map(|order| order.0);
    let with_both_ends = [("repeated", repeated), ("fresh permutation", &curves[4])];
    let all = with_both_ends.into_iter().chain(of_exchanged.into_iter().zip(&exchanged));
    found.blocks.push(picture("exchanged", "A permutation partly exchanged after each pass", all));
    Ok(found)
}

/// An order over a device of this size.
fn pattern(&(_, rw, location): &(&str, Rw, Location), size_bytes: u64) -> Work {
    let number_ios = Some(size_bytes / CHUNK.0 * PASSES);
    let over_all = Pattern::baseline(rw, Bytes(0), Bytes(size_bytes));
    Work::Pattern(Pattern { bs: CHUNK, location, number_ios, ..over_all })
}

/// A permutation of the chunks for each pass, so many per cent of them at other places than before.
fn nearly_repeated(chunks: u64, percent: u64, seed: u64) -> Work {
    let mut random = Random::new(seed);
    let mut order: Vec<u64> = (0..chunks).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place as u64 + 1) as usize);
    }
    let mut all = Vec::new();
    for _ in 0..PASSES {
        all.extend(&order);
        // Each exchange moves two.
        for _ in 0..chunks * percent / 200 {
            let [one, other] = [random.below(chunks), random.below(chunks)];
            order.swap(one as usize, other as usize);
        }
    }
    Work::Writes(CHUNK.0 as u32, all)
}

/// MB/s of each window of a capacity's WINDOWS-th part.
fn curve(stage: &Stage<'_>, work: impl Fn(u64) -> Work) -> Result<Vec<f64>> {
    let mut bench = stage.device(DRIVE, &FRESH)?;
    let size_bytes = bench.info().size_bytes / CHUNK.0 * CHUNK.0;
    let window_ios = (size_bytes / CHUNK.0 / WINDOWS).max(1);
    let source = work(size_bytes).source(bench.info(), stage.seed)?;
    let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
    let mut windows: Vec<(u64, u64)> = Vec::new();
    stage.serve(&mut bench, &mut streams, true, None, &mut |io: &Io| {
        if io.index.is_multiple_of(window_ios) {
            windows.push((0, 0));
        }
        let window = windows.last_mut().expect("the first IO begins one");
        window.0 += u64::from(io.length_bytes);
        window.1 += io.response.0;
    })?;
    Ok(windows.into_iter().map(|(bytes, nanos)| bytes as f64 * 1e3 / nanos as f64).collect())
}

/// Whether the disk access model makes sequential writes twice as fast as regular gaps.
fn is_twice(block_chunks: u64) -> bool {
    let gaps = Location::RegularGaps { gap: CHUNK };
    transfers(gaps, block_chunks) == 2.0 * transfers(Location::Sequential, block_chunks)
}

/// Block transfers of the disk access model for each chunk, with blocks of so many chunks and memory for one.
fn transfers(location: Location, block_chunks: u64) -> f64 {
    let block_bytes = block_chunks * CHUNK.0;
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
    mean(&curve[curve.len() - WINDOWS as usize..])
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

/// MB/s of IOs of this size on a full drive.
fn at_random(stage: &Stage<'_>, rw: Rw, bs: Bytes) -> Result<f64> {
    let mut bench = stage.device(DRIVE, &FRESH[..1])?;
    let ios = Pattern { number_ios: Some(4096), ..over_all(&bench, rw, bs.0) };
    if ios.writes() {
        // Until it collects.
        let spare = over_all(&bench, rw, bs.0);
        let number_ios = Some(spare.size.0 / 4 / bs.0);
        stage.timed(&mut bench, &Pattern { number_ios, ..spare }, stage.cap())?;
    }
    Ok(stage.timed(&mut bench, &ios, stage.cap())?.mb_s())
}

/// What is gained by 512 KiB at a time over 4 KiB.
fn gain(stage: &Stage<'_>, rw: Rw) -> Result<f64> {
    Ok(at_random(stage, rw, Bytes(512 << 10))? / at_random(stage, rw, Bytes(4 << 10))?)
}

/// Bytes programmed for each that an order writes.
fn amplification(stage: &Stage<'_>, order: &(&str, Rw, Location)) -> Result<f64> {
    let simulated = stage.simulate(DRIVE, &FRESH, &pattern(order, 1 << 30))?;
    Ok(simulated.device.write_amplification.unwrap_or(f64::NAN))
}

/// What the profile erases at a time.
fn erase_unit_kib(stage: &Stage<'_>) -> Result<f64> {
    let one = Pattern { bs: CHUNK, number_ios: Some(1), ..Pattern::baseline(Rw::Write, Bytes(0), CHUNK) };
    let simulated = stage.simulate(DRIVE, &FRESH, &Work::Pattern(one))?;
    Ok(simulated.erase_unit_bytes as f64 / 1024.0)
}

fn picture<'a>(id: &str, title: &str, curves: impl Iterator<Item = (&'a str, &'a Vec<f64>)>) -> Block {
    let point = |(number, mb_s): (usize, &f64)| ((number as f64 + 0.5) / WINDOWS as f64, *mb_s);
    let line =
        |(name, curve): (&str, &Vec<f64>)| (name.to_string(), curve.iter().enumerate().map(point).collect());
    let axes =
        [("written", "capacities"), ("throughput", "MB/s")].map(|(label, unit)| Axis::linear(label, unit));
    lines(id, title, axes, curves.map(line).collect())
}
