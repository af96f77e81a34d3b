//! What a person sees of a sweep: a header, the table, and what weakens it.

use std::path::Path;

use flashscope_core::number::{counted, digits, size};
use flashscope_core::total;

use super::spare;
use super::table::table;
use flashscope_lab::sweep::{Entry, SimReport};
use flashscope_lab::sweep::{plain, shared};

/// Devices without a result that are named; the rest are counted.
const NAMED_MAX: usize = 8;

/// All of it, below each other. `output` is the folder that keeps it.
pub fn view(entries: &[Entry], output: Option<&Path>) -> String {
    let reports: Vec<&SimReport> = entries.iter().filter_map(Entry::report).collect();
    let mut lines = Vec::new();
    if !reports.is_empty() {
        lines.extend([header(&reports), String::new(), table(&reports), String::new(), speed(&reports)]);
        lines.extend(spare::uses(&reports));
        lines.extend(spare::placed(&reports));
        lines.extend(spare::clipped(&reports));
        lines.extend(volatile(&reports));
        lines.extend(notes(&reports));
        lines.extend(bad_lines(&reports));
    }
    lines.extend(missing(entries));
    if let Some(path) = output {
        lines.push(format!("  results in {}", path.display()));
    }
    lines.join("\n")
}

/// What all devices have in common; what differs is in the table.
fn header(reports: &[&SimReport]) -> String {
    let first = reports[0];
    let mut parts = vec![format!("sim:{}", first.profile)];
    if reports.iter().all(|report| report.device.capacity_bytes == first.device.capacity_bytes) {
        parts.push(size(first.device.capacity_bytes as f64));
    }
    parts.extend(set_for_all(reports, COLUMNS));
    parts.push(common_workload(reports));
    format!("  {}", parts.join(" · "))
}

/// Settings that have a column, or are said in the header anyway.
const COLUMNS: &[&str] = &["capacity", "over_provisioning", "ftl", "gc", "buffer", "ram.size"];

/// What was set for all devices on top of their profile, without `known`, and the state that they began with.
pub fn set_for_all(reports: &[&SimReport], known: &[&str]) -> Vec<String> {
    let shared = shared(reports.iter().map(|report| &report.settings));
    let set = shared.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    let set: Vec<String> = set.map(|(key, value)| format!("{key}={}", plain(value))).collect();
    let loaded = reports[0].loaded_state.as_ref().map(|state| format!("as saved in {}", state.file));
    loaded.into_iter().chain((!set.is_empty()).then(|| set.join(" "))).collect()
}

/// The workload, without settings that follow from each device's size.
pub fn common_workload(reports: &[&SimReport]) -> String {
    let first = &reports[0].workload;
    if reports.iter().all(|report| report.workload == *first) {
        return first.clone();
    }
    let in_all = |word: &&str| {
        reports.iter().all(|report| report.workload.split_whitespace().any(|other| other == *word))
    };
    first.split_whitespace().filter(in_all).collect::<Vec<_>>().join(" ")
}

/// How much was simulated, and how fast.
pub fn speed(reports: &[&SimReport]) -> String {
    let ios = total(reports.iter().map(|report| report.ios));
    let rates: Vec<f64> = reports.iter().filter_map(|report| report.requests_per_cpu_s).collect();
    let rate = rates.iter().sum::<f64>() / rates.len() as f64 / 1e6;
    let rate = if rates.is_empty() { "–".into() } else { format!("{} M", digits(rate)) };
    let (ios, seed) = (counted(ios, "IO"), reports[0].seed);
    format!("  {ios} simulated, {rate} a second of CPU time; seed {seed}")
}

/// What a loss of power costs, if anything.
pub fn volatile(reports: &[&SimReport]) -> Option<String> {
    let bytes = reports.iter().map(|report| report.device.volatile_bytes_max).max().filter(|max| *max > 0)?;
    Some(format!(
        "  Volatile buffer: a power loss destroys up to {} of unflushed, acknowledged writes",
        size(bytes as f64)
    ))
}

/// What was changed of the trace: once if it is the same for all devices, else with their names.
pub fn notes(reports: &[&SimReport]) -> Vec<String> {
    let first = &reports[0].notes;
    if reports.iter().all(|report| report.notes == *first) {
        return first.iter().map(|note| format!("  {note}")).collect();
    }
    let own = |report: &SimReport| {
        let name = if report.label.is_empty() { report.profile.clone() } else { report.label.clone() };
        report.notes.iter().map(|note| format!("  {name}: {note}")).collect::<Vec<_>>()
    };
    reports.iter().flat_map(|report| own(report)).collect()
}

/// All devices read the same trace; one that was cut short has read less of it.
pub fn bad_lines(reports: &[&SimReport]) -> Option<String> {
    let most = reports.iter().max_by_key(|report| report.bad_lines).filter(|most| most.bad_lines > 0)?;
    let first = most.first_bad_line.as_ref().map_or(String::new(), |line| format!("; the first: {line}"));
    Some(format!("  {} of the trace skipped{first}", counted(most.bad_lines, "unreadable line")))
}

/// What a sweep that did not come to its end lacks.
fn missing(entries: &[Entry]) -> Vec<String> {
    let whole = entries.iter().filter(|entry| entry.is_complete()).count();
    if whole == entries.len() {
        return Vec::new();
    }
    let name = |entry: &Entry| distinct(entry, entries);
    let mut lines = vec![format!("  PARTIAL: {whole} of {} complete", simulations(entries.len()))];
    let cut = entries.iter().filter(|entry| entry.report().is_some_and(|report| !report.complete));
    lines.extend(cut.map(|entry| {
        let ios = entry.report().map_or(0, |report| report.ios);
        format!("    interrupted {}: its row covers its first {}", name(entry), counted(ios, "IO"))
    }));
    let failed = entries.iter().filter_map(|entry| Some((entry, entry.error()?)));
    lines.extend(failed.map(|(entry, cause)| format!("    failed     {}: {cause}", name(entry))));
    let has_nothing = |entry: &&Entry| entry.report().is_none() && entry.error().is_none();
    let not_run: Vec<_> = entries.iter().filter(has_nothing).collect();
    lines.extend(not_run.iter().take(NAMED_MAX).map(|entry| format!("    not run    {}", name(entry))));
    if not_run.len() > NAMED_MAX {
        lines.push(format!("    not run    and {} more in the JSON document", not_run.len() - NAMED_MAX));
    }
    lines
}

/// A device's name without what all have in common.
pub fn distinct(entry: &Entry, entries: &[Entry]) -> String {
    let is_common = |word: &str| entries.iter().all(|other| other.label().split(' ').any(|own| own == word));
    let own: Vec<&str> = entry.label().split(' ').filter(|word| !is_common(word)).collect();
    if own.is_empty() { entry.name().into() } else { own.join(" ") }
}

fn simulations(count: usize) -> String {
    counted(count as u64, "simulation")
}
