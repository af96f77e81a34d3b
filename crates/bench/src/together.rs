//! Several measurements that go on at the same time on one target: one start, shares of the IOs, one end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use flashscope_core::{Flow, FlowShare, Nanos};

/// The longest wait without a look at the interruption flag.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// What measurements at the same time have in common.
#[derive(Debug)]
pub struct Together {
    /// Those that are neither ready nor given up.
    missing: Mutex<usize>,
    all_there: Condvar,
    is_over: AtomicBool,
    flow: Flow,
}

/// How a measurement goes on beside the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Company {
    /// The weight of each of its processes: its share of the IOs of all that have one; none goes as it can.
    pub flow: Option<u32>,
    /// It begins so long after the others.
    pub delay: Nanos,
    /// The others end when it does.
    pub ends_others: bool,
}

impl Together {
    /// So many measurements; each has a [`Place`], and none begins before all places are ready or gone.
    pub fn of(measurements: usize) -> Together {
        let (all_there, is_over) = (Condvar::new(), AtomicBool::new(false));
        Together { missing: Mutex::new(measurements), all_there, is_over, flow: Flow::default() }
    }

    /// The place of one of them, which has so many processes. Dropping it keeps nobody waiting.
    pub fn place(&self, company: Company, processes: u32) -> Place<'_> {
        let shares = company.flow.into_iter().flat_map(|weight| (0..processes).map(move |_| weight));
        let shares = shares.map(|weight| self.flow.join(weight)).collect();
        Place { together: self, company, shares, is_ready: AtomicBool::new(false) }
    }
}

/// The place of one measurement among several.
#[derive(Debug)]
pub struct Place<'a> {
    together: &'a Together,
    company: Company,
    shares: Vec<FlowShare<'a>>,
    is_ready: AtomicBool,
}

impl<'a> Place<'a> {
    /// The shares of its processes.
    pub(crate) fn shares(&'a self) -> &'a [FlowShare<'a>] {
        &self.shares
    }

    /// Waits until all may begin, and for its delay.
    pub(crate) fn arrive(&self, interrupted: &AtomicBool) {
        let mut missing = self.ready();
        while *missing > 0 {
            missing = self.together.all_there.wait(missing).unwrap_or_else(PoisonError::into_inner);
        }
        drop(missing);
        let (begin, delay) = (Instant::now(), Duration::from_nanos(self.company.delay.0));
        while let Some(left) = delay.checked_sub(begin.elapsed()).filter(|left| !left.is_zero()) {
            if interrupted.load(Ordering::Relaxed) || self.is_over() {
                return;
            }
            sleep(left.min(WAIT_MAX));
        }
    }

    fn ready(&self) -> std::sync::MutexGuard<'_, usize> {
        let mut missing = self.together.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_ready.swap(true, Ordering::Relaxed) {
            *missing -= 1;
            self.together.all_there.notify_all();
        }
        missing
    }

    /// Set when another one has ended all.
    pub(crate) fn end(&self) -> &AtomicBool {
        &self.together.is_over
    }

    fn is_over(&self) -> bool {
        self.end().load(Ordering::Relaxed)
    }

    /// The measurement is over: nobody waits for it, and all end that end with it.
    pub(crate) fn leave(&self) {
        drop(self.ready());
        self.shares.iter().for_each(FlowShare::leave);
        if self.company.ends_others {
            self.together.is_over.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
