//! The pictures of a description.

use super::page::charts;
use crate::{Raster, chart_figure, map_figure};
use flashscope_core::number::size;
use flashscope_lab::Result;
use flashscope_store::ResultFolder;
use flashscope_trace::stats::{Bin, Distribution, Summary};

/// Draws the charts of the page, and the map of addresses.
pub fn draw(folder: &ResultFolder, trace: &str, summary: &Summary) -> Result<()> {
    for chart in charts(summary) {
        if let Some(picture) = chart_figure(&format!("{trace}: {}", chart.title), &chart) {
            folder.write_text(&format!("{}.svg", chart.id), &picture)?;
        }
    }
    if let Some(picture) = addresses(trace, summary) {
        folder.write_text("addresses.svg", &picture)?;
    }
    Ok(())
}

/// Names of powers of two from the first to the last bin of any, and the share of each in all.
pub fn classes(all: &[Option<&Distribution>]) -> (Vec<String>, Vec<Vec<f64>>) {
    let bins = || all.iter().flatten().flat_map(|one| &one.bins);
    let mut from: Vec<u64> = bins().map(|bin| bin.from).collect();
    from.sort_unstable();
    from.dedup();
    let share = |one: &Option<&Distribution>, from: u64| {
        let bin =
            |one: &Distribution| one.bins.iter().find(|bin| bin.from == from).map(|bin: &Bin| bin.count);
        one.map_or(0.0, |one| bin(one).unwrap_or(0) as f64 / one.count as f64)
    };
    let shares = all.iter().map(|one| from.iter().map(|from| share(one, *from)).collect());
    (from.iter().map(|from| size(*from as f64)).collect(), shares.collect())
}

fn addresses(trace: &str, summary: &Summary) -> Option<String> {
    let map = summary.map.as_ref()?;
    let raster = |name: &str, counts: &[Vec<u32>]| Raster { name: name.into(), counts: counts.to_vec() };
    let mut rasters = vec![raster("reads", &map.reads), raster("writes", &map.writes)];
    rasters.retain(|raster| raster.counts.iter().flatten().any(|count| *count > 0));
    let devices = if summary.devices.len() > 1 { ", all devices overlaid" } else { "" };
    let title = format!("{trace}: start addresses{devices}");
    let step_s = summary.timeline.peak_window_ns as f64 / 1e9;
    Some(map_figure(&title, step_s, map.first_bytes as f64, map.row_bytes as f64, &rasters))
}
