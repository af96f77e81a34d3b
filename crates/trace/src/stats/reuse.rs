//! A sample of blocks of 4 KiB: how many are in use in a window of time, and what lies between two writes of
//! the same block.
//!
//! A block is in the sample if the bits of a hash that are its own begin with as many zeros as the level
//! says: each independently with probability `2^-level`, and a block that stays when the level rises was in
//! the sample before. Every event of a block counts `2^level`. Small traces are not sampled: the table grows
//! for the first [`EXACT_ACCESSES`]. After that the level rises when the table is full, and, beyond the first
//! million accesses, while there are more of them than a quarter of the requests.
//!
//! A block is new to a window of time if its access before was in another window. Windows of `2^k` buckets
//! part two times exactly if these differ in bit `k` or above, so the highest bit that differs tells all
//! lengths of window at once.

use super::Limits;
use super::clock::{BUCKETS, Clock, fold};
use super::histogram::Histogram;
use super::regions::{BLOCK_SHIFT, hash};
use super::summary::{Distribution, QuantileErrors, Rewrites, WindowLength, WorkingSet};

/// One bit for each of the 16 blocks of a region.
const BLOCKS: u64 = 0x1111_1111_1111_1111;
/// The bits of a block that must be zero for a level up to 4.
const LEVEL_BITS: [u64; 5] = [0, 1, 3, 7, 15];
const BLOCK_BYTES: f64 = (1u64 << BLOCK_SHIFT) as f64;

/// Accesses that are looked up in any case; beyond them, one for so many requests.
const ACCESSES_FREE: u64 = 1 << 20;
const REQUESTS_PER_ACCESS: u64 = 4;
/// As long as no more accesses were made, the table grows, and nothing is sampled: 48 MiB at most.
const EXACT_ACCESSES: u64 = 1 << 19;
/// Blocks of the sample are parted into so many groups at random; how these differ tells the sampling error
/// (random groups: Wolter, Introduction to Variance Estimation, chapter 2).
const GROUPS: usize = 16;
/// Fewer blocks than twice this are not halved for the sake of speed.
const BLOCKS_MIN: usize = 1024;

/// The highest bit in which two buckets can differ, and one place more for "never accessed before".
const BITS: usize = BUCKETS.trailing_zeros() as usize;
const NEVER: usize = BITS;

/// An access to a block of the sample.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) hash: u64,
    pub(super) region: u64,
    /// The request's place among those that are given.
    pub(super) request: u32,
    /// Its number in its region.
    pub(super) block: u32,
}

/// A request that accesses blocks.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) time_ns: u64,
    /// Reads and writes before this one.
    pub(super) requests: u64,
    /// Bytes written before this request.
    pub(super) written_bytes: u64,
    pub(super) bucket: u16,
    pub(super) is_write: bool,
}

/// The blocks of a region from number `from` to number `to`; a block is bit 4 times its number.
#[inline]
pub(super) fn blocks(from: u64, to: u64) -> u64 {
    (BLOCKS >> (4 * (15 - to))) & (BLOCKS << (4 * from))
}

/// Those blocks of a region that are in the sample.
#[inline]
pub(super) fn blocks_chosen(region_hash: u64, level: u32) -> u64 {
    let mut chosen = BLOCKS;
    let (mut level, mut bits) = (level, region_hash);
    while level > 0 && chosen != 0 {
        let looked_at = bits & (BLOCKS * LEVEL_BITS[level.min(4) as usize]);
        chosen &= !(looked_at | looked_at >> 1 | looked_at >> 2 | looked_at >> 3);
        level -= level.min(4);
        bits = hash(bits);
    }
    chosen
}

/// A block in the table.
#[derive(Clone, Copy)]
struct Slot {
    region: u64,
    block: u32,
    is_written: bool,
    /// Of the last access.
    time_ns: u64,
    /// Of the last write.
    write_ns: u64,
    requests: u64,
    written_bytes: u64,
}

const UNUSED: Slot = Slot {
    region: 0,
    block: u32::MAX,
    is_written: false,
    time_ns: 0,
    write_ns: 0,
    requests: 0,
    written_bytes: 0,
};

