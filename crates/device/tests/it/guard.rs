//! Dangerous targets: each is refused with its reason, by the check and by opening, with `wipefs` and
//! without, and not one byte of it changes.

use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::common::{Loop, Mounted, Scratch, fingerprint, requires, run};
use flashscope_device::guard::check_with;
use flashscope_device::signature::find_wipefs;
use flashscope_device::{DeviceError, Finding, Handle, Intent, Reason, check, create_file, identify};

const MIB: u64 = 1 << 20;

/// Asserts that `target` is refused for writing because of `expected`, whoever looks for signatures, and that
/// `image` keeps every byte.
fn refused(target: &Path, image: &Path, intent: Intent, expected: impl Fn(&Reason) -> bool) {
    let before = fingerprint(image);
    refused_by_all(target, intent, expected);
    assert_eq!(fingerprint(image), before, "bytes changed");
}

/// Where the kernel itself may write to the target meanwhile.
fn refused_by_all(target: &Path, intent: Intent, expected: impl Fn(&Reason) -> bool) {
    for wipefs in [find_wipefs(), None] {
        let verdict = check_with(target, &intent, wipefs.clone()).unwrap();
        assert!(verdict.refused.iter().any(&expected), "check, {wipefs:?}: {:?}", verdict.refused);
        match Handle::open_with(target, &intent, wipefs.clone()) {
            Err(DeviceError::Refused { reasons, .. }) => {
                assert!(reasons.iter().any(&expected), "open, {wipefs:?}: {reasons:?}");
            }
            other => panic!("open, {wipefs:?}: {other:?}"),
        }
    }
}

/// The same for a loop device on an image that `prepare` has written to.
fn signature_refused(tools: &[&str], size_bytes: u64, kind: &str, prepare: impl Fn(&str)) {
    if !requires(tools) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", size_bytes), &[]);
    prepare(disk.name());
    refused(
        &disk.device,
        &disk.image,
        Intent::WRITE,
        |reason| matches!(reason, Reason::Signature { signature, .. } if signature.kind.contains(kind)),
    );
}

