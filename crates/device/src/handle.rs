//! An opened target: past the guard, held for the whole run, the same one that was checked.

use std::fs::File;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Advice, AtFlags, FlockOperation, Mode, OFlags, StatxFlags, fadvise, flock, open, statx};
use rustix::io::Errno;

use crate::error::DeviceError;
use crate::guard::{Examined, Finding, Intent, Reason, examine, is_read_only};
use crate::identify::{Identity, Kind, identify};
use crate::provenance::{Hold, Provenance, Watch};
use crate::seal::Key;
use crate::signature::find_wipefs;
use crate::sysfs::DevId;

/// A device or file opened for direct IO, or for IO through the page cache where that is intended. For
/// writing, a device is held exclusively (`O_EXCL`) and a file is locked, until the
/// handle is dropped; engines share it.
#[derive(Debug)]
pub struct Handle {
    file: File,
    identity: Identity,
    findings: Vec<Finding>,
    writable: bool,
    /// Seals what is written.
    key: Key,
    /// On a file of flashscope's own that is written.
    hold: Option<Hold>,
}

impl Handle {
    /// Opens `path` and has the guard examine what was opened, while it is held.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with all reasons; [`DeviceError::Changed`] when the path came to mean
    /// something else meanwhile; [`DeviceError::Path`] when it leads nowhere.
    pub fn open(path: &Path, intent: &Intent) -> Result<Handle, DeviceError> {
        Handle::open_with(path, intent, find_wipefs())
    }

    /// [`Handle::open`] with a given `wipefs`, as [`crate::guard::check_with`].
    ///
    /// # Errors
    /// As [`Handle::open`].
    pub fn open_with(path: &Path, intent: &Intent, wipefs: Option<PathBuf>) -> Result<Handle, DeviceError> {
        Handle::open_identified(identify(path)?, intent, wipefs)
    }

    /// Opens what was identified earlier, shown to a person and confirmed: that, or nothing.
    ///
    /// # Errors
    /// As [`Handle::open`].
    pub fn open_identified(
        identity: Identity,
        intent: &Intent,
        wipefs: Option<PathBuf>,
    ) -> Result<Handle, DeviceError> {
        let opened = open_file(&identity, intent, Purpose::Use);
        if let Ok(file) = &opened {
            same_as(file, &identity)?;
        }
        // To read what is in it may take long.
        let watch =
            opened.as_ref().ok().filter(|_| intent.write && identity.kind == Kind::File).map(Watch::writes);
        let Examined { refused: reasons, findings, whose } =
            examine(&identity, intent, opened.as_ref(), wipefs.as_deref());
        let path = identity.canonical_path.clone();
        let file = match opened {
            Ok(file) if reasons.is_empty() => file,
            _ => return Err(DeviceError::Refused { path, reasons }),
        };
        let marked = |e| DeviceError::path("mark", &path, e);
        let (key, hold) = match (whose, watch) {
            (Some(Provenance::Ours(key)), Some(watch)) => {
                let watch = watch.openings(&file);
                if watch.is_silent() == Some(false) {
                    return Err(DeviceError::Changed { path, what: "another program writes to it" });
                }
                (key, Some(Hold::begin(&file, &path, key, watch).map_err(marked)?))
            }
            _ => (Key::fresh().map_err(marked)?, None),
        };
        if intent.buffered {
            // As fio's `invalidate` does; what stays is dirty or in use, and is no reason not to measure.
            let _ = fadvise(&file, 0, None, Advice::DontNeed);
        }
        Ok(Handle { file, identity, findings, writable: intent.write, key, hold })
    }

