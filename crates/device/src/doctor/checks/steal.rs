//! Time that the host gave to other guests while this one wanted to run.

use flashscope_core::number::percent;

use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};
use crate::processors::Ticks;

pub(super) const CHECK: Check = Check { name: "stolen time", about: "CPU time taken by the host", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let [before, after] = &scene.counts;
    let (Some(before), Some(after)) = (Ticks::of(&before.stat), Ticks::of(&after.stat)) else {
        return vec![Remark::unseen("/proc/stat cannot be read", "stolen CPU time would go unnoticed")];
    };
    let all = after.all.saturating_sub(before.all);
    let stolen = after.stolen.saturating_sub(before.stolen);
    let share = 100.0 * stolen as f64 / all.max(1) as f64;
    if stolen == 0 {
        return vec![Remark::ok("no CPU time was stolen")];
    }
    let found = format!("the host took {} of the CPU time", percent(share / 100.0));
    let matters = "the machine stops in the middle of IOs: single response times of milliseconds not caused \
        by the device";
    vec![if share >= 1.0 { Remark::warning(found, matters) } else { Remark::note(found, matters) }]
}
