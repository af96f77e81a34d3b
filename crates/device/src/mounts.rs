//! Who uses which device, from `/proc`: mounted filesystems and swap.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sysfs::DevId;

/// One mounted filesystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The filesystem's own number, anonymous (major 0) for btrfs and others.
    pub device: DevId,
    /// The device behind `source`, where that is a block device.
    pub source_device: Option<DevId>,
    pub mount_point: PathBuf,
    pub filesystem: String,
    pub source: PathBuf,
}

impl Mount {
    pub fn is_on(&self, device: DevId) -> bool {
        self.device == device || self.source_device == Some(device)
    }
}

/// Everything mounted in this mount namespace and in the first process's, where that may be read.
///
/// # Errors
/// When `/proc/self/mountinfo` cannot be read.
pub(crate) fn mounts() -> std::io::Result<Vec<Mount>> {
    let mut mounts = parse_all(&fs::read("/proc/self/mountinfo")?);
    for other in parse_all(&fs::read("/proc/1/mountinfo").unwrap_or_default()) {
        if !mounts.contains(&other) {
            mounts.push(other);
        }
    }
    Ok(mounts)
}

/// The mount that serves `path`: the one with the longest mount point above it, the last of equals.
pub(crate) fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.mount_point));
    above.max_by_key(|mount| mount.mount_point.as_os_str().len())
}

fn parse_all(table: &[u8]) -> Vec<Mount> {
    table.split(|byte| *byte == b'\n').filter_map(parse).collect()
}

/// One line: `id parent major:minor root mount-point options [tags] - type source superoptions`.
fn parse(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let dash = fields.iter().position(|field| *field == b"-")?;
    let source = unescape(fields.get(dash + 2)?);
    Some(Mount {
        device: DevId::parse(std::str::from_utf8(fields.get(2)?).ok()?)?,
        source_device: DevId::of_block_path(&source),
        mount_point: unescape(fields.get(4)?),
        filesystem: String::from_utf8_lossy(fields.get(dash + 1)?).into_owned(),
        source,
    })
}

/// The kernel writes space, tab, newline and backslash in a path as three octal digits.
fn unescape(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..3).filter(|_| byte == b'\\').and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|d| u8::from_str_radix(d, 8).ok()) {
            Some(code) => {
                path.push(code);
                rest = &tail[3..];
            }
            None => {
                path.push(byte);
                rest = tail;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

/// An area that the kernel swaps to.
pub(crate) enum Swap {
    Device(DevId),
    File { device: DevId, inode: u64 },
}

/// The swap areas in use.
pub(crate) fn swaps() -> Vec<Swap> {
    let table = fs::read("/proc/swaps").unwrap_or_default();
    let lines = table.split(|byte| *byte == b'\n').skip(1);
    lines.filter_map(|line| swap(&unescape(line.split(|byte| byte.is_ascii_whitespace()).next()?))).collect()
}

fn swap(path: &Path) -> Option<Swap> {
    if let Some(device) = DevId::of_block_path(path) {
        return Some(Swap::Device(device));
    }
    let metadata = fs::metadata(path).ok()?;
    Some(Swap::File { device: DevId::from_raw(metadata.dev()), inode: metadata.ino() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_line_gives_device_place_and_type() {
        let line = b"36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let mount = parse(line).unwrap();
        assert_eq!(mount.device, DevId { major: 98, minor: 0 });
        assert_eq!(mount.mount_point, Path::new("/mnt 2"));
        assert_eq!((mount.filesystem.as_str(), mount.source.as_path()), ("ext3", Path::new("/dev/root")));
    }

    #[test]
    fn a_path_belongs_to_the_deepest_mount_above_it() {
        let lines = b"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:2 / /home rw - xfs /dev/b rw\n";
        let mounts = parse_all(lines);
        let type_of = |path| mount_of(&mounts, Path::new(path)).map(|mount| mount.filesystem.as_str());
        assert_eq!(type_of("/home/me/file"), Some("xfs"));
        assert_eq!(type_of("/homes/file"), Some("ext4"));
    }

    #[test]
    fn a_backslash_that_starts_no_octal_code_stays() {
        assert_eq!(unescape(b"a\\134b\\09"), Path::new("a\\b\\09"));
    }
}