/// Blocks that are new to windows, by the highest bit in which the time of their access before differs.
#[derive(Clone, Copy, Default)]
struct News {
    blocks: [f64; BITS + 1],
    /// The variance of their estimate.
    variances: [f64; BITS + 1],
}

/// What lies between two writes of a block. Blocks that are written together mostly were so before, so equal
/// gaps in a row are counted as one.
#[derive(Default)]
struct Gaps {
    /// Bytes, requests and time.
    last: [u64; 3],
    /// How many like the last are not counted yet.
    waiting: u64,
    bytes: Histogram,
    requests: Histogram,
    ns: Histogram,
}

impl Gaps {
    #[inline]
    fn add(&mut self, gap: [u64; 3], count: u64) {
        if gap != self.last {
            self.count();
            self.last = gap;
        }
        self.waiting += count;
    }

    #[inline]
    fn count(&mut self) {
        if self.waiting > 0 {
            self.bytes.add_many(self.last[0], self.waiting);
            self.requests.add_many(self.last[1], self.waiting);
            self.ns.add_many(self.last[2], self.waiting);
            self.waiting = 0;
        }
    }
}

/// What was written to the blocks of a group since there is a sample.
#[derive(Clone, Default)]
struct Group {
    writes: u64,
    bytes: Histogram,
}

/// The sample.
pub(super) struct Reuse {
    slots: Vec<Slot>,
    used: usize,
    blocks_max: usize,
    /// As it is once there is a sample; none when that has begun, or was asked for.
    sampled_blocks_max: Option<usize>,
    groups: Vec<Group>,
    level: u32,
    accesses: u64,
    news: Vec<News>,
    writes: u64,
    gaps: Gaps,
}

impl Reuse {
    pub(super) fn new(blocks_max: usize) -> Reuse {
        Reuse {
            slots: vec![UNUSED; (blocks_max * 4 / 3 + 1).next_power_of_two()],
            used: 0,
            blocks_max,
            // Who asks for a smaller table wants no larger one.
            sampled_blocks_max: (blocks_max >= Limits::default().blocks_max).then_some(blocks_max),
            groups: vec![Group::default(); GROUPS],
            level: 0,
            accesses: 0,
            news: vec![News::default(); BUCKETS],
            writes: 0,
            gaps: Gaps::default(),
        }
    }

    #[inline]
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Takes accesses `of` requests in their order; a bucket of time is 2 to the power of `shift`.
    /// `requests`: so far.
    pub(super) fn add(&mut self, accesses: &[Access], of: &[Request], shift: u32, requests: u64) {
        let level = self.level;
        self.accesses += accesses.len() as u64;
        if self.accesses > EXACT_ACCESSES
            && let Some(blocks_max) = self.sampled_blocks_max.take()
        {
            self.shrink(blocks_max);
        }
        let is_slow = self.accesses > ACCESSES_FREE + requests / REQUESTS_PER_ACCESS;
        if is_slow && self.used >= 2 * BLOCKS_MIN {
            self.raise();
        }
        self.fetch(accesses);
        for access in accesses {
            // The level may have risen since it was chosen.
            if level == self.level || self.is_chosen(access.hash, access.block) {
                self.access(access, &of[access.request as usize], shift);
            }
        }
        self.gaps.count();
    }

    /// Looks at all places beforehand, without waiting for any.
    fn fetch(&self, accesses: &[Access]) {
        let block = |access: &Access| self.slots[self.home(access.hash, access.block)].block;
        std::hint::black_box(accesses.iter().fold(0, |all, access| all ^ block(access)));
    }

    fn is_chosen(&self, hash: u64, block: u32) -> bool {
        blocks_chosen(hash, self.level) >> (4 * block) & 1 != 0
    }

