//! Ratio varies (paper 001, table 1, Mix): six combinations of two baselines.

use flashscope_core::{Bytes, Location, Mix, Pattern, Rw};

use super::{Draft, Frame, Micro, Scope, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "mix",
    doc: "two baseline patterns mixed in one stream",
    parameter: "IOs of the first pattern for each of the second",
    is_uflip: true,
    points,
};

const PAIRS: [(Rw, Rw); 6] = [
    (Rw::Read, Rw::RandRead),
    (Rw::Read, Rw::RandWrite),
    (Rw::Read, Rw::Write),
    (Rw::RandRead, Rw::Write),
    (Rw::RandRead, Rw::RandWrite),
    (Rw::Write, Rw::RandWrite),
];

fn points(frame: &Frame) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (first, second) in PAIRS {
        let curve = format!("{}/{}", first.short_name(), second.short_name());
        for ratio in frame.powers(6, 3) {
            if frame.scope == Scope::Quick && ratio > 8 {
                continue;
            }
            let random = first.is_random() || second.is_random();
            let size = if random { frame.whole() } else { frame.room };
            // Two equal halves of whole IOs.
            let size = Bytes(size.0 / (2 * frame.bs.0) * 2 * frame.bs.0);
            let location = if first.is_random() { Location::Random } else { Location::Sequential };
            let mix = Some(Mix::ratio(second, ratio as u32));
            let pattern = Pattern { rw: first, size, location, mix, ..frame.baseline(first) };
            drafts.push(draft(&curve, ratio as f64, ratio, pattern));
        }
    }
    drafts
}
