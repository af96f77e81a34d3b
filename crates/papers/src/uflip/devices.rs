//! Paper 001: table 2, and what sets its devices apart.

use flashscope_core::pattern::{Location, Pattern, Rw};
use flashscope_lab::Result;

use super::results::shifted;
use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{HIGH_END, TABLE_3};
use crate::papers::UFLIP;
use crate::session::{Session, greatest, least};
use crate::stage::Stage;
use crate::study::{Found, Study};

const MARKET: &str = "what shops asked in 2008";

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-devices",
    paper: &UFLIP,
    place: "table 2, sections 3.2, 5.1, 5.2 and 5.3",
    about: "Baselines, writes in reverse, in place and unaligned on all devices of table 3, group \
                against group. They were made from table 3, so that orders of baselines are set. Prices are \
                table 2's.",
    claims: &[
        Claim::not_here("table-2", "eleven devices of 2 to 32 GB, for 12 to 943 dollars", "a table", MARKET)
            .at("table 2"),
        Claim::shape(
            "price",
            "the price is not always indicative of the performance: pairs of which the more expensive one is \
             slower in random writes",
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
            "an advertisement, not measured by the paper either",
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
        .computed()
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
        Claim::figure("random-dearer", "random writes are more expensive than sequential ones", 7.0, "of 7")
            .near(7.0, 7.0, "table 3: all")
            .set()
            .at("section 5.2"),
        Claim::shape(
            "reads-cheaper",
            "reads are expected to be faster than writes: random reads than sequential writes",
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
}];

/// Table 2's, in dollars.
const PRICES: [f64; 7] = [943.0, 407.0, 517.0, 62.0, 199.0, 153.0, 17.0];

/// Pairs of devices of which the one that costs more takes longer.
fn dearer_and_slower(times: &[f64]) -> f64 {
    let is_so = |a: usize, b: usize| PRICES[a] > PRICES[b] && times[a] > times[b];
    let of = |a: usize| (0..7).filter(|b| is_so(a, *b)).count();
    (0..7).map(of).sum::<usize>() as f64
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
    stage.needs_several_devices()?;
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
