//! What the drive says about its own health, through `smartctl` where it is installed.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::sysfs::BlockDir;

pub(super) const CHECK: Check =
    Check { name: "health", about: "wear, errors and warnings from SMART", examine };

const MATTERS: &str = "a worn or failing drive gets slower";

/// Asks every drive among `disks`; those that are made of others have no answer of their own.
pub(in crate::doctor) fn ask(disks: &[BlockDir]) -> Vec<(String, Result<Value, String>)> {
    let drives = disks.iter().filter(|disk| disk.is_drive());
    drives.map(|disk| (disk.name(), smartctl(&disk.name()))).collect()
}

fn smartctl(name: &str) -> Result<Value, String> {
    if is_virtual(name) {
        return Err("a virtual disk has no SMART".into());
    }
    let places = ["/usr/sbin", "/usr/bin", "/sbin", "/usr/local/sbin"].map(PathBuf::from);
    let program = places.iter().map(|place| place.join("smartctl")).find(|file| file.is_file());
    let program = program.ok_or("smartctl is not installed: sudo apt install smartmontools")?;
    // `standby`: a sleeping disk is not woken.
    let mut command = Command::new(program);
    command.args(["-j", "-a", "-n", "standby"]).arg(format!("/dev/{name}"));
    let text = output(command).ok_or("smartctl gave no answer within 10 s")?;
    let answer: Value = serde_json::from_str(&text).map_err(|_| "smartctl's answer is not JSON")?;
    let told = answer.get("smart_status").is_some();
    let why = answer["smartctl"]["messages"][0]["string"].as_str().unwrap_or("the drive does not report it");
    if told { Ok(answer) } else { Err(format!("{why}; run as root, or look with smartctl -a /dev/{name}")) }
}

fn is_virtual(name: &str) -> bool {
    ["vd", "xvd", "nbd", "rbd", "mmcblk"].iter().any(|prefix| name.starts_with(prefix))
}

/// What a command prints, unless it hangs: a dying drive may not answer.
fn output(mut command: Command) -> Option<String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut pipe = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).map(|_| text).ok()
    });
    for _ in 0..100 {
        if child.try_wait().ok()?.is_some() {
            return reader.join().ok()?;
        }
        sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn examine(scene: &Scene) -> Vec<Remark> {
    let health = |(name, answer): &(String, Result<Value, String>)| match answer {
        Ok(answer) => told(name, answer),
        Err(why) => vec![Remark::unseen(format!("{name}: {why}"), MATTERS)],
    };
    scene.smart.iter().flat_map(health).collect()
}

fn told(name: &str, answer: &Value) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let nvme = &answer["nvme_smart_health_information_log"];
    let number = |key: &str| nvme[key].as_u64().unwrap_or(0);
    if answer["smart_status"]["passed"] == false || number("critical_warning") != 0 {
        let remark = Remark::wrong(format!("{name} reports that it is failing"), MATTERS);
        remarks.push(remark.mend(format!("sudo smartctl -a /dev/{name}    # why; then save the data")));
    }
    if number("percentage_used") >= 90 {
        let found = format!("{name} has used {} % of its rated life", number("percentage_used"));
        remarks.push(Remark::warning(found, MATTERS));
    }
    if number("media_errors") > 0 {
        let found = format!("{name} counts {} media errors", number("media_errors"));
        remarks.push(Remark::warning(found, "reads that the drive repeats internally take milliseconds"));
    }
    let hot_min = number("warning_temp_time") + number("critical_comp_time");
    if hot_min > 0 {
        let found = format!("{name} was too hot for {hot_min} min of its life");
        remarks.push(Remark::note(found, "it may throttle in long runs: watch its temperature"));
    }
    if remarks.is_empty() {
        let used = nvme["percentage_used"].as_u64().map_or(String::new(), |used| format!(", {used} % worn"));
        remarks.push(Remark::ok(format!("{name} is healthy{used}")));
    }
    remarks
}
