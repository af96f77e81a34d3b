//! Everything as CSV (RFC 4180): a row for each run, indicators, hints, simulations, replays, and on demand
//! every IO. Units are in the names of the columns; a value that is not there is empty. Texts are quoted
//! where they must be.

use flashscope_analysis::{Finished, hints, indicators, points};
use flashscope_core::Rate;
use serde_json::Value;

use super::{Export, Material, Outlet};
use crate::error::{Remedy, StoreError};
use crate::folder::{Stored, plain_name};
use crate::ios::Io;
use crate::kind::ResultKind;
use crate::result_file::ResultFile;

/// The registry's line.
pub const EXPORT: Export = Export {
    name: "csv",
    about: "CSV: experiments, indicators, findings, simulations, replays",
    more: Some(Remedy::SingleIos),
    write,
};

const NO_IOS: &str = "runs without a CSV of IOs (their IO file is missing)";

fn write(materials: &[Material], outlet: &mut Outlet<'_>) -> Result<(), StoreError> {
    let mut experiments = Table::default();
    let mut indicators = Table::default();
    let mut hints = Table::default();
    let mut others: Vec<(&str, Table)> = Vec::new();
    for material in materials {
        if let Some(name) = file_of(material.kind) {
            let at = others.iter().position(|(of, _)| *of == name).unwrap_or(others.len());
            if at == others.len() {
                others.push((name, Table::default()));
            }
            add_document(&mut others[at].1, &material.name, &material.document);
        } else {
            for (number, finished) in material.stored.finished.iter().enumerate() {
                experiments.add(experiment(material, number, finished));
            }
            add_findings(material, &mut indicators, &mut hints);
        }
        if outlet.single_ios {
            single_ios(material, materials.len() > 1, outlet)?;
        }
    }
    let tables = [("experiments.csv", experiments), ("indicators.csv", indicators), ("hints.csv", hints)];
    for (name, table) in tables.into_iter().chain(others) {
        if !table.rows.is_empty() {
            outlet.write(name, &table.text())?;
        }
    }
    Ok(())
}

fn file_of(kind: ResultKind) -> Option<&'static str> {
    match kind {
        ResultKind::Sweep => Some("simulations.csv"),
        ResultKind::Replay => Some("replays.csv"),
        ResultKind::TraceDescription => Some("traces.csv"),
        ResultKind::Run | ResultKind::Measurement => None,
    }
}

/// Rows whose columns are told with each cell; a column that some row has, all have.
#[derive(Default)]
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<(usize, String)>>,
}

impl Table {
    fn add(&mut self, cells: Vec<(String, String)>) {
        let mut place = |name: String| {
            let known = self.columns.iter().position(|column| *column == name);
            known.unwrap_or_else(|| {
                self.columns.push(name);
                self.columns.len() - 1
            })
        };
        let row = cells.into_iter().map(|(name, value)| (place(name), value)).collect();
        self.rows.push(row);
    }

    fn text(&self) -> String {
        let quoted = |cells: Vec<String>| cells.iter().map(|cell| quote(cell)).collect::<Vec<_>>().join(",");
        let mut text = quoted(self.columns.clone()) + "\n";
        for row in &self.rows {
            let mut cells = vec![String::new(); self.columns.len()];
            row.iter().for_each(|(at, value)| cells[*at].clone_from(value));
            text += &(quoted(cells) + "\n");
        }
        text
    }
}

