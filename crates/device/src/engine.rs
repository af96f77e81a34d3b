//! Engines: what moves the bytes. Each is a [`Target`]; the drive loop is generic over them.

mod failure;
mod null;
mod overhead;
mod sync;
mod uring;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use flashscope_core::{Completion, ParseError, Request, Target, TargetError, TargetInfo, Time};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::data::DataPattern;
use crate::error::DeviceError;
use crate::handle::Handle;
use crate::provenance::RENEW_AFTER;

pub use null::NullTarget;
pub use overhead::{Overhead, overhead};
pub use sync::SyncTarget;
pub use uring::UringTarget;

/// Which engine serves a file or device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// One IO at a time, by `pread` and `pwrite`: uFLIP's.
    #[default]
    Sync,
    /// Many IOs in flight from one thread.
    IoUring,
}

impl Engine {
    /// Its name, as people write it and manifests keep it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Sync => "sync",
            Engine::IoUring => "io_uring",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Engine, ParseError> {
        let named = [Engine::Sync, Engine::IoUring].into_iter().find(|engine| engine.name() == text.trim());
        named.ok_or_else(|| {
            ParseError::unknown("engine", text, [Engine::Sync, Engine::IoUring].map(Engine::name))
        })
    }
}

/// What an engine must be ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// IOs in flight at most; the synchronous engine has one.
    pub queue_depth: u32,
    /// The largest IO in bytes.
    pub io_bytes_max: u32,
    /// What writes contain.
    pub data: DataPattern,
    /// Seed of random contents: its own for each run, or a device may recognise what it has stored already.
    pub seed: u64,
    /// Writes that the device has seen before, for [`DataPattern::Age`].
    pub age_writes: u64,
}

impl Default for EngineSpec {
    fn default() -> EngineSpec {
        EngineSpec {
            queue_depth: 1,
            io_bytes_max: 1 << 20,
            data: DataPattern::Random,
            seed: 0,
            age_writes: 0,
        }
    }
}

/// A real target, whichever engine serves it. The choice costs a branch that is always predicted.
#[derive(Debug)]
pub enum DeviceTarget {
    /// [`SyncTarget`].
    Sync(SyncTarget),
    /// [`UringTarget`].
    IoUring(Box<UringTarget>),
    /// [`NullTarget`].
    Null(NullTarget),
}

impl DeviceTarget {
    /// Sets up `engine` on an opened target.
    ///
    /// # Errors
    /// [`DeviceError::Engine`] when the kernel refuses io_uring; [`DeviceError::QueueDepth`] out of range.
    pub fn new(engine: Engine, handle: Arc<Handle>, spec: &EngineSpec) -> Result<DeviceTarget, DeviceError> {
        let clock = Clock::start();
        Ok(match engine {
            Engine::Sync => DeviceTarget::Sync(SyncTarget::new(handle, spec, clock)),
            Engine::IoUring => DeviceTarget::IoUring(Box::new(UringTarget::new(handle, spec, clock)?)),
        })
    }
}

/// Calls the same method on whichever engine it is.
macro_rules! each {
    ($target:expr, $engine:ident => $call:expr) => {
        match $target {
            DeviceTarget::Sync($engine) => $call,
            DeviceTarget::IoUring($engine) => $call,
            DeviceTarget::Null($engine) => $call,
        }
    };
}

impl Target for DeviceTarget {
    fn info(&self) -> &TargetInfo {
        each!(self, engine => engine.info())
    }

    #[inline]
    fn now(&mut self) -> Time {
        each!(self, engine => engine.now())
    }

    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        each!(self, engine => engine.submit(requests))
    }

    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        each!(self, engine => engine.reap(min, until, out))
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        each!(self, engine => engine.serve(request))
    }

    fn wait_until(&mut self, time: Time) {
        each!(self, engine => engine.wait_until(time));
    }
}

/// When the lease on a file that is written must be renewed: every now and then, between IOs.
#[derive(Debug)]
struct Lease {
    next: Time,
}

impl Default for Lease {
    fn default() -> Lease {
        // The handle has just taken one.
        Lease { next: Time::ZERO + RENEW_AFTER }
    }
}

impl Lease {
    #[inline]
    fn renew(&mut self, handle: &Handle, now: Time) {
        if now >= self.next {
            self.next = now + RENEW_AFTER;
            handle.renew_lease();
        }
    }
}

/// Facts about both engines on real targets.
fn info(handle: &Handle, engine: Engine, queue_depth_max: u32) -> TargetInfo {
    let identity = handle.identity();
    TargetInfo {
        name: identity.canonical_path.display().to_string(),
        size_bytes: identity.size_bytes,
        logical_block_bytes: identity.logical_block_bytes,
        virtual_time: false,
        engine: engine.name().into(),
        queue_depth_max,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::guard::Intent;
    use crate::provenance::{Provenance, expire, provenance};

    /// Killed now, the run could be resumed: the lease was renewed when its time had come, and not before.
    #[test]
    fn engines_renew_the_lease_on_their_file_between_ios() {
        for (name, engine) in [("sync", Engine::Sync), ("uring", Engine::IoUring)] {
            let path = std::env::temp_dir().join(format!("flashscope-lease-{name}-{}", std::process::id()));
            crate::create_file(&path, 8192, 1, &mut |_| ControlFlow::Continue(())).unwrap();
            let handle = Arc::new(Handle::open_with(&path, &Intent::WRITE, None).unwrap());
            let Ok(mut target) = DeviceTarget::new(engine, handle.clone(), &EngineSpec::default()) else {
                assert_eq!(engine, Engine::IoUring, "only io_uring may be refused");
                std::fs::remove_file(&path).unwrap();
                continue;
            };
            let mut after_an_io = |next| {
                expire(handle.file(), &path);
                match &mut target {
                    DeviceTarget::Sync(sync) => sync.lease.next = next,
                    DeviceTarget::IoUring(uring) => uring.lease.next = next,
                    DeviceTarget::Null(_) => {}
                }
                let read = Request { length_bytes: 4096, ..Request::default() };
                target.submit(&[read]).unwrap();
                target.reap(1, Time::NEVER, &mut Vec::new()).unwrap();
                provenance(handle.file(), &path)
            };
            assert_eq!(after_an_io(Time::ZERO + RENEW_AFTER), Provenance::Changed, "{name}");
            assert_eq!(after_an_io(Time::ZERO), Provenance::Ours, "{name}");
            std::fs::remove_file(&path).unwrap();
        }
    }
}
