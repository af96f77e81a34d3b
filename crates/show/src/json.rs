//! What `--json` prints. The keys are an interface: programs read them.

use flashscope_analysis::{
    Advice, Answered, Conclusion, Context, Estimate, Finished, Hint, Indicator, IoErrors, Metric, Point,
    Responses, points, trust,
};
use flashscope_bench::self_scaling;
use flashscope_core::{Bytes, total};
use serde_json::{Map, Value, json};

use crate::headline::{Headline, SHOWN, headlines};
use crate::pairs::{Pair, Pairs, Verdict};
use crate::readings::{Change, Suites, Twin, twins};
use crate::varied::{QUEUE_DEPTH, of_four, p99_ns};
use crate::view::Findings;
use flashscope_store::{SCHEMA_VERSION, Stored};

/// A single experiment. Times in ms; numbers that the run was too short for are null.
pub fn measure_json(context: &Context, finished: &Finished) -> Value {
    let outcome = &finished.run.outcome;
    let (phases, estimate, quantiles) = (&outcome.phases, outcome.estimate, outcome.quantiles);
    let ms = |ns: f64| ns / 1e6;
    let regime = |regime: &flashscope_analysis::Regime| {
        json!({
            "from_ios": regime.from_ios,
            "from_bytes": regime.from_bytes,
            "mean_ms": ms(regime.mean_ns),
        })
    };
    let trust = trust(finished, context);
    json!({
        "schema_version": SCHEMA_VERSION,
        "target": context.target.name,
        "pattern": finished.experiment.pattern.to_string(),
        "confidence": trust.confidence,
        "limits": trust.limits,
        "horizon": trust.horizon,
        "percentiles": percentiles_json(&finished.run.kinds),
        "gaps": finished.run.gaps,
        "standstills": finished.run.standstills,
        "disturbance": finished.run.disturbance,
        "threads": finished.run.threads,
        "mean_ms": estimate.map(|estimate| ms(estimate.mean_ns)),
        "ci_low_ms": estimate.map(|estimate| ms(estimate.ci_low_ns)),
        "ci_high_ms": estimate.map(|estimate| ms(estimate.ci_high_ns)),
        "p50_ms": quantiles.map(|quantiles| ms(quantiles.p50_ns)),
        "p99_ms": quantiles.map(|quantiles| ms(quantiles.p99_ns)),
        "max_ms": quantiles.map(|quantiles| ms(quantiles.max_ns)),
        "iops": finished.iops(),
        "startup_ios": phases.startup_ios,
        "startup_bytes": phases.startup_bytes,
        "period_ios": phases.period.map(|period| period.ios),
        "regimes": phases.regimes.iter().map(regime).collect::<Vec<_>>(),
        "ios": finished.run.ios,
        "ios_ignored": finished.run.ios_ignored(),
        "stopped_because": outcome.stopped_because,
        "stationary": outcome.stationary,
        "missing": outcome.missing.map(|missing| missing.to_string()),
        "generator_iops_max": context.generator_iops_max,
        "records": finished.run.records,
        "io_errors": finished.run.errors,
    })
}

/// A measurement: its last run, or the run of the block size that was found, with all that were tried.
pub fn measurement_json(context: &Context, finished: &[Finished], chosen: Option<Bytes>) -> Value {
    let bs_of = |done: &Finished| done.experiment.pattern.bs;
    let is_it = |done: &&Finished| Some(bs_of(done)) == chosen;
    let Some(chosen) = finished.iter().find(is_it) else {
        return finished.last().map_or(Value::Null, |last| measure_json(context, last));
    };
    let tried = finished.iter().map(|done| {
        let mean_ms = done.run.outcome.estimate.map(|estimate| estimate.mean_ns / 1e6);
        json!({ "bs_bytes": bs_of(done).0, "mean_ms": mean_ms, "ios": done.run.ios })
    });
    let mut document = measure_json(context, chosen);
    document["bs_bytes"] = bs_of(chosen).0.into();
    document["tried"] = tried.collect::<Vec<_>>().into();
    document
}

/// The block size that a search came to; none of a single run, or where it was cut short.
pub(crate) fn chosen_bs(context: &Context, finished: &[Finished]) -> Option<Bytes> {
    let bs_of = |done: &Finished| done.experiment.pattern.bs;
    let (first, last) = (finished.first().map(bs_of)?, finished.last().map(bs_of)?);
    let run = |bs| finished.iter().find(|done| bs_of(done) == bs).map(|done| done.run.clone()).ok_or(());
    let found = (finished.len() > 1 && context.complete).then(|| self_scaling(first, last, run))?;
    found.ok().map(|found| found.bs)
}

