//! The page of a sweep: what was simulated, a table of the devices, charts over what was varied, and for each
//! device its IOs and what it did inside.

use crate::html::dense::Trace;
use crate::html::document::{Block, Cell, Column, Document, Item, Section, Table};
use flashscope_core::number::{count, counted, digits, in_unit, size, span};

use super::charts::charts;
use super::table::time;
use super::view::{bad_lines, common_workload, distinct, notes, set_for_all, speed, volatile};
use crate::inside::{Detail, inside_blocks};
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::sweep::{Entry, SimReport};

/// Devices that have a section of their own; the others are in the table and the charts.
const SECTIONS_MAX: usize = 24;
/// With more devices than this, internals are shown with fewer points.
const FULL_MAX: usize = 8;

/// What a sweep says.
pub fn page(sweep: &StoredSweep) -> Document {
    let entries = &sweep.entries;
    let reports: Vec<&SimReport> = entries.iter().filter_map(Entry::report).collect();
    let mut sections = vec![Section::new("summary", "Simulation", summary(sweep, &reports))];
    sections.push(Section::new("devices", "Devices", vec![Block::Table(table(entries))]));
    let charts = charts(entries);
    if !charts.is_empty() {
        sections.push(Section::new("compared", "Comparison", charts));
    }
    sections.extend(devices(sweep));
    let profile = entries.first().map_or("", |entry| entry.profile());
    let title = format!("sim:{profile}");
    Document::new("sim", title, subtitle(sweep, &reports), sections).made_by(&sweep.flashscope_version)
}

fn subtitle(sweep: &StoredSweep, reports: &[&SimReport]) -> String {
    let count = counted(sweep.entries.len() as u64, "simulation");
    let whole = sweep.entries.iter().filter(|entry| entry.is_complete()).count();
    let partial = if whole < sweep.entries.len() { format!(", {whole} complete") } else { String::new() };
    let work = if reports.is_empty() { String::new() } else { format!(" · {}", common_workload(reports)) };
    format!("{count}{partial}{work} · {}", sweep.created)
}

fn summary(sweep: &StoredSweep, reports: &[&SimReport]) -> Vec<Block> {
    let mut blocks = vec![Block::facts(facts(sweep, reports))];
    let mut items = missing(&sweep.entries);
    if !reports.is_empty() {
        let plain = |text: String| Item::plain(text.trim().to_string());
        let alert = |text: String| Item::alert(text.trim().to_string(), "");
        items.extend(bad_lines(reports).map(alert));
        items.extend(volatile(reports).map(plain));
        items.extend(notes(reports).into_iter().map(plain));
    }
    if !items.is_empty() {
        blocks.push(Block::Items { items });
    }
    blocks
}

fn facts(sweep: &StoredSweep, reports: &[&SimReport]) -> Vec<(&'static str, String)> {
    let Some(first) = reports.first() else {
        return vec![("simulations", sweep.entries.len().to_string()), ("begun", sweep.created.clone())];
    };
    let mut facts = vec![("workload", common_workload(reports)), ("profile", first.profile.clone())];
    let capacity = first.device.capacity_bytes;
    if reports.iter().all(|report| report.device.capacity_bytes == capacity) {
        facts.push(("capacity", size(capacity as f64)));
    }
    facts.extend(set_for_all(reports, &["capacity"]).into_iter().map(|set| ("settings of all", set)));
    if first.warmup_ios > 0 {
        facts.push(("warm-up", format!("warm-up: {}", counted(first.warmup_ios, "IO"))));
    }
    facts.push(("simulated", speed(reports).trim().to_string()));
    facts.push(("begun", sweep.created.clone()));
    facts
}

/// A device's name without what all have in common; a part speaks for itself.
fn short(entry: &Entry, entries: &[Entry]) -> String {
    let parts = ["ftl=", "gc=", "buffer="];
    let plain = |word: &str| {
        let value = parts.iter().find_map(|part| word.strip_prefix(part));
        value.filter(|value| *value != "none").unwrap_or(word).to_string()
    };
    distinct(entry, entries).split(' ').map(plain).collect::<Vec<_>>().join(" ")
}

