//! Paper 003: response times of drives fresh and used, and what HD Tach says of them.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block, Chart};

use crate::claim::Claim;
use crate::claim::{ANY, LOST_PICTURES};
use crate::devices::{MLC_LOG_BLOCKS, MLC_SSD};
use crate::papers::REWRITE;
use crate::picture::{Line, chart, lines};
use crate::session::{Session, elapsed_ms, greatest, mean, times_ms};
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// The drive scaled down, as it leaves the factory.
const FRESH: [Set<'static>; 2] = [("capacity", "512MiB"), ("initial", "empty")];
/// The link that a data sheet's "max. reads" of 220 MB/s is taken for.
const SAMSUNG_READS: Set<'static> = ("host.mb_s", "220");
const INTEL_READS: Set<'static> = ("host.mb_s", "250");

const DATA_SHEET_SPEED: &str = "within 10 % of the link that is set to the data sheet's figure";
const DATA_SHEET: &str = "a data sheet's promise, which the paper did not measure either";

const CHIPS: &str = "a profile made for paper 004's drive, and for about the speed that it sustains, not \
                     for a data sheet's peak";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "rewrite-penalty",
        paper: &REWRITE,
        place: "sections I and II.B; figures 1 and 2",
        about: "The first test: 4 KiB random writes over a drive, empty at first, until twice its capacity \
                has been written, the first of them against the last. What the FTLs of Samsung A and B \
                were is not specified: the FTL of a USB stick, with log blocks, and a drive of their time \
                with \
                pages mapped stand for the two extremes.",
        claims: &[
            Claim::shape(
                "used",
                "used drives respond more slowly than fresh ones: log blocks",
                "slower",
                "x",
            )
            .near(1.5, ANY, "beyond any noise")
            .at(FIGURE_1),
            Claim::shape("used-pages", "and the same of pages mapped, one write at a time", "slower", "x")
                .near(1.05, ANY, "visible")
                .at(FIGURE_1),
            Claim::figure("penalty", "they degrade their performance by 93 % overall: log blocks", 93.0, "%")
                .kind(50.0, 100.0)
                .tolerated("IOs a second lost, log blocks: more than half; what is degraded is not defined")
                .because(
                    "the paper gives no formula, and its picture's values are lost. Read as IOs a second \
                     lost, log blocks show this figure; read as response times that are 93 % longer, a \
                     drive would lie between log blocks and the page-mapped one of the picture",
                )
                .at(FIGURE_1),
            Claim::figure("penalty-pages", "and the same of pages mapped, 32 writes in flight", 93.0, "%")
                .kind(50.0, 100.0)
                .tolerated("IOs a second lost: more than half")
                .because(
                    "with 32 writes in flight; one at a time, as in the row above, only one of sixteen \
                     dies is busy, and what is collected in the others goes unseen",
                )
                .at(FIGURE_1),
            Claim::shape(
                "exhausted",
                "the hurdle grows when the memory is exhausted: capacities written when half of it is there, \
                 pages mapped",
                "the capacity",
                "of it",
            )
            .near(0.8, 1.3, "random writes have reached the reserve when about the capacity is written")
            .at("section I"),
            Claim::shape("exhausted-logs", "the same of log blocks", "the capacity", "of it")
                .near(0.8, 1.3, "as above")
                .because(
                    "seven logs are exhausted at once: the curve climbs from the first writes on, as blocks \
                     fill that each merge must copy",
                )
                .at("section I"),
            Claim::not_here(
                "values",
                "the response times of figure 1, the bars of figure 2",
                "bars",
                LOST_PICTURES,
            )
            .at("section II.B and figures 1 and 2"),
        ],
        run: penalty,
    },
    Study {
        name: "rewrite-hd-tach",
        paper: &REWRITE,
        place: "section II.B; table I and figure 2",
        about: "The second test, of HD Tach v3.01: sequential and random reads and sequential writes on \
                simulated drives of the time that stand for Samsung A and B, Intel A and Intel B, with table \
                I's speeds as their links, three runs each.",
        claims: &[
            Claim::figure("samsung-reads", "Samsung A and B read up to 220 MB/s", 220.0, "MB/s")
                .within(1.1, 2.0, DATA_SHEET_SPEED)
                .set()
                .at("table I"),
            Claim::figure("intel-reads", "Intel A and B up to 250 MB/s", 250.0, "MB/s")
                .within(1.1, 2.0, DATA_SHEET_SPEED)
                .set()
                .at("table I"),
            Claim::figure("samsung-writes", "Samsung A and B write up to 200 MB/s", 200.0, "MB/s")
                .within(
                    1.2,
                    2.0,
                    "three times as many of the same chips: 256 GB and not 80; their number \
                                   is chosen",
                )
                .because("three times Intel B's chips, which alone are slower than its data sheet")
                .at("table I"),
            Claim::figure("intel-a-writes", "Intel A writes up to 170 MB/s", 170.0, "MB/s")
                .within(1.2, 2.0, "the same drive with SLC chips of the time: 250 µs a page")
                .because(CHIPS)
                .at("table I"),
            Claim::figure("max-writes", "Intel B writes up to 70 MB/s", 70.0, "MB/s")
                .within(1.2, 2.0, "a data sheet's round number, and a profile made from its chips")
                .because(CHIPS)
                .at("table I"),
            Claim::not_here(
                "data-sheets",
                "sizes, erases that a block takes, hours between failures",
                "32 to 256 GB, 10^4 and 10^5, 1.0 and 1.2 10^6 h",
                DATA_SHEET,
            )
            .at("table I"),
            Claim::figure("reads", "Intel's average sequential read is 23 % higher", 23.0, "%")
                .near(18.0, 28.0, "within 5 points")
                .kind(7.7, 69.0)
                .because("the two links of table I alone make 14 %; the rest is in the drives")
                .set()
                .at(FIGURE_2),
            Claim::figure("burst", "and its read burst only 2.5 % higher", 2.5, "%")
                .near(1.25, 5.0, "within a factor of two")
                .kind(0.83, 7.5)
                .because(
                    "bursts come from memory over the same link of 3 Gb/s, whatever the flash takes, and are \
                     alike; what makes 2.5 % is not specified",
                )
                .at(FIGURE_2),
            Claim::not_here(
                "cpu",
                "Intel A and B use 24.5 % and 14.8 % more CPU",
                "24.5 %, 14.8 %",
                "there is no CPU time in virtual time",
            )
            .at("section II.B"),
            Claim::figure("access", "random access takes 0.1 ms on all four: the slowest", 0.1, "ms")
                .near(0.05, 0.15, "one digit: what rounds to it")
                .kind(0.033, 0.3)
                .because(
                    "the profile moves a whole page of 4 KiB over its bus, in 100 µs, for 512 bytes \
                          of it",
                )
                .at("section II.B"),
        ],
        run: hd_tach,
    },
];

