//! Charts of lines, in few words.

use flashscope_show::html::document::{Axis, Block, Chart, Look, Point, Series};

/// A named line.
pub type Line = (String, Vec<(f64, f64)>);

/// A chart of lines.
pub fn lines(id: &str, title: &str, axes: [Axis; 2], lines: Vec<Line>) -> Block {
    Block::Chart(chart(id, title, axes, lines))
}

/// The same, to be given a caption.
pub fn chart(id: &str, title: &str, [x, y]: [Axis; 2], lines: Vec<Line>) -> Chart {
    let point = |(x, y)| Point { x, y: Some(y), ..Point::default() };
    let series = lines.into_iter().map(|(name, points)| Series {
        name,
        look: Look::Line,
        points: points.into_iter().map(point).collect(),
    });
    Chart {
        id: id.into(),
        title: title.into(),
        caption: String::new(),
        x,
        y,
        series: series.collect(),
        group: None,
    }
}
