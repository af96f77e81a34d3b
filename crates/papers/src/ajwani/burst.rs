//! Paper 000, section 3.3.3: what a burst of random writes does to what comes after it. How long that lasts
//! is in `recovery`.

use flashscope_core::Io;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block, Chart};

use super::devices::PAGES;
use crate::claim::Claim;
use crate::device::Device;
use crate::devices::MLC_LOG_BLOCKS;
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::picture::{Line, chart};
use crate::session::{mean, median};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use flashscope_lab::OpenTarget;

/// The same flash with log blocks.
const LOGS: [Set<'static>; 1] = [("capacity", "512MiB")];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-burst",
    paper: &AJWANI,
    place: "section 3.3.3, figure 3.3",
    about: "Bursts of 5, 30 and 60 s of random writes, of 2 KB and of the size that follows, then 30 phases \
            of 4 s of sequential writes of 2 KB to 1 MB, beside their steady state. A page-mapped stick with \
            4 % of spare blocks stands for those that are slowed, and one with log blocks for those that are \
            not.",
    claims: &[
        Claim::shape("small", "small writes lose over half for two minutes", "below 0.5", "of normal")
            .near(0.0, 0.5, "the median of the 30 phases of 2 KB, after 60 s of 2 KB")
            .kind(0.0, 0.75),
        Claim::shape("large", "larger ones lose more than 10 %", "below 0.9", "of normal").near(
            0.3,
            0.9,
            "the median of 256 KB after 60 s of the same size; at least 0.3",
        ),
        Claim::shape("order", "and less than small ones", "less", "x").near(
            1.05,
            20.0,
            "the share of 256 KB over that of 2 KB, after 60 s of the same size",
        ),
        Claim::shape("order-2k", "and so it is after bursts of 2 KB, too", "less", "x")
            .near(1.05, 20.0, "the same after 60 s of 2 KB")
            .because(
                "here what must be copied depends on the burst alone, and costs large writes, which are \
                 faster, the greater part of their speed",
            ),
        Claim::shape("minute", "the effect can last a minute or more", "60 s", "s")
            .near(60.0, 120.0, "writes of 32 KB are below 0.9 of normal, of the 120 s that are looked at")
            .at("section 3.3.3")
            .one_sided(),
        Claim::shape("hours", "and in rare cases hours of sustained writing: at least", "hours", "h")
            .kind(1.0, 100.0)
            .tolerated("until a rewrite is within 5 % of normal; at most 20 rewrites are tried")
            .because(
                "20 rewrites do not heal this device, so that how long it takes is not found: see \
                 ajwani-recovery/healed",
            )
            .at("section 3.3.3"),
        Claim::shape("reads", "subsequent reads are not affected", "1", "of normal")
            .near(0.95, 1.05, "within 5 %; 32 KB on the page-mapped stick")
            .at("section 3.3.3"),
        Claim::shape("immune", "many devices are not affected at all", "1", "of normal")
            .near(0.95, 1.05, "the mean of all phases of 32 KB after 60 s of 2 KB, on log blocks: within 5 %")
            .at("section 3.3.3"),
    ],
    run: burst,
}];

/// Rewrites that are tried.
pub(super) const MOST: u32 = 20;
pub(super) const PHASES: usize = 30;
pub(super) const PHASE: PaperTime = PaperTime::from_s(4);
/// How long bursts last, in seconds.
const LENGTHS_S: [u64; 3] = [5, 30, 60];
const SMALL: u64 = 2 << 10;

/// How long bursts last, in seconds: of a real device, which is written whole before each, the longest alone.
pub(super) fn lengths_s(stage: &Stage<'_>) -> &'static [u64] {
    &LENGTHS_S[if stage.is_real() { 2 } else { 0 }..]
}

/// The sizes of figures 3.3 and C.1.
pub(super) fn sizes() -> impl Iterator<Item = u64> {
    (11..=20).map(|exponent| 1 << exponent)
}

/// A device that was written in order.
pub(super) fn ordered<'a>(stage: &'a Stage<'_>, settings: &[Set<'_>]) -> Result<Device<'a>> {
    let mut bench = stage.device(MLC_LOG_BLOCKS, settings)?;
    stage.fill(&mut bench, 1 << 20)?;
    Ok(bench)
}

