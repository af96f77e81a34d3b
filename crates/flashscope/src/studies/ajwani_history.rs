//! Paper 000, sections 3.3.4 and 3.3.5, and chapter 4: misalignment, age, and flash beside a disk.

use anyhow::Result;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Nanos};
use flashscope_report::html::document::{Axis, Block, Chart, Scale};

use super::claim::ANY;
use super::papers::AJWANI;
use super::picture::chart;
use super::session::{greatest, median};
use super::stage::{Set, over_all};
use super::{Claim, Found, Stage, Study};
use crate::target::Bench;

const STICK: &str = "sim:usb-stick-2009";
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
const RUNTIME: Nanos = Nanos::from_s(30);

const SAME: &str = "within 10 %";
const MUCH: &str = "much: by half; writes of 512 KB";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-misaligned",
        paper: &AJWANI,
        place: "section 3.3.4, figure 3.4a",
        about: "Writes and reads beside the multiples of their size, over aligned ones: a stick with log \
                blocks of 512 KB, and one that maps 16 KB.",
        claims: &[
            Claim::shape("by-2", "misaligned by 2 KB, random writes are much slower", "slower", "x")
                .near(1.5, ANY, MUCH),
            Claim::shape("by-16", "misaligned by 16 KB", "slower", "x").near(1.5, ANY, MUCH),
            Claim::shape("by-32", "misaligned by 32 KB", "slower", "x").near(1.5, ANY, MUCH),
            Claim::shape("sequential", "sequential access is not affected", "x1", "x").near(0.9, 1.1, SAME),
            Claim::shape("random-reads", "nor are random reads", "x1", "x").near(0.9, 1.1, SAME),
            Claim::shape("only-2", "another device is affected by 2 KB", "slower", "x").near(
                1.1,
                ANY,
                "visible: 10 %; writes of 64 KB, mapped in units of 16",
            ),
            Claim::shape("not-16", "but not by 16 KB", "x1", "x").near(0.9, 1.1, SAME),
            Claim::shape("not-32", "nor by 32 KB", "x1", "x").near(0.9, 1.1, SAME),
        ],
        run: misaligned,
    },
    Study {
        name: "ajwani-aging",
        paper: &AJWANI,
        place: "section 3.3.5, figure 3.4b",
        about: "A device of 1 MiB written in order, again and again; the four patterns of 32 KB before and \
                after.",
        claims: &[
            Claim::shape(
                "constant",
                "each pattern's performance is constant, even after 60,000 writes of all",
                "constant",
                "%",
            )
            .near(0.0, 2.0, "the largest change of the four, within 2 %"),
            Claim::shape(
                "worn",
                "a stick written 320,000 times, three times what it is rated for, is no slower",
                "constant",
                "%",
            )
            .near(
                -2.0,
                2.0,
                "the last passes against the first, within 2 %; simulated blocks do not get slower with \
                 erases, and here they outlive their rating, as the paper's did",
            ),
        ],
        run: aging,
    },
    Study {
        name: "ajwani-bfs",
        paper: &AJWANI,
        place: "chapter 4, figure 4.1 and table 4.1",
        about: "Breadth-first search with its graph on flash and its pool on a disk.",
        claims: &[
            Claim::not_here(
                "root",
                "clusters reduce the IOs of a sparse graph by a factor of up to the root of B",
                "root of B",
                "a theorem on an algorithm, cited from another paper",
            ),
            Claim::not_here(
                "hours",
                "random accesses to flash, the rest to a disk: around 25 % better than striping over both",
                "7.1 h of waiting, not 10.5",
                "needs external-memory graph algorithms, which a lab for devices does not have",
            ),
            Claim::not_here(
                "totals",
                "table 4.1: striped over flash and disk, over two disks, this strategy, smaller clusters",
                "11.7, 7.5, 8.1, 6.3 h in all",
                "as above; 6.3 h of waiting with two disks",
            ),
            Claim::not_here(
                "clusters",
                "with smaller clusters it is faster still",
                "5.8 h of waiting",
                "as above: the trade of random reads against scans is the algorithm's",
            ),
        ],
        run: |_| Ok(Found::default()),
    },
];

