//! Which blocks of a volume are free.

/// A bit for each cluster, and a cursor for where to look.
pub(super) struct Allocator {
    bits: Vec<u64>,
    clusters: u64,
    free: u64,
}

impl Allocator {
    pub(super) fn new(clusters: u64) -> Allocator {
        Allocator { bits: vec![0; clusters.div_ceil(64) as usize], clusters, free: clusters }
    }

    pub(super) fn free(&self) -> u64 {
        self.free
    }

    pub(super) fn is_used(&self, cluster: u64) -> bool {
        self.bits[(cluster / 64) as usize] >> (cluster % 64) & 1 == 1
    }

    /// Marks a cluster as used, if it was free.
    pub(super) fn take(&mut self, cluster: u64) {
        if !self.is_used(cluster) {
            self.bits[(cluster / 64) as usize] |= 1 << (cluster % 64);
            self.free -= 1;
        }
    }

    pub(super) fn release(&mut self, cluster: u64) {
        debug_assert!(self.is_used(cluster), "only what is used can be released");
        self.bits[(cluster / 64) as usize] &= !(1 << (cluster % 64));
        self.free += 1;
    }

    /// Takes the first free cluster from `goal` on, going round; none if all are used.
    pub(super) fn next(&mut self, goal: u64) -> Option<u64> {
        if self.free == 0 {
            return None;
        }
        let mut at = goal % self.clusters;
        loop {
            let word = self.bits[(at / 64) as usize] | !(u64::MAX << (at % 64));
            if word != u64::MAX {
                let cluster = at / 64 * 64 + u64::from(word.trailing_ones());
                if cluster < self.clusters {
                    self.take(cluster);
                    return Some(cluster);
                }
            }
            at = if (at / 64 + 1) * 64 >= self.clusters { 0 } else { (at / 64 + 1) * 64 };
        }
    }
}
