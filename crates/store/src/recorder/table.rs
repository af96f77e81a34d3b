//! The Parquet file of an experiment: its schema, its row groups, its footer. docs/results.md documents it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use flashscope_core::Op;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;

use super::{Origin, Written, encode};
use crate::error::StoreError;

/// Rows of a row group, at least; about 10 MiB on disk.
const GROUP_ROWS: u64 = 1 << 20;

const COLUMNS: &str = "
    required int64 submit_ns;
    required int64 response_ns;
    required binary op (STRING);
    required int64 offset_bytes;
    required int64 length_bytes;
    required int32 stream;";
const DUE_COLUMN: &str = "
    required int64 due_ns;";

/// One chunk of rows, column by column.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) submit_ns: Vec<i64>,
    pub(super) response_ns: Vec<i64>,
    pub(super) op: Vec<u8>,
    pub(super) offset_bytes: Vec<i64>,
    pub(super) length_bytes: Vec<i64>,
    pub(super) stream: Vec<i64>,
    /// In a replay only.
    pub(super) due_ns: Vec<i64>,
}

impl Columns {
    /// Makes room for so many rows.
    pub(super) fn resize(&mut self, rows: usize) {
        self.op.resize(rows, 0);
        let Columns { submit_ns, response_ns, op: _, offset_bytes, length_bytes, stream, due_ns } = self;
        for numbers in [submit_ns, response_ns, offset_bytes, length_bytes, stream, due_ns] {
            numbers.resize(rows, 0);
        }
    }

    /// Leaves out the rows of which `is_kept` does not hold.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let rows: Vec<usize> = (0..self.op.len()).filter(|row| is_kept(*row)).collect();
        self.op = rows.iter().map(|row| self.op[*row]).collect();
        let Columns { submit_ns, response_ns, op: _, offset_bytes, length_bytes, stream, due_ns } = self;
        for numbers in [submit_ns, response_ns, offset_bytes, length_bytes, stream, due_ns] {
            *numbers = rows.iter().map(|row| numbers[*row]).collect();
        }
    }
}

/// A file being written.
pub(super) struct Table {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
    /// The row group at hand.
    chunks: Vec<ColumnChunk>,
    group_rows: u64,
    rows: u64,
}

impl Table {
    pub(super) fn create(path: &Path, origin: &Origin) -> Result<Table, StoreError> {
        let file = File::create(path).map_err(|cause| StoreError::file("create", path, cause))?;
        let due = if origin.has_due { DUE_COLUMN } else { "" };
        let schema = parse_message_type(&format!("message ios {{{COLUMNS}{due}\n}}"));
        let schema = schema.expect("the schema is well formed");
        let properties = WriterProperties::builder()
            .set_created_by(format!("flashscope version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(about(origin)))
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties));
        let writer = writer.map_err(|cause| failed(path, cause))?;
        let chunks = writer.schema_descr().columns().iter().cloned().map(ColumnChunk::new).collect();
        Ok(Table { path: path.to_path_buf(), writer, chunks, group_rows: 0, rows: 0 })
    }

    /// Adds one page to every column.
    pub(super) fn append(&mut self, columns: &Columns) -> Result<(), StoreError> {
        let rows = columns.op.len();
        if rows == 0 {
            return Ok(());
        }
        let added = self.append_pages(columns, rows as u32);
        added.map_err(|cause| failed(&self.path, cause))?;
        self.group_rows += rows as u64;
        if self.group_rows >= GROUP_ROWS {
            self.close_group().map_err(|cause| failed(&self.path, cause))?;
        }
        Ok(())
    }

    fn append_pages(&mut self, columns: &Columns, rows: u32) -> Result<(), ParquetError> {
        let [submit, response, op, offset, length, stream, due @ ..] = &mut self.chunks[..] else {
            unreachable!("the schema has six columns, and one more in a replay")
        };
        if let [due] = due {
            due.append_numbers(&columns.due_ns, rows)?;
        }
        submit.append_numbers(&columns.submit_ns, rows)?;
        response.append_numbers(&columns.response_ns, rows)?;
        op.append_ops(&columns.op, rows)?;
        offset.append_numbers(&columns.offset_bytes, rows)?;
        length.append_numbers(&columns.length_bytes, rows)?;
        stream.append_numbers(&columns.stream, rows)
    }

    fn close_group(&mut self) -> Result<(), ParquetError> {
        if self.group_rows > 0 {
            let mut group = self.writer.next_row_group()?;
            for chunk in &mut self.chunks {
                let (bytes, result) = chunk.take(self.group_rows)?;
                group.append_column(&bytes, result)?;
            }
            group.close()?;
            self.rows += std::mem::take(&mut self.group_rows);
        }
        Ok(())
    }

    /// Writes the footer.
    pub(super) fn finish(mut self) -> Result<Written, StoreError> {
        self.close_group().map_err(|cause| failed(&self.path, cause))?;
        let Table { path, writer, rows, .. } = self;
        let file = writer.into_inner().map_err(|cause| failed(&path, cause))?;
        let length = file.metadata().map_err(|cause| StoreError::file("look at", &path, cause))?.len();
        Ok(Written { ios: rows, bytes: length })
    }
}

