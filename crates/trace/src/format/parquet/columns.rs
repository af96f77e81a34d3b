//! The columns of a row group, some rows at a time.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::text::Problem;

type Result<T> = std::result::Result<T, ParquetError>;

fn unfit(name: &str, what: &str) -> ParquetError {
    ParquetError::General(format!("its column {name} {what}"))
}

/// A column that the table has, by its name.
#[derive(Clone)]
pub(super) struct Place {
    index: usize,
    descriptor: Arc<ColumnDescriptor>,
}

/// Index of the column with this name, if any.
pub(super) fn find(schema: &SchemaDescriptor, name: &str) -> Option<Place> {
    let index = schema.columns().iter().position(|column| column.path().string() == name)?;
    Some(Place { index, descriptor: schema.column(index) })
}

impl Place {
    fn open(&self, group: &dyn RowGroupReader) -> Result<ColumnReader> {
        match self.descriptor.max_rep_level() {
            0 => group.get_column_reader(self.index),
            _ => Err(unfit(self.descriptor.name(), "is a list")),
        }
    }

    fn unfit<T>(&self, wanted: &str) -> Result<T> {
        Err(unfit(self.descriptor.name(), &format!("is not of {wanted}")))
    }

    /// As whole numbers.
    pub(super) fn numbers(&self, group: &dyn RowGroupReader) -> Result<Numbers> {
        let is_unsigned = match (self.descriptor.logical_type_ref(), self.descriptor.converted_type()) {
            (Some(LogicalType::Integer(kind)), _) => !kind.is_signed,
            (None, kind) => {
                use ConvertedType::{UINT_8, UINT_16, UINT_32, UINT_64};
                matches!(kind, UINT_8 | UINT_16 | UINT_32 | UINT_64)
            }
            _ => return self.unfit("whole numbers"),
        };
        match self.open(group)? {
            ColumnReader::Int64ColumnReader(reader) => Ok(Numbers::Wide(self.values(reader), is_unsigned)),
            ColumnReader::Int32ColumnReader(reader) => Ok(Numbers::Narrow(self.values(reader), is_unsigned)),
            _ => self.unfit("whole numbers"),
        }
    }

    /// As texts.
    pub(super) fn texts(&self, group: &dyn RowGroupReader) -> Result<Values<ByteArrayType>> {
        match self.open(group)? {
            ColumnReader::ByteArrayColumnReader(reader) => Ok(self.values(reader)),
            _ => self.unfit("text"),
        }
    }

    /// As truths.
    pub(super) fn truths(&self, group: &dyn RowGroupReader) -> Result<Values<BoolType>> {
        match self.open(group)? {
            ColumnReader::BoolColumnReader(reader) => Ok(self.values(reader)),
            _ => self.unfit(&format!("{}", Physical::BOOLEAN)),
        }
    }

    fn values<T: DataType>(&self, reader: ColumnReaderImpl<T>) -> Values<T> {
        let level = self.descriptor.max_def_level();
        Values { reader, level, values: Vec::new(), levels: Vec::new(), next: 0 }
    }
}

/// A column of some type.
pub(super) struct Values<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// That of a value; anything less is null.
    level: i16,
    values: Vec<T::T>,
    /// One of each row, unless all rows have a value.
    levels: Vec<i16>,
    next: usize,
}

impl<T: DataType> Values<T> {
    /// Reads the next rows, which must be there.
    pub(super) fn read(&mut self, rows: usize) -> Result<()> {
        self.values.clear();
        self.levels.clear();
        self.next = 0;
        let mut done = 0;
        while done < rows {
            let levels = (self.level > 0).then_some(&mut self.levels);
            let (read, ..) = self.reader.read_records(rows - done, levels, None, &mut self.values)?;
            if read == 0 {
                return Err(ParquetError::General("a column has fewer rows than its group".into()));
            }
            done += read;
        }
        let present = match self.level {
            0 => rows,
            level => self.levels.iter().filter(|found| **found == level).count(),
        };
        match self.values.len() == present && (self.level == 0 || self.levels.len() == rows) {
            true => Ok(()),
            false => Err(ParquetError::General("a column's values and nulls do not add up".into())),
        }
    }

    /// The value of this row; rows are asked for in their order, once.
    #[inline(always)]
    pub(super) fn of(&mut self, row: usize) -> Option<&T::T> {
        if self.level > 0 && self.levels[row] < self.level {
            return None;
        }
        self.next += 1;
        self.values.get(self.next - 1)
    }
}

/// A column of whole numbers, and whether it is unsigned.
pub(super) enum Numbers {
    Wide(Values<Int64Type>, bool),
    Narrow(Values<Int32Type>, bool),
}

impl Numbers {
    /// As [`Values::read`].
    pub(super) fn read(&mut self, rows: usize) -> Result<()> {
        match self {
            Numbers::Wide(values, _) => values.read(rows),
            Numbers::Narrow(values, _) => values.read(rows),
        }
    }

    /// As [`Values::of`].
    #[inline(always)]
    pub(super) fn of(&mut self, row: usize) -> std::result::Result<Option<u64>, Problem> {
        let (value, is_negative) = match self {
            Numbers::Wide(values, is_unsigned) => {
                let Some(&value) = values.of(row) else { return Ok(None) };
                (value as u64, value < 0 && !*is_unsigned)
            }
            Numbers::Narrow(values, is_unsigned) => {
                let Some(&value) = values.of(row) else { return Ok(None) };
                (u64::from(value as u32), value < 0 && !*is_unsigned)
            }
        };
        if is_negative { Err("a number is negative") } else { Ok(Some(value)) }
    }
}
