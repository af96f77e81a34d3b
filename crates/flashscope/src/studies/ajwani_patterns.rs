//! Paper 000, sections 3.3.1 and 3.3.6: steady, aligned patterns by block size, and what the interface
//! changes. As in appendix A, the whole device is written in order with 1 MB before each block size, and each
//! pattern runs for a time.

use anyhow::Result;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Nanos};
use flashscope_report::html::document::{Axis, Block, Scale};

use super::claim::ANY;
use super::papers::AJWANI;
use super::picture::lines;
use super::stage::{Set, Timed, over_all};
use super::work::Work;
use super::{Claim, Found, Stage, Study};
use crate::target::Bench;

/// A stick of the class of the Toshiba TransMemory of 1 GB: its capacity, its interface.
const STICK: &str = "sim:usb-stick-2009";
const TOSHIBA: [Set<'static>; 3] = [("capacity", "1GiB"), ("host.mb_s", "13"), ("host.command_us", "460")];
/// A device that is faster than any of the paper's links.
const FAST: &str = "sim:slc-sata-2009";
/// A device that maps chunks of 512 KB, as the paper believes that most do.
const CHUNKS: [Set<'static>; 2] = [("capacity", "1GiB"), ("ftl", "chunk")];
/// What the whole device is written with before each block size.
const FILL_BYTES: u64 = 1 << 20;
/// How long each pattern runs.
const RUNTIME: Nanos = Nanos::from_s(30);

const ORDER: &str = "the paper gives an order, and no figure";
const LINK: &str = "2 MB: within 25 % of the link that is set";
const ROW: &str = "another stick of the class: within a factor of 1.5";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-steady",
        paper: &AJWANI,
        place: "section 3.3.1, figure 3.1a",
        about: "Sequential and random reads and writes of 512 B to 8 MB, 30 s each, on a stick with log \
                blocks.",
        claims: &[
            Claim::shape("slowest", "small random writes are slower than all other patterns", "slower", "x")
                .near(
                    1.0,
                    ANY,
                    "the next slowest pattern over random writes, at the worst size up to 256 KB",
                ),
            Claim::shape("ten", "small random writes are 10 times slower than sequential ones", "x10", "x")
                .near(10.0, ANY, "the smallest ratio up to 2 KB"),
            Claim::shape("hundred", "and 100 times slower than large sequential writes", "x100", "x").near(
                100.0,
                ANY,
                "2 MB in order over 512 B at random",
            ),
            Claim::shape("evident", "the difference is still there at 256 KB", "slower", "x").near(
                1.05,
                ANY,
                "visible: 5 %",
            ),
            Claim::shape("reads", "reads are faster than writes at all sizes", "faster", "x").near(
                1.0,
                ANY,
                "the smallest ratio of sequential reads to sequential writes",
            ),
            Claim::shape("random-reads", "sequential reads are not faster than random ones", "x1", "x").near(
                0.9,
                1.1,
                "the largest ratio of any size, within 10 %",
            ),
            Claim::shape(
                "grows",
                "throughput grows with the block size up to saturation",
                "no fall",
                "falls",
            )
            .near(0.0, 0.0, "doublings at which a pattern loses more than 5 %"),
            Claim::shape("latency", "a random page is read in less than a millisecond", "below 1 ms", "ms")
                .near(0.0, 1.0, "2 KB: below 1 ms"),
            Claim::shape("writes", "many devices take more than 100 ms for a random write", "100 ms", "ms")
                .near(100.0, 400.0, "\"more than 100 ms\", \"some more than 300\""),
            Claim::not_here(
                "writes-most",
                "some devices take more than 300 ms for a random write",
                "300 ms",
                "blocks twice as large would take as much, but which devices it were is not told",
            ),
        ],
        run: steady,
    },
    Study {
        name: "ajwani-table-3-1",
        paper: &AJWANI,
        place: "table 3.1, Toshiba TransMemory of 1 GB",
        about: "The row of a stick: four patterns of 512 B and 2 MB.",
        claims: &[
            Claim::figure("sr-512", "sequential reads of 512 B", 0.8, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("rr-512", "random reads of 512 B", 0.8, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("sw-512", "sequential writes of 512 B", 0.27, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("rw-512", "random writes of 512 B", 0.002, "MB/s")
                .within(1.25, 3.0, "what rounds to the digit")
                .because("chosen for the class, not for this stick"),
            Claim::figure("sr-2m", "sequential reads of 2 MB", 12.38, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("rr-2m", "random reads of 2 MB", 12.38, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("sw-2m", "sequential writes of 2 MB", 4.54, "MB/s").within(1.5, 3.0, ROW),
            Claim::figure("rw-2m", "random writes of 2 MB", 4.54, "MB/s").within(1.5, 3.0, ROW),
            Claim::not_here(
                "others",
                "the rows of twelve other flash devices",
                "12 rows",
                "devices of the same class whose insides nobody has described",
            ),
        ],
        run: table_3_1,
    },
    Study {
        name: "ajwani-chunks",
        paper: &AJWANI,
        place: "section 3.3.1, the explanation",
        about: "Random writes on an FTL that maps chunks of 512 KB: the time of one write by its size.",
        claims: &[
            Claim::shape(
                "best",
                "random writes are cheapest, in seconds, at the size of the chunk",
                "512 KB",
                "KiB",
            )
            .near(512.0, 512.0, "the size of the least time of 2 KB to 2 MB"),
            Claim::shape(
                "half",
                "writing 256 KB at random is slower than 512 KB, in absolute time",
                "slower",
                "x",
            )
            .near(1.0, ANY, ORDER),
            Claim::shape("quarter", "and so is 128 KB", "slower", "x").near(1.0, ANY, ORDER),
            Claim::shape(
                "unread",
                "at that size the new chunk is written without reading the old",
                "0",
                "pages",
            )
            .near(0.0, 1.0, "pages read for each write of 512 KB"),
            Claim::shape("whole", "at smaller sizes the system still writes 512 KB", "512 KB", "KiB").near(
                507.0,
                517.0,
                "programmed for each write of 2 KB, within 1 %",
            ),
        ],
        run: chunks,
    },
    Study {
        name: "ajwani-interface",
        paper: &AJWANI,
        place: "section 3.3.6",
        about: "One device behind a fast, a slow and a very slow link.",
        claims: &[
            Claim::shape(
                "relative",
                "the interface does not change which pattern is faster",
                "same order",
                "links",
            )
            .near(
                3.0,
                3.0,
                "links of three with which the order of the four patterns is the same",
            ),
            Claim::figure("usb-read", "by USB 2.0 the card reads at most", 19.8, "MB/s")
                .within(1.25, 2.0, LINK),
            Claim::figure("usb-write", "and writes", 18.2, "MB/s").within(1.25, 2.0, LINK),
            Claim::figure("pcmcia-read", "by PCMCIA it reads", 0.95, "MB/s").within(1.25, 2.0, LINK),
            Claim::figure("pcmcia-write", "and writes", 0.95, "MB/s").within(1.25, 2.0, LINK),
            Claim::figure("ide-read", "by IDE it reads", 2.16, "MB/s").within(1.25, 2.0, LINK),
            Claim::figure("ide-write", "and writes", 4.38, "MB/s").within(1.25, 2.1, LINK).because(
                "a simulated link is as fast one way as the other; nothing says what slowed the reads",
            ),
        ],
        run: interfaces,
    },
];

/// The sizes of the paper's series.
fn sizes() -> impl Iterator<Item = u64> {
    (9..=23).map(|exponent| 1 << exponent)
}

/// The four patterns of one size, in the order of the table: SR, RR, SW, RW.
fn four(stage: &Stage<'_>, bench: &mut Bench, bs: u64) -> Result<[Timed; 4]> {
    stage.fill(bench, FILL_BYTES)?;
    let mut timed = [Timed::default(); 4];
    for (timed, rw) in timed.iter_mut().zip(Rw::ALL) {
        *timed = stage.timed(bench, &over_all(bench, rw, bs), Some(RUNTIME))?;
    }
    Ok(timed)
}

fn steady(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(STICK, &TOSHIBA)?;
    let mut rows = Vec::new();
    for bs in sizes() {
        rows.push((bs, four(stage, &mut bench, bs)?));
    }
    let speeds: Vec<(u64, [f64; 4])> = rows.iter().map(|(bs, four)| (*bs, four.map(|t| t.mb_s()))).collect();
    let least = |most: u64, ratio: fn(&[f64; 4]) -> f64| {
        speeds.iter().filter(|(bs, _)| *bs <= most).map(|(_, four)| ratio(four)).fold(ANY, f64::min)
    };
    let at = |wanted: u64| speeds.iter().find(|(bs, _)| *bs == wanted).expect("a size of the series").1;
    let mut found = Found::default();
    found.measured("slowest", least(256 << 10, |[sr, rr, sw, rw]| sr.min(*rr).min(*sw) / rw));
    found.measured("ten", least(2 << 10, |[.., sw, rw]| sw / rw));
    found.measured("hundred", at(2 << 20)[2] / at(512)[3]);
    found.measured("evident", at(256 << 10)[2] / at(256 << 10)[3]);
    found.measured("reads", least(u64::MAX, |[sr, _, sw, _]| sr / sw));
    let most = speeds.iter().map(|(_, [sr, rr, ..])| sr / rr).fold(0.0, f64::max);
    found.measured("random-reads", most);
    found.measured("grows", falls(&speeds) as f64);
    found.measured("latency", rows[2].1[1].mean_ms());
    found.measured("writes", rows[0].1[3].mean_ms());
    found.blocks.push(picture(&speeds));
    Ok(found)
}

/// Doublings of the size at which a pattern loses more than 5 %.
fn falls(speeds: &[(u64, [f64; 4])]) -> usize {
    let falls = |pair: &[(u64, [f64; 4])]| (0..4).filter(|i| pair[1].1[*i] < 0.95 * pair[0].1[*i]).count();
    speeds.windows(2).map(falls).sum()
}

/// Figure 3.1a.
fn picture(speeds: &[(u64, [f64; 4])]) -> Block {
    let line = |(i, rw): (usize, &Rw)| {
        let points = speeds.iter().map(|(bs, four)| (*bs as f64, four[i]));
        (rw.short_name().to_string(), points.collect())
    };
    let axes = [Axis::of("block size", "bytes", Scale::Log), Axis::of("throughput", "MB/s", Scale::Log)];
    lines("steady", "Steady, aligned patterns", axes, Rw::ALL.iter().enumerate().map(line).collect())
}

fn table_3_1(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(STICK, &TOSHIBA)?;
    let mut found = Found::default();
    for (bs, names) in
        [(512, ["sr-512", "rr-512", "sw-512", "rw-512"]), (2 << 20, ["sr-2m", "rr-2m", "sw-2m", "rw-2m"])]
    {
        let row = four(stage, &mut bench, bs)?;
        names.iter().zip(row).for_each(|(name, timed)| found.measured(name, timed.mb_s()));
    }
    Ok(found)
}

fn chunks(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(STICK, &CHUNKS)?;
    stage.fill(&mut bench, FILL_BYTES)?;
    let mut times = Vec::new();
    for bs in (11..=21).map(|exponent| 1u64 << exponent) {
        let writes = over_all(&bench, Rw::RandWrite, bs);
        let timed = stage.timed(&mut bench, &writes, Some(RUNTIME))?;
        times.push((bs, timed.mean_ms()));
    }
    let at = |wanted: u64| times.iter().find(|(bs, _)| *bs == wanted).expect("a size of the series").1;
    let best = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("sizes were tried").0;
    let mut found = Found::default();
    found.measured("best", best as f64 / 1024.0);
    found.measured("half", at(256 << 10) / at(512 << 10));
    found.measured("quarter", at(128 << 10) / at(512 << 10));
    drop(bench);
    found.untold = Some("only a simulated SSD counts what it reads and programs");
    if stage.heeds_settings() {
        for (claim, bs) in [("unread", 512u64 << 10), ("whole", 2 << 10)] {
            let writes = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
            let writes = Pattern { bs: Bytes(bs), number_ios: Some(512), ..writes };
            let device = stage.simulate(STICK, &CHUNKS, &Work::Pattern(writes))?.device;
            let pages = if claim == "unread" { device.page_reads } else { 2 * device.page_programs };
            found.measured(claim, pages as f64 / 512.0);
        }
    }
    Ok(found)
}

fn interfaces(stage: &Stage<'_>) -> Result<Found> {
    stage.rebuilds()?;
    let mut found = Found::default();
    let mut orders = Vec::new();
    for (mb_s, names) in [
        ("20", ["usb-read", "usb-write"]),
        ("0.96", ["pcmcia-read", "pcmcia-write"]),
        ("2.2", ["ide-read", "ide-write"]),
    ] {
        let mut bench = stage.device(FAST, &[("capacity", "1GiB"), ("host.mb_s", mb_s)])?;
        let [sr, rr, sw, rw] = four(stage, &mut bench, 32 << 10)?.map(|timed| timed.mb_s());
        orders.push([rr < 1.1 * sr && sr < 1.1 * rr, sr >= 0.99 * sw, sw > rw]);
        for (name, rw) in names.into_iter().zip([Rw::Read, Rw::Write]) {
            let large = over_all(&bench, rw, 2 << 20);
            found.measured(name, stage.timed(&mut bench, &large, Some(RUNTIME))?.mb_s());
        }
    }
    found.measured("relative", orders.iter().filter(|order| **order == orders[0]).count() as f64);
    Ok(found)
}
