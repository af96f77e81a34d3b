//! IOSize varies (paper 001, table 1, Granularity).

use flashscope_core::{Bytes, Pattern, Rw};

use super::{Draft, Frame, Micro, Scope, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "granularity",
    doc: "response time against IO size",
    parameter: "IO size, bytes",
    is_uflip: true,
    points,
};

/// `[2^0, ..., 2^9] x 512 B`, "plus some non-powers of 2".
fn sizes(frame: &Frame) -> Vec<u64> {
    let mut sectors = frame.powers(9, 2);
    if frame.scope == Scope::Full {
        sectors.extend([3, 6, 12, 24, 48, 96, 192, 384]);
        sectors.sort_unstable();
    }
    let sizes = sectors.into_iter().map(|sectors| sectors * 512);
    sizes.filter(|size| size.is_multiple_of(frame.sector.0)).collect()
}

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for rw in Rw::ALL {
        for bs in sizes(frame) {
            let base = frame.baseline(rw);
            let size = Bytes(base.size.0 / bs * bs);
            drafts.push(draft(
                rw.short_name(),
                bs as f64,
                Bytes(bs),
                Pattern { bs: Bytes(bs), size, ..base },
            ));
        }
    }
    drafts
}
