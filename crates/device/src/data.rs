//! What is written: the contents of write buffers. A device may compress or deduplicate, so the contents are
//! part of the measurement and recorded with it.

use std::fmt;
use std::str::FromStr;

use flashscope_core::ParseError;
use flashscope_core::seed::{Random, derive};
use serde::{Deserialize, Serialize};

use crate::create::fill_random;
use crate::memory::{AlignedBuffer, PAGE_BYTES};
use crate::seal::{Key, SECTOR_BYTES, digest};

/// The contents of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataPattern {
    /// Random bytes that no device can compress, and no two pages of 4 KiB alike, so that none can
    /// deduplicate either. In a file of flashscope's own, the only contents that prove whose they are.
    /// The default.
    #[default]
    Random,
    /// Zeros: what the device does if it recognises them.
    Zeros,
    /// The bytes 0x00 to 0xff over and over (paper 000, appendix A).
    Counter,
    /// Each sector of 512 bytes starts with the number of writes that the device has seen, as a
    /// little-endian `u64`, and is zero otherwise (after paper 000, appendix A).
    Age,
    /// Random bytes as in [`DataPattern::Random`], and each sector of 512 bytes starts with the number of
    /// writes as in [`DataPattern::Age`], then [`sector_mark`], which also ends it: reading back proves which
    /// write of this run was the last one, and that the sector is whole and in its place.
    Numbered,
}

impl DataPattern {
    /// All patterns.
    pub const ALL: [DataPattern; 5] = [
        DataPattern::Random,
        DataPattern::Zeros,
        DataPattern::Counter,
        DataPattern::Age,
        DataPattern::Numbered,
    ];

    /// Its name, as written on the command line and in manifests.
    pub fn name(self) -> &'static str {
        ["random", "zeros", "counter", "age", "numbered"][self as usize]
    }
}

impl fmt::Display for DataPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DataPattern {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<DataPattern, ParseError> {
        let named = DataPattern::ALL.into_iter().find(|pattern| pattern.name() == text.trim());
        named
            .ok_or_else(|| ParseError::unknown("data pattern", text, DataPattern::ALL.map(DataPattern::name)))
    }
}

/// A buffer's random contents start at a page that changes from IO to IO, among this many.
const ROLL_PAGES: usize = 16;

/// What marks a sector of 512 bytes at `place` (its offset divided by 512) that begins with the number of its
/// write, in a run whose engine has the seed `key` ([`crate::EngineSpec::seed`]): made of all its bytes but
/// those that hold the mark. See [`DataPattern::Numbered`].
#[inline]
pub fn sector_mark(key: u64, place: u64, sector: &[u8]) -> u64 {
    let Some((number, behind)) = sector.split_first_chunk() else { return 0 };
    let Some(body) = behind.len().checked_sub(8).and_then(|end| behind.get(8..end)) else { return 0 };
    digest(derive(derive(key, u64::from_le_bytes(*number)), place), body)
}

/// One write buffer for each IO in flight, filled ahead; what changes from IO to IO is stamped in.
#[derive(Debug)]
pub(crate) struct WriteBuffers {
    pattern: DataPattern,
    slots: Vec<AlignedBuffer>,
    /// Seals random contents.
    seal: Key,
    /// The seed as it was given.
    key: u64,
    /// Writes so far, on top of those that the device had seen before.
    writes: u64,
    /// Numbers the next page; another one than all pages before.
    page: u64,
}

impl WriteBuffers {
    /// `slots` buffers for IOs of up to `io_bytes_max`, whose random contents are sealed by `seal`.
    /// `age_writes` is where the age starts. Two runs of one seed write the same bytes: give each its own.
    pub fn new(
        pattern: DataPattern,
        slots: usize,
        io_bytes_max: usize,
        seed: u64,
        age_writes: u64,
        seal: Key,
    ) -> Self {
        let slot_bytes = io_bytes_max.next_multiple_of(PAGE_BYTES) + ROLL_PAGES * PAGE_BYTES;
        let mut slots: Vec<_> = (0..slots).map(|_| AlignedBuffer::zeroed(slot_bytes)).collect();
        let mut random = Random::new(derive(seed, 0));
        for slot in &mut slots {
            match pattern {
                DataPattern::Random => {
                    fill_random(slot, &mut random);
                    seal.seal(slot);
                }
                DataPattern::Numbered => fill_random(slot, &mut random),
                DataPattern::Counter => slot.iter_mut().enumerate().for_each(|(n, byte)| *byte = n as u8),
                DataPattern::Zeros | DataPattern::Age => {}
            }
        }
        WriteBuffers { pattern, slots, seal, key: seed, writes: age_writes, page: derive(seed, 1) }
    }

    /// All buffers by slot; page-aligned and not moving.
    pub fn slots(&mut self) -> &mut Vec<AlignedBuffer> {
        &mut self.slots
    }

