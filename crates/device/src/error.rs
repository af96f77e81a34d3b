//! What can go wrong before an IO is under way, in words that name the thing and the way out.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::guard::Reason;

/// Why a target could not be identified, opened or created. Errors of single IOs are
/// [`flashscope_core::TargetError`].
#[derive(Debug, Error)]
pub enum DeviceError {
    /// A system call on the path failed.
    #[error("cannot {action} {}: {source}; {}", .path.display(), remedy(.action, .source))]
    Path {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// How it failed.
        #[source]
        source: io::Error,
    },
    /// The guard refuses the target. Exit status 3.
    #[error("{}", refusal(.path, .reasons))]
    Refused {
        /// The canonical path.
        path: PathBuf,
        /// Everything that speaks against it, at least one.
        reasons: Vec<Reason>,
    },
    /// Between check and opening, the path came to mean something else.
    #[error("{} changed while it was being opened ({what}); run `flashscope check` again", .path.display())]
    Changed {
        /// The canonical path.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// A file of such a size cannot be created.
    #[error("cannot create {}: {size_bytes} bytes: ask for a multiple of 4096", .path.display())]
    FileSize {
        /// Where.
        path: PathBuf,
        /// What was asked.
        size_bytes: u64,
    },
    /// An engine cannot be set up.
    #[error("cannot set up the {engine} engine: {what}; {remedy}")]
    Engine {
        /// The engine's name.
        engine: &'static str,
        /// What failed.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

impl DeviceError {
    pub(crate) fn path(action: &'static str, path: &Path, source: impl Into<io::Error>) -> DeviceError {
        DeviceError::Path { action, path: path.to_path_buf(), source: source.into() }
    }
}

fn refusal(path: &Path, reasons: &[Reason]) -> String {
    let lines: Vec<String> = reasons.iter().map(|reason| format!("\n  - {reason}")).collect();
    format!("{} is refused:{}", path.display(), lines.concat())
}

/// What a person can do about a failed call.
fn remedy(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound if action == "create" => "make the folder that it lies in first (`mkdir -p`)",
        io::ErrorKind::NotADirectory => "a part of this path is a file, not a folder: check the spelling",
        io::ErrorKind::FileTooLarge => {
            "ask for a smaller file (`ulimit -f` shows a limit that the shell sets), or choose a file system \
             that holds larger ones"
        }
        io::ErrorKind::NotFound => "check the spelling, or `flashscope create` a file there",
        io::ErrorKind::PermissionDenied => "run as root or as a member of the group that owns it",
        io::ErrorKind::AlreadyExists => "choose another name or delete it first",
        io::ErrorKind::StorageFull => "free some space or ask for a smaller file",
        io::ErrorKind::ReadOnlyFilesystem => "choose a place that can be written",
        io::ErrorKind::InvalidInput => {
            "the place may not support direct IO: use one that does (ext4, xfs, btrfs)"
        }
        io::ErrorKind::ResourceBusy => "stop what uses it",
        _ => "see `dmesg` for what the kernel says about it",
    }
}
