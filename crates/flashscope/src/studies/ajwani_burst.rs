//! Paper 000, section 3.3.3 and appendix C: what a burst of random writes does to what comes after it.

use anyhow::Result;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Io, Nanos};
use flashscope_report::html::document::{Axis, Block, Chart, Scale};

use super::claim::ANY;
use super::papers::AJWANI;
use super::picture::chart;
use super::session::{least, mean, median};
use super::stage::{Set, Subject, over_all};
use super::{Claim, Found, Stage, Study};
use crate::target::Bench;

const STICK: &str = "sim:usb-stick-2009";
/// Page mapping with few spare blocks: what is fast after order and slow after disorder.
const PAGES: [Set<'static>; 3] = [("capacity", "512MiB"), ("ftl", "page"), ("over_provisioning", "0.04")];
/// The same flash with log blocks.
const LOGS: [Set<'static>; 1] = [("capacity", "512MiB")];
/// And with 6 MiB of writes kept back, which later ones push out: a merge for each random one.
const KEPT_BACK: [Set<'static>; 3] = [("capacity", "512MiB"), ("buffer", "fifo"), ("ram.size", "6MiB")];

const MEDIAN: &str = "the median of the 30 phases after 60 s of 2 KB";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-burst",
        paper: &AJWANI,
        place: "section 3.3.3, figure 3.3",
        about: "Bursts of random writes, then 30 phases of 4 s of sequential writes, beside their steady \
                state; a page-mapped stick with few spare blocks, and one with log blocks.",
        claims: &[
            Claim::shape("small", "small writes lose over half for two minutes", "below 0.5", "of normal")
                .near(0.0, 0.5, MEDIAN)
                .kind(0.0, 0.9),
            Claim::shape("large", "larger ones lose more than 10 %", "below 0.9", "of normal")
                .near(0.5, 0.9, "less than small ones, which lose more than half")
                .kind(0.0, 0.97)
                .because("here what is collected depends on the burst alone: larger ones lose as much"),
            Claim::shape("minute", "the effect can last a minute or more", "60 s", "s").near(
                60.0,
                120.0,
                "sequential writes of 32 KB below 0.9 of normal, of the 120 s that are looked at",
            ),
            Claim::not_here(
                "hours",
                "in rare cases it lasts hours of sustained writing",
                "hours",
                "cases of which neither the device nor the burst is told",
            ),
            Claim::shape("reads", "subsequent reads are not affected", "1", "of normal").near(
                0.95,
                1.05,
                "within 5 %",
            ),
            Claim::shape("immune", "many devices are not affected at all", "1", "of normal").near(
                0.95,
                1.05,
                "the stick with log blocks, whose last merges are soon done: within 5 %",
            ),
        ],
        run: burst,
    },
    Study {
        name: "ajwani-recovery",
        paper: &AJWANI,
        place: "appendix C; figures C.1, C.2, C.3 and C.4",
        about: "Sequential writes of ten sizes after bursts, on a stick that keeps 6 MiB of writes back \
                (C.1, C.3); and the page-mapped one after bursts of 2 KB, and rewritten as a whole (C.2, \
                C.4).",
        claims: &[
            Claim::shape(
                "at-once",
                "60 % of the median is usually reached at once",
                "usually",
                "of 10 sizes",
            )
            .near(6.0, 10.0, "sizes of 2 KB to 1 MB whose first phase has it: more than half")
            .kind(3.0, 10.0)
            .because("which sizes wait depends on how many writes are kept back, which is not known"),
            Claim::shape("some", "in some sizes it takes 20 to 30 s", "some", "of 10 sizes").near(
                1.0,
                4.0,
                "sizes that take 16 to 36 s, a phase more or less: fewer than half, and not none",
            ),
            Claim::shape(
                "small-worse",
                "bursts of 2 KB usually slow more than those of larger blocks",
                "usually",
                "of 9 sizes",
            )
            .near(5.0, 9.0, "sizes from 4 KB on, bursts of 30 s: most of them"),
            Claim::shape("random", "subsequent random writes are not affected", "1", "of normal")
                .near(0.9, 1.1, "2 KB, after 30 s of them against before, on log blocks: within 10 %")
                .kind(0.5, 1.5),
            Claim::shape("c2", "figure C.2: a constant decrease, with no recovery", "constant", "x").near(
                0.8,
                1.25,
                "the last ten phases against the first ten",
            ),
            Claim::shape(
                "first",
                "C.3: after 30 s of random writes of 32 KB they slow down to about 30 %",
                "0.3",
                "of normal",
            )
            .near(0.2, 0.45, "within a factor of 1.5, in the first 4 s")
            .kind(0.0, 0.8),
            Claim::shape("climbs", "C.3: after 30 s the speed climbs back", "climbs", "x")
                .near(1.5, ANY, "the phases from 30 s on against the first: half as much again")
                .kind(1.05, ANY),
            Claim::shape("five", "C.4: small sequential writes drop below 5 %", "below 0.05", "of normal")
                .near(0.0, 0.05, "in the slowest phase after 60 s of 2 KB")
                .kind(0.0, 0.5)
                .because(
                    "how much is copied for each write depends on the spare blocks, which are not \
                          known",
                ),
            Claim::shape(
                "rewrite",
                "C.4: a rewrite of everything takes 8 times as long after them",
                "x8",
                "x",
            )
            .near(5.3, 12.0, "within a factor of 1.5; in order with 2 MB, after 60 s of 2 KB")
            .kind(1.2, ANY),
            Claim::shape("healed", "and then the device is as fast as before", "1", "rewrites")
                .near(1.0, 1.0, "rewrites of everything until the next is within 5 % of normal")
                .kind(1.0, 6.0)
                .because(
                    "with one open block what is collected mixes with what is written, so that no rewrite \
                     heals; with two (page.frontiers=2) one does, but then a burst costs a fifth and not a \
                     factor of 8",
                ),
            Claim::shape("larger", "the version of twice the size behaves the same", "x8", "x")
                .near(5.3, 12.0, "as of the other; after 120 s, so that as great a part is written")
                .kind(1.2, ANY),
        ],
        run: recovery,
    },
];

/// Rewrites that are tried.
const MOST: u32 = 20;
const PHASES: usize = 30;
const PHASE: Nanos = Nanos::from_s(4);

/// A device that was written in order.
fn ordered<'a>(stage: &'a Stage<'_>, settings: &[Set<'_>]) -> Result<Subject<'a>> {
    let mut bench = stage.device(STICK, settings)?;
    stage.fill(&mut bench, 1 << 20)?;
    Ok(bench)
}

