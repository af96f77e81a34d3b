//! Two results side by side.

use flashscope_analysis::reading::Column;
use flashscope_analysis::{Comparison, Estimate};

use super::text::{Tone, cut, item, table, table_columns};
use super::{Style, state_words};
use crate::pairs::{Pair, Pairs, Verdict};
use crate::readings::{Change, Suites, Twin, text, twins};
use flashscope_core::number::{counted, digits, percent, span, span_range};
use flashscope_store::Stored;

/// Experiments that are shown where not all are.
const ROWS_MAX: usize = 8;

/// Both results: in a sentence, and then experiment by experiment, B over A, so that more than 1 means that B
/// is slower. Without `details` these are the ones that differ most, in no more than twenty lines altogether.
/// `suites` are those of runs.
pub fn compare_view(
    a: &Stored,
    b: &Stored,
    suites: Option<Suites<'_>>,
    details: bool,
    style: Style,
) -> String {
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
    out.push_str(&summary(&pairs, details, style));
    out.push('\n');
    if pairs.both.is_empty() {
        out.push_str("  No experiment in common.\n");
    } else {
        let shown = if details { pairs.both.iter().collect() } else { pairs.differing_most(ROWS_MAX) };
        out.push_str(&table(style, &rows(&shown, style)));
        let left = pairs.both.len() - shown.len();
        if left > 0 {
            let text = counted(left as u64, "more experiment");
            out.push_str(&format!("  {}\n", style.paint(Tone::Faint, &text)));
        }
    }
    if let Some([a, b]) = suites.and_then(|suites| suites.readings) {
        let found = found(&twins(a, b), style);
        if details || found.lines().count() <= ROWS_MAX {
            out.push_str(&found);
        }
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

fn summary(pairs: &Pairs<'_>, details: bool, style: Style) -> String {
    let mut out = String::new();
    if !pairs.both.is_empty() {
        out.push_str(&item(style, "·", Tone::Good, &pairs.sentence("A", "B")));
    }
    for (letter, ids) in [("A", &pairs.only_a), ("B", &pairs.only_b)] {
        if !ids.is_empty() {
            let count = counted(ids.len() as u64, "experiment");
            let text = format!("{count} only in {letter}: {}", ids.join(", "));
            let text = if details { text } else { cut(&text, style.columns() - 5) };
            out.push_str(&item(style, "!", Tone::Alert, &text));
        }
    }
    if pairs.both.iter().any(|pair| !pair.is_same_pattern()) {
        let text = "* Patterns marked * differ in size, length or depth: compare with care.";
        out.push_str(&item(style, "!", Tone::Alert, text));
    }
    out
}

fn tone(pair: &Pair<'_>) -> Tone {
    let is_told = matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    if is_told { Tone::Plain } else { Tone::Faint }
}

/// What a row leaves out on a narrower terminal, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    Nothing,
    WidthsOfMeans,
    EndsOfRatio,
    Means,
}

const LEFT_OUT: [LeftOut; 4] =
    [LeftOut::Nothing, LeftOut::WidthsOfMeans, LeftOut::EndsOfRatio, LeftOut::Means];

/// The pairs below their headings, with as much of each as the terminal has room for.
fn rows(shown: &[&Pair<'_>], style: Style) -> Vec<(Tone, Vec<String>)> {
    let names = ["experiment", "A", "B", "B / A", "B is"].map(String::from);
    let rows = |left_out: LeftOut| -> Vec<_> {
        let heading = (Tone::Bold, without_means(names.clone(), left_out));
        let of_pair = |pair: &&Pair<'_>| (tone(pair), without_means(cells(pair, left_out), left_out));
        std::iter::once(heading).chain(shown.iter().map(of_pair)).collect()
    };
    let fits = |left_out: &LeftOut| table_columns(&rows(*left_out)) <= style.columns();
    rows(LEFT_OUT.into_iter().find(fits).unwrap_or(LeftOut::Means))
}

fn without_means(cells: [String; 5], left_out: LeftOut) -> Vec<String> {
    let [name, a, b, ratio, verdict] = cells;
    if left_out < LeftOut::Means { vec![name, a, b, ratio, verdict] } else { vec![name, ratio, verdict] }
}

fn cells(pair: &Pair<'_>, left_out: LeftOut) -> [String; 5] {
    let mean = |estimate: &Option<Estimate>| match estimate {
        Some(mean) if left_out < LeftOut::WidthsOfMeans => {
            format!("{} ± {}", span(mean.mean_ns), percent(mean.relative_half_width()))
        }
        Some(mean) => span(mean.mean_ns),
        None => "no mean".into(),
    };
    let mark = if pair.is_same_pattern() { "" } else { " *" };
    let ratio = match (pair.ratio, pair.difference) {
        (Some(Comparison { value, .. }), _) if left_out >= LeftOut::EndsOfRatio => {
            format!("x{}", digits(value))
        }
        (Some(Comparison { value, ci_low, ci_high }), _) => {
            format!("x{} ({} to {})", digits(value), digits(ci_low), digits(ci_high))
        }
        (None, Some(Comparison { ci_low, ci_high, .. })) => {
            format!("differ by {}", span_range(ci_low, ci_high))
        }
        (None, None) => "not comparable".into(),
    };
    let [a, b] = [mean(&pair.means[0]), mean(&pair.means[1])];
    [format!("{}{mark}", pair.id()), a, b, ratio, pair.verdict_text()]
}
