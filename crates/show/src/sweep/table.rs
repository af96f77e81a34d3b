//! The table of a sweep: one row for each device, the columns that differ first.

use flashscope_core::number::{count, digits, percent, significant, size, span};

use super::spare::{bad_blocks, map_hits};
use flashscope_lab::sweep::SimReport;

type Column = (&'static str, fn(&SimReport) -> String);

/// What is said above the table, where all rows have it in common.
const CAPACITY: Column = ("capacity", |r| size(r.device.capacity_bytes as f64));

const COLUMNS: &[Column] = &[
    CAPACITY,
    ("ftl", |r| r.device.ftl.clone()),
    ("gc", |r| r.device.gc.clone().unwrap_or_default()),
    ("buffer", |r| r.device.buffer.clone()),
    ("RAM", |r| if r.device.buffer_bytes == 0 { String::new() } else { size(r.device.buffer_bytes as f64) }),
    ("OP (eff.)", |r| {
        let share = |op: f64| significant(op * 100.0, 2);
        format!("{} ({}) %", share(r.device.over_provisioning), share(r.device.effective_over_provisioning))
    }),
    ("MB/s", |r| r.throughput_mb_s.map_or("–".into(), digits)),
    ("mean", |r| r.response_us.map_or(String::new(), |us| time(us.mean))),
    ("p99", |r| r.response_us.map_or(String::new(), |us| time(us.p99))),
    ("max", |r| r.response_us.map_or(String::new(), |us| time(us.max))),
    ("WA", |r| r.device.write_amplification.map_or(String::new(), digits)),
    ("erases", |r| count(r.device.block_erases)),
    ("merges s/p/f", |r| {
        let merges = r.device.merges;
        let (switch, partial, full) = (merges.switch_merges, merges.partial_merges, merges.full_merges);
        if [switch, partial, full] == [0; 3] {
            String::new()
        } else {
            [switch, partial, full].map(count).join("/")
        }
    }),
    ("hits", |r| if r.device.buffer_bytes == 0 { String::new() } else { count(r.device.buffer_hits) }),
    ("map hits", |r| map_hits(r).map_or(String::new(), percent)),
    ("energy", |r| r.device.energy.map_or(String::new(), |all| format!("{} J", digits(all.total_j)))),
    ("retries", |r| r.device.aging.map_or(String::new(), |age| count(age.retries))),
    ("bad blocks", |r| bad_blocks(r).map_or(String::new(), count)),
    ("", |r| if r.complete { String::new() } else { "INTERRUPTED".into() }),
];

/// All rows, aligned; a column that is empty everywhere is left out.
pub fn table(reports: &[&SimReport]) -> String {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (title, cell) in COLUMNS {
        let cells: Vec<String> = reports.iter().map(|report| cell(report)).collect();
        let is_said_above = *title == CAPACITY.0 && cells.iter().all(|text| *text == cells[0]);
        if !is_said_above && cells.iter().any(|text| !text.is_empty()) {
            columns.push(std::iter::once((*title).to_string()).chain(cells).collect());
        }
    }
    aligned(&columns)
}

/// Columns of texts, the title first, side by side. Numbers stand at the right.
pub fn aligned(columns: &[Vec<String>]) -> String {
    let row = |i: usize| columns.iter().map(|cells| cells[i].clone()).collect();
    let rows: Vec<Vec<String>> = (0..columns.first().map_or(0, Vec::len)).map(row).collect();
    let lines = crate::columns(&rows, |column| is_numeric(&columns[column][1..]));
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Whether all cells that are not empty are numbers, factors such as `x1.5` among them.
fn is_numeric(cells: &[String]) -> bool {
    let begins = |text: &String| text.trim_start_matches('x').starts_with(|c: char| c.is_ascii_digit());
    cells.iter().all(|text| text.is_empty() || text == "-" || begins(text))
}

/// A time in microseconds as a person reads it.
pub fn time(us: f64) -> String {
    span(us * 1e3)
}
