//! Paper 001, sections 4.2 and 5.1: start-up and running phases, and what they do to a mean.

use anyhow::Result;
use flashscope_bench::{Effort, Plan, Scope, Settings, State};
use flashscope_core::pattern::{Location, Mix, Pattern, Rw};
use flashscope_core::{Bytes, Op, TargetInfo};
use flashscope_report::html::document::{Axis, Scale};

use super::claim::ANY;
use super::devices::{HIGH_END, KINGSTON_DTI, MTRON, TABLE_3, rigs};
use super::papers::UFLIP;
use super::picture::lines;
use super::session::{Session, greatest, least, mean, median, phases_of, running_mean, times_ms};
use super::{Claim, Found, Stage, Study};

const ONE_DIGIT: &str = "within 20 %: printed with one or two digits";
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
        about: "What 512 IOs say of a device whose first writes are cheap; and on the rig, which tests the \
                method, what they say of a mix with reads: in the simulated flash the read behind a write \
                waits for its merge.",
        claims: &[
            Claim::figure("cheap", "the first 128 random writes take 400 us", 0.4, "ms")
                .within(1.2, 2.0, ONE_DIGIT),
            Claim::figure(
                "dear",
                "those after them oscillate between 400 us and 27 ms: the dear ones",
                27.0,
                "ms",
            )
            .within(1.2, 2.0, ONE_DIGIT),
            Claim::figure("error", "the mean of 512 random writes is about 25 % too low", 25.0, "%")
                .near(20.0, 30.0, "\"about\": within 5 points")
                .kind(10.0, 60.0),
            Claim::shape(
                "shorter",
                "shorter experiments are even further off: 256 against 512",
                "more",
                "points",
            )
            .near(5.0, ANY, "beyond the noise of a run"),
            Claim::figure(
                "ratio",
                "from more than 4 reads for each write, 512 IOs see only cheap writes",
                4.0,
                "",
            )
            .near(
                4.0,
                8.0,
                "the least ratio of table 1's at which no write is dear: 4, or the next above",
            ),
            Claim::shape(
                "meaningless",
                "and the mean of the writes is meaningless: what they cost in truth, at a ratio of 8",
                "many times as much",
                "x",
            )
            .near(5.0, ANY, "more than any other effect of a mix"),
        ],
        run: startup,
    },
    Study {
        name: "uflip-figure-3",
        paper: &UFLIP,
        place: "figure 3 and section 5.1",
        about: "Random writes on the Mtron, and their running average with and without the start-up. The \
                period is looked for on the rig, which tests the method.",
        claims: &[
            Claim::figure("startup", "the start-up is about 125 IOs", 125.0, "IOs").within(
                1.1,
                2.0,
                "\"about\", read off a picture; elsewhere the paper has 128",
            ),
            Claim::shape("period", "the period is quite short, tens of IOs", "tens of IOs", "IOs")
                .near(10.0, 99.0, "two digits")
                .kind(2.0, 99.0)
                .because(
                    "section 4.2's writes that alternate between 0.4 and 27 ms make a period of two \
                 or three; in the simulated flash the dear ones come whenever chance takes a bank twice",
                ),
            Claim::shape(
                "sooner",
                "without the start-up the running average is right sooner: IOs until it stays \
                 within 5 %",
                "fewer",
                "x",
            )
            .near(0.0, 0.5, "less than half as many"),
        ],
        run: figure_3,
    },
    Study {
        name: "uflip-figure-4",
        paper: &UFLIP,
        place: "figure 4 and section 5.1",
        about: "Sequential writes on the Kingston DTI.",
        claims: &[
            Claim::figure("startup", "there is no start-up", 0.0, "IOs").near(0.0, 0.0, "none is found"),
            Claim::figure("period", "the period is about 128 operations", 128.0, "IOs")
                .near(122.0, 134.0, "\"about\": within 5 %")
                .kind(64.0, 256.0),
        ],
        run: figure_4,
    },
    Study {
        name: "uflip-classes",
        paper: &UFLIP,
        place: "sections 4.2 and 5.1",
        about: "Start-up and oscillation of all baselines of all devices of table 3, and the \
                 paper's rules from them: on the rigs, which test the method. What random writes cost at \
                 least and at most, on simulated flash.",
        claims: &[
            Claim::figure(
                "with-startup",
                "two devices have a start-up for random writes: Memoright and Mtron",
                2.0,
                "devices",
            )
            .near(2.0, 2.0, "a count; a third one, or another one than these, counts against it"),
            Claim::figure(
                "others",
                "neither these for SR, RR and SW, nor other devices have one",
                0.0,
                "start-ups",
            )
            .near(0.0, 0.0, "a count"),
            Claim::figure("ignore-memoright", "IOIgnore of 30 covers the Memoright's", 30.0, "IOs").within(
                1.2,
                2.0,
                "where the start-up is seen to end, within a period or two",
            ),
            Claim::figure("ignore-mtron", "IOIgnore of 128 covers the Mtron's", 128.0, "IOs").within(
                1.1,
                2.0,
                "where the start-up is seen to end, within a period or two",
            ),
            Claim::figure(
                "count",
                "IOCounts of 1,024 and 5,120 (SSDs) and of 512 (others) are long enough: the \
                 furthest that a mean is off",
                0.0,
                "%",
            )
            .near(0.0, 5.0, "as far as three runs differ")
            .kind(0.0, 10.0),
            Claim::not_here(
                "oscillations",
                "the others show small oscillations for RR and larger ones for SW",
                "small, larger",
                "figure 4 alone shows one: see uflip-figure-4",
            ),
            Claim::figure("least", "of the others' random writes, the cheapest take 0.25 ms", 0.25, "ms")
                .within(1.2, 200.0, "on a logarithmic scale from 0.25 to 300, its lower part"),
            Claim::figure("most", "and the dearest 300 ms", 300.0, "ms")
                .within(1.2, 2.0, ONE_DIGIT)
                .because("a write may find two merges before it"),
            Claim::figure("runs", "three runs typically differ by less than 5 %", 5.0, "%").near(
                0.0,
                5.0,
                "the median over devices and baselines of the spread of three means",
            ),
        ],
        run: classes,
    },
    Study {
        name: "uflip-plan",
        paper: &UFLIP,
        place: "sections 4.1 and 4.2",
        about: "The plan of the whole benchmark for a device of 32 GB.",
        claims: &[
            Claim::figure("resets", "on 32 GB the state is never reset", 0.0, "resets")
                .near(0.0, 0.0, "a count"),
            Claim::figure(
                "overlaps",
                "sequential writes go to target spaces that do not overlap",
                0.0,
                "overlaps",
            )
            .near(0.0, 0.0, "a count"),
        ],
        run: plan,
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
    let mut session = Session::used(stage, rigs::MTRON)?;
    let mut least_ratio = f64::NAN;
    for ratio in [64, 32, 16, 8, 4, 2, 1] {
        let writes = mixed_writes(&mut session, ratio, 512)?;
        if writes.iter().any(|ms| *ms > DEAR_MS) {
            break;
        }
        least_ratio = f64::from(ratio);
    }
    found.measured("ratio", least_ratio);
    let few = mean(&mixed_writes(&mut session, 8, 512)?);
    let enough = running_mean(&mixed_writes(&mut session, 8, 8 * MANY)?);
    found.measured("meaningless", enough / few);
    Ok(found)
}

