//! Regions that have nothing more to tell, so that requests pass over them at once.
//!
//! The footprint has no more to learn of a region's writes when all of it was written, or when it is not
//! chosen; nor of its reads when all of it was touched. Re-use has nothing to learn when none of its blocks
//! is in the sample. Sectors stay touched and written, and levels only rise: what is settled stays so. So a
//! small cache that forgets changes no result.

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
    known: Known,
}

/// What is settled, a bit for each region of a group.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// For the footprint, of reads.
    pub(super) reads: u64,
    /// For the footprint, of writes.
    pub(super) writes: u64,
    /// For re-use.
    pub(super) unsampled: u64,
}

/// Regions that are not settled, as bits from `base` on.
pub(super) struct Open {
    pub(super) regions: u64,
    /// Of these, those that the footprint must know of.
    pub(super) unknown: u64,
    pub(super) base: u64,
    /// The last region looked at.
    pub(super) end: u64,
}

/// What was found settled of late.
pub(super) struct Settled(Vec<Group>);

impl Default for Settled {
    fn default() -> Settled {
        Settled(vec![Group { number: u64::MAX, known: Known::default() }; GROUPS])
    }
}

impl Settled {
    /// Looks at the regions from `first` to `last`, up to the end of the group of `first`.
    #[inline]
    pub(super) fn open(&self, first: u64, last: u64, is_write: bool) -> Open {
        let number = first >> GROUP_SHIFT;
        let base = number << GROUP_SHIFT;
        let end = last.min(base + 63);
        let all = (u64::MAX << (first - base)) & (u64::MAX >> (63 - (end - base)));
        let known = self.known(number);
        let of_footprint = if is_write { known.writes } else { known.reads };
        Open { regions: all & !(of_footprint & known.unsampled), unknown: all & !of_footprint, base, end }
    }

    #[inline]
    fn known(&self, number: u64) -> Known {
        let Group { number: held, known } = self.0[place(number)];
        let mask = if held == number { u64::MAX } else { 0 };
        Known { reads: known.reads & mask, writes: known.writes & mask, unsampled: known.unsampled & mask }
    }

    /// More is known of the group that a region belongs to.
    #[inline]
    pub(super) fn add(&mut self, region: u64, more: Known) {
        let number = region >> GROUP_SHIFT;
        let Known { reads, writes, unsampled } = self.known(number);
        let (reads, writes) = (reads | more.reads, writes | more.writes);
        let known = Known { reads, writes, unsampled: unsampled | more.unsampled };
        self.0[place(number)] = Group { number, known };
    }

    /// The footprint knows all of a region for reads, and for writes.
    pub(super) fn add_region(&mut self, region: u64, for_reads: bool, for_writes: bool) {
        let (reads, writes) = (u64::from(for_reads) << (region & 63), u64::from(for_writes) << (region & 63));
        self.add(region, Known { reads, writes, unsampled: 0 });
    }
}

fn place(number: u64) -> usize {
    (number ^ (number >> DEVICE_SHIFT)) as usize % GROUPS
}