const FIGURE_1: &str = "section II.B and figure 1";
const FIGURE_2: &str = "section II.B and figure 2";

/// Points of the curve for each capacity written.
const WINDOWS: usize = 16;

fn penalty(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let logs = aged(stage, MLC_LOG_BLOCKS, 1)?;
    found.measured("used", logs.used_ms / logs.fresh_ms);
    found.measured("penalty", logs.penalty_percent());
    let mut lines_of = vec![line("log blocks", &logs.curve_ms)];
    if stage.is_the_papers_device() {
        let [pages, busy] = [1, 32].map(|in_flight| aged(stage, MLC_SSD, in_flight));
        let (pages, busy) = (pages?, busy?);
        found.measured("used-pages", pages.used_ms / pages.fresh_ms);
        found.measured("penalty-pages", busy.penalty_percent());
        found.measured("exhausted", pages.half_risen_capacities());
        found.measured("exhausted-logs", logs.half_risen_capacities());
        lines_of.push(line("pages", &pages.curve_ms));
        lines_of.push(line("pages, 32 in flight", &busy.curve_ms));
    } else {
        found.measured("exhausted", logs.half_risen_capacities());
        found.unknown = Some("it needs another FTL than this device's");
    }
    found.blocks.push(lines(
        "rewrite-penalty",
        "4 KiB random writes on a drive that was empty",
        [Axis::linear("written", "capacities"), Axis::log("response time", "ms")],
        lines_of,
    ));
    Ok(found)
}

/// Mean response times over two capacities in windows; of the first window, and of the last half capacity.
struct Aged {
    curve_ms: Vec<f64>,
    fresh_ms: f64,
    used_ms: f64,
}

impl Aged {
    /// IOs a second that are lost.
    fn penalty_percent(&self) -> f64 {
        100.0 * (1.0 - self.fresh_ms / self.used_ms)
    }

    /// Capacities written when the curve has risen half its way.
    fn half_risen_capacities(&self) -> f64 {
        let middle = (self.fresh_ms + self.used_ms) / 2.0;
        let risen = self.curve_ms.iter().position(|ms| *ms > middle).unwrap_or(self.curve_ms.len());
        (risen as f64 + 0.5) / WINDOWS as f64
    }
}

fn aged(stage: &Stage<'_>, device: &str, iodepth: u32) -> Result<Aged> {
    let mut session = Session::fresh(stage, device, &FRESH)?;
    let all = session.size().0 / (4 << 10);
    let writes = Pattern { bs: Bytes(4 << 10), iodepth, ..session.baseline(Rw::RandWrite, 2 * all) };
    let times = times_ms(&session.ios(&writes)?);
    let window = (all as usize / WINDOWS).max(1);
    let curve_ms: Vec<f64> = times.chunks_exact(window).map(mean).collect();
    let (fresh_ms, used_ms) = (curve_ms[0], mean(&curve_ms[curve_ms.len() - WINDOWS / 2..]));
    Ok(Aged { curve_ms, fresh_ms, used_ms })
}

