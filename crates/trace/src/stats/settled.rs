//! Regions that have nothing more to tell, so that long requests pass over them at once.
//!
//! A region is settled for writes when all of it was written, or when it is not chosen for the footprint, and
//! none of its blocks is in the sample of re-use; it is settled for reads when all of it was touched. Sectors
//! stay touched and written, and levels only rise: what is settled stays so. So a small cache that forgets
//! changes no result.

/// As many groups are remembered, each of 64 regions: 16 GiB.
const GROUPS: usize = 4096;
/// A group is 2 to the power of this, in regions.
const GROUP_SHIFT: u32 = 6;
/// The regions of one device are that many groups apart from those of the next, as a power of two.
const DEVICE_SHIFT: u32 = 48 - GROUP_SHIFT;

/// A bit for each region of a group.
#[derive(Clone, Copy)]
struct Group {
    number: u64,
    /// For reads and for writes.
    regions: [u64; 2],
}

/// What was found settled of late.
pub(super) struct Settled(Vec<Group>);

impl Default for Settled {
    fn default() -> Settled {
        Settled(vec![Group { number: u64::MAX, regions: [0; 2] }; GROUPS])
    }
}

impl Settled {
    /// Looks at the regions from `first` to `last`, up to the end of the group of `first`. Returns the bits
    /// of those that are not settled, the region of bit 0, and the last one looked at.
    #[inline]
    pub(super) fn open(&self, first: u64, last: u64, is_write: bool) -> (u64, u64, u64) {
        let base = first >> GROUP_SHIFT << GROUP_SHIFT;
        let end = last.min(base + 63);
        let all = (u64::MAX << (first - base)) & (u64::MAX >> (63 - (end - base)));
        let group = &self.0[place(first >> GROUP_SHIFT)];
        let is_known = group.number == first >> GROUP_SHIFT;
        let settled = if is_known { group.regions[usize::from(is_write)] } else { 0 };
        (all & !settled, base, end)
    }

    /// A region is settled for reads, and perhaps for writes.
    #[inline]
    pub(super) fn add(&mut self, region: u64, for_writes: bool) {
        let number = region >> GROUP_SHIFT;
        let group = &mut self.0[place(number)];
        if group.number != number {
            *group = Group { number, regions: [0; 2] };
        }
        let bit = 1 << (region - (number << GROUP_SHIFT));
        group.regions[0] |= bit;
        group.regions[1] |= if for_writes { bit } else { 0 };
    }
}

fn place(number: u64) -> usize {
    (number ^ (number >> DEVICE_SHIFT)) as usize % GROUPS
}
