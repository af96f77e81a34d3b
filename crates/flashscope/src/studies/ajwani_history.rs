//! Paper 000, sections 3.3.3 to 3.3.5, appendices B and C: what earlier writes and alignment do to later
//! ones.

use anyhow::Result;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Io, Nanos};
use flashscope_report::html::document::{Axis, Block, Chart, Scale};

use super::claim::ANY;
use super::papers::AJWANI;
use super::picture::chart;
use super::session::median;
use super::stage::{Set, Subject, over_all};
use super::work::Work;
use super::{Claim, Found, Stage, Study};
use crate::target::Bench;

const STICK: &str = "sim:usb-stick-2009";
/// Page mapping with few spare blocks: what is fast after order and slow after disorder.
const PAGES: [Set<'static>; 3] = [("capacity", "512MiB"), ("ftl", "page"), ("over_provisioning", "0.04")];
const SSD: &str = "sim:slc-sata-2009";

/// Pages are mapped, and a little RAM joins what is written in order.
const BUFFERED: [Set<'static>; 4] =
    [("capacity", "1GiB"), ("ftl", "page"), ("buffer", "fifo"), ("ram.size", "256KiB")];

const ORDER: &str = "the paper gives a direction, and no figure";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "ajwani-burst",
        paper: &AJWANI,
        place: "section 3.3.3, figure 3.3, appendix C",
        about: "Bursts of random writes of 2 KB, then 30 phases of 4 s of sequential writes, beside their \
                steady state; a page-mapped stick with few spare blocks.",
        devices: &[STICK],
        claims: &[
            Claim::shape(
                "small",
                "small writes lose more than half for two minutes",
                "below 0.5",
                "of normal",
            )
            .near(0.0, 0.5, "the median of the phases after 60 s, writes of 2 KB")
            .kind(0.0, 0.9),
            Claim::shape("large", "larger ones lose more than 10 %", "below 0.9", "of normal")
                .near(0.0, 0.9, "writes of 32 KB")
                .kind(0.0, 0.97),
            Claim::shape("reads", "subsequent reads are not affected", "1", "of normal").near(
                0.95,
                1.05,
                "within 5 %",
            ),
            Claim::shape(
                "first",
                "after 30 s of random writes of 32 KB they slow down to about 30 %",
                "0.3",
                "of normal",
            )
            .near(0.2, 0.45, "within a factor of 1.5, in the first 4 s")
            .kind(0.0, 0.8),
            Claim::shape(
                "rewrite",
                "only a full rewrite brings some devices back; it takes 8 times as long",
                "x8",
                "x",
            )
            .near(5.3, 12.0, "within a factor of 1.5; in order with 2 MB, after 60 s of 2 KB at random")
            .kind(1.2, ANY),
        ],
        run: burst,
    },
    Study {
        name: "ajwani-misaligned",
        paper: &AJWANI,
        place: "section 3.3.4, figure 3.4a",
        about: "Random writes of one flash page, moved by half a page, beside aligned ones.",
        devices: &[SSD],
        claims: &[
            Claim::shape(
                "random-writes",
                "misaligned random writes are much slower on many devices",
                "slower",
                "x",
            )
            .near(1.1, ANY, "visible: 10 %"),
            Claim::shape("sequential", "sequential access is not affected", "x1", "x")
                .near(0.8, 1.2, ORDER)
                .kind(0.6, 1.5)
                .because("each write touches two pages of the buffer, which takes a little longer"),
            Claim::shape("random-reads", "nor are random reads", "x1", "x")
                .near(0.8, 1.2, ORDER)
                .kind(0.5, 1.2)
                .because("half a page more is read, from another die at the same time"),
        ],
        run: misaligned,
    },
    Study {
        name: "ajwani-mapping",
        paper: &AJWANI,
        place: "appendix B",
        about: "The same flash with a mapping of blocks and with a mapping of pages.",
        devices: &[STICK],
        claims: &[
            Claim::shape(
                "blocks",
                "devices that write fast in order need over 100 ms for a small random write",
                "100 ms",
                "ms",
            )
            .near(100.0, 400.0, "log blocks"),
            Claim::shape("pages", "those that map pages need less than 10 ms", "10 ms", "ms").near(
                0.0,
                10.0,
                "page mapping with an eighth of spare blocks",
            ),
            Claim::shape("half", "with twice the flash an erase frees at least half a block", "50 %", "%")
                .near(
                    50.0,
                    100.0,
                    "pages freed for each erased, uniform random writes: 1 - 1/2 in the worst case",
                ),
            Claim::not_here(
                "falls",
                "one stick writes fastest with 64 KB and loses more than 20 % beyond",
                "20 %",
                "a peculiarity of one device, of which no mechanism is known",
            ),
        ],
        run: mapping,
    },
    Study {
        name: "ajwani-aging",
        paper: &AJWANI,
        place: "section 3.3.5, figure 3.4b",
        about: "Hundreds of sequential writes of a whole small device.",
        devices: &[STICK],
        claims: &[
            Claim::shape("constant", "performance does not change with age", "constant", "%").near(
                -2.0,
                2.0,
                "the last passes against the first, within 2 %",
            ),
            Claim::not_here(
                "worn",
                "320,000 passes, three times the rated endurance, show nothing",
                "320,000 passes",
                "simulated flash ends at its rated endurance, and does not get slower before",
            ),
        ],
        run: aging,
    },
    Study {
        name: "ajwani-bfs",
        paper: &AJWANI,
        place: "chapter 4, table 4.1",
        about: "Breadth-first search with its graph on flash and its pool on a disk.",
        devices: &[],
        claims: &[Claim::not_here(
            "hours",
            "random accesses to flash and the rest to a disk save about 25 % of the time",
            "10.5 to 7.1 h of waiting",
            "needs external-memory algorithms, which flashscope does not have yet",
        )],
        run: |_| Ok(Found::default()),
    },
];

