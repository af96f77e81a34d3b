//! Paper 000, sections 3.3.4 and 3.3.5: misalignment and age.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block, Chart, Scale};

use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::MLC_LOG_BLOCKS;
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::picture::{chart, lines};
use crate::session::{greatest, median};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use flashscope_lab::OpenTarget;

const SMALL: [Set<'static>; 1] = [("capacity", "512MiB")];
/// Mapped in units of 16 KiB.
const UNITS: [Set<'static>; 4] =
    [("capacity", "256MiB"), ("ftl", "page"), ("nand.page", "16KiB"), ("over_provisioning", "0.1")];
/// So small that it is written hundreds of thousands of times in seconds, and good for it.
const TINY: [Set<'static>; 6] = [
    ("log_block.log_blocks", "2"),
    ("capacity", "1MiB"),
    ("nand.page", "16KiB"),
    ("nand.pages_per_block", "8"),
    ("over_provisioning", "2"),
    ("nand.endurance_erases", "4000000000"),
];

const SAME: &str = "within 10 %";
const WORST: &str = "256 KB beside its multiples by 2, 16 and 32 KB: the worst, within 10 %";
const MUCH: &str = "much: by half; writes of 512 KB";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-misaligned",
        paper: &AJWANI,
        place: "section 3.3.4, figure 3.4a",
        about: "Writes and reads beside the multiples of their size, over aligned ones: a stick with log \
                blocks of 512 KB, and one that maps 16 KB, for the device that minds 2 KB alone.",
        claims: &[
            Claim::shape("sizes", "the precise effect varies", "varies", "of 23").near(
                3.0,
                22.0,
                "sizes and shifts of figure 3.4a's kind (4 KB to 2 MB; 2, 16 and 32 KB) at which it is a \
                     tenth or more: some for each shift, not all",
            ),
            Claim::shape("by-2", "misaligned by 2 KB, random writes are much slower", "slower", "x")
                .near(1.5, ANY, MUCH),
            Claim::shape("by-16", "misaligned by 16 KB", "slower", "x").near(1.5, ANY, MUCH),
            Claim::shape("by-32", "misaligned by 32 KB", "slower", "x").near(1.5, ANY, MUCH),
            Claim::shape("sequential", "sequential access is not affected", "x1", "x")
                .near(0.9, 1.1, WORST)
                .at("section 3.3.4"),
            Claim::shape("random-reads", "nor are random reads", "x1", "x")
                .near(0.9, 1.1, WORST)
                .at("section 3.3.4"),
            Claim::shape(
                "only-2",
                "another device, SuperTalent's of 128 MB, is affected by 2 KB",
                "slower",
                "x",
            )
            .near(1.1, ANY, "visible: 10 %; writes of 64 KB, mapped in units of 16")
            .at("section 3.3.4")
            .set(),
            Claim::shape("not-16", "but not by 16 KB", "x1", "x")
                .near(0.9, 1.1, SAME)
                .at("section 3.3.4")
                .set(),
            Claim::shape("not-32", "nor by 32 KB", "x1", "x").near(0.9, 1.1, SAME).at("section 3.3.4").set(),
            Claim::not_here(
                "page",
                "2, 16 and 32 KB are at most as large as a flash page",
                "a page of 32 KB",
                "section 3.1 has pages of 2,048 bytes, and so has the stick; pages of several chips that are \
                 mapped as one may be meant, but the number is not specified for any device",
            )
            .at("section 3.3.4"),
        ],
        run: misaligned,
    },
    Study {
        name: "ajwani-aging",
        paper: &AJWANI,
        place: "section 3.3.5, figure 3.4b",
        about: "A device of 1 MiB written in order, again and again, and looked at every 10,000 passes: the \
                four patterns of 32 KB. No time of a simulated block depends on its erases, and its rating \
                is set out of the way: what could slow it are the spare blocks and the mapping.",
        claims: &[
            Claim::shape(
                "constant",
                "each pattern's performance is constant, even after 60,000 writes of all",
                "constant",
                "%",
            )
            .near(0.0, 2.0, "the largest change of the four at any look, within 2 %; no block slows with age")
            .set(),
            Claim::shape(
                "worn",
                "Kingston's DataTraveler II+ of 512 MB, written 320,000 times, is no slower",
                "constant",
                "%",
            )
            .near(-2.0, 2.0, "the last passes against the first, within 2 %; no block slows with age")
            .at("section 3.3.5")
            .set(),
            Claim::not_here(
                "rating",
                "which exceeds its rated endurance at least threefold",
                "x3",
                "a simulated block that passes its rating is a fault; how far beyond it a real one lives is \
                 its chip's",
            )
            .at("section 3.3.5"),
        ],
        run: aging,
    },
];

/// MB/s of a pattern that begins `shift` bytes beside the multiples of its size.
fn shifted(stage: &Stage<'_>, bench: &mut OpenTarget, rw: Rw, bs: u64, shift: u64) -> Result<f64> {
    let all = over_all(bench, rw, bs);
    let size = Bytes(all.size.0 - bs);
    let pattern = Pattern { size, shift: Bytes(shift), ..all };
    Ok(stage.timed(bench, &pattern, Some(PaperTime::RUN))?.mb_s())
}