/// The same, and then at random for some seconds.
pub(super) fn disturbed<'a>(
    stage: &'a Stage<'_>,
    settings: &[Set<'_>],
    bs: u64,
    seconds: u64,
) -> Result<Device<'a>> {
    let mut bench = ordered(stage, settings)?;
    let writes = over_all(&bench, Rw::RandWrite, bs);
    stage.timed(&mut bench, &writes, Some(PaperTime::from_s(seconds)))?;
    Ok(bench)
}

/// MB/s of sequential writes in each phase.
pub(super) fn phases(stage: &Stage<'_>, bench: &mut OpenTarget, rw: Rw, bs: u64) -> Result<Vec<f64>> {
    let phase = stage.time(PHASE);
    let mut bytes = vec![0u64; PHASES];
    let writes = Pattern { number_ios: None, ..over_all(bench, rw, bs) };
    let end = PHASE.times(PHASES);
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

/// Phases of `bs` after a burst of `burst_bs` and so many seconds, as shares of the median without one.
pub(super) fn after(stage: &Stage<'_>, settings: &[Set<'_>], bs: u64, burst: (u64, u64)) -> Result<Vec<f64>> {
    let normal = median(&phases(stage, &mut *ordered(stage, settings)?, Rw::Write, bs)?);
    after_as(stage, settings, (bs, normal), burst)
}

fn after_as(
    stage: &Stage<'_>,
    settings: &[Set<'_>],
    (bs, normal): (u64, f64),
    (burst_bs, seconds): (u64, u64),
) -> Result<Vec<f64>> {
    let after = phases(stage, &mut *disturbed(stage, settings, burst_bs, seconds)?, Rw::Write, bs)?;
    Ok(after.into_iter().map(|mb_s| mb_s / normal).collect())
}

/// The graphs of figure 3.3, and of the middle of C.1: medians of the phases by size.
pub(super) struct BySize {
    /// For each size and each length of the burst, which was of the same size, and of 2 KB.
    rows: Vec<(u64, Vec<[f64; 2]>)>,
}

impl BySize {
    pub(super) fn of(stage: &Stage<'_>, settings: &[Set<'_>], lengths_s: &[u64]) -> Result<BySize> {
        let mut rows = Vec::new();
        for bs in sizes() {
            let normal = median(&phases(stage, &mut *ordered(stage, settings)?, Rw::Write, bs)?);
            let mut medians = Vec::new();
            for seconds in lengths_s {
                let same = median(&after_as(stage, settings, (bs, normal), (bs, *seconds))?);
                let small = match bs {
                    SMALL => same,
                    _ => median(&after_as(stage, settings, (bs, normal), (SMALL, *seconds))?),
                };
                medians.push([same, small]);
            }
            rows.push((bs, medians));
        }
        Ok(BySize { rows })
    }

    /// What is left after the longest burst: of the same size, of 2 KB.
    pub(super) fn at(&self, wanted: u64) -> [f64; 2] {
        let row = self.rows.iter().find(|(bs, _)| *bs == wanted).expect("a size of the series");
        *row.1.last().expect("a length of bursts")
    }

    pub(super) fn picture(&self, id: &str, title: &str, lengths_s: &[u64]) -> Block {
        let line = |kind: usize, length: usize| -> Line {
            let of = ["the same size", "2 KiB"][kind];
            let points = self.rows.iter().map(|(bs, medians)| (*bs as f64, medians[length][kind]));
            (format!("{} s of {of}", lengths_s[length]), points.collect())
        };
        let curves = (0..2).flat_map(|kind| (0..lengths_s.len()).map(move |length| line(kind, length)));
        let axes = [Axis::log("block size", "bytes"), Axis::linear("share of steady throughput", "")];
        Block::Chart(Chart {
            caption: "Median of 30 phases of 4 s after a burst, as a share of steady throughput.".into(),
            ..chart(id, title, axes, curves.collect())
        })
    }
}

