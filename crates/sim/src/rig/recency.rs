//! Which of a few slots was used longest ago, and whether any of a few addresses is a given one: both in
//! constant time, for that is what each random IO asks.

/// Slots in order of use: a list linked both ways.
pub(super) struct Recency {
    newer: Vec<u8>,
    older: Vec<u8>,
    newest: u8,
    oldest: u8,
}

impl Recency {
    /// An order of `slots` slots, 1 to 64.
    pub(super) fn new(slots: u32) -> Recency {
        let last = slots as u8 - 1;
        Recency {
            newer: (0..=last).map(|slot| slot.saturating_sub(1)).collect(),
            older: (0..=last).map(|slot| (slot + 1).min(last)).collect(),
            newest: 0,
            oldest: last,
        }
    }

    pub(super) fn oldest(&self) -> usize {
        usize::from(self.oldest)
    }

    #[inline]
    pub(super) fn touch(&mut self, slot: usize) {
        let this = slot as u8;
        if this == self.newest {
            return;
        }
        let (newer, older) = (self.newer[slot], self.older[slot]);
        self.older[usize::from(newer)] = older;
        if this == self.oldest {
            self.oldest = newer;
        } else {
            self.newer[usize::from(older)] = newer;
        }
        self.newer[usize::from(self.newest)] = this;
        self.older[slot] = self.newest;
        self.newest = this;
    }
}

/// A set of addresses that answers "surely not" or "perhaps": counts by hash.
pub(super) struct Filter([u8; 256]);

impl Filter {
    pub(super) fn new() -> Filter {
        Filter([0; 256])
    }

    #[inline]
    fn count(&mut self, address: u64) -> &mut u8 {
        // Fibonacci hashing: the top byte of a product with the golden ratio.
        &mut self.0[(address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize]
    }

    #[inline]
    pub(super) fn replace(&mut self, old: u64, new: u64) {
        *self.count(old) -= 1;
        *self.count(new) += 1;
    }

    pub(super) fn add(&mut self, address: u64) {
        *self.count(address) += 1;
    }

    #[inline]
    pub(super) fn perhaps(&mut self, address: u64) -> bool {
        *self.count(address) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    #[test]
    fn the_oldest_slot_is_the_one_used_longest_ago() {
        for slots in [1, 2, 5, 64] {
            let mut recency = Recency::new(slots);
            let mut used: Vec<u64> = (0..u64::from(slots)).rev().collect();
            let mut random = Random::new(3);
            for now in 100..3_000 {
                let slot = random.below(u64::from(slots)) as usize;
                recency.touch(slot);
                used[slot] = now;
                let oldest = (0..used.len()).min_by_key(|&i| used[i]).expect("a slot");
                assert_eq!(recency.oldest(), oldest, "seed 3, {slots} slots, step {now}");
            }
        }
    }
}
