//! Paper 001, section 4.1: what a device holds decides what its writes cost.

use anyhow::Result;
use flashscope_bench::State;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{Bytes, Nanos};

use super::claim::ANY;
use super::devices::{KINGSTON_DTI, MEMORIGHT, MLC_SSD, SAMSUNG};
use super::papers::UFLIP;
use super::session::{Session, mean};
use super::stage::Set;
use super::{Claim, Found, Stage, Study};

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
        about: "16 KiB random writes on a new drive, and on the same drive once all of it has \
                 been written at random.",
        claims: &[
            Claim::figure("fresh", "out of the box, a 16 KB random write takes about 1 ms", 1.0, "ms")
                .within(1.42, 3.0, "\"around\", with one digit: within half an octave"),
            Claim::figure("used", "other SSDs, and this one once used, take about 8 ms", 8.0, "ms").within(
                1.42,
                3.0,
                "\"around\", with one digit: within half an octave",
            ),
            Claim::figure("factor", "it becomes slower by almost an order of magnitude", 10.0, "x")
                .near(6.0, 12.0, "\"almost\" ten: nearer to 10 than to 1 on a logarithmic scale, by far")
                .kind(2.0, 30.0),
        ],
        run: out_of_the_box,
    },
    Study {
        name: "uflip-stable-state",
        paper: &UFLIP,
        place: "section 4.1",
        about: "Random writes on a drive in the random state before and after its capacity is \
                 written once more, at random and in order; and how far their cost drifts from \
                 the sequential state.",
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
            .near(-100.0, -20.0, "cheaper afterwards, by more than the stable state varies"),
            Claim::shape(
                "sequential-state",
                "random writes change a sequential state much more than a random one",
                "much more",
                "x",
            )
            .near(
                3.0,
                ANY,
                "drift of the cost as the capacity is written once more, against the random state's",
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
            Claim::figure("memoright", "random state enforcement takes 5 hours on the Memoright", 5.0, "h")
                .within(1.42, 6.0, "the same work on the same device; sizes of the IOs are not drawn alike")
                .because(
                    "5 h for half a million IOs are 36 ms for each, while table 3 has 5 ms for a \
                 random write of 32 KB on this device: the IOs of random size must have cost far \
                 more than any IO that the paper gives a time for, and the simulated device knows \
                 only those",
                ),
            Claim::not_here(
                "corsair",
                "and 35 days on the Corsair",
                "35 days",
                "the Corsair is in none of the paper's results: nothing says how to build it",
            ),
            Claim::shape(
                "varies",
                "the time varies significantly, from hours to weeks",
                "x336 for each byte",
                "x",
            )
            .near(168.0, 672.0, "35 days for half the bytes of the Memoright's 5 hours: within an octave")
            .kind(10.0, ANY)
            .because("the slowest device that the paper describes is taken, which is not the Corsair"),
            Claim::shape("faster", "enforcing the sequential state is much faster", "much faster", "x").near(
                3.0,
                ANY,
                "times; no figure is given",
            ),
            Claim::not_here(
                "total",
                "17 hours in all with sequential state on the Memoright, because it must be \
                 enforced again and again",
                "17 h",
                "how often it was enforced is not said",
            ),
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
    found.measured("factor", used / fresh);
    Ok(found)
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
    session.enforce(State::Sequential)?;
    let [first, .., last] = quarters(&mut session, all)?;
    let mut found = Found::default();
    let percent = |after: f64| 100.0 * (after / before - 1.0);
    found.measured("random-writes", percent(after_random));
    found.measured("sequential-writes", percent(after_sequential));
    let drift = (last / first - 1.0).abs();
    found.measured("sequential-state", drift / (after_random / before - 1.0).abs().max(0.01));
    Ok(found)
}

/// Mean random writes of each quarter of so many.
fn quarters(session: &mut Session<'_>, ios: u64) -> Result<[f64; 4]> {
    let times = session.times_ms(&small_writes(session, ios))?;
    let part = times.len() / 4;
    Ok([0, 1, 2, 3].map(|quarter| mean(&times[quarter * part..(quarter + 1) * part])))
}

fn enforcement(stage: &Stage<'_>) -> Result<Found> {
    let hours = |device: &str, state: State| -> Result<f64> {
        let mut session = Session::fresh(stage, device, &[])?;
        let Nanos(spent) = session.enforce(state)?;
        Ok(spent as f64 / 3.6e12 * DRIVE_BYTES / session.size().0 as f64)
    };
    let (fast, slow) = (hours(MEMORIGHT, State::Random)?, hours(KINGSTON_DTI, State::Random)?);
    let mut found = Found::default();
    found.measured("memoright", fast);
    found.measured("varies", slow / fast);
    found.measured("faster", fast / hours(MEMORIGHT, State::Sequential)?);
    Ok(found)
}
