//! Processors that were slowed down because of heat.

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::remedy::Remedy;

pub(super) const CHECK: Check =
    Check { name: "throttling", about: "processors slowed down because of heat", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let [before, after] = [&scene.counts[0], &scene.counts[1]].map(|counts| counts.throttled);
    let matters = "a slower processor adds to every response time and lowers the highest rates";
    let has_counters = scene.processors().iter().any(|cpu| cpu.join("thermal_throttle").is_dir());
    match (after.saturating_sub(before), after) {
        _ if !has_counters => Vec::new(),
        (0, 0) => vec![Remark::ok("no processor was slowed down by heat since the start")],
        (0, times) => {
            let found = format!("processors were slowed down by heat {times} times since the start");
            vec![Remark::note(found, matters)]
        }
        _ => {
            let remark = Remark::warning("processors are being slowed down by heat", matters);
            vec![remark.mend(Remedy::words("let it cool down: less load, more air"))]
        }
    }
}
