//! The columns of a file of IOs, by their names, and IOs made of them.

use flashscope_core::Op;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

use super::Io;

type Read<T> = Result<T, ParquetError>;

/// Where in the schema each column is.
pub(super) struct Places {
    submit_ns: usize,
    response_ns: usize,
    op: usize,
    offset_bytes: usize,
    length_bytes: usize,
    stream: usize,
    due_ns: Option<usize>,
}

impl Places {
    /// Looks for the columns; only `due_ns` may be missing.
    pub(super) fn find(schema: &SchemaDescriptor) -> Read<Places> {
        let needed =
            |name, kind| find(schema, name, kind)?.ok_or_else(|| wrong(format!("it has no column {name}")));
        Ok(Places {
            submit_ns: needed("submit_ns", Type::INT64)?,
            response_ns: needed("response_ns", Type::INT64)?,
            op: needed("op", Type::BYTE_ARRAY)?,
            offset_bytes: needed("offset_bytes", Type::INT64)?,
            length_bytes: needed("length_bytes", Type::INT64)?,
            stream: needed("stream", Type::INT32)?,
            due_ns: find(schema, "due_ns", Type::INT64)?,
        })
    }

    /// The response times of a row group alone.
    pub(super) fn response_ns(&self, group: &dyn RowGroupReader) -> Read<Column<Int64Type>> {
        Column::open(group, self.response_ns)
    }
}

fn find(schema: &SchemaDescriptor, name: &str, kind: Type) -> Read<Option<usize>> {
    let place = schema.columns().iter().position(|column| column.name() == name);
    let fits =
        |place| schema.column(place).physical_type() == kind && schema.column(place).max_def_level() == 0;
    match place {
        Some(place) if !fits(place) => Err(wrong(format!("its column {name} has another type"))),
        _ => Ok(place),
    }
}

pub(super) fn wrong(text: impl Into<String>) -> ParquetError {
    ParquetError::General(text.into())
}

/// One column of a row group.
pub(super) struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    pub(super) values: Vec<T::T>,
}

impl<T: DataType> Column<T> {
    fn open(group: &dyn RowGroupReader, place: usize) -> Read<Column<T>> {
        let reader = get_typed_column_reader(group.get_column_reader(place)?);
        Ok(Column { reader, values: Vec::new() })
    }

    /// Replaces the values by up to so many new ones.
    pub(super) fn next(&mut self, rows: usize) -> Read<usize> {
        self.values.clear();
        while self.values.len() < rows {
            let wanted = rows - self.values.len();
            if self.reader.read_records(wanted, None, None, &mut self.values)?.0 == 0 {
                break;
            }
        }
        Ok(self.values.len())
    }
}

/// The columns of a row group, being read side by side.
pub(super) struct Rows {
    submit_ns: Column<Int64Type>,
    response_ns: Column<Int64Type>,
    op: Column<ByteArrayType>,
    offset_bytes: Column<Int64Type>,
    length_bytes: Column<Int64Type>,
    stream: Column<Int32Type>,
    due_ns: Option<Column<Int64Type>>,
}

impl Rows {
    pub(super) fn open(group: &dyn RowGroupReader, places: &Places) -> Read<Rows> {
        Ok(Rows {
            submit_ns: Column::open(group, places.submit_ns)?,
            response_ns: Column::open(group, places.response_ns)?,
            op: Column::open(group, places.op)?,
            offset_bytes: Column::open(group, places.offset_bytes)?,
            length_bytes: Column::open(group, places.length_bytes)?,
            stream: Column::open(group, places.stream)?,
            due_ns: places.due_ns.map(|place| Column::open(group, place)).transpose()?,
        })
    }

    /// Adds up to so many IOs; none at the end.
    pub(super) fn append(&mut self, rows: usize, ios: &mut Vec<Io>) -> Read<()> {
        let read = self.submit_ns.next(rows)?;
        let others = [
            self.response_ns.next(rows)?,
            self.op.next(rows)?,
            self.offset_bytes.next(rows)?,
            self.length_bytes.next(rows)?,
            self.stream.next(rows)?,
            self.due_ns.as_mut().map_or(Ok(read), |due_ns| due_ns.next(rows))?,
        ];
        if others.iter().any(|count| *count != read) {
            return Err(wrong("its columns differ in length"));
        }
        ios.reserve(read);
        for row in 0..read {
            ios.push(self.io(row)?);
        }
        Ok(())
    }

    fn io(&self, row: usize) -> Read<Io> {
        Ok(Io {
            submit_ns: positive(self.submit_ns.values[row])?,
            response_ns: positive(self.response_ns.values[row])?,
            offset_bytes: positive(self.offset_bytes.values[row])?,
            due_ns: self.due_ns.as_ref().map(|due_ns| positive(due_ns.values[row])).transpose()?,
            length_bytes: positive(self.length_bytes.values[row])?,
            stream: positive(self.stream.values[row])?,
            op: op_of(&self.op.values[row])?,
        })
    }
}

fn positive<T: TryFrom<N>, N: Copy + std::fmt::Display>(value: N) -> Read<T> {
    T::try_from(value).map_err(|_| wrong(format!("it holds {value}, which no IO can have")))
}

fn op_of(name: &ByteArray) -> Read<Op> {
    let is_it = |op: &Op| op.name().as_bytes() == name.data();
    Op::ALL.into_iter().find(is_it).ok_or_else(|| wrong("it holds an operation that is not known"))
}
