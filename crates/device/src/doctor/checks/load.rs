//! Who else works on this machine: load, and time lost waiting for processors, memory and IO (PSI).

use flashscope_core::number::percent;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check =
    Check { name: "load", about: "load average and pressure on CPU, memory and IO", examine };

/// Shares of the last ten seconds, in per cent, from which a shortage is a warning.
const PRESSURES: &[(&str, f64, &str, &str)] = &[
    ("cpu", 10.0, "response times include waiting for a CPU, above all the long ones", "top -o %CPU"),
    ("memory", 1.0, "the kernel swaps and writes back pages: long response times", "free -m; top -o %MEM"),
    (
        "io",
        10.0,
        "other programs wait for IO; on the same disk, their IO is part of all results",
        "sudo iotop -o",
    ),
];

fn examine(scene: &Scene) -> Vec<Remark> {
    let mut remarks: Vec<_> = average(scene).into_iter().collect();
    for (resource, share_max, matters, mend) in PRESSURES {
        let text = scene.text(&format!("proc/pressure/{resource}"));
        let Some(share) = text.as_deref().and_then(last_ten_seconds) else { continue };
        if share > *share_max {
            let found =
                format!("{} of the last 10 s were spent waiting for {resource}", percent(share / 100.0));
            remarks.push(Remark::warning(found, *matters).mend(*mend));
        }
    }
    if scene.text("proc/pressure/io").is_none() {
        let why = "the kernel does not report pressure (/proc/pressure; boot with psi=1)";
        remarks.push(Remark::unseen(why, "a shortage of memory or CPUs would go unnoticed"));
    }
    remarks
}

fn average(scene: &Scene) -> Option<Remark> {
    let average = scene.text("proc/loadavg")?;
    let load: f64 = average.split(' ').next()?.parse().ok()?;
    let processors = scene.processors().len().max(1) as f64;
    let found = format!("load {load:.2} on {processors} CPUs");
    let matters = "other programs compete for CPUs and caches: affects the longest response times and the \
        highest rates";
    Some(match load / processors {
        share if share >= 0.75 => Remark::warning(found, matters).mend("top -o %CPU    # which program"),
        share if share >= 0.25 => Remark::note(found, matters).mend("top -o %CPU    # which program"),
        _ => Remark::ok(found),
    })
}

/// Of `some avg10=0.26 avg60=...`.
fn last_ten_seconds(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    line.split(' ').find_map(|field| field.strip_prefix("avg10="))?.parse().ok()
}
