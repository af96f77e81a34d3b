//! Each stream of a run in real time on a thread of its own, a *lane*.
//!
//! A lane opens the target for itself, drives its stream alone and leaves every IO in a ring. The calling
//! thread merges: it takes what is in all rings and passes it on to the observer of the run, in the order of
//! completion, as if one loop had done all of it. An IO waits until every other lane has told of a later
//! one, or for [`LAG`]. What the observer says ends all lanes; so do an error, an interruption and the end of
//! the bytes that may be written.

mod ring;

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::thread::{self, park_timeout};
use std::time::{Duration, Instant};

use flashscope_core::{
    Control, Driven, ErrorKind, Io, Limits, Nanos, Observer, Op, RequestSource, Stream, Target, TargetError,
    Time, drive,
};

use self::ring::{Heard, Reader, Ring, Writer};
use super::schedstat::{SchedStat, THREADS_MAX};
use crate::lab::Opener;

/// The longest that an IO waits for lanes that report none: they wait for the target, or for their time.
const LAG: Nanos = Nanos::from_s(1);
/// How often the rings are looked at.
const MERGE_EVERY: Duration = Duration::from_millis(2);

/// What an observer says of an IO that failed.
type Answer = Result<Control, TargetError>;

/// What all lanes share.
struct Shared {
    rings: Vec<Ring>,
    /// Held until all lanes are open.
    go: RwLock<()>,
    /// Time zero of all lanes.
    start: OnceLock<Time>,
    /// Ends all lanes.
    halt: AtomicBool,
}

impl Shared {
    fn new(lanes: usize) -> Shared {
        let rings = (0..lanes).map(|_| Ring::one_of(lanes)).collect();
        Shared { rings, go: RwLock::new(()), start: OnceLock::new(), halt: AtomicBool::new(false) }
    }
}

/// Ends all lanes if the thread that holds it panics; without a reader none of them waits for room.
struct Panicking<'a>(&'a Shared);

impl Drop for Panicking<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.halt.store(true, Ordering::Relaxed);
            self.0.rings.iter().for_each(Ring::abandon);
        }
    }
}

/// What a lane tells of itself.
enum Report {
    /// It is open, or will not be.
    Ready(SchedStat),
    /// It is over.
    Ended { number: u16, driven: Result<Driven, TargetError>, cpu_ns: Option<u64> },
}

/// What came of driving all streams.
pub(super) struct Merged {
    /// As of one loop.
    pub driven: Result<Driven, TargetError>,
    /// Processor time of the lane that took the most, of the first 64.
    pub cpu_ns: Option<u64>,
}

/// Drives each stream on a thread of its own, and passes all IOs to `observer`. `begun` is called as they
/// start, with what is counted of their threads.
pub(super) fn drive_each<T: Target, S: RequestSource + Send, O: Observer>(
    open: &Opener<'_, T>,
    streams: &mut [Stream<S>],
    limits: Limits<'_>,
    observer: &mut O,
    begun: impl FnOnce(Vec<SchedStat>),
) -> Merged {
    let shared = Shared::new(streams.len());
    let merger = thread::current();
    let (report, reports) = channel();
    thread::scope(|scope| {
        let _guard = Panicking(&shared);
        let closed = shared.go.write().unwrap_or_else(PoisonError::into_inner);
        let mut merge = Merge::new(&shared, reports);
        for (number, stream) in (0..).zip(streams) {
            let (answer, answers) = channel();
            let (error, errors) = channel();
            merge.inlets.push(Inlet::new(&shared.rings[usize::from(number)], number, errors, answer));
            let post =
                Post { ring: Writer::new(&shared.rings[usize::from(number)], &merger), error, answers };
            let lane = Lane { number, stream, shared: &shared, post, report: report.clone() };
            let begin = move || lane.run(open, limits);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, begin) {
                merge.never_began(number, &error);
                break;
            }
        }
        drop(report);
        begun(merge.all_ready());
        drop(closed);
        merge.until_over(limits.interrupted, observer)
    })
}

/// One stream, on its thread.
struct Lane<'a, S> {
    number: u16,
    stream: &'a mut Stream<S>,
    shared: &'a Shared,
    post: Post<'a>,
    report: Sender<Report>,
}

