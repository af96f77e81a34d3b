//! Whether the machine is a guest, and the disk its host's invention.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check = Check { name: "host", about: "guests, containers, virtual disks", examine };

const MODELS: &[&str] =
    &["QEMU", "VBOX", "VMware", "Virtual", "Msft", "PersistentDisk", "Elastic Block Store"];

fn examine(scene: &Scene) -> Vec<Remark> {
    let mut remarks: Vec<_> = scene.drives().filter_map(virtual_disk).collect();
    let processors = scene.text("proc/cpuinfo").unwrap_or_default();
    let flags = processors.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let is_guest = flags.split_whitespace().any(|flag| flag == "hypervisor");
    if is_guest || scene.path("sys/hypervisor/type").exists() {
        let maker = scene.text("sys/class/dmi/id/sys_vendor");
        let of = maker.map_or(String::new(), |maker| format!(" ({maker})"));
        let matters = "the results include the host's caches and other guests: repeat at another time before \
            trusting them";
        remarks.push(Remark::note(format!("this is a virtual machine{of}"), matters));
    }
    if ["run/.containerenv", ".dockerenv"].iter().any(|file| scene.path(file).exists()) {
        let matters = "limits and layers of the container may not be visible from within";
        remarks.push(Remark::note("this is a container", matters));
    }
    if remarks.is_empty() {
        remarks.push(Remark::ok("no virtual machine detected"));
    }
    remarks
}

fn virtual_disk(disk: &crate::sysfs::BlockDir) -> Option<Remark> {
    let name = disk.name();
    let model = disk.text("device/model").unwrap_or_default();
    let by_name = name.starts_with("vd") || name.starts_with("xvd");
    if !by_name && !MODELS.iter().any(|part| model.contains(part)) {
        return None;
    }
    let found = format!("{name} is a virtual disk {model}");
    let matters =
        "the host's page cache may answer reads, the host may limit rates, and the real device is unknown";
    Some(Remark::warning(found.trim_end(), matters))
}
