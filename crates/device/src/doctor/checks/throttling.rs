//! Processors that were slowed down because of heat.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::remedy::Remedy;

pub(super) const CHECK: Check =
    Check { name: "throttling", about: "thermal throttling of the CPUs", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let [before, after] = [&scene.counts[0], &scene.counts[1]].map(|counts| counts.throttled);
    let matters = "a slower CPU adds to every response time and lowers the highest rates";
    let has_counters = scene.processors().iter().any(|cpu| cpu.join("thermal_throttle").is_dir());
    match (after.saturating_sub(before), after) {
        _ if !has_counters => Vec::new(),
        (0, 0) => vec![Remark::ok("no thermal throttling since boot")],
        (0, times) => {
            let found = format!("CPUs were throttled {times} times since boot");
            vec![Remark::note(found, matters)]
        }
        _ => {
            let remark = Remark::warning("CPUs are being throttled", matters);
            vec![remark.mend(Remedy::words("reduce the load, or improve the cooling"))]
        }
    }
}
