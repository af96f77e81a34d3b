//! Current users of a target, from the kernel: mounts, swap, holders, loop devices.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::Reason;
use crate::identify::{Identity, Kind};
use crate::mounts::{Mount, Swap, mounts, swaps};
use crate::sys::loop_backing;
use crate::sysfs::{BlockDir, DevId, list, whole_disks};

/// Every use of the target that writing would harm, and whether the list could be made at all.
pub(super) fn uses(identity: &Identity) -> Vec<Reason> {
    let mounts = match mounts() {
        Ok(mounts) => mounts,
        Err(error) => return vec![Reason::CouldNotProbe { what: format!("the table of mounts: {error}") }],
    };
    let mut reasons = loops_on(identity);
    if identity.kind == Kind::File {
        reasons.extend(swap_file(identity).then(|| Reason::Swap { device: name(identity) }));
        return reasons;
    }
    let Some(target) = BlockDir::of(identity.device) else {
        return vec![Reason::CouldNotProbe { what: "/sys, which does not show the device".into() }];
    };
    if on_root_disk(&target, &mounts) {
        reasons.push(Reason::RootDisk { disk: target.whole_disk().name() });
    }
    reasons.extend(overlapping(&target).iter().flat_map(|part| uses_of(part, &mounts)));
    if let [first, ..] = target.partitions().as_slice() {
        reasons.push(Reason::Partitioned { count: target.partitions().len(), first: first.name() });
    }
    reasons
}

/// Uses of the same disk that writing to the target does not harm, but that disturb a measurement: those of
/// its other partitions.
pub(super) fn neighbours(identity: &Identity) -> Vec<Reason> {
    let target = BlockDir::of(identity.device).filter(|_| identity.kind == Kind::BlockDevice);
    let Some(partition) = target.filter(BlockDir::is_partition) else { return Vec::new() };
    let mounts = mounts().unwrap_or_default();
    let others = partition.whole_disk().partitions().into_iter();
    let others = others.filter(|other| other.device() != Some(identity.device));
    others.flat_map(|other| uses_of(&other, &mounts)).collect()
}

/// Whether the disk of the root filesystem is unknown, as in a container.
pub(super) fn root_is_hidden() -> bool {
    let mounts = mounts().unwrap_or_default();
    let root = mounts.iter().rfind(|mount| mount.mount_point == Path::new("/"));
    let in_memory = root.is_some_and(|root| matches!(root.filesystem.as_str(), "tmpfs" | "ramfs" | "rootfs"));
    !in_memory && root_device(&mounts).and_then(BlockDir::of).is_none()
}

/// The devices that share bytes with the target: itself, its partitions, the disk it is a partition of.
fn overlapping(target: &BlockDir) -> Vec<BlockDir> {
    let mut devices = vec![target.clone()];
    devices.extend(target.partitions());
    devices.extend(target.is_partition().then(|| target.whole_disk()));
    devices
}

fn uses_of(part: &BlockDir, mounts: &[Mount]) -> Vec<Reason> {
    let Some(device) = part.device() else { return Vec::new() };
    let name = format!("/dev/{}", part.name());
    let on_it = mounts.iter().filter(|mount| mount.is_on(device));
    let mut reasons: Vec<_> = on_it
        .map(|mount| Reason::Mounted { device: name.clone(), mount_point: mount.mount_point.clone() })
        .collect();
    let holders = part.holders().into_iter();
    reasons.extend(holders.map(|by| Reason::Holder { device: name.clone(), holder: by.name() }));
    if swaps().iter().any(|swap| matches!(swap, Swap::Device(used) if *used == device)) {
        reasons.push(Reason::Swap { device: name.clone() });
    }
    if let Some(uuid) = btrfs_member(&part.name()) {
        reasons.push(Reason::Holder { device: name, holder: format!("btrfs {uuid}") });
    }
    reasons
}

/// The mounted btrfs that a device belongs to: of several, the table of mounts names only one.
fn btrfs_member(name: &str) -> Option<String> {
    let filesystems = list(Path::new("/sys/fs/btrfs"));
    let holding = filesystems.iter().find(|fs| fs.join("devices").join(name.replace('/', "!")).exists())?;
    Some(holding.file_name()?.to_string_lossy().into_owned())
}

