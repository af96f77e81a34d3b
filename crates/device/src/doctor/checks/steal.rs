//! Time that the host gave to other guests while this one wanted to run.

use flashscope_core::number::percent;

use crate::doctor::scene::{Counts, Scene};
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check = Check { name: "stolen time", about: "CPU time taken by the host", examine };

fn examine(scene: &Scene) -> Vec<Remark> {
    let [before, after] = &scene.counts;
    let (Some(before), Some(after)) = (times(before), times(after)) else {
        return vec![Remark::unseen("/proc/stat cannot be read", "stolen CPU time would go unnoticed")];
    };
    let all = after.1.saturating_sub(before.1);
    let stolen = after.0.saturating_sub(before.0);
    let share = 100.0 * stolen as f64 / all.max(1) as f64;
    if stolen == 0 {
        return vec![Remark::ok("no CPU time was stolen")];
    }
    let found = format!("the host took {} of the CPU time", percent(share / 100.0));
    let matters = "the machine stops in the middle of IOs: single response times of milliseconds not caused \
        by the device";
    vec![if share >= 1.0 { Remark::warning(found, matters) } else { Remark::note(found, matters) }]
}

/// Stolen ticks and all ticks: `cpu user nice system idle iowait irq softirq steal guest guest_nice`. What
/// guests of this machine use is contained in user and nice.
fn times(counts: &Counts) -> Option<(u64, u64)> {
    let line = counts.stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    Some((*ticks.get(7)?, ticks[..8].iter().sum()))
}
