//! Paper 001, section 5.2, figure 8: random writes in an area that grows.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::Axis;

use crate::claim::Claim;
use crate::devices::{KINGSTON_DTI, MEMORIGHT, MTRON, SAMSUNG};
use crate::papers::UFLIP;
use crate::picture::{Line, lines};
use crate::session::{Session, greatest};
use crate::stage::Stage;
use crate::study::{Found, Study};

const LARGE: &str = "table 3's RW over its SW, within a factor of 1.42: both are printed with one or \
 two digits. Both are set";

/// "Nearly the same", as table 3 has it of each device.
const fn small(name: &'static str, words: &'static str, factor: f64) -> Claim {
    const SMALL: &str = "the slowest area up to 1 MB: table 3's factor of this device within 30 %";
    Claim::shape(name, words, "nearly the same", "x")
        .near(factor / 1.3, factor * 1.3, SMALL)
        .kind(factor / 2.0, 3.0)
        .set()
}

const fn large(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "x").within(1.42, 2.0, LARGE).set()
}

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-figure-8",
    paper: &UFLIP,
    place: "figure 8 and section 5.2",
    about: "Random writes in areas of one IO to the whole device, relative to sequential writes. Over the \
            whole the Mtron's are the slowest here, in table 3 the Samsung's: within the table's digits.",
    claims: &[
        small(
            "small-samsung",
            "Samsung: random writes in a small area take nearly as long as sequential ones",
            1.5,
        ),
        small("small-memoright", "Memoright: the same", 1.0),
        small("small-mtron", "Mtron: the same", 2.0),
        large("large-samsung", "Samsung: over the whole device (table 3's RW in SW)", 30.0),
        large("large-memoright", "Memoright: over the whole device (table 3's RW in SW)", 16.7),
        large("large-mtron", "Mtron: over the whole device (table 3's RW in SW)", 22.5),
        Claim::shape(
            "dti",
            "the Kingston DTI has no benefit from a small area: 1 MB against the whole",
            "none",
            "x",
        )
        .near(0.8, 1.25, "equal within 25 %")
        .at("section 5.2")
        .set(),
        Claim::shape(
            "sequential",
            "locality does not affect sequential writes, until the area becomes so small that they are in \
             place: the smallest area from which on none is off by 20 %",
            "small",
            "KiB",
        )
        .near(32.0, 256.0, "up to eight IOs")
        .kind(32.0, 4096.0)
        .because("in less than a log block, of 1 to 4 MiB here, a sequential write meets its own log again")
        .at("section 5.2"),
        Claim::figure("in-place", "and on 1 IO they are: the Samsung's, in sequential writes", 0.6, "x")
            .within(1.3, 1.7, "table 3's factor in place, of one digit")
            .because(
                "a place of one IO stays in RAM, and only the link counts; uflip-samsung's x0.5 is against \
                 sequential writes in a space of 64 MiB, which are a little faster than over all",
            )
            .at("section 5.2")
            .set(),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    let mut curves = Vec::new();
    let mut smallest: f64 = 0.0;
    for (name, device) in [("samsung", SAMSUNG), ("memoright", MEMORIGHT), ("mtron", MTRON)] {
        let mut session = Session::used(stage, device)?;
        let (curve, sequential) = curve(&mut session)?;
        let relative = |(area, ms): &(f64, f64)| (*area, ms / sequential);
        let curve: Vec<(f64, f64)> = curve.iter().map(relative).collect();
        let near = curve.iter().filter(|point| point.0 <= f64::from(1 << 20)).map(|point| point.1);
        let (near, (_, far)) = (greatest(near), curve[curve.len() - 1]);
        let [small, large] = match name {
            "samsung" => ["small-samsung", "large-samsung"],
            "memoright" => ["small-memoright", "large-memoright"],
            _ => ["small-mtron", "large-mtron"],
        };
        found.measured(small, near);
        found.measured(large, far);
        let (from, in_place) = sequential_from(&mut session, sequential)?;
        if device == SAMSUNG {
            found.measured("in-place", in_place);
        }
        smallest = smallest.max(from);
        curves.push((name.to_string(), curve));
    }
    found.measured("sequential", smallest);
    let mut session = Session::used(stage, KINGSTON_DTI)?;
    let whole = session.size().0;
    let near = area(&mut session, Rw::RandWrite, 1 << 20)?;
    found.measured("dti", near / area(&mut session, Rw::RandWrite, whole)?);
    found.blocks.push(picture(curves));
    Ok(found)
}

/// Random writes by area, and sequential ones over all.
fn curve(session: &mut Session<'_>) -> Result<(Vec<(f64, f64)>, f64)> {
    let whole = session.size().0;
    let sequential = area(session, Rw::Write, whole)?;
    // One IO is in place, and two are half of it.
    let areas = (17..).map(|power| 1u64 << power).take_while(|area| *area < whole).chain([whole]);
    let points = areas.map(|size| Ok((size as f64, area(session, Rw::RandWrite, size)?)));
    Ok((points.collect::<Result<_>>()?, sequential))
}

/// The area in KiB from which on sequential writes take what they take everywhere, of `[2^0, ..., 2^8]` IOs;
/// and what they take in the smallest, in those.
fn sequential_from(session: &mut Session<'_>, everywhere: f64) -> Result<(f64, f64)> {
    let relative = |ios| Ok((32.0 * ios as f64, area(session, Rw::Write, ios * (32 << 10))? / everywhere));
    // From the largest down: a small one leaves its log behind.
    let points = (0..=8).rev().map(|power| 1u64 << power).map(relative);
    let points = points.collect::<Result<Vec<(f64, f64)>>>()?;
    let is_off = |point: &&(f64, f64)| (point.1 - 1.0).abs() > 0.2;
    let last_off = points.iter().find(is_off).map_or(16.0, |point| point.0);
    Ok((2.0 * last_off, points[8].1))
}

/// The mean of writes in the first bytes of the device.
fn area(session: &mut Session<'_>, rw: Rw, size: u64) -> Result<f64> {
    let ios = if rw.is_random() { 2048 } else { 1024 };
    session.mean_ms(&Pattern { size: Bytes(size), ..session.baseline(rw, ios) })
}

fn picture(curves: Vec<Line>) -> flashscope_show::html::document::Block {
    let axes = [Axis::log("working set", "bytes"), Axis::linear("time, in sequential writes", "")];
    lines("figure-8", "Random writes in a growing area", axes, curves)
}
