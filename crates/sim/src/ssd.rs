//! A simulated SSD: host link, write buffer, FTL and NAND behind the same [`Target`] as a real drive.
//!
//! [`Ssd`] takes requests at its virtual clock. When each is done it knows at once, or when the flash has
//! worked so far. Here lives what is
//! between the host's bytes and the FTL's pages: the link, partial pages, the buffer's write-backs, host
//! counts, the oracle of token mode.

pub mod background;
mod batch;
mod builder;
pub mod clipped;
mod host;
pub mod inside;
mod oracle;
mod path;
mod pending;
mod placements;
mod power;
mod precondition;
pub mod queues;
mod ranges;
mod read_ahead;
pub mod report;
mod state;
mod write_behind;
mod zoned;

use std::sync::atomic::AtomicBool;

use flashscope_core::{Completion, ErrorKind, Op, Request, Target, TargetError, TargetInfo, Time};

use crate::buffer::{AnyBuffer, WriteBuffer};
use crate::error::SimError;
use crate::flight::Flight;
use crate::ftl::zns::zones::Admission;
use crate::ftl::{AnyFtl, Ftl};
use crate::nand::{Geometry, Nand};
use crate::settings::Settings;

use batch::Calls;
pub use builder::SsdBuilder;
use inside::Watch;
pub use oracle::Corruption;
pub use path::HostCounts;
use path::Path;
pub use power::PowerLoss;
use queues::HostQueues;

/// The most IOs in flight.
pub const QUEUE_DEPTH_MAX: u32 = 65_536;

/// The smallest unit of an IO in bytes.
pub const SECTOR_BYTES: u32 = 512;

/// A simulated SSD at work. The same settings, seed and requests give the same completions, to the
/// nanosecond, on every machine.
///
/// Its FTL and its write buffer are those that the settings name, or any others: see [`Ssd::builder`].
pub struct Ssd<F: Ftl = AnyFtl, B: WriteBuffer = AnyBuffer> {
    info: TargetInfo,
    settings: Settings,
    ftl_options: F::Options,
    buffer_options: B::Options,
    seed: u64,
    logical_pages: u32,
    path: Path<B>,
    ftl: F,
    calls: Calls<F, B>,
    clock: u64,
    flight: Flight,
    /// None if commands are taken as they come.
    queues: Option<Box<HostQueues>>,
    watch: Option<Box<Watch>>,
    /// When the next sample is due; never if nobody watches.
    sample_due_ns: u64,
}

impl Ssd {
    /// The device that `settings` describe, in its initial state, at time zero.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn new(name: &str, settings: Settings, seed: u64) -> Result<Ssd, SimError> {
        Ssd::builder(name, settings).seed(seed).build()
    }

    /// As [`Ssd::new`], but gives up once `interrupted` is set, and returns none: to bring a large device
    /// into its initial state takes seconds.
    ///
    /// # Errors
    /// As [`Ssd::new`].
    pub fn new_unless(
        interrupted: &AtomicBool,
        name: &str,
        settings: Settings,
        seed: u64,
    ) -> Result<Option<Ssd>, SimError> {
        Ssd::builder(name, settings).seed(seed).build_unless(interrupted)
    }
}

/// An IO to a device with zones is of whole pages.
fn info_of<F: Ftl>(name: &str, settings: &Settings, options: &F::Options, logical_pages: u32) -> TargetInfo {
    let page_bytes = settings.nand.page.0;
    let zones = F::zone_layout(settings, options);
    TargetInfo {
        name: name.into(),
        size_bytes: u64::from(logical_pages) * page_bytes,
        logical_block_bytes: zones.map_or(SECTOR_BYTES, |_| page_bytes as u32),
        virtual_time: true,
        engine: "sim".into(),
        queue_depth_max: QUEUE_DEPTH_MAX,
        placements: F::placements(settings, options),
        zones,
    }
}