/// MB/s of a pattern that begins `shift` bytes beside the multiples of its size.
fn shifted(stage: &Stage<'_>, bench: &mut Bench, rw: Rw, bs: u64, shift: u64) -> Result<f64> {
    let all = over_all(bench, rw, bs);
    let size = Bytes(all.size.0 - bs);
    let pattern = Pattern { size, shift: Bytes(shift), ..all };
    Ok(stage.timed(bench, &pattern, Some(RUNTIME))?.mb_s())
}

fn misaligned(stage: &Stage<'_>) -> Result<Found> {
    const KIB: u64 = 1 << 10;
    let mut found = Found::default();
    let mut curves = Vec::new();
    let mut logs = stage.device(STICK, &SMALL)?;
    stage.fill(&mut logs, 1 << 20)?;
    for (claim, shift) in [("by-2", 2 * KIB), ("by-16", 16 * KIB), ("by-32", 32 * KIB)] {
        let mut points = Vec::new();
        for bs in (12..=21).map(|exponent| 1u64 << exponent).filter(|bs| !shift.is_multiple_of(*bs)) {
            let aligned = shifted(stage, &mut logs, Rw::RandWrite, bs, 0)?;
            let slower = aligned / shifted(stage, &mut logs, Rw::RandWrite, bs, shift)?;
            points.push((bs as f64, 1.0 / slower));
            if bs == 512 * KIB {
                found.measured(claim, slower);
            }
        }
        curves.push((format!("by {} KiB", shift >> 10), points));
    }
    for (claim, rw) in [("sequential", Rw::Write), ("random-reads", Rw::RandRead)] {
        let [aligned, beside] = [0, 2 * KIB].map(|shift| shifted(stage, &mut logs, rw, 256 * KIB, shift));
        found.measured(claim, aligned? / beside?);
    }
    drop(logs);
    found.blocks.push(picture(curves));
    found.untold = Some("a device maps what it maps: that is told by the claims above");
    if stage.heeds_settings() {
        for (claim, shift) in [("only-2", 2 * KIB), ("not-16", 16 * KIB), ("not-32", 32 * KIB)] {
            let of = |shift| {
                let mut units = stage.device(STICK, &UNITS)?;
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
    let axes = [
        Axis::of("block size", "bytes", Scale::Log),
        Axis::of("misaligned, of aligned throughput", "", Scale::Linear),
    ];
    Block::Chart(Chart {
        caption: "Random writes beside the multiples of their size, as a share of aligned ones.".into(),
        ..chart("misaligned", "Misaligned random writes", axes, curves)
    })
}

fn aging(stage: &Stage<'_>) -> Result<Found> {
    /// Passes of a real device: it is not worn out for a study.
    const FEW: usize = 20;
    let (some, many) = if stage.is_held() { (FEW, FEW) } else { (60_000, 320_000) };
    let mut bench = stage.device(STICK, &TINY)?;
    // Once to forget how it began.
    patterns(stage, &mut bench)?;
    let before = patterns(stage, &mut bench)?;
    let mut speeds = Vec::new();
    for pass in 0..many {
        if pass % 1000 == 0 {
            stage.must_go_on()?;
        }
        speeds.push(stage.fill(&mut bench, 1 << 20)?.mb_s());
    }
    let mut found = Found { untold: Some("a real device is not worn out for a study"), ..Found::default() };
    let after = patterns(stage, &mut bench)?;
    let changes = before.iter().zip(after).map(|(before, after)| 100.0 * (after / before - 1.0).abs());
    found.measured("constant", greatest(changes));
    if many > some {
        let (first, last) = (median(&speeds[..1000]), median(&speeds[many - 1000..]));
        found.measured("worn", 100.0 * (last / first - 1.0));
    }
    Ok(found)
}

/// MB/s of the four patterns of 32 KB.
fn patterns(stage: &Stage<'_>, bench: &mut Bench) -> Result<[f64; 4]> {
    stage.fill(bench, 1 << 20)?;
    let mut speeds = [0.0; 4];
    for (speed, rw) in speeds.iter_mut().zip(Rw::ALL) {
        *speed = stage.timed(bench, &over_all(bench, rw, 32 << 10), Some(RUNTIME))?.mb_s();
    }
    Ok(speeds)
}
