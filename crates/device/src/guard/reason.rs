//! What the guard may say: reasons that refuse a target and findings that only warn, each with the way out.

use std::fmt;
use std::path::PathBuf;

use flashscope_core::Bytes;
use serde::Serialize;

use crate::identify::Kind;
use crate::signature::Signature;

/// Why a target is refused. Prints what was found and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// Neither a block device nor a regular file.
    NotATarget {
        /// What it is instead.
        kind: Kind,
    },
    /// Shares a disk with the root filesystem.
    RootDisk {
        /// The disk's name.
        disk: String,
    },
    /// It, one of its partitions, or the disk it is a part of is mounted.
    Mounted {
        /// Which of them.
        device: String,
        /// Where.
        mount_point: PathBuf,
    },
    /// Something is built upon it: device mapper, RAID, bcache, a filesystem of several devices.
    Holder {
        /// Which device is used.
        device: String,
        /// What is built upon it.
        holder: String,
    },
    /// The kernel swaps to it.
    Swap {
        /// Which device or file.
        device: String,
    },
    /// A loop device shows its contents as a disk.
    LoopBacking {
        /// The target.
        device: String,
        /// The loop device that stands on it.
        loop_device: String,
    },
    /// A whole disk that is divided up.
    Partitioned {
        /// How many partitions it has.
        count: usize,
        /// The first one's name.
        first: String,
    },
    /// Somebody has opened it for exclusive use.
    HeldByOther,
    /// It holds somebody's data.
    Signature {
        /// Whose.
        signature: Signature,
        /// Where: in a file or on a device.
        kind: Kind,
    },
    /// A regular file with contents that are not flashscope's.
    NotOurs {
        /// Whether flashscope made it once and somebody changed it since.
        changed: bool,
    },
    /// Something that must be known cannot be found out.
    CouldNotProbe {
        /// What, and why not.
        what: String,
    },
    /// It may be read but not written.
    ReadOnly,
    /// This user may not open it.
    NotPermitted {
        /// Whether writing was asked for.
        write: bool,
    },
    /// The page cache cannot be passed by.
    NoDirectIo,
    /// Smaller than what the IOs span.
    TooSmall {
        /// What it holds.
        size_bytes: u64,
        /// What is asked.
        need_bytes: u64,
    },
    /// IOs that are no multiple of its sector.
    SectorSize {
        /// The logical sector.
        sector_bytes: u32,
        /// The unit of the IOs.
        io_unit_bytes: u64,
    },
}

impl Reason {
    /// Whether it means that somebody else uses the target at present.
    pub(super) fn is_use(&self) -> bool {
        use Reason::{Holder, LoopBacking, Mounted, RootDisk, Swap};
        matches!(self, RootDisk { .. } | Mounted { .. } | Holder { .. } | Swap { .. } | LoopBacking { .. })
    }

    /// What was found.
    pub fn found(&self) -> String {
        match self {
            Reason::NotATarget { kind } => format!("it is {}", kind.name()),
            Reason::RootDisk { disk } => format!("the root filesystem lies on the same disk ({disk})"),
            Reason::Mounted { device, mount_point } => {
                format!("{device} is mounted on {}", mount_point.display())
            }
            Reason::Holder { device, holder } => format!("{device} is in use by {holder}"),
            Reason::Swap { device } => format!("the system swaps to {device}"),
            Reason::LoopBacking { loop_device, .. } => format!("the loop device {loop_device} stands on it"),
            Reason::Partitioned { count, first } => {
                format!("it has {count} partition(s), the first is {first}")
            }
            Reason::HeldByOther => "another program has opened it for exclusive use".into(),
            Reason::Signature { signature, .. } => format!("it holds {signature}"),
            Reason::NotOurs { changed: false } => "flashscope did not create this file".into(),
            Reason::NotOurs { changed: true } => {
                "flashscope created this file, but somebody changed it since".into()
            }
            Reason::CouldNotProbe { what } => format!("could not probe {what}"),
            Reason::ReadOnly => "it is read-only".into(),
            Reason::NotPermitted { write: true } => "you may not write to it".into(),
            Reason::NotPermitted { write: false } => "you may not read it".into(),
            Reason::NoDirectIo => "it takes no direct IO, so memory would be measured instead".into(),
            Reason::TooSmall { size_bytes, need_bytes } => {
                format!("it holds {} and {} are asked", Bytes(*size_bytes), Bytes(*need_bytes))
            }
            Reason::SectorSize { sector_bytes, io_unit_bytes } => {
                format!("its sectors have {sector_bytes} bytes, the IOs are multiples of {io_unit_bytes}")
            }
        }
    }

