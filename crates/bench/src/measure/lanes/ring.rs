//! The way of IOs from the thread that does them to the one that merges them: a ring of words, written by one
//! thread and read by another, neither of which waits for a lock.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Thread, sleep};
use std::time::Duration;

use flashscope_core::{Io, Nanos, Op, Time};

/// Words of an IO: index, offset, submitted, response, late; length, operation and whether it failed.
const WORDS: usize = 6;
/// IOs in all rings together, and in one of them.
const IOS_ALL: usize = 1 << 18;
const IOS_MAX: usize = 1 << 14;
const IOS_MIN: usize = 1 << 8;

/// On cache lines of its own: each side writes one of them all the time.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

/// The IOs of one lane that are not merged yet.
pub(super) struct Ring {
    words: Box<[AtomicU64]>,
    written: Count,
    read: Count,
    /// Nobody reads any more.
    abandoned: AtomicBool,
}

/// An IO that is over, and whether it failed.
#[derive(Clone, Copy)]
pub(super) struct Heard {
    pub io: Io,
    pub is_failed: bool,
}

impl Heard {
    /// When it was over.
    #[inline]
    pub fn end(&self) -> Time {
        self.io.submitted + self.io.response
    }
}

impl Ring {
    /// One of `rings`: the more there are, the smaller each is.
    pub fn one_of(rings: usize) -> Ring {
        let ios = (IOS_ALL / rings.max(1)).next_power_of_two().clamp(IOS_MIN, IOS_MAX);
        Ring {
            words: (0..ios * WORDS).map(|_| AtomicU64::new(0)).collect(),
            written: Count::default(),
            read: Count::default(),
            abandoned: false.into(),
        }
    }

    fn ios(&self) -> u64 {
        (self.words.len() / WORDS) as u64
    }

    #[inline]
    fn slot(&self, number: u64) -> &[AtomicU64] {
        let at = (number & (self.ios() - 1)) as usize * WORDS;
        &self.words[at..at + WORDS]
    }

    /// Whoever writes need not wait for room any more.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }
}

/// The only one that writes to a ring.
pub(super) struct Writer<'a> {
    ring: &'a Ring,
    reader: &'a Thread,
    written: u64,
    /// There is room below this number.
    room: u64,
}

impl<'a> Writer<'a> {
    /// Wakes `reader` whenever another half of the ring is full.
    pub fn new(ring: &'a Ring, reader: &'a Thread) -> Writer<'a> {
        Writer { ring, reader, written: 0, room: ring.ios() }
    }

    #[inline]
    pub fn push(&mut self, io: &Io, is_failed: bool) {
        if self.written == self.room {
            self.wait_for_room();
        }
        let kind = u64::from(io.length_bytes) << 32 | u64::from(io.op as u8) << 1 | u64::from(is_failed);
        let words = [io.index, io.offset_bytes, io.submitted.0, io.response.0, io.late.0, kind];
        for (slot, word) in self.ring.slot(self.written).iter().zip(words) {
            slot.store(word, Ordering::Relaxed);
        }
        self.written += 1;
        self.ring.written.0.store(self.written, Ordering::Release);
        if self.written & (self.ring.ios() / 2 - 1) == 0 {
            self.reader.unpark();
        }
    }

    /// Wakes the reader.
    pub fn wake(&self) {
        self.reader.unpark();
    }

    /// Only where the reader is slower than the target, which none is that moves bytes.
    #[cold]
    fn wait_for_room(&mut self) {
        loop {
            self.room = self.ring.read.0.load(Ordering::Acquire) + self.ring.ios();
            if self.written < self.room {
                return;
            }
            if self.ring.abandoned.load(Ordering::Relaxed) {
                self.room = u64::MAX;
                return;
            }
            self.reader.unpark();
            sleep(Duration::from_micros(50));
        }
    }
}

/// The only one that reads a ring.
pub(super) struct Reader<'a> {
    ring: &'a Ring,
    stream: u16,
    read: u64,
}

impl<'a> Reader<'a> {
    /// What is read is of this stream.
    pub fn new(ring: &'a Ring, stream: u16) -> Reader<'a> {
        Reader { ring, stream, read: 0 }
    }

    /// Appends all that is there; whether that was more than half of what the ring holds.
    pub fn take_into(&mut self, heard: &mut VecDeque<Heard>) -> bool {
        let written = self.ring.written.0.load(Ordering::Acquire);
        let count = written - self.read;
        heard.extend((self.read..written).map(|number| self.heard(number)));
        self.read = written;
        self.ring.read.0.store(written, Ordering::Release);
        count > self.ring.ios() / 2
    }

    #[inline]
    fn heard(&self, number: u64) -> Heard {
        let slot = self.ring.slot(number);
        let word = |n: usize| slot[n].load(Ordering::Relaxed);
        let kind = word(5);
        let io = Io {
            index: word(0),
            offset_bytes: word(1),
            submitted: Time(word(2)),
            response: Nanos(word(3)),
            late: Nanos(word(4)),
            length_bytes: (kind >> 32) as u32,
            stream: self.stream,
            op: Op::ALL[(kind >> 1) as usize & 3],
        };
        Heard { io, is_failed: kind & 1 == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(index: u64) -> Io {
        Io {
            index,
            offset_bytes: index << 40,
            submitted: Time(index * 7),
            response: Nanos(u64::MAX >> 1),
            late: Nanos(index * 3),
            length_bytes: u32::MAX - index as u32,
            stream: 5,
            op: Op::ALL[index as usize % 4],
        }
    }

    /// Many times round, with a reader that is slow at times.
    #[test]
    fn what_is_written_is_read_once_and_in_order() {
        let ring = Ring::one_of(usize::MAX);
        let ios = 50 * ring.ios();
        std::thread::scope(|scope| {
            let reader = std::thread::current();
            let shared = &ring;
            scope.spawn(move || {
                let mut writer = Writer::new(shared, &reader);
                (0..ios).for_each(|index| writer.push(&io(index), index % 3 == 0));
            });
            let (mut reader, mut heard) = (Reader::new(&ring, 5), VecDeque::new());
            while (heard.len() as u64) < ios {
                reader.take_into(&mut heard);
                if heard.len() % 5 == 0 {
                    std::thread::park_timeout(Duration::from_micros(300));
                }
            }
            for (index, heard) in (0..).zip(heard) {
                assert_eq!((heard.io, heard.is_failed), (io(index), index % 3 == 0));
            }
        });
    }

    #[test]
    fn a_ring_that_nobody_reads_any_more_keeps_nobody_waiting() {
        let ring = Ring::one_of(1 << 20);
        ring.abandon();
        let reader = std::thread::current();
        let mut writer = Writer::new(&ring, &reader);
        (0..10 * ring.ios()).for_each(|index| writer.push(&io(index), false));
    }
}
