//! Files of IOs read again, in constant memory: docs/data.md promises their columns, `recorder` writes them.
//! Whatever looks at single IOs (exports, pages, pictures) reads them here.

mod columns;
mod guard;

use std::fs::File;
use std::path::{Path, PathBuf};

use flashscope_core::Op;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::error::{Remedy, StoreError};
use crate::result_file::ResultFile;
use columns::{Places, Rows};

pub use columns::Parts;
pub(crate) use columns::{refuse_others, wrong};
pub(crate) use guard::guarded;

/// IOs that are read at a time.
pub const BATCH_IOS: usize = 1 << 16;

/// One IO as it is stored.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Io {
    /// Since the start of the experiment.
    pub submit_ns: u64,
    pub response_ns: u64,
    pub offset_bytes: u64,
    /// When it was to be submitted, in a replay.
    pub due_ns: Option<u64>,
    pub length_bytes: u32,
    pub stream: u16,
    pub op: Op,
}

impl Io {
    /// When it was done, since the start of the experiment.
    pub fn completed_ns(&self) -> u64 {
        self.submit_ns.saturating_add(self.response_ns)
    }
}

/// A file of IOs.
pub struct IoFile {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    places: Places,
}

impl IoFile {
    /// # Errors
    /// It cannot be read, or is no complete file of IOs.
    pub fn open(stored: &ResultFile) -> Result<IoFile, StoreError> {
        let (file, path) = (stored.open()?, stored.path());
        let open = || {
            let reader = SerializedFileReader::new(file)?;
            let places = Places::find(reader.metadata().file_metadata().schema_descr())?;
            Ok(IoFile { path: path.clone(), reader, places })
        };
        guarded(open).map_err(|cause| damaged(&path, cause))
    }

    /// IOs in it.
    pub fn ios(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// All of its IOs, from the first on.
    pub fn batches(&self, parts: Parts) -> Batches<'_> {
        Batches { file: self, parts, groups: 0, rows: None, ios: Vec::new(), ios_before: 0 }
    }

    /// Gives all response times (ns), many at a time, in the order of completion; reads no other column.
    ///
    /// # Errors
    /// It is damaged.
    pub fn each_response_ns(&self, mut take: impl FnMut(&[i64])) -> Result<(), StoreError> {
        let read = || {
            for group in 0..self.reader.num_row_groups() {
                let mut column = self.places.response_ns(&*self.reader.get_row_group(group)?)?;
                while column.next(BATCH_IOS)? > 0 {
                    take(&column.values);
                }
            }
            Ok(())
        };
        guarded(read).map_err(|cause| damaged(&self.path, cause))
    }
}

/// The IOs of a file, many at a time.
pub struct Batches<'a> {
    file: &'a IoFile,
    parts: Parts,
    /// Row groups that were begun.
    groups: usize,
    /// The row group at hand.
    rows: Option<Rows>,
    ios: Vec<Io>,
    /// IOs of the batches before this one.
    ios_before: u64,
}

impl Batches<'_> {
    /// The next IOs, in the order of completion: at most [`BATCH_IOS`], and none at the end.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn next_batch(&mut self) -> Result<Option<&[Io]>, StoreError> {
        guarded(|| self.fill()).map_err(|cause| damaged(&self.file.path, cause))?;
        Ok((!self.ios.is_empty()).then_some(&self.ios))
    }

    fn fill(&mut self) -> Result<(), ParquetError> {
        self.ios_before += self.ios.len() as u64;
        self.ios.clear();
        while self.ios.is_empty() {
            if let Some(rows) = &mut self.rows {
                rows.append(BATCH_IOS, &mut self.ios)?;
            }
            if self.ios.is_empty() && !self.next_group()? {
                let is_whole = self.ios_before == self.file.ios();
                return if is_whole { Ok(()) } else { Err(wrong("it holds fewer IOs than its footer says")) };
            }
        }
        Ok(())
    }

    /// Goes on to the next row group; false if there is none.
    fn next_group(&mut self) -> Result<bool, ParquetError> {
        let IoFile { reader, places, .. } = self.file;
        if self.groups == reader.num_row_groups() {
            return Ok(false);
        }
        self.rows = Some(Rows::open(&*reader.get_row_group(self.groups)?, places, self.parts)?);
        self.groups += 1;
        Ok(true)
    }
}

/// What is said of a file that the Parquet reader could not make sense of.
pub(crate) fn damaged(path: &Path, cause: ParquetError) -> StoreError {
    let remedy = Remedy::MeasureAgain;
    StoreError::Content { path: path.to_path_buf(), line: None, source: cause.into(), remedy }
}
