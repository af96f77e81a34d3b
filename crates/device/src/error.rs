//! What can go wrong before an IO is under way.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::guard::Reason;
use crate::remedy::Remedy;

/// Why a target could not be identified, opened or created. Errors of single IOs are
/// [`flashscope_core::TargetError`].
#[derive(Debug, Error)]
pub enum DeviceError {
    /// A system call on the path failed.
    #[error("cannot {action} {}", .path.display())]
    Path {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// How it failed.
        #[source]
        source: io::Error,
    },
    /// The guard refuses the target.
    #[error("{}", refusal(.path, .reasons))]
    Refused {
        /// The canonical path.
        path: PathBuf,
        /// Everything that speaks against it, at least one.
        reasons: Vec<Reason>,
    },
    /// Between check and opening, the path came to mean something else.
    #[error("{} changed while it was being opened: {what}", .path.display())]
    Changed {
        /// The canonical path.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// A file of such a size cannot be created.
    #[error("cannot create {} of {size_bytes} bytes: not a multiple of 4096", .path.display())]
    FileSize {
        /// Where.
        path: PathBuf,
        /// What was asked.
        size_bytes: u64,
    },
    /// An engine has no such queue depth.
    #[error("the {engine} engine has no queue depth {queue_depth}")]
    QueueDepth {
        /// The engine's name.
        engine: &'static str,
        /// What was asked.
        queue_depth: u32,
        /// The greatest it has.
        max: u32,
    },
    /// The kernel refuses an engine.
    #[error("cannot set up the {engine} engine")]
    Engine {
        /// The engine's name.
        engine: &'static str,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
}

impl DeviceError {
    pub(crate) fn path(action: &'static str, path: &Path, source: impl Into<io::Error>) -> DeviceError {
        DeviceError::Path { action, path: path.to_path_buf(), source: source.into() }
    }

    /// What a person can do; of a refusal, each [`Reason`] has its own.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            DeviceError::Path { action, source, .. } => of_call(action, source),
            DeviceError::Refused { .. } => return None,
            DeviceError::Changed { .. } => Remedy::CheckAgain,
            DeviceError::FileSize { .. } => Remedy::words("choose a multiple of 4096 bytes"),
            DeviceError::QueueDepth { max, .. } => Remedy::words(format!("choose one from 1 to {max}")),
            DeviceError::Engine { .. } => {
                Remedy::words("use the sync engine, or allow io_uring (sysctl kernel.io_uring_disabled)")
            }
        })
    }
}

fn refusal(path: &Path, reasons: &[Reason]) -> String {
    let lines: Vec<String> = reasons.iter().map(|reason| format!("\n  - {reason}")).collect();
    format!("{} is refused:{}", path.display(), lines.concat())
}

/// What a person can do about a failed call.
fn of_call(action: &str, error: &io::Error) -> Remedy {
    Remedy::words(match error.kind() {
        io::ErrorKind::NotFound if action == "create" => "create its folder first (`mkdir -p`)",
        io::ErrorKind::NotADirectory => "part of this path is a file, not a folder: check the spelling",
        io::ErrorKind::FileTooLarge => {
            "choose a smaller file (`ulimit -f` shows the shell's limit), or a filesystem that holds larger \
             ones"
        }
        io::ErrorKind::NotFound => return Remedy::CreateHere,
        io::ErrorKind::PermissionDenied => "run as root or as a member of its group",
        io::ErrorKind::AlreadyExists => "choose another name or delete it first",
        io::ErrorKind::StorageFull => "free some space or choose a smaller file",
        io::ErrorKind::ReadOnlyFilesystem => "choose a writable place",
        io::ErrorKind::InvalidInput => "the filesystem may not support direct IO: choose ext4, xfs or btrfs",
        io::ErrorKind::ResourceBusy => "stop the program that uses it",
        _ => "look for the kernel's message in `dmesg`",
    })
}
