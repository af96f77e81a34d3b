//! Paper 001, section 5: table 2, what sets the devices apart, and the seven design hints.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Location, Pattern, Rw};

use super::results::shifted;
use crate::studies::claim::ANY;
use crate::studies::devices::{HIGH_END, TABLE_3};
use crate::studies::papers::UFLIP;
use crate::studies::session::{Session, greatest, least, median};
use crate::studies::{Claim, Found, Stage, Study};

const MARKET: &str = "what shops asked in 2008";
const GOOD: &str = "at most 2.6 times the time, table 3's x2 within 30 %; most: at least five";
/// Table 3's numbers of streams.
const STREAMS: [u32; 7] = [8, 4, 4, 4, 4, 8, 4];

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-devices",
        paper: &UFLIP,
        place: "table 2, sections 3.2, 5.1, 5.2 and 5.3",
        about: "Baselines, writes in reverse, in place and unaligned on all devices of table 3, group \
                against group. They were made from table 3, so that orders of baselines are set. Prices are \
                table 2's.",
        claims: &[
            Claim::not_here(
                "table-2",
                "eleven devices of 2 to 32 GB, for 12 to 943 dollars",
                "a table",
                MARKET,
            )
            .at("table 2"),
            Claim::shape(
                "price",
                "the price is not always indicative of the performance: pairs of which the dearer is slower \
                 in random writes",
                "not always",
                "of 21",
            )
            .near(1.0, 10.0, "table 2's prices and our times: at least one pair, and fewer than half")
            .set()
            .at("section 5.3"),
            Claim::not_here(
                "fusion-io",
                "Fusion-io's card is advertised with 600 MB/s for random writes",
                "600 MB/s",
                "an advertisement; the paper did not measure it either",
            )
            .at("section 5.1"),
            Claim::shape(
                "years",
                "footnote 1: reaching the erase limit, with wear leveling, may take years: the whole device \
                 10^5 times (MLC) or 10^6 (SLC) in order, the device that takes longest",
                "years",
                "years",
            )
            .near(2.0, 99.0, "reckoned from the capacity of table 2 and our sequential writes")
            .at("section 3.2"),
            Claim::shape(
                "groups",
                "high-end SSDs stand out in random writes: the best other in the worst of them",
                "faster",
                "x",
            )
            .near(1.5, ANY, "more than any spread of a device")
            .set()
            .at("section 5.3"),
            Claim::shape(
                "usb",
                "large difference between USB drives and the others: random writes, best of USB in best \
                 of all",
                "large",
                "x",
            )
            .near(10.0, ANY, "an order of magnitude")
            .set()
            .at("section 5.2"),
            Claim::shape("usb-others", "the same of SR, RR and SW: the least of the three", "large", "x")
                .near(2.0, ANY, "table 3 has 4.3, 3.8 and 6: at least half")
                .set()
                .at("section 5.2"),
            Claim::shape(
                "low-end",
                "and between low-end and high-end SSDs: random writes of the Transcend MLC in the worst of \
                 the high end",
                "large",
                "x",
            )
            .near(10.0, ANY, "table 3 has 26: an order of magnitude")
            .set()
            .at("section 5.2"),
            Claim::figure(
                "random-dearer",
                "random writes are more expensive than sequential ones",
                7.0,
                "of 7",
            )
            .near(7.0, 7.0, "table 3: all")
            .set()
            .at("section 5.2"),
            Claim::shape(
                "reads-cheaper",
                "reads are expected to be cheaper than writes: random reads than sequential writes",
                "4 of 7",
                "of 7",
            )
            .near(3.0, 5.0, "table 3: not on Memoright, Mtron and Transcend MLC; 3 to 5")
            .set()
            .at("section 5.2"),
            Claim::shape(
                "reverse",
                "high-end SSDs cope better with writes in reverse: the best other in the worst of them, in \
                 sequential writes",
                "better",
                "x",
            )
            .near(1.15, ANY, "table 3: 1.5 against 1")
            .at("section 5.3"),
            Claim::shape(
                "in-place",
                "and in place: the same, without the Samsung, whose x0.6 is better than theirs",
                "better",
                "x",
            )
            .near(1.15, ANY, "table 3: 2 against 1")
            .at("section 5.3"),
            Claim::shape(
                "unaligned",
                "unaligned IOs are significantly slower on some devices: shifted by 8 KB, by more than a \
                 quarter",
                "some",
                "of 7",
            )
            .near(1.0, 6.0, "neither none nor all")
            .at("section 5.2"),
            Claim::shape(
                "severe",
                "hint 3: the penalty for lack of alignment is quite severe: the worst device",
                "severe",
                "x",
            )
            .near(1.5, ANY, "32 in 18 ms is 1.8")
            .at("section 5.3"),
        ],
        run: devices,
    },
    Study {
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
                "the rule's prices of memory are not told: this is its utility of an index page, comparisons \
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
            .at("section 5.3"),
            Claim::shape("area-of-16", "hint 4, in 4 to 16 MB: as good in 16 MB", "1 of 7", "of 7")
                .near(1.0, 2.0, "table 3: the Samsung at x1.5 (the HyperX's 16 MB cost x20); one or two")
                .at("section 5.3"),
            Claim::shape(
                "outside",
                "hint 4: over larger areas they are dear: the whole device in 4 MB, median device",
                "dear",
                "x",
            )
            .near(4.0, ANY, "more than any factor of the cheap area but one device's")
            .at("section 5.3"),
            Claim::shape(
                "partitions",
                "hint 5: 4 sequential streams are acceptable, on most devices",
                "most",
                "of 7",
            )
            .near(5.0, 7.0, GOOD)
            .at("section 5.3"),
            Claim::shape("eight-partitions", "4 to 8: 8 streams", "2 of 7", "of 7")
                .near(2.0, 2.0, "table 3: Memoright at x1, HyperX at x20; at most half of a random write")
                .kind(1.0, 3.0)
                .because("the Memoright's six logs make four streams")
                .at("section 5.3"),
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
    },
];

