//! Every design of a sweep as one point, and those that no other beats: the Pareto front.

use crate::html::document::{Axis, Block, Chart, Item, Look, Point, Series};
use flashscope_core::number::{digits, in_unit};

use super::table::time;
use flashscope_lab::sweep::SimReport;

/// Fewer designs are compared by their bars.
const DESIGNS_MIN: usize = 3;
/// Designs of the front that are listed beside it.
const LISTED_MAX: usize = 6;

/// A design: its name, where its IOs are, and what it gave.
pub(super) struct Design<'a> {
    pub(super) name: String,
    pub(super) link: Option<String>,
    pub(super) report: &'a SimReport,
}

impl Design<'_> {
    /// p99 in ns, and MB/s.
    fn place(&self) -> Option<(f64, f64)> {
        Some((self.report.response_us?.p99 * 1e3, self.report.throughput_mb_s?))
    }

    /// What it costs besides, in a line.
    fn words(&self) -> String {
        let report = self.report;
        let rate = report.throughput_mb_s.map(|rate| in_unit(rate, "MB/s"));
        let p99 = report.response_us.map(|us| format!("p99 {}", time(us.p99)));
        let amplification =
            report.device.write_amplification.map(|wa| format!("write amplification {}", digits(wa)));
        [rate, p99, amplification].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The scatter, and the front in words; nothing of few designs.
pub(super) fn blocks(designs: &[Design<'_>]) -> Vec<Block> {
    let mut placed: Vec<(f64, f64, &Design<'_>)> =
        designs.iter().filter_map(|one| one.place().map(|(p99, rate)| (p99, rate, one))).collect();
    if placed.len() < DESIGNS_MIN {
        return Vec::new();
    }
    placed.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let front = front(&placed);
    vec![Block::Chart(scatter(&placed, &front)), Block::listed("Pareto front", listed(&front))]
}

/// Of places in the order of p99, those with more throughput than all before them.
fn front<D: Copy>(placed: &[(f64, f64, D)]) -> Vec<&(f64, f64, D)> {
    let mut best = f64::NEG_INFINITY;
    let is_better = |place: &&(f64, f64, D)| {
        let is_better = place.1 > best;
        best = best.max(place.1);
        is_better
    };
    placed.iter().filter(is_better).collect()
}

fn scatter(placed: &[(f64, f64, &Design<'_>)], front: &[&(f64, f64, &Design<'_>)]) -> Chart {
    let point = |(p99, rate, design): &(f64, f64, &Design<'_>)| Point {
        link: design.link.clone(),
        ..Point::at(*p99, *rate).called(&design.name)
    };
    let mut series = vec![Series::new("Designs", Look::Points, placed.iter().map(point)).coloured(0)];
    if front.len() > 1 {
        let steps = front.iter().map(|place| point(place));
        series.push(Series::new("Pareto front", Look::Steps, steps).coloured(1));
    }
    Chart::new(
        "sweep-front",
        "Throughput and p99",
        "Each point is a design; up and to the left is better. No design beats one of the Pareto front in \
         both.",
        [Axis::log("p99 response time", "ns"), Axis::linear("throughput", "MB/s")],
        series,
    )
}

fn listed(front: &[&(f64, f64, &Design<'_>)]) -> Vec<Item> {
    let item = |(_, _, design): &&(f64, f64, &Design<'_>)| Item {
        detail: design.words(),
        ..Item::plain(design.name.clone())
    };
    let mut items: Vec<Item> = front.iter().take(LISTED_MAX).map(item).collect();
    if front.len() > LISTED_MAX {
        items.push(Item::plain(format!("and {} more, in the chart", front.len() - LISTED_MAX)));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn the_front_is_what_no_other_place_beats_in_both() {
        let mut random = flashscope_core::seed::Random::new(11);
        for _ in 0..200 {
            let mut all: Vec<(f64, f64, usize)> =
                (0..30).map(|i| ((random.unit() * 8.0).floor(), (random.unit() * 8.0).floor(), i)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
            // By definition: at most one of those in the same place.
            let is_beaten = |a: &(f64, f64, usize)| {
                all.iter().any(|b| b.0 <= a.0 && b.1 >= a.1 && (b.0 < a.0 || b.1 > a.1))
            };
            let mut expected: Vec<(f64, f64)> =
                all.iter().filter(|one| !is_beaten(one)).map(|one| (one.0, one.1)).collect();
            expected.dedup();
            let found: Vec<(f64, f64)> = front(&all).iter().map(|one| (one.0, one.1)).collect();
            assert_eq!(found, expected, "{all:?}");
        }
    }
}
