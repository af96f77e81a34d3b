//! Paper 003: response times of drives fresh and used, and what HD Tach says of them.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_report::html::document::{Axis, Scale};

use super::claim::ANY;
use super::devices::{MLC_LOG_BLOCKS, MLC_SSD};
use super::papers::REWRITE;
use super::picture::{Line, lines};
use super::session::{Session, elapsed_ms, greatest, least, mean, times_ms};
use super::stage::Set;
use super::{Claim, Found, Stage, Study};

/// The drive scaled down, as it leaves the factory.
const FRESH: [Set<'static>; 2] = [("capacity", "512MiB"), ("initial", "empty")];
/// The link that a data sheet's "max. reads" of 220 MB/s is taken for.
const SAMSUNG_READS: Set<'static> = ("host.mb_s", "220");
const INTEL_READS: Set<'static> = ("host.mb_s", "250");

const DATA_SHEET_SPEED: &str = "within 10 % of the link that is set to the data sheet's figure";
const DATA_SHEET: &str = "a data sheet's promise, which the paper did not measure either";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "rewrite-penalty",
        paper: &REWRITE,
        place: "figure 1 and section II.B",
        about: "4 KiB random writes over a drive, empty at first, until twice its capacity has \
                 been written: the first of them against the last, with log blocks and with pages mapped.",
        claims: &[
            Claim::shape("used", "used drives respond more slowly than fresh ones", "slower", "x").near(
                1.5,
                ANY,
                "beyond any noise",
            ),
            Claim::figure("penalty", "they degrade their performance by 93 % overall", 93.0, "%")
                .kind(50.0, 100.0)
                .tolerated("IOs a second lost, log blocks: more than half; what is degraded is not defined")
                .because(
                    "the paper gives no formula, and its picture's values are lost. Read as IOs a second \
                     lost, log blocks show this figure; read as response times that are 93 % longer, a \
                     drive would lie between log blocks and the page-mapped one of the picture",
                ),
            Claim::shape(
                "exhausted",
                "the penalty grows when the memory is exhausted: capacities written when half of \
                 it is there",
                "the capacity",
                "of it",
            )
            .near(0.8, 1.3, "random writes have reached the reserve when about the capacity is written")
            .kind(0.3, 2.0)
            .because("log blocks are merged before every page has been written"),
            Claim::not_here(
                "figure-1",
                "the response times of Samsung A and B",
                "bars",
                "the figure's values are not in the text",
            ),
        ],
        run: penalty,
    },
    Study {
        name: "rewrite-hd-tach",
        paper: &REWRITE,
        place: "table I, figure 2 and sections II.A and II.B",
        about: "Sequential and random reads and sequential writes on a simulated drive of the \
                 same time, with the links that table I gives.",
        claims: &[
            Claim::figure("samsung-reads", "table I: Samsung A and B read up to 220 MB/s", 220.0, "MB/s")
                .within(1.1, 2.0, DATA_SHEET_SPEED)
                .set()
                .at("table I"),
            Claim::figure("intel-reads", "Intel A and B up to 250 MB/s", 250.0, "MB/s")
                .within(1.1, 2.0, DATA_SHEET_SPEED)
                .set()
                .at("table I"),
            Claim::figure("samsung-writes", "Samsung A and B write up to 200 MB/s", 200.0, "MB/s").within(
                1.2,
                2.0,
                "the same chips, four times as many: 256 GB and not 80",
            ),
            Claim::figure("intel-a-writes", "Intel A writes up to 170 MB/s", 170.0, "MB/s").within(
                1.2,
                2.0,
                "the same drive with SLC chips of the time: 250 us a page",
            ),
            Claim::figure("max-writes", "table I: Intel B writes up to 70 MB/s", 70.0, "MB/s").within(
                1.2,
                2.0,
                "a data sheet's round number, and a profile made from its chips",
            ),
            Claim::not_here("densities", "table I: sizes", "256, 256, 32, 80 GB", DATA_SHEET),
            Claim::not_here(
                "endurance",
                "table I: blocks take 10,000 erases, Intel A's 100,000",
                "10^4, 10^5",
                DATA_SHEET,
            ),
            Claim::not_here(
                "mtbf",
                "table I: 1,000,000 and 1,200,000 hours between failures",
                "10^6 h",
                DATA_SHEET,
            ),
            Claim::figure("reads", "Intel's average sequential read is 23 % higher", 23.0, "%")
                .near(18.0, 28.0, "within 5 points")
                .kind(5.0, 50.0)
                .because("the two links of table I alone make 14 %; the rest is in the drives"),
            Claim::figure("burst", "and its read burst only 2.5 % higher", 2.5, "%")
                .near(1.25, 5.0, "within a factor of two")
                .kind(-2.5, 7.5)
                .because(
                    "bursts come from memory over the same link, and are alike; what makes 2.5 % is not told",
                ),
            Claim::not_here(
                "cpu",
                "Intel A and B use 24.5 % and 14.8 % more CPU",
                "24.5 %, 14.8 %",
                "virtual time has no CPU that an IO could use",
            ),
            Claim::figure("access", "random access takes 0.1 ms on all", 0.1, "ms").within(
                1.5,
                3.0,
                "one digit: what rounds to it, 0.05 to 0.15",
            ),
            Claim::figure("runs", "three runs are averaged: how far they are apart", 0.0, "%").near(
                0.0,
                5.0,
                "that averaging makes sense",
            ),
        ],
        run: hd_tach,
    },
];

