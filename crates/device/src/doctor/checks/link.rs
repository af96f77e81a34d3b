//! The way to the drive: a PCIe link below its best, or USB.

use std::fs;
use std::path::Path;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check = Check { name: "link", about: "PCIe width and speed, USB", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().filter_map(link).collect()
}

fn link(disk: &BlockDir) -> Option<Remark> {
    let is_usb = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("usb"));
    if let Some(bus) = disk.folder().ancestors().find(|path| is_usb(path)) {
        let speed = text(bus, "speed").map_or(String::new(), |mbit| format!(" ({mbit} Mbit/s)"));
        let found = format!("{} is behind USB{speed}", disk.name());
        let matters = "the bridge limits throughput, adds to every response time, and may not pass on \
            flushes and trims";
        return Some(Remark::warning(found, matters));
    }
    let port = disk.folder().ancestors().find(|path| path.join("current_link_width").exists())?;
    let read = |name: &str| text(port, name);
    let (speed, speed_max) = (read("current_link_speed")?, read("max_link_speed")?);
    let (width, width_max) = (read("current_link_width")?, read("max_link_width")?);
    let found = format!("{}: PCIe x{width} at {speed}", disk.name());
    if speed == speed_max && width == width_max {
        return Some(Remark::ok(found));
    }
    let address = port.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = format!("{found}, at most x{width_max} at {speed_max} is possible");
    let matters =
        "the link limits throughput, above all of sequential and parallel patterns; try another slot";
    Some(Remark::warning(found, matters).mend(format!("sudo lspci -vv -s {address} | grep -i lnk    # why")))
}

fn text(folder: &Path, name: &str) -> Option<String> {
    Some(fs::read_to_string(folder.join(name)).ok()?.trim().to_string())
}
