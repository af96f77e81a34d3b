//! Requests of a kernel tracer that wait for their completion, so that records stay in order of issue and
//! carry a latency.
//!
//! A completion belongs to the oldest request in flight of the same device, operation and *end*: of a request
//! that completes in parts, only the last part reaches the end, and counts. A flush has no range; it is the
//! oldest one of its device. Issued again after `block_rq_requeue`, a request stays the one record it was,
//! with the time of its first issue. What has waited for [`HELD_MAX`] later requests goes on without a
//! latency; so does everything in flight where the kernel lost events.
//!
//! A trace that has no completion among its first [`TRIAL`] requests is taken for one without, until there
//! is one: nothing is held back, and nothing costs time.

use std::collections::{HashMap, VecDeque};

use flashscope_core::request::Op;

use crate::decoder::{Decoder, Sink};
use crate::error::TraceError;
use crate::lines::{LineFormat, Lines};
use crate::reading::Stage;
use crate::record::Record;
use crate::records::BATCH;

/// Requests that may wait: 1.3 MB.
const HELD_MAX: usize = 16 << 10;
/// Requests without any completion after which none is waited for.
const TRIAL: usize = 1024;

/// What became of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It, or a part of it, is done.
    Completed,
    /// The device did not take it; it will be issued again.
    Requeued,
    /// Of the flush that comes next: it belongs to the write behind it, and completes with that.
    Attached,
    /// Nothing will report its end: its place was given to another.
    Forgotten,
    /// Of everything in flight: events are lost.
    #[default]
    Unknown,
}

/// What a line says of a request issued before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// It stands behind so many records of the same batch.
    pub(crate) after: usize,
    pub(crate) fate: Fate,
    pub(crate) time_ns: u64,
    pub(crate) device: u32,
    pub(crate) op: Op,
    pub(crate) end_bytes: u64,
}

/// A format whose lines say what became of requests.
pub(crate) trait Marked: LineFormat {
    /// What was said of requests issued before, since somebody took it.
    fn marks(&mut self) -> &mut Vec<Mark>;
}

/// By what a completion is matched: device, operation, end of the range.
type Key = (u32, Op, u64);

/// The oldest and the newest request in flight of one key.
struct Queue {
    oldest: u64,
    newest: u64,
    /// The oldest one is about to be issued again.
    is_requeued: bool,
}

struct Held {
    record: Record,
    is_waiting: bool,
    /// The next younger one of the same key.
    next: u64,
}

/// The decoder: lines, and between them and the sink those that wait.
#[derive(Default)]
pub(crate) struct InFlight<F> {
    lines: Lines<F>,
    fresh: Vec<Record>,
    held: VecDeque<Held>,
    /// Number of the first one that is held, counted from the start.
    first_held: u64,
    queues: HashMap<Key, Queue>,
    /// Whether completions are waited for; not known at first.
    has_completions: Option<bool>,
    /// The next record completes with the one behind it.
    is_attached: bool,
    /// What stopped the lines; told when all records before it are out.
    failed: Option<TraceError>,
}

impl<F: Marked + 'static> InFlight<F> {
    pub(crate) fn decoder() -> Box<dyn Decoder> {
        Box::new(InFlight::<F>::default())
    }
}

impl<F: Marked> Decoder for InFlight<F> {
    fn decode(&mut self, bytes: &[u8], last: bool, sink: &mut Sink<'_>) -> Result<usize, TraceError> {
        let mut done = 0;
        self.release(sink.records);
        if sink.records.is_empty() && self.failed.is_none() {
            let mut fresh = std::mem::take(&mut self.fresh);
            let result = self.lines.decode(bytes, last, &mut sink.with_records(&mut fresh));
            self.take(&mut fresh, sink);
            self.fresh = fresh;
            match result {
                Ok(count) => done = count,
                Err(error) => self.failed = Some(error),
            }
            self.release(sink.records);
        }
        if self.failed.is_some() || (last && done == bytes.len()) {
            self.release_all(sink.records);
        }
        match &self.failed {
            Some(error) if self.held.is_empty() => Err(error.clone()),
            _ => Ok(done),
        }
    }

    fn take_stage(&mut self, stage: Stage) -> bool {
        self.lines.take_stage(stage)
    }

