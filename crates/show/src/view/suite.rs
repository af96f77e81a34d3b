//! What a suite says, in lines: its sentences, its tables, its curves in a line each.

use flashscope_analysis::reading::{Chart, Column, Scale, Series, Table, Tone as Meant};
use flashscope_analysis::{Reading, Support};

use super::text::{Tone, columns_of, item, table, table_columns, wrap};
use super::{Style, WEAK};
use crate::readings::text;
use flashscope_core::number::digits;

/// All of it.
pub(super) fn reading(reading: &Reading, style: Style) -> String {
    let mut out = String::new();
    for one in &reading.tables {
        out.push_str(&section(&one.title, style));
        out.push_str(&rows(one, style));
        out.push_str(&faint(&one.caption, style));
    }
    for chart in &reading.charts {
        out.push_str(&section(&chart_title(chart), style));
        out.push_str(&lines(chart, style));
    }
    if !reading.sentences.is_empty() {
        out.push_str(&section("Findings", style));
    }
    for sentence in &reading.sentences {
        let (mark, tone, state) = match (sentence.tone, sentence.support()) {
            (Meant::Alert, _) => ("!", Tone::Alert, ""),
            (_, Support::Supported) => ("✓", Tone::Good, ""),
            _ => ("·", Tone::Faint, WEAK),
        };
        out.push_str(&item(style, mark, tone, &format!("{}{state}", sentence.text)));
        for line in wrap(&sentence.detail, style.columns() - 6).iter().filter(|line| !line.is_empty()) {
            out.push_str(&format!("      {}\n", style.paint(Tone::Faint, line)));
        }
    }
    out
}

/// The first table or chart that takes no more than so many lines; nothing if none does.
pub(super) fn first_fit(reading: &Reading, lines_max: usize, style: Style) -> String {
    let tables = reading.tables.iter().map(|one| (one.title.clone(), rows(one, style)));
    let charts = reading.charts.iter().map(|chart| (chart_title(chart), lines(chart, style)));
    let found = tables.chain(charts).find(|(_, text)| text.lines().count() < lines_max);
    found.map_or(String::new(), |(title, text)| format!("  {}\n{text}", style.paint(Tone::Bold, &title)))
}

fn section(title: &str, style: Style) -> String {
    format!("\n  {}\n", style.paint(Tone::Bold, title))
}

fn faint(words: &str, style: Style) -> String {
    let lines = wrap(words, style.columns() - 2);
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines.map(|line| format!("  {}\n", style.paint(Tone::Faint, line))).collect()
}

/// As a table if the terminal is wide enough, with headings over several lines; else row by row.
fn rows(one: &Table, style: Style) -> String {
    let cells: Vec<Vec<String>> = one
        .rows
        .iter()
        .map(|row| row.iter().zip(&one.columns).map(|(cell, column)| text(cell, column)).collect())
        .collect();
    let headings: Vec<String> = one.columns.iter().map(Column::heading).collect();
    let widest = |column: usize| cells.iter().map(|row| columns_of(&row[column])).max().unwrap_or(0);
    let wrapped: Vec<Vec<String>> =
        headings.iter().enumerate().map(|(at, text)| wrap(text, widest(at).max(9))).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let head = (0..height).map(|line| {
        let part = |lines: &Vec<String>| lines.get(line).cloned().unwrap_or_default();
        (Tone::Bold, wrapped.iter().map(part).collect::<Vec<_>>())
    });
    let all: Vec<_> = head.chain(cells.iter().map(|row| (Tone::Plain, row.clone()))).collect();
    if table_columns(&all) <= style.columns() {
        return table(style, &all);
    }
    let mut out = String::new();
    for row in &cells {
        out.push_str(&format!("  {}\n", row.first().map_or("", String::as_str)));
        let filled = headings.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
        let parts: Vec<String> = filled.map(|(name, cell)| format!("{name}: {cell}")).collect();
        for line in wrap(&parts.join(" · "), style.columns() - 6) {
            out.push_str(&format!("      {line}\n"));
        }
    }
    out
}

fn chart_title(chart: &Chart) -> String {
    let unit = if chart.y.unit.is_empty() { String::new() } else { format!(", {}", chart.y.unit) };
    format!("{}{unit}", chart.title)
}

/// Columns of a curve in one line.
const CURVE: usize = 32;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Each curve in a line, all with the same top, so that they can be compared.
fn lines(chart: &Chart, style: Style) -> String {
    let values = chart.series.iter().flat_map(|curve| &curve.points).filter_map(|point| point.y);
    let top = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let is_log = chart.x.scale == Scale::Log;
    let row = |curve: &Series| {
        let places: Vec<(f64, f64)> = curve.points.iter().filter_map(|at| Some((at.x, at.y?))).collect();
        let ends = places.first().zip(places.last());
        let ends =
            ends.map_or(String::new(), |(first, last)| format!("{} to {}", digits(first.1), digits(last.1)));
        (Tone::Plain, vec![curve.name.clone(), bars(&places, top, is_log), ends])
    };
    table(style, &chart.series.iter().map(row).collect::<Vec<_>>())
}

/// The mean of what falls into each column; a blank where nothing does.
fn bars(places: &[(f64, f64)], top: f64, is_log: bool) -> String {
    let place = |x: f64| if is_log { x.max(f64::MIN_POSITIVE).ln() } else { x };
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return String::new() };
    let columns = CURVE.min(places.len());
    let (begin, width) = (place(first.0), place(last.0) - place(first.0));
    let mut sums = vec![(0.0, 0u32); columns];
    for (x, y) in places {
        let share = if width > 0.0 { (place(*x) - begin) / width } else { 0.0 };
        let at = ((share * columns as f64) as usize).min(columns - 1);
        sums[at] = (sums[at].0 + y, sums[at].1 + 1);
    }
    let bar = |(sum, count): (f64, u32)| match count {
        0 => ' ',
        _ if top <= 0.0 => BARS[0],
        _ => BARS[((sum / f64::from(count) / top * 8.0) as usize).min(7)],
    };
    sums.into_iter().map(bar).collect()
}