/// Points of the curve for each capacity written.
const WINDOWS: usize = 16;

fn penalty(stage: &Stage<'_>) -> Result<Found> {
    let (curve, fresh, used) = aged(stage, MLC_LOG_BLOCKS)?;
    let middle = (fresh + used) / 2.0;
    let risen = curve.iter().position(|ms| *ms > middle).unwrap_or(curve.len());
    let mut found = Found::default();
    found.measured("used", used / fresh);
    found.measured("penalty", 100.0 * (1.0 - fresh / used));
    found.measured("exhausted", (risen as f64 + 0.5) / WINDOWS as f64);
    let mut lines_of = vec![line("log blocks", &curve)];
    if stage.is_the_papers_device() {
        lines_of.push(line("pages", &aged(stage, MLC_SSD)?.0));
    }
    found.blocks.push(lines(
        "rewrite-penalty",
        "4 KiB random writes on a drive that was empty",
        [Axis::of("written", "capacities", Scale::Linear), Axis::of("response time", "ms", Scale::Log)],
        lines_of,
    ));
    Ok(found)
}

/// Mean response times over two capacities, in windows; those of the first, and of the last half capacity.
fn aged(stage: &Stage<'_>, device: &str) -> Result<(Vec<f64>, f64, f64)> {
    let mut session = Session::fresh(stage, device, &FRESH)?;
    let all = session.size().0 / (4 << 10);
    let writes = Pattern { bs: Bytes(4 << 10), ..session.baseline(Rw::RandWrite, 2 * all) };
    let times = times_ms(&session.ios(&writes)?);
    let window = (all as usize / WINDOWS).max(1);
    let curve: Vec<f64> = times.chunks_exact(window).map(mean).collect();
    let (fresh, used) = (curve[0], mean(&curve[curve.len() - WINDOWS / 2..]));
    Ok((curve, fresh, used))
}

fn line(name: &str, curve: &[f64]) -> Line {
    let points = curve.iter().enumerate().map(|(i, ms)| ((i as f64 + 0.5) / WINDOWS as f64, *ms));
    (name.into(), points.collect())
}

fn hd_tach(stage: &Stage<'_>) -> Result<Found> {
    stage.rebuilds()?;
    let mut found = Found::default();
    let full: Set<'_> = ("capacity", "512MiB");
    let of = |more: &[Set<'_>], rw| -> Result<(f64, f64)> {
        let settings: Vec<Set<'_>> = [full].iter().chain(more).copied().collect();
        speed(&mut Session::fresh(stage, MLC_SSD, &settings)?, rw)
    };
    let (of_samsung, _) = of(&[SAMSUNG_READS], Rw::Read)?;
    let (of_intel, spread) = of(&[INTEL_READS], Rw::Read)?;
    found.measured("samsung-reads", of_samsung);
    found.measured("intel-reads", of_intel);
    found.measured("reads", 100.0 * (of_intel / of_samsung - 1.0));
    found.measured("runs", spread);
    found.measured("max-writes", of(&[INTEL_READS], Rw::Write)?.0);
    let many_dies = [SAMSUNG_READS, ("nand.dies", "8"), ("nand.stripe", "64"), ("nand.pages_per_block", "8")];
    found.measured("samsung-writes", of(&many_dies, Rw::Write)?.0);
    let slc = [INTEL_READS, ("nand.program_us", "[250]")];
    found.measured("intel-a-writes", of(&slc, Rw::Write)?.0);
    found.measured("burst", 100.0 * (burst(stage, "50")? / burst(stage, "60")? - 1.0));
    let mut intel = Session::fresh(stage, MLC_SSD, &[full, INTEL_READS])?;
    let single = Pattern { bs: Bytes(512), ..intel.baseline(Rw::RandRead, 2048) };
    found.measured("access", intel.mean_ms(&single)?);
    Ok(found)
}

/// MB/s of what is in the drive's memory, with chips that take so long to read: the link of both is SATA's.
fn burst(stage: &Stage<'_>, read_us: &str) -> Result<f64> {
    let chips = format!("[{read_us}]");
    let settings = [
        ("capacity", "512MiB"),
        ("ram.read_ahead", "1MiB"),
        ("host.mb_s", "270"),
        ("nand.read_us", chips.as_str()),
    ];
    let mut session = Session::fresh(stage, MLC_SSD, &settings)?;
    let pattern = Pattern { bs: Bytes(64 << 10), ..session.baseline(Rw::Read, 1024) };
    let ios = session.ios(&pattern)?;
    Ok(1024.0 * f64::from(64 << 10) / 1e3 / elapsed_ms(&ios))
}

/// MB/s of large IOs in order, many in flight, as data sheets have them: the mean of three runs, and how far
/// they are apart in per cent.
fn speed(session: &mut Session<'_>, rw: Rw) -> Result<(f64, f64)> {
    const LARGE: Bytes = Bytes(128 << 10);
    let count = session.size().0 / LARGE.0;
    let pattern = Pattern { bs: LARGE, iodepth: 32, ..session.baseline(rw, count) };
    let mut speeds = Vec::new();
    for _ in 0..3 {
        speeds.push((count * LARGE.0) as f64 / 1e3 / elapsed_ms(&session.ios(&pattern)?));
    }
    let spread = 100.0 * (greatest(speeds.iter().copied()) / least(speeds.iter().copied()) - 1.0);
    Ok((mean(&speeds), spread))
}
