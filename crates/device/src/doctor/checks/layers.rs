//! What lies between the target and the drives: loops, RAM disks, encryption, volumes, RAID, the network.

use crate::doctor::scene::{DiskKind, Scene};
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "layers", about: "layers between the target and the drives", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(target) = &scene.target else { return Vec::new() };
    let remarks: Vec<_> = scene.disks.iter().flat_map(layer).collect();
    if scene.disks.is_empty() {
        let what = target.filesystem.as_ref().map_or("the target", |filesystem| &filesystem.name);
        let why = format!("no known block device below {what}");
        let matters = "scheduler, write cache, temperature and other users of the disk are unknown";
        return vec![Remark::unseen(why, matters)];
    }
    if remarks.is_empty() {
        let names: Vec<_> = scene.disks.iter().map(BlockDir::name).collect();
        return vec![Remark::ok(format!("straight on {}", names.join(", ")))];
    }
    remarks
}

fn layer(disk: &BlockDir) -> Vec<Remark> {
    let name = disk.name();
    let one = |remark: Remark| vec![remark];
    match disk.kind() {
        DiskKind::Drive => Vec::new(),
        DiskKind::Loop => loop_device(disk),
        DiskKind::Zram => {
            let found = format!("{name} is compressed memory (zram)");
            one(Remark::wrong(found, "the results are those of CPU and memory, not of a device"))
        }
        DiskKind::Ram => {
            let found = format!("{name} is memory");
            one(Remark::wrong(found, "the results are those of memory, not of flash"))
        }
        DiskKind::Mapper => one(mapper(disk)),
        DiskKind::Raid => {
            let found = format!("{name} stripes over several devices");
            let matters = "alignment, granularity and parallelism are those of the array; writes smaller \
                than a stripe may need a read first";
            one(Remark::warning(found, matters))
        }
        DiskKind::Network => {
            let found = format!("{name} is on another machine");
            one(Remark::warning(found, "the results include the network and the remote caches"))
        }
    }
}

fn loop_device(disk: &BlockDir) -> Vec<Remark> {
    let name = disk.name();
    let file = disk.text("loop/backing_file").unwrap_or_else(|| "nothing".into());
    let found = format!("{name} is a loop device on {file}");
    let matters = "the results include the file's filesystem and a kernel thread: each IO takes longer, and \
        order and alignment may change";
    let mut remarks = vec![Remark::warning(found, matters)];
    if disk.number("loop/dio") == Some(0) {
        let found = format!("{name} goes through the page cache of {file}");
        let matters = "reads and writes are served from memory: affects nearly every result";
        let mend = format!("sudo losetup --direct-io=on /dev/{name}");
        remarks.push(Remark::wrong(found, matters).mend(mend));
    }
    remarks
}

fn mapper(disk: &BlockDir) -> Remark {
    let name = disk.text("dm/name").unwrap_or_else(|| disk.name());
    let kind = disk.text("dm/uuid").unwrap_or_default();
    match kind.split('-').next() {
        Some("CRYPT") => {
            let found = format!("{name} is encrypted (dm-crypt)");
            let matters = "the results include encryption by the CPU, which limits throughput, and its \
                queues reorder IOs";
            Remark::warning(found, matters)
        }
        Some("LVM") => {
            let matters =
                "its extents may be scattered over the device, and thin volumes and snapshots copy on write";
            Remark::note(format!("{name} is a logical volume"), matters)
        }
        _ => {
            let matters = "the results include the work of this layer";
            Remark::note(format!("{name} is a device-mapper device"), matters)
        }
    }
}