const PHASES: usize = 30;
const PHASE: Nanos = Nanos::from_s(4);

/// Random writes for some seconds, after the device was written in order.
fn disturbed<'a>(stage: &'a Stage<'_>, bs: u64, seconds: u64) -> Result<Subject<'a>> {
    let mut bench = stage.device(STICK, &PAGES)?;
    stage.fill(&mut bench, 1 << 20)?;
    let writes = over_all(&bench, Rw::RandWrite, bs);
    stage.timed(&mut bench, &writes, Some(Nanos::from_s(seconds)))?;
    Ok(bench)
}

/// MB/s of sequential writes in each phase.
fn phases(stage: &Stage<'_>, bench: &mut Bench, bs: u64) -> Result<Vec<f64>> {
    let mut bytes = vec![0u64; PHASES];
    let writes = Pattern { number_ios: None, ..over_all(bench, Rw::Write, bs) };
    let end = Nanos(PHASE.0 * PHASES as u64);
    stage.each_io(bench, &writes, Some(end), &mut |io: &Io| {
        let done_ns = (io.submitted + io.response).0;
        if let Some(phase) = bytes.get_mut((done_ns / PHASE.0) as usize) {
            *phase += u64::from(io.length_bytes);
        }
    })?;
    Ok(bytes.into_iter().map(|bytes| bytes as f64 / 1e6 / PHASE.as_s()).collect())
}

/// Sequential writes of this size on a device that knows nothing else.
fn steady(stage: &Stage<'_>, bs: u64) -> Result<f64> {
    let mut bench = stage.device(STICK, &PAGES)?;
    stage.fill(&mut bench, 1 << 20)?;
    Ok(median(&phases(stage, &mut bench, bs)?))
}

fn burst(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut curves = Vec::new();
    for (claim, bs) in [("small", 2 << 10), ("large", 32 << 10)] {
        let normal = steady(stage, bs)?;
        let mut bench = disturbed(stage, 2 << 10, 60)?;
        let after: Vec<f64> = phases(stage, &mut bench, bs)?.iter().map(|mb_s| mb_s / normal).collect();
        found.measured(claim, median(&after));
        curves.push((format!("{} KiB after 60 s of 2 KiB", bs >> 10), after));
    }
    let normal = steady(stage, 32 << 10)?;
    let mut bench = disturbed(stage, 32 << 10, 30)?;
    let after: Vec<f64> = phases(stage, &mut bench, 32 << 10)?.iter().map(|mb_s| mb_s / normal).collect();
    found.measured("first", after[0]);
    curves.push(("32 KiB after 30 s of 32 KiB".into(), after));
    drop(bench);
    found.measured("reads", reads(stage)?);
    let mut bench = stage.device(STICK, &PAGES)?;
    stage.fill(&mut bench, 1 << 20)?;
    let before = stage.fill(&mut bench, 2 << 20)?.mb_s();
    drop(bench);
    let mut bench = disturbed(stage, 2 << 10, 60)?;
    found.measured("rewrite", before / stage.fill(&mut bench, 2 << 20)?.mb_s());
    found.blocks.push(picture(&curves));
    Ok(found)
}

