//! What a path is: file or device, its sizes, and the hardware beneath. Reads `/sys` and `/proc`, opens
//! nothing and so disturbs nothing.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use serde::Serialize;

use crate::error::DeviceError;
use crate::mounts;
use crate::sysfs::{BlockDir, DevId};

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A regular file: can be a target.
    File,
    /// A block device, whole or partition: can be a target.
    BlockDevice,
    /// A folder.
    Directory,
    /// A character device, such as `/dev/null` or a raw NVMe controller.
    CharacterDevice,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
}

impl Kind {
    fn of(file_type: fs::FileType) -> Kind {
        match () {
            () if file_type.is_block_device() => Kind::BlockDevice,
            () if file_type.is_dir() => Kind::Directory,
            () if file_type.is_char_device() => Kind::CharacterDevice,
            () if file_type.is_fifo() => Kind::Fifo,
            () if file_type.is_socket() => Kind::Socket,
            () => Kind::File,
        }
    }

    /// The kind in words, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Kind::File => "a regular file",
            Kind::BlockDevice => "a block device",
            Kind::Directory => "a directory",
            Kind::CharacterDevice => "a character device",
            Kind::Fifo => "a named pipe",
            Kind::Socket => "a socket",
        }
    }
}

/// Everything a manifest wants to know about a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The path as it was given.
    pub path: PathBuf,
    /// The path with all symbolic links resolved.
    pub canonical_path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Bytes it holds; zero for what is neither file nor block device.
    pub size_bytes: u64,
    /// The block device itself, or the filesystem that a file lies on.
    pub device: DevId,
    /// The file's inode on its filesystem (of the device node, for a block device).
    pub inode: u64,
    /// The kernel's count of attached disks: differs when the same name is attached again (Linux 5.15).
    pub disk_sequence: Option<u64>,
    /// The unit that every offset and length of direct IO is a multiple of.
    pub logical_block_bytes: u32,
    /// The unit that the device says it writes without a read-modify-write.
    pub physical_block_bytes: u32,
    /// The device's optimal IO size, if reported.
    pub optimal_io_bytes: Option<u32>,
    /// The filesystem that holds a regular file.
    pub filesystem: Option<Filesystem>,
    /// The block device, or the one beneath a file's filesystem where there is one.
    pub hardware: Option<Hardware>,
    /// `uname -r`.
    pub kernel_release: String,
}

/// Where a regular file lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Filesystem {
    /// Its type, such as `ext4`.
    pub name: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// What is mounted there.
    pub source: PathBuf,
}

/// A block device as the kernel describes it. `None` is what the kernel does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hardware {
    /// The kernel's name, such as `nvme0n1p2`.
    pub name: String,
    /// The whole disk's name, where this is a partition.
    pub partition_of: Option<String>,
    /// Where the partition begins on its disk.
    pub partition_start_bytes: Option<u64>,
    /// The partitions of a whole disk.
    pub partitions: Vec<String>,
    /// The maker's name of the device.
    pub model: Option<String>,
    /// The serial number; for a loop device, its backing file.
    pub serial: Option<String>,
    /// The firmware's revision.
    pub firmware: Option<String>,
    /// The world-wide identifier.
    pub wwid: Option<String>,
    /// The IO scheduler in use.
    pub scheduler: Option<String>,
    /// `write back` (volatile cache) or `write through`.
    pub write_cache: Option<String>,
    /// Whether the device turns.
    pub rotational: Option<bool>,
    /// The unit of discards; `None` where the device takes none.
    pub discard_granularity_bytes: Option<u64>,
    /// The largest IO that the kernel passes on in one piece.
    pub io_bytes_max: Option<u64>,
    /// How many IOs the kernel queues.
    pub queue_requests: Option<u64>,
    /// Whether writes are forbidden.
    pub read_only: bool,
}

