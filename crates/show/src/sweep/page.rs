//! The page of a sweep: what was simulated, a table of the devices, charts over what was varied, and for each
//! device its IOs and what it did inside.

use crate::html::dense::Trace;
use crate::html::document::{Block, Cell, Column, Document, Item, Section, Table};
use flashscope_core::number::{count, counted, digits, in_unit, size, span};

use super::charts::charts;
use super::front::{self, Design};
use super::spare::{bad_blocks, map_hits, unused};
use super::table::time;
use super::view::{bad_lines, common_workload, distinct, notes, set_for_all, speed, volatile};
use crate::inside::{Detail, inside_blocks};
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::sweep::{Entry, SimReport};

/// More devices than these have no sections of their own.
const SECTIONS_MAX: usize = 6;

/// What a sweep says.
pub fn page(sweep: &StoredSweep) -> Document {
    let entries = &sweep.entries;
    let reports: Vec<&SimReport> = entries.iter().filter_map(Entry::report).collect();
    let mut sections = vec![
        Section::summary(summary(entries, &reports)),
        Section::new("devices", "Designs", vec![Block::Table(table(entries))]),
        Section::new("compared", "Comparison", charts(entries)),
    ];
    sections.extend(devices(sweep));
    sections.push(Section::new("simulation", "Simulation", vec![Block::facts(facts(sweep, &reports))]));
    sections.retain(|section| !section.blocks.is_empty());
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

/// What is not there, the designs that no other beats, and what to know of all.
fn summary(entries: &[Entry], reports: &[&SimReport]) -> Vec<Block> {
    let mut items = missing(entries);
    if !reports.is_empty() {
        let plain = |text: String| Item::plain(text.trim().to_string());
        let alert = |text: String| Item::alert(text.trim().to_string(), "");
        items.extend(bad_lines(reports).map(alert));
        items.extend(volatile(reports).map(plain));
        items.extend(notes(reports).into_iter().map(plain));
    }
    let whole = entries.iter().filter_map(|entry| Some((entry, entry.report().filter(|one| one.complete)?)));
    let designs: Vec<Design<'_>> = whole
        .map(|(entry, report)| {
            let link = report.records.as_ref().map(|_| trace_id(entry));
            Design { name: short(entry, entries), link, report }
        })
        .collect();
    let mut blocks = front::blocks(&designs);
    if !items.is_empty() {
        let of_all = if blocks.is_empty() { Block::items(items) } else { Block::listed("Notes", items) };
        blocks.push(of_all);
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
    ("map hits", "%", |r| map_hits(r).map(Cell::share)),
    ("log blocks", "", |r| {
        (r.device.spare.log_blocks > 0).then(|| Cell::count(r.device.spare.log_blocks.into()))
    }),
    ("unused spare", "%", |r| unused(r).map(Cell::share)),
    ("energy of the flash", "J", |r| {
        r.device.energy.map(|all| Cell::shown(digits(all.total_j), all.total_j))
    }),
    ("read retries", "", |r| r.device.aging.map(|age| Cell::count(age.retries))),
    ("bad blocks", "", |r| bad_blocks(r).map(Cell::count)),
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

/// What each device did: of few a section each, of many their IOs as one list.
fn devices(sweep: &StoredSweep) -> Vec<Section> {
    let entries = &sweep.entries;
    let ran: Vec<&Entry> = entries.iter().filter(|entry| entry.report().is_some()).collect();
    if ran.len() > SECTIONS_MAX {
        let text = "The internals of each design are in the folder's inside/; the page of a smaller sweep \
                    shows them.";
        let traces = ran.iter().filter_map(|entry| trace(entry, &short(entry, entries)));
        let blocks = std::iter::once(Block::text(text)).chain(traces.map(Block::Trace)).collect();
        return vec![Section::new("ios", "Every IO", blocks)];
    }
    let section = |entry: &&Entry| {
        let id = trace_id(entry).replacen("ios-", "device-", 1);
        Section::new(&id, &short(entry, entries), device(sweep, entry))
    };
    ran.iter().map(section).collect()
}

/// The IOs of a device, where they were stored.
fn trace(entry: &Entry, title: &str) -> Option<Trace> {
    let records = entry.report()?.records.clone()?;
    Some(Trace::unread(trace_id(entry), title.into(), records))
}

fn device(sweep: &StoredSweep, entry: &Entry) -> Vec<Block> {
    let Some(report) = entry.report() else { return Vec::new() };
    let mut blocks = Vec::new();
    if !report.complete {
        let text = format!("Interrupted: results are of its first {}.", counted(report.ios, "IO"));
        blocks.push(Block::items(vec![Item::alert(text, "")]));
    }
    blocks.push(Block::facts(device_facts(report)));
    let group = trace_id(entry);
    let Some(records) = &report.records else {
        blocks.push(Block::text("Its IOs were not stored."));
        return blocks;
    };
    let trace = trace(entry, "Response time of every IO");
    blocks.extend(trace.map(|trace| Block::Trace(Trace { group: Some(group.clone()), ..trace })));
    let inside = inside_blocks(&sweep.path, records, &group, Detail::Full);
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
