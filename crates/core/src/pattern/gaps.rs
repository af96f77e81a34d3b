//! Sequential addresses with gaps.

use crate::seed::Random;

/// Advances by one slot, plus a gap after every `ios_between`, or then on a coin's toss.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    pub(super) next_bytes: u64,
    pub(super) gap_bytes: u64,
    pub(super) size_bytes: u64,
    pub(super) ios_between: u64,
    /// IOs since the last gap.
    pub(super) ios: u64,
    pub(super) coin: Option<Random>,
}

impl Gaps {
    #[inline]
    pub(super) fn next(&mut self, bs: u64) -> u64 {
        if self.next_bytes + bs > self.size_bytes {
            (self.next_bytes, self.ios) = (0, 0);
        }
        let at = self.next_bytes;
        (self.next_bytes, self.ios) = (at + bs, self.ios + 1);
        if self.ios == self.ios_between {
            let has_gap = self.coin.as_mut().is_none_or(|coin| coin.below(2) == 1);
            self.next_bytes += if has_gap { self.gap_bytes } else { 0 };
            self.ios = 0;
        }
        at
    }
}
