//! Paper 001, section 5.2, figure 8: random writes in an area that grows.

use anyhow::Result;
use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_report::html::document::{Axis, Scale};

use super::devices::{KINGSTON_DTI, MEMORIGHT, MTRON, SAMSUNG};
use super::papers::UFLIP;
use super::picture::{Line, lines};
use super::session::{Session, greatest};
use super::{Claim, Found, Stage, Study};

const LARGE: &str =
    "table 3's RW over its SW, within a factor of 1.42: both are printed with one or two digits";
const SMALL: &str = "the dearest area up to 1 MB; table 3's factors reach 2, and \"nearly\" is no more";

const fn small(name: &'static str, words: &'static str) -> Claim {
    Claim::shape(name, words, "nearly the same", "x").near(0.5, 2.0, SMALL).kind(0.3, 4.0)
}

const fn large(name: &'static str, words: &'static str, figure: f64) -> Claim {
    Claim::figure(name, words, figure, "x").within(1.42, 2.0, LARGE)
}

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-figure-8",
    paper: &UFLIP,
    place: "figure 8 and section 5.2",
    about: "Random writes in areas of one IO to the whole device, relative to sequential writes.",
    claims: &[
        small(
            "small-samsung",
            "Samsung: random writes in a small area take nearly as long as sequential ones",
        ),
        small("small-memoright", "Memoright: the same"),
        small("small-mtron", "Mtron: the same"),
        large("large-samsung", "Samsung: over the whole device", 30.0),
        large("large-memoright", "Memoright: over the whole device", 16.7),
        large("large-mtron", "Mtron: over the whole device", 22.5),
        Claim::shape(
            "dti",
            "the Kingston DTI has no benefit from a small area: 1 MB against the whole",
            "none",
            "x",
        )
        .near(0.8, 1.25, "equal within 25 %"),
        Claim::shape(
            "sequential",
            "locality does not affect sequential writes: 4 MB against all, furthest from 1",
            "none",
            "%",
        )
        .near(
            0.0,
            20.0,
            "within a digit of table 3; in less than a log block, of 2 or 4 MB here, writes are in place",
        ),
        Claim::figure(
            "in-place",
            "until the area is so small that they are in place: the Samsung's, on 1 IO",
            0.6,
            "x",
        )
        .within(1.3, 2.0, "table 3's factor in place, of one digit"),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let mut curves = Vec::new();
    let mut furthest: f64 = 0.0;
    for (name, device) in [("samsung", SAMSUNG), ("memoright", MEMORIGHT), ("mtron", MTRON)] {
        let mut session = Session::used(stage, device)?;
        let (curve, sequential) = curve(&mut session)?;
        let relative = |(area, ms): &(f64, f64)| (*area, ms / sequential);
        let curve: Vec<(f64, f64)> = curve.iter().map(relative).collect();
        let near = curve.iter().filter(|point| point.0 <= f64::from(1 << 20)).map(|point| point.1);
        let (_, far) = curve[curve.len() - 1];
        match name {
            "samsung" => {
                found.measured("small-samsung", greatest(near));
                found.measured("large-samsung", far);
                found.measured("in-place", area(&mut session, Rw::Write, 32 << 10)? / sequential);
            }
            "memoright" => {
                found.measured("small-memoright", greatest(near));
                found.measured("large-memoright", far);
            }
            _ => {
                found.measured("small-mtron", greatest(near));
                found.measured("large-mtron", far);
            }
        }
        furthest = furthest.max(100.0 * (area(&mut session, Rw::Write, 4 << 20)? / sequential - 1.0).abs());
        curves.push((name.to_string(), curve));
    }
    found.measured("sequential", furthest);
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

/// The mean of writes in the first bytes of the device.
fn area(session: &mut Session<'_>, rw: Rw, size: u64) -> Result<f64> {
    let ios = if rw.is_random() { 2048 } else { 1024 };
    session.mean_ms(&Pattern { size: Bytes(size), ..session.baseline(rw, ios) })
}

fn picture(curves: Vec<Line>) -> flashscope_report::html::document::Block {
    let axes =
        [Axis::of("TargetSize", "bytes", Scale::Log), Axis::of("in sequential writes", "", Scale::Linear)];
    lines("figure-8", "Random writes in a growing area", axes, curves)
}