fn burst(stage: &Stage<'_>) -> Result<Found> {
    const LARGE: u64 = 256 << 10;
    const MIDDLE: u64 = 32 << 10;
    let mut found = Found::default();
    let lengths_s = lengths_s(stage);
    let pages = BySize::of(stage, &PAGES, lengths_s)?;
    let ([small, _], [large, large_of_small]) = (pages.at(SMALL), pages.at(LARGE));
    found.measured("small", small);
    found.measured("large", large);
    found.measured("order", large / small);
    found.measured("order-2k", large_of_small / small);
    found.blocks.push(pages.picture("after-burst", "After a burst, page-mapped", lengths_s));
    let slowed = after(stage, &PAGES, MIDDLE, (SMALL, 60))?;
    let slow = slowed.iter().filter(|share| **share < 0.9).count();
    found.measured("minute", slow as f64 * PHASE.as_s());
    found.measured("hours", rewritten(stage, &PAGES, 60)?.slow_s / 3600.0);
    found.measured("reads", reads(stage)?);
    let immune = after(stage, &LOGS, MIDDLE, (SMALL, 60))?;
    found.measured("immune", mean(&immune));
    let curves = [("page-mapped".into(), slowed), ("log blocks".into(), immune)];
    found.blocks.push(time_line("phases", "32 KiB after 60 s of 2 KiB", &curves));
    Ok(found)
}

/// Sequential reads after a burst, against before.
fn reads(stage: &Stage<'_>) -> Result<f64> {
    let speed = |bench: &mut OpenTarget| -> Result<f64> {
        let reads = over_all(bench, Rw::Read, 32 << 10);
        Ok(stage.timed(bench, &reads, Some(PHASE))?.mb_s())
    };
    let before = speed(&mut *ordered(stage, &PAGES)?)?;
    Ok(speed(&mut *disturbed(stage, &PAGES, SMALL, 30)?)? / before)
}

/// Rewrites of everything, in order with 2 MB, after a burst of 2 KB.
pub(super) struct Rewritten {
    /// How long the first takes.
    pub(super) first_s: f64,
    /// How long it takes without a burst.
    pub(super) usual_s: f64,
    /// How many there are until the next has 0.95 of the usual speed.
    pub(super) rewrites: u32,
    /// How long these take.
    slow_s: f64,
}

pub(super) fn rewritten(stage: &Stage<'_>, settings: &[Set<'_>], seconds: u64) -> Result<Rewritten> {
    let fill_s = |bench: &mut OpenTarget| -> Result<f64> {
        let bytes = bench.info().size_bytes as f64;
        Ok(bytes / 1e6 / stage.fill(bench, 2 << 20)?.mb_s())
    };
    let usual_s = fill_s(&mut *ordered(stage, settings)?)?;
    let mut bench = disturbed(stage, settings, SMALL, seconds)?;
    let first_s = fill_s(&mut bench)?;
    let (mut rewrites, mut slow_s) = (1, first_s);
    while rewrites < MOST {
        let next_s = fill_s(&mut bench)?;
        if next_s < usual_s / 0.95 {
            break;
        }
        rewrites += 1;
        slow_s += next_s;
    }
    Ok(Rewritten { first_s, usual_s, rewrites, slow_s })
}

/// Phases by time.
pub(super) fn time_line(id: &str, title: &str, curves: &[(String, Vec<f64>)]) -> Block {
    let point = |(phase, share): (usize, &f64)| ((phase as f64 + 0.5) * PHASE.as_s(), *share);
    let line =
        |(name, curve): &(String, Vec<f64>)| (name.clone(), curve.iter().enumerate().map(point).collect());
    let axes = [Axis::linear("since the burst", "s"), Axis::linear("share of steady throughput", "")];
    Block::Chart(Chart {
        caption: "Throughput of 4 s phases, as a share of steady throughput.".into(),
        ..chart(id, title, axes, curves.iter().map(line).collect())
    })
}
