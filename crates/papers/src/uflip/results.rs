//! Paper 001, section 5.2: the micro-benchmarks that have neither a figure nor a column of their own: pauses,
//! bursts, alignment, mixes, parallel processes.

use flashscope_core::pattern::{Location, Mix, Pattern, Rw};
use flashscope_core::{Bytes, Nanos};
use flashscope_lab::Result;

use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{DISK, HIGH_END, KINGSTON_DTI, MEMORIGHT, SAMSUNG, TABLE_3};
use crate::papers::UFLIP;
use crate::session::{Session, elapsed_ms, greatest, least, mean, median, phases_of};
use crate::stage::Stage;
use crate::study::{Found, Study};

const NO_EFFECT: &str = "within 15 %: no more than three runs differ, three times over";
const ONE_DIGIT: &str = "within 20 %: printed with two digits";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-delayed",
        paper: &UFLIP,
        place: "sections 5.2 and 5.3, Pause and Bursts, hint 7",
        about: "Random writes with pauses between them, and between bursts of them. That the two of the \
                high end work when they are idle, and the other five not, is how their profiles are made.",
        claims: &[
            Claim::shape(
                "sequential",
                "high end: a pause as long as a random write makes them behave like sequential writes",
                "alike",
                "x",
            )
            .near(
                0.8,
                1.3,
                "random writes with that pause over sequential ones, the worse of the two devices",
            )
            .set(),
            Claim::figure(
                "total",
                "the total time is the same whatever the pause, up to a random \
             write",
                1.0,
                "x",
            )
            .near(0.85, 1.15, NO_EFFECT),
            Claim::figure(
                "burst",
                "bursts alike: the total time is the same whatever their length, where they are long enough \
                 to need all of 100 ms",
                1.0,
                "x",
            )
            .near(0.85, 1.15, NO_EFFECT),
            Claim::shape(
                "others",
                "on the other devices a pause has no effect: pauses of 25.6 ms and of a random write, \
                 furthest from 1",
                "none",
                "%",
            )
            .near(0.0, 15.0, NO_EFFECT)
            .set(),
        ],
        run: delayed,
    },
    Study {
        name: "uflip-alignment",
        paper: &UFLIP,
        place: "sections 5.2 and 5.3, Other results, hint 3",
        about: "Random writes of 32 KB on the Samsung, shifted by half of 16 KB and by 16 KB. Its banks take \
                16 KiB in turn: set for this. All devices: see uflip-devices.",
        claims: &[
            Claim::figure("aligned", "aligned to 16 KB they take 18 ms", 18.0, "ms")
                .within(1.2, 2.0, ONE_DIGIT)
                .set(),
            Claim::figure("misaligned", "otherwise 32 ms", 32.0, "ms").within(1.2, 2.0, ONE_DIGIT).set(),
            Claim::figure(
                "unit",
                "it is 16 KB that they must be aligned to: shifted by 16 KB, they take",
                18.0,
                "ms",
            )
            .within(1.2, 2.0, ONE_DIGIT)
            .set(),
        ],
        run: alignment,
    },
    Study {
        name: "uflip-mix",
        paper: &UFLIP,
        place: "sections 5.2 and 5.3, Other results, hint 6",
        about: "Six mixes of two baselines at seven ratios, against the sum of their parts, on the \
                Memoright, the Samsung and the Kingston DTI, one of each class; and on a hard disk. \
                Start-ups are counted in rounds of the mix, as FlashIO scales IOIgnore. \
                Different patterns side by side (hint 6) are not in \
                uFLIP, which replicates one: mixes stand for them.",
        claims: &[
            Claim::shape(
                "typical",
                "mixes do not significantly affect the cost: typically off by",
                "none",
                "%",
            )
            .near(0.0, 5.0, "no more than three runs differ"),
            Claim::shape("worst", "no mix does: the worst is off by", "none", "%")
                .near(0.0, 20.0, "20 %: what the one or two digits of table 3 do not show")
                .kind(0.0, 50.0)
                .because(
                    "sequential with random writes on the Kingston DTI: its one log is shared, so that a \
                     few random writes cost the stream a merge of its own",
                ),
            Claim::shape(
                "disk",
                "very different from hard disks, where combinations significantly affect it: the worst \
                 mix is off by",
                "significantly",
                "%",
            )
            .near(50.0, ANY, "ten times what is no effect"),
        ],
        run: mix,
    },
    Study {
        name: "uflip-parallel",
        paper: &UFLIP,
        place: "sections 5.2 and 5.3, Other results, hint 7",
        about: "One to sixteen processes, each in its part of the device, on all devices of table 3.",
        claims: &[
            Claim::shape(
                "faster",
                "IOs in parallel bring no improvement: the most that any pattern gains",
                "none",
                "%",
            )
            .near(-100.0, 5.0, "no more than three runs differ; set: the drives have no queue of commands")
            .set(),
            Claim::shape(
                "degenerate",
                "many sequential writes in parallel become partitioned ones: 16 against 16 partitions",
                "alike",
                "x",
            )
            .near(0.8, 1.25, "equal within 25 %, the median device"),
            Claim::shape(
                "dearer",
                "with the corresponding increase in cost: 16 against 1, the median device",
                "slower",
                "x",
            )
            .near(1.5, ANY, "at least as much as the least of table 3's factors that are not 1"),
        ],
        run: parallel,
    },
];