    /// Makes ready the contents of the next write, which goes to `offset_bytes`, in the slot's buffer.
    ///
    /// # Panics
    /// If `length` is larger than the `io_bytes_max` given.
    #[inline]
    pub fn next(&mut self, slot: usize, length: usize, offset_bytes: u64) -> &[u8] {
        let roll = match self.pattern {
            DataPattern::Random | DataPattern::Numbered => (self.writes as usize % ROLL_PAGES) * PAGE_BYTES,
            _ => 0,
        };
        self.writes += 1;
        let contents = &mut self.slots[slot][roll..roll + length];
        match self.pattern {
            DataPattern::Random => {
                for page in contents.chunks_mut(PAGE_BYTES) {
                    // Odd, so that it goes through all numbers before one comes again.
                    self.page = self.page.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    stamp(page, self.seal.numbered(self.page));
                }
            }
            DataPattern::Age => {
                contents.chunks_mut(SECTOR_BYTES).for_each(|sector| stamp(sector, self.writes))
            }
            DataPattern::Numbered => {
                let places = offset_bytes / SECTOR_BYTES as u64..;
                for (place, sector) in places.zip(contents.chunks_exact_mut(SECTOR_BYTES)) {
                    stamp(sector, self.writes);
                    let mark = sector_mark(self.key, place, sector);
                    stamp(&mut sector[8..], mark);
                    stamp(&mut sector[SECTOR_BYTES - 8..], mark);
                }
            }
            DataPattern::Zeros | DataPattern::Counter => {}
        }
        contents
    }
}

#[inline]
fn stamp(block: &mut [u8], value: u64) {
    if let Some(word) = block.first_chunk_mut() {
        *word = value.to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const IO: usize = 16 << 10;

    fn writes(pattern: DataPattern, seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut buffers = WriteBuffers::new(pattern, 4, IO, seed, 1000, Key::of_seed(seed));
        (0..count).map(|n| buffers.next(n % 4, IO, (n * IO) as u64).to_vec()).collect()
    }

    #[test]
    fn names_read_back() {
        for pattern in DataPattern::ALL {
            assert_eq!(pattern.to_string().parse(), Ok(pattern));
        }
        let error = "zero".parse::<DataPattern>().unwrap_err().to_string();
        assert!(error.contains("'zero'") && error.contains("zeros, counter"), "{error}");
    }

    #[test]
    fn no_two_random_pages_are_alike_within_a_run_or_between_seeds() {
        let mut seen = HashSet::new();
        for seed in [1, 2] {
            for io in writes(DataPattern::Random, seed, 500) {
                assert!(io.chunks(PAGE_BYTES).all(|page| seen.insert(page.to_vec())), "seed {seed}");
            }
        }
    }

    /// Shannon's entropy of the bytes; 8 bits is the most.
    #[test]
    fn random_data_has_full_entropy() {
        let data = writes(DataPattern::Random, 5, 64).concat();
        let mut counts = [0f64; 256];
        data.iter().for_each(|byte| counts[usize::from(*byte)] += 1.0);
        let total = data.len() as f64;
        let entropy: f64 = counts.iter().map(|count| -count / total * (count / total).log2()).sum();
        assert!(entropy > 7.999, "{entropy} bits a byte");
    }

    #[test]
    fn zeros_counter_age_and_numbered_are_what_they_say() {
        assert!(writes(DataPattern::Zeros, 1, 9).concat().iter().all(|byte| *byte == 0));
        for io in writes(DataPattern::Counter, 1, 9) {
            assert!(io.iter().enumerate().all(|(n, byte)| *byte == (n % 256) as u8));
        }
        for (n, io) in writes(DataPattern::Age, 1, 9).iter().enumerate() {
            for sector in io.chunks(SECTOR_BYTES) {
                assert_eq!(sector[..8], (1001 + n as u64).to_le_bytes());
                assert!(sector[8..].iter().all(|byte| *byte == 0));
            }
        }
        for (n, io) in writes(DataPattern::Numbered, 1, 9).iter().enumerate() {
            for sector in io.chunks(SECTOR_BYTES) {
                assert_eq!(sector[..8], (1001 + n as u64).to_le_bytes());
                assert!(sector[8..].iter().filter(|byte| **byte == 0).count() < 20, "random otherwise");
            }
            for (place, sector) in (n as u64 * 32..).zip(io.chunks(SECTOR_BYTES)) {
                let mark = sector_mark(1, place, sector).to_le_bytes();
                assert!(sector[8..16] == mark && sector[504..] == mark, "write {n}, place {place}");
                for byte in [0, 16, 300, 503] {
                    let mut changed = sector.to_vec();
                    changed[byte] ^= 1;
                    assert_ne!(sector_mark(1, place, &changed).to_le_bytes(), mark, "byte {byte}");
                }
                assert_ne!(sector_mark(1, place + 1, sector).to_le_bytes(), mark, "another place");
                assert_ne!(sector_mark(2, place, sector).to_le_bytes(), mark, "another run");
            }
        }
    }

    /// What a device is still reading must not change under it.
    #[test]
    fn a_write_leaves_the_buffers_of_the_others_alone() {
        let mut buffers = WriteBuffers::new(DataPattern::Random, 2, IO, 1, 0, Key::of_seed(1));
        let first = buffers.next(0, IO, 0).to_vec();
        for _ in 0..40 {
            buffers.next(1, IO, 0);
        }
        assert!(buffers.slots()[0][..IO] == first);
        assert!(buffers.slots().iter().all(|slot| (slot.as_ptr() as usize).is_multiple_of(PAGE_BYTES)));
    }
}
