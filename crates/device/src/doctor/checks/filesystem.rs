//! What a file's filesystem does with its IOs: memory, copy on write, compression, another machine.

use std::fs::File;

use rustix::fs::{IFlags, ioctl_getflags};

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::identify::{Filesystem, Identity};
use crate::remedy::Remedy;

pub(super) const CHECK: Check =
    Check { name: "filesystem", about: "effect of the file's filesystem on its IOs", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let Some(target) = &scene.target else { return Vec::new() };
    let Some(filesystem) = &target.filesystem else { return Vec::new() };
    let options = options(scene, filesystem);
    let flags = File::open(&target.canonical_path);
    let flags = flags.ok().and_then(|file| ioctl_getflags(file).ok()).unwrap_or(IFlags::empty());
    let mut remarks: Vec<_> = nature(filesystem, flags).into_iter().collect();
    remarks.extend(compression(filesystem, &options, flags));
    remarks.extend(journal(target, filesystem, &options));
    if flags.bits() & FS_ENCRYPT != 0 {
        let matters = "the results include encryption by the CPU, which limits throughput";
        remarks.push(Remark::warning("the file is encrypted by its filesystem", matters));
    }
    if remarks.is_empty() {
        let place = filesystem.mount_point.display();
        remarks.push(Remark::ok(format!("{} at {place} passes direct IO through", filesystem.name)));
    }
    remarks
}

/// `FS_ENCRYPT_FL` of `linux/fs.h`.
const FS_ENCRYPT: u32 = 0x800;

/// The mount's own options and those of its filesystem, separated by commas.
fn options(scene: &Scene, filesystem: &Filesystem) -> String {
    let table = scene.text("proc/self/mountinfo").unwrap_or_default();
    let place = filesystem.mount_point.display().to_string().replace(' ', "\\040");
    let mut lines = table.lines().filter(|line| line.split(' ').nth(4) == Some(&place));
    let line = lines.next_back().unwrap_or_default();
    let own = line.split(' ').nth(5).unwrap_or_default();
    format!("{own},{}", line.rsplit(' ').next().unwrap_or_default())
}

fn nature(filesystem: &Filesystem, flags: IFlags) -> Option<Remark> {
    let name = filesystem.name.as_str();
    let place = filesystem.mount_point.display();
    let found = |what: &str| format!("{name} at {place} {what}");
    Some(match name {
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => {
            let matters = "O_DIRECT has no effect: all results would be those of memory";
            Remark::wrong(found("is in memory"), matters).mend(Remedy::CreateOnDisk)
        }
        "nfs" | "nfs4" | "cifs" | "smb3" | "9p" | "virtiofs" | "ceph" | "afs" | "glusterfs" => {
            let matters =
                "the results are those of the network and another machine's caches, not of a device";
            Remark::wrong(found("is on another machine"), matters)
        }
        _ if name.starts_with("fuse") && name != "fuseblk" => {
            let matters = "the results are those of that program, which may answer from memory";
            Remark::wrong(found("is served by a userspace program"), matters)
        }
        "btrfs" | "bcachefs" if flags.contains(IFlags::NOCOW) => return None,
        "btrfs" | "bcachefs" | "zfs" => {
            let matters = "each write goes to a new place with new metadata, and reads verify checksums: \
                alignment, locality, order and rewrites do not reach the device as requested";
            let remark = Remark::warning(found("is copy-on-write"), matters);
            if name == "zfs" {
                return Some(remark);
            }
            let folder = filesystem.mount_point.join("measured");
            let prepare = format!("mkdir {0} && chattr +C {0}", folder.display());
            remark.mend(Remedy::CreateIn { folder, prepare })
        }
        "overlay" => {
            let matters =
                "a file of a lower layer is copied at its first write, and the disk below is hidden";
            Remark::warning(found("is an overlay (a container's root)"), matters)
        }
        "f2fs" | "nilfs2" => {
            let matters =
                "writes are appended to its log: order and locality do not reach the device as requested";
            Remark::warning(found("is log-structured"), matters)
        }
        "vfat" | "exfat" | "ntfs" | "ntfs3" | "fuseblk" => {
            let matters = "its metadata are written too; writes may be slower than the device's";
            Remark::note(found("is not designed for direct IO"), matters)
        }
        _ => return None,
    })
}

fn compression(filesystem: &Filesystem, options: &str, flags: IFlags) -> Option<Remark> {
    let mounted = options.split(',').any(|option| {
        let on = option.strip_prefix("compress").is_some_and(|rest| !rest.ends_with("=no"));
        on && matches!(filesystem.name.as_str(), "btrfs" | "bcachefs" | "f2fs")
    });
    if flags.contains(IFlags::NOCOW) || !(mounted || flags.contains(IFlags::COMPRESSED)) {
        return None;
    }
    let matters = "compressible data (zeros, counters) reach the device as fewer bytes than counted, and the \
        results include CPU time of the compression";
    let remark = Remark::warning("the filesystem compresses data", matters);
    Some(remark.mend(format!("sudo mount -o remount,compress=no {}", filesystem.mount_point.display())))
}

fn journal(target: &Identity, filesystem: &Filesystem, options: &str) -> Option<Remark> {
    let is_journalled = options.split(',').any(|option| option == "data=journal");
    let found = format!("{} keeps data in its journal (data=journal)", filesystem.mount_point.display());
    let matters = "direct IO falls back to the page cache, and everything is written twice";
    (is_journalled && target.filesystem.is_some()).then(|| Remark::wrong(found, matters))
}