fn line(name: &str, curve: &[f64]) -> Line {
    let points = curve.iter().enumerate().map(|(i, ms)| ((i as f64 + 0.5) / WINDOWS as f64, *ms));
    (name.into(), points.collect())
}

fn hd_tach(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_settings()?;
    let mut found = Found::default();
    let full: Set<'_> = ("capacity", "512MiB");
    let drive = |more: &[Set<'_>]| {
        let settings: Vec<Set<'_>> = [full].iter().chain(more).copied().collect();
        Session::fresh(stage, MLC_SSD, &settings)
    };
    let of = |more: &[Set<'_>], rw| speed(&mut drive(more)?, rw);
    let of_samsung = of(&[SAMSUNG_READS], Rw::Read)?;
    let of_intel = of(&[INTEL_READS], Rw::Read)?;
    found.measured("samsung-reads", of_samsung);
    found.measured("intel-reads", of_intel);
    found.measured("reads", 100.0 * (of_intel / of_samsung - 1.0));
    found.measured("max-writes", of(&[INTEL_READS], Rw::Write)?);
    // The link is not what limits them.
    let many_dies = [("nand.dies", "6"), ("nand.stripe", "48"), ("nand.pages_per_block", "8")];
    found.measured("samsung-writes", of(&many_dies, Rw::Write)?);
    let slc = [INTEL_READS, ("nand.program_us", "[250]"), ("nand.read_us", "[25]")];
    found.measured("intel-a-writes", of(&slc, Rw::Write)?);
    let bursts = [burst(stage, "60")?, burst(stage, "50")?];
    found.measured("burst", 100.0 * (bursts[1] / bursts[0] - 1.0));
    found.blocks.push(figure_2([of_samsung, of_intel], bursts));
    let mut access_ms = Vec::new();
    for more in [&[SAMSUNG_READS][..], &slc, &[INTEL_READS]] {
        let mut session = drive(more)?;
        let single = Pattern { bs: Bytes(512), ..session.baseline(Rw::RandRead, 2048) };
        access_ms.push(session.mean_ms(&single)?);
    }
    found.measured("access", greatest(access_ms));
    Ok(found)
}

/// Average reads and read bursts of both makers' drives.
fn figure_2(reads: [f64; 2], bursts: [f64; 2]) -> Block {
    let line = |name: &str, [samsung, intel]: [f64; 2]| (name.into(), vec![(0.0, samsung), (1.0, intel)]);
    let drives = ["Samsung A and B", "Intel A and B"].map(String::from).to_vec();
    let axes = [Axis::places("drives", drives), Axis::linear("throughput", "MB/s")];
    let both = vec![line("average read", reads), line("read burst", bursts)];
    Block::Chart(Chart {
        caption: "Reads with 32 in flight, bursts one by one.".into(),
        ..chart("rewrite-hd-tach", "Average read and read burst", axes, both)
    })
}

/// MB/s of what is in the drive's memory, with chips that take so long to read. The link of both is SATA's; a
/// command is short, so that it is what counts.
fn burst(stage: &Stage<'_>, read_us: &str) -> Result<f64> {
    let chips = format!("[{read_us}]");
    let settings = [
        ("capacity", "512MiB"),
        ("ram.read_ahead", "1MiB"),
        ("host.mb_s", "270"),
        ("host.command_us", "5"),
        ("nand.read_us", chips.as_str()),
    ];
    let mut session = Session::fresh(stage, MLC_SSD, &settings)?;
    let pattern = Pattern { bs: Bytes(64 << 10), ..session.baseline(Rw::Read, 1024) };
    let ios = session.ios(&pattern)?;
    Ok(1024.0 * f64::from(64 << 10) / 1e3 / elapsed_ms(&ios))
}

/// MB/s of large IOs in order, many in flight, as data sheets have them: the mean of three runs, as the
/// paper has it.
fn speed(session: &mut Session<'_>, rw: Rw) -> Result<f64> {
    const LARGE: Bytes = Bytes(128 << 10);
    let count = session.size().0 / LARGE.0;
    let pattern = Pattern { bs: LARGE, iodepth: 32, ..session.baseline(rw, count) };
    let mut speeds = Vec::new();
    for _ in 0..3 {
        speeds.push((count * LARGE.0) as f64 / 1e3 / elapsed_ms(&session.ios(&pattern)?));
    }
    Ok(mean(&speeds))
}
