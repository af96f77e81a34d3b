//! The device that a study works with: one made for it, or a real one that is held for all studies.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};

use flashscope_core::Nanos;
use flashscope_device::Intent;
use flashscope_lab::{Error, OpenOptions, OpenTarget, Result};

use crate::error::NotHere;

/// The least runtime: a paper's shortest phases (4 s) are 13 ms with it, time for an IO of a slow drive.
const RUNTIME_MIN: Nanos = Nanos::from_ms(100);
/// More runs are no study of a paper any more.
const REPEATS_MAX: u32 = 100;

/// How a real device is used. The default takes minutes for a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// What is run instead of 30 s of a paper, other times in proportion; 100 ms or more.
    pub runtime: Nanos,
    /// How often each study is run, 1 to 100: a real device never does quite the same again.
    pub repeats: u32,
}

impl Default for Schedule {
    /// Two seconds, and the least number of runs that have an interval worth printing.
    fn default() -> Schedule {
        Schedule { runtime: Nanos::from_s(2), repeats: 3 }
    }
}

impl Schedule {
    /// # Errors
    /// A value is out of its range.
    pub fn check(&self) -> Result<()> {
        if self.runtime < RUNTIME_MIN {
            let problem = "must be at least 100ms; it stands for 30 s of a paper";
            return Err(Error::setting("runtime", problem));
        }
        if !(1..=REPEATS_MAX).contains(&self.repeats) {
            return Err(Error::setting("repeats", format!("must be 1 to {REPEATS_MAX}")));
        }
        Ok(())
    }
}

/// A real device or file, held for all studies.
pub struct RealDevice {
    target: Mutex<OpenTarget>,
    /// As it was named.
    pub(crate) name: String,
    pub(crate) schedule: Schedule,
    is_written: bool,
}

impl RealDevice {
    /// An open target. What may not be written is read only: studies that write say so.
    ///
    /// # Errors
    /// The schedule is out of range; it is a block device to be written that was not confirmed
    /// ([`OpenTarget::confirm`]).
    pub fn new(target: OpenTarget, schedule: Schedule) -> Result<RealDevice> {
        schedule.check()?;
        target.must_be_confirmed()?;
        let (name, is_written) = (target.info().name.clone(), target.is_written());
        Ok(RealDevice { target: Mutex::new(target), name, schedule, is_written })
    }

    /// How the studies need it to be opened.
    pub fn open_options(intent: Intent, seed: u64) -> OpenOptions {
        OpenOptions { intent, io_bytes_max: 8 << 20, depth_max: 256, seed, ..OpenOptions::default() }
    }

    /// The device for one study at a time.
    pub(crate) fn take(&self) -> Result<Device<'_>> {
        let target = self.target.try_lock();
        target.map(Device::Held).map_err(|_| Error::failed("the device is in use by another study"))
    }

    pub(crate) fn must_be_written(&self) -> Result<()> {
        if self.is_written { Ok(()) } else { Err(NotHere::Writes.into()) }
    }
}

/// A device to work with.
pub enum Device<'a> {
    /// Made for this study.
    New(Box<OpenTarget>),
    /// A real one.
    Held(MutexGuard<'a, OpenTarget>),
}

impl Deref for Device<'_> {
    type Target = OpenTarget;

    fn deref(&self) -> &OpenTarget {
        match self {
            Device::New(target) => target,
            Device::Held(target) => target,
        }
    }
}

impl DerefMut for Device<'_> {
    fn deref_mut(&mut self) -> &mut OpenTarget {
        match self {
            Device::New(target) => target,
            Device::Held(target) => target,
        }
    }
}
