//! How the times of a file of IOs are spread: by operation, and how late a replay was and when.

use std::fs::File;
use std::path::Path;

use flashscope_analysis::Histogram;
use flashscope_core::Op;
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{ByteArray, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use crate::error::ReportError;

const BATCH: usize = 1 << 14;
/// The most windows of time.
const WINDOWS_MAX: usize = 256;

/// The times of all IOs of a file.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// From submission to completion, by operation in the order of [`Op::ALL`].
    pub response_ns: [Histogram; 4],
    /// How late IOs were submitted; none if none had a time of its own.
    pub late: Option<Lateness>,
}

/// How late IOs were submitted.
#[derive(Debug, Clone, Default)]
pub struct Lateness {
    /// All of them.
    pub late_ns: Histogram,
    /// Length of a window of time.
    pub window_ns: u64,
    /// Of each window, from time 0 on: IOs submitted in it, the sum of their lateness, and the most.
    pub windows: Vec<LateWindow>,
}

/// A window of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LateWindow {
    /// IOs submitted in it.
    pub ios: u64,
    /// Sum of their lateness.
    pub sum_ns: u64,
    /// The latest of them.
    pub max_ns: u64,
}

impl Spread {
    /// From a file of IOs.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<Spread, ReportError> {
        let file = File::open(path).map_err(|cause| ReportError::file("read", path, cause))?;
        Spread::of_file(file).map_err(|cause| ReportError::Content {
            path: path.to_path_buf(),
            line: None,
            cause: cause.to_string(),
            remedy: "it is not a complete file of IOs; measure that experiment again",
        })
    }

    fn of_file(file: File) -> Result<Spread, ParquetError> {
        let reader = SerializedFileReader::new(file)?;
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let find = |name: &str| columns.iter().position(|column| column.name() == name);
        let needed =
            |name: &str| find(name).ok_or_else(|| ParquetError::General(format!("it has no column {name}")));
        let [submit, response, op] = [needed("submit_ns")?, needed("response_ns")?, needed("op")?];
        let due = find("due_ns");
        let mut spread = Spread::default();
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group)?;
            spread.add_responses(&*group, response, op)?;
            if let Some(due) = due {
                spread.late.get_or_insert_default().add_group(&*group, submit, due)?;
            }
        }
        Ok(spread)
    }

    fn add_responses(
        &mut self,
        group: &dyn RowGroupReader,
        response: usize,
        op: usize,
    ) -> Result<(), ParquetError> {
        let mut times = numbers(group, response)?;
        let ColumnReader::ByteArrayColumnReader(mut ops) = group.get_column_reader(op)? else {
            return Err(ParquetError::General("its operations are no words".into()));
        };
        let (mut values, mut names) = (Vec::new(), Vec::<ByteArray>::new());
        loop {
            values.clear();
            names.clear();
            let (rows, _, _) = times.read_records(BATCH, None, None, &mut values)?;
            if rows == 0 {
                return Ok(());
            }
            while names.len() < rows && ops.read_records(rows - names.len(), None, None, &mut names)?.0 > 0 {}
            for (time, name) in values.iter().zip(&names) {
                let op = Op::ALL.iter().position(|op| op.name().as_bytes() == name.data());
                let op = op
                    .ok_or_else(|| ParquetError::General("it holds an operation that is not known".into()))?;
                self.response_ns[op].record(u64::try_from(*time).unwrap_or(0));
            }
        }
    }
}

type Numbers = parquet::column::reader::ColumnReaderImpl<Int64Type>;

fn numbers(group: &dyn RowGroupReader, column: usize) -> Result<Numbers, ParquetError> {
    match group.get_column_reader(column)? {
        reader @ ColumnReader::Int64ColumnReader(_) => Ok(get_typed_column_reader::<Int64Type>(reader)),
        _ => Err(ParquetError::General("its times are no numbers".into())),
    }
}

impl Lateness {
    fn add_group(
        &mut self,
        group: &dyn RowGroupReader,
        submit: usize,
        due: usize,
    ) -> Result<(), ParquetError> {
        let [mut submits, mut dues] = [numbers(group, submit)?, numbers(group, due)?];
        let (mut at, mut wanted) = (Vec::new(), Vec::new());
        loop {
            at.clear();
            wanted.clear();
            let (rows, _, _) = submits.read_records(BATCH, None, None, &mut at)?;
            if rows == 0 {
                return Ok(());
            }
            while wanted.len() < rows
                && dues.read_records(rows - wanted.len(), None, None, &mut wanted)?.0 > 0
            {}
            for (submit, due) in at.iter().zip(&wanted) {
                self.add(u64::try_from(*submit).unwrap_or(0), u64::try_from(submit - due).unwrap_or(0));
            }
        }
    }

    fn add(&mut self, submit_ns: u64, late_ns: u64) {
        self.late_ns.record(late_ns);
        self.window_ns = self.window_ns.max(1024);
        while submit_ns / self.window_ns >= WINDOWS_MAX as u64 {
            self.coarsen();
        }
        let place = (submit_ns / self.window_ns) as usize;
        if place >= self.windows.len() {
            self.windows.resize(place + 1, LateWindow::default());
        }
        self.windows[place].add(LateWindow { ios: 1, sum_ns: late_ns, max_ns: late_ns });
    }

    /// Two windows become one.
    fn coarsen(&mut self) {
        self.window_ns *= 2;
        let pairs = self.windows.chunks(2).map(|pair| {
            let mut one = LateWindow::default();
            pair.iter().for_each(|window| one.add(*window));
            one
        });
        self.windows = pairs.collect();
    }
}

impl LateWindow {
    fn add(&mut self, other: LateWindow) {
        self.ios += other.ios;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn windows_hold_every_io_once_however_long_it_takes() {
        let mut random = Random::new(5);
        for span_ns in [10_000, 1 << 30, 1 << 50] {
            let mut late = Lateness::default();
            let ios: Vec<(u64, u64)> =
                (0..5000).map(|_| (random.below(span_ns), random.below(1000))).collect();
            ios.iter().for_each(|(at, by)| late.add(*at, *by));
            assert!(late.windows.len() <= WINDOWS_MAX);
            for (number, window) in late.windows.iter().enumerate() {
                let own = || ios.iter().filter(|(at, _)| at / late.window_ns == number as u64).map(|io| io.1);
                let expected = LateWindow {
                    ios: own().count() as u64,
                    sum_ns: own().sum(),
                    max_ns: own().max().unwrap_or(0),
                };
                assert_eq!(*window, expected, "window {number} of {span_ns} ns, seed 5");
            }
        }
    }
}