/// Sequential reads after a burst, against before.
fn reads(stage: &Stage<'_>) -> Result<f64> {
    let mut bench = disturbed(stage, 2 << 10, 0)?;
    let reads = over_all(&bench, Rw::Read, 32 << 10);
    let before = stage.timed(&mut bench, &reads, Some(PHASE))?.mb_s();
    drop(bench);
    let mut bench = disturbed(stage, 2 << 10, 30)?;
    Ok(stage.timed(&mut bench, &reads, Some(PHASE))?.mb_s() / before)
}

fn misaligned(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    for (claim, rw) in
        [("random-writes", Rw::RandWrite), ("sequential", Rw::Write), ("random-reads", Rw::RandRead)]
    {
        let mut times = Vec::new();
        for shift in [0, 1 << 10] {
            let mut bench = stage.device(SSD, &BUFFERED)?;
            let bs = 2 << 10;
            let size = Bytes(bench.info().size_bytes / bs * bs - bs);
            let pattern = Pattern { size, shift: Bytes(shift), ..over_all(&bench, rw, bs) };
            times.push(stage.timed(&mut bench, &pattern, Some(Nanos::from_s(30)))?.mean_ms());
        }
        found.measured(claim, times[1] / times[0]);
    }
    Ok(found)
}

fn mapping(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let page = [("capacity", "512MiB"), ("ftl", "page"), ("over_provisioning", "0.125")];
    for (claim, settings) in [("blocks", &[("capacity", "512MiB")][..]), ("pages", &page[..])] {
        let mut bench = stage.device(STICK, settings)?;
        let writes = over_all(&bench, Rw::RandWrite, 2 << 10);
        let warm = Pattern { number_ios: Some(100_000), ..writes.clone() };
        if claim == "pages" {
            stage.timed(&mut bench, &warm, None)?;
        }
        found.measured(claim, stage.timed(&mut bench, &writes, Some(Nanos::from_s(30)))?.mean_ms());
    }
    let settings = [("capacity", "128MiB"), ("ftl", "page"), ("over_provisioning", "1")];
    let size = Bytes(128 << 20);
    let writes = Pattern { bs: Bytes(2 << 10), ..Pattern::baseline(Rw::RandWrite, Bytes(0), size) };
    let writes = Pattern { number_ios: Some(8 * size.0 / writes.bs.0), ..writes };
    let simulated = stage.simulate(STICK, &settings, &Work::Pattern(writes))?;
    let amplification = simulated.device.write_amplification.unwrap_or(f64::NAN);
    // Each program beyond the host's moves a page that an erase could not free.
    found.measured("half", 100.0 / amplification);
    Ok(found)
}

fn aging(stage: &Stage<'_>) -> Result<Found> {
    const PASSES: usize = 400;
    let mut bench = stage.device(STICK, &[("capacity", "64MiB"), ("over_provisioning", "0.1")])?;
    let pass = |_| Ok(stage.fill(&mut bench, 1 << 20)?.mb_s());
    let speeds = (0..PASSES).map(pass).collect::<Result<Vec<f64>>>()?;
    let (first, last) = (median(&speeds[..20]), median(&speeds[PASSES - 20..]));
    let mut found = Found::default();
    found.measured("constant", 100.0 * (last / first - 1.0));
    Ok(found)
}

/// Figures 3.3 and C.3.
fn picture(curves: &[(String, Vec<f64>)]) -> Block {
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
        ..chart("after-burst", title, axes, curves.iter().map(line).collect())
    })
}
