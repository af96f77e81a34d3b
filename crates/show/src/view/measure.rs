//! One experiment on one screen.

use flashscope_analysis::{
    Context, Finished, Limit, Percentile, Phases, Responses, Run, Stop, Support, trust,
};

use super::Style;
use super::text::{Tone, item, table, wrap};
use flashscope_core::Rate;
use flashscope_core::number::{self, Among, count, percent, size, span, span_among, span_range};

/// A single experiment: pattern, response times, precision. `values_ns` are
/// response times over the run, at any resolution, for a small picture; none needed.
pub fn measure_view(context: &Context, finished: &Finished, values_ns: &[f64], style: Style) -> String {
    let mut out = String::new();
    let title = format!("{} · {}", context.target.name, finished.experiment.pattern);
    for line in wrap(&title, style.columns() - 2) {
        out.push_str(&format!("  {}\n", style.paint(Tone::Bold, &line)));
    }
    let rows: Vec<_> = rows(context, finished);
    let rows: Vec<_> = rows.into_iter().map(|(name, text)| (Tone::Plain, vec![name.into(), text])).collect();
    out.push_str(&table(style, &rows));
    if values_ns.len() > 1 {
        let strip = strip(values_ns, style.columns().saturating_sub(4).min(100));
        let low = values_ns.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values_ns.iter().copied().fold(0.0, f64::max);
        let legend = format!("response time over the run, {} (log scale)", span_range(low, high));
        out.push_str(&format!("\n  {strip}\n  {}\n", style.paint(Tone::Faint, &legend)));
    }
    out.push_str(&trust_text(context, finished, style));
    out
}

