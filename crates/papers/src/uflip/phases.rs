//! Paper 001, sections 4.2 and 5.1: start-up and running phases, and what they do to a mean. The classes of
//! devices that follow from them are in `classes`.

use flashscope_core::Op;
use flashscope_core::pattern::{Location, Mix, Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::Axis;

use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{KINGSTON_DTI, MTRON, rigs};
use crate::papers::UFLIP;
use crate::picture::lines;
use crate::session::{Session, mean, median, phases_of, running_mean, times_ms};
use crate::stage::Stage;
use crate::study::{Found, Study};

const ONE_DIGIT: &str = "within 20 %: printed with one or two digits";
const RATIO: &str = "the least ratio of table 1's at which no write is slow: 4, or the next above";
const MEANINGLESS: &str =
    "and the mean of the writes is meaningless: what they cost in truth, at a ratio of 8";
/// A write dearer than this pays for those before it.
const DEAR_MS: f64 = 2.0;
/// IOs that are surely enough.
const MANY: u64 = 8192;

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-startup",
        paper: &UFLIP,
        place: "section 4.2",
        about: "What 512 IOs say of a device whose first writes are fast. The mix with reads is run on the \
                rig alone, which is the device that the section considers, by its three figures: the \
                simulated Mtron works merges off before reads (figure 5), so that the reads pay and writes \
                among them are never slow.",
        claims: &[
            Claim::figure("cheap", "the first 128 random writes take 400 µs", 0.4, "ms")
                .within(1.2, 2.0, ONE_DIGIT)
                .set(),
            Claim::figure("cheap-later", "and so do the fast ones after them", 0.4, "ms")
                .within(1.2, 2.0, ONE_DIGIT)
                .set(),
            Claim::figure(
                "dear",
                "those after them oscillate between 400 µs and 27 ms: the slow ones",
                27.0,
                "ms",
            )
            .within(1.2, 2.0, ONE_DIGIT)
            .because(
                "a full merge of SLC takes 19 ms, and two banks of 27 would make a random write of 13 where \
                 table 3 has 9",
            ),
            Claim::figure("error", "the mean of 512 random writes is about 25 % too low", 25.0, "%")
                .near(20.0, 30.0, "\"about\": within 5 points")
                .kind(10.0, 60.0)
                .set(),
            Claim::shape(
                "shorter",
                "shorter experiments are even further off: 256 against 512",
                "more",
                "points",
            )
            .near(5.0, ANY, "beyond the noise of a run"),
            Claim::figure(
                "ratio",
                "from more than 4 reads for each write, 512 IOs see only fast writes",
                4.0,
                "",
            )
            .near(4.0, 8.0, RATIO)
            .set(),
            Claim::shape("meaningless", MEANINGLESS, "many times as much", "x")
                .near(5.0, ANY, "more than any other effect of a mix")
                .set(),
        ],
        run: startup,
    },
    Study {
        name: "uflip-figure-3",
        paper: &UFLIP,
        place: "figure 3 and section 5.1",
        about: "Random writes on the Mtron, and their running average with and without the start-up, \
                which is set: 64 merges that each of two banks may put off.",
        claims: &[
            Claim::figure("startup", "the start-up is about 125 IOs", 125.0, "IOs")
                .within(1.1, 2.0, "\"about\", read off a picture; elsewhere the paper has 128")
                .set(),
            Claim::shape(
                "period",
                "the period is quite short: IOs from one slow write to the next, on the average",
                "tens of IOs",
                "IOs",
            )
            .near(10.0, 99.0, "two digits")
            .kind(5.0, 99.0)
            .because(
                "9 ms for each write, of writes of 0.4 and 27 ms, make every third one slow: section \
                 4.2's own figures leave no room for tens of IOs; here the slow ones come whenever \
                 chance takes a bank twice",
            ),
            Claim::shape(
                "sooner",
                "without the start-up the running average is right sooner: IOs until it stays \
                 within 5 %",
                "fewer",
                "x",
            )
            .near(0.0, 0.5, "less than half as many"),
            Claim::shape(
                "more-accurate",
                "and more accurate: how far it is off after 512 IOs, in how far it is with the start-up",
                "less",
                "x",
            )
            .near(0.0, 0.5, "less than half as far"),
        ],
        run: figure_3,
    },
    Study {
        name: "uflip-figure-4",
        paper: &UFLIP,
        place: "figure 4 and section 5.1",
        about: "Sequential writes on the Kingston DTI, whose block of 4 MiB is chosen for the period.",
        claims: &[
            Claim::figure("startup", "there is no start-up", 0.0, "IOs").near(0.0, 0.0, "none is found"),
            Claim::figure("period", "the period is about 128 operations", 128.0, "IOs")
                .near(122.0, 134.0, "\"about\": within 5 %")
                .kind(64.0, 256.0)
                .set(),
        ],
        run: figure_4,
    },
];

