//! Paper 001, section 4.1: what a device holds decides what its writes cost.

use flashscope_bench::State;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Nanos};
use flashscope_lab::Result;

use super::plan;
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{KINGSTON_DTI, MEMORIGHT, MLC_SSD, MTRON, SAMSUNG};
use crate::papers::UFLIP;
use crate::session::{Session, least, mean};
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};

const AROUND: &str = "\"around\", with one digit: within 20 %";
/// A drive scaled down, as it leaves the factory.
const NEW: [Set<'static>; 2] = [("capacity", "512MiB"), ("initial", "empty")];
/// The size that the paper scales to.
const DRIVE_BYTES: f64 = 32e9;

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-out-of-the-box",
        paper: &UFLIP,
        place: "section 4.1",
        about: "16 KiB random writes on a new drive, and on the same drive once all of it has been written \
                at random; and on two others. A new drive holds nothing (initial = empty), so that nothing \
                is copied.",
        claims: &[
            Claim::figure("fresh", "out of the box, a 16 KB random write takes about 1 ms", 1.0, "ms")
                .within(1.2, 2.0, AROUND),
            Claim::figure("used", "once used, it becomes comparable to the others' 8 ms", 8.0, "ms")
                .within(1.2, 2.0, AROUND)
                .because(
                    "one merge of two banks, 19 ms, for each two writes: table 3's 18 ms for 32 KB in half",
                )
                .set(),
            Claim::figure(
                "others",
                "other SSDs take around 8 ms: Memoright and Mtron, the further off",
                8.0,
                "ms",
            )
            .within(1.2, 2.0, AROUND)
            .because("table 3 has 5 and 9 ms for them, for twice the size"),
            Claim::figure("factor", "it becomes slower by almost an order of magnitude", 10.0, "x")
                .near(6.0, 12.0, "\"almost\" ten: nearer to 10 than to 1 on a logarithmic scale, by far")
                .kind(3.3, 30.0)
                .set(),
        ],
        run: out_of_the_box,
    },
    Study {
        name: "uflip-stable-state",
        paper: &UFLIP,
        place: "section 4.1",
        about: "Random writes on a drive in the random state before and after its capacity is written once \
                more, at random and in order; and in both states before and after a quarter of it is written \
                at random, by IOs that are badly aligned, and by IOs of different sizes.",
        claims: &[
            Claim::shape(
                "random-writes",
                "in the random state, random writes disturb it little",
                "little",
                "%",
            )
            .near(-15.0, 15.0, "far below what sequential writes do"),
            Claim::shape(
                "sequential-writes",
                "only sequential writes disturb it significantly",
                "significantly",
                "%",
            )
            .near(-100.0, -20.0, "faster afterwards, by more than the stable state varies"),
            Claim::shape(
                "sequential-state",
                "random writes, badly aligned IOs, or IOs of different sizes change a sequential state much \
                 more than a random one: the least of the three",
                "much more",
                "x",
            )
            .near(
                3.0,
                ANY,
                "much: three times; by how much random writes change, in the change in the random state",
            ),
        ],
        run: stable_state,
    },
    Study {
        name: "uflip-enforcement",
        paper: &UFLIP,
        place: "sections 4.1 and 5.1",
        about: "The time to bring a whole drive into the random and the sequential state, scaled \
                 to 32 GB.",
        claims: &[
            Claim::figure(
                "memoright",
                "random state enforcement, by IOs of 0.5 to 128 KB, takes 5 hours on the Memoright",
                5.0,
                "h",
            )
            .kind(5.0 / 3.0, 15.0)
            .tolerated("the whole work, but by IOs that the paper does not have: 16 KB on average")
            .because(
                "here 2 million IOs of 8 ms each. Sizes drawn evenly from 0.5 to 128 KB make half a million \
                 IOs, 36 ms for each, while table 3 has 5 ms for a random write of 32 KB on this device: \
                 they must have cost far more than any IO that the paper gives a time for",
            )
            .at("section 5.1"),
            Claim::not_here(
                "corsair",
                "and 35 days on the Corsair",
                "35 days",
                "the Corsair is in none of the paper's results: nothing says how to build it",
            )
            .at("section 5.1"),
            Claim::shape(
                "varies",
                "the time varies significantly, from hours to weeks",
                "hours to weeks",
                "x",
            )
            .near(
                168.0,
                672.0,
                "35 days for half the bytes of the Memoright's 5 hours: x336 for each byte, within an octave",
            )
            .kind(10.0, 1000.0)
            .because("the slowest device that the paper describes is taken, which is not the Corsair")
            .at("section 5.1"),
            Claim::shape("faster", "enforcing the sequential state is much faster", "much faster", "x").near(
                3.0,
                ANY,
                "a ratio; the paper gives no value",
            ),
            Claim::figure(
                "total",
                "with sequential state, enforced again and again, 17 hours in all on the Memoright: once for \
                 each run of three repeats that has random writes",
                17.0,
                "h",
            )
            .within(1.42, 3.0, "how often it was enforced is not said: within half an octave")
            .at("section 5.1")
            .set(),
            Claim::shape(
                "cheaper",
                "so that the random state, enforced once, is faster: hours in all against hours for one",
                "more",
                "x",
            )
            .near(1.5, ANY, "the paper's 17 in 5 is 3.4")
            .at("section 5.1"),
        ],
        run: enforcement,
    },
];

