//! When something is done, which may depend on what other operations wait for.

use serde::{Deserialize, Serialize};

/// When something is done. FTLs and buffers hand moments on, from an operation to the one that follows it.
/// [`Nand::both`](super::Nand::both) and [`Nand::later`](super::Nand::later) are all that is made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment(u64);

/// The rest is the running number of what it is the end of; else nanoseconds.
const IS_END: u64 = 1 << 63;

impl Moment {
    /// When the device was switched on: whatever waits for it waits for nothing.
    pub const START: Moment = Moment(0);

    /// So many nanoseconds after the device was switched on.
    #[inline]
    pub const fn at(ns: u64) -> Moment {
        Moment(ns)
    }

    /// The time in nanoseconds, if it was known when the moment was given.
    #[inline]
    pub const fn known_ns(self) -> Option<u64> {
        if self.0 & IS_END == 0 { Some(self.0) } else { None }
    }

    /// The end of what has this running number.
    #[inline]
    pub(super) const fn end_of(id: u64) -> Moment {
        Moment(id | IS_END)
    }

    /// The running number, if it is the end of something.
    #[inline]
    pub(super) const fn id(self) -> Option<u64> {
        if self.0 & IS_END == 0 { None } else { Some(self.0 & !IS_END) }
    }

    /// The time in nanoseconds, where it is known for sure.
    #[inline]
    pub(super) const fn ns(self) -> u64 {
        self.0
    }

    /// The later of two, if both are known.
    #[inline]
    pub(super) const fn later_of(self, other: Moment) -> Option<Moment> {
        if (self.0 | other.0) & IS_END != 0 {
            return None;
        }
        Some(if self.0 > other.0 { self } else { other })
    }
}
