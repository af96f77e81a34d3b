//! Paper 001, section 5.3: the seven design hints.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_lab::Result;

use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{HIGH_END, TABLE_3};
use crate::papers::UFLIP;
use crate::session::{Session, least, median};
use crate::stage::Stage;
use crate::study::{Found, Study};

const GOOD: &str = "at most 2.6 times the time, table 3's x2 within 30 %; most: at least five";
/// Table 3's numbers of streams.
const STREAMS: [u32; 7] = [8, 4, 4, 4, 4, 8, 4];

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-hints",
    paper: &UFLIP,
    place: "sections 5.2 and 5.3",
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
        .near(1.2, ANY, "beyond any noise, on every device")
        .at("section 5.3"),
        Claim::shape(
            "block-size",
            "hint 2: large blocks benefit writes: MB/s of random writes of 32 KB in those of \
                 4 KB, high end",
            "better",
            "x",
        )
        .near(1.5, 4.0, "the worse of the two; figure 6 makes it x2: 4.8 ms in 4 for 4 KB, 5 for 32")
        .kind(1.5, 10.0)
        .because(
            "4 KB cost a whole merge in log blocks, where the paper's small writes add up \
             (figure 6)",
        )
        .at("section 5.3"),
        Claim::figure(
            "five-minutes",
            "hint 2: by the five-minute rule, pages of 4 KB are best for reads",
            4.0,
            "KiB",
        )
        .within(1.5, 2.5, "in powers of two")
        .because(
            "the rule's prices of memory are not specified: this is its utility of an index page, \
             comparisons \
                 for each ms of a random read, which changes little around its best size",
        )
        .at("section 5.3"),
        Claim::shape(
            "area",
            "hint 4: in 4 MB random writes are nearly as good as sequential ones on most devices",
            "most",
            "of 7",
        )
        .near(5.0, 7.0, GOOD)
        .at("section 5.3")
        .set(),
        Claim::shape("area-of-16", "hint 4, in 4 to 16 MB: as good in 16 MB", "4 to 16 MB", "of 7")
            .near(1.0, 2.0, "table 3: the Samsung at x1.5 (the HyperX's 16 MB cost x20); one or two")
            .at("section 5.3")
            .set(),
        Claim::shape(
            "outside",
            "hint 4: over larger areas they are slow: the whole device in 4 MB, median device",
            "slow",
            "x",
        )
        .near(4.0, ANY, "more than any factor of the fast area but one device's")
        .at("section 5.3"),
        Claim::shape(
            "partitions",
            "hint 5: 4 sequential streams are acceptable, on most devices",
            "most",
            "of 7",
        )
        .near(5.0, 7.0, GOOD)
        .at("section 5.3")
        .set(),
        Claim::shape("eight-partitions", "hint 5, 4 to 8: 8 streams", "4 to 8", "of 7")
            .near(2.0, 2.0, "table 3: Memoright at x1, HyperX at x20; at most half of a random write")
            .kind(1.0, 3.0)
            .because("the Memoright's six logs make four streams")
            .at("section 5.3")
            .set(),
        Claim::shape(
            "more-partitions",
            "with more streams than table 3 has, the performance degrades significantly: twice as many \
                 in as many, on so many devices by half",
            "significantly",
            "of 7",
        )
        .near(6.0, 7.0, "all; one may miss")
        .kind(4.0, 7.0)
        .because("the streams of one device do not fill its logs within the run")
        .at("section 5.2"),
        Claim::shape(
            "many-partitions",
            "hint 5: beyond 8, writes degrade to random ones: 16 streams in random writes, on most \
                 devices alike",
            "alike",
            "of 7",
        )
        .near(5.0, 7.0, "half to one and a half of a random write; most: at least five")
        .kind(4.0, 7.0)
        .at("section 5.3"),
    ],
    run: hints,
}];

/// The page of an index of which a random read brings the most comparisons in its time (Graefe, who is
/// cited there: entries of 20 bytes), in KiB.
fn best_page_kib(stage: &Stage<'_>, device: &str) -> Result<f64> {
    let mut session = Session::used(stage, device)?;
    let mut best = (0.0, 0.0);
    for kib in (0..8).map(|power| 1u64 << power) {
        let bs = Bytes(kib << 10);
        let time_ms = session.mean_ms(&Pattern { bs, ..session.baseline(Rw::RandRead, 1024) })?;
        let utility = (bs.0 as f64 / 20.0).log2() / time_ms;
        if utility > best.0 {
            best = (utility, kib as f64);
        }
    }
    Ok(best.1)
}

/// What one device says to the hints.
struct Says {
    reads_gain: f64,
    writes_gain: f64,
    area_factors: [f64; 2],
    outside_factor: f64,
    streams_factor: f64,
    eight_streams: f64,
    more_streams: f64,
    many_streams: f64,
}

impl Says {
    fn of(stage: &Stage<'_>, place: usize) -> Result<Says> {
        let mut session = Session::used(stage, TABLE_3[place])?;
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
        let mut area = |mib: u64| mean(Rw::RandWrite, 32, Some(Bytes(mib << 20)), None);
        let (small, large) = (area(4)?, area(16)?);
        let mut streams = |partitions| mean(Rw::Write, 32, None, Some(Location::Partitioned { partitions }));
        let (four, eight, many) = (streams(4)?, streams(8)?, streams(16)?);
        Ok(Says {
            reads_gain,
            writes_gain,
            area_factors: [small, large].map(|ms| ms / sequential),
            outside_factor: random / small,
            streams_factor: four / sequential,
            eight_streams: eight / random,
            more_streams: if STREAMS[place] == 8 { many / eight } else { eight / four },
            many_streams: many / random,
        })
    }
}

fn hints(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let all = (0..TABLE_3.len()).map(|place| Says::of(stage, place)).collect::<Result<Vec<_>>>()?;
    let of = |value: fn(&Says) -> f64| all.iter().map(value).collect::<Vec<f64>>();
    let among = |low: f64, values: Vec<f64>, high: f64| {
        values.iter().filter(|value| (low..=high).contains(*value)).count() as f64
    };
    let mut found = Found::default();
    found.measured("latency", least(of(|says| says.reads_gain)));
    found.measured("block-size", least(of(|says| says.writes_gain)[..HIGH_END].iter().copied()));
    found.measured("five-minutes", best_page_kib(stage, TABLE_3[0])?);
    found.measured("area", among(0.0, of(|says| says.area_factors[0]), 2.6));
    found.measured("area-of-16", among(0.0, of(|says| says.area_factors[1]), 2.6));
    found.measured("outside", median(&of(|says| says.outside_factor)));
    found.measured("partitions", among(0.0, of(|says| says.streams_factor), 2.6));
    found.measured("eight-partitions", among(0.0, of(|says| says.eight_streams), 0.5));
    found.measured("more-partitions", among(1.5, of(|says| says.more_streams), f64::INFINITY));
    found.measured("many-partitions", among(0.5, of(|says| says.many_streams), 1.5));
    Ok(found)
}