fn about(origin: &Origin) -> Vec<KeyValue> {
    let Origin { experiment, repeat, pattern, seed, target, has_due: _ } = origin;
    let units = "submit_ns: ns since the start of the experiment; response_ns: ns; offset_bytes and \
                 length_bytes: bytes; stream: number of the parallel stream, from 0";
    [
        ("flashscope.schema_version", "1".to_string()),
        ("flashscope.version", env!("CARGO_PKG_VERSION").to_string()),
        ("flashscope.experiment", experiment.clone()),
        ("flashscope.repeat", repeat.to_string()),
        ("flashscope.pattern", pattern.clone()),
        ("flashscope.seed", seed.to_string()),
        ("flashscope.target", target.clone()),
        ("flashscope.units", units.to_string()),
    ]
    .map(|(key, value)| KeyValue::new(key.to_string(), value))
    .to_vec()
}

/// One column of the row group at hand, already encoded.
struct ColumnChunk {
    column: ColumnDescPtr,
    pages: TrackedWrite<Vec<u8>>,
    /// Where the first data page begins: after the dictionary, if there is one.
    data_at: usize,
    /// Codes of the operations in it, a bit each; of other columns none.
    ops: u8,
}

impl ColumnChunk {
    fn new(column: ColumnDescPtr) -> ColumnChunk {
        ColumnChunk::with_room(column, 0)
    }

    fn with_room(column: ColumnDescPtr, bytes: usize) -> ColumnChunk {
        let pages = TrackedWrite::new(Vec::with_capacity(bytes));
        ColumnChunk { column, pages, data_at: 0, ops: 0 }
    }

    fn append_numbers(&mut self, values: &[i64], rows: u32) -> Result<(), ParquetError> {
        let mut page = Vec::with_capacity(values.len() * 5);
        encode::delta(values, &mut page);
        self.append(data_page(page, rows, Encoding::DELTA_BINARY_PACKED))
    }

    fn append_ops(&mut self, codes: &[u8], rows: u32) -> Result<(), ParquetError> {
        if self.pages.bytes_written() == 0 {
            self.append(op_names())?;
            self.data_at = self.pages.bytes_written();
        }
        self.ops |= codes.iter().fold(0, |ops, code| ops | 1 << code);
        let mut page = Vec::with_capacity(codes.len() / 4 + 16);
        encode::codes(codes, &mut page);
        self.append(data_page(page, rows, Encoding::RLE_DICTIONARY))
    }

    fn append(&mut self, page: Page) -> Result<(), ParquetError> {
        let size = page.buffer().len();
        SerializedPageWriter::new(&mut self.pages).write_page(CompressedPage::new(page, size))?;
        Ok(())
    }

    /// The finished column; this one begins anew.
    fn take(&mut self, rows: u64) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let fresh = ColumnChunk::with_room(self.column.clone(), self.pages.bytes_written());
        let ColumnChunk { column, pages, data_at, ops } = std::mem::replace(self, fresh);
        let bytes = Bytes::from(pages.into_inner()?);
        let mut builder = ColumnChunkMetaData::builder(column.clone())
            .set_compression(Compression::UNCOMPRESSED)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(bytes.len() as i64)
            .set_num_values(rows as i64)
            .set_data_page_offset(data_at as i64);
        builder = match column.name() {
            "op" => builder
                .set_encodings(vec![Encoding::PLAIN, Encoding::RLE_DICTIONARY])
                .set_dictionary_page_offset(Some(0))
                .set_statistics(op_range(ops)),
            _ => builder.set_encodings(vec![Encoding::DELTA_BINARY_PACKED]),
        };
        let result = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: rows,
            metadata: builder.build()?,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((bytes, result))
    }
}

fn data_page(page: Vec<u8>, rows: u32, encoding: Encoding) -> Page {
    Page::DataPage {
        buf: Bytes::from(page),
        num_values: rows,
        encoding,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}

/// The dictionary of the operations: their names in the order of their codes.
fn op_names() -> Page {
    let mut names = Vec::new();
    for op in Op::ALL {
        names.extend((op.name().len() as u32).to_le_bytes());
        names.extend(op.name().as_bytes());
    }
    Page::DictionaryPage {
        buf: Bytes::from(names),
        num_values: Op::ALL.len() as u32,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    }
}

/// First and last name of these operations: where they are one, no reader has to look at the column.
fn op_range(ops: u8) -> Statistics {
    let is_there = |code: &usize| ops >> code & 1 == 1;
    let names = (0..Op::ALL.len()).filter(is_there).map(|code| Op::ALL[code].name());
    let [least, greatest] = [names.clone().min(), names.max()].map(|name| name.map(ByteArray::from));
    Statistics::byte_array(least, greatest, None, Some(0), false)
}

/// What the system said, if that is what went wrong.
fn failed(path: &Path, cause: ParquetError) -> StoreError {
    let cause = match cause {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        cause => io::Error::other(cause),
    };
    StoreError::file("write", path, cause)
}
