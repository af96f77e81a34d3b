//! The first screen: what a device is like, in one row, and the findings in plain words.

use flashscope_analysis::{
    Advice, Hint, Indicator, Indicators, Interference, Point, Support, Warning, points,
};
use flashscope_core::total;

use super::depth::depths;
use super::text::{Tone, item, table, table_columns, wrap};
use super::{Findings, Style, state_words, why};
use flashscope_core::number::{Among, counted, factor_among, percent, size, span, span_among};

/// The whole result of a characterisation: the device, the row of paper 001's table 3 with intervals, hints
/// with evidence, warnings, and where the data lie.
pub fn result_view(findings: &Findings<'_>, style: Style) -> String {
    let mut out = head(findings, style);
    if let Some(suite) = findings.suite {
        out.push_str(&super::suite::reading(suite.reading, style));
        out.push_str(&warnings(findings.warnings, style));
        out.push_str(&place(findings, style));
        return out;
    }
    out.push('\n');
    out.push_str(&row(findings, style));
    out.push_str(&depths(findings.finished, style));
    out.push_str(&advice(findings.advice, style));
    out.push_str(&hints(findings.hints, style));
    if let Some(why) = why::not_512(findings.finished) {
        out.push('\n');
        wrap(&why, style.columns() - 2).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    out.push_str(&warnings(findings.warnings, style));
    out.push_str(&place(findings, style));
    out
}

/// Of a run that was stopped.
pub(super) const INCOMPLETE: &str = "Incomplete run: missing results may not have been measured yet.";

/// What was measured, how large it is, and in which state it was, or by which suite.
pub(super) fn identity(findings: &Findings<'_>) -> Vec<String> {
    let target = &findings.context.target;
    let kind = if target.virtual_time { "virtual device".into() } else { target.engine.clone() };
    let last = match findings.suite {
        Some(suite) => format!("suite {}", suite.name),
        None => state_words(&findings.context.state),
    };
    vec![target.name.clone(), kind, size(target.size_bytes as f64), last]
}

fn head(findings: &Findings<'_>, style: Style) -> String {
    let context = findings.context;
    let target = &context.target;
    let mut parts = identity(findings);
    if let Some(limit) = context.generator_iops_max {
        let most = findings.finished.iter().filter_map(|done| done.iops_per_thread()).fold(0.0, f64::max);
        let used = format!(" ({} of the time)", percent(most / limit));
        let used = if target.virtual_time { "" } else { &used };
        parts.push(format!("harness overhead {}/IO{used}", span(1e9 / limit)));
    }
    if let Some(Interference { pause_ns: 1.., .. }) = context.interference {
        let pause_ns = context.interference.map_or(0, |interference| interference.pause_ns);
        parts.push(format!("pause between runs {}", span(pause_ns as f64)));
    }
    let mut lines = wrap(&parts.join(" · "), style.columns() - 2).into_iter();
    let first = lines.next().unwrap_or_default();
    let mut out = format!("  {}\n", style.paint(Tone::Bold, &first));
    lines.for_each(|line| out.push_str(&format!("  {line}\n")));
    if !context.complete {
        out.push_str(&item(style, "!", Tone::Alert, INCOMPLETE));
    }
    out
}

/// One characteristic: its name, its value, its intervals.
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    interval: String,
    /// How the names of the experiments behind it begin.
    behind: &'static str,
}

/// Behind a value of which IOs failed.
pub(crate) const FAILED: &str = " !";

impl Cell {
    fn new(name: &'static str, behind: &'static str, shown: Option<(String, String)>) -> Cell {
        let (value, interval) = shown.unwrap_or_default();
        Cell { name, value, interval, behind }
    }

