//! What the kernel says about block devices under `/sys`: small typed readers, nothing is opened for IO.

use std::fmt;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// A device number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DevId {
    /// The driver's number; zero for a filesystem without a block device of its own.
    pub major: u32,
    /// Which of the driver's devices.
    pub minor: u32,
}

impl DevId {
    /// From the kernel's packed form (`st_dev`, `st_rdev`).
    pub fn from_raw(raw: u64) -> DevId {
        DevId { major: rustix::fs::major(raw), minor: rustix::fs::minor(raw) }
    }

    /// The device behind a block special file, or `None` where `path` is anything else.
    pub fn of_block_path(path: &Path) -> Option<DevId> {
        let metadata = fs::metadata(path).ok()?;
        metadata.file_type().is_block_device().then(|| DevId::from_raw(metadata.rdev()))
    }

    /// From `MAJOR:MINOR`, as the files of `/sys` and `/proc` have it.
    pub fn parse(text: &str) -> Option<DevId> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(DevId { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for DevId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

impl Serialize for DevId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One block device's folder under `/sys`.
#[derive(Clone, Debug)]
pub(crate) struct BlockDir(PathBuf);

impl BlockDir {
    /// The folder of `device`, `None` where the kernel shows none.
    pub fn of(device: DevId) -> Option<BlockDir> {
        fs::canonicalize(format!("/sys/dev/block/{device}")).ok().map(BlockDir)
    }

    /// The folder of the whole disk with this name.
    pub fn named(name: &str) -> Option<BlockDir> {
        BlockDir::at(&Path::new("/sys/block").join(name.replace('/', "!")))
    }

    /// A folder that may be a link.
    pub fn at(folder: &Path) -> Option<BlockDir> {
        fs::canonicalize(folder).ok().map(BlockDir)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// The kernel's name, such as `nvme0n1p2`.
    pub fn name(&self) -> String {
        // The kernel writes '/' in a device name as '!' in /sys.
        self.0.file_name().map(|name| name.to_string_lossy().replace('!', "/")).unwrap_or_default()
    }

    pub fn device(&self) -> Option<DevId> {
        DevId::parse(&self.text("dev")?)
    }

    /// An attribute's trimmed text; `None` where it is missing or empty.
    pub fn text(&self, attribute: &str) -> Option<String> {
        let bytes = fs::read(self.0.join(attribute)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!text.is_empty()).then(|| text.to_string())
    }

    pub fn number(&self, attribute: &str) -> Option<u64> {
        self.text(attribute)?.parse().ok()
    }

    /// The attribute's raw bytes.
    pub fn bytes(&self, attribute: &str) -> Option<Vec<u8>> {
        fs::read(self.0.join(attribute)).ok()
    }

    pub fn is_partition(&self) -> bool {
        self.0.join("partition").exists()
    }

    /// The disk that this is a partition of, or itself.
    pub fn whole_disk(&self) -> BlockDir {
        match self.0.parent() {
            Some(parent) if self.is_partition() => BlockDir(parent.to_path_buf()),
            _ => self.clone(),
        }
    }

    /// The partitions of a whole disk; empty for a partition.
    pub fn partitions(&self) -> Vec<BlockDir> {
        let children = list(&self.0).into_iter().map(BlockDir);
        let mut partitions: Vec<_> = children.filter(|child| child.is_partition()).collect();
        partitions.sort_by_key(|child| child.number("partition"));
        partitions
    }

    /// Devices built on top of this one (device mapper, md, bcache).
    pub fn holders(&self) -> Vec<BlockDir> {
        self.links("holders")
    }

    /// Devices that this one is built on.
    pub fn slaves(&self) -> Vec<BlockDir> {
        self.links("slaves")
    }

    fn links(&self, folder: &str) -> Vec<BlockDir> {
        let links = list(&self.0.join(folder));
        links.iter().filter_map(|link| fs::canonicalize(link).ok()).map(BlockDir).collect()
    }
}

/// All block devices that are no partitions.
pub(crate) fn whole_disks() -> Vec<BlockDir> {
    let links = list(Path::new("/sys/block"));
    links.iter().filter_map(|link| fs::canonicalize(link).ok()).map(BlockDir).collect()
}

/// The entries of a folder, sorted; empty where it cannot be read.
pub(crate) fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_print_as_the_kernel_writes_them() {
        let device = DevId { major: 259, minor: 3 };
        assert_eq!(DevId::parse("259:3\n"), Some(device));
        assert_eq!(device.to_string(), "259:3");
        assert_eq!(DevId::parse("259"), None);
        assert_eq!(DevId::from_raw(rustix::fs::makedev(259, 3)), device);
    }

    #[test]
    fn every_whole_disk_knows_its_own_number() {
        for disk in whole_disks() {
            let device = disk.device().expect("every block device has a number");
            assert_eq!(BlockDir::of(device).map(|dir| dir.name()), Some(disk.name()));
            assert!(!disk.is_partition());
        }
    }
}