fn startup(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, MTRON)?;
    let writes = session.times_ms(&session.baseline(Rw::RandWrite, MANY))?;
    let truth = running_mean(&writes);
    let dear: Vec<f64> = writes.iter().copied().filter(|ms| *ms > DEAR_MS).collect();
    let error = |ios: usize| 100.0 * (1.0 - mean(&writes[..ios]) / truth);
    let mut found = Found::default();
    found.measured("cheap", median(&writes[..128]));
    found.measured("dear", median(&dear));
    found.measured("error", error(512));
    found.measured("shorter", error(256) - error(512));
    let is_cheap = |ms: &f64| *ms <= DEAR_MS;
    found
        .measured("cheap-later", median(&writes[128..].iter().copied().filter(is_cheap).collect::<Vec<_>>()));
    // The rig is no device that a person named.
    if stage.is_the_papers_device() {
        let [ratio, factor] = among_reads(&mut Session::used(stage, rigs::MTRON)?)?;
        found.measured("ratio", ratio);
        found.measured("meaningless", factor);
    }
    Ok(found)
}

/// The least ratio of reads at which no write of 512 IOs is dear, or 0; and what writes cost in truth, at a
/// ratio of 8, in what 512 IOs say.
fn among_reads(session: &mut Session<'_>) -> Result<[f64; 2]> {
    let mut least_ratio = 0.0;
    for ratio in [64, 32, 16, 8, 4, 2, 1] {
        let writes = mixed_writes(session, ratio, 512)?;
        if writes.iter().any(|ms| *ms > DEAR_MS) {
            break;
        }
        least_ratio = f64::from(ratio);
    }
    let few = mean(&mixed_writes(session, 8, 512)?);
    let enough = running_mean(&mixed_writes(session, 8, 8 * MANY)?);
    Ok([least_ratio, enough / few])
}

/// The writes among random reads and writes.
fn mixed_writes(session: &mut Session<'_>, ratio: u32, ios: u64) -> Result<Vec<f64>> {
    let mix = Some(Mix::ratio(Rw::RandWrite, ratio));
    let pattern = Pattern { mix, location: Location::Random, ..session.baseline(Rw::RandRead, ios) };
    let mut all = session.ios(&pattern)?;
    all.retain(|io| io.op == Op::Write);
    Ok(times_ms(&all))
}

fn figure_3(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, MTRON)?;
    let times = session.times_ms(&session.baseline(Rw::RandWrite, MANY))?;
    let phases = phases_of(&times);
    let startup = phases.startup_ios_high as usize;
    let truth = running_mean(&times);
    let (with, without) = (running(&times), running(&times[startup..]));
    let right_after = |averages: &[f64]| {
        let is_off = |average: &f64| (average / truth - 1.0).abs() > 0.05;
        averages.iter().rposition(is_off).map_or(0, |last| last + 1) as f64
    };
    let mut found = Found::default();
    found.measured_if("startup", Some(phases.startup_ios as f64).filter(|ios| *ios > 0.0));
    found.measured_if("period", between_dear(&times[startup..]));
    let off = |averages: &[f64]| (averages[511] / truth - 1.0).abs();
    found.measured("more-accurate", off(&without) / off(&with));
    found.measured("sooner", right_after(&without) / right_after(&with).max(1.0));
    let shown = 300;
    let numbered = |values: &[f64], from: usize| -> Vec<(f64, f64)> {
        values.iter().take(shown - from).enumerate().map(|(i, ms)| ((i + from) as f64, *ms)).collect()
    };
    found.blocks.push(lines(
        "figure-3",
        "Random writes, and their running average",
        [Axis::linear("IO", "IOs"), Axis::log("response time", "ms")],
        vec![
            ("random writes".into(), numbered(&times, 0)),
            ("running average with warm-up".into(), numbered(&with, 0)),
            ("running average without".into(), numbered(&without, startup.min(shown))),
        ],
    ));
    Ok(found)
}

/// IOs from one dear write to the next, on the average.
pub fn between_dear(times_ms: &[f64]) -> Option<f64> {
    let dear = times_ms.iter().filter(|ms| **ms > DEAR_MS).count();
    (dear > 0).then(|| times_ms.len() as f64 / dear as f64)
}

/// The mean of all values up to each.
fn running(values: &[f64]) -> Vec<f64> {
    let sums = values.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    sums.enumerate().map(|(i, sum)| sum / (i + 1) as f64).collect()
}

fn figure_4(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, KINGSTON_DTI)?;
    let times = session.times_ms(&session.baseline(Rw::Write, 4096))?;
    let phases = phases_of(&times);
    let mut found = Found::default();
    found.measured("startup", phases.startup_ios as f64);
    found.measured_if("period", phases.period.map(|period| period.ios as f64));
    let points = times.iter().take(600).enumerate().map(|(i, ms)| (i as f64, *ms));
    found.blocks.push(lines(
        "figure-4",
        "Sequential writes",
        [Axis::linear("IO", "IOs"), Axis::log("response time", "ms")],
        vec![("sequential writes".into(), points.collect())],
    ));
    Ok(found)
}
