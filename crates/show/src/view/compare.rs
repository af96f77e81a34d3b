//! Two results side by side.

use flashscope_analysis::reading::Column;
use flashscope_analysis::{Comparison, Estimate};

use super::text::{Tone, item, table};
use super::{Style, state_words};
use crate::pairs::{Pair, Pairs, Verdict};
use crate::readings::{Change, Suites, Twin, text, twins};
use flashscope_core::number::{counted, digits, percent, span, span_range};
use flashscope_store::Stored;

/// Both results, experiment by experiment. B over A, so that more than 1 means that B is slower. `suites` are
/// those of runs.
pub fn compare_view(a: &Stored, b: &Stored, suites: Option<Suites<'_>>, style: Style) -> String {
    let pairs = Pairs::of(a, b);
    let mut out = String::new();
    for (letter, stored) in [("A", a), ("B", b)] {
        let text = format!(
            "{} · {} · {}",
            stored.path.display(),
            stored.manifest.target.name,
            state_words(stored.state())
        );
        out.push_str(&item(style, letter, Tone::Bold, &text));
    }
    if let Some(text) = suites.and_then(|suites| suites.differ()) {
        out.push_str(&item(style, "!", Tone::Alert, &text));
    }
    out.push('\n');
    if pairs.both.is_empty() {
        out.push_str("  No experiment in common.\n");
    } else {
        let names = ["experiment", "A", "B", "B / A", "B is"].map(String::from).to_vec();
        let rows = pairs.both.iter().map(|pair| (tone(pair), cells(pair)));
        let rows: Vec<_> = std::iter::once((Tone::Bold, names)).chain(rows).collect();
        out.push_str(&table(style, &rows));
    }
    if let Some([a, b]) = suites.and_then(|suites| suites.readings) {
        out.push_str(&found(&twins(a, b), style));
    }
    let summary = summary(&pairs, style);
    if !summary.is_empty() {
        out.push('\n');
        out.push_str(&summary);
    }
    out
}

/// What the suite found, table by table.
fn found(twins: &[Twin<'_>], style: Style) -> String {
    let mut out = String::new();
    for of_table in twins.chunk_by(|one, next| one.table.id == next.table.id) {
        let names = [of_table[0].table.title.as_str(), "A", "B", "B / A"].map(String::from).to_vec();
        let rows = of_table.iter().map(|twin| {
            let column = Column::bare(&twin.column.label, twin.unit);
            let name = format!("{} · {}", twin.row, column.heading());
            let [a, b] = twin.cells.map(|cell| text(cell, &column));
            (Tone::Plain, vec![name, a, b, change(twin)])
        });
        let rows: Vec<_> = std::iter::once((Tone::Bold, names)).chain(rows).collect();
        out.push('\n');
        out.push_str(&table(style, &rows));
    }
    out
}

/// A ratio, or so many more or less; of per cents in points.
fn change(twin: &Twin<'_>) -> String {
    let by = match twin.change {
        Change::Ratio(ratio) => return format!("x{}", digits(ratio)),
        Change::Difference(by) => by,
    };
    let column = Column::bare(&twin.column.label, twin.unit);
    let size = column.written(by.abs());
    let unit = match twin.unit {
        "%" => " points",
        "" | "bytes" => "",
        unit => &format!(" {unit}"),
    };
    let sign = if by < 0.0 { "-" } else { "+" };
    if by == 0.0 { "=".into() } else { format!("{sign}{size}{unit}") }
}

fn summary(pairs: &Pairs<'_>, style: Style) -> String {
    let mut out = String::new();
    let [faster, slower, same, unknown] = [Verdict::Faster, Verdict::Slower, Verdict::Same, Verdict::Unknown]
        .map(|verdict| pairs.count(verdict));
    let of = counted(pairs.both.len() as u64, "experiment");
    match (faster, slower) {
        _ if pairs.both.is_empty() => {}
        (0, 0) if unknown == 0 => out.push_str(&item(style, "·", Tone::Good, "No significant difference.")),
        _ => {
            let unknown = if unknown > 0 { format!("; no mean in {unknown}") } else { String::new() };
            let text = format!(
                "Of {of}, B is faster in {faster}, slower in {slower}; no significant difference in \
                 {same}{unknown}."
            );
            out.push_str(&item(style, "·", Tone::Good, &text));
        }
    }
    for (letter, ids) in [("A", &pairs.only_a), ("B", &pairs.only_b)] {
        if !ids.is_empty() {
            let count = counted(ids.len() as u64, "experiment");
            let text = format!("{count} only in {letter}: {}", ids.join(", "));
            out.push_str(&item(style, "!", Tone::Alert, &text));
        }
    }
    if pairs.both.iter().any(|pair| !pair.is_same_pattern()) {
        let text = "* Patterns marked * differ in size, offset or depth: compare with care.";
        out.push_str(&item(style, "!", Tone::Alert, text));
    }
    out
}

fn tone(pair: &Pair<'_>) -> Tone {
    if pair.verdict() == Verdict::Same { Tone::Faint } else { Tone::Plain }
}

fn cells(pair: &Pair<'_>) -> Vec<String> {
    let mean = |estimate: &Option<Estimate>| match estimate {
        Some(mean) => format!("{} ± {}", span(mean.mean_ns), percent(mean.relative_half_width())),
        None => "no mean".into(),
    };
    let mark = if pair.is_same_pattern() { "" } else { " *" };
    let ratio = match (pair.ratio, pair.difference) {
        (Some(Comparison { value, ci_low, ci_high }), _) => {
            format!("x{} ({} to {})", digits(value), digits(ci_low), digits(ci_high))
        }
        (None, Some(Comparison { ci_low, ci_high, .. })) => {
            format!("differ by {}", span_range(ci_low, ci_high))
        }
        (None, None) => "not comparable".into(),
    };
    let verdict = match pair.verdict() {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "=",
        Verdict::Unknown => "?",
    };
    let [a, b] = [mean(&pair.means[0]), mean(&pair.means[1])];
    vec![format!("{}{mark}", pair.id()), a, b, ratio, verdict.into()]
}
