//! Many IOs in one column: their extremes exactly, all others counted by response time.

use std::collections::BTreeMap;

use super::blob::Blob;
use super::exact::common;
use flashscope_store::ios::Io;

/// Rows of a column for each doubling of the response time.
const ROWS_PER_DOUBLING: f64 = 16.0;

/// Consecutive IOs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Column {
    ios: u64,
    submit_ns: u64,
    sum_ns: u128,
    min_ns: u64,
    /// Which IO of the column.
    min_at: u64,
    max_at: u64,
    /// The slowest.
    max: Io,
    /// IOs of each used row.
    rows: BTreeMap<u16, u64>,
}

/// The row of a response time.
fn row(response_ns: u64) -> u16 {
    ((response_ns.max(1) as f64).log2() * ROWS_PER_DOUBLING) as u16
}

impl Column {
    /// Adds what comes after it.
    fn join(&mut self, next: Column) {
        if self.ios == 0 {
            *self = next;
            return;
        }
        if next.min_ns < self.min_ns {
            (self.min_ns, self.min_at) = (next.min_ns, self.ios + next.min_at);
        }
        if next.max.response_ns > self.max.response_ns {
            (self.max, self.max_at) = (next.max, self.ios + next.max_at);
        }
        self.ios += next.ios;
        self.sum_ns += next.sum_ns;
        for (row, count) in next.rows {
            *self.rows.entry(row).or_default() += count;
        }
    }
}

/// Columns of equally many IOs, the last one of what is left.
pub(super) struct Columns {
    pub(super) column_ios: u64,
    columns: Vec<Column>,
    /// Rows of the column at hand, which is the last.
    rows: Vec<u64>,
    head_ns: Vec<u64>,
    unit_bytes: u64,
}

impl Columns {
    pub(super) fn new(column_ios: u64, head_ios: usize) -> Columns {
        let rows = vec![0; usize::from(row(u64::MAX)) + 1];
        Columns {
            column_ios,
            columns: Vec::new(),
            rows,
            head_ns: Vec::with_capacity(head_ios),
            unit_bytes: 0,
        }
    }

    /// Adds IOs, in the order of submission.
    pub(super) fn extend(&mut self, ios: &[Io]) {
        for io in ios {
            if self.head_ns.len() < self.head_ns.capacity() {
                self.head_ns.push(io.response_ns);
            }
            self.unit_bytes = common(common(self.unit_bytes, io.offset_bytes), u64::from(io.length_bytes));
            if self.columns.last().is_none_or(|column| column.ios == self.column_ios) {
                self.close();
                self.columns.push(Column { submit_ns: io.submit_ns, min_ns: u64::MAX, ..Column::default() });
            }
            let column = self.columns.last_mut().expect("one was just begun");
            self.rows[usize::from(row(io.response_ns))] += 1;
            if io.response_ns < column.min_ns {
                (column.min_ns, column.min_at) = (io.response_ns, column.ios);
            }
            if column.ios == 0 || io.response_ns > column.max.response_ns {
                (column.max, column.max_at) = (*io, column.ios);
            }
            column.sum_ns += u128::from(io.response_ns);
            column.ios += 1;
        }
    }

    /// Moves the counts of the last column into it.
    pub(super) fn close(&mut self) {
        let Some(column) = self.columns.last_mut() else { return };
        for (row, count) in (0..).zip(&mut self.rows).filter(|(_, count)| **count > 0) {
            column.rows.insert(row, std::mem::take(count));
        }
    }

    /// The same in columns `times` as wide.
    pub(super) fn coarser(&self, times: u64) -> Columns {
        let join = |part: &[Column]| {
            part.iter().cloned().fold(Column::default(), |mut all, next| {
                all.join(next);
                all
            })
        };
        Columns {
            column_ios: self.column_ios * times,
            columns: self.columns.chunks(times as usize).map(join).collect(),
            rows: Vec::new(),
            head_ns: self.head_ns.clone(),
            unit_bytes: self.unit_bytes,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn unit_bytes(&self) -> u64 {
        self.unit_bytes.max(1)
    }

    /// The arrays of `super::ArraySpec`'s second kind, with the first `head_ios` IOs one by one.
    pub(super) fn blob(&self, head_ios: usize) -> Blob {
        let mut blob = Blob::default();
        let unit_bytes = self.unit_bytes();
        let mut put = |name, value: &dyn Fn(&Column) -> u64| {
            blob.put(name, &self.columns.iter().map(value).collect::<Vec<u64>>());
        };
        put("submit_ns", &|column| column.submit_ns);
        put("mean_ns", &|column| {
            ((column.sum_ns + u128::from(column.ios) / 2) / u128::from(column.ios)) as u64
        });
        put("min_ns", &|column| column.min_ns);
        put("min_at", &|column| column.min_at);
        put("max_ns", &|column| column.max.response_ns);
        put("max_at", &|column| column.max_at);
        put("max_submit_ns", &|column| column.max.submit_ns);
        put("max_offset", &|column| column.max.offset_bytes / unit_bytes);
        put("max_length", &|column| u64::from(column.max.length_bytes) / unit_bytes);
        put("max_op", &|column| column.max.op as u64);
        put("cells", &|column| column.rows.len() as u64);
        let cells = || self.columns.iter().flat_map(|column| &column.rows);
        blob.put("row", &cells().map(|(row, _)| u64::from(*row)).collect::<Vec<u64>>());
        blob.put("count", &cells().map(|(_, count)| *count).collect::<Vec<u64>>());
        blob.put("head_response_ns", &self.head_ns[..head_ios.min(self.head_ns.len())]);
        blob
    }
}
