//! Which IOs continue a sequential stream: a small table of streams, the least recently used one given up for
//! a new one.
//!
//! A random IO that happens to land behind an earlier one must not pass for sequential, or small areas would
//! look cheaper than they are. So a stream counts only once it was continued three times, or if it was
//! among the first that were opened after a rest: then a stream is sequential from its second IO on.

use super::recency::{Filter, Recency};

/// What an IO is to the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// The first since the device forgot everything: nobody can tell yet what it begins.
    First,
    /// It continues a stream.
    Continues {
        /// Another one than the last continued.
        switched: bool,
    },
    /// It continues nothing that counts.
    Elsewhere,
}

/// Continuations after which a stream counts.
const TRUSTED: u32 = 3;

#[derive(Clone, Copy)]
struct Stream {
    /// Where it began, whether or not it counts.
    began: u64,
    continued: u32,
    trusted: bool,
}

/// No IO ends or begins here.
const NOWHERE: u64 = u64::MAX;

/// Streams by slot.
pub(super) struct Streams {
    /// Where each stream goes on.
    next: Vec<u64>,
    /// Where a stream that counts began, once it was continued: a jump back to there is its wrap.
    start: Vec<u64>,
    /// All of these addresses.
    awaited: Filter,
    recency: Recency,
    streams: Vec<Stream>,
    /// The stream that was last continued or opened as a trusted one.
    current: usize,
    ios: u64,
    /// IOs up to the last rest.
    forgotten_at: u64,
}

impl Streams {
    pub(super) fn new(limit: u32) -> Streams {
        let slots = limit as usize;
        let mut streams = Streams {
            next: vec![NOWHERE; slots],
            start: vec![NOWHERE; slots],
            awaited: Filter::new(),
            recency: Recency::new(limit),
            streams: vec![Stream { began: NOWHERE, continued: 0, trusted: false }; slots],
            current: 0,
            ios: 0,
            forgotten_at: 0,
        };
        streams.forget();
        streams
    }

    pub(super) fn forget(&mut self) {
        self.next.fill(NOWHERE);
        self.start.fill(NOWHERE);
        self.awaited = Filter::new();
        (0..2 * self.next.len()).for_each(|_| self.awaited.add(NOWHERE));
        self.current = 0;
        self.forgotten_at = self.ios;
    }

    #[inline]
    pub(super) fn place(&mut self, offset: u64, length: u64) -> Placement {
        self.ios += 1;
        if self.next[self.current] == offset {
            return self.go_on(self.current, offset, length);
        }
        let met = if self.awaited.perhaps(offset) { self.find(offset) } else { None };
        match met {
            Some(slot) => self.go_on(slot, offset, length),
            None => self.open(offset, length),
        }
    }

    fn find(&self, offset: u64) -> Option<usize> {
        self.next.iter().zip(&self.start).position(|(&next, &start)| next == offset || start == offset)
    }

    #[inline]
    fn go_on(&mut self, slot: usize, offset: u64, length: u64) -> Placement {
        self.await_at(slot, offset + length);
        self.recency.touch(slot);
        let stream = &mut self.streams[slot];
        stream.continued = stream.continued.saturating_add(1);
        stream.trusted |= stream.continued >= TRUSTED;
        if !stream.trusted {
            return Placement::Elsewhere;
        }
        if self.start[slot] == NOWHERE {
            self.start[slot] = stream.began;
            self.awaited.replace(NOWHERE, stream.began);
        }
        let switched = self.current != slot;
        self.current = slot;
        Placement::Continues { switched }
    }

    #[inline]
    fn open(&mut self, offset: u64, length: u64) -> Placement {
        let since_rest = self.ios - self.forgotten_at;
        let trusted = since_rest <= self.next.len() as u64;
        let slot = self.recency.oldest();
        self.recency.touch(slot);
        self.await_at(slot, offset + length);
        self.awaited.replace(self.start[slot], NOWHERE);
        self.start[slot] = NOWHERE;
        self.streams[slot] = Stream { began: offset, continued: 0, trusted };
        if trusted {
            self.current = slot;
        }
        if since_rest == 1 { Placement::First } else { Placement::Elsewhere }
    }

    #[inline]
    fn await_at(&mut self, slot: usize, next: u64) {
        self.awaited.replace(self.next[slot], next);
        self.next[slot] = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAME: Placement = Placement::Continues { switched: false };
    const OTHER: Placement = Placement::Continues { switched: true };

    fn places(streams: &mut Streams, offsets: &[u64]) -> Vec<Placement> {
        offsets.iter().map(|&offset| streams.place(offset * 10, 10)).collect()
    }

    #[test]
    fn a_stream_is_sequential_from_its_second_io_and_through_its_wrap() {
        let got = places(&mut Streams::new(2), &[0, 1, 2, 3, 0, 1]);
        assert_eq!(got, [Placement::First, SAME, SAME, SAME, SAME, SAME]);
    }

    #[test]
    fn streams_within_the_limit_go_on_and_one_more_breaks_all() {
        let two = places(&mut Streams::new(2), &[0, 100, 1, 101, 2, 102]);
        assert_eq!(two[2..], [OTHER; 4]);
        let three = places(&mut Streams::new(2), &[0, 100, 200, 1, 101, 201, 2, 102, 202]);
        assert_eq!(three[1..], [Placement::Elsewhere; 8]);
    }

    #[test]
    fn a_late_stream_counts_from_its_third_continuation_and_a_rest_starts_anew() {
        let mut streams = Streams::new(2);
        places(&mut streams, &[50, 40, 30, 20]);
        assert_eq!(places(&mut streams, &[0, 1, 2, 3])[2..], [Placement::Elsewhere, OTHER]);
        streams.forget();
        assert_eq!(places(&mut streams, &[7, 8]), [Placement::First, SAME]);
    }
}