impl Settings {
    /// What a host may know of the device that they describe, which need not be made for that.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn target_info(&self, name: &str) -> Result<TargetInfo, SimError> {
        let (_, logical_pages) = self.geometry()?;
        let info = info_of::<AnyFtl>(name, self, &(), logical_pages);
        if info.zones.is_some() {
            self.zns.check(info.size_bytes, self.nand.page.0)?;
        }
        Ok(info)
    }
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// So many days go by without power, in which what the device holds grows older (`aging.retries`). Its
    /// clock stands still.
    pub fn rest(&mut self, days: f64) {
        self.path.nand.rest(days);
    }

    /// Everything that was set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The flash, to look at.
    pub fn nand(&self) -> &Nand {
        &self.path.nand
    }

    /// Blocks and pages.
    pub fn geometry(&self) -> &Geometry {
        self.path.nand.geometry()
    }

    /// The FTL, to look at.
    pub fn ftl(&self) -> &F {
        &self.ftl
    }

    /// The write buffer, to look at.
    pub fn buffer(&self) -> &B {
        &self.path.buffer
    }

    /// Pages that the host sees.
    pub fn logical_pages(&self) -> u32 {
        self.logical_pages
    }

    /// Blocks that never hold closed data: see [`Ftl::reserve_blocks`].
    pub fn reserve_blocks(&self) -> u32 {
        self.ftl.reserve_blocks()
    }

    /// Serves `requests` one after the other, each when the one before is done: what a host does at queue
    /// depth 1. Faster than [`Target::serve`] for each, with the same result.
    ///
    /// # Errors
    /// The first request that could not be served; the completions of those before it are in `out`.
    pub fn serve_in_turn(
        &mut self,
        requests: &[Request],
        out: &mut Vec<Completion>,
    ) -> Result<(), TargetError> {
        let stuck = (self.calls.serve_in_turn)(self, requests, out);
        if self.clock >= self.sample_due_ns {
            self.take_sample();
        }
        match stuck {
            None => Ok(()),
            Some(request) => Err(self.stuck(request)),
        }
    }

    /// Whether the flash and the oracle are still content.
    fn check(&self, request: Option<&Request>) -> Result<(), TargetError> {
        if self.path.has_failed() {
            return Err(self.failure(request.unwrap_or(&Request::default())));
        }
        Ok(())
    }

    /// Why it has failed.
    #[cold]
    fn failure(&self, request: &Request) -> TargetError {
        if self.is_off() {
            return self.error(
                request,
                ErrorKind::Device,
                "the device has no power".into(),
                "switch it on again",
            );
        }
        let cause = match (self.path.nand.fault(), self.path.corruption()) {
            (Some(fault), _) => fault.to_string(),
            (None, Some(corruption)) => corruption.to_string(),
            (None, None) => "it failed for an unknown reason".into(),
        };
        let wear_out = self.path.nand.fault().is_some_and(|fault| fault.is_wear_out());
        let remedy = if wear_out {
            "set wear.levelling to spread erases, raise nand.endurance_erases, or write less"
        } else {
            "this is a defect of flashscope; please report it with the settings, the seed and the pattern"
        };
        self.error(request, ErrorKind::Device, cause, remedy)
    }

    /// Why a request was not served.
    #[cold]
    fn stuck(&self, request: &Request) -> TargetError {
        let is_refused = self.path.is_too_worn_for(request.op)
            || !fits(&self.info, request)
            || matches!(self.ftl.admission(request), Admission::Refused(_));
        if is_refused { self.refuse(request) } else { self.failure(request) }
    }

    #[cold]
    fn refuse(&self, request: &Request) -> TargetError {
        if self.is_off() {
            return self.failure(request);
        }
        if fits(&self.info, request) && self.path.is_too_worn_for(request.op) {
            let cause = "the device is read-only: the blocks that replace bad ones are used up".into();
            let remedy = "read it, raise nand.endurance_erases or aging.spare_blocks, or write less";
            return self.error(request, ErrorKind::Device, cause, remedy);
        }
        if request.placement >= self.info.placements {
            let (handle, last) = (request.placement, self.info.placements - 1);
            let cause = format!("placement handle {handle}: the FTL {} knows 0 to {last}", self.settings.ftl);
            return self.error(request, ErrorKind::Invalid, cause, "use a handle that it knows");
        }
        if fits(&self.info, request)
            && let Admission::Refused(error) = self.ftl.admission(request)
        {
            return self.zone_error(request, error);
        }
        let cause =
            format!("IOs must be whole sectors of {SECTOR_BYTES}B within its {}B", self.info.size_bytes);
        self.error(request, ErrorKind::Invalid, cause, "use offsets and sizes that fit")
    }

    fn error(&self, request: &Request, kind: ErrorKind, cause: String, remedy: &str) -> TargetError {
        TargetError {
            kind,
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

#[inline]
pub(crate) fn fits(info: &TargetInfo, request: &Request) -> bool {
    let Request { offset_bytes, length_bytes, op, placement, .. } = *request;
    let length = u64::from(length_bytes);
    let inside = offset_bytes.checked_add(length).is_some_and(|end| end <= info.size_bytes);
    let whole = (offset_bytes | length) & u64::from(SECTOR_BYTES - 1) == 0;
    inside && whole && (length > 0 || op == Op::Flush) && placement < info.placements
}

impl<F: Ftl, B: WriteBuffer> Target for Ssd<F, B> {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        Time(self.clock)
    }

    fn prepare(&mut self, requests: &[Request]) {
        (self.calls.prepare)(self, requests);
    }

    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        if self.queues.is_some() {
            return self.enqueue(requests);
        }
        let refused = (self.calls.submit)(self, requests);
        if self.clock >= self.sample_due_ns {
            self.take_sample();
        }
        match refused {
            Some(request) => Err(self.refuse(request)),
            None => self.check(requests.last()),
        }
    }

    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        if self.queues.is_some() {
            return self.reap_queued(min, until, out);
        }
        self.clock = self.path.reap(self.clock, min, until, &mut self.flight, out);
        Ok(())
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        if !fits(&self.info, request) {
            return Err(self.refuse(request));
        }
        let submitted = self.clock;
        let done = (self.calls.serve)(self, request);
        if submitted >= self.sample_due_ns {
            self.take_sample();
        }
        let Some(done) = done else { return Err(self.stuck(request)) };
        self.clock = done;
        Ok(Completion { tag: request.tag, submitted: Time(submitted), completed: Time(done) })
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time.0);
    }
}
