//! Every IO of a file, one after the other, in constant memory. docs/data.md promises the columns.

use std::fs::File;
use std::path::Path;

use flashscope_core::Op;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use crate::error::ReportError;

/// Rows that are decoded at a time.
const BATCH: usize = 1 << 14;

/// One IO as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Io {
    /// Since the start of the experiment.
    pub(crate) submit_ns: u64,
    pub(crate) response_ns: u64,
    pub(crate) op: Op,
    pub(crate) offset_bytes: u64,
    pub(crate) length_bytes: u64,
    pub(crate) stream: u64,
    /// When it was to be submitted, in a replay.
    pub(crate) due_ns: Option<u64>,
}

impl Io {
    /// When it was done, since the start of the experiment.
    pub(crate) fn completed_ns(&self) -> u64 {
        self.submit_ns.saturating_add(self.response_ns)
    }
}

/// Calls `take` for every IO of a file, in the order of completion.
///
/// # Errors
/// The file cannot be read or is no complete file of IOs; what `take` says.
pub(crate) fn each_io(
    path: &Path,
    mut take: impl FnMut(&Io) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let damaged = |cause: ParquetError| ReportError::Content {
        path: path.to_path_buf(),
        line: None,
        cause: cause.to_string(),
        remedy: "it is not a complete file of IOs; measure that experiment again",
    };
    let file = File::open(path).map_err(|cause| ReportError::file("read", path, cause))?;
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    for number in 0..reader.num_row_groups() {
        let mut rows = reader.get_row_group(number).and_then(|group| Rows::open(&*group)).map_err(damaged)?;
        while rows.fill().map_err(damaged)? {
            rows.each(&mut take)?;
        }
    }
    Ok(())
}

/// One column of a row group.
struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Column<T> {
    fn open(group: &dyn RowGroupReader, name: &str) -> Result<Column<T>, ParquetError> {
        let missing = || ParquetError::General(format!("it has no column {name}"));
        Column::find(group, name)?.ok_or_else(missing)
    }

    /// None where there is no such column.
    fn find(group: &dyn RowGroupReader, name: &str) -> Result<Option<Column<T>>, ParquetError> {
        let meta = group.metadata();
        let named = |at: &usize| meta.column(*at).column_descr().name() == name;
        let Some(at) = (0..meta.num_columns()).find(named) else { return Ok(None) };
        if meta.column(at).column_type() != T::get_physical_type() {
            return Err(ParquetError::General(format!("its column {name} has another type")));
        }
        let reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
        Ok(Some(Column { reader, values: Vec::with_capacity(BATCH) }))
    }

    fn fill(&mut self) -> Result<usize, ParquetError> {
        self.values.clear();
        Ok(self.reader.read_records(BATCH, None, None, &mut self.values)?.0)
    }
}

/// The columns of a row group, a batch at a time.
struct Rows {
    submit_ns: Column<Int64Type>,
    response_ns: Column<Int64Type>,
    op: Column<ByteArrayType>,
    offset_bytes: Column<Int64Type>,
    length_bytes: Column<Int64Type>,
    stream: Column<Int32Type>,
    due_ns: Option<Column<Int64Type>>,
}

impl Rows {
    fn open(group: &dyn RowGroupReader) -> Result<Rows, ParquetError> {
        Ok(Rows {
            submit_ns: Column::open(group, "submit_ns")?,
            response_ns: Column::open(group, "response_ns")?,
            op: Column::open(group, "op")?,
            offset_bytes: Column::open(group, "offset_bytes")?,
            length_bytes: Column::open(group, "length_bytes")?,
            stream: Column::open(group, "stream")?,
            due_ns: Column::find(group, "due_ns")?,
        })
    }

    /// Reads the next batch; false at the end.
    fn fill(&mut self) -> Result<bool, ParquetError> {
        let rows = self.submit_ns.fill()?;
        let others = [
            self.response_ns.fill()?,
            self.op.fill()?,
            self.offset_bytes.fill()?,
            self.length_bytes.fill()?,
            self.stream.fill()?,
            self.due_ns.as_mut().map_or(Ok(rows), Column::fill)?,
        ];
        let known = |name: &[u8]| Op::ALL.iter().any(|op| op.name().as_bytes() == name);
        if others.iter().any(|count| *count != rows) {
            return Err(ParquetError::General("its columns are not equally long".into()));
        }
        match self.op.values.iter().find(|name| !known(name.data())) {
            Some(name) => Err(ParquetError::General(format!("it has an unknown operation, {name:?}"))),
            None => Ok(rows > 0),
        }
    }

    fn each(&self, take: &mut impl FnMut(&Io) -> Result<(), ReportError>) -> Result<(), ReportError> {
        for row in 0..self.submit_ns.values.len() {
            let name = self.op.values[row].data();
            take(&Io {
                submit_ns: self.submit_ns.values[row].max(0) as u64,
                response_ns: self.response_ns.values[row].max(0) as u64,
                op: Op::ALL.into_iter().find(|op| op.name().as_bytes() == name).unwrap_or_default(),
                offset_bytes: self.offset_bytes.values[row].max(0) as u64,
                length_bytes: self.length_bytes.values[row].max(0) as u64,
                stream: self.stream.values[row].max(0) as u64,
                due_ns: self.due_ns.as_ref().map(|due| due.values[row].max(0) as u64),
            })?;
        }
        Ok(())
    }
}