impl<S: RequestSource> Lane<'_, S> {
    fn run<T: Target>(mut self, open: &Opener<'_, T>, limits: Limits<'_>) {
        let _guard = Panicking(self.shared);
        let is_watched = usize::from(self.number) < THREADS_MAX;
        let counts = if is_watched { SchedStat::own() } else { SchedStat::none() };
        let opened = open(self.number);
        if opened.is_err() {
            self.shared.halt.store(true, Ordering::Relaxed);
        }
        // A merging thread that is gone has panicked, and halted all.
        let _ = self.report.send(Report::Ready(counts.clone()));
        drop(self.shared.go.read());
        let before_ns = counts.ran_ns();
        let driven = opened.and_then(|mut target| {
            let start = *self.shared.start.get_or_init(|| target.now());
            let own = usize::from(self.number);
            let flow = limits.flow.get(own..=own).unwrap_or_default();
            let limits = Limits { flow, interrupted: &self.shared.halt, start: Some(start), ..limits };
            drive(&mut target, std::slice::from_mut(self.stream), limits, &mut self.post)
        });
        let cpu_ns = counts.ran_ns().zip(before_ns).map(|(end, begin)| end.saturating_sub(begin));
        let _ = self.report.send(Report::Ended { number: self.number, driven, cpu_ns });
        self.post.ring.wake();
    }
}

/// The observer of a lane.
struct Post<'a> {
    ring: Writer<'a>,
    error: Sender<TargetError>,
    answers: Receiver<Answer>,
}

impl Observer for Post<'_> {
    #[inline]
    fn observe(&mut self, io: &Io) -> Control {
        self.ring.push(io, false);
        Control::Continue
    }

    /// Waits until the observer of the run has heard.
    #[cold]
    fn fail(&mut self, io: &Io, error: TargetError) -> Answer {
        let _ = self.error.send(error);
        self.ring.push(io, true);
        self.ring.wake();
        self.answers.recv().unwrap_or(Ok(Control::Stop))
    }
}

/// Where the IOs of one lane arrive.
struct Inlet<'a> {
    ring: Reader<'a>,
    errors: Receiver<TargetError>,
    answer: Sender<Answer>,
    /// All that ended before this has arrived.
    through: Time,
    /// IOs that wait for those of other lanes that may have ended before, in order.
    waiting: VecDeque<Heard>,
}

impl<'a> Inlet<'a> {
    fn new(ring: &'a Ring, number: u16, errors: Receiver<TargetError>, answer: Sender<Answer>) -> Inlet<'a> {
        let (ring, waiting) = (Reader::new(ring, number), VecDeque::new());
        Inlet { ring, errors, answer, through: Time::ZERO, waiting }
    }

    /// Takes what has arrived; whether that was much.
    fn take(&mut self) -> bool {
        let was_much = self.ring.take_into(&mut self.waiting);
        if let Some(last) = self.waiting.back() {
            self.through = self.through.max(last.end());
        }
        was_much
    }

    /// When its next IO ended.
    #[inline]
    fn next_end(&self) -> Option<Time> {
        self.waiting.front().map(Heard::end)
    }

    /// Asks the observer about an IO that failed, for which its lane waits.
    #[cold]
    fn fail<O: Observer>(&mut self, io: &Io, observer: &mut O) -> Control {
        let error = self.errors.recv().expect("it is sent before its IO");
        let answer = observer.fail(io, error);
        let control = answer.as_ref().map_or(Control::Continue, |control| *control);
        // A lane that is gone has panicked.
        let _ = self.answer.send(answer);
        control
    }
}

/// The merging thread's part.
struct Merge<'a> {
    shared: &'a Shared,
    inlets: Vec<Inlet<'a>>,
    reports: Receiver<Report>,
    /// Inlets with IOs, the one whose next IO ended first on top.
    order: BinaryHeap<Reverse<(Time, usize)>>,
    end: Option<Driven>,
    error: Option<TargetError>,
    cpu_ns: Option<u64>,
}

