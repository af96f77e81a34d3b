//! Paper 003: response times of drives fresh and used, and what HD Tach says of them.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_report::html::document::{Axis, Scale};

use super::claim::ANY;
use super::devices::{MLC_LOG_BLOCKS, MLC_SSD};
use super::papers::REWRITE;
use super::picture::lines;
use super::session::{Session, elapsed_ms, greatest, least, mean, times_ms};
use super::stage::Set;
use super::{Claim, Found, Stage, Study};

/// The drive scaled down, as it leaves the factory.
const FRESH: [Set<'static>; 2] = [("capacity", "512MiB"), ("initial", "empty")];
/// The link that a data sheet's "max. reads" of 220 MB/s is taken for.
const SAMSUNG_READS: Set<'static> = ("host.mb_s", "220");
const INTEL_READS: Set<'static> = ("host.mb_s", "250");

const DATA_SHEET: &str = "a data sheet's promise, which the paper did not measure either";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "rewrite-penalty",
        paper: &REWRITE,
        place: "figure 1 and section II.B",
        about: "4 KiB random writes over a drive, empty at first, until twice its capacity has \
                 been written: the first of them against the last.",
        devices: &[MLC_LOG_BLOCKS],
        claims: &[
            Claim::shape("used", "used drives respond more slowly than fresh ones", "slower", "x").near(
                1.5,
                ANY,
                "beyond any noise",
            ),
            Claim::figure("penalty", "they degrade their performance by 93 % overall", 93.0, "%")
                .near(
                    88.0,
                    98.0,
                    "read as IOs a second lost: 1 - fresh / used response time, within 5 points",
                )
                .kind(30.0, 100.0)
                .because(
                    "the paper defines no formula; read as response times that are 93 % longer, it is \
                 a factor of 1.93. What is lost depends on the mapping: log blocks lose most of \
                 it, pages far less",
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
        place: "table I, figure 2 and section II.B",
        about: "Sequential and random reads and sequential writes on a simulated drive of the \
                 same time, with the links that table I gives.",
        devices: &[MLC_SSD],
        claims: &[
            Claim::not_here(
                "max-reads",
                "table I: Samsung A and B read up to 220 MB/s, Intel A and B 250",
                "220, 250 MB/s",
                "data sheets; here the simulated links are set to them, for the claim on average reads",
            ),
            Claim::figure("max-writes", "table I: Intel B writes up to 70 MB/s", 70.0, "MB/s").within(
                1.2,
                2.0,
                "a data sheet's round number, and a profile made from its chips",
            ),
            Claim::not_here(
                "max-writes-others",
                "table I: Samsung A and B write up to 200 MB/s, Intel A 170",
                "200, 170 MB/s",
                "nothing more is known of these drives that one could be built from",
            ),
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
            Claim::not_here(
                "burst",
                "and its read burst 2.5 % higher",
                "2.5 %",
                "HD Tach reads from the drive's read-ahead memory, whose sizes and speeds are not given",
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
    let mut session = Session::fresh(stage, MLC_LOG_BLOCKS, &FRESH)?;
    let all = session.size().0 / (4 << 10);
    let writes = Pattern { bs: Bytes(4 << 10), ..session.baseline(Rw::RandWrite, 2 * all) };
    let times = times_ms(&session.ios(&writes)?);
    let window = (all as usize / WINDOWS).max(1);
    let curve: Vec<f64> = times.chunks_exact(window).map(mean).collect();
    let (fresh, used) = (curve[0], mean(&curve[curve.len() - WINDOWS / 2..]));
    let middle = (fresh + used) / 2.0;
    let risen = curve.iter().position(|ms| *ms > middle).unwrap_or(curve.len());
    let mut found = Found::default();
    found.measured("used", used / fresh);
    found.measured("penalty", 100.0 * (1.0 - fresh / used));
    found.measured("exhausted", (risen as f64 + 0.5) / WINDOWS as f64);
    let points = curve.iter().enumerate().map(|(i, ms)| ((i as f64 + 0.5) / WINDOWS as f64, *ms));
    found.blocks.push(lines(
        "rewrite-penalty",
        "4 KiB random writes on a drive that was empty",
        [Axis::of("written", "capacities", Scale::Linear), Axis::of("response time", "ms", Scale::Linear)],
        vec![("response time".into(), points.collect())],
    ));
    Ok(found)
}

fn hd_tach(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    // One after the other: a person's device is the same one.
    let full: Set<'_> = ("capacity", "512MiB");
    let (of_samsung, _) = speed(&mut Session::fresh(stage, MLC_SSD, &[full, SAMSUNG_READS])?, Rw::Read)?;
    let mut intel = Session::fresh(stage, MLC_SSD, &[full, INTEL_READS])?;
    let (of_intel, spread) = speed(&mut intel, Rw::Read)?;
    found.measured("reads", 100.0 * (of_intel / of_samsung - 1.0));
    found.measured("runs", spread);
    found.measured("max-writes", speed(&mut intel, Rw::Write)?.0);
    let single = Pattern { bs: Bytes(512), ..intel.baseline(Rw::RandRead, 2048) };
    found.measured("access", intel.mean_ms(&single)?);
    Ok(found)
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