/// A document with the answers to conditions, if there are any.
pub fn with_answers(mut document: Value, answers: &[Answered]) -> Value {
    if !answers.is_empty() {
        document["fail_if"] = answers.iter().map(answer_json).collect::<Vec<_>>().into();
    }
    document
}

/// Whether a condition holds, with the number in ms, IOs a second or MB/s.
fn answer_json(answered: &Answered) -> Value {
    let (unit, size) = match answered.metric {
        Metric::Mean | Metric::Percentile(_) => ("ms", 1e-6),
        Metric::Iops => ("IO/s", 1.0),
        Metric::MbPerS => ("MB/s", 1.0),
    };
    let number = |of: fn(&Indicator) -> f64| answered.number.as_ref().map(|number| of(number) * size);
    json!({
        "condition": answered.condition,
        "answer": answered.answer,
        "of": answered.of,
        "value": number(|of| of.value),
        "low": number(|of| of.ci_low),
        "high": number(|of| of.ci_high),
        "unit": unit,
        "confidence": answered.confidence,
    })
}

/// Of each kind of IO its mean and percentiles, in ms: `read.p99.high`.
fn percentiles_json(kinds: &[Responses]) -> Value {
    let of_kind = |kind: &Responses| {
        let mut of = Map::new();
        of.insert("ios".into(), kind.ios.into());
        if let Some(mean) = kind.estimate {
            let [value, low, high] = [mean.mean_ns, mean.ci_low_ns, mean.ci_high_ns].map(|ns| ns / 1e6);
            of.insert("mean".into(), json!({ "value": value, "low": low, "high": high }));
        }
        for one in &kind.percentiles {
            let [value, low, high] = [one.value_ns, one.ci_low_ns, one.ci_high_ns].map(|ns| ns / 1e6);
            of.insert(format!("p{}", one.percent), json!({ "value": value, "low": low, "high": high }));
        }
        Value::Object(of)
    };
    Value::Object(kinds.iter().map(|kind| (kind.op.name().to_string(), of_kind(kind))).collect())
}

/// Experiments with failed IOs: those of all their runs together.
fn io_errors(finished: &[Finished]) -> Vec<Value> {
    let entry = |point: &Point<'_>| {
        let mut errors = IoErrors::default();
        point.runs.iter().for_each(|run| errors.append(&run.errors));
        (!errors.is_empty()).then(|| {
            json!({
                "experiment": point.experiment.id(),
                "ios": total(point.runs.iter().map(|run| run.ios)),
                "count": errors.count,
                "first": errors.first,
            })
        })
    };
    points(finished).iter().filter_map(entry).collect()
}

/// A whole characterisation.
pub fn run_json(findings: &Findings<'_>) -> Value {
    let Findings { context, finished, indicators, advice, hints, warnings, folder, .. } = *findings;
    if let Some(suite) = findings.suite {
        return json!({
            "schema_version": SCHEMA_VERSION,
            "target": context.target.name,
            "suite": suite.name,
            "complete": context.complete,
            "generator_iops_max": context.generator_iops_max,
            "ios": total(finished.iter().map(|done| done.run.ios)),
            "io_errors": io_errors(finished),
            "preparation_errors": context.preparation_errors,
            "reading": suite.reading,
            "conclusions": suite.reading.conclusions(suite.name, &points(finished)),
            "warnings": warnings,
            "folder": folder.map(|folder| folder.display().to_string()),
        });
    }
    json!({
        "schema_version": SCHEMA_VERSION,
        "target": context.target.name,
        "state": context.state,
        "complete": context.complete,
        "generator_iops_max": context.generator_iops_max,
        "ios": total(finished.iter().map(|done| done.run.ios)),
        "io_errors": io_errors(finished),
        "preparation_errors": context.preparation_errors,
        "headline": headlines(context, finished, folder).iter().map(headline_json).collect::<Vec<_>>(),
        "queue_depths": queue_depths(finished),
        "indicators": indicators,
        "advice": advice,
        "hints": hints,
        "conclusions": conclusions(advice, hints),
        "warnings": warnings,
        "folder": folder.map(|folder| folder.display().to_string()),
    })
}

