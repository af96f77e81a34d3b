//! Traces that can be read from any place: in a file or in memory. Some formats are read from their end.

use std::fs::File;
use std::io::Cursor;
use std::os::unix::fs::FileExt;

use bytes::Bytes;

use crate::error::TraceError;
use crate::format::Formats;
use crate::format::parquet::{MAGIC, NAME, ParquetTrace};
use crate::reader::ReadOptions;
use crate::reading::StatedUnits;
use crate::records::Records;

/// Whether a format of this name is read from its end, so that its parts are nothing.
pub(crate) fn is_read_whole(format: &str) -> bool {
    format == NAME
}

/// Whether this file is of a format that is read from its end, so that only [`open_file`] reads it.
pub fn is_read_from_its_end(file: &File, format: Option<&str>) -> bool {
    let mut magic = [0; MAGIC.len()];
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    let mut begins = || file.read_exact_at(&mut magic, 0).is_ok() && magic == MAGIC;
    is_file && format.map_or_else(&mut begins, |format| format == NAME)
}

impl Formats {
    /// As [`Formats::open`], from a file.
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn open_file(
        &self,
        file: File,
        format: Option<&str>,
        lenient: bool,
    ) -> Result<Box<dyn Records>, TraceError> {
        self.open_file_with(file, &ReadOptions::new(format, lenient))
    }

    /// As [`Formats::open_with`], from a file.
    ///
    /// # Errors
    /// As [`Formats::open_with`].
    pub fn open_file_with(&self, file: File, options: &ReadOptions) -> Result<Box<dyn Records>, TraceError> {
        let is_table = options.columns.is_some();
        if is_table || !is_read_from_its_end(&file, options.format.as_deref()) {
            return Ok(Box::new(self.open_with(file, options)?));
        }
        if options.units != StatedUnits::default() {
            return Err(TraceError::NoUnits { format: NAME });
        }
        match options.stage {
            None => Ok(Box::new(ParquetTrace::open(file, options.lenient)?)),
            Some(stage) => Err(TraceError::NoStages { format: NAME, stage }),
        }
    }

    /// As [`Formats::open`], from memory.
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn open_bytes(
        &self,
        bytes: impl Into<Bytes>,
        format: Option<&str>,
        lenient: bool,
    ) -> Result<Box<dyn Records>, TraceError> {
        self.open_bytes_with(bytes, &ReadOptions::new(format, lenient))
    }

    /// As [`Formats::open_with`], from memory.
    ///
    /// # Errors
    /// As [`Formats::open_with`].
    pub fn open_bytes_with(
        &self,
        bytes: impl Into<Bytes>,
        options: &ReadOptions,
    ) -> Result<Box<dyn Records>, TraceError> {
        let bytes: Bytes = bytes.into();
        let is_whole = match options.format.as_deref() {
            _ if options.columns.is_some() => false,
            Some(name) => name == NAME && !bytes.is_empty(),
            None => bytes.starts_with(MAGIC),
        };
        match (is_whole, options.stage) {
            (false, _) => Ok(Box::new(self.open_with(Cursor::new(bytes), options)?)),
            (true, _) if options.units != StatedUnits::default() => Err(TraceError::NoUnits { format: NAME }),
            (true, None) => Ok(Box::new(ParquetTrace::open(bytes, options.lenient)?)),
            (true, Some(stage)) => Err(TraceError::NoStages { format: NAME, stage }),
        }
    }
}

/// As [`Formats::open_file`], of the formats that come with the crate.
///
/// # Errors
/// As [`Formats::open`].
pub fn open_file(file: File, format: Option<&str>, lenient: bool) -> Result<Box<dyn Records>, TraceError> {
    Formats::builtin().open_file(file, format, lenient)
}

/// As [`Formats::open_bytes`], of the formats that come with the crate.
///
/// # Errors
/// As [`Formats::open`].
pub fn open_bytes(
    bytes: impl Into<Bytes>,
    format: Option<&str>,
    lenient: bool,
) -> Result<Box<dyn Records>, TraceError> {
    Formats::builtin().open_bytes(bytes, format, lenient)
}
