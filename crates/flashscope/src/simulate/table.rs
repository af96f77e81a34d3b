//! The table of a sweep: one row for each device, the columns that differ first.

use flashscope_report::{digits, size, span};

use super::report::SimReport;

type Column = (&'static str, fn(&SimReport) -> String);

const COLUMNS: &[Column] = &[
    ("ftl", |r| r.device.ftl.clone()),
    ("gc", |r| r.device.gc.clone().unwrap_or_default()),
    ("buffer", |r| r.device.buffer.clone()),
    ("RAM", |r| if r.device.buffer_bytes == 0 { String::new() } else { size(r.device.buffer_bytes as f64) }),
    ("OP (eff.)", |r| {
        let share = |op: f64| format!("{:.1}", op * 100.0);
        format!("{} ({}) %", share(r.device.over_provisioning), share(r.device.effective_over_provisioning))
    }),
    ("MB/s", |r| digits(r.throughput_mb_s)),
    ("mean", |r| r.response_us.map_or(String::new(), |us| time(us.mean))),
    ("p99", |r| r.response_us.map_or(String::new(), |us| time(us.p99))),
    ("max", |r| r.response_us.map_or(String::new(), |us| time(us.max))),
    ("WA", |r| r.device.write_amplification.map_or(String::new(), |wa| format!("{wa:.3}"))),
    ("erases", |r| r.device.block_erases.to_string()),
    ("merges s/p/f", |r| {
        let merges = r.device.merges;
        let (switch, partial, full) = (merges.switch_merges, merges.partial_merges, merges.full_merges);
        if switch + partial + full == 0 { String::new() } else { format!("{switch}/{partial}/{full}") }
    }),
    ("hits", |r| if r.device.buffer_bytes == 0 { String::new() } else { r.device.buffer_hits.to_string() }),
];

fn time(us: f64) -> String {
    span(us * 1e3)
}

/// All rows, aligned; a column that is empty everywhere is left out.
pub fn table(reports: &[SimReport]) -> String {
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (title, cell) in COLUMNS {
        let cells: Vec<String> = reports.iter().map(cell).collect();
        if cells.iter().any(|text| !text.is_empty()) {
            columns.push(std::iter::once((*title).to_string()).chain(cells).collect());
        }
    }
    let widths: Vec<usize> = columns
        .iter()
        .map(|cells| cells.iter().map(|text| text.chars().count()).max().unwrap_or(0))
        .collect();
    let row = |i: usize| {
        let cells = columns.iter().zip(&widths).map(|(cells, width)| format!("{:<width$}", cells[i]));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_string()
    };
    (0..=reports.len()).map(row).collect::<Vec<_>>().join("\n")
}
