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
use crate::data::{DataPattern, WriteBuffers};
use crate::error::DeviceError;
use crate::handle::Handle;

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
        DeviceTarget::on_clock(engine, handle, spec, Clock::start())
    }

    /// As [`DeviceTarget::new`], on a clock that other engines have too.
    ///
    /// # Errors
    /// As [`DeviceTarget::new`].
    pub fn on_clock(
        engine: Engine,
        handle: Arc<Handle>,
        spec: &EngineSpec,
        clock: Clock,
    ) -> Result<DeviceTarget, DeviceError> {
        Ok(match engine {
            Engine::Sync => DeviceTarget::Sync(SyncTarget::new(handle, spec, clock)),
            Engine::IoUring => DeviceTarget::IoUring(Box::new(UringTarget::new(handle, spec, clock)?)),
        })
    }

    /// The first `length` bytes that the read of this tag brought, from its completion until the tag is
    /// submitted again; none where nothing is read in truth.
    pub fn read_contents(&self, tag: u32, length: usize) -> Option<&[u8]> {
        match self {
            DeviceTarget::Sync(sync) => sync.read_contents(length),
            DeviceTarget::IoUring(uring) => uring.read_contents(tag, length),
            DeviceTarget::Null(_) => None,
        }
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

    fn give_way(&mut self) {
        std::thread::yield_now();
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

/// What both engines write.
fn write_buffers(spec: &EngineSpec, slots: usize, handle: &Handle) -> WriteBuffers {
    let io_bytes_max = spec.io_bytes_max as usize;
    WriteBuffers::new(spec.data, slots, io_bytes_max, spec.seed, spec.age_writes, handle.key())
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
        placements: 1,
        zones: None,
    }
}