fn ext4(device: &str) {
    run("mkfs.ext4", &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", device]);
}

#[test]
fn an_ext4_filesystem() {
    signature_refused(&["mkfs.ext4"], 16 * MIB, "ext", ext4);
}

#[test]
fn an_xfs_filesystem() {
    signature_refused(&["mkfs.xfs"], 320 * MIB, "xfs", |device| {
        run("mkfs.xfs", &["-q", device]);
    });
}

#[test]
fn a_btrfs_filesystem() {
    signature_refused(&["mkfs.btrfs"], 128 * MIB, "btrfs", |device| {
        run("mkfs.btrfs", &["-q", device]);
    });
}

#[test]
fn a_physical_volume_of_lvm() {
    signature_refused(&["pvcreate"], 16 * MIB, "LVM2_member", |device| {
        run("pvcreate", &["-q", "--devices", device, device]);
    });
}

#[test]
fn swap_space() {
    signature_refused(&["mkswap"], 16 * MIB, "swap", |device| {
        run("mkswap", &[device]);
    });
}

#[test]
fn a_gpt() {
    signature_refused(&["sfdisk"], 16 * MIB, "gpt", |device| partition(device, "gpt"));
}

#[test]
fn an_mbr_partition_table() {
    signature_refused(&["sfdisk"], 16 * MIB, "dos", |device| partition(device, "dos"));
}

/// The first GPT is gone, as after a careless `dd`; the spare one at the end still tells.
#[test]
fn a_gpt_of_which_only_the_backup_is_left() {
    signature_refused(&["sfdisk"], 16 * MIB, "gpt", |device| {
        partition(device, "gpt");
        let disk = File::options().write(true).open(device).unwrap();
        disk.write_all_at(&[0; 34 * 512], 0).unwrap();
        disk.sync_all().unwrap();
    });
}

fn partition(device: &str, label: &str) {
    let script = format!("label: {label}\nstart=2048, size=16384\nsize=8192\n");
    let sfdisk = std::process::Command::new("sfdisk")
        .args(["-q", "--no-reread", "--no-tell-kernel", device])
        .stdin(std::process::Stdio::piped())
        .spawn();
    let mut sfdisk = sfdisk.unwrap();
    sfdisk.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(sfdisk.wait().unwrap().success());
}

#[test]
fn a_mounted_device_also_through_a_symlink() {
    if !requires(&["mkfs.ext4"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    ext4(disk.name());
    let _mounted = Mounted::read_only(disk.name(), scratch.path("mnt"));
    let link = scratch.path("harmless-name");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    for target in [&disk.device, &link] {
        let is_mounted = |reason: &Reason| {
            matches!(reason, Reason::Mounted { device, mount_point }
                if device == disk.name() && *mount_point == scratch.path("mnt"))
        };
        refused(target, &disk.image, Intent::WRITE, is_mounted);
        refused(target, &disk.image, Intent::WRITE, |reason| *reason == Reason::HeldByOther);
    }
    let reading = check(&disk.device, &Intent::READ).unwrap();
    assert!(reading.allowed(), "reading harms nobody: {:?}", reading.refused);
    assert!(reading.findings.iter().any(|finding| matches!(finding, Finding::Shared { .. })));
}

#[test]
fn a_partitioned_disk_and_the_disk_of_a_mounted_partition() {
    if !requires(&["sfdisk", "partx", "mkfs.ext4"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 32 * MIB), &[]);
    partition(disk.name(), "dos");
    run("partx", &["--add", disk.name()]);
    refused(&disk.device, &disk.image, Intent::WRITE, |reason| {
        matches!(reason, Reason::Partitioned { count: 2, .. })
    });
    let part = format!("{}p1", disk.name());
    let identity = identify(Path::new(&part)).unwrap();
    let hardware = identity.hardware.as_ref().unwrap();
    assert_eq!(hardware.partition_of.as_deref(), disk.device.file_name().and_then(|name| name.to_str()));
    assert_eq!((identity.size_bytes, hardware.partition_start_bytes), (8 * MIB, Some(MIB)));
    ext4(&part);
    let _mounted = Mounted::read_only(&part, scratch.path("mnt"));
    let second = PathBuf::from(format!("{}p2", disk.name()));
    let verdict = check(&second, &Intent::WRITE).unwrap();
    assert!(verdict.allowed(), "its own bytes are nobody's: {:?}", verdict.refused);
    assert!(verdict.findings.iter().any(|finding| matches!(finding, Finding::Shared { .. })));
    let part_mounted = |reason: &Reason| matches!(reason, Reason::Mounted { device, .. } if *device == part);
    refused(&disk.device, &disk.image, Intent::WRITE, part_mounted);
    refused(Path::new(&part), &disk.image, Intent::WRITE, part_mounted);
}

#[test]
fn a_partition_of_a_disk_that_is_itself_in_use() {
    if !requires(&["partx", "sfdisk"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 32 * MIB), &[]);
    partition(disk.name(), "dos");
    run("partx", &["--add", disk.name()]);
    let upper = Loop::attach(&disk.device, &[]);
    let is_upper = |reason: &Reason| match reason {
        Reason::LoopBacking { loop_device, .. } => upper.name().ends_with(loop_device),
        _ => false,
    };
    let part = PathBuf::from(format!("{}p1", disk.name()));
    refused(&part, &disk.image, Intent::WRITE, is_upper);
}

#[test]
fn a_device_in_use_as_swap() {
    if !requires(&["mkswap", "swapon", "swapoff"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    run("mkswap", &[disk.name()]);
    run("swapon", &["--priority", "0", disk.name()]);
    let verdict = std::panic::catch_unwind(|| {
        refused_by_all(&disk.device, Intent::WRITE, |reason| matches!(reason, Reason::Swap { .. }));
    });
    run("swapoff", &[disk.name()]);
    verdict.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn a_device_held_by_another_opener() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    let holder = Handle::open(&disk.device, &Intent::WRITE).expect("a blank device may be written");
    refused(&disk.device, &disk.image, Intent::WRITE, |reason| *reason == Reason::HeldByOther);
    drop(holder);
    assert!(check(&disk.device, &Intent::WRITE).unwrap().allowed(), "held no longer than its handle lives");
}

#[test]
fn a_device_or_file_beneath_a_loop_device() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let lower = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    let upper = Loop::attach(&lower.device, &[]);
    let beneath = |expected: &Loop| {
        let loop_name = expected.name().trim_start_matches("/dev/").to_string();
        move |reason: &Reason| match reason {
            Reason::LoopBacking { loop_device, .. } => *loop_device == loop_name,
            _ => false,
        }
    };
    refused(&lower.device, &lower.image, Intent::WRITE, beneath(&upper));
    let overwrite = Intent { overwrite_existing_data: true, ..Intent::WRITE };
    refused(&lower.image, &lower.image, overwrite, beneath(&lower));
}

#[test]
fn a_read_only_device() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &["--read-only"]);
    refused(&disk.device, &disk.image, Intent::WRITE, |reason| *reason == Reason::ReadOnly);
    assert!(check(&disk.device, &Intent::READ).unwrap().allowed());
}

#[test]
fn a_device_smaller_than_the_pattern() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    for write in [false, true] {
        let intent = Intent { write, span_bytes: 16 * MIB + 512, ..Intent::READ };
        refused(&disk.device, &disk.image, intent, |reason| {
            *reason == Reason::TooSmall { size_bytes: 16 * MIB, need_bytes: 16 * MIB + 512 }
        });
        let fits = Intent { span_bytes: 16 * MIB, ..intent };
        assert!(check(&disk.device, &fits).unwrap().allowed());
    }
}

#[test]
fn sectors_larger_than_the_io() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &["--sector-size", "4096"]);
    for write in [false, true] {
        let intent = Intent { write, io_unit_bytes: 512, ..Intent::READ };
        refused(&disk.device, &disk.image, intent, |reason| {
            *reason == Reason::SectorSize { sector_bytes: 4096, io_unit_bytes: 512 }
        });
        assert!(check(&disk.device, &Intent { io_unit_bytes: 8192, ..intent }).unwrap().allowed());
    }
}

