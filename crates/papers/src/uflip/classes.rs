//! Paper 001, section 5.1: the two classes of devices, by the start-up and the oscillation of their
//! baselines,
//! and the rules that follow for IOIgnore and IOCount.

use flashscope_core::pattern::Rw;
use flashscope_lab::Result;

use super::phases::between_dear;
use crate::claim::Claim;
use crate::devices::{HIGH_END, TABLE_3, rigs};
use crate::papers::UFLIP;
use crate::session::{Session, greatest, least, mean, median, phases_of, running_mean};
use crate::stage::Stage;
use crate::study::{Found, Study};

const ENOUGH: &str = "the difference between three runs";
const LEAST: &str = "the fastest writes here are those that the Samsung's RAM takes at the speed of \
                     its link; the paper's were of one of nine devices, of which it describes five";

/// Half of the shortest start-up of the paper: less is chance.
const STARTUP_IOS_MIN: usize = 15;

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-classes",
    paper: &UFLIP,
    place: "section 5.1",
    about: "Start-up and oscillation of all baselines of all devices of table 3, and the paper's rules from \
            them; the start-ups on the rigs too, which test the method. That of the Mtron and the Memoright \
            follows from the merges that their profiles let banks put off.",
    claims: &[
        Claim::figure(
            "with-startup",
            "two devices have a start-up for random writes: Memoright and Mtron",
            2.0,
            "devices",
        )
        .near(2.0, 2.0, "a count; a third one, or another one than these, counts against it")
        .because(
            "of the Memoright's four banks, which may put off four merges each, chance fills one after \
             a dozen writes: its fast writes are too few to be distinguished from the fast ones between \
             slow ones",
        )
        .set(),
        Claim::figure(
            "others",
            "neither these for SR, RR and SW, nor other devices have one",
            0.0,
            "start-ups",
        )
        .near(0.0, 0.0, "a count; fewer than 15 IOs, half of the paper's shortest, are none")
        .kind(0.0, 2.0)
        .because(
            "one of 26: the Transcend Module's logs, shared by two blocks each, still hold random writes as \
             the first 64 sequential ones come",
        ),
        Claim::figure("rigs", "on the rigs, whose start-ups are set, so many have one", 2.0, "devices")
            .near(2.0, 2.0, "a count")
            .set(),
        Claim::shape(
            "small-period",
            "their start-up is followed by oscillations with a very small period: IOs from one slow write \
             to the next, the shorter",
            "very small",
            "IOs",
        )
        .near(1.05, 29.0, "less than either start-up, and more than every write"),
        Claim::figure(
            "ignore-memoright",
            "IOIgnore of 30 covers the Memoright's start-up: with 5,120 IOs after it, the mean is off by",
            0.0,
            "%",
        )
        .near(0.0, 5.0, ENOUGH),
        Claim::figure("ignore-mtron", "IOIgnore of 128 covers the Mtron's: the same", 0.0, "%")
            .near(0.0, 5.0, ENOUGH),
        Claim::figure(
            "count",
            "IOCounts of 1,024 and 5,120 (SSDs) and of 512 (others) are long enough: the furthest that a \
             mean is off",
            0.0,
            "%",
        )
        .near(0.0, 5.0, ENOUGH),
        Claim::shape(
            "oscillations",
            "the other nine show small oscillations for RR and larger ones for SW: of five of them",
            "small, larger",
            "of 5",
        )
        .near(
            3.0,
            5.0,
            "more than half; by the standard deviation in the mean. Finding RR has none at all",
        ),
        Claim::figure("least", "of the others' random writes, the fastest take 0.25 ms", 0.25, "ms")
            .within(1.2, 3.0, "two digits; in kind half a decade")
            .because(LEAST),
        Claim::figure("most", "and the slowest 300 ms", 300.0, "ms")
            .within(1.2, 2.0, "within 20 %: one digit; the slowest device is made from it")
            .set(),
        Claim::figure("range", "impressive variations: the slowest over the fastest", 1200.0, "x")
            .within(1.42, 3.0, "both ends of one or two digits; in kind half a decade")
            .because(LEAST),
        Claim::figure("runs", "three runs typically differ by less than 5 %", 5.0, "%").near(
            0.0,
            5.0,
            "random writes, which alone vary here: the median over devices of the spread of three means",
        ),
    ],
    run,
}];

