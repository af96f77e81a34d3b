//! A map of addresses. It knows nothing of traces: whoever calls it brings numbers and names.

use super::chart::ticks;
use super::svg::{COLOURS, Plot, Scale};

/// Levels of shade of a map.
const SHADES: usize = 6;

/// Where things happened when: a raster of counts by column (time) and row (address).
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// What is counted.
    pub name: String,
    /// By column, then by row.
    pub counts: Vec<Vec<u32>>,
}

/// Rasters over one another, darker where there is more, on a logarithmic scale.
pub fn map_figure(title: &str, step_s: f64, first_bytes: f64, row_bytes: f64, rasters: &[Raster]) -> String {
    let columns = rasters.iter().map(|raster| raster.counts.len()).max().unwrap_or(0).max(1);
    let rows = rasters.iter().flat_map(|raster| &raster.counts).map(Vec::len).max().unwrap_or(0).max(1);
    let x = Scale { low: 0.0, high: columns as f64 * step_s, is_log: false };
    let y = Scale { low: first_bytes, high: first_bytes + rows as f64 * row_bytes, is_log: false };
    let mut plot = Plot::new(title, x, y);
    plot.axes(&ticks(x, "s"), "time from the first request", &ticks(y, "bytes"), "address");
    for (number, raster) in rasters.iter().enumerate() {
        let edge = |row: usize| first_bytes + row as f64 * row_bytes;
        for (level, d) in shades(&plot, raster, step_s, edge).iter().enumerate() {
            let opacity = 0.4 + 0.6 * level as f64 / (SHADES - 1) as f64;
            plot.fill(d, COLOURS[number % COLOURS.len()], opacity);
        }
    }
    let names = rasters.iter().enumerate().map(|(i, one)| (COLOURS[i % COLOURS.len()], "", one.name.clone()));
    plot.legend(&names.collect::<Vec<_>>());
    plot.finish()
}

/// The cells of each level of shade, neighbours in a column as one.
fn shades(plot: &Plot, raster: &Raster, step_s: f64, edge: impl Fn(usize) -> f64) -> [String; SHADES] {
    let most = raster.counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    let level = |count: u32| {
        let share = f64::from(count).ln_1p() / f64::from(most).ln_1p();
        (count > 0).then(|| ((share * SHADES as f64) as usize).min(SHADES - 1))
    };
    let mut paths = [const { String::new() }; SHADES];
    for (column, counts) in raster.counts.iter().enumerate() {
        let (left, right) = (plot.x(column as f64 * step_s), plot.x((column + 1) as f64 * step_s));
        let mut row = 0;
        for cells in counts.chunk_by(|a, b| level(*a) == level(*b)) {
            let (low, high) = (plot.y(edge(row)), plot.y(edge(row + cells.len())));
            row += cells.len();
            if let Some(level) = level(cells[0]) {
                let area = rectangle(left, right.max(left + 1.2), high.min(low - 1.2), low);
                paths[level].push_str(&area);
            }
        }
    }
    paths
}

fn rectangle(left: f64, right: f64, top: f64, bottom: f64) -> String {
    format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}Z")
}
