//! What a person can do about an error, a refusal, a finding or a remark, as data: which flag or command does
//! it is known to the program that shows it.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use flashscope_core::Bytes;
use serde::{Serialize, Serializer};

/// A way out. Its text names no flag of any program but the system's own; serialised, it is that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Check the target again: something else took its place.
    CheckAgain,
    /// Check the spelling of the path, or create a file there.
    CreateHere,
    /// Choose another disk, or create a file on one.
    CreateElsewhere,
    /// Allow the contents to be overwritten, or create a new file.
    OverwriteOrCreate,
    /// Create a file on a disk instead of in memory.
    CreateOnDisk,
    /// Create a file in a folder that a command of the system prepares.
    CreateIn {
        /// The folder, still missing.
        folder: PathBuf,
        /// What makes it.
        prepare: String,
    },
    /// Create a file, which is then written in full; of this size, where it is known.
    CreateFull {
        /// Its size, in bytes.
        size_bytes: Option<u64>,
    },
    /// Run a command of the system.
    Command {
        /// As typed into a shell.
        command: String,
        /// What else would do.
        otherwise: Option<&'static str>,
    },
    /// Anything else, in plain words.
    Words(Cow<'static, str>),
}

impl Remedy {
    pub(crate) fn words(text: impl Into<Cow<'static, str>>) -> Remedy {
        Remedy::Words(text.into())
    }

    pub(crate) fn command(command: impl Into<String>, otherwise: &'static str) -> Remedy {
        Remedy::Command { command: command.into(), otherwise: Some(otherwise) }
    }
}

/// A command alone.
impl From<String> for Remedy {
    fn from(command: String) -> Remedy {
        Remedy::Command { command, otherwise: None }
    }
}

/// A command alone.
impl From<&str> for Remedy {
    fn from(command: &str) -> Remedy {
        Remedy::from(command.to_string())
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::CheckAgain => f.write_str("check the target again"),
            Remedy::CreateHere => f.write_str("check the spelling, or create a file there"),
            Remedy::CreateElsewhere => f.write_str("choose another disk, or create a file on one"),
            Remedy::OverwriteOrCreate => {
                f.write_str("allow it to be overwritten if its data may be lost, or create a new file")
            }
            Remedy::CreateOnDisk => f.write_str("create a file on a disk (`df -hT` lists them)"),
            Remedy::CreateIn { folder, prepare } => {
                write!(f, "prepare a folder (`{prepare}`) and create a file in {}", folder.display())
            }
            Remedy::CreateFull { size_bytes: Some(size_bytes) } => {
                write!(f, "create a file of {}, written in full", Bytes(*size_bytes))
            }
            Remedy::CreateFull { size_bytes: None } => f.write_str("create a file, written in full"),
            Remedy::Command { command, otherwise: Some(otherwise) } => {
                write!(f, "`{command}` first, or {otherwise}")
            }
            Remedy::Command { command, otherwise: None } => f.write_str(command),
            Remedy::Words(words) => f.write_str(words),
        }
    }
}

impl Serialize for Remedy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
