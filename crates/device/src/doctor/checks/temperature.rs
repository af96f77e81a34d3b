//! How warm the drive is, and how far from the temperature at which it slows down.

use std::path::{Path, PathBuf};

use crate::doctor::scene::{Scene, number};
use crate::doctor::{Check, Remark};
use crate::remedy::Remedy;
use crate::sysfs::{BlockDir, list};

pub(super) const CHECK: Check =
    Check { name: "temperature", about: "the drive's temperature and its limit", examine };

const MATTERS: &str = "a hot drive throttles: affects long writes and everything after them";
/// For drives without a stated limit: most flash drives throttle between 70 and 85 °C.
const USUAL_LIMIT_C: f64 = 70.0;
const NEAR_C: f64 = 8.0;

fn examine(scene: &Scene) -> Vec<Remark> {
    scene.drives().map(|disk| temperature(scene, disk)).collect()
}

fn temperature(scene: &Scene, disk: &BlockDir) -> Remark {
    let name = disk.name();
    let sensors = sensors(disk.folder());
    let reading = |sensor: &PathBuf, what: &str| degrees(&sensor.join(what));
    let found = sensors.iter().find_map(|sensor| Some((sensor, reading(sensor, "temp1_input")?)));
    let Some((sensor, now)) = found else { return unseen(scene, disk) };
    let limit = reading(sensor, "temp1_max").or_else(|| reading(sensor, "temp1_crit"));
    // Some drives report an absurd limit instead of none.
    let limit = limit.filter(|limit| (30.0..150.0).contains(limit)).unwrap_or(USUAL_LIMIT_C);
    let found = format!("{name} has {now:.0} °C, its limit is {limit:.0} °C");
    let mend = Remedy::words("let it cool down, and improve the air flow");
    match limit - now {
        room if room <= 0.0 => Remark::wrong(found, MATTERS).mend(mend),
        room if room <= NEAR_C => Remark::warning(found, MATTERS).mend(mend),
        _ => Remark::ok(found),
    }
}

/// NVMe drives have a sensor in their own folder, SATA ones by the module `drivetemp`.
fn sensors(disk: &Path) -> Vec<PathBuf> {
    let places = ["device", "device/device", "device/hwmon", "device/device/hwmon"];
    let children = places.iter().flat_map(|place| list(&disk.join(place)));
    let is_sensor = |path: &PathBuf| path.join("temp1_input").is_file();
    children.filter(is_sensor).collect()
}

fn degrees(file: &Path) -> Option<f64> {
    number(file).map(|milli| milli as f64 / 1000.0)
}

fn unseen(scene: &Scene, disk: &BlockDir) -> Remark {
    let name = disk.name();
    let is_scsi = name.starts_with("sd");
    let why = match is_scsi && !scene.path("sys/module/drivetemp").exists() {
        true => "the module drivetemp is not loaded",
        false => "the kernel reports no sensor for it",
    };
    let remark = Remark::unseen(format!("{name}: {why}"), MATTERS);
    if is_scsi { remark.mend("sudo modprobe drivetemp") } else { remark }
}
