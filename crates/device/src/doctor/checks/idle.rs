//! Deep sleep of idle processors: an interrupt has to wake one before an IO is seen to be done.

use std::fs;
use std::path::Path;

use crate::doctor::scene::{Scene, number};
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check = Check { name: "idle states", about: "wake-up latency of idle CPUs", examine };

/// From here it shows in the response times of fast drives.
const WAKE_US_MAX: u64 = 20;

fn examine(scene: &Scene) -> Vec<Remark> {
    let states = scene.list("sys/devices/system/cpu/cpu0/cpuidle");
    let enabled = states.iter().filter(|state| number(&state.join("disable")).unwrap_or(0) == 0);
    let deepest = enabled.filter_map(|state| Some((number(&state.join("latency"))?, name(state)))).max();
    let Some((wake_us, name)) = deepest else { return Vec::new() };
    if wake_us < WAKE_US_MAX {
        return vec![Remark::ok(format!("idle CPUs wake up within {wake_us} us"))];
    }
    let found = format!("idle CPUs enter {name}, {wake_us} us wake-up latency");
    let matters = "single IOs take up to that much longer, above all after a pause";
    vec![
        Remark::note(found, matters)
            .mend(format!("sudo cpupower idle-set --disable-by-latency {WAKE_US_MAX}")),
    ]
}

fn name(state: &Path) -> String {
    fs::read_to_string(state.join("name")).unwrap_or_default().trim().to_string()
}
