//! The lossless form: a Parquet table that DuckDB and polars open, one row for each request.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `time_ns` | u64 | when it was issued, since the trace's own epoch |
//! | `device` | string | the device's name |
//! | `op` | string | `read`, `write`, `flush` or `trim` |
//! | `offset_bytes` | u64 | first byte; 0 for a flush |
//! | `length_bytes` | u64 | length; 0 for a flush |
//! | `latency_ns` | u64 or null | latency, if recorded |
//! | `fua` | boolean | force unit access |
//! | `sync` | boolean | somebody waited for it |
//! | `pid` | u32 or null | process number |
//! | `process` | string or null | name of the process |
//!
//! Written in row groups of 131,072 requests, compressed with zstd; memory holds one such group. A name of a
//! process that is not UTF-8 is written with `?` marks and counted.
//!
//! Read, columns are found by their names, in any order and of any width of whole numbers, signed or not, so
//! that what DuckDB writes is a trace too; only time, op, offset and length must be there. The table's end is
//! read first: it needs a file, not a pipe, and no compression around it.

mod columns;
mod read;
mod write;

use super::Format;
use crate::decoder::{Decoder, Sink};
use crate::error::TraceError;
use crate::reading::{Claim, SpaceUnit, TimeUnit};

pub(crate) use read::ParquetTrace;

/// The registry's line.
pub(crate) const FORMAT: Format = Format::new(
    NAME,
    "Parquet table, one row a request: lossless, for DuckDB and polars",
    |head| if head.starts_with(MAGIC) { 100 } else { 0 },
    || Box::new(Streamed),
)
.reads(CLAIM)
.written_by(|| Box::new(write::Encoded::new()))
.with_extensions(&["parquet"]);

/// What it says of its files.
pub(super) const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Byte, SpaceUnit::Byte)
    .with_latency(TimeUnit::Nanosecond)
    .with_device("column");

pub(crate) const NAME: &str = "parquet";
/// How every Parquet file begins, and ends.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// The schema as it is written.
const SCHEMA: &str = "message trace {
    required int64 time_ns (INTEGER(64,false));
    required binary device (STRING);
    required binary op (STRING);
    required int64 offset_bytes (INTEGER(64,false));
    required int64 length_bytes (INTEGER(64,false));
    optional int64 latency_ns (INTEGER(64,false));
    required boolean fua;
    required boolean sync;
    optional int32 pid (INTEGER(32,false));
    optional binary process (STRING);
}";

/// What comes as a stream cannot be read from its end.
struct Streamed;

impl Decoder for Streamed {
    fn decode(&mut self, _: &[u8], _: bool, _: &mut Sink<'_>) -> Result<usize, TraceError> {
        Err(TraceError::NotSeekable { format: NAME })
    }
}
