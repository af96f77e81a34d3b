//! What `--json` prints. The keys are an interface: programs read them.

use flashscope_analysis::{Context, Estimate, Finished};
use flashscope_core::total;
use serde_json::{Value, json};

use crate::pairs::{Pair, Pairs, Verdict};
use crate::readings::{Change, Suites, Twin, twins};
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
    json!({
        "schema_version": SCHEMA_VERSION,
        "target": context.target.name,
        "pattern": finished.experiment.pattern.to_string(),
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
        "ios_ignored": estimate.map_or(phases.startup_ios_high, |estimate| estimate.ios_ignored),
        "stopped_because": outcome.stopped_because,
        "stationary": outcome.stationary,
        "missing": outcome.missing.map(|missing| missing.to_string()),
        "generator_iops_max": context.generator_iops_max,
        "records": finished.run.records,
    })
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
            "reading": suite.reading,
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
        "indicators": indicators,
        "advice": advice,
        "hints": hints,
        "warnings": warnings,
        "folder": folder.map(|folder| folder.display().to_string()),
    })
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
