//! What is done to a device before a run: all of it unrecorded, and all of it heard by Ctrl-C and the budget.

use flashscope_core::{Driven, Io, Limits, Op, Pacing, Request, RequestSource, Stream, Target, drive};

use crate::error::BenchError;
use crate::interference::idle;
use crate::on_error::Tally;
use crate::step::{Length, Preparation};

/// The whole span in order, in equal pieces but for the last.
struct Pieces {
    op: Op,
    piece_bytes: u64,
    span_bytes: u64,
    passes: u32,
    next_bytes: u64,
}

impl RequestSource for Pieces {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let mut filled = 0;
        while filled < batch.len() && self.passes > 0 {
            let length = self.piece_bytes.min(self.span_bytes - self.next_bytes);
            batch[filled] = Request {
                offset_bytes: self.next_bytes,
                length_bytes: length as u32,
                op: self.op,
                ..Request::default()
            };
            filled += 1;
            self.next_bytes += length;
            if self.next_bytes >= self.span_bytes {
                (self.next_bytes, self.passes) = (0, self.passes - 1);
            }
        }
        filled
    }
}

/// The largest range that is discarded at once.
const TRIM_BYTES: u64 = 1 << 30;
/// Bytes between two notes of progress.
const NOTE_EVERY_BYTES: u64 = 64 << 20;

/// Does what a preparation says, but for a state, which the campaign enforces itself. `note` hears the bytes
/// done and to do. Says why it ended early, if it did.
pub(crate) fn prepare<T: Target>(
    target: &mut T,
    preparation: &Preparation,
    span_bytes: u64,
    seed: u64,
    limits: Limits<'_>,
    tally: &mut Tally,
    note: &mut dyn FnMut(u64, u64),
) -> Result<Option<Driven>, BenchError> {
    let pieces = |op, piece_bytes, passes| Pieces { op, piece_bytes, span_bytes, passes, next_bytes: 0 };
    match preparation {
        Preparation::Enforce(_) => Ok(None),
        Preparation::Fill { bs, times } => {
            let total = span_bytes.saturating_mul(u64::from(*times));
            whole(target, pieces(Op::Write, bs.0, *times), limits, tally, &mut |done| note(done, total))
        }
        Preparation::Trim => whole(target, pieces(Op::Trim, TRIM_BYTES, 1), limits, tally, &mut |_| ()),
        Preparation::Burst { pattern, length } => {
            let pattern = length.counted((**pattern).clone());
            let mut streams: Vec<_> = pattern.streams(seed).collect();
            let runtime = match (length.runtime(), limits.runtime) {
                (Some(length), Some(left)) => Some(length.min(left)),
                (length, left) => length.or(left),
            };
            let limits_of_it = Limits { runtime, ..limits };
            let ended = drive(target, &mut streams, limits_of_it, &mut tally.with(|_| ()))?;
            Ok(early(ended, *length, limits))
        }
        Preparation::Idle(span) => {
            let left = limits.runtime.unwrap_or(*span);
            idle(target, left.min(*span), limits)?;
            Ok((left < *span).then_some(Driven::OutOfTime))
        }
    }
}

/// Whether a burst ended before its own end.
fn early(ended: Driven, length: Length, limits: Limits<'_>) -> Option<Driven> {
    match ended {
        Driven::Exhausted | Driven::Stopped => None,
        Driven::Interrupted | Driven::Ended | Driven::OutOfBytes => Some(ended),
        Driven::OutOfTime => {
            let is_its_own =
                length.runtime().is_some_and(|length| limits.runtime.is_none_or(|left| length <= left));
            (!is_its_own).then_some(Driven::OutOfTime)
        }
    }
}

fn whole<T: Target>(
    target: &mut T,
    source: Pieces,
    limits: Limits<'_>,
    tally: &mut Tally,
    note: &mut dyn FnMut(u64),
) -> Result<Option<Driven>, BenchError> {
    let (mut done_bytes, mut next_note) = (0, 0);
    let count = |io: &Io| {
        done_bytes += u64::from(io.length_bytes);
        if done_bytes >= next_note {
            next_note = done_bytes + NOTE_EVERY_BYTES;
            note(done_bytes);
        }
    };
    let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
    let driven = drive(target, &mut streams, limits, &mut tally.with(count))?;
    note(done_bytes);
    Ok((driven != Driven::Exhausted).then_some(driven))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fill_writes_every_byte_in_order_as_often_as_it_says() {
        let mut pieces = Pieces {
            op: Op::Write,
            piece_bytes: 1 << 20,
            span_bytes: (5 << 20) + 512,
            passes: 2,
            next_bytes: 0,
        };
        let mut batch = [Request::default(); 4];
        let mut all = Vec::new();
        loop {
            let count = pieces.fill(&mut batch);
            all.extend(batch[..count].iter().map(|request| (request.offset_bytes, request.length_bytes)));
            if count == 0 {
                break;
            }
        }
        assert_eq!(all.len(), 12);
        assert_eq!((all[5], all[6]), ((5 << 20, 512), (0, 1 << 20)));
        assert_eq!(all.iter().map(|piece| u64::from(piece.1)).sum::<u64>(), 2 * ((5 << 20) + 512));
    }
}