/// The same, and then at random for some seconds.
fn disturbed<'a>(stage: &'a Stage<'_>, settings: &[Set<'_>], bs: u64, seconds: u64) -> Result<Subject<'a>> {
    let mut bench = ordered(stage, settings)?;
    let writes = over_all(&bench, Rw::RandWrite, bs);
    stage.timed(&mut bench, &writes, Some(Nanos::from_s(seconds)))?;
    Ok(bench)
}

/// MB/s of sequential writes in each phase.
fn phases(stage: &Stage<'_>, bench: &mut Bench, bs: u64) -> Result<Vec<f64>> {
    let phase = stage.time(PHASE);
    let mut bytes = vec![0u64; PHASES];
    let writes = Pattern { number_ios: None, ..over_all(bench, Rw::Write, bs) };
    let end = Nanos(PHASE.0 * PHASES as u64);
    let mut begun = None;
    stage.each_io(bench, &writes, Some(end), &mut |io: &Io| {
        let start = *begun.get_or_insert(io.submitted);
        let done = (io.submitted + io.response).since(start);
        if let Some(phase) = bytes.get_mut((done.0 / phase.0) as usize) {
            *phase += u64::from(io.length_bytes);
        }
    })?;
    Ok(bytes.into_iter().map(|bytes| bytes as f64 / 1e6 / phase.as_s()).collect())
}

