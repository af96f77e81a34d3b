//! Burst varies at a fixed pause of 100 ms (paper 001, table 1, Bursts).
//!
//! Table 1's formula, `(i mod Burst) x Pause`, would pause after almost every IO and longer each time;
//! section 3.1 says that a pause comes between groups of Burst IOs. This follows the text.

use flashscope_core::{Nanos, Pattern};

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "burst",
    doc: "idle time of 100 ms between bursts: how much work is deferred?",
    parameter: "burst, IOs",
    is_uflip: true,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in frame.paused() {
        for tens in frame.powers(6, 3) {
            let burst = tens * 10;
            let pattern =
                Pattern { thinktime: Nanos::from_ms(100), thinktime_blocks: burst, ..frame.baseline(rw) };
            drafts.push(draft(rw.short_name(), burst as f64, burst, pattern));
        }
    }
    drafts
}
