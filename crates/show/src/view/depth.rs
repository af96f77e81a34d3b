//! Throughput and p99 over queue depth, a line each.

use flashscope_analysis::{Finished, points};
use flashscope_core::number::{iops, span_among};

use super::Style;
use super::text::{Tone, table, wrap};
use crate::varied::{QUEUE_DEPTH, of_four, p99_ns};

/// Nothing where no queue depth was varied.
pub(super) fn depths(finished: &[Finished], style: Style) -> String {
    let points = points(finished);
    let mut rows = vec![(Tone::Bold, ["queue depth", "", "IOPS", "p99"].map(String::from).to_vec())];
    for (name, of_one) in of_four(&points, QUEUE_DEPTH) {
        for point in of_one {
            let rate = point.iops().map_or(String::new(), |rate| iops(rate.value));
            let p99 = p99_ns(point).map_or(String::new(), |(value, ends)| {
                let [low, high] = ends.unwrap_or([value; 2]);
                let shown = span_among(value, (low, high));
                let ends =
                    if shown.interval.is_empty() { shown.interval } else { format!(" ({})", shown.interval) };
                shown.value + &ends
            });
            let depth = point.experiment.pattern.iodepth.to_string();
            rows.push((Tone::Plain, vec![depth, name.into(), rate, p99]));
        }
    }
    if rows.len() == 1 {
        return String::new();
    }
    let caption = "p99 with its 95 % CI over the rounds; blank with fewer than ten IOs beyond it.";
    let caption = wrap(caption, style.columns() - 2).into_iter();
    let caption = caption.map(|line| format!("  {}\n", style.paint(Tone::Faint, &line)));
    format!("\n{}{}", table(style, &rows), caption.collect::<String>())
}
