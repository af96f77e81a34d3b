//! Paper 000, sections 3.3.1 and 3.3.6: steady, aligned patterns by block size, and what the interface
//! changes. As in appendix A, the whole device is written in order with 1 MB before each block size, and each
//! pattern runs for a time.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block};

use super::devices::TOSHIBA;
use super::table_3_1::{FILL_BYTES, four};
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{MLC_LOG_BLOCKS, SLC_SSD};
use crate::paper_time::PaperTime;
use crate::papers::AJWANI;
use crate::picture::lines;
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use crate::work::Work;

/// Blocks of twice as many pages, of chips that are an eighth slower.
const SLOWER: [Set<'static>; 2] = [("nand.pages_per_block", "256"), ("nand.program_us", "[900]")];
/// A device that maps chunks of 512 KB, as the paper believes that most do.
const CHUNKS: [Set<'static>; 2] = [("capacity", "1GiB"), ("ftl", "chunk")];
const ORDER: &str = "the paper gives an order, but no value";
const LINK: &str = "2 MB: within 25 % of the link that is set";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-steady",
        paper: &AJWANI,
        place: "section 3.3.1, figure 3.1a, appendix B",
        about: "Sequential and random reads and writes of 512 B to 8 MB, 30 s each, on a stick with log \
                blocks.",
        claims: &[
            Claim::shape("slowest", "small random writes are slower than all other patterns", "slower", "x")
                .near(1.05, ANY, "the next slowest pattern over random writes, at the worst size up to 64 KB")
                .at("section 3.3.1"),
            Claim::shape(
                "ten",
                "small random writes are at least 10 times slower than sequential ones",
                "x10 or more",
                "x",
            )
            .near(10.0, ANY, "the smallest ratio up to 2 KB")
            .at("section 3.3.1"),
            Claim::shape(
                "hundred",
                "and at least 100 times slower than large sequential writes",
                "x100 or more",
                "x",
            )
            .near(100.0, ANY, "2 MB in order over 512 B at random")
            .at("section 3.3.1"),
            Claim::shape("evident", "the difference is still there at 256 KB", "slower", "x")
                .near(1.05, ANY, "visible: 5 %")
                .at("section 3.3.1, figure 3.1a"),
            Claim::shape("reads", "reads are faster than writes at all sizes", "faster", "x")
                .near(1.05, ANY, "the smallest ratio of sequential reads to sequential writes: visible, 5 %")
                .at("section 3.3.1, figure 3.1a"),
            Claim::shape("small", "small blocks are always much slower than large ones", "much", "x")
                .near(
                    5.0,
                    ANY,
                    "2 MB over 512 B, the least of the four patterns; in table 3.1 it is 5 and more on flash",
                )
                .at("section 3.3.1"),
            Claim::shape("random-reads", "sequential reads are not faster than random ones", "x1", "x")
                .near(0.9, 1.1, "the largest ratio of any size, within 10 %")
                .at("section 3.3.1")
                .set(),
            Claim::shape(
                "grows",
                "throughput grows with the block size up to saturation",
                "no fall",
                "falls",
            )
            .near(0.0, 0.0, "doublings at which a pattern loses more than 5 %")
            .at("section 3.3.1, appendix B"),
            Claim::shape("latency", "a random page is read in less than a millisecond", "below 1 ms", "ms")
                .near(0.0, 1.0, "2 KB: below 1 ms")
                .at("section 3.3.1"),
            Claim::shape("writes", "many devices take more than 100 ms for a random write", "100 ms", "ms")
                .near(100.0, 400.0, "\"more than 100 ms\", \"some more than 300\"")
                .at("section 3.3.1"),
            Claim::shape("writes-most", "and some more than 300 ms", "300 ms", "ms")
                .near(
                    300.0,
                    600.0,
                    "512 B on the stick with blocks of twice as many pages and slower chips, set for it; \
                     four devices of table 3.1 have 205 to 341 ms, as it is rounded",
                )
                .set()
                .at("section 3.3.1"),
        ],
        run: steady,
    },
    Study {
        name: "ajwani-chunks",
        paper: &AJWANI,
        place: "section 3.3.1, the explanation",
        about: "Random writes on an FTL that maps chunks of 512 KB: the time of one write by its size.",
        claims: &[
            Claim::shape(
                "best",
                "random writes are fastest, in seconds, at the size of the chunk",
                "512 KB",
                "KiB",
            )
            .near(512.0, 512.0, "the size of the least time of 2 KB to 2 MB")
            .set(),
            Claim::shape(
                "half",
                "writing 256 KB at random is slower than 512 KB, in absolute time",
                "slower",
                "x",
            )
            .near(1.0, ANY, ORDER)
            .set(),
            Claim::shape("quarter", "and so is 128 KB", "slower", "x").near(1.0, ANY, ORDER).set(),
            Claim::shape(
                "unread",
                "at that size the new chunk is written without reading the old",
                "0",
                "pages",
            )
            .near(0.0, 1.0, "pages read for each write of 512 KB")
            .set(),
            Claim::shape("whole", "at smaller sizes the system still writes 512 KB", "512 KB", "KiB")
                .near(507.0, 517.0, "programmed for each write of 2 KB, within 1 %")
                .set(),
        ],
        run: chunks,
    },
    Study {
        name: "ajwani-interface",
        paper: &AJWANI,
        place: "section 3.3.6",
        about: "One device behind a fast, a very slow and a slow link: 20, 0.96 and 2.2 MB/s, set for the \
                figures of each.",
        claims: &[
            Claim::shape(
                "relative",
                "the interface does not change which pattern is faster",
                "same order",
                "of 6",
            )
            .near(
                6.0,
                6.0,
                "two further links and three sizes (2, 32 and 512 KB): the order of the four patterns is \
                 that of the first link at this size",
            ),
            Claim::figure("usb-read", "by USB 2.0 the card reads at most", 19.8, "MB/s")
                .within(1.25, 2.0, LINK)
                .set(),
            Claim::figure("usb-write", "and writes", 18.2, "MB/s").within(1.25, 2.0, LINK).set(),
            Claim::figure("pcmcia-read", "by PCMCIA it reads", 0.95, "MB/s").within(1.25, 2.0, LINK).set(),
            Claim::figure("pcmcia-write", "and writes", 0.95, "MB/s").within(1.25, 2.0, LINK).set(),
            Claim::figure("ide-read", "by IDE it reads", 2.16, "MB/s").within(1.25, 2.0, LINK).set(),
            Claim::figure("ide-write", "and writes", 4.38, "MB/s").within(1.25, 2.0, LINK).because(
                "a simulated link is as fast one way as the other, and is set to what was read; nothing says \
                 what slowed the reads",
            ),
        ],
        run: interfaces,
    },
];

