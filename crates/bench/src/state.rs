//! Device state before a run (paper 001, section 4.1).

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Driven, Io, Limits, Op, Pacing, Request, RequestSource, Stream, Target, drive};
use serde::{Deserialize, Serialize};

use crate::error::BenchError;
use crate::on_error::Tally;

/// uFLIP's flash block: the largest IO that enforces a random state (paper 001, section 4.1).
pub const FLASH_BLOCK_BYTES: u64 = 128 << 10;

/// What is written over the whole target space before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// IOs of random size, 512 B to 128 KiB, in random order: stable, and uFLIP's choice.
    Random,
    /// One sequential pass: faster to reach, sooner lost.
    Sequential,
    /// Nothing: whatever the device is in.
    AsIs,
}

impl State {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            State::Random => "random",
            State::Sequential => "sequential",
            State::AsIs => "as-is",
        }
    }
}

/// The writes that enforce a state: every byte of the space exactly once, in constant memory, from any piece
/// on. For a random state the space is cut into flash blocks, each block into up to eight pieces at random
/// borders, and all pieces of all blocks come in one random order.
#[derive(Clone, Debug)]
pub struct StateSource {
    offset_bytes: u64,
    size_bytes: u64,
    sector_bytes: u64,
    order: Option<Permutation>,
    seed: u64,
    next: u64,
    pieces: u64,
}

/// Pieces a flash block is cut into, at most.
const PIECES: u64 = 8;

impl StateSource {
    /// Writes that bring `size_bytes` from `offset_bytes` into `state`, beginning with piece `from`. Sizes
    /// and offsets are whole sectors.
    pub fn new(state: State, space: (u64, u64), sector_bytes: u64, seed: u64, from: u64) -> StateSource {
        let (offset_bytes, size_bytes) = space;
        let blocks = size_bytes.div_ceil(FLASH_BLOCK_BYTES);
        let (pieces, order) = match state {
            State::AsIs => (0, None),
            State::Sequential => (blocks, None),
            State::Random => (blocks * PIECES, Some(Permutation::new((blocks * PIECES).max(1), seed))),
        };
        StateSource { offset_bytes, size_bytes, sector_bytes, order, seed, next: from, pieces }
    }

    /// Pieces in all, counting empty ones.
    pub fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Pieces handed out, counting empty ones: where to go on after an interruption.
    pub fn done_pieces(&self) -> u64 {
        self.next
    }

    /// The range of piece `index`, relative to the space; empty for some.
    fn piece(&self, index: u64) -> (u64, u64) {
        let Some(order) = &self.order else {
            let start = index * FLASH_BLOCK_BYTES;
            return (start, (start + FLASH_BLOCK_BYTES).min(self.size_bytes));
        };
        let place = order.at(index);
        let (block, piece) = (place / PIECES, place % PIECES);
        let start = block * FLASH_BLOCK_BYTES;
        let sectors = FLASH_BLOCK_BYTES.min(self.size_bytes - start) / self.sector_bytes;
        let borders = self.borders(block, sectors);
        let at = |border: usize| start + borders[border] * self.sector_bytes;
        (at(piece as usize), at(piece as usize + 1))
    }

    /// Where block `block` is cut, in sectors: seven random places in order, between its ends.
    fn borders(&self, block: u64, sectors: u64) -> [u64; PIECES as usize + 1] {
        let mut random = Random::new(derive(self.seed, block));
        let mut borders = [0; PIECES as usize + 1];
        for border in &mut borders[1..PIECES as usize] {
            *border = random.below(sectors + 1);
        }
        borders[PIECES as usize] = sectors;
        borders.sort_unstable();
        borders
    }
}

impl RequestSource for StateSource {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let mut filled = 0;
        while filled < batch.len() && self.next < self.pieces {
            let (start, end) = self.piece(self.next);
            self.next += 1;
            if end > start {
                batch[filled] = Request {
                    offset_bytes: self.offset_bytes + start,
                    length_bytes: (end - start) as u32,
                    op: Op::Write,
                    ..Request::default()
                };
                filled += 1;
            }
        }
        filled
    }
}