    #[inline]
    fn access(&mut self, access: &Access, request: &Request, shift: u32) {
        let at = self.place(access.hash, access.region, access.block);
        if self.slots[at].block == UNUSED.block {
            return self.access_new(access, request, at);
        }
        let weight = 1 << self.level.min(63);
        let slot = &mut self.slots[at];
        let apart = (request.time_ns >> shift) ^ (slot.time_ns >> shift);
        if apart != 0 {
            let bit = (63 - apart.leading_zeros()) as usize;
            self.news[usize::from(request.bucket)].add(bit.min(BITS - 1), weight);
        }
        slot.time_ns = request.time_ns;
        if request.is_write {
            if slot.is_written {
                let bytes = request.written_bytes - slot.written_bytes;
                let requests = request.requests - slot.requests;
                self.gaps.add([bytes, requests, request.time_ns - slot.write_ns], weight);
                if self.level > 0 {
                    self.groups[group(access)].bytes.add_many(bytes, weight);
                }
            }
            self.writes += weight;
            slot.write(request);
            if self.level > 0 {
                self.groups[group(access)].writes += weight;
            }
        }
    }

    fn access_new(&mut self, access: &Access, request: &Request, mut at: usize) {
        if self.used == self.blocks_max && self.sampled_blocks_max.is_some() {
            self.resize(2 * self.slots.len());
            self.blocks_max *= 2;
            at = self.place(access.hash, access.region, access.block);
        }
        if self.used == self.blocks_max {
            while self.used == self.blocks_max {
                self.raise();
            }
            if !self.is_chosen(access.hash, access.block) {
                return;
            }
            at = self.place(access.hash, access.region, access.block);
        }
        self.used += 1;
        let weight = 1 << self.level.min(63);
        let slot = &mut self.slots[at];
        (slot.region, slot.block, slot.time_ns) = (access.region, access.block, request.time_ns);
        self.news[usize::from(request.bucket)].add(NEVER, weight);
        if request.is_write {
            self.writes += weight;
            slot.write(request);
            if self.level > 0 {
                self.groups[group(access)].writes += weight;
            }
        }
    }

    /// Back to a table that stays in the processor's cache, and to as many blocks as it holds.
    #[cold]
    fn shrink(&mut self, blocks_max: usize) {
        self.blocks_max = blocks_max;
        while self.used >= blocks_max {
            self.raise();
        }
        self.resize((blocks_max * 4 / 3 + 1).next_power_of_two());
    }

    /// A table of so many places, with the same blocks.
    #[cold]
    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![UNUSED; slots]);
        for slot in old.iter().filter(|slot| slot.block != UNUSED.block) {
            let at = self.place(hash(slot.region), slot.region, slot.block);
            self.slots[at] = *slot;
        }
    }

    /// The place from which on a block is looked for.
    #[inline]
    fn home(&self, hash: u64, block: u32) -> usize {
        let spread = (hash ^ u64::from(block)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> 32) as usize & (self.slots.len() - 1)
    }

    /// The block's place, or the unused one where it belongs.
    #[inline]
    fn place(&self, hash: u64, region: u64, block: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(hash, block);
        while self.slots[at].block != UNUSED.block
            && (self.slots[at].block != block || self.slots[at].region != region)
        {
            at = (at + 1) & mask;
        }
        at
    }

    /// Half of the blocks stay.
    #[cold]
    fn raise(&mut self) {
        self.level += 1;
        let old = self.slots.clone();
        self.slots.fill(UNUSED);
        self.used = 0;
        for slot in old.iter().filter(|slot| slot.block != UNUSED.block) {
            let hash = hash(slot.region);
            if self.is_chosen(hash, slot.block) {
                let at = self.place(hash, slot.region, slot.block);
                self.slots[at] = *slot;
                self.used += 1;
            }
        }
    }

    pub(super) fn fold(&mut self) {
        fold(&mut self.news, |a, b| News {
            blocks: News::coarse(&a.blocks, &b.blocks),
            variances: News::coarse(&a.variances, &b.variances),
        });
    }

    /// In windows of 2 to the power of `scale` buckets.
    pub(super) fn working_set(&self, clock: &Clock, scale: u32) -> WorkingSet {
        let (blocks, variances) = self.windows(clock.used(), scale);
        let bytes = |blocks: f64| (blocks * BLOCK_BYTES) as u64;
        WorkingSet {
            block_bytes: 1 << BLOCK_SHIFT,
            sampled_one_in: 1 << self.level.min(63),
            window_ns: clock.window_ns(scale),
            bytes: blocks.into_iter().map(bytes).collect(),
            error_bytes: variances.into_iter().map(|variance| bytes(variance.sqrt())).collect(),
            by_window: (0..=BITS as u32).map(|scale| self.window_length(clock, scale)).collect(),
        }
    }

    fn window_length(&self, clock: &Clock, scale: u32) -> WindowLength {
        let (mut blocks, _) = self.windows(clock.used(), scale);
        // The last window is mostly cut.
        if blocks.len() > 1 {
            blocks.pop();
        }
        let sum: f64 = blocks.iter().sum();
        WindowLength {
            window_ns: clock.window_ns(scale),
            mean_bytes: (sum / blocks.len().max(1) as f64 * BLOCK_BYTES) as u64,
            max_bytes: (blocks.iter().copied().fold(0.0, f64::max) * BLOCK_BYTES) as u64,
        }
    }

    /// Blocks in use in each window of 2 to the power of `scale` buckets, and the variances of these numbers.
    fn windows(&self, used: usize, scale: u32) -> (Vec<f64>, Vec<f64>) {
        let windows = || self.news[..used].chunks(1 << scale);
        let from = scale as usize;
        let sum = |part: fn(&News) -> &[f64; BITS + 1], news: &[News]| -> f64 {
            news.iter().flat_map(|news| &part(news)[from..]).sum()
        };
        let blocks = windows().map(|news| sum(|news| &news.blocks, news)).collect();
        (blocks, windows().map(|news| sum(|news| &news.variances, news)).collect())
    }

    /// None if nothing was written.
    pub(super) fn rewrites(&self) -> Option<Rewrites> {
        (self.writes > 0).then(|| Rewrites {
            block_bytes: 1 << BLOCK_SHIFT,
            sampled_one_in: 1 << self.level.min(63),
            share: self.gaps.ns.count() as f64 / self.writes as f64,
            share_error: self
                .error(|group| (group.writes > 0).then(|| group.bytes.count() as f64 / group.writes as f64)),
            interval_bytes_error: self.quantile_errors(),
            interval_bytes: self.gaps.bytes.distribution(),
            interval_requests: self.gaps.requests.distribution(),
            interval_ns: self.gaps.ns.distribution(),
        })
    }
}

