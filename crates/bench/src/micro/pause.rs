//! Pause varies (paper 001, table 1, Pause).

use flashscope_core::{Nanos, Pattern};

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "pause",
    doc: "idle time after every IO: does background work use it?",
    parameter: "pause, ms",
    is_uflip: true,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in frame.paused() {
        for tenths in frame.powers(8, 2) {
            let thinktime = Nanos::from_us(tenths * 100);
            let pattern = Pattern { thinktime, ..frame.baseline(rw) };
            drafts.push(draft(
                rw.short_name(),
                thinktime.as_ms(),
                format!("{}ms", thinktime.as_ms()),
                pattern,
            ));
        }
    }
    drafts
}
