//! No IO at all, at flashscope's full cost: what is left of a measurement when the device takes no time.

use flashscope_core::{Completion, Request, Target, TargetError, TargetInfo, Time};

use crate::clock::Clock;

/// Answers at once, and stamps every IO as an engine on a real device does.
#[derive(Debug)]
pub struct NullTarget {
    info: TargetInfo,
    clock: Clock,
    in_flight: Vec<Completion>,
}

impl NullTarget {
    /// A target of `size_bytes` that holds nothing.
    pub fn new(size_bytes: u64, queue_depth: u32) -> NullTarget {
        NullTarget::on_clock(size_bytes, queue_depth, Clock::start())
    }

    /// As [`NullTarget::new`], on a clock that others have too.
    pub fn on_clock(size_bytes: u64, queue_depth: u32, clock: Clock) -> NullTarget {
        NullTarget {
            info: TargetInfo {
                name: "null:".into(),
                size_bytes,
                logical_block_bytes: 512,
                virtual_time: false,
                engine: "null".into(),
                queue_depth_max: queue_depth,
                placements: 1,
                zones: None,
            },
            clock,
            in_flight: Vec::with_capacity(queue_depth as usize),
        }
    }
}

impl Target for NullTarget {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    #[inline]
    fn now(&mut self) -> Time {
        self.clock.now()
    }

    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        let submitted = self.clock.now();
        for request in requests {
            self.in_flight.push(Completion { tag: request.tag, submitted, completed: submitted });
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _min: usize, _until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let completed = self.clock.now();
        for taken in &self.in_flight {
            out.push(Completion { completed: completed.max(taken.submitted), ..*taken });
        }
        self.in_flight.clear();
        Ok(())
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let submitted = self.clock.now();
        let completed = self.clock.now().max(submitted);
        Ok(Completion { tag: request.tag, submitted, completed })
    }

    fn wait_until(&mut self, time: Time) {
        self.clock.wait_until(time);
    }
}
