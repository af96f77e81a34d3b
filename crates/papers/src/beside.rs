//! The picture of a study that draws none of its own: published figures and what is found, side by side.

use flashscope_show::html::document::{Axis, Block};

use crate::claim::Published;
use crate::judged::Judged;
use crate::judged::JudgedClaim;
use crate::picture::{Line, lines};

/// Fewer are read in the table.
const FIGURES_MIN: usize = 3;
/// More names do not fit below an axis.
const FIGURES_OF_CHART: usize = 16;

/// Charts of the unit that most of its figures have.
pub fn charts(judged: &Judged) -> Vec<Block> {
    let figures: Vec<Figure<'_>> = judged.claims.iter().filter_map(Figure::of).collect();
    let of = |unit: &str| figures.iter().filter(|figure| figure.unit == unit).collect::<Vec<_>>();
    let Some(of_unit) = figures.iter().map(|figure| of(figure.unit)).max_by_key(Vec::len) else {
        return Vec::new();
    };
    if of_unit.len() < FIGURES_MIN {
        return Vec::new();
    }
    let parts = of_unit.chunks(FIGURES_OF_CHART).enumerate();
    parts.map(|(place, part)| chart(judged.study.name, place, part)).collect()
}

/// A published figure, and what is found of it, both above 0.
struct Figure<'a> {
    name: &'a str,
    unit: &'a str,
    published: f64,
    here: f64,
}

impl Figure<'_> {
    fn of(judged: &JudgedClaim) -> Option<Figure<'_>> {
        let Published::Figure(published) = judged.claim.published else { return None };
        let here = judged.found.measure()?.value;
        let figure = Figure { name: judged.claim.name, unit: judged.claim.unit, published, here };
        (published > 0.0 && here > 0.0).then_some(figure)
    }
}

fn chart(study: &str, place: usize, figures: &[&Figure<'_>]) -> Block {
    let names = figures.iter().map(|figure| figure.name.to_string()).collect();
    let line = |name: &str, value: fn(&Figure<'_>) -> f64| -> Line {
        let points = figures.iter().enumerate().map(|(x, figure)| (x as f64, value(figure)));
        (name.into(), points.collect())
    };
    let both = vec![line("published", |figure| figure.published), line("here", |figure| figure.here)];
    let axes = [Axis::places("claim", names), Axis::log("value", figures[0].unit)];
    lines(&format!("{study}-beside-{place}"), "Published and measured", axes, both)
}
