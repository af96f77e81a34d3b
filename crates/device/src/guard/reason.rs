//! What the guard may say: reasons that refuse a target and findings that only warn, each with the way out.

use std::fmt;
use std::path::{Path, PathBuf};

use flashscope_core::Bytes;
use serde::Serialize;

use crate::identify::Kind;
use crate::remedy::Remedy;
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
    /// A regular file on which a run was cut off, and whose contents do not show that flashscope wrote them
    /// all: somebody else did since, or the run wrote other data than random.
    Unfinished {
        /// From where on; none where it cannot be read.
        at_bytes: Option<u64>,
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
            Reason::RootDisk { disk } => format!("the root filesystem is on the same disk ({disk})"),
            Reason::Mounted { device, mount_point } => {
                format!("{device} is mounted on {}", mount_point.display())
            }
            Reason::Holder { device, holder } => format!("{device} is in use by {holder}"),
            Reason::Swap { device } => format!("the system swaps to {device}"),
            Reason::LoopBacking { loop_device, .. } => format!("loop device {loop_device} uses it"),
            Reason::Partitioned { count, first } => {
                format!("it has {count} partitions, the first is {first}")
            }
            Reason::HeldByOther => "another program holds it open for exclusive use".into(),
            Reason::Signature { signature, .. } => format!("it contains {signature}"),
            Reason::NotOurs { changed: false } => "flashscope did not create this file".into(),
            Reason::NotOurs { changed: true } => {
                "flashscope created this file, but it was changed since".into()
            }
            Reason::Unfinished { at_bytes } => {
                let place = at_bytes.map_or(String::new(), |at| format!(" from byte {at} on"));
                format!(
                    "a run on this file was cut off; its contents{place} are not known to be flashscope's"
                )
            }
            Reason::CouldNotProbe { what } => format!("could not probe {what}"),
            Reason::ReadOnly => "it is read-only".into(),
            Reason::NotPermitted { write: true } => "no permission to write to it".into(),
            Reason::NotPermitted { write: false } => "no permission to read it".into(),
            Reason::NoDirectIo => "it does not support direct IO, so the page cache would be measured".into(),
            Reason::TooSmall { size_bytes, need_bytes } => {
                format!("its size is {}, but {} are needed", Bytes(*size_bytes), Bytes(*need_bytes))
            }
            Reason::SectorSize { sector_bytes, io_unit_bytes } => {
                format!(
                    "its sectors are {sector_bytes} bytes, but IOs are multiples of {io_unit_bytes} bytes"
                )
            }
        }
    }

    /// What a person can do.
    pub fn remedy(&self) -> Remedy {
        let another = "choose another target";
        Remedy::words(match self {
            Reason::NotATarget { .. } => "name a block device or a regular file",
            Reason::RootDisk { .. } => return Remedy::CreateElsewhere,
            Reason::Mounted { mount_point, .. } => {
                return Remedy::command(format!("umount {}", mount_point.display()), another);
            }
            Reason::Holder { .. } => "stop that use, or choose another device",
            Reason::Swap { device } => return Remedy::command(format!("swapoff {device}"), another),
            Reason::LoopBacking { loop_device, .. } => {
                return Remedy::command(format!("losetup -d /dev/{loop_device}"), another);
            }
            Reason::Partitioned { .. } => "name one partition, or delete them if their data may be lost",
            Reason::HeldByOther => "stop that program (`fuser -v` names it), or choose another device",
            Reason::Signature { kind: Kind::File, .. }
            | Reason::NotOurs { .. }
            | Reason::Unfinished { .. } => return Remedy::OverwriteOrCreate,
            Reason::Signature { .. } => "erase it (`wipefs -a`) if its data may be lost",
            Reason::CouldNotProbe { .. } => "run as root, or choose another target",
            Reason::ReadOnly => "measure reads only, or lift the write protection",
            Reason::NotPermitted { .. } => "run as root or as a member of its group",
            Reason::NoDirectIo => "use a block device, or a file on ext4, xfs or btrfs",
            Reason::TooSmall { .. } => "choose a smaller target space",
            Reason::SectorSize { sector_bytes, .. } => {
                return Remedy::words(format!(
                    "choose IO sizes, offsets and shifts that are multiples of {sector_bytes} bytes"
                ));
            }
        })
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
    /// The disk of the root filesystem is unknown, as in a container.
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
    /// IOs go through the page cache, as asked.
    PageCache,
}

impl Finding {
    pub(super) fn shared(reason: &Reason) -> Finding {
        let of_root = matches!(reason, Reason::Mounted { mount_point, .. } if mount_point == Path::new("/"));
        let remedy = match reason.remedy() {
            Remedy::Command { command, .. } if !of_root => Some(command),
            _ => None,
        };
        Finding::Shared { with: reason.found(), remedy }
    }

    /// What was found, and what it does to a measurement.
    pub fn found(&self) -> String {
        match self {
            Finding::Shared { with, .. } => format!("{with}, and its IO affects the measurement"),
            Finding::RootHidden => "the disk of the root filesystem is unknown (in a container?), so only \
                exclusive opening protects it"
                .into(),
            Finding::NoWipefs => "wipefs is not installed, so only the built-in table of signatures was \
                                  searched"
                .into(),
            Finding::Overwritten { signature } => {
                format!("the file contains {signature}, which will be overwritten")
            }
            Finding::Sparse { unwritten_bytes, size_bytes, write } => {
                let (hole, size) = (Bytes(*unwritten_bytes), Bytes(*size_bytes));
                let effect =
                    if *write { "first writes there allocate space" } else { "reads there cause no IO" };
                format!("{hole} of {size} were never written: {effect}")
            }
            Finding::Memory { filesystem } => format!(
                "{filesystem} is in memory: the results are not those \
                of a device"
            ),
            Finding::PageCache => {
                "IO through the page cache: reads may be served from memory, and writes are \
                                   acknowledged before they reach the device"
                    .into()
            }
        }
    }

    /// What a person can do; none where nothing needs doing.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Finding::Shared { .. } => Remedy::words("stop that use for reliable numbers"),
            Finding::RootHidden => Remedy::words("make sure that this is a different disk"),
            Finding::NoWipefs => Remedy::words("install util-linux"),
            Finding::Overwritten { .. } => return None,
            Finding::Sparse { .. } => Remedy::CreateFull { size_bytes: None },
            Finding::Memory { .. } => Remedy::words("use a file on a disk"),
            Finding::PageCache => Remedy::words("use direct IO for numbers of the device"),
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.remedy() {
            Some(remedy) => write!(f, "{}; {remedy}", self.found()),
            None => f.write_str(&self.found()),
        }
    }
}