/// Finds out what `path` is.
///
/// # Errors
/// [`DeviceError::Path`] when the path does not exist or cannot be followed.
pub fn identify(path: &Path) -> Result<Identity, DeviceError> {
    let canonical_path = fs::canonicalize(path).map_err(|e| DeviceError::path("find", path, e))?;
    let metadata = fs::metadata(&canonical_path).map_err(|e| DeviceError::path("look at", path, e))?;
    let kind = Kind::of(metadata.file_type());
    let is_block = kind == Kind::BlockDevice;
    let device = DevId::from_raw(if is_block { metadata.rdev() } else { metadata.dev() });
    let filesystem = if kind == Kind::File { filesystem_of(&canonical_path) } else { None };
    let block = match kind {
        Kind::BlockDevice => BlockDir::of(device),
        _ => beneath(device, filesystem.as_ref()),
    };
    let disk = block.as_ref().map(BlockDir::whole_disk);
    let queue = |name: &str| disk.as_ref().and_then(|disk| disk.number(&format!("queue/{name}")));
    let device_block = queue("logical_block_size").map_or(512, |bytes| bytes as u32);
    let size_bytes = match kind {
        Kind::File => metadata.size(),
        Kind::BlockDevice => block.as_ref().and_then(|block| block.number("size")).unwrap_or(0) * 512,
        _ => 0,
    };
    Ok(Identity {
        path: path.to_path_buf(),
        kind,
        size_bytes,
        device,
        inode: metadata.ino(),
        disk_sequence: block.as_ref().filter(|_| is_block).and_then(|_| disk.as_ref()?.number("diskseq")),
        logical_block_bytes: direct_io_unit(&canonical_path, kind).unwrap_or(device_block),
        physical_block_bytes: queue("physical_block_size").map_or(device_block, |bytes| bytes as u32),
        optimal_io_bytes: queue("optimal_io_size").filter(|bytes| *bytes > 0).map(|bytes| bytes as u32),
        hardware: block.as_ref().map(hardware),
        filesystem,
        canonical_path,
        kernel_release: read_trimmed("/proc/sys/kernel/osrelease").unwrap_or_default(),
    })
}

impl Identity {
    /// Whether a read past the page cache passes no thread of the kernel: a disk with a driver of its own,
    /// and a file system that hands a read on at once. All time in the kernel besides one's own is then
    /// others'.
    pub fn is_read_without_kernel_threads(&self) -> bool {
        let disk = self.hardware.as_ref().map_or("", |hardware| hardware.name.as_str());
        let filesystem = self.filesystem.as_ref().map_or("ext4", |filesystem| filesystem.name.as_str());
        let is_driven =
            ["nvme", "sd", "vd", "xvd", "mmcblk", "pmem"].iter().any(|name| disk.starts_with(name));
        is_driven && ["ext2", "ext3", "ext4", "xfs", "f2fs"].contains(&filesystem)
    }

    /// Whether a program of this machine serves its IOs: a file system of FUSE, or a disk of nbd or ublk. Its
    /// processor time is then the drive's.
    pub fn is_served_by_a_program(&self) -> bool {
        let disk = self.hardware.as_ref().map_or("", |hardware| hardware.name.as_str());
        let filesystem = self.filesystem.as_ref().map_or("", |filesystem| filesystem.name.as_str());
        filesystem.starts_with("fuse") || disk.starts_with("nbd") || disk.starts_with("ublk")
    }

    /// What a person types to confirm that this device may be written: its serial, or its canonical path
    /// where it has none. `None` for a regular file, which needs no confirmation.
    pub fn confirmation(&self) -> Option<String> {
        let serial = self.hardware.as_ref().and_then(|hardware| hardware.serial.clone());
        let path = || self.canonical_path.display().to_string();
        (self.kind == Kind::BlockDevice).then(|| serial.unwrap_or_else(path))
    }

    /// Whether it is a device that takes discards.
    pub fn can_discard(&self) -> bool {
        let takes =
            self.hardware.as_ref().is_some_and(|hardware| hardware.discard_granularity_bytes.is_some());
        self.kind == Kind::BlockDevice && takes
    }

    /// Whether `typed` is the [`Identity::confirmation`], but for spaces around it.
    pub fn confirms(&self, typed: &str) -> bool {
        self.confirmation().is_none_or(|expected| expected.trim() == typed.trim())
    }
}

fn filesystem_of(path: &Path) -> Option<Filesystem> {
    let mounts = mounts::mounts().ok()?;
    let mount = mounts::mount_of(&mounts, path)?;
    Some(Filesystem {
        name: mount.filesystem.clone(),
        mount_point: mount.mount_point.clone(),
        source: mount.source.clone(),
    })
}

/// The block device that holds a filesystem: by its number, or by what is mounted where that is anonymous.
fn beneath(device: DevId, filesystem: Option<&Filesystem>) -> Option<BlockDir> {
    BlockDir::of(device).or_else(|| BlockDir::of(DevId::of_block_path(&filesystem?.source)?))
}

/// What the kernel asks of offset and length of direct IO on a file, where it says so (Linux 6.1).
fn direct_io_unit(path: &Path, kind: Kind) -> Option<u32> {
    if kind != Kind::File {
        return None;
    }
    let stat = statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN).ok()?;
    let told = stat.stx_mask & StatxFlags::DIOALIGN.bits() != 0 && stat.stx_dio_offset_align > 0;
    told.then_some(stat.stx_dio_offset_align)
}