/// What the baselines of one device are like, in the order of [`Rw::ALL`].
#[derive(Default)]
struct Class {
    /// IOs of the start-up.
    startups: [u64; 4],
    /// How far the mean of the paper's IOCount is off, in per cent.
    off: [f64; 4],
    /// How far three runs are apart, in per cent.
    spread: [f64; 4],
    /// Standard deviation in the mean after the start-up.
    oscillation: [f64; 4],
    /// Random writes.
    random_ms: Vec<f64>,
}

impl Class {
    fn of(stage: &Stage<'_>, place: usize) -> Result<Class> {
        let mut session = Session::used(stage, TABLE_3[place])?;
        let mut class = Class::default();
        for (i, rw) in Rw::ALL.into_iter().enumerate() {
            let count = io_count(place, rw);
            // What the state and the baseline before left to be merged.
            session.ios(&session.baseline(rw, count))?;
            let times = session.times_ms(&session.baseline(rw, 3 * count))?;
            let startup = phases_of(&times).startup_ios_high as usize;
            let startup = if startup < STARTUP_IOS_MIN { 0 } else { startup };
            let (ignored, count) = (io_ignore(place, rw), count as usize);
            class.startups[i] = startup as u64;
            class.off[i] =
                100.0 * (mean(&times[ignored..ignored + count]) / running_mean(&times) - 1.0).abs();
            class.oscillation[i] = deviation(&times[startup..]) / mean(&times[startup..]);
            let mut means = vec![mean(&times[ignored..ignored + count])];
            for _ in 1..3 {
                let run = session.times_ms(&session.baseline(rw, (ignored + count) as u64))?;
                means.push(mean(&run[ignored..]));
            }
            class.spread[i] = 100.0 * (greatest(means.iter().copied()) / least(means) - 1.0);
            class.random_ms = times;
        }
        Ok(class)
    }
}

/// The standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// Section 5.1's IOCount: the third and fifth of table 3 are SSDs, too.
fn io_count(place: usize, rw: Rw) -> u64 {
    match (matches!(place, 0 | 1 | 2 | 4), rw) {
        (true, Rw::RandWrite) => 5120,
        (true, _) => 1024,
        (false, _) => 512,
    }
}

/// Section 5.1's IOIgnore.
fn io_ignore(place: usize, rw: Rw) -> usize {
    match (place, rw) {
        (0, Rw::RandWrite) => 30,
        (1, Rw::RandWrite) => 128,
        _ => 0,
    }
}

fn run(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let all = (0..TABLE_3.len()).map(|place| Class::of(stage, place)).collect::<Result<Vec<_>>>()?;
    let (high, others) = all.split_at(HIGH_END);
    let random = |class: &&Class| class.startups[3] > 0;
    let elsewhere = |class: &Class| class.startups[..3].iter().filter(|ios| **ios > 0).count();
    let wrong: usize = all.iter().map(elsewhere).sum::<usize>() + others.iter().filter(random).count();
    let mut found = Found::default();
    found.measured("with-startup", all.iter().filter(random).count() as f64);
    found.measured("others", wrong as f64);
    found.measured("rigs", rigs_with_startup(stage)? as f64);
    let periods =
        high.iter().filter_map(|class| between_dear(&class.random_ms[class.startups[3] as usize..]));
    found.measured("small-period", least(periods));
    found.measured("ignore-memoright", all[0].off[3]);
    found.measured("ignore-mtron", all[1].off[3]);
    found.measured("count", greatest(all.iter().flat_map(|class| class.off)));
    let larger = others.iter().filter(|class| class.oscillation[2] > class.oscillation[1]);
    found.measured("oscillations", larger.count() as f64);
    let random_ms = || others.iter().flat_map(|class| class.random_ms.iter().copied());
    let [cheapest, dearest] = [least(random_ms()), greatest(random_ms())];
    found.measured("least", cheapest);
    found.measured("most", dearest);
    found.measured("range", dearest / cheapest);
    let spreads: Vec<f64> = all.iter().map(|class| class.spread[Rw::RandWrite as usize]).collect();
    found.measured("runs", median(&spreads));
    Ok(found)
}

fn rigs_with_startup(stage: &Stage<'_>) -> Result<usize> {
    let mut count = 0;
    for (place, rig) in rigs::TABLE_3.into_iter().enumerate() {
        let mut session = Session::used(stage, rig)?;
        let times = session.times_ms(&session.baseline(Rw::RandWrite, io_count(place, Rw::RandWrite)))?;
        count += usize::from(phases_of(&times).startup_ios_high > 0);
    }
    Ok(count)
}