/// The phases after a burst of `burst_bs` as shares of the median without one.
fn after(
    stage: &Stage<'_>,
    settings: &[Set<'_>],
    bs: u64,
    (burst_bs, seconds): (u64, u64),
) -> Result<Vec<f64>> {
    let normal = median(&phases(stage, &mut *ordered(stage, settings)?, bs)?);
    let after = phases(stage, &mut *disturbed(stage, settings, burst_bs, seconds)?, bs)?;
    Ok(after.into_iter().map(|mb_s| mb_s / normal).collect())
}

fn burst(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut curves = Vec::new();
    for (claim, bs) in [("small", 2u64 << 10), ("large", 32 << 10)] {
        let after = after(stage, &PAGES, bs, (2 << 10, 60))?;
        found.measured(claim, median(&after));
        if claim == "large" {
            let slow = after.iter().filter(|share| **share < 0.9).count();
            found.measured("minute", slow as f64 * PHASE.as_s());
        }
        curves.push((format!("{} KiB after 60 s of 2 KiB", bs >> 10), after));
    }
    found.measured("reads", reads(stage)?);
    let immune = after(stage, &LOGS, 32 << 10, (2 << 10, 30))?;
    found.measured("immune", median(&immune));
    curves.push(("32 KiB after 30 s of 2 KiB, log blocks".into(), immune));
    found.blocks.push(picture("after-burst", &curves));
    Ok(found)
}

/// Sequential reads after a burst, against before.
fn reads(stage: &Stage<'_>) -> Result<f64> {
    let speed = |bench: &mut Bench| -> Result<f64> {
        let reads = over_all(bench, Rw::Read, 32 << 10);
        Ok(stage.timed(bench, &reads, Some(PHASE))?.mb_s())
    };
    let before = speed(&mut *ordered(stage, &PAGES)?)?;
    Ok(speed(&mut *disturbed(stage, &PAGES, 2 << 10, 30)?)? / before)
}

fn recovery(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let (mut waits_s, mut worse) = (Vec::new(), 0);
    for bs in (11..=20).map(|exponent| 1u64 << exponent) {
        let same = after(stage, &KEPT_BACK, bs, (bs, 30))?;
        if bs > 2 << 10 {
            let small = after(stage, &KEPT_BACK, bs, (2 << 10, 30))?;
            worse += u32::from(median(&small) <= median(&same));
        }
        let enough = 0.6 * median(&same);
        let reached = same.iter().position(|share| *share >= enough).unwrap_or(PHASES);
        waits_s.push(reached as f64 * PHASE.as_s());
    }
    found.measured("at-once", waits_s.iter().filter(|wait| **wait == 0.0).count() as f64);
    let some = waits_s.iter().filter(|wait| (16.0..=36.0).contains(*wait));
    found.measured("some", some.count() as f64);
    found.measured("small-worse", f64::from(worse));
    found.measured("random", random_after(stage)?);
    let constant = after(stage, &PAGES, 32 << 10, (2 << 10, 60))?;
    found.measured("c2", mean(&constant[PHASES - 10..]) / mean(&constant[..10]));
    let climbing = after(stage, &KEPT_BACK, 32 << 10, (32 << 10, 30))?;
    found.measured("first", climbing[0]);
    found.measured("climbs", mean(&climbing[8..]) / climbing[0]);
    found.measured("five", least(after(stage, &PAGES, 2 << 10, (2 << 10, 60))?));
    let (factor, healed) = rewritten(stage, &PAGES, 60)?;
    found.measured("rewrite", factor);
    found.measured("healed", healed);
    let twice = [("capacity", "1GiB"), PAGES[1], PAGES[2]];
    found.measured("larger", rewritten(stage, &twice, 120)?.0);
    let curves = [("after 60 s of 2 KiB".into(), constant), ("after 30 s of 32 KiB".into(), climbing)];
    found.blocks.push(picture("time-line", &curves));
    Ok(found)
}

/// Random writes after a burst of them, against before.
fn random_after(stage: &Stage<'_>) -> Result<f64> {
    let mut bench = ordered(stage, &LOGS)?;
    let writes = over_all(&bench, Rw::RandWrite, 2 << 10);
    let before = stage.timed(&mut bench, &writes, Some(Nanos::from_s(30)))?.mb_s();
    Ok(stage.timed(&mut bench, &writes, Some(Nanos::from_s(30)))?.mb_s() / before)
}

/// How much longer a rewrite of everything takes after a burst, and how many there are until all is normal.
fn rewritten(stage: &Stage<'_>, settings: &[Set<'_>], seconds: u64) -> Result<(f64, f64)> {
    let before = stage.fill(&mut *ordered(stage, settings)?, 2 << 20)?.mb_s();
    let mut bench = disturbed(stage, settings, 2 << 10, seconds)?;
    let slow = stage.fill(&mut bench, 2 << 20)?.mb_s();
    let mut rewrites = 1;
    while rewrites < MOST && stage.fill(&mut bench, 2 << 20)?.mb_s() < 0.95 * before {
        rewrites += 1;
    }
    Ok((before / slow, f64::from(rewrites)))
}

/// Figures 3.3 and C.3.
fn picture(id: &str, curves: &[(String, Vec<f64>)]) -> Block {
    let point = |(phase, share): (usize, &f64)| ((phase as f64 + 0.5) * PHASE.as_s(), *share);
    let line =
        |(name, curve): &(String, Vec<f64>)| (name.clone(), curve.iter().enumerate().map(point).collect());
    let axes = [
        Axis::of("since the burst", "s", Scale::Linear),
        Axis::of("share of the steady throughput", "", Scale::Linear),
    ];
    let title = "Sequential writes after a burst of random ones";
    Block::Chart(Chart {
        caption: "Throughput of phases of 4 s, as a share of the steady state.".into(),
        ..chart(id, title, axes, curves.iter().map(line).collect())
    })
}