fn out_of_the_box(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::fresh(stage, SAMSUNG, &[("initial", "empty")])?;
    let writes = small_writes(&session, 2048);
    let fresh = mean(&session.times_ms(&writes)?);
    // "After randomly writing the entire 32 GB."
    session.enforce(State::Random)?;
    let all = session.size().0 / writes.bs.0;
    session.ios(&small_writes(&session, all))?;
    let used = mean(&session.times_ms(&writes)?);
    let mut found = Found::default();
    found.measured("fresh", fresh);
    found.measured("used", used);
    let others = if stage.is_the_papers_device() { further_off(stage)? } else { f64::NAN };
    found.measured("others", others);
    found.measured("factor", used / fresh);
    Ok(found)
}

/// What 16 KiB random writes take on two other SSDs: the further from 8 ms.
fn further_off(stage: &Stage<'_>) -> Result<f64> {
    let mean = |device| {
        let mut session = Session::used(stage, device)?;
        session.mean_ms(&small_writes(&session, 4096))
    };
    let [memoright, mtron] = [mean(MEMORIGHT)?, mean(MTRON)?];
    let is_further = (memoright / 8.0).ln().abs() > (mtron / 8.0).ln().abs();
    Ok(if is_further { memoright } else { mtron })
}

fn small_writes(session: &Session<'_>, ios: u64) -> Pattern {
    Pattern { bs: Bytes(16 << 10), ..session.baseline(Rw::RandWrite, ios) }
}

fn stable_state(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::fresh(stage, MLC_SSD, &NEW)?;
    session.enforce(State::Random)?;
    let all = session.size().0 / (16 << 10);
    // Once more, so that the drive has collected all its blocks.
    session.ios(&small_writes(&session, all))?;
    let probe = small_writes(&session, all / 16);
    let before = mean(&session.times_ms(&probe)?);
    session.ios(&small_writes(&session, all))?;
    let after_random = mean(&session.times_ms(&probe)?);
    session.ios(&session.baseline(Rw::Write, session.size().0 / (32 << 10)))?;
    let after_sequential = mean(&session.times_ms(&probe)?);
    let mut found = Found::default();
    let percent = |after: f64| 100.0 * (after / before - 1.0);
    found.measured("random-writes", percent(after_random));
    found.measured("sequential-writes", percent(after_sequential));
    found.measured("sequential-state", least(changes(&mut session)?));
    Ok(found)
}

/// What a quarter of the capacity, written in three ways, changes in the sequential state, in what it changes
/// in the random one.
fn changes(session: &mut Session<'_>) -> Result<[f64; 3]> {
    let quarter = session.size().0 / 4;
    let random = small_writes(session, quarter / (16 << 10));
    let unaligned = session.baseline(Rw::RandWrite, quarter / (32 << 10));
    let unaligned =
        Pattern { shift: Bytes(512), size: Bytes(unaligned.size.0 - unaligned.bs.0), ..unaligned };
    let mut change = |state: State, way: Option<&Pattern>| -> Result<f64> {
        session.enforce(state)?;
        let probe = small_writes(session, 512);
        let before = mean(&session.times_ms(&probe)?);
        match way {
            Some(pattern) => drop(session.ios(pattern)?),
            None => drop(session.enforce_last(State::Random, 4)?),
        }
        Ok((mean(&session.times_ms(&probe)?) / before - 1.0).abs())
    };
    let mut ratios = [0.0; 3];
    for (ratio, way) in ratios.iter_mut().zip([Some(&random), Some(&unaligned), None]) {
        *ratio = change(State::Sequential, way)? / change(State::Random, way)?;
    }
    Ok(ratios)
}

fn enforcement(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let hours = |device: &str, state: State| -> Result<f64> {
        let mut session = Session::fresh(stage, device, &[])?;
        let Nanos(spent) = session.enforce(state)?;
        Ok(spent as f64 / 3.6e12 * DRIVE_BYTES / session.size().0 as f64)
    };
    let (fast, slow) = (hours(MEMORIGHT, State::Random)?, hours(KINGSTON_DTI, State::Random)?);
    let mut found = Found::default();
    found.measured("memoright", fast);
    found.measured("varies", slow / fast);
    let sequential = hours(MEMORIGHT, State::Sequential)?;
    found.measured("faster", fast / sequential);
    let plan = plan::of_the_paper(stage.seed, DRIVE_BYTES as u64)?;
    let times = plan.steps.iter().filter(|step| plan::writes_at_random(step)).count();
    let total = times as f64 * sequential;
    found.measured("total", total);
    found.measured("cheaper", total / fast);
    Ok(found)
}
