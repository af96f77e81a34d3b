//! Incr varies (paper 001, table 1, Order).

use flashscope_core::{Location, Pattern, Rw};

use super::{Draft, Frame, Micro, Scope, draft, located, odd_slots};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "order",
    doc: "descending addresses, rewrites of one address, large strides",
    parameter: "stride, IOs",
    is_uflip: true,
    points,
};

/// `[-1, 0, 2^0, ..., 2^8]`.
fn strides(frame: &Frame) -> Vec<i64> {
    let powers = frame.powers(8, 1).into_iter().map(|stride| stride as i64);
    let powers = powers.filter(|stride| frame.scope != Scope::Quick || *stride >= 32);
    [-1, 0].into_iter().chain(powers).collect()
}

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in [Rw::Read, Rw::Write] {
        for stride in strides(frame) {
            let base = frame.baseline(rw);
            // Large steps leave a room at once; they have the whole span, as random writes do.
            let size = if stride > 1 { frame.whole() } else { base.size };
            let size = if stride == 1 { size } else { odd_slots(size, frame.bs) };
            let pattern = located(Pattern { size, ..base }, Location::Ordered { stride });
            drafts.push(draft(rw.short_name(), stride as f64, stride, pattern));
        }
    }
    drafts
}