/// One of the four numbers of a drive, as terminal and page show it.
fn headline_json(one: &Headline<'_>) -> Value {
    let percentile =
        |percent: f64| (format!("p{percent}"), one.percentile_ns(percent).map(|ns| ns / 1e6).into());
    json!({
        "name": one.name,
        "experiment": one.point.experiment.id(),
        "state": one.state,
        "bs_bytes": one.io_bytes(),
        "iops": one.point.iops(),
        "mb_s": one.point.iops().map(|rate| rate.times(one.io_bytes() / 1e6)),
        "ios": one.latencies.ios(),
        "percentiles_ms": SHOWN.into_iter().map(percentile).collect::<Map<_, _>>(),
    })
}

/// Throughput and p99 at each queue depth of each of the four.
fn queue_depths(finished: &[Finished]) -> Vec<Value> {
    let points = points(finished);
    let of = |name: &'static str, point: &Point<'_>| {
        let p99 = p99_ns(point).map(|(value, ends)| {
            let [low, high] = ends.map_or([None; 2], |ends| ends.map(|end| Some(end / 1e6)));
            json!({ "value": value / 1e6, "low": low, "high": high })
        });
        json!({
            "name": name,
            "experiment": point.experiment.id(),
            "iodepth": point.experiment.pattern.iodepth,
            "iops": point.iops(),
            "p99_ms": p99,
        })
    };
    let all = of_four(&points, QUEUE_DEPTH).into_iter();
    all.flat_map(|(name, of_one)| of_one.into_iter().map(move |point| of(name, point))).collect()
}

/// What is recommended and found, each with its state.
fn conclusions(advice: &[Advice], hints: &[Hint]) -> Vec<Conclusion> {
    let recommended = advice.iter().map(|of| {
        let claim = format!("{}: {}", of.answer, of.because);
        Conclusion::of(of.question, claim, of.state, None, "", of.experiments.clone())
    });
    let found = hints.iter().map(|hint| {
        let name = hint.seen_in.last().cloned().unwrap_or_default();
        Conclusion::of(name, &hint.text, hint.state, None, "", hint.seen_in.clone())
    });
    recommended.chain(found).collect()
}

/// Two results side by side. `ratio` is B over A. `suites` are those of runs; where both are of the same,
/// `found` has the numbers that are in both.
pub fn compare_json(a: &Stored, b: &Stored, suites: Option<Suites<'_>>) -> Value {
    let pairs = Pairs::of(a, b);
    let side = |stored: &Stored, place: usize| {
        json!({
            "suite": suites.map(|suites| suites.names[place]),
            "folder": stored.path.display().to_string(),
            "target": stored.manifest.target.name,
            "state": stored.state(),
        })
    };
    let mean = |estimate: &Option<Estimate>| {
        estimate.map(|mean| {
            json!({
                "mean_ms": mean.mean_ns / 1e6,
                "ci_low_ms": mean.ci_low_ns / 1e6,
                "ci_high_ms": mean.ci_high_ns / 1e6,
            })
        })
    };
    let experiment = |pair: &Pair<'_>| {
        let verdict = match pair.verdict() {
            Verdict::Same => "same",
            Verdict::Faster => "b_faster",
            Verdict::Slower => "b_slower",
            Verdict::Unknown => "unknown",
        };
        json!({
            "experiment": pair.id(),
            "a": mean(&pair.means[0]),
            "b": mean(&pair.means[1]),
            "ratio": pair.ratio,
            "verdict": verdict,
            "state": pair.support,
            "same_pattern": pair.is_same_pattern(),
        })
    };
    let found = suites
        .and_then(|suites| suites.readings)
        .map(|[a, b]| twins(a, b).iter().map(twin).collect::<Vec<_>>());
    json!({
        "schema_version": SCHEMA_VERSION,
        "a": side(a, 0),
        "b": side(b, 1),
        "found": found,
        "conclusions": pairs.both.iter().map(Pair::conclusion).collect::<Vec<_>>(),
        "experiments": pairs.both.iter().map(experiment).collect::<Vec<_>>(),
        "only_a": pairs.only_a,
        "only_b": pairs.only_b,
    })
}

fn twin(twin: &Twin<'_>) -> Value {
    let [a, b] = twin.cells;
    let (ratio, difference) = match twin.change {
        Change::Ratio(ratio) => (Some(ratio), None),
        Change::Difference(by) => (None, Some(by)),
    };
    json!({
        "table": twin.table.id,
        "row": twin.row,
        "column": twin.column.label,
        "unit": twin.unit,
        "a": a,
        "b": b,
        "ratio": ratio,
        "difference": difference,
    })
}