    fn stage(&mut self) -> Option<Stage> {
        self.lines.stage()
    }
}

impl<F: Marked> InFlight<F> {
    /// Takes records and marks in the order of their lines.
    fn take(&mut self, fresh: &mut Vec<Record>, sink: &mut Sink<'_>) {
        let mut marks = std::mem::take(self.lines.format.marks());
        let has_completion = marks.iter().any(|mark| mark.fate == Fate::Completed);
        if self.has_completions == Some(false) && !has_completion && self.held.is_empty() {
            sink.records.append(fresh);
        } else {
            let mut taken = 0;
            for mark in &marks {
                fresh[taken..mark.after].iter().for_each(|record| self.issue(record));
                taken = mark.after;
                self.mark(mark);
            }
            fresh[taken..].iter().for_each(|record| self.issue(record));
            fresh.clear();
        }
        marks.clear();
        *self.lines.format.marks() = marks;
    }

    fn issue(&mut self, record: &Record) {
        let number = self.first_held + self.held.len() as u64;
        if std::mem::take(&mut self.is_attached) || self.has_completions == Some(false) {
            self.held.push_back(Held { record: *record, is_waiting: false, next: number });
            return;
        }
        if self.has_completions.is_none() && self.held.len() == TRIAL {
            self.has_completions = Some(false);
            self.forget();
            return self.issue(record);
        }
        let queue = self.queues.entry(key(record)).or_insert(Queue {
            oldest: number,
            newest: number,
            is_requeued: false,
        });
        if std::mem::take(&mut queue.is_requeued) {
            return;
        }
        if queue.newest != number {
            self.held[(queue.newest - self.first_held) as usize].next = number;
            queue.newest = number;
        }
        self.held.push_back(Held { record: *record, is_waiting: true, next: number });
    }

    fn mark(&mut self, mark: &Mark) {
        let key = (mark.device, mark.op, mark.end_bytes);
        match mark.fate {
            Fate::Completed => {
                self.has_completions = Some(true);
                if let Some(oldest) = self.leave(key) {
                    let record = &mut self.held[(oldest - self.first_held) as usize].record;
                    record.latency_ns = mark.time_ns.checked_sub(record.time_ns);
                }
            }
            Fate::Requeued => {
                if let Some(queue) = self.queues.get_mut(&key) {
                    queue.is_requeued = true;
                }
            }
            Fate::Attached => self.is_attached = true,
            Fate::Forgotten => drop(self.leave(key)),
            Fate::Unknown => self.forget(),
        }
    }

    /// Nothing is in flight any more, as far as is known.
    fn forget(&mut self) {
        self.queues.clear();
        self.held.iter_mut().for_each(|held| held.is_waiting = false);
    }

    /// The oldest request of this key, which waits no longer.
    fn leave(&mut self, key: Key) -> Option<u64> {
        let queue = self.queues.get_mut(&key)?;
        let oldest = queue.oldest;
        let held = &mut self.held[(oldest - self.first_held) as usize];
        held.is_waiting = false;
        if queue.newest == oldest {
            self.queues.remove(&key);
        } else {
            (queue.oldest, queue.is_requeued) = (held.next, false);
        }
        Some(oldest)
    }

    /// Hands on, in order, what waits for nothing, or has waited too long.
    fn release(&mut self, records: &mut Vec<Record>) {
        let is_held = |this: &InFlight<F>| {
            let has_time = this.held.len() <= HELD_MAX;
            this.held.front().is_none_or(|front| front.is_waiting && has_time)
        };
        while records.len() < BATCH && !is_held(self) {
            self.hand_on(records);
        }
    }

    fn release_all(&mut self, records: &mut Vec<Record>) {
        while records.len() < BATCH && !self.held.is_empty() {
            self.hand_on(records);
        }
    }

    fn hand_on(&mut self, records: &mut Vec<Record>) {
        let Some(front) = self.held.front() else { return };
        if front.is_waiting {
            self.leave(key(&front.record));
        }
        records.extend(self.held.pop_front().map(|held| held.record));
        self.first_held += 1;
    }
}

fn key(record: &Record) -> Key {
    (record.device, record.op, record.offset_bytes + record.length_bytes)
}
