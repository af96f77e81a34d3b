//! Which IOs continue a sequential stream: a small table of streams, the least recently used one given up for
//! a new one.
//!
//! A random IO that happens to land behind an earlier one must not pass for sequential, or small areas would
//! look cheaper than they are. So a stream counts only once it was continued three times, or if it was among the
//! first that were opened after a rest: then a stream is sequential from its second IO on.

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
struct Slot {
    /// Where the stream goes on.
    next: u64,
    /// Where it began; a jump back to there is a wrap, not a new stream.
    start: u64,
    /// When it was last used, in IOs.
    used: u64,
    continued: u32,
    trusted: bool,
}

const FREE: Slot = Slot { next: u64::MAX, start: u64::MAX, used: 0, continued: 0, trusted: false };

pub(super) struct Streams {
    slots: Vec<Slot>,
    /// The stream that was last continued or opened as a trusted one.
    current: usize,
    ios: u64,
    /// IOs up to the last rest.
    forgotten_at: u64,
}

impl Streams {
    pub(super) fn new(limit: u32) -> Streams {
        Streams { slots: vec![FREE; limit as usize], current: 0, ios: 0, forgotten_at: 0 }
    }

    pub(super) fn forget(&mut self) {
        self.slots.fill(FREE);
        self.current = 0;
        self.forgotten_at = self.ios;
    }

    #[inline]
    pub(super) fn place(&mut self, offset: u64, length: u64) -> Placement {
        self.ios += 1;
        if self.slots[self.current].next == offset {
            return self.go_on(self.current, offset, length);
        }
        let mut oldest = 0;
        for (i, slot) in self.slots.iter().enumerate() {
            if slot.next == offset || (slot.start == offset && slot.trusted && slot.continued > 0) {
                return self.go_on(i, offset, length);
            }
            if slot.used < self.slots[oldest].used {
                oldest = i;
            }
        }
        self.open(oldest, offset, length)
    }

    #[inline]
    fn go_on(&mut self, i: usize, offset: u64, length: u64) -> Placement {
        let slot = &mut self.slots[i];
        slot.next = offset + length;
        slot.used = self.ios;
        slot.continued = slot.continued.saturating_add(1);
        slot.trusted |= slot.continued >= TRUSTED;
        if !slot.trusted {
            return Placement::Elsewhere;
        }
        let switched = self.current != i;
        self.current = i;
        Placement::Continues { switched }
    }

    #[inline]
    fn open(&mut self, i: usize, offset: u64, length: u64) -> Placement {
        let since_rest = self.ios - self.forgotten_at;
        let trusted = since_rest <= self.slots.len() as u64;
        self.slots[i] = Slot { next: offset + length, start: offset, used: self.ios, continued: 0, trusted };
        if trusted {
            self.current = i;
        }
        if since_rest == 1 { Placement::First } else { Placement::Elsewhere }
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
