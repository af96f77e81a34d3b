//! The processors' frequency: what governs it, and whether it may go above the nominal one.

use std::collections::BTreeMap;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check =
    Check { name: "frequency", about: "frequency governor and turbo of the processors", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let mut governors: BTreeMap<String, usize> = BTreeMap::new();
    for cpu in scene.processors() {
        let file = cpu.join("cpufreq/scaling_governor");
        let Ok(governor) = std::fs::read_to_string(file) else { continue };
        *governors.entry(governor.trim().to_string()).or_default() += 1;
    }
    if governors.is_empty() {
        let why = "the kernel does not control the frequency (in a guest, the host does)";
        return vec![Remark::unseen(why, "a slow or changing CPU frequency adds microseconds to short IOs")];
    }
    let mut remarks = vec![governor(&governors)];
    remarks.extend(turbo(scene));
    remarks
}

fn governor(governors: &BTreeMap<String, usize>) -> Remark {
    let others: Vec<_> = governors.keys().filter(|name| *name != "performance").map(String::as_str).collect();
    if others.is_empty() {
        return Remark::ok("performance governor");
    }
    let count: usize = others.iter().map(|name| governors[*name]).sum();
    let all: usize = governors.values().sum();
    let found = format!("{} governor on {count} of {all} processors", others.join(" and "));
    let matters = "the CPU slows down between IOs: response times below some 50 us are too long and vary, \
        and peak IOPS are lower";
    let mend = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    let remark = match others.contains(&"powersave") {
        true => Remark::warning(found, matters),
        false => Remark::note(found, matters),
    };
    remark.mend(mend)
}

fn turbo(scene: &Scene) -> Option<Remark> {
    let (file, is_on, off) = match scene.number("sys/devices/system/cpu/intel_pstate/no_turbo") {
        Some(no_turbo) => ("/sys/devices/system/cpu/intel_pstate/no_turbo", no_turbo == 0, 1),
        None => {
            let boost = scene.number("sys/devices/system/cpu/cpufreq/boost")?;
            ("/sys/devices/system/cpu/cpufreq/boost", boost == 1, 0)
        }
    };
    if !is_on {
        return Some(Remark::ok("turbo is off"));
    }
    let matters = "the frequency depends on temperature and other load: CPU-bound rates vary";
    Some(Remark::note("turbo is on", matters).mend(format!("echo {off} | sudo tee {file}")))
}
