//! The columns of a file of IOs, by their names, and IOs made of them.

use flashscope_core::Op;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

use super::Io;

type Read<T> = Result<T, ParquetError>;

/// All columns that a file of IOs may have; only the last may be missing.
const COLUMNS: [(&str, Type); 7] = [
    ("submit_ns", Type::INT64),
    ("response_ns", Type::INT64),
    ("op", Type::BYTE_ARRAY),
    ("offset_bytes", Type::INT64),
    ("length_bytes", Type::INT64),
    ("stream", Type::INT32),
    ("due_ns", Type::INT64),
];

/// Refuses a file with columns that no file of IOs has.
pub(crate) fn refuse_others(schema: &SchemaDescriptor) -> Read<()> {
    let is_known = |name: &str| COLUMNS.iter().any(|(known, _)| *known == name);
    match schema.columns().iter().find(|column| !is_known(column.name())) {
        Some(other) => Err(wrong(format!("unknown column {}", other.name()))),
        None => Ok(()),
    }
}

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
        let [submit_ns, response_ns, op, offset_bytes, length_bytes, stream, due_ns] = COLUMNS;
        let needed = |column: (&str, Type)| {
            find(schema, column)?.ok_or_else(|| wrong(format!("missing column {}", column.0)))
        };
        Ok(Places {
            submit_ns: needed(submit_ns)?,
            response_ns: needed(response_ns)?,
            op: needed(op)?,
            offset_bytes: needed(offset_bytes)?,
            length_bytes: needed(length_bytes)?,
            stream: needed(stream)?,
            due_ns: find(schema, due_ns)?,
        })
    }

    /// The response times of a row group alone.
    pub(super) fn response_ns(&self, group: &dyn RowGroupReader) -> Read<Column<Int64Type>> {
        Column::open(group, self.response_ns)
    }
}

fn find(schema: &SchemaDescriptor, (name, kind): (&str, Type)) -> Read<Option<usize>> {
    let place = schema.columns().iter().position(|column| column.name() == name);
    let fits =
        |place| schema.column(place).physical_type() == kind && schema.column(place).max_def_level() == 0;
    match place {
        Some(place) if !fits(place) => Err(wrong(format!("its column {name} has another type"))),
        _ => Ok(place),
    }
}

pub(crate) fn wrong(text: impl Into<String>) -> ParquetError {
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

/// What is read of each IO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// All columns.
    All,
    /// When and what; the place (offset, length and stream) stays zero.
    Times,
}

/// The columns of a row group, being read side by side.
pub(super) struct Rows {
    submit_ns: Column<Int64Type>,
    response_ns: Column<Int64Type>,
    op: Ops,
    due_ns: Option<Column<Int64Type>>,
    place: Option<Place>,
}

/// The column of operations. Names cost a reference each, and most runs have one kind of IO.
enum Ops {
    /// All are this one, as the file's own range of the column says; so many are left.
    One(Op, usize),
    /// They have to be looked at.
    Each(Box<Column<ByteArrayType>>),
}

impl Ops {
    fn open(group: &dyn RowGroupReader, place: usize) -> Read<Ops> {
        let chunk = group.metadata().column(place);
        let range =
            chunk.statistics().and_then(|range| Some((range.min_bytes_opt()?, range.max_bytes_opt()?)));
        match (range, usize::try_from(chunk.num_values())) {
            (Some((least, greatest)), Ok(rows)) if least == greatest => Ok(Ops::One(op_of(least)?, rows)),
            _ => Ok(Ops::Each(Box::new(Column::open(group, place)?))),
        }
    }

    fn next(&mut self, rows: usize) -> Read<usize> {
        match self {
            Ops::Each(column) => column.next(rows),
            Ops::One(_, left) => {
                let read = rows.min(*left);
                *left -= read;
                Ok(read)
            }
        }
    }

    /// Of those that were read last.
    fn at(&self, row: usize) -> Read<Op> {
        match self {
            Ops::One(op, _) => Ok(*op),
            Ops::Each(column) => op_of(column.values[row].data()),
        }
    }
}

/// The columns that say where an IO went.
struct Place {
    offset_bytes: Column<Int64Type>,
    length_bytes: Column<Int64Type>,
    stream: Column<Int32Type>,
}

impl Rows {
    pub(super) fn open(group: &dyn RowGroupReader, places: &Places, parts: Parts) -> Read<Rows> {
        Ok(Rows {
            submit_ns: Column::open(group, places.submit_ns)?,
            response_ns: Column::open(group, places.response_ns)?,
            op: Ops::open(group, places.op)?,
            due_ns: places.due_ns.map(|place| Column::open(group, place)).transpose()?,
            place: (parts == Parts::All).then(|| Place::open(group, places)).transpose()?,
        })
    }

    /// Adds up to so many IOs; none at the end.
    pub(super) fn append(&mut self, rows: usize, ios: &mut Vec<Io>) -> Read<()> {
        let read = self.submit_ns.next(rows)?;
        let others = [
            self.response_ns.next(rows)?,
            self.op.next(rows)?,
            self.due_ns.as_mut().map_or(Ok(read), |due_ns| due_ns.next(rows))?,
        ];
        let place = self.place.as_mut().map_or(Ok([read; 3]), |place| place.next(rows))?;
        if others.iter().chain(&place).any(|count| *count != read) {
            return Err(wrong("its columns differ in length"));
        }
        ios.reserve(read);
        for row in 0..read {
            ios.push(self.io(row)?);
        }
        Ok(())
    }

    fn io(&self, row: usize) -> Read<Io> {
        let io = Io {
            submit_ns: positive(self.submit_ns.values[row])?,
            response_ns: positive(self.response_ns.values[row])?,
            due_ns: self.due_ns.as_ref().map(|due_ns| positive(due_ns.values[row])).transpose()?,
            op: self.op.at(row)?,
            ..Io::default()
        };
        let Some(place) = &self.place else { return Ok(io) };
        Ok(Io {
            offset_bytes: positive(place.offset_bytes.values[row])?,
            length_bytes: positive(place.length_bytes.values[row])?,
            stream: positive(place.stream.values[row])?,
            ..io
        })
    }
}

impl Place {
    fn open(group: &dyn RowGroupReader, places: &Places) -> Read<Place> {
        Ok(Place {
            offset_bytes: Column::open(group, places.offset_bytes)?,
            length_bytes: Column::open(group, places.length_bytes)?,
            stream: Column::open(group, places.stream)?,
        })
    }

    fn next(&mut self, rows: usize) -> Read<[usize; 3]> {
        Ok([self.offset_bytes.next(rows)?, self.length_bytes.next(rows)?, self.stream.next(rows)?])
    }
}

fn positive<T: TryFrom<N>, N: Copy + std::fmt::Display>(value: N) -> Read<T> {
    T::try_from(value).map_err(|_| wrong(format!("invalid value {value}")))
}

fn op_of(name: &[u8]) -> Read<Op> {
    let is_it = |op: &Op| op.name().as_bytes() == name;
    Op::ALL.into_iter().find(is_it).ok_or_else(|| wrong("unknown operation"))
}
