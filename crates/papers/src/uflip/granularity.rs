//! Paper 001, section 5.2, figures 6 and 7: response time against the size of an IO.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block};

use crate::claim::ANY;
use crate::claim::Claim;
use crate::devices::{KINGSTON_DTI, MEMORIGHT, rigs};
use crate::papers::UFLIP;
use crate::picture::lines;
use crate::session::{Session, greatest, least, mean, median, running_mean};
use crate::stage::Stage;
use crate::study::{Found, Study};

const ONE_DIGIT: &str = "within 20 %: printed with two or three digits, read off a picture";
const LATENCY: &str = "within 20 %: two or three digits, read off a picture; set: command_us is 70";
const RATIO: &str = "equal within 25 %: \"about as much\"";
const MERGE: &str = "in log blocks each write costs a merge, whatever its size: page mapping would make \
                     small ones fast, or a cache that sorts its writes by blocks";
/// `[2^0, ..., 2^9] x 512 B`.
const SIZES: [u64; 10] =
    [512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "uflip-figure-6",
        paper: &UFLIP,
        place: "figure 6 and section 5.2",
        about: "All baselines on the Memoright, with IOs of 512 B to 256 KB. How small random writes add up \
                is looked for on the rig too, which tests the method.",
        claims: &[
            Claim::figure("latency-sr", "sequential reads have a latency of about 70 µs", 0.07, "ms")
                .within(1.2, 2.0, LATENCY)
                .set(),
            Claim::figure("latency-sw", "and so have sequential writes", 0.07, "ms")
                .within(1.2, 2.0, LATENCY)
                .set(),
            Claim::figure("latency-rr", "random reads one of 115 µs", 0.115, "ms")
                .within(1.2, 2.0, LATENCY)
                .set(),
            Claim::shape(
                "linear",
                "beyond it they are linear in the size: the furthest off a line",
                "linear",
                "%",
            )
            .near(0.0, 10.0, "of the time itself")
            .kind(0.0, 25.0)
            .because(
                "random reads: up to 8 KB lie on four channels and take the time of one page, and only \
                 beyond do they take longer by the page",
            ),
            Claim::shape(
                "large",
                "rather large random writes take at least 5 ms: the least from 32 KB on",
                "at least 5 ms",
                "ms",
            )
            .near(4.5, ANY, "5 as it is rounded, or more"),
            Claim::shape(
                "cheap",
                "of them, the fast ones cost about what sequential ones do",
                "similar",
                "x",
            )
            .near(0.8, 1.25, RATIO),
            Claim::shape("dear", "and the slow ones tens of ms", "tens of ms", "ms").near(
                10.0,
                99.0,
                "two digits",
            ),
            Claim::figure("four-of-4", "four writes of 4 KB take about as much as one of 16 KB", 1.0, "x")
                .near(0.8, 1.25, RATIO)
                .kind(0.5, 1.5)
                .because(MERGE)
                .at("section 5.2"),
            Claim::figure("two-of-8", "and so do two of 8 KB", 1.0, "x")
                .near(0.8, 1.25, RATIO)
                .kind(0.5, 1.5)
                .because(MERGE)
                .at("section 5.2"),
            Claim::shape("rig", "both on the rig, whose curve says so: the further from 1", "x1", "x")
                .near(0.8, 1.25, RATIO)
                .set()
                .at("section 5.2"),
            Claim::shape(
                "faster",
                "small random writes are serviced much faster: one of 16 KB over one of 4 KB",
                "much faster",
                "x",
            )
            .near(2.0, ANY, "less than half the time")
            .kind(1.41, ANY)
            .because(MERGE),
            Claim::figure(
                "factor",
                "random writes are up to a factor of five slower than the other operations",
                5.0,
                "x",
            )
            .within(1.42, 2.0, "at the largest size, where it is least: within half an octave")
            .because(
                "256 KB cost a merge in each of four banks, 20 ms, where the other operations take 2: a \
                 merge costs as much as table 3's 5 ms for 32 KB say, and four of them side by side \
                 more than the paper's 256 KB",
            ),
        ],
        run: memoright,
    },
    Study {
        name: "uflip-figure-7",
        paper: &UFLIP,
        place: "figure 7 and section 5.2",
        about: "All baselines on the Kingston DTI, with IOs of 512 B to 256 KB.",
        claims: &[
            Claim::figure("random-writes", "random writes take around 260 ms", 260.0, "ms")
                .within(1.2, 2.0, ONE_DIGIT)
                .set()
                .at("section 5.2"),
            Claim::shape(
                "constant",
                "whatever their size: the slowest size over the fastest",
                "rather constant",
                "x",
            )
            .near(1.0, 1.3, "\"rather\": within 30 %")
            .kind(1.0, 2.0)
            .at("section 5.2"),
            Claim::shape(
                "small",
                "small sequential writes cost significantly more than those of 32 KB: the fastest size \
                 below",
                "more",
                "x",
            )
            .near(1.25, ANY, "beyond any noise")
            .because(
                "whole pages of 4 KB in order cost their pages alone here; only what is smaller costs more, \
                 because it writes a page again",
            ),
            Claim::shape("smallest", "and those of 512 B", "more", "x")
                .near(1.25, 5.0, "the figure shows no factor: a few times as much")
                .kind(1.25, 15.0)
                .because(
                    "a sector of a page that is written already closes the log after eight pages, and a \
                     merge of 270 ms follows",
                ),
            Claim::shape(
                "orders",
                "random writes are one or two orders of magnitude slower than the other operations",
                "10 to 100",
                "x",
            )
            .near(10.0, 100.0, "against the mean of SR, RR and SW at 32 KB")
            .kind(5.0, 316.0)
            .because("table 3's own row of this device makes it x110")
            .at("section 5.2"),
        ],
        run: kingston,
    },
];