/// What did not come to its end.
fn missing(entries: &[Entry]) -> Vec<Item> {
    let name = |entry: &Entry| short(entry, entries);
    let item = |entry: &Entry| match (entry.report(), entry.error()) {
        (Some(report), _) if report.complete => None,
        (Some(report), _) => {
            let text = format!(
                "{} was interrupted: results are of its first {}.",
                name(entry),
                counted(report.ios, "IO")
            );
            Some(Item::alert(text, ""))
        }
        (None, Some(error)) => Some(Item::alert(format!("{} failed.", name(entry)), error)),
        (None, None) => None,
    };
    let mut items: Vec<Item> = entries.iter().filter_map(item).collect();
    let not_run: Vec<String> = entries
        .iter()
        .filter(|entry| entry.report().is_none() && entry.error().is_none())
        .map(name)
        .collect();
    if !not_run.is_empty() {
        let text = format!("The sweep ended before {} started.", counted(not_run.len() as u64, "simulation"));
        items.push(Item::alert(text, not_run.join(", ")));
    }
    items
}

/// Columns that are left out where all devices have the same.
const COMMON: [&str; 2] = ["capacity", "over-provisioning"];

type Value = fn(&SimReport) -> Option<Cell>;

/// Columns of numbers: heading, unit of what is sorted, text and value.
const NUMBERS: &[(&str, &str, Value)] = &[
    ("RAM", "bytes", |r| (r.device.buffer_bytes > 0).then(|| Cell::bytes(r.device.buffer_bytes))),
    ("throughput", "MB/s", |r| r.throughput_mb_s.map(|rate| Cell::shown(in_unit(rate, "MB/s"), rate))),
    ("mean response", "µs", |r| r.response_us.map(|us| Cell::shown(time(us.mean), us.mean))),
    ("p99", "µs", |r| r.response_us.map(|us| Cell::shown(time(us.p99), us.p99))),
    ("longest", "µs", |r| r.response_us.map(|us| Cell::shown(time(us.max), us.max))),
    ("write amplification", "", |r| r.device.write_amplification.map(|wa| Cell::shown(digits(wa), wa))),
    ("block erases", "", |r| Some(Cell::count(r.device.block_erases))),
    ("switch merges", "", |r| merges(r, r.device.merges.switch_merges)),
    ("partial merges", "", |r| merges(r, r.device.merges.partial_merges)),
    ("full merges", "", |r| merges(r, r.device.merges.full_merges)),
    ("buffer hits", "", |r| (r.device.buffer_bytes > 0).then(|| Cell::count(r.device.buffer_hits))),
    ("IOs", "IOs", |r| Some(Cell::count(r.ios))),
    ("simulated time", "s", |r| Some(Cell::shown(span(r.simulated_s * 1e9), r.simulated_s))),
    ("capacity", "bytes", |r| Some(Cell::bytes(r.device.capacity_bytes))),
    ("over-provisioning", "%", |r| Some(Cell::share(r.device.over_provisioning))),
    ("effective", "%", |r| Some(Cell::share(r.device.effective_over_provisioning))),
];

type Words = fn(&SimReport) -> String;

/// Columns of words.
const WORDS: &[(&str, Words)] = &[
    ("ftl", |r| r.device.ftl.clone()),
    ("gc", |r| r.device.gc.clone().unwrap_or_default()),
    ("buffer", |r| r.device.buffer.clone()),
];

fn merges(report: &SimReport, count: u64) -> Option<Cell> {
    let all = report.device.merges;
    let none = [all.switch_merges, all.partial_merges, all.full_merges] == [0; 3];
    (!none).then(|| Cell::count(count))
}

/// One row for each device; a column that is empty everywhere is left out.
fn table(entries: &[Entry]) -> Table {
    let name = |entry: &Entry| {
        let link = entry.report().and_then(|report| report.records.as_ref()).map(|_| trace_id(entry));
        Cell::words(short(entry, entries)).seen_in(link)
    };
    let mut columns = vec![(Column::words("device"), entries.iter().map(name).collect::<Vec<Cell>>())];
    for (title, text) in WORDS {
        let cell = |entry: &Entry| Cell::words(entry.report().map(text).unwrap_or_default());
        columns.push((Column::words(title), entries.iter().map(cell).collect()));
    }
    for (title, unit, value) in NUMBERS {
        let cell = |entry: &Entry| entry.report().and_then(value).unwrap_or_default();
        columns.push((Column::number(title, unit), entries.iter().map(cell).collect()));
    }
    columns.push((Column::words("state"), entries.iter().map(|entry| Cell::words(state(entry))).collect()));
    columns.retain(|(_, cells)| cells.iter().any(|cell| !cell.text.is_empty()));
    // The summary says it.
    let is_common = |cells: &[Cell]| cells.len() > 1 && cells.iter().all(|cell| cell.text == cells[0].text);
    columns.retain(|(column, cells)| !(COMMON.contains(&column.label.as_str()) && is_common(cells)));
    let rows = (0..entries.len()).map(|row| columns.iter().map(|(_, cells)| cells[row].clone()).collect());
    Table {
        id: "devices".into(),
        title: "Results".into(),
        caption: "Write amplification: bytes programmed for each byte that the host wrote. A full merge \
            copies a whole block, a partial merge the rest of it, a switch merge nothing."
            .into(),
        rows: rows.collect(),
        columns: columns.into_iter().map(|(column, _)| column).collect(),
    }
}

