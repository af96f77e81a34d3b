//! Paper 001, section 5: table 2, what sets the devices apart, and the seven design hints.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Location, Pattern, Rw};

use super::claim::ANY;
use super::devices::{HIGH_END, TABLE_3};
use super::papers::UFLIP;
use super::session::{Session, greatest, least, median};
use super::{Claim, Found, Stage, Study};

const MARKET: &str = "what shops asked in 2008";
const MOST: &str = "most of the seven: at least five";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-devices",
        paper: &UFLIP,
        place: "table 2, sections 5.1 to 5.3",
        about: "Random writes of 32 KB on all devices of table 3, group against group.",
        claims: &[
            Claim::not_here(
                "table-2",
                "eleven devices of 2 to 32 GB, for 12 to 943 dollars",
                "a table",
                MARKET,
            ),
            Claim::not_here(
                "price",
                "the price is not always indicative of the performance",
                "a comparison",
                MARKET,
            ),
            Claim::not_here(
                "fusion-io",
                "Fusion-io's card is advertised with 600 MB/s for random writes",
                "600 MB/s",
                "an advertisement; the paper did not measure it either",
            ),
            Claim::shape(
                "groups",
                "high-end SSDs stand out in random writes: the best other in the worst of them",
                "faster",
                "x",
            )
            .near(1.5, ANY, "more than any spread of a device"),
            Claim::shape(
                "usb",
                "large difference between USB drives and the best: best of USB in the best of all",
                "large",
                "x",
            )
            .near(10.0, ANY, "an order of magnitude"),
        ],
        run: devices,
    },
    Study {
        name: "uflip-hints",
        paper: &UFLIP,
        place: "section 5.3",
        about: "What the hints rest on, on all devices of table 3. Hint 3 is uflip-alignment, 6 \
                 uflip-mix, 7 uflip-parallel and uflip-delayed.",
        claims: &[
            Claim::shape(
                "latency",
                "hint 1: IOs have a latency, so that larger reads are better: MB/s of 128 KB in \
                 those of 4 KB, least device",
                "better",
                "x",
            )
            .near(1.2, ANY, "beyond any noise, on every device"),
            Claim::shape(
                "block-size",
                "hint 2: large blocks benefit writes: MB/s of random writes of 32 KB in those of \
                 4 KB, high end",
                "better",
                "x",
            )
            .near(1.5, ANY, "the worse of the two devices"),
            Claim::not_here(
                "five-minutes",
                "hint 2: by the five-minute rule, 4 KB pages are best for reads",
                "4 KB",
                "follows from prices of 2008",
            ),
            Claim::shape(
                "area",
                "hint 4: in 4 MB random writes are nearly as good as sequential ones on most devices",
                "most",
                "of 7",
            )
            .near(
                5.0,
                7.0,
                "at most 2.5 times the time, table 3's factors being up to 2; most: at least five",
            ),
            Claim::shape(
                "outside",
                "hint 4: over larger areas they are dear: the whole device in 4 MB, median device",
                "dear",
                "x",
            )
            .near(4.0, ANY, "more than any factor of the cheap area but one device's"),
            Claim::shape(
                "partitions",
                "hint 5: 4 sequential streams are acceptable, on most devices",
                "most",
                "of 7",
            )
            .near(5.0, 7.0, MOST),
            Claim::shape(
                "many-partitions",
                "hint 5: beyond 8, writes degrade to random ones: 32 streams in random writes, \
                 median device",
                "alike",
                "x",
            )
            .near(0.5, 1.5, "nearer to a random write than to anything else that a write costs"),
        ],
        run: hints,
    },
];

fn devices(stage: &Stage<'_>) -> Result<Found> {
    let random = |device: &&str| -> Result<f64> {
        let mut session = Session::used(stage, device)?;
        session.mean_ms(&session.baseline(Rw::RandWrite, 2048))
    };
    let times = TABLE_3.iter().map(random).collect::<Result<Vec<_>>>()?;
    let (high, others) = times.split_at(HIGH_END);
    let usb = &times[times.len() - 2..];
    let mut found = Found::default();
    found.measured("groups", least(others.iter().copied()) / greatest(high.iter().copied()));
    found.measured("usb", least(usb.iter().copied()) / least(times.iter().copied()));
    Ok(found)
}

/// What one device says to the hints.
struct Says {
    reads_gain: f64,
    writes_gain: f64,
    area_factor: f64,
    outside_factor: f64,
    streams_factor: f64,
    many_streams: f64,
}

impl Says {
    fn of(stage: &Stage<'_>, device: &str) -> Result<Says> {
        let mut session = Session::used(stage, device)?;
        let mut mean = |rw: Rw, bs_kib: u64, size: Option<Bytes>, location: Option<Location>| {
            // As many bytes of each size: a buffer must not hold all of them.
            let base = session.baseline(rw, 2048 * 32 / bs_kib.min(32));
            let (size, location) = (size.unwrap_or(base.size), location.unwrap_or(base.location));
            session.mean_ms(&Pattern { bs: Bytes(bs_kib << 10), size, location, ..base })
        };
        let reads_gain = 32.0 * mean(Rw::Read, 4, None, None)? / mean(Rw::Read, 128, None, None)?;
        let sequential = mean(Rw::Write, 32, None, None)?;
        let random = mean(Rw::RandWrite, 32, None, None)?;
        let writes_gain = 8.0 * mean(Rw::RandWrite, 4, None, None)? / random;
        let area = mean(Rw::RandWrite, 32, Some(Bytes(4 << 20)), None)?;
        let mut streams = |partitions| mean(Rw::Write, 32, None, Some(Location::Partitioned { partitions }));
        let (four, many) = (streams(4)?, streams(32)?);
        Ok(Says {
            reads_gain,
            writes_gain,
            area_factor: area / sequential,
            outside_factor: random / area,
            streams_factor: four / sequential,
            many_streams: many / random,
        })
    }
}

fn hints(stage: &Stage<'_>) -> Result<Found> {
    let all = TABLE_3.iter().map(|device| Says::of(stage, device)).collect::<Result<Vec<_>>>()?;
    let of = |value: fn(&Says) -> f64| all.iter().map(value).collect::<Vec<f64>>();
    let cheap = |values: Vec<f64>| values.iter().filter(|factor| **factor <= 2.5).count() as f64;
    let mut found = Found::default();
    found.measured("latency", least(of(|says| says.reads_gain)));
    found.measured("block-size", least(of(|says| says.writes_gain)[..HIGH_END].iter().copied()));
    found.measured("area", cheap(of(|says| says.area_factor)));
    found.measured("outside", median(&of(|says| says.outside_factor)));
    found.measured("partitions", cheap(of(|says| says.streams_factor)));
    found.measured("many-partitions", median(&of(|says| says.many_streams)));
    Ok(found)
}
