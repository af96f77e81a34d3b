//! Lengths of reads and writes, and what offset and length are multiples of.

use flashscope_core::request::Op;

use super::clock::Chunk;
use super::histogram::Histogram;
use super::summary::{Alignment, CommonSize, Sizes as Summary};

const SECTOR_BYTES: u64 = 512;
/// Lengths of whole sectors up to 1 MiB are counted one by one.
const EXACT: usize = 2048;
/// Number of most common lengths in the summary.
const COMMON: usize = 8;

/// Lengths and alignment.
pub(super) struct Sizes {
    exact: Vec<u64>,
    lengths: [Histogram; 2],
    /// By the power of two that offset and length are multiples of.
    powers: [u64; 65],
    /// The same of the offset alone.
    offset_powers: [u64; 65],
}

impl Default for Sizes {
    fn default() -> Sizes {
        let (powers, offset_powers) = ([0; 65], [0; 65]);
        Sizes { exact: vec![0; EXACT + 1], lengths: Default::default(), powers, offset_powers }
    }
}

impl Sizes {
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) {
        for record in chunk.records {
            let Some(lengths) = self.lengths.get_mut(record.op as usize) else { continue };
            let (offset, length) = (record.offset_bytes, record.length_bytes);
            lengths.add(length);
            let sectors = (length / SECTOR_BYTES) as usize;
            if length % SECTOR_BYTES == 0 && sectors <= EXACT {
                self.exact[sectors] += 1;
            }
            self.powers[(offset | length).trailing_zeros() as usize] += 1;
            self.offset_powers[offset.trailing_zeros() as usize] += 1;
        }
    }

    pub(super) fn summary(&self) -> Summary {
        let of = |op: Op| self.lengths[op as usize].distribution();
        Summary { read_bytes: of(Op::Read), write_bytes: of(Op::Write), common: self.common() }
    }

    fn requests(&self) -> u64 {
        self.lengths.iter().map(Histogram::count).sum()
    }

    fn common(&self) -> Vec<CommonSize> {
        let sizes = self.exact.iter().zip(0u64..).filter(|(count, _)| **count > 0);
        let share = |count: u64| count as f64 / self.requests() as f64;
        let size = |(count, sectors): (&u64, u64)| CommonSize {
            size_bytes: sectors * SECTOR_BYTES,
            requests: *count,
            share: share(*count),
        };
        let mut all: Vec<_> = sizes.map(size).collect();
        all.sort_by_key(|size| (std::cmp::Reverse(size.requests), size.size_bytes));
        all.truncate(COMMON);
        all
    }

    /// From sectors to 1 MiB.
    pub(super) fn alignment(&self) -> Vec<Alignment> {
        let requests = self.requests();
        if requests == 0 {
            return Vec::new();
        }
        let share =
            |counts: &[u64; 65], power: usize| counts[power..].iter().sum::<u64>() as f64 / requests as f64;
        let row = |power: usize| Alignment {
            block_bytes: 1 << power,
            share: share(&self.powers, power),
            offset_share: share(&self.offset_powers, power),
        };
        [9, 12, 13, 14, 15, 16, 17, 18, 19, 20].map(row).into()
    }
}