/// The sizes of the paper's series.
fn sizes() -> impl Iterator<Item = u64> {
    (9..=23).map(|exponent| 1 << exponent)
}

fn steady(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(MLC_LOG_BLOCKS, &TOSHIBA)?;
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
    found.measured("slowest", least(64 << 10, |[sr, rr, sw, rw]| sr.min(*rr).min(*sw) / rw));
    found.measured("ten", least(2 << 10, |[.., sw, rw]| sw / rw));
    found.measured("hundred", at(2 << 20)[2] / at(512)[3]);
    found.measured("evident", at(256 << 10)[2] / at(256 << 10)[3]);
    found.measured("reads", least(u64::MAX, |[sr, _, sw, _]| sr / sw));
    let most = speeds.iter().map(|(_, [sr, rr, ..])| sr / rr).fold(0.0, f64::max);
    found.measured("random-reads", most);
    found.measured("grows", falls(&speeds) as f64);
    found.measured("small", (0..4).map(|i| at(2 << 20)[i] / at(512)[i]).fold(ANY, f64::min));
    found.measured("latency", rows[2].1[1].mean_ms());
    found.measured("writes", rows[0].1[3].mean_ms());
    drop(bench);
    found.unknown = Some("chips and blocks of another kind are set for the paper's stick alone");
    if stage.is_the_papers_device() {
        let slower: Vec<Set<'_>> = TOSHIBA.iter().chain(&SLOWER).copied().collect();
        let mut bench = stage.device(MLC_LOG_BLOCKS, &slower)?;
        found.measured("writes-most", four(stage, &mut bench, 512)?[3].mean_ms());
    }
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
    let axes = [Axis::log("block size", "bytes"), Axis::log("throughput", "MB/s")];
    lines("steady", "Steady, aligned patterns", axes, Rw::ALL.iter().enumerate().map(line).collect())
}

fn chunks(stage: &Stage<'_>) -> Result<Found> {
    let mut bench = stage.device(MLC_LOG_BLOCKS, &CHUNKS)?;
    stage.fill(&mut bench, FILL_BYTES)?;
    let mut times = Vec::new();
    for bs in (11..=21).map(|exponent| 1u64 << exponent) {
        let writes = over_all(&bench, Rw::RandWrite, bs);
        let timed = stage.timed(&mut bench, &writes, Some(PaperTime::RUN))?;
        times.push((bs, timed.mean_ms()));
    }
    let at = |wanted: u64| times.iter().find(|(bs, _)| *bs == wanted).expect("a size of the series").1;
    let best = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("sizes were tried").0;
    let mut found = Found::default();
    found.measured("best", best as f64 / 1024.0);
    found.measured("half", at(256 << 10) / at(512 << 10));
    found.measured("quarter", at(128 << 10) / at(512 << 10));
    drop(bench);
    found.unknown = Some("only a simulated SSD counts pages read and programmed");
    if stage.takes_settings() {
        for (claim, bs) in [("unread", 512u64 << 10), ("whole", 2 << 10)] {
            let writes = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
            let writes = Pattern { bs: Bytes(bs), number_ios: Some(512), ..writes };
            let device = stage.simulate(MLC_LOG_BLOCKS, &CHUNKS, &Work::Pattern(writes))?.device;
            let pages = if claim == "unread" { device.page_reads } else { 2 * device.page_programs };
            found.measured(claim, pages as f64 / 512.0);
        }
    }
    Ok(found)
}

fn interfaces(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_settings()?;
    let mut found = Found::default();
    let mut orders = [const { Vec::new() }; 3];
    for (mb_s, names) in [
        ("20", ["usb-read", "usb-write"]),
        ("0.96", ["pcmcia-read", "pcmcia-write"]),
        ("2.2", ["ide-read", "ide-write"]),
    ] {
        let mut bench = stage.device(SLC_SSD, &[("capacity", "1GiB"), ("host.mb_s", mb_s)])?;
        for (orders, bs) in orders.iter_mut().zip([2, 32, 512]) {
            let [sr, rr, sw, rw] = four(stage, &mut bench, bs << 10)?.map(|timed| timed.mb_s());
            orders.push([rr < 1.1 * sr && sr < 1.1 * rr, sr >= 0.99 * sw, sw > rw]);
        }
        for (name, rw) in names.into_iter().zip([Rw::Read, Rw::Write]) {
            let large = over_all(&bench, rw, 2 << 20);
            found.measured(name, stage.timed(&mut bench, &large, Some(PaperTime::RUN))?.mb_s());
        }
    }
    let same = orders.iter().flat_map(|of_size| of_size[1..].iter().filter(|order| **order == of_size[0]));
    found.measured("relative", same.count() as f64);
    Ok(found)
}
