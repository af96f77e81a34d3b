//! Which disk is recorded, and which part of it.

use std::fs;
use std::path::Path;

use anyhow::Result;
use flashscope_device::{DevId, Identity, Kind, identify};
use flashscope_trace::capture::Subject;

use crate::exit::Usage;

/// The whole disk that is recorded.
pub struct Disk {
    /// The kernel's name, such as `nvme0n1`.
    pub name: String,
    /// Its partition that was asked for.
    pub partition: Option<String>,
    /// What is recorded of it.
    pub subject: Subject,
}

impl Disk {
    /// The disk behind a path.
    pub fn find(path: &Path) -> Result<Disk> {
        let in_dev = Path::new("/dev").join(path);
        if !path.exists() && in_dev.exists() {
            return Err(
                Usage(format!("unknown {}; did you mean {}?", path.display(), in_dev.display())).into()
            );
        }
        let identity = identify(path)?;
        let hardware = match &identity.hardware {
            Some(hardware) if identity.kind == Kind::BlockDevice => hardware,
            _ => return Err(Usage(no_device(&identity)).into()),
        };
        let name = hardware.partition_of.as_ref().unwrap_or(&hardware.name).clone();
        let folder = Path::new("/sys/class/block").join(name.replace('/', "!"));
        check_for_requests(&name, &folder)?;
        let number = fs::read_to_string(folder.join("dev")).ok().and_then(|text| DevId::parse(&text));
        let number = number.ok_or_else(|| Usage(format!("/sys has no device number of {name}")))?;
        let first = hardware.partition_start_bytes.unwrap_or(0) / 512;
        let sectors = hardware.partition_of.as_ref().map(|_| first..first + identity.size_bytes / 512);
        let partition = hardware.partition_of.is_some().then(|| hardware.name.clone());
        let subject = Subject { device: (number.major, number.minor), sectors };
        Ok(Disk { name, partition, subject })
    }
}

/// A device that has no queue of its own passes requests on, or serves them at once; the kernel then reports
/// none.
fn check_for_requests(name: &str, folder: &Path) -> Result<(), Usage> {
    if folder.join("mq").is_dir() {
        return Ok(());
    }
    let below = fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
    let below: Vec<_> = below.map(|entry| format!("/dev/{}", entry.file_name().display())).collect();
    let remedy = match below.len() {
        0 => "and has no underlying device; it cannot be recorded".to_string(),
        _ => format!("record an underlying device: {}", below.join(", ")),
    };
    Err(Usage(format!("{name} has no requests of its own; {remedy}")))
}

fn no_device(identity: &Identity) -> String {
    let (path, kind) = (identity.path.display(), identity.kind.name());
    let below = identity.hardware.as_ref().map(|hardware| hardware.name.clone());
    let filesystem = identity.filesystem.as_ref();
    match below.filter(|_| matches!(identity.kind, Kind::File | Kind::Directory)) {
        Some(device) => format!("{path} is {kind} on {device}; to record that device, name /dev/{device}"),
        None => {
            let place = filesystem.map(|f| format!(" in {}, on no block device", f.name)).unwrap_or_default();
            format!("{path} is {kind}{place}; name a block device, such as those of lsblk")
        }
    }
}

/// Whether a file, which need not be there, lies on this disk, as far as that is known.
pub fn holds(disk: &str, file: &Path) -> bool {
    let folder = match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return false,
    };
    let hardware = identify(folder).ok().and_then(|identity| identity.hardware);
    hardware.is_some_and(|hardware| hardware.partition_of.unwrap_or(hardware.name) == disk)
}
