//! ParallelDegree varies (paper 001, table 1, Parallelism).

use flashscope_core::{Pattern, Rw};

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "parallelism",
    doc: "parallel processes, each in its own part of the space",
    parameter: "processes",
    is_uflip: true,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in Rw::ALL {
        for degree in frame.powers(4, 2).into_iter().filter(|&d| d <= u64::from(frame.queue_depth_max)) {
            let pattern = Pattern { numjobs: degree as u32, ..frame.baseline(rw) };
            drafts.push(draft(rw.short_name(), degree as f64, degree, pattern));
        }
    }
    drafts
}
