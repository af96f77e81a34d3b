//! The pictures of a description.

use crate::{Raster, Series, Unit, bars_figure, map_figure, spread_figure, time_figure};
use flashscope_core::number::size;
use flashscope_lab::Result;
use flashscope_store::ResultFolder;
use flashscope_trace::stats::{Bin, Distribution, Summary};

/// Draws all that there is something to draw of.
pub fn draw(folder: &ResultFolder, trace: &str, summary: &Summary) -> Result<()> {
    let pictures = [
        ("sizes.svg", sizes(trace, summary)),
        ("footprint.svg", footprint(trace, summary)),
        ("throughput.svg", throughput(trace, summary)),
        ("gaps.svg", gaps(trace, summary)),
        ("depth.svg", depth(trace, summary)),
        ("rewrites.svg", rewrites(trace, summary)),
        ("addresses.svg", addresses(trace, summary)),
    ];
    for (name, picture) in pictures {
        if let Some(picture) = picture {
            folder.write_text(name, &picture)?;
        }
    }
    Ok(())
}

fn series(name: &str, values: Vec<f64>) -> Series {
    Series { name: name.into(), values }
}

fn floats(values: &[u64]) -> Vec<f64> {
    values.iter().map(|value| *value as f64).collect()
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

fn sizes(trace: &str, summary: &Summary) -> Option<String> {
    let (names, shares) = classes(&[summary.sizes.read_bytes.as_ref(), summary.sizes.write_bytes.as_ref()]);
    let mut shares = shares.into_iter();
    let series = [series("reads", shares.next()?), series("writes", shares.next()?)];
    let value = (Unit::Share, "share of the reads, and of the writes");
    bars_figure(&format!("{trace}: sizes"), &names, "from this size to below its double", value, &series)
}

fn rewrites(trace: &str, summary: &Summary) -> Option<String> {
    let (names, mut shares) = classes(&[summary.rewrites.as_ref()?.interval_bytes.as_ref()]);
    let title = format!("{trace}: bytes written between two writes of the same block");
    let value = (Unit::Share, "share of the re-writes");
    let series = [series("re-writes", shares.pop()?)];
    bars_figure(&title, &names, "from this many bytes to below their double", value, &series)
}

fn step_s(summary: &Summary) -> f64 {
    summary.timeline.window_ns as f64 / 1e9
}

fn footprint(trace: &str, summary: &Summary) -> Option<String> {
    let timeline = &summary.timeline;
    let series = [
        series("footprint so far", floats(&timeline.footprint_bytes)),
        series("written so far", floats(&timeline.write_footprint_bytes)),
        series("working set of each step", floats(&summary.working_set.bytes)),
    ];
    let value = (Unit::Bytes, "different bytes");
    time_figure(&format!("{trace}: footprint and working set"), step_s(summary), value, &series)
}

fn throughput(trace: &str, summary: &Summary) -> Option<String> {
    let step_s = step_s(summary);
    let rate = |bytes: &[u64]| bytes.iter().map(|bytes| *bytes as f64 / step_s).collect();
    let series = [
        series("read", rate(&summary.timeline.read_bytes)),
        series("written", rate(&summary.timeline.written_bytes)),
    ];
    let value = (Unit::Bytes, "bytes a second");
    time_figure(&format!("{trace}: bytes read and written"), step_s, value, &series)
}

fn depth(trace: &str, summary: &Summary) -> Option<String> {
    let queue = summary.queue_depth.as_ref()?;
    let series = [
        series("most", floats(&queue.max_over_time)),
        series("mean", queue.mean_at_arrival_over_time.clone()),
    ];
    let value = (Unit::Number, "requests in flight");
    time_figure(&format!("{trace}: queue depth"), step_s(summary), value, &series)
}

fn gaps(trace: &str, summary: &Summary) -> Option<String> {
    let gaps = &summary.inter_arrival.as_ref()?.gaps_ns;
    let mut below = 0;
    let point = |bin: &Bin| {
        below += bin.count;
        (bin.to.min(gaps.max) as f64, below as f64 / gaps.count as f64)
    };
    let points: Vec<_> = gaps.bins.iter().map(point).collect();
    spread_figure(&format!("{trace}: gaps between requests"), "gap", &points)
}

fn addresses(trace: &str, summary: &Summary) -> Option<String> {
    let map = summary.map.as_ref()?;
    let raster = |name: &str, counts: &[Vec<u32>]| Raster { name: name.into(), counts: counts.to_vec() };
    let mut rasters = vec![raster("reads", &map.reads), raster("writes", &map.writes)];
    rasters.retain(|raster| raster.counts.iter().flatten().any(|count| *count > 0));
    let devices = if summary.devices.len() > 1 { ", all devices over one another" } else { "" };
    let title = format!("{trace}: where requests begin{devices}");
    let step_s = summary.timeline.peak_window_ns as f64 / 1e9;
    Some(map_figure(&title, step_s, map.first_bytes as f64, map.row_bytes as f64, &rasters))
}