fn swap_file(identity: &Identity) -> bool {
    let this = (identity.device, identity.inode);
    swaps().iter().any(|swap| matches!(swap, Swap::File { device, inode } if (*device, *inode) == this))
}

fn name(identity: &Identity) -> String {
    identity.canonical_path.display().to_string()
}

/// Loop devices that stand on the target, or on a device that shares bytes with it.
fn loops_on(identity: &Identity) -> Vec<Reason> {
    let block = BlockDir::of(identity.device).filter(|_| identity.kind == Kind::BlockDevice);
    let devices: Vec<_> = block.iter().flat_map(overlapping).filter_map(|part| part.device()).collect();
    let stands_on_target = |base: &Base| match base {
        Base::Device(device) => devices.contains(device),
        Base::File { device, inode } => {
            identity.kind == Kind::File && (*device, *inode) == (identity.device, identity.inode)
        }
    };
    let loops =
        whole_disks().into_iter().filter(|disk| base_of(disk).is_some_and(|base| stands_on_target(&base)));
    loops.map(|disk| Reason::LoopBacking { device: name(identity), loop_device: disk.name() }).collect()
}

/// What a loop device stands on.
enum Base {
    Device(DevId),
    File { device: DevId, inode: u64 },
}

/// By the kernel's own numbers where the loop device may be opened, else by the path it was attached with.
fn base_of(disk: &BlockDir) -> Option<Base> {
    let path = disk.text("loop/backing_file")?;
    let status = File::open(format!("/dev/{}", disk.name())).ok().and_then(|file| loop_backing(&file).ok());
    if let Some(status) = status {
        let file = Base::File { device: status.device, inode: status.inode };
        return Some(status.block_device.map_or(file, Base::Device));
    }
    if let Some(device) = DevId::of_block_path(Path::new(&path)) {
        return Some(Base::Device(device));
    }
    let metadata = fs::metadata(path).ok()?;
    Some(Base::File { device: DevId::from_raw(metadata.dev()), inode: metadata.ino() })
}

/// Whether target and root filesystem share a disk, through partitions, volumes, RAID and loops.
fn on_root_disk(target: &BlockDir, mounts: &[Mount]) -> bool {
    let root = root_device(mounts).map(|device| stack_below(device, true)).unwrap_or_default();
    let own = target.device().map(|device| stack_below(device, false)).unwrap_or_default();
    !root.is_disjoint(&own)
}

/// The device of `/`: by its number, or by what is mounted there where the number is anonymous.
fn root_device(mounts: &[Mount]) -> Option<DevId> {
    let device = DevId::from_raw(fs::metadata("/").ok()?.dev());
    if device.major != 0 {
        return Some(device);
    }
    let at_root = mounts.iter().filter(|mount| mount.mount_point == Path::new("/"));
    at_root.filter_map(|mount| mount.source_device).next_back()
}

/// The whole disks under a device. `through_files` follows a loop device to the disk that its file lies on;
/// without it, a loop on a file is a disk of its own, for writing to it changes only that file.
pub(crate) fn stack_below(device: DevId, through_files: bool) -> BTreeSet<DevId> {
    let mut disks = BTreeSet::new();
    let mut todo = vec![device];
    while let Some(block) = todo.pop().and_then(BlockDir::of) {
        let whole = block.whole_disk();
        let Some(number) = whole.device() else { continue };
        if !disks.insert(number) {
            continue;
        }
        todo.extend(block.slaves().iter().chain(&whole.slaves()).filter_map(BlockDir::device));
        todo.extend(match base_of(&whole) {
            Some(Base::Device(below)) => Some(below),
            Some(Base::File { device, .. }) if through_files => Some(device),
            _ => None,
        });
    }
    disks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_filesystem_stands_on_its_own_disk() {
        let Some(device) = root_device(&mounts().unwrap()) else { return };
        let root = BlockDir::of(device).expect("a device with a number is in /sys");
        assert!(on_root_disk(&root, &mounts().unwrap()));
        assert!(on_root_disk(&root.whole_disk(), &mounts().unwrap()));
    }
}