/// A cell of RFC 4180.
fn quote(cell: &str) -> String {
    let is_special = cell.contains([',', '"', '\n', '\r']);
    if is_special { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

fn cell(name: &str, value: impl ToString) -> (String, String) {
    (name.into(), value.to_string())
}

fn maybe(name: &str, value: Option<impl ToString>) -> (String, String) {
    (name.into(), value.map_or(String::new(), |value| value.to_string()))
}

/// A run in numbers.
fn experiment(material: &Material, number: usize, finished: &Finished) -> Vec<(String, String)> {
    let Finished { experiment, repeat, run } = finished;
    let (outcome, pattern) = (&run.outcome, &experiment.pattern);
    let (phases, estimate, quantiles) = (&outcome.phases, outcome.estimate, outcome.quantiles);
    let ms = |ns: f64| ns / 1e6;
    let manifest = &material.stored.manifest;
    let mut cells = vec![
        cell("folder", &material.name),
        cell("target", &manifest.target.name),
        cell("number", number),
        cell("micro", &experiment.micro),
        cell("curve", &experiment.curve),
        cell("label", &experiment.label),
        cell("parameter", experiment.parameter),
        cell("repeat", repeat),
        cell("rw", pattern.rw),
        cell("bs_bytes", pattern.bs.0),
        cell("offset_bytes", pattern.offset.0),
        cell("size_bytes", pattern.size.0),
        cell("shift_bytes", pattern.shift.0),
        cell("numjobs", pattern.numjobs),
        cell("iodepth", pattern.iodepth),
        cell("thinktime_ns", pattern.thinktime.0),
        maybe("rate_iops", pattern.rate_iops.map(Rate::total_iops)),
        cell("pattern", pattern),
        cell("seed", manifest.seed),
        cell("ios", run.ios),
        cell("read_bytes", run.read_bytes),
        cell("written_bytes", run.written_bytes),
        cell("elapsed_ns", run.elapsed_ns),
    ];
    cells.extend([
        maybe("mean_ms", estimate.map(|of| ms(of.mean_ns))),
        maybe("ci_low_ms", estimate.map(|of| ms(of.ci_low_ns))),
        maybe("ci_high_ms", estimate.map(|of| ms(of.ci_high_ns))),
        maybe("confidence", estimate.map(|of| of.confidence)),
        maybe("ios_in_mean", estimate.map(|of| of.ios)),
        maybe("iops", finished.iops()),
        maybe("min_ms", quantiles.map(|of| ms(of.min_ns))),
        maybe("p50_ms", quantiles.map(|of| ms(of.p50_ns))),
        maybe("p99_ms", quantiles.map(|of| ms(of.p99_ns))),
        maybe("max_ms", quantiles.map(|of| ms(of.max_ns))),
        maybe("stddev_ms", quantiles.map(|of| ms(of.stddev_ns))),
        cell("startup_ios", phases.startup_ios),
        cell("startup_ios_low", phases.startup_ios_low),
        cell("startup_ios_high", phases.startup_ios_high),
        cell("startup_bytes", phases.startup_bytes),
        cell("regimes", phases.regimes.len()),
        maybe("period_ios", phases.period.map(|period| period.ios)),
        cell("stationary", outcome.stationary),
        cell("stopped_because", word(&serde_json::json!(outcome.stopped_because))),
        maybe("missing", outcome.missing.map(|missing| missing.to_string())),
        maybe("records", run.records.as_ref()),
    ]);
    cells
}

/// Indicators and hints, computed anew as everywhere.
fn add_findings(material: &Material, table: &mut Table, hints_table: &mut Table) {
    let Stored { context, finished, .. } = &material.stored;
    let points = points(finished);
    let found = indicators(&points);
    let Value::Object(all) = serde_json::json!(found) else { return };
    for (name, indicator) in &all {
        let value = |key: &str| indicator.get(key).map(word);
        table.add(vec![
            cell("folder", &material.name),
            cell("indicator", name),
            maybe("value", value("value")),
            maybe("ci_low", value("ci_low")),
            maybe("ci_high", value("ci_high")),
        ]);
    }
    let Some(context) = context else { return };
    for hint in hints(context, &found, &points) {
        hints_table.add(vec![
            cell("folder", &material.name),
            cell("hint", hint.text),
            cell("evidence", hint.evidence),
        ]);
    }
}

/// A document, or each of a list, as a row: `wear.max` is key `max` of key `wear`.
fn add_document(table: &mut Table, folder: &str, document: &Value) {
    let entries = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
    for entry in entries {
        let mut cells = vec![cell("folder", folder)];
        flatten("", entry, &mut cells);
        table.add(cells);
    }
}

fn flatten(name: &str, value: &Value, cells: &mut Vec<(String, String)>) {
    let Value::Object(keys) = value else { return cells.push((name.into(), word(value))) };
    for (key, value) in keys {
        let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        flatten(&name, value, cells);
    }
}

/// A text without its quotes, nothing for null, JSON for what is left.
fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Every file of IOs of a folder, under its own name.
fn single_ios(
    material: &Material,
    is_one_of_several: bool,
    outlet: &mut Outlet<'_>,
) -> Result<(), StoreError> {
    let within = if is_one_of_several { format!("{}/", plain_name(&material.name)) } else { String::new() };
    for name in material.records_names() {
        let records = ResultFile::new(&material.stored.path, &name);
        if !records.is_there() {
            outlet.count(NO_IOS);
            continue;
        }
        let stem = name.trim_start_matches("ios/").trim_end_matches(".parquet");
        let mut file = outlet.create(&format!("ios/{within}{}.csv", plain_name(stem)))?;
        // Only a replay's IOs have a time of their own.
        let (more, heading) = if material.is_replay() { (true, ",due_ns") } else { (false, "") };
        file.line(format_args!("submit_ns,response_ns,op,offset_bytes,length_bytes,stream{heading}"))?;
        outlet.each_io(&records, |io| {
            let Io { submit_ns, response_ns, op, offset_bytes, length_bytes, stream, due_ns } = io;
            let due =
                if more { due_ns.map_or(",".into(), |due_ns| format!(",{due_ns}")) } else { String::new() };
            file.line(format_args!(
                "{submit_ns},{response_ns},{op},{offset_bytes},{length_bytes},{stream}{due}"
            ))
        })?;
        file.finish()?;
    }
    Ok(())
}
