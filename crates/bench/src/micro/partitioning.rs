//! Partitions varies (paper 001, table 1, Partitioning).

use flashscope_core::{Location, Rw};

use super::{Draft, Frame, Micro, draft, located};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "partitioning",
    doc: "concurrent sequential streams, round robin",
    parameter: "concurrent streams",
    is_uflip: true,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let slots = frame.room.0 / frame.bs.0;
    let mut drafts = Vec::new();
    for rw in [Rw::Read, Rw::Write] {
        for partitions in frame.powers(8, 1).into_iter().filter(|&partitions| partitions <= slots) {
            let location = Location::Partitioned { partitions: partitions as u32 };
            let pattern = located(frame.baseline(rw), location);
            drafts.push(draft(rw.short_name(), partitions as f64, partitions, pattern));
        }
    }
    drafts
}