    /// Marked, if there is a value and IOs behind it failed.
    pub(crate) fn with_errors(self, points: &[Point<'_>]) -> Cell {
        let has_failed = |point: &Point<'_>| point.runs.iter().any(|run| !run.errors.is_empty());
        let is_behind = |point: &Point<'_>| point.experiment.id().starts_with(self.behind);
        let has_errors = points.iter().any(|point| has_failed(point) && is_behind(point));
        let mark = if has_errors && !self.value.is_empty() { FAILED } else { "" };
        Cell { value: self.value + mark, ..self }
    }
}

pub(crate) const OF_FAILED: &str = "\"!\": some of its IOs failed, see Caveats.";

/// Table 3's row if the terminal is wide enough, else one line for each.
fn row(findings: &Findings<'_>, style: Style) -> String {
    let points = points(findings.finished);
    let marked = |cells: Vec<Cell>| cells.into_iter().map(|cell| cell.with_errors(&points));
    let (paper, more) = cells(findings.indicators);
    let (paper, mut more): (Vec<_>, Vec<_>) = (marked(paper).collect(), marked(more).collect());
    more.retain(|cell| !cell.value.is_empty());
    let pick = |cells: &[Cell], part: fn(&Cell) -> String| cells.iter().map(part).collect::<Vec<_>>();
    let wide = |cells: &[Cell]| {
        vec![
            (Tone::Bold, pick(cells, |cell| cell.name.to_string())),
            (Tone::Plain, pick(cells, |cell| cell.value.clone())),
            (Tone::Faint, pick(cells, |cell| cell.interval.clone())),
        ]
    };
    let caption = "Times are for one IO of the baseline size (32 KiB by default), with 95 % CI. \"same\": no \
                   significant difference; blank: no effect found, or not measured.";
    let mut out = String::new();
    if table_columns(&wide(&paper)) <= style.columns() {
        out.push_str(&table(style, &wide(&paper)));
        if !more.is_empty() {
            out.push('\n');
            out.push_str(&table(style, &wide(&more)));
        }
    } else {
        let line = |cell: &Cell| vec![cell.name.to_string(), cell.value.clone(), cell.interval.clone()];
        let rows: Vec<_> = paper.iter().chain(&more).map(|cell| (Tone::Plain, line(cell))).collect();
        out.push_str(&table(style, &rows));
    }
    let has_errors = paper.iter().chain(&more).any(|cell| cell.value.ends_with(FAILED));
    let caption = if has_errors { format!("{caption} {OF_FAILED}") } else { caption.into() };
    for line in wrap(&caption, style.columns() - 2) {
        out.push_str(&format!("  {}\n", style.paint(Tone::Faint, &line)));
    }
    out
}

/// The columns of table 3, and further characteristics.
pub(crate) fn cells(found: &Indicators) -> (Vec<Cell>, Vec<Cell>) {
    let both = |shown: Among| (shown.value, shown.interval);
    let ms = |indicator: Option<Indicator>| {
        let ns = |found: Indicator| span_among(found.value * 1e6, (found.ci_low * 1e6, found.ci_high * 1e6));
        indicator.map(|found| both(ns(found)))
    };
    let factor = |indicator: Option<Indicator>| {
        indicator.map(|found| {
            let shown = factor_among(found.value, (found.ci_low, found.ci_high));
            (same(shown.value), shown.interval)
        })
    };
    let pair = |what: Option<Indicator>, factor: Option<(Indicator, &str)>, show: fn(f64) -> String| {
        what.map(|what| {
            let value = show(what.value);
            let ends = if what.ci_low == what.ci_high {
                String::new()
            } else {
                format!("{}–{}", show(what.ci_low), show(what.ci_high))
            };
            let Some((factor, of)) = factor else { return (value, ends) };
            let factor = factor_among(factor.value, (factor.ci_low, factor.ci_high));
            (format!("{value} ({} {of})", same(factor.value)), join(&ends, &factor.interval))
        })
    };
    let mib = |mib: f64| size(mib * 1048576.0);
    let paper = vec![
        Cell::new("seq read", "baseline/SR/", ms(found.sr_ms)),
        Cell::new("rand read", "baseline/RR/", ms(found.rr_ms)),
        Cell::new("seq write", "baseline/SW/", ms(found.sw_ms)),
        Cell::new("rand write", "baseline/RW/", ms(found.rw_ms)),
        Cell::new("effective pause", "pause/", ms(found.pause_ms)),
        Cell::new(
            "random writes within",
            "locality/",
            pair(found.locality_mib, with(found.locality_factor, "seq write"), mib),
        ),
        Cell::new(
            "write streams",
            "partitioning/",
            pair(found.partitions, with(found.partitions_factor, "latency"), |n| format!("{n:.0}")),
        ),
        Cell::new("descending addresses", "order/", factor(found.reverse_factor)),
        Cell::new("rewrite of one address", "order/", factor(found.in_place_factor)),
        Cell::new("strided writes", "order/", factor(found.large_increment_factor)),
    ];
    let more = vec![
        Cell::new("granularity", "granularity/", pair(found.granularity_bytes, None, size)),
        Cell::new(
            "alignment",
            "alignment/",
            pair(found.alignment_bytes, with(found.alignment_factor, "misaligned"), size),
        ),
    ];
    (paper, more)
}

fn with(factor: Option<Indicator>, of: &str) -> Option<(Indicator, &str)> {
    factor.map(|factor| (factor, of))
}

/// In a cell that stands alone, `=` has nothing to its left.
fn same(factor: String) -> String {
    if factor == "=" { "same".into() } else { factor }
}

fn join(first: &str, second: &str) -> String {
    match (first, second) {
        ("", "") => String::new(),
        ("", only) | (only, "") => format!("({only})"),
        (first, second) => format!("{first} ({second})"),
    }
}

fn advice(advice: &[Advice], style: Style) -> String {
    if advice.iter().all(|one| one.experiments.is_empty()) {
        return String::new();
    }
    let mut out = format!("\n  {}\n", style.paint(Tone::Bold, "Recommendations"));
    for Advice { question, answer, because, state, .. } in advice {
        let (mark, tone) = mark(*state);
        let state = in_words(*state);
        out.push_str(&item(style, mark, tone, &format!("{question}: {answer} ({because}){state}")));
    }
    out
}

fn hints(hints: &[Hint], style: Style) -> String {
    let mut out = String::new();
    if !hints.is_empty() {
        out.push_str(&format!("\n  {}\n", style.paint(Tone::Bold, "Findings")));
    }
    for hint in hints {
        let (mark, tone) = mark(hint.state);
        out.push_str(&item(style, mark, tone, &format!("{}{}", hint.text, in_words(hint.state))));
        for line in wrap(&hint.evidence, style.columns() - 6) {
            out.push_str(&format!("      {}\n", style.paint(Tone::Faint, &line)));
        }
    }
    out
}

/// What is supported stands out; the rest is as faint as it is sure.
pub(super) fn mark(state: Support) -> (&'static str, Tone) {
    match state {
        Support::Supported => ("✓", Tone::Good),
        Support::Weak => ("~", Tone::Plain),
        Support::Unknown | Support::NotApplicable => ("?", Tone::Faint),
    }
}

/// Beside the words what is less than supported.
pub(super) fn in_words(state: Support) -> String {
    if state == Support::Supported { String::new() } else { format!(" [{state}]") }
}

pub(super) fn warnings(warnings: &[Warning], style: Style) -> String {
    let mut out = String::new();
    if !warnings.is_empty() {
        out.push_str(&format!("\n  {}\n", style.paint(Tone::Bold, "Caveats")));
    }
    for Warning { seen, remedy } in warnings {
        let remedy = remedy.to_string();
        // A clause goes on; a sentence begins anew.
        let joint = if remedy.starts_with(char::is_lowercase) { "; " } else { ". " };
        let text = format!("{}{joint}{remedy}", seen.trim_end_matches('.'));
        out.push_str(&item(style, "!", Tone::Alert, &text));
    }
    out
}

fn place(findings: &Findings<'_>, style: Style) -> String {
    let Some(folder) = findings.folder else { return String::new() };
    let ios = total(findings.finished.iter().map(|done| done.run.ios));
    let runs = findings.finished.len() as u64;
    let page =
        findings.page_bytes.map_or(String::new(), |bytes| format!("report.html, {}, ", size(bytes as f64)));
    let amount = format!("({page}{}, {})", counted(runs, "run"), counted(ios, "IO"));
    let place = format!("results in {}", folder.display());
    let is_short = place.chars().count() + 3 + amount.chars().count() <= style.columns() - 2;
    let gap = if is_short { "   " } else { "\n    " };
    format!("\n  {place}{gap}{}\n", style.paint(Tone::Faint, &amount))
}