/// The writes among random reads and writes.
fn mixed_writes(session: &mut Session<'_>, ratio: u32, ios: u64) -> Result<Vec<f64>> {
    let mix = Some(Mix { rw: Rw::RandWrite, ratio });
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
    found.measured("startup", phases.startup_ios as f64);
    let mut rig = Session::used(stage, rigs::MTRON)?;
    let period = phases_of(&rig.times_ms(&rig.baseline(Rw::RandWrite, MANY))?).period;
    found.measured("period", period.map_or(0.0, |period| period.ios as f64));
    found.measured("sooner", right_after(&without) / right_after(&with).max(1.0));
    let shown = 300;
    let numbered = |values: &[f64], from: usize| -> Vec<(f64, f64)> {
        values.iter().take(shown - from).enumerate().map(|(i, ms)| ((i + from) as f64, *ms)).collect()
    };
    found.blocks.push(lines(
        "figure-3",
        "Random writes, and their running average",
        [Axis::of("IO", "IOs", Scale::Linear), Axis::of("response time", "ms", Scale::Log)],
        vec![
            ("random writes".into(), numbered(&times, 0)),
            ("average with the start-up".into(), numbered(&with, 0)),
            ("average without".into(), numbered(&without, startup.min(shown))),
        ],
    ));
    Ok(found)
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
    found.measured("period", phases.period.map_or(0.0, |period| period.ios as f64));
    let points = times.iter().take(600).enumerate().map(|(i, ms)| (i as f64, *ms));
    found.blocks.push(lines(
        "figure-4",
        "Sequential writes",
        [Axis::of("IO", "IOs", Scale::Linear), Axis::of("response time", "ms", Scale::Log)],
        vec![("sequential writes".into(), points.collect())],
    ));
    Ok(found)
}

/// What the baselines of one device are like.
struct Class {
    /// Start-ups in the order of [`Rw::ALL`].
    startups: [u64; 4],
    /// How far the mean of the paper's IOCount is off, in per cent.
    off: [f64; 4],
    /// How far three runs are apart, in per cent.
    spread: [f64; 4],
}

