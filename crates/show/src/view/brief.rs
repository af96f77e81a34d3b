//! The first screen of a run, in nineteen lines: which device in which state, its four numbers, what to do,
//! what weakens that, and where the rest is. Every line is cut at a clause; [`super::result_view`] has all.

use flashscope_analysis::reading::Tone as Meant;
use flashscope_analysis::{Advice, Context, Finished, Support};
use flashscope_core::number::{count, counted, digits, percent, size, span};

use super::result::{INCOMPLETE, identity, in_words, mark};
use super::text::{Tone, columns, columns_of, cut, item, wrap};
use super::{Findings, Style, suite};
use crate::headline::{FOUR, Headline, SHOWN, headlines};

/// Lines of the whole: twenty with the one in which its caller says how the rest is shown.
pub const LINES_MAX: usize = 19;
/// Of them what says which device it is.
const HEAD_LINES: usize = 2;
/// The last, the one that counts what is left out, and three blank ones.
const FRAME_LINES: usize = 5;
/// Caveats with a line of their own.
const CAVEATS_MAX: usize = 3;

/// A mark and its tone, a sentence, and how sure that is.
type Line = (&'static str, Tone, String, Support);

/// The result of a characterisation in at most [`LINES_MAX`] lines, if the path of its folder fits in one.
pub fn brief_view(findings: &Findings<'_>, style: Style) -> String {
    let mut out = head(findings, style);
    let table = match findings.suite {
        Some(of) => suite::first_fit(of.reading, LINES_MAX / 2, style),
        None => {
            let four = headlines(findings.context, findings.finished, findings.folder);
            let rows = four.iter().map(|one| (one.name, cells(one, &|at| one.percentile_ns(at)), one.state));
            numbers(four.first().map(Headline::io_bytes), rows.collect(), style)
        }
    };
    if !table.is_empty() {
        out.push('\n');
        out.push_str(&table);
    }
    out.push('\n');
    let (told, caveats) = (told(findings), caveats(findings));
    let shown = &caveats[..caveats.len().min(CAVEATS_MAX)];
    let room = LINES_MAX - (HEAD_LINES + FRAME_LINES + table.lines().count() + shown.len());
    for line in told.iter().take(room).chain(shown) {
        out.push_str(&one(line, style));
    }
    let left = [(told.len().saturating_sub(room), "finding"), (caveats.len() - shown.len(), "caveat")];
    out.push_str(&rest(&left, style));
    if let Some(folder) = findings.folder {
        out.push_str(&format!("\n  results in {}\n", folder.display()));
    }
    out
}

fn head(findings: &Findings<'_>, style: Style) -> String {
    let mut parts = identity(findings);
    if !findings.context.target.virtual_time {
        // How its IOs are made is a detail.
        parts.remove(1);
    }
    let lines = wrap(&parts.join(" · "), style.columns() - 2);
    let mut lines = lines.into_iter().take(HEAD_LINES);
    let mut out = format!("  {}\n", style.paint(Tone::Bold, &lines.next().unwrap_or_default()));
    lines.for_each(|line| out.push_str(&format!("  {line}\n")));
    out
}

/// What is shown of the four, in the order of columns; a narrower terminal leaves out from the last of
/// [`LEFT_OUT`] on.
const NUMBERS: [&str; 6] = ["IOPS", "MB/s", "95 % CI", "p50", "p99", "p99.9"];
/// The least needed first.
const LEFT_OUT: [&str; 5] = ["p99.9", "p50", "95 % CI", "MB/s", "p99"];

/// The four numbers of a run that goes on, as far as they are known, with percentiles as the rounds have
/// them; nothing before the first.
pub fn numbers_so_far(context: &Context, finished: &[Finished], style: Style) -> String {
    let four = headlines(context, finished, None);
    let row = |(name, _): (&'static str, &str)| {
        let known = four.iter().find(|one| one.name == name);
        let unknown = || ["…", "", "", "", "", ""].map(String::from);
        let cells = known.map_or_else(unknown, |one| cells(one, &|at| one.percentile_of_rounds_ns(at)));
        (name, cells, Support::Supported)
    };
    numbers(four.first().map(Headline::io_bytes), FOUR.into_iter().map(row).collect(), style)
}

/// One of the four, its cells, and how sure it is.
type Row = (&'static str, [String; 6], Support);

/// The four, with as many columns as the terminal has room for.
fn numbers(io_bytes: Option<f64>, four: Vec<Row>, style: Style) -> String {
    let Some(io_bytes) = io_bytes else { return String::new() };
    let table = |left_out: usize| {
        let is_shown = |column: &usize| !LEFT_OUT[..left_out].contains(&NUMBERS[*column]);
        let row = |name: String, cells: [String; 6], state: Support| {
            let cells = cells.into_iter().enumerate().filter(|(column, _)| is_shown(column));
            let state = in_words(state).trim().to_string();
            std::iter::once(name).chain(cells.map(|(_, cell)| cell)).chain([state]).collect::<Vec<_>>()
        };
        let name = format!("{}, depth 1", size(io_bytes));
        let heading = row(name, NUMBERS.map(str::to_string), Support::Supported);
        let rows = four.iter().cloned().map(|(name, cells, state)| row(name.into(), cells, state));
        let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
        let last = rows[0].len() - 1;
        columns(&rows, |column| (1..last).contains(&column))
    };
    let fits = |lines: &Vec<String>| lines.iter().all(|line| columns_of(line) + 2 <= style.columns());
    let lines = (0..=LEFT_OUT.len()).map(table).find(fits).unwrap_or_default();
    let tones = std::iter::once(Tone::Bold).chain(std::iter::repeat(Tone::Plain));
    lines.iter().zip(tones).map(|(line, tone)| format!("  {}\n", style.paint(tone, line))).collect()
}

fn cells(one: &Headline<'_>, percentile_ns: &dyn Fn(f64) -> Option<f64>) -> [String; 6] {
    let rate = one.point.iops().map(|rate| rate.value);
    let iops = |rate: f64| if rate < 100.0 { digits(rate) } else { count(rate.round() as u64) };
    let told = |rate: Option<f64>, text: &dyn Fn(f64) -> String| rate.map_or("-".into(), text);
    let width = one.point.estimate.map(|mean| mean.relative_half_width());
    let [p50, p99, p999] = SHOWN.map(|at| told(percentile_ns(at), &span));
    [
        told(rate, &iops),
        told(rate.map(|rate| rate * one.io_bytes() / 1e6), &digits),
        told(width, &|width| format!("± {}", percent(width))),
        p50,
        p99,
        p999,
    ]
}

/// What to do, and then what else was found.
fn told(findings: &Findings<'_>) -> Vec<Line> {
    if let Some(of) = findings.suite {
        let said = of.reading.sentences.iter().filter(|sentence| sentence.tone != Meant::Alert);
        return said.map(|sentence| with_mark(sentence.text.clone(), sentence.support())).collect();
    }
    let advised = findings.advice.iter().filter(|one| !one.experiments.is_empty());
    let text = |one: &Advice| format!("{}: {} ({})", one.question, one.answer, one.because);
    let advised = advised.map(|one| with_mark(text(one), one.state));
    advised.chain(findings.hints.iter().map(|hint| with_mark(hint.text.clone(), hint.state))).collect()
}

fn with_mark(text: String, state: Support) -> Line {
    let (mark, tone) = mark(state);
    (mark, tone, text, state)
}

/// What weakens the whole.
fn caveats(findings: &Findings<'_>) -> Vec<Line> {
    let incomplete = (!findings.context.complete).then(|| INCOMPLETE.to_string());
    let of_suite = findings.suite.iter().flat_map(|of| &of.reading.sentences);
    let of_suite = of_suite.filter(|one| one.tone == Meant::Alert).map(|one| one.text.clone());
    let seen = findings.warnings.iter().map(|warning| warning.seen.clone());
    let all = incomplete.into_iter().chain(of_suite).chain(seen);
    all.map(|seen| ("!", Tone::Alert, seen, Support::Supported)).collect()
}

fn one((mark, tone, text, state): &Line, style: Style) -> String {
    let state = in_words(*state);
    let room = style.columns().saturating_sub(5 + state.chars().count());
    item(style, mark, *tone, &format!("{}{state}", cut(text, room)))
}

/// How much is left out.
fn rest(left: &[(usize, &str)], style: Style) -> String {
    let left = left.iter().filter(|(count, _)| *count > 0);
    let left: Vec<String> =
        left.map(|(count, what)| counted(*count as u64, &format!("more {what}"))).collect();
    if left.is_empty() {
        String::new()
    } else {
        format!("  {}\n", style.paint(Tone::Faint, &left.join(", ")))
    }
}
