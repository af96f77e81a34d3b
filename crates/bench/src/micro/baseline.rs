//! SR, RR, SW and RW with nothing varied: the reference of all others (paper 001, section 3.1).

use flashscope_core::Rw;

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "baseline",
    doc: "the four baseline patterns, long enough to find warm-up and period",
    parameter: "none",
    is_uflip: false,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    Rw::ALL.into_iter().map(|rw| draft(rw.short_name(), 0.0, frame.bs, frame.baseline(rw))).collect()
}