/// Nothing for a device that came to its end.
fn state(entry: &Entry) -> &'static str {
    match (entry.report(), entry.error()) {
        (Some(report), _) if report.complete => "",
        (Some(_), _) => "interrupted",
        (None, Some(_)) => "failed",
        (None, None) => "not run",
    }
}

/// The place of a device's IOs: lower case, digits and `-`.
fn trace_id(entry: &Entry) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("ios-{}", entry.name().chars().map(plain).collect::<String>())
}

/// What each device did, one section each.
fn devices(sweep: &StoredSweep) -> Vec<Section> {
    let entries = &sweep.entries;
    let ran: Vec<&Entry> = entries.iter().filter(|entry| entry.report().is_some()).collect();
    let detail = if ran.len() > FULL_MAX { Detail::Few } else { Detail::Full };
    let section = |entry: &&Entry| {
        let id = trace_id(entry).replacen("ios-", "device-", 1);
        Section::new(&id, &short(entry, entries), device(sweep, entry, detail))
    };
    let mut sections: Vec<Section> = ran.iter().take(SECTIONS_MAX).map(section).collect();
    if ran.len() > SECTIONS_MAX {
        let more = counted((ran.len() - SECTIONS_MAX) as u64, "more device");
        let text = format!(
            "{more} are only in the table and charts above; their IOs are in the folder's ios/, their \
             internals in inside/."
        );
        sections.push(Section::new("more", "More devices", vec![Block::text(text)]));
    }
    sections
}

fn device(sweep: &StoredSweep, entry: &Entry, detail: Detail) -> Vec<Block> {
    let Some(report) = entry.report() else { return Vec::new() };
    let mut blocks = Vec::new();
    if !report.complete {
        let text = format!("Interrupted: results are of its first {}.", counted(report.ios, "IO"));
        blocks.push(Block::Items { items: vec![Item::alert(text, "")] });
    }
    blocks.push(Block::facts(device_facts(report)));
    let group = trace_id(entry);
    let Some(records) = &report.records else {
        blocks.push(Block::text("Its IOs were not stored."));
        return blocks;
    };
    let mut trace = Trace::unread(group.clone(), "Response time of every IO".into(), records.clone());
    trace.group = Some(group.clone());
    blocks.push(Block::Trace(trace));
    let inside = inside_blocks(&sweep.path, records, &group, detail);
    if inside.is_empty() {
        blocks.push(Block::text(
            "Device internals were not stored by an older flashscope; simulate again to see them.",
        ));
    }
    blocks.extend(inside);
    blocks
}

fn device_facts(report: &SimReport) -> Vec<(&'static str, String)> {
    let device = &report.device;
    let by_cause = |causes: [u64; 6]| {
        let names = [
            "for the host",
            "for collection",
            "for merges",
            "for padding",
            "for the map",
            "for wear levelling",
        ];
        let parts = causes.into_iter().zip(names).filter(|(count, _)| *count > 0);
        parts.map(|(things, name)| format!("{} {name}", count(things))).collect::<Vec<_>>().join(", ")
    };
    let of = |cause: &flashscope_sim::ssd::report::ByCause| {
        by_cause([cause.host, cause.gc, cause.merge, cause.padding, cause.map, cause.wear])
    };
    let host = format!(
        "{} reads of {}, {} writes of {}",
        count(device.host_reads),
        size(device.host_read_bytes as f64),
        count(device.host_writes),
        size(device.host_written_bytes as f64)
    );
    let wear = &device.wear;
    vec![
        ("host IO", host),
        ("pages read", with_parts(device.page_reads, &of(&device.reads_by_cause))),
        ("pages programmed", with_parts(device.page_programs, &of(&device.programs_by_cause))),
        ("blocks erased", count(device.block_erases)),
        (
            "wear",
            format!(
                "{} to {} erases a block, mean {}",
                count(u64::from(wear.min)),
                count(u64::from(wear.max)),
                digits(wear.mean)
            ),
        ),
    ]
}

fn with_parts(all: u64, parts: &str) -> String {
    if parts.is_empty() { count(all) } else { format!("{}: {parts}", count(all)) }
}
