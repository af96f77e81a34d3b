//! The IOs of a file in the order of their submission. The file has them in the order of completion.

use std::fs::File;
use std::path::Path;

use flashscope_core::Op;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::guard::guarded;
use crate::error::ReportError;

/// Rows that are read at a time. An IO that as many others overtook comes so many places late.
const BATCH: usize = 1 << 16;

/// One IO.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Io {
    pub(super) submit_ns: u64,
    pub(super) response_ns: u64,
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u32,
    pub(super) stream: u16,
    /// Its place in [`Op::ALL`].
    pub(super) op: u8,
}

/// A file of IOs.
pub(super) struct IoFile {
    reader: SerializedFileReader<File>,
    columns: [usize; 6],
}

type Read<T> = Result<T, ParquetError>;

/// In the order of [`Io`]'s making in `join`.
const NAMES: [(&str, Type); 6] = [
    ("submit_ns", Type::INT64),
    ("response_ns", Type::INT64),
    ("offset_bytes", Type::INT64),
    ("length_bytes", Type::INT64),
    ("stream", Type::INT32),
    ("op", Type::BYTE_ARRAY),
];

impl IoFile {
    /// # Errors
    /// It cannot be read, or is no whole file of IOs.
    pub(super) fn open(path: &Path) -> Result<IoFile, ReportError> {
        let file = File::open(path).map_err(|cause| ReportError::file("read", path, cause))?;
        let open = || {
            let reader = SerializedFileReader::new(file)?;
            let columns = reader.metadata().file_metadata().schema_descr().columns();
            let place = |(name, kind): (&str, Type)| {
                let is_it = |column: &_| is_column(column, name, kind);
                columns.iter().position(is_it).ok_or_else(|| wrong(format!("it has no column {name}")))
            };
            let mut places = [0; 6];
            for (at, wanted) in places.iter_mut().zip(NAMES) {
                *at = place(wanted)?;
            }
            Ok(IoFile { reader, columns: places })
        };
        guarded(open).map_err(|cause| content(path, &cause))
    }

    /// IOs in it.
    pub(super) fn ios(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Gives its first `ios_max` IOs, many at a time, in the order of submission.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn read(&self, path: &Path, ios_max: u64, take: impl FnMut(&[Io])) -> Result<(), ReportError> {
        guarded(|| self.in_order(ios_max, take)).map_err(|cause| content(path, &cause))
    }

    /// Sorts every batch together with the later half of what came before.
    fn in_order(&self, ios_max: u64, mut take: impl FnMut(&[Io])) -> Read<()> {
        let mut waiting: Vec<Io> = Vec::with_capacity(2 * BATCH);
        let mut left = usize::try_from(ios_max.min(self.ios())).unwrap_or(usize::MAX);
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group)?;
            let mut columns = Columns::open(&*group, self.columns)?;
            let mut before = waiting.len();
            while left > 0 && columns.append(left.min(BATCH), &mut waiting)? {
                left -= waiting.len() - before;
                waiting.sort_by_key(|io| io.submit_ns);
                let done = waiting.len().saturating_sub(BATCH);
                take(&waiting[..done]);
                waiting.drain(..done);
                before = waiting.len();
            }
        }
        take(&waiting);
        if left > 0 { Err(wrong("it holds fewer IOs than it says".into())) } else { Ok(()) }
    }
}

fn is_column(column: &parquet::schema::types::ColumnDescPtr, name: &str, kind: Type) -> bool {
    column.name() == name && column.physical_type() == kind && column.max_def_level() == 0
}

fn wrong(text: String) -> ParquetError {
    ParquetError::General(text)
}

fn content(path: &Path, cause: &ParquetError) -> ReportError {
    ReportError::Content {
        path: path.to_path_buf(),
        line: None,
        cause: cause.to_string(),
        remedy: "it is not a complete file of IOs; measure that experiment again",
    }
}

/// The columns of a row group, being read.
struct Columns {
    numbers: [Numbers<Int64Type>; 4],
    stream: Numbers<Int32Type>,
    op: Numbers<ByteArrayType>,
}

struct Numbers<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Numbers<T> {
    /// Replaces the values by up to so many new ones.
    fn next(&mut self, rows: usize) -> Read<usize> {
        self.values.clear();
        while self.values.len() < rows {
            let (read, _, _) =
                self.reader.read_records(rows - self.values.len(), None, None, &mut self.values)?;
            if read == 0 {
                break;
            }
        }
        Ok(self.values.len())
    }
}

impl Columns {
    fn open(group: &dyn RowGroupReader, places: [usize; 6]) -> Read<Columns> {
        let [submit, response, offset, length, stream, op] = places;
        let long = |place| match group.get_column_reader(place)? {
            ColumnReader::Int64ColumnReader(reader) => Ok(Numbers { reader, values: Vec::new() }),
            _ => Err(wrong("a column is not of the kind that it says".into())),
        };
        let numbers = [long(submit)?, long(response)?, long(offset)?, long(length)?];
        match (group.get_column_reader(stream)?, group.get_column_reader(op)?) {
            (ColumnReader::Int32ColumnReader(stream), ColumnReader::ByteArrayColumnReader(op)) => {
                Ok(Columns {
                    numbers,
                    stream: Numbers { reader: stream, values: Vec::new() },
                    op: Numbers { reader: op, values: Vec::new() },
                })
            }
            _ => Err(wrong("a column is not of the kind that it says".into())),
        }
    }

    /// Adds up to so many rows; false if there are no more.
    fn append(&mut self, rows: usize, ios: &mut Vec<Io>) -> Read<bool> {
        let read = self.stream.next(rows)?;
        let mut is_whole = self.op.next(rows)? == read;
        for column in &mut self.numbers {
            is_whole &= column.next(rows)? == read;
        }
        if !is_whole {
            return Err(wrong("its columns differ in length".into()));
        }
        let [submit, response, offset, length] = self.numbers.each_ref().map(|column| &column.values);
        ios.reserve(read);
        for row in 0..read {
            ios.push(Io {
                submit_ns: positive(submit[row])?,
                response_ns: positive(response[row])?,
                offset_bytes: positive(offset[row])?,
                length_bytes: positive(length[row])?,
                stream: positive(self.stream.values[row])?,
                op: op_of(&self.op.values[row])?,
            });
        }
        Ok(read > 0)
    }
}

fn positive<T: TryFrom<N>, N: Copy + std::fmt::Display>(value: N) -> Read<T> {
    T::try_from(value).map_err(|_| wrong(format!("it holds {value}, which no IO can have")))
}

fn op_of(name: &ByteArray) -> Read<u8> {
    let place = Op::ALL.iter().position(|op| op.name().as_bytes() == name.data());
    place.map(|place| place as u8).ok_or_else(|| wrong("it holds an operation that is not known".into()))
}
