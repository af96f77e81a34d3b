//! Paper 000, appendix C: how long devices are slow after a burst of random writes. What they lose meanwhile
//! is in `burst`, and so is how both are measured.

use flashscope_core::pattern::Rw;
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block};

use super::burst::{
    BySize, MOST, PHASE, PHASES, after, disturbed, lengths_s, ordered, phases, rewritten, sizes, time_line,
};
use super::devices::PAGES;
use crate::claim::Claim;
use crate::papers::AJWANI;
use crate::picture::lines;
use crate::session::{greatest, least, mean, median};
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// Log blocks with a log for nearly every fourth block: what a burst left in them is merged as their blocks
/// are written.
const MANY_LOGS: [Set<'static>; 3] =
    [("capacity", "512MiB"), ("log_block.log_blocks", "230"), ("over_provisioning", "0.3")];
/// 6 MiB of writes kept back, which later ones push out: a merge for each random one.
const KEPT_BACK: [Set<'static>; 3] = [("capacity", "512MiB"), ("buffer", "fifo"), ("ram.size", "6MiB")];
/// The page-mapped stick with four channels behind a faster link: as fast in order as the Elite of table 3.1.
const ELITE: [Set<'static>; 5] = [PAGES[0], PAGES[1], PAGES[2], ("nand.channels", "4"), ("host.mb_s", "40")];
const ELITE_BYTES: f64 = 2e9;

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-recovery",
    paper: &AJWANI,
    place: "appendix C; figures C.1, C.2, C.3 and C.4",
    about: "Sequential writes of ten sizes after bursts. No one mechanism makes all of the paper's stick of \
            C.1: for its medians there is one with log blocks for nearly every fourth block, and for its \
            recovery in time (C.3, too) one that keeps 6 MiB of writes back, which is set for the 20 to 30 \
            s. For C.2 there is the page-mapped stick of ajwani-burst, and for C.4 the same with four \
            channels, rewritten as a whole.",
    claims: &[
        Claim::shape("c1-small", "very small writes lose more than half", "below 0.5", "of normal")
            .near(0.0, 0.5, "the median of 30 phases of 2 KB after 60 s of the same, many logs")
            .kind(0.0, 0.83)
            .because(
                "a merge takes no longer than to write its block in order, and small writes take longer over \
                 that: they lose less and not more. On the page-mapped stick of ajwani-burst they do as the \
                 sentence says, but bursts of 2 KB and of the same size are not alike there",
            )
            .at("figure C.1")
            .set(),
        Claim::shape("c1-large", "even larger ones lose more than 10 %", "below 0.9", "of normal")
            .near(0.3, 0.9, "the same of 256 KB")
            .at("figure C.1")
            .set(),
        Claim::shape("similar", "bursts of 2 KB and of the same size do alike", "alike", "x")
            .near(0.8, 1.25, "the one's share over the other's, many logs, the median of ten sizes")
            .at("figure C.1")
            .set(),
        Claim::shape("at-once", "60 % of the median is usually reached at once", "usually", "of 10 sizes")
            .near(6.0, 10.0, "sizes of ten whose first phase has it, 6 MiB kept back: more than half")
            .because("which sizes wait depends on how many writes are kept back, which is not known")
            .at("figure C.1"),
        Claim::shape("some", "in some sizes it takes 20 to 30 s", "some", "of 10 sizes")
            .near(1.0, 4.0, "sizes that take 16 to 36 s, a phase more or less: fewer than half, and not none")
            .at("figure C.1")
            .set(),
        Claim::shape(
            "small-worse",
            "elsewhere bursts of 2 KB usually slow more than larger ones, as in C.2",
            "usually",
            "of 9 sizes",
        )
        .near(5.0, 9.0, "sizes from 4 KB on, bursts of 30 s, page-mapped: most of them lose 5 % more")
        .at("appendix C; figure C.2"),
        Claim::shape("random", "subsequent random writes are not affected", "1", "of normal")
            .near(0.9, 1.1, "2 KB: the median of 30 phases after 60 s of them, in that without: within 10 %")
            .at("appendix C"),
        Claim::shape("c2-slow", "sequential writes are slower throughout", "a decrease", "of normal")
            .near(0.0, 0.9, "the fastest of 30 phases of 32 KB after 60 s of 2 KB: visible, 10 %")
            .at("figure C.2"),
        Claim::shape("c2", "and the decrease is constant, with no recovery", "constant", "x")
            .near(0.8, 1.25, "the last ten phases against the first")
            .at("figure C.2"),
        Claim::shape(
            "first",
            "after 30 s of random writes of 32 KB they slow down to about 30 %",
            "0.3",
            "of normal",
        )
        .near(0.2, 0.45, "within a factor of 1.5, in the first 4 s")
        .kind(0.1, 0.9)
        .because(
            "each write that was kept back costs a merge of 0.15 s, which is the random write of this stick; \
             what the paper's does in a seventh of it is not known",
        )
        .at("figure C.3"),
        Claim::shape("climbs", "after 30 s the speed climbs back towards normal", "normal", "of normal")
            .near(0.8, 1.1, "the mean of the phases from 32 s on; 6 MiB kept back are set for it")
            .at("figure C.3")
            .set(),
        Claim::shape("five", "sequential writes drop below 5 %", "below 0.05", "of normal")
            .near(0.0, 0.05, "in the slowest phase of 2 KB, 32 KB or 1 MB after 60 s of 2 KB")
            .kind(0.0, 0.15)
            .because("how much is copied for each write depends on the spare blocks, which are not known")
            .at("figure C.4")
            .set(),
        Claim::figure("usual", "to write all 2 GB takes 3 minutes", 3.0, "min")
            .within(1.5, 3.0, "in order with 2 MB, scaled to 2 GB; set by the channels")
            .at("figure C.4")
            .set(),
        Claim::figure("longest", "and 25 after random writes of 2 KB", 25.0, "min")
            .within(1.5, 3.0, "the same, after 60 s of them")
            .at("figure C.4")
            .set(),
        Claim::shape("rewrite", "which is 8 times as long", "x8", "x")
            .near(5.3, 12.0, "within a factor of 1.5")
            .kind(2.7, 24.0)
            .at("figure C.4")
            .set(),
        Claim::shape("healed", "and then the device is as fast as before", "1", "rewrites")
            .near(1.0, 1.0, "rewrites of everything until the next is within 5 % of normal, 20 at most")
            .kind(1.0, 3.0)
            .because(
                "with one open block what is collected mixes with what is written, so that no rewrite heals; \
                 with two (page.frontiers=2) one does, but then a burst costs a factor of 1.7 and not of 8",
            )
            .at("appendix C"),
        Claim::shape("larger", "the version of twice the size behaves the same", "x8", "x")
            .near(5.3, 12.0, "as of the other, after as long a burst")
            .kind(2.7, 24.0)
            .at("appendix C")
            .set(),
    ],
    run: recovery,
}];

fn recovery(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    medians(stage, &mut found)?;
    waits(stage, &mut found)?;
    constant(stage, &mut found)?;
    time_lines(stage, &mut found)?;
    rewrites(stage, &mut found)?;
    found.measured("random", random_after(stage)?);
    Ok(found)
}

/// The middle of figures C.1 and C.2.
fn medians(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    const LONGEST_S: [u64; 1] = [60];
    let logs = BySize::of(stage, &MANY_LOGS, &LONGEST_S)?;
    let small = logs.at(2 << 10)[0];
    found.measured("c1-small", small);
    found.measured("c1-large", logs.at(256 << 10)[0]);
    let ratios: Vec<f64> = sizes().map(|bs| logs.at(bs)).map(|[same, small]| small / same).collect();
    // Two bursts without effect are alike, too, but say nothing.
    found.measured("similar", if small < 0.95 { median(&ratios) } else { f64::NAN });
    found.blocks.push(logs.picture("c1", "C.1: after a burst, many logs", &LONGEST_S));
    // A device that a person named is one and the same.
    let pages = if stage.takes_settings() { BySize::of(stage, &PAGES, &[30])? } else { logs };
    let is_worse = |bs: &u64| pages.at(*bs)[1] < 0.95 * pages.at(*bs)[0];
    found.measured("small-worse", sizes().skip(1).filter(is_worse).count() as f64);
    found.blocks.push(pages.picture("c2-sizes", "C.2: after a burst, page-mapped", &[30]));
    Ok(())
}

/// The lower left of figure C.1.
fn waits(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    let mut waits_s = Vec::new();
    for bs in sizes() {
        let same = after(stage, &KEPT_BACK, bs, (bs, 30))?;
        let enough = 0.6 * median(&same);
        let reached = same.iter().position(|share| *share >= enough).unwrap_or(PHASES);
        waits_s.push((bs as f64, reached as f64 * PHASE.as_s()));
    }
    found.measured("at-once", waits_s.iter().filter(|wait| wait.1 == 0.0).count() as f64);
    found.measured("some", waits_s.iter().filter(|wait| (16.0..=36.0).contains(&wait.1)).count() as f64);
    let axes = [Axis::log("block size", "bytes"), Axis::linear("until 60 % of the median", "s")];
    let curve = ("6 MiB kept back, after 30 s of the same size".into(), waits_s);
    found.blocks.push(lines("waits", "C.1: recovery", axes, vec![curve]));
    Ok(())
}

fn constant(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    let constant = after(stage, &PAGES, 32 << 10, (2 << 10, 60))?;
    found.measured("c2-slow", greatest(constant.iter().copied()));
    found.measured("c2", mean(&constant[PHASES - 10..]) / mean(&constant[..10]));
    let curves = [("after 60 s of 2 KiB".into(), constant)];
    found.blocks.push(time_line("c2", "C.2: 32 KiB, page-mapped", &curves));
    Ok(())
}

/// Figure C.3.
fn time_lines(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    let mut curves = Vec::new();
    for seconds in [5, 30] {
        let climbing = after(stage, &KEPT_BACK, 32 << 10, (32 << 10, seconds))?;
        curves.push((format!("after {seconds} s of 32 KiB"), climbing));
    }
    let climbing = &curves[1].1;
    found.measured("first", climbing[0]);
    found.measured("climbs", mean(&climbing[8..]));
    found.blocks.push(time_line("c3", "C.3: 32 KiB, 6 MiB kept back", &curves));
    Ok(())
}

/// Figure C.4.
fn rewrites(stage: &Stage<'_>, found: &mut Found) -> Result<()> {
    let mut points = Vec::new();
    let scaled_min = |seconds: f64, bytes: u64| seconds / 60.0 * ELITE_BYTES / bytes as f64;
    let bytes = ordered(stage, &ELITE)?.info().size_bytes;
    for seconds in lengths_s(stage) {
        let rewritten = rewritten(stage, &ELITE, *seconds)?;
        points.push((*seconds as f64, scaled_min(rewritten.first_s, bytes)));
        if *seconds == 60 {
            found.measured("usual", scaled_min(rewritten.usual_s, bytes));
            found.measured("longest", scaled_min(rewritten.first_s, bytes));
            found.measured("rewrite", rewritten.first_s / rewritten.usual_s);
            found.measured("healed", f64::from(rewritten.rewrites.min(MOST)));
        }
    }
    let twice = [("capacity", "1GiB"), ELITE[1], ELITE[2], ELITE[3], ELITE[4]];
    let larger = rewritten(stage, &twice, 60)?;
    found.measured("larger", larger.first_s / larger.usual_s);
    let mut slowest = f64::INFINITY;
    for bs in [2 << 10, 32 << 10, 1 << 20] {
        slowest = slowest.min(least(after(stage, &ELITE, bs, (2 << 10, 60))?));
    }
    found.measured("five", slowest);
    found.blocks.push(rewrite_picture(points));
    Ok(())
}

fn rewrite_picture(points: Vec<(f64, f64)>) -> Block {
    let axes = [Axis::linear("random writes of 2 KiB", "s"), Axis::linear("sequential write of 2 GB", "min")];
    lines(
        "c4",
        "C.4: sequential rewrite of the whole device",
        axes,
        vec![("page-mapped, four channels".into(), points)],
    )
}

/// Random writes after a burst of them, against those without one.
fn random_after(stage: &Stage<'_>) -> Result<f64> {
    const BS: u64 = 2 << 10;
    let speed =
        |bench: &mut flashscope_lab::OpenTarget| Ok(median(&phases(stage, bench, Rw::RandWrite, BS)?));
    let normal: Result<f64> = speed(&mut *ordered(stage, &MANY_LOGS)?);
    Ok(speed(&mut *disturbed(stage, &MANY_LOGS, BS, 60)?)? / normal?)
}