/// IOs of a run with pauses.
const IOS: u64 = 2048;

fn delayed(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let (mut alike, mut totals, mut bursts, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, device) in TABLE_3.into_iter().enumerate() {
        let mut session = Session::used(stage, device)?;
        let ios = if place < HIGH_END { IOS } else { 512 };
        let writes = session.baseline(Rw::RandWrite, ios);
        let random = session.mean_ms(&writes)?;
        let paused = |ms: f64| Pattern { thinktime: Nanos((ms * 1e6) as u64), ..writes.clone() };
        if place >= HIGH_END {
            for pause_ms in [25.6, random] {
                others.push(100.0 * (session.mean_ms(&paused(pause_ms))? / random - 1.0).abs());
            }
            continue;
        }
        let sequential = session.mean_ms(&session.baseline(Rw::Write, 1024))?;
        alike.push(session.mean_ms(&paused(random))? / sequential);
        for share in [0.125, 0.25, 0.5, 1.0] {
            totals.push(time_for_each(&mut session, &paused(share * random))? / random);
        }
        // From here on the bursts are long enough to need the whole pause.
        let shortest = (100.0 / random).ceil() as u64;
        for burst in (0..=6).map(|power| 10 << power).filter(|burst| *burst >= shortest) {
            let thinktime = Nanos::from_ms(100);
            let pattern = Pattern { thinktime, thinktime_blocks: burst, ..writes.clone() };
            bursts.push(time_for_each(&mut session, &pattern)? / random);
        }
    }
    let furthest = |values: &[f64]| {
        let by = |value: &&f64| (**value - 1.0).abs();
        values.iter().max_by(|a, b| by(a).total_cmp(&by(b))).copied().unwrap_or(f64::NAN)
    };
    let mut found = Found::default();
    found.measured("sequential", furthest(&alike));
    found.measured("total", furthest(&totals));
    found.measured("burst", furthest(&bursts));
    found.measured("others", greatest(others));
    Ok(found)
}

/// Time for each IO once a start-up is over, pauses included, in ms.
fn time_for_each(session: &mut Session<'_>, pattern: &Pattern) -> Result<f64> {
    let ios = session.ios(pattern)?;
    let running = &ios[ios.len() / 2..];
    Ok(elapsed_ms(running) / running.len() as f64)
}

fn alignment(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, SAMSUNG)?;
    let mut found = Found::default();
    for (claim, shift) in [("aligned", 0), ("misaligned", 8 << 10), ("unit", 16 << 10)] {
        found.measured(claim, shifted(&mut session, shift, 2048)?);
    }
    Ok(found)
}

/// The mean of random writes with this shift, in ms.
pub fn shifted(session: &mut Session<'_>, shift_bytes: u64, ios: u64) -> Result<f64> {
    let base = session.baseline(Rw::RandWrite, ios);
    // The shift moves the last IO beyond the space.
    let size = Bytes(base.size.0 - base.bs.0);
    session.mean_ms(&Pattern { size, shift: Bytes(shift_bytes), ..base })
}