    /// What a person can do.
    pub fn remedy(&self) -> String {
        match self {
            Reason::NotATarget { .. } => "name a block device or a regular file".into(),
            Reason::RootDisk { .. } => "choose another disk, or a file that `flashscope create` makes".into(),
            Reason::Mounted { mount_point, .. } => {
                format!("`umount {}` first, or choose another device", mount_point.display())
            }
            Reason::Holder { .. } => "take it out of use there, or choose another device".into(),
            Reason::Swap { device } => format!("`swapoff {device}` first, or choose another target"),
            Reason::LoopBacking { loop_device, .. } => {
                format!("`losetup -d /dev/{loop_device}` first, or choose another target")
            }
            Reason::Partitioned { .. } => "name one partition, or remove them if their data may go".into(),
            Reason::HeldByOther => "stop that program (`fuser -v` names it), or choose another device".into(),
            Reason::Signature { kind: Kind::File, .. } | Reason::NotOurs { .. } => {
                "use --overwrite-existing-data if its contents may go, or `flashscope create` a new file"
                    .into()
            }
            Reason::Signature { .. } => "run `wipefs --all` on it if its data may go".into(),
            Reason::CouldNotProbe { .. } => "run as root, or choose another target".into(),
            Reason::ReadOnly => "measure reads only, or lift the write protection".into(),
            Reason::NotPermitted { .. } => "run as root or as a member of the group that owns it".into(),
            Reason::NoDirectIo => "use a file on ext4, xfs or btrfs, or a block device".into(),
            Reason::TooSmall { .. } => "ask for a smaller target space".into(),
            Reason::SectorSize { sector_bytes, .. } => {
                format!("use IO sizes, offsets and shifts that are multiples of {sector_bytes}")
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.found(), self.remedy())
    }
}

/// What does not forbid the use of a target, but may mislead. Prints what was seen and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// Somebody else uses the same disk.
    Shared {
        /// Who, in words.
        with: String,
        /// How to end it, where that is a command.
        remedy: Option<String>,
    },
    /// Which disk the root filesystem lies on cannot be told, as in a container.
    RootHidden,
    /// `wipefs` is not installed.
    NoWipefs,
    /// Contents that will be lost because the person said so.
    Overwritten {
        /// What they were.
        signature: Signature,
    },
    /// Parts of the file were never written.
    Sparse {
        /// How much.
        unwritten_bytes: u64,
        /// Of how much.
        size_bytes: u64,
        /// Whether the run writes.
        write: bool,
    },
    /// The file lies in memory.
    Memory {
        /// The filesystem's type.
        filesystem: String,
    },
}

impl Finding {
    pub(super) fn shared(reason: &Reason) -> Finding {
        let is_command = match reason {
            Reason::Mounted { mount_point, .. } => mount_point != std::path::Path::new("/"),
            Reason::Swap { .. } | Reason::LoopBacking { .. } => true,
            _ => false,
        };
        let command = || reason.remedy().split('`').nth(1).map(str::to_string);
        let remedy = if is_command { command() } else { None };
        Finding::Shared { with: reason.found(), remedy }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Shared { with, .. } => {
                write!(f, "{with}: its IOs disturb the measurement; take it out of use for sound numbers")
            }
            Finding::RootHidden => f.write_str(
                "the disk of the root filesystem is hidden (a container?), so nothing but exclusive opening \
                 protects it; make sure that this is another one",
            ),
            Finding::NoWipefs => f.write_str(
                "wipefs is not installed, so only flashscope's own table was asked; install util-linux",
            ),
            Finding::Overwritten { signature } => write!(f, "the file holds {signature}, which will be lost"),
            Finding::Sparse { unwritten_bytes, size_bytes, write } => {
                let (hole, size) = (Bytes(*unwritten_bytes), Bytes(*size_bytes));
                let effect =
                    if *write { "first writes there allocate space" } else { "reads there cost no IO" };
                write!(
                    f,
                    "{hole} of {size} were never written: {effect}; `flashscope create` writes a file fully"
                )
            }
            Finding::Memory { filesystem } => {
                write!(f, "{filesystem} lies in memory: no device is measured; use a file on a disk")
            }
        }
    }
}