/// The means of each baseline by size, in the order of [`Rw::ALL`] and of the sizes.
struct Curves([Vec<f64>; 4]);

impl Curves {
    fn of(session: &mut Session<'_>, ios: u64) -> Result<Curves> {
        let mut curves = Curves([const { Vec::new() }; 4]);
        for (curve, rw) in curves.0.iter_mut().zip(Rw::ALL) {
            // What a buffer holds of the curve before is written, and not counted.
            session.ios(&session.baseline(rw, ios))?;
            for size in SIZES {
                curve.push(session.mean_ms(&sized(session, rw, size, ios))?);
            }
        }
        Ok(curves)
    }

    fn at(&self, rw: Rw, size: u64) -> f64 {
        let curve = Rw::ALL.iter().position(|other| *other == rw).expect("one of four");
        let place = SIZES.iter().position(|other| *other == size).expect("one of the sizes");
        self.0[curve][place]
    }

    /// Random writes in the mean of the other three.
    fn factor(&self, size: u64) -> f64 {
        let others = [Rw::Read, Rw::RandRead, Rw::Write].map(|rw| self.at(rw, size));
        self.at(Rw::RandWrite, size) / mean(&others)
    }

    fn picture(&self, id: &str) -> Block {
        let points =
            |curve: &Vec<f64>| SIZES.iter().zip(curve).map(|(size, ms)| (*size as f64, *ms)).collect();
        let curves = Rw::ALL.iter().zip(&self.0).map(|(rw, curve)| (rw.short_name().into(), points(curve)));
        let axes = [Axis::log("IO size", "bytes"), Axis::log("response time", "ms")];
        lines(id, "Response time against IO size", axes, curves.collect())
    }
}

fn sized(session: &Session<'_>, rw: Rw, size: u64, ios: u64) -> Pattern {
    Pattern { bs: Bytes(size), ..session.baseline(rw, ios) }
}

fn memoright(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, MEMORIGHT)?;
    let curves = Curves::of(&mut session, 1024)?;
    let mut found = Found::default();
    let mut furthest: f64 = 0.0;
    for (claim, curve) in [("latency-sr", 0), ("latency-rr", 1), ("latency-sw", 2)] {
        let (latency, off) = line(&curves.0[curve]);
        furthest = furthest.max(off);
        found.measured(claim, latency);
    }
    found.measured("linear", furthest);
    found.measured("large", least(SIZES[6..].iter().map(|size| curves.at(Rw::RandWrite, *size))));
    let writes = session.times_ms(&sized(&session, Rw::RandWrite, 32 << 10, 1024))?;
    let (cheap, dear): (Vec<f64>, Vec<f64>) = writes.iter().partition(|ms| **ms < running_mean(&writes));
    found.measured("cheap", median(&cheap) / curves.at(Rw::Write, 32 << 10));
    found.measured("dear", median(&dear));
    let add_up = |times: [f64; 3]| [4.0 * times[0] / times[2], 2.0 * times[1] / times[2]];
    let small = [4 << 10, 8 << 10, 16 << 10];
    let simulated = small.map(|size| curves.at(Rw::RandWrite, size));
    let [four, two] = add_up(simulated);
    found.measured("four-of-4", four);
    found.measured("two-of-8", two);
    found.measured("faster", simulated[2] / simulated[0]);
    // The rig is no device that a person named.
    if stage.is_the_papers_device() {
        let mut rig = Session::used(stage, rigs::MEMORIGHT)?;
        let mut random = |size| rig.mean_ms(&sized(&rig, Rw::RandWrite, size, 1024));
        let [four, two] = add_up([random(small[0])?, random(small[1])?, random(small[2])?]);
        found.measured("rig", if (four - 1.0).abs() > (two - 1.0).abs() { four } else { two });
    }
    found.measured("factor", curves.factor(SIZES[9]));
    found.blocks.push(curves.picture("figure-6"));
    Ok(found)
}

/// The line through the times by size that is off by the least share of them: its value at 0, and how far it
/// is off at most, in per cent.
fn line(times: &[f64]) -> (f64, f64) {
    // Weighted least squares, with weights that make all times equally important.
    let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (size, y) in SIZES.iter().zip(times) {
        let (x, weight) = (*size as f64, 1.0 / (y * y));
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
    }
    let slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    let latency = (wy - slope * wx) / w;
    let off = SIZES.iter().zip(times).map(|(x, y)| 100.0 * ((latency + slope * *x as f64) / y - 1.0).abs());
    (latency, greatest(off))
}

fn kingston(stage: &Stage<'_>) -> Result<Found> {
    let mut session = Session::used(stage, KINGSTON_DTI)?;
    let curves = Curves::of(&mut session, 512)?;
    let random = &curves.0[3];
    let mut found = Found::default();
    found.measured("random-writes", mean(random));
    found.measured("constant", greatest(random.iter().copied()) / least(random.iter().copied()));
    let small = SIZES[..6].iter().map(|size| curves.at(Rw::Write, *size));
    let of_32 = curves.at(Rw::Write, 32 << 10);
    found.measured("small", least(small) / of_32);
    found.measured("smallest", curves.at(Rw::Write, SIZES[0]) / of_32);
    found.measured("orders", curves.factor(32 << 10));
    found.blocks.push(curves.picture("figure-7"));
    Ok(found)
}
