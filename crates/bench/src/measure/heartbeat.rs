//! A thread that notices when it could not run: the loop beside it could not either, most likely.
//!
//! Two signs are read every 10 ms: how late the thread itself wakes (the process was stopped), and how long
//! the threads of the loops waited for a processor, which the kernel counts (the machine was starved): the
//! longest wait of any. Nothing of this is on the path of an IO.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use flashscope_analysis::{STANDSTILL_MIN, Standstill, Standstills};
use flashscope_core::{Io, Nanos, Time};

use super::schedstat::SchedStat;

const BEAT: Nanos = Nanos::from_ms(10);
/// A long IO is looked up this long after its end: by then the heartbeat has told of what it holds.
const SETTLED_AFTER: Nanos = Nanos::from_s(1);
/// Long IOs that wait for that before the first are looked up.
const PENDING_MAX: usize = 4096;

/// The pauses so far, on the clock of the run.
pub(super) type Pauses = Mutex<Vec<Standstill>>;

/// The running thread; dropping `end` ends it.
pub(super) struct Heartbeat<'scope> {
    end: Sender<()>,
    thread: ScopedJoinHandle<'scope, ()>,
}

impl<'scope> Heartbeat<'scope> {
    /// Watches these threads from now on, which is time zero of their run.
    pub fn start(
        scope: &'scope Scope<'scope, '_>,
        threads: Vec<SchedStat>,
        pauses: &'scope Pauses,
    ) -> Heartbeat<'scope> {
        let (end, ended) = channel();
        let begin = Instant::now();
        Heartbeat { end, thread: scope.spawn(move || beat(begin, &threads, &ended, pauses)) }
    }

    /// Tells of the last pause, if the run ended in one.
    pub fn stop(self) {
        drop(self.end);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}

fn beat(begin: Instant, threads: &[SchedStat], ended: &Receiver<()>, pauses: &Pauses) {
    let now = || Time(begin.elapsed().as_nanos() as u64);
    let waited = || threads.iter().map(SchedStat::waited_ns).collect::<Vec<_>>();
    let (mut last, mut waited_ns) = (now(), waited());
    loop {
        let is_over = ended.recv_timeout(Duration::from_nanos(BEAT.0)) != Err(RecvTimeoutError::Timeout);
        let (to, total_ns) = (now(), waited());
        let late = to.since(last + BEAT);
        let starved = total_ns.iter().zip(&waited_ns).map(|(now, before)| now.saturating_sub(*before)).max();
        let lost = late.max(Nanos(starved.unwrap_or(0)));
        if lost >= STANDSTILL_MIN {
            // The wait is counted when it is over, so it may have begun before the last beat.
            let from = Time(last.0.min(to.0.saturating_sub(lost.0)));
            pauses.lock().expect("nobody panics with it").push(Standstill { from, to, lost });
        }
        if is_over {
            return;
        }
        (last, waited_ns) = (to, total_ns);
    }
}

/// IOs so long that they may hold a pause, until that is known.
pub(super) struct LongIos<'a> {
    pauses: &'a Pauses,
    pending: Vec<(Time, Nanos)>,
    pending_max: usize,
    found: Standstills,
}

impl<'a> LongIos<'a> {
    pub fn new(pauses: &'a Pauses) -> LongIos<'a> {
        LongIos { pauses, pending: Vec::new(), pending_max: PENDING_MAX, found: Standstills::default() }
    }

    /// Takes one if it is long.
    #[inline]
    pub fn see(&mut self, io: &Io) {
        if io.response.0 >= STANDSTILL_MIN.0 / 2 {
            self.keep(io);
        }
    }

    #[cold]
    fn keep(&mut self, io: &Io) {
        self.pending.push((io.submitted, io.response));
        if self.pending.len() >= self.pending_max {
            self.look_up(Time((io.submitted + io.response).0.saturating_sub(SETTLED_AFTER.0)));
            self.pending_max = 2 * self.pending.len() + PENDING_MAX;
        }
    }

    /// Counts those that ended before `until`.
    fn look_up(&mut self, until: Time) {
        let pauses = self.pauses.lock().expect("nobody panics with it");
        let found = &mut self.found;
        self.pending.retain(|(submitted, response)| {
            let is_settled = *submitted + *response < until;
            if is_settled {
                found.add_io(&pauses, *submitted, *response);
            }
            !is_settled
        });
    }

    /// What there was, once the heartbeat has stopped; none where the process always ran.
    pub fn finish(mut self) -> Option<Standstills> {
        self.look_up(Time::NEVER);
        let pauses = self.pauses.lock().expect("nobody panics with it");
        pauses.iter().for_each(|one| self.found.add(one.lost));
        (!pauses.is_empty()).then_some(self.found)
    }
}
