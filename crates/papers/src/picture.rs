//! Charts of lines, in few words.

use flashscope_show::html::document::{Axis, Block, Chart, Series};

/// A named line.
pub type Line = (String, Vec<(f64, f64)>);

/// A chart of lines.
pub fn lines(id: &str, title: &str, axes: [Axis; 2], lines: Vec<Line>) -> Block {
    Block::Chart(chart(id, title, axes, lines))
}

/// The same, to be given a caption.
pub fn chart(id: &str, title: &str, axes: [Axis; 2], lines: Vec<Line>) -> Chart {
    let series = lines.into_iter().map(|(name, points)| Series::line(name, points));
    Chart::new(id, title, "", axes, series.collect())
}
