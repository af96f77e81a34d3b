//! The reading of a run on a thread of its own: the loop hands over what it saw and never waits for a look.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{Scope, ScopedJoinHandle, park_timeout};
use std::time::Duration;

use flashscope_core::{Nanos, Time};

use super::reader::{Look, Reader, Sample};

/// IOs that are handed over together, and the longest that they wait for it.
const BATCH_IOS: usize = 4096;
const BATCH_AGE: Nanos = Nanos::from_ms(20);
/// How often the reader looks for them: to wake it would cost the loop a system call, often its processor.
const READ_EVERY: Duration = Duration::from_millis(5);

/// IOs in the order of their completion, and when the last of them ended.
struct Batch {
    samples: Vec<Sample>,
    end: Time,
}

/// The loop's end: hands over, and hears of the verdict.
pub(super) struct Hand<'a> {
    batch: Vec<Sample>,
    hand_over_at: Time,
    full: Sender<Batch>,
    empty: Receiver<Vec<Sample>>,
    is_enough: &'a AtomicBool,
}

impl Hand<'_> {
    /// Takes an IO that ended at `end`; whether enough has been read.
    #[inline]
    pub fn push(&mut self, sample: Sample, end: Time) -> bool {
        self.batch.push(sample);
        if self.batch.len() >= BATCH_IOS || end >= self.hand_over_at {
            self.hand_over(end);
        }
        self.is_enough.load(Ordering::Relaxed)
    }

    #[cold]
    fn hand_over(&mut self, end: Time) {
        let next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH_IOS));
        let samples = std::mem::replace(&mut self.batch, next);
        self.hand_over_at = end + BATCH_AGE;
        // A reader that is gone has panicked, which its end of the scope says.
        let _ = self.full.send(Batch { samples, end });
    }

    /// Hands over what is left to a reader that was started with it, and wakes it.
    pub fn close(mut self, end: Time, reading: &ScopedJoinHandle<'_, Reader>) {
        self.hand_over(end);
        drop(self);
        reading.thread().unpark();
    }
}

/// Starts the reading beside the loop. The thread ends with the reader when the hand is closed.
pub(super) fn beside<'scope, 'a: 'scope>(
    scope: &'scope Scope<'scope, '_>,
    reader: Reader,
    is_enough: &'a AtomicBool,
    show: &'scope mut (dyn FnMut(Look) + Send),
) -> (Hand<'a>, ScopedJoinHandle<'scope, Reader>) {
    let (full, filled) = channel::<Batch>();
    let (emptied, empty) = channel();
    let batch = Vec::with_capacity(BATCH_IOS);
    let hand = Hand { batch, hand_over_at: Time::ZERO, full, empty, is_enough };
    let thread = scope.spawn(move || read(reader, &filled, &emptied, is_enough, show));
    (hand, thread)
}

/// Waits without being woken but for the end; none once the loop has closed its end.
fn next(filled: &Receiver<Batch>) -> Option<Batch> {
    loop {
        match filled.try_recv() {
            Ok(batch) => return Some(batch),
            Err(TryRecvError::Empty) => park_timeout(READ_EVERY),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
}

fn read(
    mut reader: Reader,
    filled: &Receiver<Batch>,
    emptied: &Sender<Vec<Sample>>,
    is_enough: &AtomicBool,
    show: &mut dyn FnMut(Look),
) -> Reader {
    let mut next_shown = Time::ZERO;
    while let Some(Batch { mut samples, end }) = next(filled) {
        for sample in &samples {
            reader.push(sample);
        }
        samples.clear();
        // The loop has closed its end: the vector is of no more use.
        let _ = emptied.send(samples);
        if !is_enough.load(Ordering::Relaxed) && reader.look(end).is_some() {
            is_enough.store(true, Ordering::Relaxed);
        }
        if end >= next_shown {
            next_shown = end + super::LOOK_EVERY;
            show(reader.shown());
        }
    }
    reader
}
