//! Saving power: on battery, sleeping NVMe drives and SATA links.

use std::fs;

use crate::doctor::scene::{Scene, number};
use crate::doctor::{Check, Remark};
use crate::remedy::Remedy;
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "power", about: "battery, power saving of drives and links", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let mut remarks: Vec<_> = battery(scene).into_iter().collect();
    remarks.extend(scene.drives().filter_map(|disk| nvme(disk).or_else(|| sata(scene, disk))));
    remarks
}

fn battery(scene: &Scene) -> Option<Remark> {
    let supplies = scene.list("sys/class/power_supply");
    let kind = |name: &std::path::PathBuf| fs::read_to_string(name.join("type")).unwrap_or_default();
    let mains: Vec<_> = supplies.iter().filter(|supply| kind(supply).trim() == "Mains").collect();
    let is_plugged = mains.iter().any(|supply| number(&supply.join("online")) == Some(1));
    if mains.is_empty() || is_plugged {
        return None;
    }
    let matters = "CPU, links and drive may be slowed to save power: affects all results";
    Some(Remark::warning("the machine runs on battery", matters).mend(Remedy::words("plug it in")))
}

/// Autonomous power state transitions: the latency that the drive may take to wake.
fn nvme(disk: &BlockDir) -> Option<Remark> {
    let name = disk.name();
    name.strip_prefix("nvme")?;
    let tolerance = disk.text("device/power/pm_qos_latency_tolerance_us")?;
    if tolerance == "0" {
        return Some(Remark::ok(format!("{name} has no autonomous power states")));
    }
    let controller = name.rsplit_once('n').map_or(name.as_str(), |(controller, _)| controller);
    let matters = "the first IOs after idle time wait up to milliseconds for it to wake up: affects pauses, \
        bursts, low rates";
    let mend = format!("echo 0 | sudo tee /sys/class/nvme/{controller}/power/pm_qos_latency_tolerance_us");
    Some(Remark::note(format!("{name} may enter power states when idle (APST)"), matters).mend(mend))
}

fn sata(scene: &Scene, disk: &BlockDir) -> Option<Remark> {
    let mut parts = disk.folder().components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let is_host =
        |part: &String| part.strip_prefix("host").is_some_and(|number| number.parse::<u32>().is_ok());
    let host = parts.rfind(is_host)?;
    let file = format!("sys/class/scsi_host/{host}/link_power_management_policy");
    let policy = scene.text(&file)?;
    let name = disk.name();
    if policy == "max_performance" || policy == "keep_firmware_settings" {
        return Some(Remark::ok(format!("the link of {name} does not save power ({policy})")));
    }
    let matters =
        "the link sleeps between IOs and needs up to 10 ms to wake up: affects pauses, bursts, low rates";
    let remark = Remark::note(format!("the link of {name} saves power ({policy})"), matters);
    Some(remark.mend(format!("echo max_performance | sudo tee /{file}")))
}