pub(crate) fn hardware(block: &BlockDir) -> Hardware {
    let disk = block.whole_disk();
    let first = |names: &[&str]| names.iter().find_map(|name| disk.text(name));
    let queue = |name: &str| disk.number(&format!("queue/{name}"));
    Hardware {
        name: block.name(),
        partition_of: block.is_partition().then(|| disk.name()),
        partition_start_bytes: block.number("start").map(|sectors| sectors * 512),
        partitions: block.partitions().iter().map(BlockDir::name).collect(),
        model: first(&["device/model", "device/name"]),
        serial: serial(&disk),
        firmware: first(&["device/firmware_rev", "device/rev", "device/fwrev"]),
        wwid: first(&["wwid", "device/wwid", "dm/uuid", "md/uuid"]),
        scheduler: disk.text("queue/scheduler").map(|choices| chosen(&choices)),
        write_cache: disk.text("queue/write_cache"),
        rotational: queue("rotational").map(|flag| flag != 0),
        discard_granularity_bytes: queue("discard_granularity")
            .filter(|bytes| *bytes > 0 && queue("discard_max_bytes").is_some_and(|max| max > 0)),
        io_bytes_max: queue("max_sectors_kb").map(|kib| kib * 1024),
        queue_requests: queue("nr_requests"),
        read_only: [block, &disk].iter().any(|dir| dir.number("ro") == Some(1)),
    }
}

/// From NVMe, MMC and virtio directly, from SCSI and SATA by the page of vital product data, else from udev.
fn serial(disk: &BlockDir) -> Option<String> {
    let plain = ["device/serial", "serial", "loop/backing_file"].iter().find_map(|name| disk.text(name));
    plain.or_else(|| product_data_serial(&disk.bytes("device/vpd_pg80")?)).or_else(|| udev_serial(disk))
}

/// SCSI's page 80h: four bytes of header, the last two the length, then the serial number.
fn product_data_serial(page: &[u8]) -> Option<String> {
    let length = usize::from(u16::from_be_bytes([*page.get(2)?, *page.get(3)?]));
    let text = String::from_utf8_lossy(page.get(4..)?.get(..length)?).trim().to_string();
    (!text.is_empty()).then_some(text)
}

fn udev_serial(disk: &BlockDir) -> Option<String> {
    let data = fs::read_to_string(format!("/run/udev/data/b{}", disk.device()?)).ok()?;
    let property = |key: &str| data.lines().find_map(|line| line.strip_prefix(key)).map(str::to_string);
    property("E:ID_SERIAL_SHORT=").or_else(|| property("E:ID_SERIAL="))
}

/// The choice in brackets, as in `none [mq-deadline] kyber`.
pub(crate) fn chosen(choices: &str) -> String {
    let bracketed = choices.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(choices, |(name, _)| name).to_string()
}

fn read_trimmed(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remedy::Remedy;

    #[test]
    fn what_is_no_storage_is_told_apart() {
        let kind_of = |path: &str| identify(Path::new(path)).unwrap().kind;
        assert_eq!(kind_of("/dev/null"), Kind::CharacterDevice);
        assert_eq!(kind_of("/"), Kind::Directory);
        assert_eq!(kind_of("/proc/self/exe"), Kind::File);
    }

    #[test]
    fn a_file_is_known_through_a_symlink_with_its_filesystem() {
        let exe = std::env::current_exe().unwrap();
        let identity = identify(Path::new("/proc/self/exe")).unwrap();
        assert_eq!(identity.canonical_path, fs::canonicalize(&exe).unwrap());
        assert_eq!(identity.size_bytes, fs::metadata(&exe).unwrap().len());
        assert!(identity.logical_block_bytes.is_power_of_two());
        assert!(!identity.filesystem.unwrap().name.is_empty());
        assert!(!identity.kernel_release.is_empty());
    }

    #[test]
    fn a_missing_path_says_so_with_a_way_out() {
        let error = identify(Path::new("/no/such/device")).unwrap_err();
        assert!(error.to_string().contains("/no/such/device"), "{error}");
        assert_eq!(error.remedy(), Some(Remedy::CreateHere));
    }

    #[test]
    fn serial_and_scheduler_are_read_from_their_formats() {
        assert_eq!(product_data_serial(b"\0\x80\0\x06 S3Z9 "), Some("S3Z9".into()));
        assert_eq!(product_data_serial(b"\0\x80\0\xff short"), None);
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(chosen("none"), "none");
    }
}