/// A probe that fails is no evidence of emptiness.
#[test]
fn a_device_that_cannot_be_probed() {
    if !requires(&["false"]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    for broken in ["/bin/false", "/bin/echo", "/no/such/wipefs"] {
        let verdict = check_with(&disk.device, &Intent::WRITE, Some(broken.into())).unwrap();
        let is_it = |reason: &Reason| matches!(reason, Reason::CouldNotProbe { .. });
        assert!(verdict.refused.iter().any(is_it), "{broken}: {:?}", verdict.refused);
    }
}

/// The image shrinks under its loop device: the end, where a backup GPT may lie, cannot be read.
#[test]
fn a_device_of_which_a_part_cannot_be_read() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    File::options().write(true).open(&disk.image).unwrap().set_len(8 * MIB).unwrap();
    refused(&disk.device, &disk.image, Intent::WRITE, |reason| {
        matches!(reason, Reason::CouldNotProbe { .. })
    });
}

#[test]
fn the_disk_of_the_root_filesystem() {
    if !requires(&["findmnt"]) {
        return;
    }
    let source = PathBuf::from(run("findmnt", &["--noheadings", "--output", "SOURCE", "/"]));
    let Ok(identity) = identify(&source) else { return };
    let disk = identity.hardware.and_then(|hardware| hardware.partition_of);
    let disk = disk.map(|name| Path::new("/dev").join(name)).unwrap_or(identity.canonical_path);
    for target in [source, disk] {
        // Only looked at: the root disk is not a place to try out what happens otherwise.
        let verdict = check(&target, &Intent::WRITE).unwrap();
        assert!(verdict.refused.iter().any(|reason| matches!(reason, Reason::RootDisk { .. })), "{target:?}");
    }
}

#[test]
fn what_is_neither_file_nor_block_device() {
    let scratch = Scratch::new();
    let fifo = scratch.path("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for target in [Path::new("/dev/null"), Path::new("/dev"), &fifo] {
        for intent in [Intent::READ, Intent::WRITE] {
            let verdict = check(target, &intent).unwrap();
            assert!(matches!(verdict.refused[..], [Reason::NotATarget { .. }]), "{target:?}");
            assert!(matches!(Handle::open(target, &intent), Err(DeviceError::Refused { .. })));
        }
    }
}

#[test]
fn a_file_that_flashscope_did_not_create() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("thesis.odt");
    fs::write(&path, vec![7; 8192]).unwrap();
    refused(&path, &path, Intent::WRITE, |reason| *reason == Reason::NotOurs { changed: false });
    let overwrite = Intent { overwrite_existing_data: true, ..Intent::WRITE };
    assert!(Handle::open(&path, &overwrite).is_ok(), "the person said that it may go");
    refused(&path, &path, Intent::WRITE, |reason| *reason == Reason::NotOurs { changed: false });
}

#[test]
fn a_file_of_ours_until_somebody_puts_a_filesystem_into_it() {
    if !requires(&["mkfs.ext4"]) {
        return;
    }
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.path("target");
    create_file(&path, 16 * MIB, 1, &mut |_| ControlFlow::Continue(())).unwrap();
    let handle = Handle::open(&path, &Intent::WRITE).expect("our own file may be written");
    refused(&path, &path, Intent::WRITE, |reason| *reason == Reason::HeldByOther);
    drop(handle);
    assert!(check(&path, &Intent::WRITE).unwrap().allowed(), "and again");
    ext4(path.to_str().unwrap());
    refused(&path, &path, Intent::WRITE, |reason| *reason == Reason::NotOurs { changed: true });
    refused(&path, &path, Intent::WRITE, |reason| matches!(reason, Reason::Signature { .. }));
    let overwrite = Intent { overwrite_existing_data: true, ..Intent::WRITE };
    let verdict = check(&path, &overwrite).unwrap();
    assert!(verdict.allowed());
    assert!(verdict.findings.iter().any(|finding| matches!(finding, Finding::Overwritten { .. })));
}

#[test]
fn a_sparse_file_is_pointed_out() {
    let scratch = Scratch::under(&std::env::temp_dir());
    let path = scratch.image("sparse", 8 * MIB);
    let verdict = check(&path, &Intent::READ).unwrap();
    let sparse = Finding::Sparse { unwritten_bytes: 8 * MIB, size_bytes: 8 * MIB, write: false };
    assert!(verdict.findings.contains(&sparse), "{:?}", verdict.findings);
}

#[test]
fn a_blank_device_is_allowed_and_confirmed_by_its_serial() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 16 * MIB), &[]);
    let handle = Handle::open(&disk.device, &Intent::WRITE).expect("a blank device may be written");
    let identity = handle.identity();
    assert_eq!(identity.size_bytes, 16 * MIB);
    assert_eq!(identity.confirmation().as_deref(), disk.image.to_str());
    assert!(identity.confirms(&format!(" {}\n", disk.image.display())));
    for wrong in ["", "y", "yes", "loop", disk.name()] {
        assert!(!identity.confirms(wrong), "'{wrong}' confirms nothing");
    }
}
