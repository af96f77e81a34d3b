//! IOShift varies (paper 001, table 1, Alignment).

use flashscope_core::{Bytes, Pattern, Rw};

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "alignment",
    doc: "response time of unaligned IOs",
    parameter: "offset from alignment, bytes",
    is_uflip: true,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    let last = (frame.bs.0 / 512).max(1).ilog2();
    let shifts: Vec<u64> = frame.powers(last, 2).into_iter().map(|sectors| sectors * 512).collect();
    let mut drafts = Vec::new();
    for rw in Rw::ALL {
        for &shift in shifts.iter().filter(|shift| shift.is_multiple_of(frame.sector.0)) {
            let base = frame.baseline(rw);
            // The shift moves the last IO beyond the space: leave it room inside the span.
            let size = Bytes(base.size.0 - frame.bs.0);
            let pattern = Pattern { size, shift: Bytes(shift), ..base };
            drafts.push(draft(rw.short_name(), shift as f64, Bytes(shift), pattern));
        }
    }
    drafts
}
