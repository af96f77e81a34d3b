//! Paper 001, section 4.3 and figure 5: how long random writes disturb the reads after them.

use flashscope_analysis::{Lingering, lingering};
use flashscope_core::Nanos;
use flashscope_core::pattern::Rw;
use flashscope_lab::Result;
use flashscope_show::html::document::Axis;

use crate::claim::Claim;
use crate::devices::{MTRON, TABLE_3};
use crate::papers::UFLIP;
use crate::picture::lines;
use crate::session::{Session, times_ms};
use crate::stage::Stage;
use crate::study::{Found, Study};

const ONE_DIGIT: &str = "within 20 %: printed with one or two digits, read off a picture";
/// Random writes between the reads: twice the longest start-up.
const WRITES: u64 = 256;
/// Reads before and after them.
const READS: [u64; 2] = [1024, 8192];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-figure-5",
    paper: &UFLIP,
    place: "figure 5, sections 4.3 and 5.1",
    about: "Sequential reads, random writes, and sequential reads again, on all devices of table 3. That the \
             Mtron alone works beside reads is how the profiles are made.",
    claims: &[
        Claim::figure("reads", "on the Mtron the writes linger for about 3,000 reads", 3000.0, "IOs")
            .within(1.2, 2.0, ONE_DIGIT)
            .at("figure 5 and section 5.1")
            .set(),
        Claim::figure("seconds", "that is about 2.5 s", 2.5, "s")
            .within(1.2, 2.0, ONE_DIGIT)
            .at("figure 5 and section 5.1")
            .set(),
        Claim::figure("pause", "a pause of 5 s overestimates it: reads still slow after it", 0.0, "IOs")
            .near(0.0, 0.0, "none")
            .at("sections 4.3 and 5.1"),
        Claim::figure("others", "on no other device do they linger", 0.0, "devices")
            .near(0.0, 0.0, "a count")
            .at("section 5.1")
            .set(),
        Claim::figure("second", "there a pause of 1 s is enough: reads still slow after it", 0.0, "IOs")
            .near(0.0, 0.0, "none")
            .at("section 5.1")
            .set(),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    let (mut others, mut after_a_second) = (0, 0);
    for device in TABLE_3 {
        let mut session = Session::used(stage, device)?;
        let (left, times) = after_writes(&mut session, Nanos::ZERO)?;
        if device == MTRON {
            found.measured("reads", left.affected_ios as f64);
            found.measured("seconds", left.affected_ns / 1e9);
            let (later, _) = after_writes(&mut session, Nanos::from_s(5))?;
            found.measured("pause", later.affected_ios as f64);
            found.blocks.push(picture(&times));
        } else {
            others += u32::from(left.affected_ios > 0);
            after_a_second += after_writes(&mut session, Nanos::from_s(1))?.0.affected_ios;
        }
    }
    found.measured("others", f64::from(others));
    found.measured("second", after_a_second as f64);
    Ok(found)
}

/// The reads after random writes and a pause, and all response times in order.
fn after_writes(session: &mut Session<'_>, pause: Nanos) -> Result<(Lingering, Vec<f64>)> {
    let before = session.times_ms(&session.baseline(Rw::Read, READS[0]))?;
    let writes = times_ms(&session.ios_at_once(&session.baseline(Rw::RandWrite, WRITES))?);
    session.rest(pause)?;
    let after = times_ms(&session.ios_at_once(&session.baseline(Rw::Read, READS[1]))?);
    let nanos = |times: &[f64]| times.iter().map(|ms| ms * 1e6).collect::<Vec<_>>();
    let found = lingering(&nanos(&before), &nanos(&after));
    Ok((found, [before, writes, after].concat()))
}

fn picture(times: &[f64]) -> flashscope_show::html::document::Block {
    // The greatest of each few: single dear writes must not vanish.
    let points = times
        .chunks(8)
        .enumerate()
        .map(|(i, few)| (8.0 * i as f64, crate::session::greatest(few.iter().copied())));
    lines(
        "figure-5",
        "Sequential reads, random writes, sequential reads",
        [Axis::linear("IO", "IOs"), Axis::log("response time", "ms")],
        vec![("maximum of each 8 IOs".into(), points.collect())],
    )
}