/// Table 2's, in dollars.
const PRICES: [f64; 7] = [943.0, 407.0, 517.0, 62.0, 199.0, 153.0, 17.0];

/// Pairs of devices of which the one that costs more takes longer.
fn dearer_and_slower(times: &[f64]) -> f64 {
    let is_so = |a: usize, b: usize| PRICES[a] > PRICES[b] && times[a] > times[b];
    let of = |a: usize| (0..7).filter(|b| is_so(a, *b)).count();
    (0..7).map(of).sum::<usize>() as f64
}

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

/// What one device's baselines and unusual patterns cost, in ms.
struct Costs {
    /// By [`Rw`].
    baselines: [f64; 4],
    reverse: f64,
    in_place: f64,
    /// Random writes off by 8 KiB, in aligned ones.
    unaligned: f64,
}

impl Costs {
    fn of(stage: &Stage<'_>, device: &str) -> Result<Costs> {
        let mut session = Session::used(stage, device)?;
        let mut baselines = [0.0; 4];
        for rw in Rw::ALL {
            baselines[rw as usize] = session.mean_ms(&session.baseline(rw, 2048))?;
        }
        let mut ordered = |stride| {
            let location = Location::Ordered { stride };
            session.mean_ms(&Pattern { location, ..session.baseline(Rw::Write, 1024) })
        };
        let (reverse, in_place) = (ordered(-1)?, ordered(0)?);
        let unaligned = shifted(&mut session, 8 << 10, 1024)? / shifted(&mut session, 0, 1024)?;
        Ok(Costs { baselines, reverse, in_place, unaligned })
    }
}

fn devices(stage: &Stage<'_>) -> Result<Found> {
    stage.compares()?;
    let all = TABLE_3.iter().map(|device| Costs::of(stage, device)).collect::<Result<Vec<_>>>()?;
    let of = |rw: Rw| all.iter().map(|costs| costs.baselines[rw as usize]).collect::<Vec<f64>>();
    let (random, sequential) = (of(Rw::RandWrite), of(Rw::Write));
    let high = greatest(random[..HIGH_END].iter().copied());
    let usb = |times: &[f64]| least(times[5..].iter().copied()) / least(times.iter().copied());
    let mut found = Found::default();
    found.measured("years", greatest((0..7).map(|place| years(place, sequential[place]))));
    found.measured("groups", least(random[HIGH_END..].iter().copied()) / high);
    found.measured("price", dearer_and_slower(&random));
    found.measured("usb", usb(&random));
    found.measured("usb-others", least([Rw::Read, Rw::RandRead, Rw::Write].map(|rw| usb(&of(rw)))));
    found.measured("low-end", random[4] / high);
    let count = |is: &dyn Fn(usize) -> bool| (0..7).filter(|place| is(*place)).count() as f64;
    found.measured("random-dearer", count(&|place| random[place] > sequential[place]));
    let random_reads = of(Rw::RandRead);
    found.measured("reads-cheaper", count(&|place| random_reads[place] < sequential[place]));
    let relative = |cost: fn(&Costs) -> f64, places: &[usize]| {
        let [high, others] = [0..HIGH_END, HIGH_END..7].map(|group| {
            let chosen = places.iter().filter(move |place| group.contains(place));
            chosen.map(|place| cost(&all[*place]) / sequential[*place]).collect::<Vec<f64>>()
        });
        least(others) / greatest(high)
    };
    found.measured("reverse", relative(|costs| costs.reverse, &[0, 1, 2, 3, 4, 5, 6]));
    found.measured("in-place", relative(|costs| costs.in_place, &[0, 1, 3, 4, 5, 6]));
    found.measured("unaligned", count(&|place| all[place].unaligned > 1.25));
    found.measured("severe", greatest(all.iter().map(|costs| costs.unaligned)));
    Ok(found)
}

/// How long sequential writes take to wear a device of table 3 out.
fn years(place: usize, write_ms: f64) -> f64 {
    const CAPACITIES_GB: [f64; 7] = [32.0, 16.0, 32.0, 4.0, 32.0, 8.0, 4.0];
    let erases = if matches!(place, 0..=3) { 1e6 } else { 1e5 };
    let writes = CAPACITIES_GB[place] * 1e9 / f64::from(32 << 10);
    writes * erases * write_ms / 1e3 / (365.25 * 86_400.0)
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
    stage.compares()?;
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