impl<'a> Merge<'a> {
    fn new(shared: &'a Shared, reports: Receiver<Report>) -> Merge<'a> {
        let (inlets, order) = (Vec::new(), BinaryHeap::new());
        Merge { shared, inlets, reports, order, end: None, error: None, cpu_ns: None }
    }

    /// There is no thread for this lane.
    #[cold]
    fn never_began(&mut self, number: u16, error: &std::io::Error) {
        self.inlets.pop();
        self.fail(TargetError {
            kind: ErrorKind::Engine,
            tag: None,
            target: format!("thread of job {}", u32::from(number) + 1),
            op: Op::Read,
            offset_bytes: 0,
            length_bytes: 0,
            cause: error.to_string(),
            remedy: "run fewer jobs at a time, or allow more threads".into(),
        });
    }

    /// Waits until all lanes are open, or will not be.
    fn all_ready(&self) -> Vec<SchedStat> {
        let ready = self.reports.iter().take(self.inlets.len());
        ready
            .filter_map(|report| if let Report::Ready(counts) = report { Some(counts) } else { None })
            .collect()
    }

    fn until_over<O: Observer>(mut self, interrupted: &AtomicBool, observer: &mut O) -> Merged {
        let begin = Instant::now();
        loop {
            if interrupted.load(Ordering::Relaxed) {
                self.halt(Driven::Interrupted);
            }
            // Before the rings are read: what a lane says last is behind all its IOs.
            let is_over = self.hear();
            let mut is_behind = false;
            for inlet in &mut self.inlets {
                is_behind |= inlet.take();
            }
            self.pass_on(if is_over { Time::NEVER } else { self.known(begin) }, observer);
            if is_over {
                let driven = self.error.map_or(Ok(self.end.unwrap_or(Driven::Exhausted)), Err);
                return Merged { driven, cpu_ns: self.cpu_ns };
            }
            if !is_behind {
                park_timeout(MERGE_EVERY);
            }
        }
    }

    /// Takes note of what lanes say; whether all are over.
    fn hear(&mut self) -> bool {
        use std::sync::mpsc::TryRecvError::{Disconnected, Empty};
        loop {
            match self.reports.try_recv() {
                Ok(Report::Ready(_)) => {}
                Ok(Report::Ended { number, driven, cpu_ns }) => {
                    self.inlets[usize::from(number)].through = Time::NEVER;
                    self.cpu_ns = self.cpu_ns.max(cpu_ns);
                    match driven {
                        Err(error) => self.fail(error),
                        Ok(Driven::OutOfBytes) => self.halt(Driven::OutOfBytes),
                        Ok(Driven::OutOfTime) => self.halt(Driven::OutOfTime),
                        Ok(Driven::Ended) => self.halt(Driven::Ended),
                        // It ran dry alone, or was told to end.
                        Ok(Driven::Exhausted | Driven::Stopped | Driven::Interrupted) => {}
                    }
                }
                Err(Empty) => return false,
                Err(Disconnected) => return true,
            }
        }
    }

    /// Until when all IOs that ended have arrived.
    fn known(&self, begin: Instant) -> Time {
        let by_now = Time((begin.elapsed().as_nanos() as u64).saturating_sub(LAG.0));
        self.inlets.iter().map(|inlet| inlet.through.max(by_now)).min().unwrap_or(Time::NEVER)
    }

    /// Passes on what ended until then. Those of each lane are in order.
    fn pass_on<O: Observer>(&mut self, until: Time, observer: &mut O) {
        self.order.clear();
        let ends = self.inlets.iter().enumerate();
        self.order.extend(ends.filter_map(|(lane, inlet)| Some(Reverse((inlet.next_end()?, lane)))));
        while let Some(Heard { io, is_failed }) = self.next(until) {
            let control = match is_failed {
                false => observer.observe(&io),
                true => self.inlets[usize::from(io.stream)].fail(&io, observer),
            };
            if control == Control::Stop {
                self.halt(Driven::Stopped);
            }
        }
    }

    /// The one that ended first, if it did until then.
    #[inline]
    fn next(&mut self, until: Time) -> Option<Heard> {
        let mut first = self.order.peek_mut()?;
        let Reverse((end, lane)) = *first;
        if end > until {
            return None;
        }
        let inlet = &mut self.inlets[lane];
        let heard = inlet.waiting.pop_front();
        match inlet.next_end() {
            Some(next) => first.0.0 = next,
            None => drop(PeekMut::pop(first)),
        }
        heard
    }

    /// Ends all lanes, for this reason unless there was one before.
    fn halt(&mut self, because: Driven) {
        self.end.get_or_insert(because);
        self.shared.halt.store(true, Ordering::Relaxed);
    }

    #[cold]
    fn fail(&mut self, error: TargetError) {
        self.error.get_or_insert(error);
        self.shared.halt.store(true, Ordering::Relaxed);
    }
}
