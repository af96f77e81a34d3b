//! Why a study cannot be run on a device that was chosen for it.

use flashscope_lab::{Error, ErrorKind};
use thiserror::Error as ThisError;

/// A study cannot be run on the device that was chosen for it, and why: no failure, but a verdict on each of
/// its claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum NotHere {
    /// It writes, and writing to the real device is not allowed.
    #[error("it writes, which is not allowed on this device")]
    Writes,
    /// It compares several devices.
    #[error("it compares several devices, and this is one")]
    ComparesDevices,
    /// It needs settings that only a simulated SSD has.
    #[error("it changes the device's configuration, which needs a simulated SSD")]
    ChangesDevice,
    /// It needs to know where a block of flash ends.
    #[error("it uses single flash blocks, whose boundaries are known only in a simulated SSD")]
    KnowsBlocks,
    /// It is about flash, and a rig or a disk has none.
    #[error("it is about flash, and this device has none")]
    NoFlash,
    /// It needs the counts of a simulated SSD.
    #[error("it counts internal operations, which needs a simulated SSD")]
    CountsInside,
    /// It counts erases or chooses a write buffer, and this is a hard disk.
    #[error("a hard disk has no erases and no selectable write buffer")]
    HardDisk,
    /// The device is smaller than its traces.
    #[error("its traces need 1 GiB")]
    TooSmall,
}

impl From<NotHere> for Error {
    fn from(reason: NotHere) -> Error {
        Error::of(ErrorKind::Usage, reason)
    }
}