const MIXES: [(Rw, Rw); 6] = [
    (Rw::Read, Rw::RandRead),
    (Rw::Read, Rw::RandWrite),
    (Rw::Read, Rw::Write),
    (Rw::RandRead, Rw::Write),
    (Rw::RandRead, Rw::RandWrite),
    (Rw::Write, Rw::RandWrite),
];

fn mix(stage: &Stage<'_>) -> Result<Found> {
    let mut off = Vec::new();
    for device in stage.each_of(&[MEMORIGHT, SAMSUNG, KINGSTON_DTI]) {
        off.extend(off_the_sum(&mut Session::used(stage, device)?, 6)?);
    }
    let mut found = Found::default();
    found.measured("typical", median(&off));
    found.measured("worst", greatest(off));
    let disk = if stage.is_the_papers_device() {
        greatest(off_the_sum(&mut Session::fresh(stage, DISK, &[])?, 2)?)
    } else {
        f64::NAN
    };
    found.measured("disk", disk);
    Ok(found)
}

/// How far mixes are off the sum of their parts, in per cent, at ratios of 1 to 2^powers.
fn off_the_sum(session: &mut Session<'_>, powers: u32) -> Result<Vec<f64>> {
    let mut off = Vec::new();
    let mut parts = [0.0; 4];
    for rw in Rw::ALL {
        parts[rw as usize] = session.mean_ms(&session.baseline(rw, 2048))?;
    }
    for (first, second) in MIXES {
        for ratio in (0..=powers).map(|power| 1u32 << power) {
            let together = mixed(session, first, second, ratio)?;
            let share = f64::from(ratio);
            let apart = (share * parts[first as usize] + parts[second as usize]) / (share + 1.0);
            off.push(100.0 * (together / apart - 1.0).abs());
        }
    }
    Ok(off)
}

/// The mean of a mix, the start-up of its second pattern left out.
fn mixed(session: &mut Session<'_>, first: Rw, second: Rw, ratio: u32) -> Result<f64> {
    let location = if first.is_random() { Location::Random } else { Location::Sequential };
    let round = u64::from(ratio) + 1;
    let mix = Some(Mix::ratio(second, ratio));
    let pattern = Pattern { mix, location, ..session.baseline(first, 512 * round) };
    let times = session.times_ms(&pattern)?;
    let rounds: Vec<f64> = times.chunks_exact(round as usize).map(mean).collect();
    let startup = phases_of(&rounds).startup_ios_high as usize;
    Ok(mean(&rounds[startup.min(rounds.len() - 1)..]))
}

fn parallel(stage: &Stage<'_>) -> Result<Found> {
    let (mut gains, mut alike, mut dearer) = (Vec::new(), Vec::new(), Vec::new());
    for device in stage.each_of(&TABLE_3) {
        let mut session = Session::used(stage, device)?;
        for rw in Rw::ALL {
            // The first writes pay for what the state before left to be merged.
            side_by_side(&mut session, rw, 1)?;
            let alone = side_by_side(&mut session, rw, 1)?;
            let degrees = [2, 4, 16].map(|degree| side_by_side(&mut session, rw, degree));
            let degrees = degrees.into_iter().collect::<Result<Vec<_>>>()?;
            gains.push(100.0 * (alone / least(degrees.iter().copied()) - 1.0));
            if rw == Rw::Write {
                let location = Location::Partitioned { partitions: 16 };
                let partitioned = Pattern { location, ..session.baseline(rw, 1024) };
                let partitioned = session.mean_ms(&partitioned)?;
                alike.push(degrees[2] / partitioned);
                dearer.push(degrees[2] / alone);
            }
        }
    }
    let mut found = Found::default();
    found.measured("faster", greatest(gains));
    found.measured("degenerate", median(&alike));
    found.measured("dearer", median(&dearer));
    Ok(found)
}

/// Time for each IO of so many processes once a start-up is over, in ms.
fn side_by_side(session: &mut Session<'_>, rw: Rw, degree: u32) -> Result<f64> {
    // Chance decides which bank a random write falls to: more of them for the same precision.
    let ios = if rw == Rw::RandWrite { 4096 } else { 1024 };
    let pattern = Pattern { numjobs: degree, ..session.baseline(rw, ios / u64::from(degree)) };
    time_for_each(session, &pattern)
}
