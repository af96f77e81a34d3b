//! Requests as row groups.

use std::io::{Error, Result as IoResult};
use std::sync::Arc;

use flashscope_core::request::{Flags, Op};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::SCHEMA;
use crate::encoder::{Encoder, Loss, Losses};
use crate::record::Record;

/// Requests of a row group: about as many as DuckDB likes.
const GROUP_ROWS: usize = 131_072;

type Result<T> = std::result::Result<T, ParquetError>;

/// The format as it is written.
pub(super) struct Encoded {
    /// None once it is finished, or broken.
    file: Option<SerializedFileWriter<Vec<u8>>>,
    rows: Vec<Record>,
    devices: Vec<ByteArray>,
    failed: Option<ParquetError>,
}

impl Encoded {
    pub(super) fn new() -> Encoded {
        let (file, failed) = match file() {
            Ok(file) => (Some(file), None),
            Err(error) => (None, Some(error)),
        };
        Encoded { file, rows: Vec::new(), devices: Vec::new(), failed }
    }
}

fn file() -> Result<SerializedFileWriter<Vec<u8>>> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("flashscope version {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    // Times grow, and few latencies are alike: a dictionary would only cost.
    for column in ["time_ns", "latency_ns", "offset_bytes"] {
        properties = properties
            .set_column_dictionary_enabled(column.into(), false)
            .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))
}

impl Encoder for Encoded {
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses) {
        let known = self.devices.len();
        self.devices.extend(devices[known..].iter().map(|name| ByteArray::from(name.as_str())));
        for records in records.chunks(GROUP_ROWS) {
            let nameless = records.iter().filter(|record| str::from_utf8(record.process.name()).is_err());
            nameless.for_each(|_| losses.count(Loss::Process));
            let room = GROUP_ROWS - self.rows.len();
            let (now, later) = records.split_at(room.min(records.len()));
            self.rows.extend_from_slice(now);
            if self.rows.len() == GROUP_ROWS {
                self.close_group(out);
                self.rows.extend_from_slice(later);
            }
        }
    }

    fn kept_back(&mut self, out: &mut Vec<u8>) -> IoResult<bool> {
        self.close_group(out);
        if let Some(error) = self.failed.take() {
            return Err(Error::other(error));
        }
        if let Some(file) = self.file.take() {
            out.append(&mut file.into_inner().map_err(Error::other)?);
        }
        Ok(false)
    }
}

impl Encoded {
    fn close_group(&mut self, out: &mut Vec<u8>) {
        let Some(file) = self.file.as_mut().filter(|_| !self.rows.is_empty()) else { return };
        match write_group(file, &self.rows, &self.devices) {
            Ok(()) => out.append(file.inner_mut()),
            Err(error) => (self.file, self.failed) = (None, Some(error)),
        }
        self.rows.clear();
    }
}

fn write_group(
    file: &mut SerializedFileWriter<Vec<u8>>,
    rows: &[Record],
    devices: &[ByteArray],
) -> Result<()> {
    let ops = Op::ALL.map(|op| ByteArray::from(op.name()));
    let mut group = file.next_row_group()?;
    column::<Int64Type>(&mut group, rows, |row| Some(row.time_ns as i64))?;
    column::<ByteArrayType>(&mut group, rows, |row| Some(devices[row.device as usize].clone()))?;
    column::<ByteArrayType>(&mut group, rows, |row| Some(ops[row.op as usize].clone()))?;
    column::<Int64Type>(&mut group, rows, |row| Some(row.offset_bytes as i64))?;
    column::<Int64Type>(&mut group, rows, |row| Some(row.length_bytes as i64))?;
    column::<Int64Type>(&mut group, rows, |row| row.latency_ns.map(|ns| ns as i64))?;
    column::<BoolType>(&mut group, rows, |row| Some(row.flags.0 & Flags::FUA.0 != 0))?;
    column::<BoolType>(&mut group, rows, |row| Some(row.flags.0 & Flags::SYNC.0 != 0))?;
    column::<Int32Type>(&mut group, rows, |row| (row.process.pid != 0).then_some(row.process.pid as i32))?;
    let mut last = (Vec::new(), ByteArray::new());
    column::<ByteArrayType>(&mut group, rows, |row| {
        let name = row.process.name();
        if name != last.0 {
            last = (name.to_vec(), ByteArray::from(&*String::from_utf8_lossy(name)));
        }
        (!name.is_empty()).then(|| last.1.clone())
    })?;
    group.close()?;
    Ok(())
}

/// Writes the next column: a value of each row, or null.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[Record],
    value: impl FnMut(&Record) -> Option<T::T>,
) -> Result<()> {
    let missing = || ParquetError::General("the schema has fewer columns".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    // A required column takes no levels.
    let column_writer = column.typed::<T>();
    let is_optional = column_writer.get_descriptor().max_def_level() > 0;
    column_writer.write_batch(&values, is_optional.then_some(&levels), None)?;
    column.close()
}
