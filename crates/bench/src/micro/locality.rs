//! TargetSize varies (paper 001, table 1, Locality).

use flashscope_core::{Bytes, Pattern, Rw};

use super::{Draft, Frame, Micro, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "locality",
    doc: "response time against the size of the working set",
    parameter: "working set, bytes",
    is_uflip: true,
    points,
};

/// Random: `[2^0, ..., 2^16] x IOSize`; sequential: `[2^0, ..., 2^8] x IOSize`.
fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in Rw::ALL {
        let (last, step) = if rw.is_random() { (16, 2) } else { (8, 4) };
        let sizes = frame.powers(last, step).into_iter().map(|slots| slots * frame.bs.0);
        for size in sizes.filter(|&size| size <= frame.whole().0) {
            let pattern = Pattern { size: Bytes(size), ..frame.baseline(rw) };
            drafts.push(draft(rw.short_name(), size as f64, Bytes(size), pattern));
        }
    }
    drafts
}