fn misaligned(stage: &Stage<'_>) -> Result<Found> {
    const KIB: u64 = 1 << 10;
    let mut found = Found::default();
    let mut curves = Vec::new();
    let mut slow_sizes = 0;
    let mut logs = stage.device(MLC_LOG_BLOCKS, &SMALL)?;
    stage.fill(&mut logs, 1 << 20)?;
    for (claim, shift) in [("by-2", 2 * KIB), ("by-16", 16 * KIB), ("by-32", 32 * KIB)] {
        let mut points = Vec::new();
        for bs in (12..=21).map(|exponent| 1u64 << exponent).filter(|bs| !shift.is_multiple_of(*bs)) {
            let aligned = shifted(stage, &mut logs, Rw::RandWrite, bs, 0)?;
            let slower = aligned / shifted(stage, &mut logs, Rw::RandWrite, bs, shift)?;
            slow_sizes += u32::from(slower >= 1.1);
            points.push((bs as f64, 1.0 / slower));
            if bs == 512 * KIB {
                found.measured(claim, slower);
            }
        }
        curves.push((format!("offset {} KiB", shift >> 10), points));
    }
    found.measured("sizes", f64::from(slow_sizes));
    for (claim, patterns) in [("sequential", &[Rw::Read, Rw::Write][..]), ("random-reads", &[Rw::RandRead])] {
        let mut worst = 1.0f64;
        for rw in patterns {
            let aligned = shifted(stage, &mut logs, *rw, 256 * KIB, 0)?;
            for shift in [2, 16, 32] {
                let ratio = aligned / shifted(stage, &mut logs, *rw, 256 * KIB, shift * KIB)?;
                worst = if (ratio - 1.0).abs() > (worst - 1.0).abs() { ratio } else { worst };
            }
        }
        found.measured(claim, worst);
    }
    drop(logs);
    found.blocks.push(picture(curves));
    found.unknown = Some("the mapping unit of a device cannot be changed; see the claims above");
    if stage.takes_settings() {
        for (claim, shift) in [("only-2", 2 * KIB), ("not-16", 16 * KIB), ("not-32", 32 * KIB)] {
            let of = |shift| {
                let mut units = stage.device(MLC_LOG_BLOCKS, &UNITS)?;
                stage.fill(&mut units, 1 << 20)?;
                shifted(stage, &mut units, Rw::RandWrite, 64 * KIB, shift)
            };
            found.measured(claim, of(0)? / of(shift)?);
        }
    }
    Ok(found)
}

/// Figure 3.4a.
fn picture(curves: Vec<(String, Vec<(f64, f64)>)>) -> Block {
    let axes =
        [Axis::log("block size", "bytes"), Axis::of("misaligned / aligned throughput", "", Scale::Linear)];
    Block::Chart(Chart {
        caption: "Misaligned random writes, throughput as a share of aligned ones.".into(),
        ..chart("misaligned", "Misaligned random writes", axes, curves)
    })
}

fn aging(stage: &Stage<'_>) -> Result<Found> {
    /// Passes of a real device: it is not worn out for a study.
    const FEW: usize = 20;
    let (between, looks, many) = if stage.is_real() { (FEW, 1, FEW) } else { (10_000, 6, 320_000) };
    let mut bench = stage.device(MLC_LOG_BLOCKS, &TINY)?;
    // Once to forget how it began.
    patterns(stage, &mut bench)?;
    let mut seen = vec![(0, patterns(stage, &mut bench)?)];
    let mut speeds = Vec::new();
    for pass in 1..=many {
        if pass % 1000 == 0 {
            stage.check_interrupt()?;
        }
        speeds.push(stage.fill(&mut bench, 1 << 20)?.mb_s());
        if pass % between == 0 && seen.len() <= looks {
            seen.push((pass, patterns(stage, &mut bench)?));
        }
    }
    let mut found = Found { unknown: Some("a study does not wear out a real device"), ..Found::default() };
    let change = |look: &(usize, [f64; 4])| {
        let changes = look.1.iter().zip(seen[0].1).map(|(now, first)| 100.0 * (now / first - 1.0).abs());
        greatest(changes)
    };
    found.measured("constant", greatest(seen.iter().map(change)));
    if many > between {
        let (first, last) = (median(&speeds[..1000]), median(&speeds[many - 1000..]));
        found.measured("worn", 100.0 * (last / first - 1.0));
    }
    found.blocks.push(age_picture(&seen));
    Ok(found)
}

/// Figure 3.4b.
fn age_picture(seen: &[(usize, [f64; 4])]) -> Block {
    let line = |(i, rw): (usize, &Rw)| {
        let points = seen.iter().map(|(passes, four)| (*passes as f64, four[i]));
        (rw.short_name().to_string(), points.collect())
    };
    let axes = [Axis::linear("sequential fills", ""), Axis::linear("throughput", "MB/s")];
    lines("age", "Age", axes, Rw::ALL.iter().enumerate().map(line).collect())
}

/// MB/s of the four patterns of 32 KB.
fn patterns(stage: &Stage<'_>, bench: &mut OpenTarget) -> Result<[f64; 4]> {
    stage.fill(bench, 1 << 20)?;
    let mut speeds = [0.0; 4];
    for (speed, rw) in speeds.iter_mut().zip(Rw::ALL) {
        *speed = stage.timed(bench, &over_all(bench, rw, 32 << 10), Some(PaperTime::RUN))?.mb_s();
    }
    Ok(speeds)
}