/// How sure the mean is, in one word, and what keeps it from being more.
fn trust_text(context: &Context, finished: &Finished, style: Style) -> String {
    let trust = trust(finished, context);
    let horizon = trust.horizon;
    let (mark, tone) = match trust.confidence {
        Support::Supported => ("✓", Tone::Plain),
        _ => ("!", Tone::Alert),
    };
    let seen = format!(
        "Confidence: {}. Horizon: {} in the mean; {}, {:.1} s and {} of the target in all. Assumed: no stall \
         longer than {}.",
        trust.confidence,
        ios_of(horizon.ios),
        size(horizon.bytes as f64),
        horizon.seconds,
        percent(horizon.share_of_capacity),
        span(horizon.stall_assumed_ms * 1e6),
    );
    let mut out = item(style, mark, tone, &seen);
    if let Some(missing) = finished.run.outcome.missing {
        out.push_str(&item(style, "!", Tone::Alert, &format!("Target precision not reached: {missing}")));
    }
    // What the judge missed is said above, in its own words.
    let is_said = |limit: &&Limit| matches!(limit, Limit::NotReached { .. } | Limit::NotLevel);
    for limit in trust.limits.iter().filter(|limit| !is_said(limit)) {
        out.push_str(&item(style, "!", Tone::Alert, &sentence(&limit.to_string())));
    }
    out
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// `p50 84.1 µs (83.9–84.3), p99 120 µs (118–125), p99.9 needs more independent IOs`.
fn percentiles_of(kind: &Responses) -> String {
    let one = |one: &Percentile| {
        format!("p{} {}", one.percent, beside(one.value_ns, (one.ci_low_ns, one.ci_high_ns)))
    };
    let told = |percent: &f64| kind.percentiles.iter().find(|one| one.percent == *percent);
    let mut shown: Vec<_> = SHOWN.iter().filter_map(told).map(one).collect();
    if let Some(untold) = SHOWN.iter().find(|percent| told(percent).is_none()) {
        shown.push(format!("p{untold} needs more independent IOs"));
    }
    shown.join(", ")
}

/// `84.1 µs (83.9–84.3)`.
fn beside(ns: f64, ends_ns: (f64, f64)) -> String {
    let Among { value, interval } = span_among(ns, ends_ns);
    if interval.is_empty() { value } else { format!("{value} ({interval})") }
}

/// Percentiles of a screen; the page and programs have all.
const SHOWN: [f64; 4] = [50.0, 99.0, 99.9, 99.99];

pub(crate) fn rows(context: &Context, finished: &Finished) -> Vec<(&'static str, String)> {
    let run = &finished.run;
    let outcome = &run.outcome;
    let mut rows = vec![("mean", mean(finished))];
    rows.extend(percentile_rows(run));
    if let Some(spread) = outcome.quantiles {
        let [p50, p99, max] = [spread.p50_ns, spread.p99_ns, spread.max_ns].map(span);
        // Older results have these alone.
        let all = ("percentiles", format!("p50 {p50}, p99 {p99}, max {max}"));
        rows.push(if run.kinds.is_empty() { all } else { ("longest", max) });
    }
    let iops = finished.iops();
    let limit = context.generator_iops_max.filter(|_| !context.target.virtual_time);
    let shares = limit.zip(finished.iops_per_thread()).map(|(limit, iops)| iops / limit);
    let share = shares.filter(|share| *share >= OVERHEAD_SHOWN).map(percent);
    let limit = share.map_or(String::new(), |share| format!("   (harness overhead {share} of the time)"));
    rows.push((
        "throughput",
        format!("{}{limit}", iops.map_or("–".into(), |iops| throughput(finished, iops))),
    ));
    rows.extend(run.threads.map(|threads| ("threads", format!("{threads}, one for each job"))));
    rows.push(("warm-up", startup(&outcome.phases)));
    if outcome.phases.regimes.len() > 2 {
        rows.push(("levels", regimes(&outcome.phases)));
    }
    rows.push(("period", period(&outcome.phases)));
    rows.push(("samples", format!("{} (warm-up {})", count(run.ios), count(run.ios_ignored()))));
    rows.extend(errors(run).map(|errors| ("IO errors", errors)));
    rows.push((
        "stop",
        because(outcome.stopped_because, finished.experiment.pattern.number_ios.is_some()).into(),
    ));
    rows
}

/// One row for each kind of IO.
fn percentile_rows(run: &Run) -> Vec<(&'static str, String)> {
    let is_single = run.kinds.len() == 1;
    let row = |kind: &Responses| {
        let name = if is_single { "percentiles" } else { kind.op.name() };
        let mean = kind.estimate.map_or(String::new(), |mean| format!("mean {}, ", span(mean.mean_ns)));
        let mean = if is_single { String::new() } else { mean };
        (name, format!("{mean}{}", percentiles_of(kind)))
    };
    run.kinds.iter().filter(|kind| !kind.percentiles.is_empty()).map(row).collect()
}

/// How many IOs failed, and where the first was.
fn errors(run: &Run) -> Option<String> {
    let first = run.errors.first.first()?;
    let (failed, all) = (run.errors.count, run.ios + run.errors.count);
    let share = percent(failed as f64 / all as f64);
    Some(format!("{} of {} ({share}); the first: {first}", count(failed), count(all)))
}

/// `12,311 IO/s, 50.4 MB/s`.
fn throughput(finished: &Finished, iops: f64) -> String {
    let mb_s = number::digits(iops * finished.experiment.pattern.bs_mean() / 1e6);
    format!("{}, {mb_s} MB/s", number::iops(iops))
}

/// A smaller share of the time is no concern.
const OVERHEAD_SHOWN: f64 = 0.1;

fn mean(finished: &Finished) -> String {
    let Some(estimate) = finished.run.outcome.estimate else {
        // Slower than asked by more than the first hiccups of a short run.
        let asked = finished
            .experiment
            .pattern
            .rate_iops
            .map(Rate::total_iops)
            .filter(|asked| finished.iops().is_some_and(|iops| iops < 0.97 * asked));
        let Some(asked) = asked else {
            return "none: the run was too short".into();
        };
        return format!(
            "none: the target does not sustain {asked} IO/s, so response times grow without bound"
        );
    };
    let trust = percent(estimate.confidence);
    let Among { value, interval } = span_among(estimate.mean_ns, (estimate.ci_low_ns, estimate.ci_high_ns));
    let half = percent(estimate.relative_half_width());
    let interval = if interval.is_empty() { value.clone() } else { interval };
    format!("{value} ± {half}   ({trust} CI {interval})")
}

pub(crate) fn startup(phases: &Phases) -> String {
    if phases.startup_ios == 0 {
        return "none".into();
    }
    let written = match phases.startup_bytes {
        0 => String::new(),
        bytes => format!(", {} written", size(bytes as f64)),
    };
    let (low, high) = (phases.startup_ios_low, phases.startup_ios_high);
    let sure = if low == high { String::new() } else { format!(" ({} to {})", count(low), count(high)) };
    format!("{}{sure}{written}", ios_of(phases.startup_ios))
}

fn regimes(phases: &Phases) -> String {
    let regime = |regime: &flashscope_analysis::Regime| {
        format!("{} from IO {}", span(regime.mean_ns), count(regime.from_ios))
    };
    phases.regimes.iter().map(regime).collect::<Vec<_>>().join(", ")
}

pub(crate) fn period(phases: &Phases) -> String {
    match phases.period {
        None if phases.alternations > 1 => "unconfirmed: too few periods".into(),
        None => "none".into(),
        Some(period) if period.is_exact() => ios_of(period.ios),
        Some(period) => {
            let [ios, low, high] = [period.ios, period.ios_low, period.ios_high].map(count);
            format!("{ios} IOs ({low} to {high})")
        }
    }
}

/// Exact: `1 IO`, `128 IOs`.
fn ios_of(ios: u64) -> String {
    format!("{} {}", count(ios), if ios == 1 { "IO" } else { "IOs" })
}

/// `has_count` says whether the pattern has a number of IOs of its own.
pub(crate) fn because(stop: Stop, has_count: bool) -> &'static str {
    match stop {
        Stop::Precision => "target precision reached",
        Stop::Ios if has_count => "number of IOs reached",
        Stop::Ios => "IO limit of one run reached",
        Stop::Runtime => "runtime over",
        Stop::Budget => "budget used up",
        Stop::Bytes => "share of the write budget used up",
        Stop::Interrupted => "interrupted",
        Stop::Failed => "an IO failed",
        Stop::Ended => "ended by another job (exitall)",
    }
}

/// Values as a strip of `columns` small bars, on a logarithmic scale; each bar is the mean of its part.
pub fn strip(values: &[f64], columns: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let columns = columns.min(values.len());
    let part = |i: usize| &values[i * values.len() / columns..(i + 1) * values.len() / columns];
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let logs: Vec<f64> = (0..columns).map(|i| mean(part(i)).max(1.0).ln()).collect();
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min);
    let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Less than 5 % up and down is a flat line.
    let range = (high - low).max(0.05);
    let bar = |log: &f64| BARS[(((log - low) / range * 7.0).round() as usize).min(7)];
    logs.iter().map(bar).collect()
}