impl Reuse {
    /// The standard error of a number that each group has; 0 where nothing is sampled, none where a group
    /// lacks it.
    fn error(&self, of: impl Fn(&Group) -> Option<f64>) -> Option<f64> {
        if self.level == 0 {
            return Some(0.0);
        }
        let all: Vec<f64> = self.groups.iter().map(of).collect::<Option<_>>()?;
        let mean = all.iter().sum::<f64>() / GROUPS as f64;
        let squares: f64 = all.iter().map(|one| (one - mean).powi(2)).sum();
        Some((squares / (GROUPS * (GROUPS - 1)) as f64).sqrt())
    }

    fn quantile_errors(&self) -> Option<QuantileErrors> {
        let error = |of: fn(&Distribution) -> u64| {
            self.error(|group| group.bytes.distribution().map(|all| of(&all) as f64))
        };
        Some(QuantileErrors {
            p10: error(|all| all.p10)?,
            p50: error(|all| all.p50)?,
            p90: error(|all| all.p90)?,
        })
    }
}

/// The group of a block, by bits of its hash that choose neither it nor its place.
#[inline]
fn group(access: &Access) -> usize {
    let spread = (access.hash ^ u64::from(access.block)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (spread >> 60) as usize % GROUPS
}

impl Slot {
    fn write(&mut self, request: &Request) {
        self.is_written = true;
        (self.write_ns, self.requests) = (request.time_ns, request.requests);
        self.written_bytes = request.written_bytes;
    }
}

impl News {
    #[inline]
    fn add(&mut self, bit: usize, weight: u64) {
        let weight = weight as f64;
        self.blocks[bit] += weight;
        self.variances[bit] += weight * (weight - 1.0);
    }

    /// Two buckets as one: what differs only between the two differs no more.
    fn coarse(a: &[f64; BITS + 1], b: &[f64; BITS + 1]) -> [f64; BITS + 1] {
        let mut sum = [0.0; BITS + 1];
        for bit in 1..BITS {
            sum[bit - 1] = a[bit] + b[bit];
        }
        sum[NEVER] = a[NEVER] + b[NEVER];
        sum
    }
}