impl Class {
    fn of(stage: &Stage<'_>, place: usize) -> Result<Class> {
        let mut session = Session::used(stage, rigs::TABLE_3[place])?;
        let mut class = Class { startups: [0; 4], off: [0.0; 4], spread: [0.0; 4] };
        for (i, rw) in Rw::ALL.into_iter().enumerate() {
            let count = io_count(place, rw);
            let times = session.times_ms(&session.baseline(rw, 4 * count))?;
            let startup = phases_of(&times).startup_ios_high;
            class.startups[i] = startup;
            let until_count = &times[..(startup + count) as usize];
            class.off[i] =
                100.0 * (mean(&until_count[startup as usize..]) / running_mean(&times) - 1.0).abs();
            let mut means = Vec::new();
            for _ in 0..3 {
                let run = session.times_ms(&session.baseline(rw, startup + count))?;
                means.push(mean(&run[startup as usize..]));
            }
            class.spread[i] = 100.0 * (greatest(means.iter().copied()) / least(means) - 1.0);
        }
        Ok(class)
    }
}

/// The cheapest and the dearest random write of the devices that are not of the high end.
fn random_ms(stage: &Stage<'_>) -> Result<[f64; 2]> {
    let mut all = Vec::new();
    for (place, device) in TABLE_3.into_iter().enumerate().skip(HIGH_END) {
        let mut session = Session::used(stage, device)?;
        all.extend(session.times_ms(&session.baseline(Rw::RandWrite, io_count(place, Rw::RandWrite)))?);
    }
    Ok([least(all.iter().copied()), greatest(all)])
}

/// Section 5.1's IOCount: the third and fifth of table 3 are SSDs, too.
fn io_count(place: usize, rw: Rw) -> u64 {
    match (matches!(place, 0 | 1 | 2 | 4), rw) {
        (true, Rw::RandWrite) => 5120,
        (true, _) => 1024,
        (false, _) => 512,
    }
}

fn classes(stage: &Stage<'_>) -> Result<Found> {
    let all = (0..TABLE_3.len()).map(|place| Class::of(stage, place)).collect::<Result<Vec<_>>>()?;
    let (high, others) = all.split_at(HIGH_END);
    let random = |class: &&Class| class.startups[3] > 0;
    let elsewhere = |class: &Class| class.startups[..3].iter().filter(|ios| **ios > 0).count();
    let wrong: usize = all.iter().map(elsewhere).sum::<usize>() + others.iter().filter(random).count();
    let mut found = Found::default();
    found.measured(
        "with-startup",
        high.iter().filter(random).count() as f64 + others.iter().filter(random).count() as f64,
    );
    found.measured("others", wrong as f64);
    found.measured("ignore-memoright", all[0].startups[3] as f64);
    found.measured("ignore-mtron", all[1].startups[3] as f64);
    found.measured("count", greatest(all.iter().flat_map(|class| class.off)));
    let [cheapest, dearest] = random_ms(stage)?;
    found.measured("least", cheapest);
    found.measured("most", dearest);
    let spreads: Vec<f64> = all.iter().flat_map(|class| class.spread).collect();
    found.measured("runs", median(&spreads));
    Ok(found)
}

fn plan(stage: &Stage<'_>) -> Result<Found> {
    let target = TargetInfo {
        name: rigs::TABLE_3[0].into(),
        size_bytes: 32_000_000_000,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: String::new(),
        queue_depth_max: 16,
    };
    let settings = Settings {
        scope: Scope::Table1,
        only: None,
        state: State::Random,
        effort: Effort { precision: 0.05, confidence: 0.95, explore_factor: 1, ios_max: 1 << 20 },
        budget: None,
        run_max: None,
        patience: None,
        write: true,
        repeats: 1,
        seed: stage.seed,
        span: None,
        bs: Bytes(32 << 10),
    };
    let plan = Plan::new(&target, &settings)?;
    let mut found = Found::default();
    found.measured("resets", (plan.enforcements - 1) as f64);
    let spaces: Vec<(u64, u64)> =
        plan.steps.iter().filter_map(|step| sequential(&step.experiment.pattern)).collect();
    let overlap = |&(a, b): &(usize, usize)| spaces[a].0 < spaces[b].1 && spaces[b].0 < spaces[a].1;
    let pairs = (0..spaces.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    found.measured("overlaps", pairs.filter(overlap).count() as f64);
    Ok(found)
}

/// Where a pattern writes in order.
fn sequential(pattern: &Pattern) -> Option<(u64, u64)> {
    let is_sequential =
        pattern.rw == Rw::Write && pattern.location == Location::Sequential && pattern.mix.is_none();
    is_sequential.then(|| (pattern.offset.0, pattern.end_bytes()))
}