/// Pieces between two notes of progress.
const STRIDE_PIECES: u64 = 4096;

/// Brings the space into the state. `note` hears the bytes written and the pieces done every so often, and
/// once they are all done. Says why it ended early, if it did.
pub(crate) fn enforce<T: Target>(
    target: &mut T,
    source: StateSource,
    limits: Limits<'_>,
    tally: &mut Tally,
    note: &mut dyn FnMut(u64, u64) -> Result<(), BenchError>,
) -> Result<Option<Driven>, BenchError> {
    let mut left = source;
    let last = left.pieces;
    // Of an earlier pass: pieces are alike on average, near enough for a display.
    let mut done_bytes = left.size_bytes / last.max(1) * left.next;
    let begin = target.now();
    while left.next < last {
        let end = (left.next + STRIDE_PIECES).min(last);
        let part = StateSource { pieces: end, ..left.clone() };
        let mut streams = [Stream { source: part, pacing: Pacing::CONSECUTIVE }];
        let count = |io: &Io| done_bytes += u64::from(io.length_bytes);
        let spent = target.now().since(begin);
        let runtime = limits.runtime.map(|runtime| runtime - spent);
        let driven = drive(target, &mut streams, Limits { runtime, ..limits }, &mut tally.with(count))?;
        if driven != Driven::Exhausted {
            return Ok(Some(driven));
        }
        left.next = end;
        note(done_bytes, end)?;
    }
    Ok(None)
}

/// Bytes that enforcing `state` over a space writes.
pub(crate) fn state_bytes(state: State, size: Bytes) -> u64 {
    if state == State::AsIs { 0 } else { size.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(mut source: StateSource) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        let mut batch = [Request::default(); 7];
        loop {
            let count = source.fill(&mut batch);
            all.extend(batch[..count].iter().map(|r| (r.offset_bytes, u64::from(r.length_bytes))));
            if count == 0 {
                return all;
            }
        }
    }

    #[test]
    fn every_byte_is_written_exactly_once() {
        for state in [State::Random, State::Sequential] {
            let size = 5 * FLASH_BLOCK_BYTES + 3 * 4096;
            let mut all = pieces(StateSource::new(state, (1 << 20, size), 4096, 9, 0));
            all.sort_unstable();
            let mut next = 1 << 20;
            for (offset, length) in all {
                assert_eq!(offset, next, "{state:?}: a hole or an overlap");
                assert!(length.is_multiple_of(4096) && length <= FLASH_BLOCK_BYTES);
                next += length;
            }
            assert_eq!(next, (1 << 20) + size);
        }
    }

    #[test]
    fn an_interrupted_pass_goes_on_where_it_stopped() {
        let source = |from| StateSource::new(State::Random, (0, 64 * FLASH_BLOCK_BYTES), 512, 4, from);
        let whole = pieces(source(0));
        let mut first = source(0);
        let mut batch = [Request::default(); 100];
        assert_eq!(first.fill(&mut batch), 100);
        let rest = pieces(source(first.done_pieces()));
        assert_eq!(whole[100..], rest);
    }

    #[test]
    fn sizes_and_places_are_random() {
        let all = pieces(StateSource::new(State::Random, (0, 256 * FLASH_BLOCK_BYTES), 512, 1, 0));
        let follows = all.windows(2).filter(|w| w[0].0 + w[0].1 == w[1].0).count();
        assert!(follows < all.len() / 50, "{follows} of {} IOs are sequential", all.len());
        let small = all.iter().filter(|(_, length)| *length <= 4096).count();
        let large = all.iter().filter(|(_, length)| *length >= 64 << 10).count();
        assert!(small > 50 && large > 5, "{small} small, {large} large");
    }
}
