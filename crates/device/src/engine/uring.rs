//! The asynchronous engine: many IOs in flight from one thread through io_uring, with registered file and
//! buffers. Submission and waiting share one system call, and whatever is complete is reaped at once; where
//! much was complete at once, the drive gets it back in parts.
//!
//! An IO counts as submitted when the system call that carries it begins, and as completed when the one that
//! brings its completion returns.

use std::sync::Arc;

use flashscope_core::{
    Completion, Nanos, Op, Request, Target, TargetError, TargetInfo, Time, submit_and_reap,
};
use rustix::io::Errno;

use super::failure::{cut_short, failed, validate};
use super::sync::trim;
use super::{Engine, EngineSpec, info, write_buffers};
use crate::clock::Clock;
use crate::error::DeviceError;
use crate::handle::Handle;
use crate::ring::{Ring, RingModes};

/// A file or device behind io_uring. The first thread that submits must stay the only one.
#[derive(Debug)]
pub struct UringTarget {
    info: TargetInfo,
    handle: Arc<Handle>,
    clock: Clock,
    io_bytes_max: u32,
    ring: Ring,
    /// By tag: what is in flight, and since when.
    flights: Box<[(Request, Time)]>,
    /// Tags whose requests wait for the next system call.
    queued: Vec<u32>,
    /// So many do not wait for more.
    batch: usize,
    /// What was done without the ring.
    done: Vec<Completion>,
    /// Room for the completion of a single IO.
    scratch: Vec<Completion>,
}

/// A sleep ends up to this much late; the rest of a wait is spent asking again and again.
const SLEEP_ERROR: Nanos = Nanos::from_us(100);

const QUEUE_DEPTH_MAX: u32 = 4096;

/// Into how many parts a whole queue of requests is cut. All in one would leave the drive idle while they are
/// prepared: on a loop device, at depth 32, that costs a quarter of the throughput.
const BATCHES_IN_QUEUE: u32 = 4;

impl UringTarget {
    /// An engine on an opened target.
    ///
    /// # Errors
    /// When the queue depth is not in 1 to 4096, or the kernel refuses io_uring.
    pub fn new(handle: Arc<Handle>, spec: &EngineSpec, clock: Clock) -> Result<UringTarget, DeviceError> {
        let engine = Engine::IoUring.name();
        let depth = spec.queue_depth;
        if !(1..=QUEUE_DEPTH_MAX).contains(&depth) {
            return Err(DeviceError::QueueDepth { engine, queue_depth: depth, max: QUEUE_DEPTH_MAX });
        }
        let slots = if handle.writable() { depth as usize } else { 0 };
        let writes = write_buffers(spec, slots, &handle);
        let ring = Ring::new(Arc::clone(&handle), depth, spec.io_bytes_max, writes)
            .map_err(|source| DeviceError::Engine { engine, source })?;
        Ok(UringTarget {
            info: info(&handle, Engine::IoUring, depth),
            handle,
            clock,
            io_bytes_max: spec.io_bytes_max,
            ring,
            flights: vec![(Request::default(), Time::ZERO); depth as usize].into_boxed_slice(),
            queued: Vec::with_capacity(depth as usize),
            batch: depth.div_ceil(BATCHES_IN_QUEUE) as usize,
            done: Vec::new(),
            scratch: Vec::with_capacity(1),
        })
    }

    /// Which of io_uring's faster ways are in use.
    pub fn modes(&self) -> RingModes {
        self.ring.modes()
    }

    /// As [`super::DeviceTarget::read_contents`].
    pub(super) fn read_contents(&self, tag: u32, length: usize) -> Option<&[u8]> {
        self.ring.read_contents(tag as usize, length)
    }

    /// Discards have no io_uring command on most kernels, so one is done at once, while the others wait.
    #[cold]
    fn trim_now(&mut self, request: &Request) -> Result<(), TargetError> {
        let submitted = self.clock.now();
        trim(&self.handle, request).map_err(|errno| failed(&self.info, request, errno))?;
        self.done.push(Completion { tag: request.tag, submitted, completed: self.clock.now() });
        Ok(())
    }

    /// One system call: stamps and submits what is queued, waits for `want` completions until `until`.
    #[inline]
    fn enter(&mut self, want: usize, until: Time) -> Result<(), TargetError> {
        let now = self.clock.now();
        for tag in self.queued.drain(..) {
            self.flights[tag as usize].1 = now;
        }
        let left = until.since(now);
        let entered = if until == Time::NEVER {
            self.ring.enter(want, None)
        } else if left > SLEEP_ERROR {
            self.ring.enter(want, Some(left - SLEEP_ERROR))
        } else {
            self.ring.enter(0, None)
        };
        entered.map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            TargetError { tag: None, ..failed(&self.info, &Request::default(), errno) }
        })
    }

    /// Appends all that is complete, up to the first failed IO: what is complete behind it waits for the next
    /// call, so that each error stands for one IO.
    #[inline]
    fn take_completed(&mut self, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let completed = self.clock.now();
        while let Some((tag, result)) = self.ring.completed() {
            let (request, submitted) = self.flights[tag as usize];
            let done_in_full = request.op == Op::Flush || result == request.length_bytes as i32;
            if result >= 0 && done_in_full {
                out.push(Completion { tag, submitted, completed: completed.max(submitted) });
            } else {
                return Err(match u16::try_from(-result) {
                    Ok(code) if code > 0 => {
                        failed(&self.info, &request, Errno::from_raw_os_error(i32::from(code)))
                    }
                    _ => cut_short(&self.info, &request, result.max(0) as usize),
                });
            }
        }
        Ok(())
    }
}

impl Target for UringTarget {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    #[inline]
    fn now(&mut self) -> Time {
        self.clock.now()
    }

    /// Queues the requests; the system call that carries the last of them is the next `reap`.
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.queued.len() >= self.batch {
                self.enter(0, Time::NEVER)?;
            }
            validate(&self.info, request, self.io_bytes_max)?;
            match request.op {
                Op::Trim => self.trim_now(request)?,
                Op::Write if !self.handle.writable() => return Err(failed(&self.info, request, Errno::BADF)),
                Op::Read | Op::Write | Op::Flush => {
                    self.ring.push(request);
                    self.flights[request.tag as usize].0 = *request;
                    self.queued.push(request.tag);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let wanted = out.len() + min;
        out.append(&mut self.done);
        loop {
            let want = wanted.saturating_sub(out.len()).min(self.ring.in_flight());
            self.enter(want, until)?;
            self.take_completed(out)?;
            if out.len() >= wanted || (until != Time::NEVER && self.clock.now() >= until) {
                return Ok(());
            }
        }
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let done = submit_and_reap(self, request, &mut scratch);
        self.scratch = scratch;
        done
    }

    fn wait_until(&mut self, time: Time) {
        self.clock.wait_until(time);
    }
}