    /// What was opened.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// What the guard found worth a warning.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether writes may be submitted.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// Sizes of writes of which all or nothing is stored, in bytes; none if the kernel knows of none. Both
    /// are powers of two.
    pub fn atomic_write_bytes(&self) -> Option<RangeInclusive<u32>> {
        /// `STATX_WRITE_ATOMIC`, since Linux 6.11.
        const WRITE_ATOMIC: StatxFlags = StatxFlags::from_bits_retain(0x1_0000);
        let found = statx(&self.file, "", AtFlags::EMPTY_PATH, WRITE_ATOMIC).ok()?;
        let is_known = found.stx_mask & WRITE_ATOMIC.bits() != 0 && found.stx_atomic_write_unit_max > 0;
        is_known.then_some(found.stx_atomic_write_unit_min..=found.stx_atomic_write_unit_max)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// What seals the contents of writes.
    pub(crate) fn key(&self) -> Key {
        self.key
    }
}

impl Drop for Handle {
    /// States in the mark of a file that the run has ended. Where that fails its contents decide next time,
    /// which is the safe side.
    fn drop(&mut self) {
        if let Some(hold) = &self.hold {
            let _ = hold.end(&self.file, &self.identity.canonical_path);
        }
        // A ring that the kernel still takes apart may hold the file, and its lock, a little longer.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// What a target is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To look at it: a device is opened for reading, though exclusively where writing is intended.
    Check,
    /// To run on it.
    Use,
}

/// Opens what was identified, directly and exclusively as the intent asks.
pub(crate) fn open_file(identity: &Identity, intent: &Intent, purpose: Purpose) -> Result<File, Reason> {
    let is_block = identity.kind == Kind::BlockDevice;
    if !is_block && identity.kind != Kind::File {
        return Err(Reason::NotATarget { kind: identity.kind });
    }
    let writes = intent.write && (purpose == Purpose::Use || !is_block);
    let mut flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    flags |= if intent.buffered { OFlags::empty() } else { OFlags::DIRECT };
    flags |= if writes { OFlags::RDWR } else { OFlags::RDONLY };
    if intent.write && is_block {
        flags |= OFlags::EXCL;
    }
    let opened = patiently(Errno::BUSY, || open(&identity.canonical_path, flags, Mode::empty()));
    let file = File::from(opened.map_err(|errno| refusal(errno, identity, intent))?);
    if intent.write && !is_block {
        let lock = || flock(&file, FlockOperation::NonBlockingLockExclusive);
        patiently(Errno::WOULDBLOCK, lock).map_err(|_| Reason::HeldByOther)?;
    }
    Ok(file)
}

/// A program that has just ended may still hold a device or a file for some milliseconds, and udev looks at
/// each device that was written: only who holds it longer counts.
fn patiently<T>(held: Errno, take: impl Fn() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    const PATIENCE: u32 = 10;
    for _ in 0..PATIENCE {
        match take() {
            Err(errno) if errno == held => std::thread::sleep(Duration::from_millis(10)),
            other => return other,
        }
    }
    take()
}

fn refusal(errno: Errno, identity: &Identity, intent: &Intent) -> Reason {
    match errno {
        Errno::BUSY | Errno::TXTBSY => Reason::HeldByOther,
        Errno::ROFS => Reason::ReadOnly,
        Errno::ACCESS | Errno::PERM if intent.write && is_read_only(identity) => Reason::ReadOnly,
        Errno::ACCESS | Errno::PERM => Reason::NotPermitted { write: intent.write },
        Errno::INVAL => Reason::NoDirectIo,
        other => Reason::CouldNotProbe { what: format!("it: {}", std::io::Error::from(other)) },
    }
}

/// Compares the opened thing with the identified one, now that it can no longer be exchanged.
fn same_as(file: &File, identity: &Identity) -> Result<(), DeviceError> {
    let path = &identity.canonical_path;
    let changed = |what| Err(DeviceError::Changed { path: path.clone(), what });
    let metadata = file.metadata().map_err(|e| DeviceError::path("look at", path, e))?;
    let is_block = identity.kind == Kind::BlockDevice;
    let device = DevId::from_raw(if is_block { metadata.rdev() } else { metadata.dev() });
    if device != identity.device || (!is_block && metadata.ino() != identity.inode) {
        return changed("its path now refers to another device or file");
    }
    let again = identify(path)?;
    if again.disk_sequence != identity.disk_sequence || again.confirmation() != identity.confirmation() {
        return changed("another disk was attached under the same name");
    }
    if again.size_bytes != identity.size_bytes {
        return changed("its size changed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: usize) -> PathBuf {
        let path = std::env::temp_dir().join(format!("flashscope-handle-{name}-{}", std::process::id()));
        std::fs::write(&path, vec![1; bytes]).unwrap();
        path
    }

    /// Exchanged between check and opening, by a rename or by somebody who cuts it off.
    #[test]
    fn what_is_opened_must_be_what_was_identified() {
        let (checked, other) = (file("checked", 8192), file("other", 8192));
        let identity = identify(&checked).unwrap();
        let open = || Handle::open_identified(identity.clone(), &Intent::READ, None).map(drop);
        assert!(open().is_ok());
        std::fs::write(&checked, vec![1; 4096]).unwrap();
        assert!(open().unwrap_err().to_string().contains("its size changed"));
        std::fs::rename(&other, &checked).unwrap();
        assert!(open().unwrap_err().to_string().contains("another device or file"));
        std::fs::remove_file(&checked).unwrap();
    }

    /// What fio calls `direct`: the flag of the opened file, and a word of warning without it.
    #[test]
    fn buffered_io_is_asked_for_and_warned_of() {
        let path = file("buffered", 8192);
        for buffered in [false, true] {
            let handle = Handle::open_with(&path, &Intent { buffered, ..Intent::READ }, None).unwrap();
            let flags = rustix::fs::fcntl_getfl(handle.file()).unwrap();
            assert_eq!(flags.contains(OFlags::DIRECT), !buffered);
            assert_eq!(handle.findings().contains(&Finding::PageCache), buffered);
        }
        std::fs::remove_file(&path).unwrap();
    }

    /// The path is resolved once, before anything is judged; a link in its place later is not followed.
    #[test]
    fn a_link_in_place_of_the_checked_file_is_not_followed() {
        let (checked, precious) = (file("replaced", 8192), file("precious", 8192));
        let identity = identify(&checked).unwrap();
        std::fs::remove_file(&checked).unwrap();
        std::os::unix::fs::symlink(&precious, &checked).unwrap();
        assert!(open_file(&identity, &Intent::READ, Purpose::Use).is_err());
        std::fs::remove_file(&checked).unwrap();
        std::fs::remove_file(&precious).unwrap();
    }
}
