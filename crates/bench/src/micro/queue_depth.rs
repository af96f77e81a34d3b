//! IOs in flight from one process: not in uFLIP, whose IOs are synchronous, but what a drive of today needs.

use flashscope_core::{Pattern, Rw};

use super::{Draft, Frame, Micro, Scope, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "queue-depth",
    doc: "throughput against IOs in flight",
    parameter: "IOs in flight",
    is_uflip: false,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in [Rw::RandRead, Rw::RandWrite] {
        let last = if frame.scope == Scope::Full { 7 } else { 5 };
        for depth in frame.powers(last, 5).into_iter().filter(|&d| d <= u64::from(frame.queue_depth_max)) {
            let pattern = Pattern { iodepth: depth as u32, ..frame.baseline(rw) };
            drafts.push(draft(rw.short_name(), depth as f64, depth, pattern));
        }
    }
    drafts
}
