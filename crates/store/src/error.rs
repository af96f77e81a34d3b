//! What can go wrong with results on disk.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use thiserror::Error;

/// A result that could not be written or read. Names the file, the cause and the way out.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused to read or write a file.
    #[error("cannot {doing} {}: {cause}; {remedy}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried: `write`, `read`, `create`.
        doing: &'static str,
        /// What the system said.
        cause: io::Error,
        /// What the person can do.
        remedy: &'static str,
    },
    /// A file's content is not what flashscope writes.
    #[error("{}{}: {cause}; {remedy}", path.display(), Suffix(*line))]
    Content {
        /// The file.
        path: PathBuf,
        /// Its line, from 1, where that means something.
        line: Option<usize>,
        /// What is wrong.
        cause: String,
        /// What the person can do.
        remedy: &'static str,
    },
    /// A folder that is not, or not now, to be written.
    #[error("{}: {cause}; {remedy}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        cause: String,
        /// What the person can do.
        remedy: &'static str,
    },
    /// A result that a format of exports can hold nothing of.
    #[error("{}: {cause}; {remedy}", path.display())]
    Unfit {
        /// The folder.
        path: PathBuf,
        /// Why not.
        cause: String,
        /// What the person can do.
        remedy: &'static str,
    },
}

/// Why a folder is not begun anew.
pub(crate) const HOLDS_RESULT: &str = "it holds a result already";
/// The same.
pub(crate) const HOLDS_OTHER: &str = "it is not empty and holds no result";

/// `:12`, or nothing.
struct Suffix(Option<usize>);

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

impl StoreError {
    /// Whether a place that was named to be read is not there at all.
    pub fn is_missing(&self) -> bool {
        let StoreError::File { doing, cause, .. } = self else { return false };
        *doing == "read" && cause.kind() == io::ErrorKind::NotFound
    }

    /// Whether a folder that was to be made anew holds something.
    pub fn is_occupied(&self) -> bool {
        matches!(self, StoreError::Folder { cause, .. } if cause == HOLDS_RESULT || cause == HOLDS_OTHER)
    }

    /// Whether a format was asked for that cannot hold the result.
    pub fn is_unfit(&self) -> bool {
        matches!(self, StoreError::Unfit { .. })
    }

    /// Whether a folder that was to be made anew holds a result.
    pub fn holds_result(&self) -> bool {
        matches!(self, StoreError::Folder { cause, .. } if cause == HOLDS_RESULT)
    }

    /// Whether it was stopped from outside.
    pub fn is_interruption(&self) -> bool {
        false
    }

    /// Whether what was asked for cannot be: a place that is not there, or taken, or a format that cannot hold
    /// the result.
    pub fn is_callers(&self) -> bool {
        self.is_missing() || self.is_occupied() || self.is_unfit()
    }

    /// Wraps what the system said about `path`.
    pub(crate) fn file(doing: &'static str, path: &Path, cause: io::Error) -> StoreError {
        let remedy = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space there, or put the results elsewhere with -o"
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "choose a folder that you may write with -o"
            }
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                "that is a file: choose another folder with -o"
            }
            io::ErrorKind::NotFound => "check the path",
            _ => "check that file system, or put the results elsewhere with -o",
        };
        StoreError::File { path: path.to_path_buf(), doing, cause, remedy }
    }
}
