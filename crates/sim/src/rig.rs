//! Virtual devices of known truth. A rig follows the rules of a [`RigSpec`] exactly, in virtual time, and
//! [`RigSpec::truth`] says what a sound measurement of it must find. The rules are described in
//! `docs/rigs.md`; each has a file here. There is no flash inside: no pages, no blocks, no mapping.

mod background;
mod classify;
pub mod curve;
mod cycle;
pub mod indicators;
mod lingering;
mod noise;
mod queue;
mod recency;
mod regimes;
mod service;
pub mod spec;
mod streams;
pub mod truth;
mod validate;

use flashscope_core::{Bytes, Completion, ErrorKind, Op, Request, Target, TargetError, TargetInfo, Time};

use queue::Queue;
use service::Service;
pub use spec::RigSpec;

/// The most IOs a rig holds in flight.
pub const QUEUE_DEPTH_MAX: u32 = 65_536;

/// A virtual device at work. The same spec, seed and requests give the same completions, to the nanosecond,
/// on every machine.
pub struct Rig {
    info: TargetInfo,
    sector_mask: u64,
    clock: Time,
    queue: Queue,
    service: Service,
}

impl Rig {
    /// A rig just switched on at time zero. The spec is one that [`RigSpec::parse`] gave or
    /// [`RigSpec::validate`] accepted.
    pub fn new(spec: RigSpec, seed: u64) -> Rig {
        Rig {
            info: TargetInfo {
                name: format!("rig:{}", spec.name),
                size_bytes: spec.size.0,
                logical_block_bytes: spec.sector.0 as u32,
                virtual_time: true,
                engine: "rig".into(),
                queue_depth_max: QUEUE_DEPTH_MAX,
                placements: 1,
                zones: None,
            },
            sector_mask: spec.sector.0 - 1,
            clock: Time::ZERO,
            queue: Queue::new(spec.parallel.channels),
            service: Service::new(spec, seed),
        }
    }

    #[inline]
    fn take(&mut self, request: &Request) -> Result<(), TargetError> {
        let Request { offset_bytes, length_bytes, tag, op, placement, .. } = *request;
        let length = u64::from(length_bytes);
        let fits = offset_bytes.checked_add(length).is_some_and(|end| end <= self.info.size_bytes);
        let whole = (offset_bytes | length) & self.sector_mask == 0;
        if !fits || !whole || (length == 0 && op != Op::Flush) {
            return Err(self.refuse(request));
        }
        if placement > 0 {
            return Err(self.refuse_placed(request));
        }
        if self.queue.len() >= QUEUE_DEPTH_MAX as usize {
            return Err(self.refuse_deeper(request));
        }
        match op {
            Op::Read | Op::Write => {
                let (channel, start) = self.queue.earliest(self.clock);
                let idle = start.since(self.queue.busy_until);
                if idle.0 > 0 {
                    self.service.idle(idle.0);
                }
                let done = self.service.serve(op, offset_bytes, length, start);
                self.queue.push(channel, tag, self.clock, done);
            }
            // Nothing is volatile here: a flush waits for what is in flight, a trim changes nothing.
            Op::Flush => {
                self.queue.push_aside(tag, self.clock, self.clock.max(self.queue.busy_until));
            }
            Op::Trim => self.queue.push_aside(tag, self.clock, self.clock),
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, request: &Request) -> TargetError {
        let (size, sector) = (Bytes(self.info.size_bytes), Bytes(u64::from(self.info.logical_block_bytes)));
        self.error(
            request,
            format!("IOs must be whole sectors of {sector} within its {size}"),
            "use offsets and sizes that fit",
        )
    }

    #[cold]
    fn refuse_placed(&self, request: &Request) -> TargetError {
        let cause = format!("placement handle {}: a rig knows none", request.placement);
        self.error(request, cause, "leave out placement")
    }

    #[cold]
    fn refuse_deeper(&self, request: &Request) -> TargetError {
        self.error(request, format!("{QUEUE_DEPTH_MAX} IOs are in flight already"), "use a smaller iodepth")
    }

    fn error(&self, request: &Request, cause: String, remedy: &str) -> TargetError {
        TargetError {
            kind: ErrorKind::Invalid,
            tag: None,
            target: self.info.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause,
            remedy: remedy.into(),
        }
    }
}

impl Target for Rig {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        self.clock
    }

    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        requests.iter().try_for_each(|request| self.take(request))
    }

    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let mut missing = min;
        loop {
            while let Some(completion) = self.queue.pop(self.clock) {
                out.push(completion);
                missing = missing.saturating_sub(1);
            }
            match self.queue.next() {
                Some(next) if missing > 0 && next <= until => self.clock = next,
                // Waiting for ever is waiting for IOs: with none left there is nothing to wait for.
                _ if missing > 0 && until != Time::NEVER => {
                    self.clock = self.clock.max(until);
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        self.take(request)?;
        let done = self.queue.pop(Time::NEVER).expect("it was just taken");
        self.clock = self.clock.max(done.completed);
        Ok(done)
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time);
    }
}
