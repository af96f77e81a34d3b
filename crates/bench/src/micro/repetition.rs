//! Whether the order of earlier writes matters (paper 004): gaps that are regular or random, and a random
//! order that is repeated.

use flashscope_core::{Bytes, Location, Pattern, Rw};

use super::{Draft, Frame, Micro, Scope, draft};

/// See the module.
pub const MICRO: Micro = Micro {
    name: "repetition",
    doc: "almost-sequential writes, and repeats of one random order",
    parameter: "none",
    is_uflip: false,
    points,
};

fn points(frame: &Frame) -> Vec<Draft> {
    if frame.scope != Scope::Full {
        return Vec::new();
    }
    let gap = Bytes(2 * frame.bs.0);
    let kinds = [
        ("sequential", Location::Sequential),
        ("regular-gaps", Location::RegularGaps { gap }),
        ("random-gaps", Location::RandomGaps { gap }),
        ("permutation", Location::Permutation),
        ("repeated-permutation", Location::RepeatedPermutation),
    ];
    let bs = gap;
    let size = Bytes(frame.room.0 / bs.0 * bs.0);
    let pattern = |location| Pattern { bs, size, location, ..frame.baseline(Rw::Write) };
    kinds
        .iter()
        .enumerate()
        .map(|(i, (name, location))| draft("W", i as f64, name, pattern(*location)))
        .collect()
}
